"""Mesh files, shared by everything in the process that shows them."""

# Paths stay text: they come from files and go into descriptions as written.
# ruff: noqa: PTH116

from __future__ import annotations

import os
import weakref
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyrave.geometry import Mesh
    from pyrave.plugins import Registry
    from pyrave.scene import MeshReference

__all__ = ["load_shared"]

_Key = tuple[str, tuple[float, ...], int, int, tuple[str, ...]]

_alive: weakref.WeakValueDictionary[_Key, Mesh] = weakref.WeakValueDictionary()


def load_shared(reference: MeshReference, registry: Registry) -> Mesh:
    """Return the mesh of a file at a scale; the same object while one is alive.

    Clones and other environments so share triangles and search trees. A file that
    changed on disk is read anew.

    Raises
    ------
    SceneError, ResourceError
        As `pyrave.formats.load_mesh`.
    """
    from pyrave.formats.meshes import load_mesh

    formats = registry.mesh_formats()
    if not reference.found:
        refused: Mesh = load_mesh(reference, formats)
        return refused
    try:
        found = os.stat(reference.uri)
    except (OSError, ValueError):
        # load_mesh says what is wrong
        missing: Mesh = load_mesh(reference, formats)
        return missing
    key: _Key = (
        os.path.realpath(reference.uri),
        tuple(reference.scale),
        found.st_mtime_ns,
        found.st_size,
        tuple(known.name for known in formats),
    )
    mesh = _alive.get(key)
    if mesh is None:
        mesh = _alive.setdefault(key, load_mesh(reference, formats))
    return mesh
