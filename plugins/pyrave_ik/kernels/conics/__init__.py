"""Kernels of two equations in two joints."""
