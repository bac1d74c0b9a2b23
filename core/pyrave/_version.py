"""The version of pyrave: that which a build took from git's tags."""

from __future__ import annotations

from importlib_metadata import PackageNotFoundError, version

try:
    __version__ = version("pyrave")
except PackageNotFoundError:  # a tree on the path, or a frozen program
    __version__ = "0+unknown"
