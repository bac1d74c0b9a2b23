"""Casts of rays from one point."""
