"""Kernels of arms in closed form with quartic equations, or begun elsewhere."""
