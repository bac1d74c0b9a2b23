"""Kernels of placement, Jacobians and Hessians over an articulation."""
