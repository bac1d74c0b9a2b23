"""Kernels of limits along curves."""
