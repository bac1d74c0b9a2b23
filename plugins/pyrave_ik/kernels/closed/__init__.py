"""Kernels of decompositions in closed form."""
