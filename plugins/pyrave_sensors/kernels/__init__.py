"""Kernels of sensors."""
