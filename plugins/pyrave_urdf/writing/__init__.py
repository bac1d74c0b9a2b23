"""Writes URDF: a tree of links and joints first, then what each element says."""
