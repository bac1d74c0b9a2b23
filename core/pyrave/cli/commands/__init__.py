"""Commands of pyrave, one per module."""

from __future__ import annotations

__all__: list[str] = []
