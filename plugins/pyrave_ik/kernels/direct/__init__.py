"""Kernels of the common arms at regular poses."""
