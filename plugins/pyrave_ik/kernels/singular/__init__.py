"""Kernels for poses at which solutions merge or are not isolated."""
