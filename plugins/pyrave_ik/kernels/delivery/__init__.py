"""Kernels between a loop's values and an arm's joints."""
