"""Kernels of `pyrave.simd`."""
