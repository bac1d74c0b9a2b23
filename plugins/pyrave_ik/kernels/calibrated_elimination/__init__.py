"""Kernels of nearly special loops, with elimination where that is needed."""
