"""Kernels of a packed world."""
