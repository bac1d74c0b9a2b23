"""An arm and its goals as data: what every method takes."""
