"""Collision of solids by numba kernels."""
