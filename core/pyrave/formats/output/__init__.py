"""Files that writers of scenes and meshes make, and reports of what they lose."""

from __future__ import annotations

__all__: list[str] = []
