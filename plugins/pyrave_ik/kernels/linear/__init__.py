"""Small dense linear algebra: numba has none without scipy."""
