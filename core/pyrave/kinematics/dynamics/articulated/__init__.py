"""Kernels of forward dynamics."""
