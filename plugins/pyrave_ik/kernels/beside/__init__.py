"""Kernels of loops in special positions."""
