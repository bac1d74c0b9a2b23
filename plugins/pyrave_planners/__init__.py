"""Planners that search for collision-free paths, and make them shorter."""
