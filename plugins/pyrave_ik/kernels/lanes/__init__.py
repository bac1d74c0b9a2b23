"""Kernels of the eight solutions of a closed form, side by side."""
