"""Convex hulls of points."""
