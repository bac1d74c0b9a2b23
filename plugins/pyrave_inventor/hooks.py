"""Registrations of the package: the mesh formats Inventor and VRML."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pyrave.plugins import hookimpl

if TYPE_CHECKING:
    from pyrave_inventor.formats import SceneGraphFormat


@hookimpl
def pyrave_mesh_formats() -> Iterable[SceneGraphFormat]:
    """Return the formats."""
    from pyrave_inventor.formats import INVENTOR, VRML

    return [INVENTOR, VRML]
