"""Closed forms of rays and primitives."""
