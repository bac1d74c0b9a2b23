"""OpenRAVE's plugin architecture as a modern Python package."""

__version__ = "0.1.0"
