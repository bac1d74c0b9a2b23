"""Kernels of loops whose geometry is special but for small tilts."""
