"""Kernels of searches for free paths."""
