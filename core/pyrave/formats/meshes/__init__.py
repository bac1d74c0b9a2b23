"""Mesh files: formats, loading, textures, and meshes kept in descriptions."""

from __future__ import annotations

__all__: list[str] = []
