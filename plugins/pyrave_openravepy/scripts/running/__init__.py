"""Surroundings of a script that runs: names, modules, input, and its own folder."""

from __future__ import annotations

__all__: list[str] = []
