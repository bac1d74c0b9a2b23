"""Kernels about limits of joint values."""
