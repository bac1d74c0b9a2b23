"""What the writers of mesh formats share."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from pyrave.errors import ArgumentError, Problem, SceneError, Severity
from pyrave.scene import Material

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.geometry import Mesh

__all__ = ["lost", "lost_materials", "number_rows", "target_name", "write_bytes"]

_Target = str | os.PathLike[str] | BinaryIO


def target_name(target: _Target) -> str:
    """Return what messages call a target."""
    if isinstance(target, (str, os.PathLike)):
        return os.fspath(target)
    return str(getattr(target, "name", "<file object>"))


def write_bytes(target: _Target, data: bytes) -> None:
    """Write a whole file.

    Raises
    ------
    SceneError
        It cannot be written.
    ArgumentError
        The target is neither a path nor a binary file.
    """
    try:
        if isinstance(target, (str, os.PathLike)):
            Path(target).write_bytes(data)
        else:
            target.write(data)
    except OSError as error:
        raise SceneError(f"{target_name(target)} cannot be written: {error}") from error
    except (AttributeError, TypeError) as error:
        raise ArgumentError(
            f"target is {target!r}, expected a path or a binary file"
        ) from error


def lost(message: str, target: _Target) -> Problem:
    """Return a loss: something that the format could not say."""
    return Problem(
        Severity.WARNING, message, file=target_name(target), code="not-written"
    )


def lost_materials(mesh: Mesh, format_name: str, target: _Target) -> list[Problem]:
    """Return the loss of a mesh's materials, if it says something with them."""
    if all(material == Material() for material in mesh.materials):
        return []
    return [
        lost(f"{format_name} has no materials: {len(mesh.materials)} are lost", target)
    ]


def number_rows(word: bytes, rows: NDArray[Any]) -> bytes:
    """Return a text line for each row of numbers, exact, with a word before it."""
    start = (word + b" ") if word else b""
    lines = (
        start + " ".join(map(repr, row)).encode() for row in np.asarray(rows).tolist()
    )
    return b"".join(line + b"\n" for line in lines)
