"""Three joints that move in a plane."""
