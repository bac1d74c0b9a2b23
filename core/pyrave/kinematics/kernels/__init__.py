"""Kernels of kinematics and dynamics, by algorithm."""
