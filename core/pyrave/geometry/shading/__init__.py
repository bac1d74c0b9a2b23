"""Shading kernels: the light of what rays met, and pixels from it."""
