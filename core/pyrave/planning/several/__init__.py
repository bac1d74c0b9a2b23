"""Several robots that move in one plan."""
