"""The hook implementation of the built-in mesh formats: STL and OBJ."""

from __future__ import annotations

from collections.abc import Iterable

import pluggy

from pyrave.formats.meshes_obj import ObjFormat
from pyrave.formats.meshes_stl import StlFormat

__all__ = ["pyrave_mesh_formats"]

hookimpl = pluggy.HookimplMarker("pyrave")


@hookimpl
def pyrave_mesh_formats() -> Iterable[StlFormat | ObjFormat]:
    """Offer the formats."""
    return (StlFormat(), ObjFormat())
