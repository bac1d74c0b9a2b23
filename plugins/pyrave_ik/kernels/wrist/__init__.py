"""Kernels of loops with three neighbouring axes that meet."""
