"""Paths in time: motions within limits, and whether they keep them."""
