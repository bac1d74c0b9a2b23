"""Targets of writers: a path, which is replaced whole, or a binary file."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import BinaryIO

from pyrave.errors import ArgumentError, SceneError
from pyrave.files import write_file, write_new_file

Target = str | os.PathLike[str] | BinaryIO
"""Targets of writers of scenes and meshes."""


def target_name(target: Target) -> str:
    """Return the name of a target for messages."""
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
    with _told(target):
        if isinstance(target, (str, os.PathLike)):
            write_file(target, data)
        else:
            target.write(data)


def write_new(path: str, data: bytes) -> bool:
    """Write a whole file where nothing is; return False if something is there.

    Raises
    ------
    SceneError
        It cannot be written.
    """
    with _told(path):
        return write_new_file(path, data)


@contextlib.contextmanager
def _told(target: Target) -> Iterator[None]:
    """Say in words of scenes why a target cannot be written."""
    try:
        yield
    except OSError as error:
        raise not_written(target, error.strerror or str(error)) from error
    except (AttributeError, TypeError) as error:
        raise ArgumentError(
            f"target is {target!r}, expected a path or a binary file"
        ) from error


def not_written(target: Target, reason: str) -> SceneError:
    """Return the error for a target that cannot be written."""
    return SceneError.refusal(
        "not-written", f"it cannot be written: {reason}", file=target_name(target)
    )
