"""Kernels of the algebraic solver for any loop."""
