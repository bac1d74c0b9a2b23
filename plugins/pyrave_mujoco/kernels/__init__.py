"""Kernels of the physics engine."""
