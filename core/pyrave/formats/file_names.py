"""How a written file names other files, so that it can be moved with them."""

# Paths stay text: they come from files and go into descriptions as written.
# ruff: noqa: PTH117

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pyrave.errors import ResourceError, SceneError

if TYPE_CHECKING:
    from pyrave.formats.resolver import Resolver

__all__ = ["FileNames"]


class FileNames:
    """Names of files for a file that is written to a folder.

    What lies below the folder is named relative to it, and so is everything else,
    unless it was named from a data folder: then it keeps that name.

    Parameters
    ----------
    folder
        Folder of the written file; None: all names are absolute.
    resolver
        Knows the data folders.
    """

    def __init__(self, folder: str | None, resolver: Resolver) -> None:
        self._folder = folder
        self._resolver = resolver
        self._known: dict[tuple[str, str], str] = {}

    def of(self, path: str, written: str = "") -> str:
        """Return the name of the file at `path`, once named as `written`."""
        key = (path, written)
        if key not in self._known:
            self._known[key] = self._name(path, written)
        return self._known[key]

    def _name(self, path: str, written: str) -> str:
        if self._folder is None or not os.path.isabs(path):
            return path
        try:
            name = os.path.relpath(path, self._folder).replace(os.sep, "/")
        except ValueError:  # on another drive
            return path
        if name.startswith("../") and written and self._finds(written, path):
            return written
        # what looks like a scheme is none behind a folder
        return f"./{name}" if ":" in name.partition("/")[0] else name

    def _finds(self, written: str, path: str) -> bool:
        if os.path.isabs(written):
            return False
        try:
            return self._resolver.resolve(written, self._folder) == path
        except (ResourceError, SceneError):
            return False
