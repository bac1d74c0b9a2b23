"""Placing links fast: packed rows of a body or a chain, and kernels over them."""

from pyrave.kinematics.placement.rows import pose_rows, resting_rows, tool_rows

__all__ = ["pose_rows", "resting_rows", "tool_rows"]
