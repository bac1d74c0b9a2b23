"""Kernels that bring a loop to close where it is singular."""
