"""Kernels of arms with a joint to spare."""
