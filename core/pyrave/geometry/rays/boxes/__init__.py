"""One ray and the boxes of a tree."""
