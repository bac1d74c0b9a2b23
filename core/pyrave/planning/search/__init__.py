"""Searches for free paths: spaces, trees, and what planners have in common."""
