"""Casts of rays that have nothing in common."""
