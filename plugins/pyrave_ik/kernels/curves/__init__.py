"""Kernels of curves of solutions."""
