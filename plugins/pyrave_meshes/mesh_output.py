"""Functions that the writers of mesh formats share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import Problem, Severity
from pyrave.formats import target_name
from pyrave.scene import Material

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.formats import Target
    from pyrave.geometry import Mesh


def loss(message: str, target: Target) -> Problem:
    """Return a loss: something that the format could not say."""
    return Problem(
        Severity.WARNING, message, file=target_name(target), code="not-written"
    )


def lost_materials(mesh: Mesh, format_name: str, target: Target) -> list[Problem]:
    """Return the loss of a mesh's materials, if it says something with them."""
    if all(material == Material() for material in mesh.materials):
        return []
    return [
        loss(f"{format_name} has no materials: {len(mesh.materials)} are lost", target)
    ]


def lost_images(mesh: Mesh, where: str, target: Target) -> list[Problem]:
    """Return the loss of images on a mesh, if it has some."""
    if not mesh.is_textured:
        return []
    return [loss(f"{where} has no place for images on the mesh", target)]


def number_rows(word: bytes, rows: NDArray[Any]) -> bytes:
    """Return a text line for each row of numbers, exact, with a word before it."""
    start = (word + b" ") if word else b""
    lines = (
        start + " ".join(map(repr, row)).encode() for row in np.asarray(rows).tolist()
    )
    return b"".join(line + b"\n" for line in lines)
