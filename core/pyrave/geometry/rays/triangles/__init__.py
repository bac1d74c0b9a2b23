"""Rays and triangles: the exact test, and quick ones that never reject a hit."""
