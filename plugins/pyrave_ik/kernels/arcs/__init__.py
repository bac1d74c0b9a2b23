"""Kernels of arcs between solutions."""
