"""Poses that tools reach: the search, grids of positions, and questions about them."""
