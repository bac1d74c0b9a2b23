"""Registrations of the mesh formats: readers, writers, and meshes as scenes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pyrave.plugins import hookimpl

if TYPE_CHECKING:
    from pyrave.formats import MeshFormat


@hookimpl
def pyrave_mesh_formats() -> Iterable[MeshFormat]:
    """Return the formats; those that have a mark in the file are asked first."""
    from pyrave_meshes.ac3d import Ac3dFormat
    from pyrave_meshes.gltf import GltfFormat
    from pyrave_meshes.obj import ObjFormat
    from pyrave_meshes.off import OffFormat
    from pyrave_meshes.ply import PlyFormat
    from pyrave_meshes.stl import StlFormat
    from pyrave_meshes.tds import TdsFormat

    return (
        StlFormat(),
        ObjFormat(),
        PlyFormat(),
        OffFormat(),
        Ac3dFormat(),
        TdsFormat(),
        GltfFormat(),
    )
