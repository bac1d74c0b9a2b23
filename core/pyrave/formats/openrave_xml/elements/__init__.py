"""Readers of the elements of OpenRAVE XML, one family per module."""

from __future__ import annotations

__all__: list[str] = []
