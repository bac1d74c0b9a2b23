"""Kernels of time parametrization."""
