"""What a script finds when it runs: names, modules, input, and its own folder."""

from __future__ import annotations

__all__: list[str] = []
