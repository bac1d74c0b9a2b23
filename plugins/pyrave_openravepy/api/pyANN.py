"""Nearest points by OpenRAVE's old names."""

# ruff: noqa: N999

from pyrave_openravepy.api.functions.nearest import KDTree, max_pts_visit

__all__ = ["KDTree", "max_pts_visit"]
