"""Documents of OpenRAVE XML: parsing, included files and the state of a load."""

from __future__ import annotations

__all__: list[str] = []
