"""Where files are written: a path, which is replaced whole, or a binary file."""

from __future__ import annotations

import os
from typing import BinaryIO

from pyrave.errors import ArgumentError, Problem, SceneError, Severity
from pyrave.files import write_file

Target = str | os.PathLike[str] | BinaryIO
"""What writers of scenes and meshes take."""


def target_name(target: Target) -> str:
    """Return what messages call a target."""
    if isinstance(target, (str, os.PathLike)):
        return os.fspath(target)
    return str(getattr(target, "name", "<file object>"))


def write_bytes(target: Target, data: bytes) -> None:
    """Write a whole file: what was at the path is replaced at the end, or stays.

    Raises
    ------
    SceneError
        It cannot be written.
    ArgumentError
        The target is neither a path nor a binary file.
    """
    try:
        if isinstance(target, (str, os.PathLike)):
            write_file(target, data)
        else:
            target.write(data)
    except OSError as error:
        raise SceneError(
            Problem(
                Severity.ERROR,
                f"it cannot be written: {error.strerror or error}",
                file=target_name(target),
                code="not-written",
            )
        ) from error
    except (AttributeError, TypeError) as error:
        raise ArgumentError(
            f"target is {target!r}, expected a path or a binary file"
        ) from error
