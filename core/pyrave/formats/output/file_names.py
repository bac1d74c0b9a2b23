"""Names of other files in a written file, such that they can be moved together."""

# Paths stay text: they come from files and go into descriptions as written.
# ruff: noqa: PTH117, PTH118

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pyrave.errors import ResourceError, SceneError

if TYPE_CHECKING:
    from pyrave.formats.resolver import Resolver


class FileNames:
    """Names of files for a file that is written to a folder.

    What lies in a data folder is found by its name there from anywhere, unless the
    written file lies there, too; everything else is named relative to the folder.

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

    def name_of(self, path: str, written: str = "") -> str:
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
        outside = name.startswith("../")
        for known in (written if outside else "", *self._in_data_folders(path)):
            if known and self._finds(known, path):
                return known
        # what looks like a scheme is none behind a folder
        return f"./{name}" if ":" in name.partition("/")[0] else name

    def _in_data_folders(self, path: str) -> Iterator[str]:
        target = os.path.join(self._folder or "", "")
        for folder in self._resolver.search_folders():
            below = os.path.join(folder, "")
            if path.startswith(below) and not target.startswith(below):
                yield os.path.relpath(path, folder).replace(os.sep, "/")

    def _finds(self, written: str, path: str) -> bool:
        if os.path.isabs(written):
            return False
        try:
            return self._resolver.resolve(written, self._folder) == path
        except (ResourceError, SceneError):
            return False
