"""Kernels of mass matrices and centres of mass."""
