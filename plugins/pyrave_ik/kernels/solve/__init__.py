"""Kernels that solve any loop, of one target or of many."""
