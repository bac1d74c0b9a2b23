"""Kernels of closed loops of six joints."""
