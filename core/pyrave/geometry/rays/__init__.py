"""Kernels that cast rays: closed forms, triangles, walks of single rays and packets."""
