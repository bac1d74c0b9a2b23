"""Arms with two sliding joints opposite each other in the loop."""
