"""Kernels of loops with two sliding joints."""
