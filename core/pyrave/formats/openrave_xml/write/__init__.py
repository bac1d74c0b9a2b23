"""Writers of OpenRAVE XML: elements, tags and the state of a save."""

from __future__ import annotations

__all__: list[str] = []
