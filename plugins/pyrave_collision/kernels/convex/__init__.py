"""Pairs of convex solids: overlap, distance and depth."""
