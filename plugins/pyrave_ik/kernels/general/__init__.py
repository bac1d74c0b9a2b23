"""Kernels of any loop that has isolated solutions."""
