"""Mesh files, shared by everything in the process that shows them."""

# Paths stay text: they come from files and go into descriptions as written.
# ruff: noqa: PTH116

from __future__ import annotations

import os
import weakref
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.errors import Problem
    from pyrave.geometry import Mesh
    from pyrave.plugins import Registry
    from pyrave.scene import MeshReference

__all__ = ["load_shared"]

_Key = tuple[str, tuple[float, ...], int, int, tuple[str, ...]]

_alive: weakref.WeakValueDictionary[_Key, Mesh] = weakref.WeakValueDictionary()


def load_shared(
    reference: MeshReference,
    registry: Registry,
    report: Callable[[Problem], None] | None = None,
) -> Mesh:
    """Return the mesh of a file at a scale; the same object while one is alive.

    Clones and other environments so share triangles and search trees. A file that
    changed on disk is read anew.

    Parameters
    ----------
    report
        Called with each warning when the file is read.

    Raises
    ------
    SceneError, ResourceError
        As `pyrave.formats.load_mesh`.
    """
    from pyrave.formats.meshes import load_mesh

    formats = registry.mesh_formats()
    if not reference.found:
        return load_mesh(reference, formats)
    try:
        found = os.stat(reference.uri)
    except (OSError, ValueError):
        # load_mesh says what is wrong
        return load_mesh(reference, formats)
    key: _Key = (
        os.path.realpath(reference.uri),
        tuple(reference.scale),
        found.st_mtime_ns,
        found.st_size,
        tuple(known.name for known in formats),
    )
    mesh = _alive.get(key)
    if mesh is None:
        mesh = _alive.setdefault(key, load_mesh(reference, formats, report))
    return mesh
