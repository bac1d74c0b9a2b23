"""Writes COLLADA: a plan of ids and names first, then each library in its module."""
