"""Files that are written beside another one, which names them."""

# Paths stay text: they come from files and go into descriptions as written.
# ruff: noqa: PTH108, PTH116, PTH118, PTH119, PTH120, PTH123, PTH202, PTH208

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import count
from urllib.parse import quote

from pyrave.formats.output.targets import not_written, write_new

_NOT_IN_NAMES = re.compile(r"[^\w.-]+")
_LONGEST_LINE = 4096
_LARGEST = 256 * 1024 * 1024
_SAVING = 600.0
"""Seconds after which a file that nobody names is no part of another save."""


class Companions:
    """Files beside one that is written, which is whole at any time, and so are they.

    A name is free where nothing is, or just what is to be written: so a save that ends
    half way, and another one at the same time, leave the old file all that it names.
    What no save has used for ten minutes goes when another save is done, unless a file
    of the same kind beside it names it. One of the first two lines of each says which
    file it belongs to; no other files are touched.

    Parameters
    ----------
    target
        Path of the file that names them.
    suffixes
        Of the file, of which the first that fits is no part of the others' names.
    """

    def __init__(self, target: str, suffixes: Sequence[str]) -> None:
        base = os.path.basename(target)
        ends = [end for end in suffixes if base.lower().endswith(end)]
        self.folder = os.path.dirname(target)
        self._suffixes = tuple(suffixes)
        self.stem = (base[: -len(ends[0])] if ends else base) or "scene"
        # comments of XML have no --
        owner = " ".join(base.split()).replace("--", "- -")
        owner = owner.encode("utf-8", "replace").decode()
        self.mark = f"written by pyrave for {owner}"
        """The line of each, behind what begins a comment; UTF-8 can say it."""
        self._files: dict[str, bytes] = {}
        self._kept: set[str] = set()
        self._numbers: dict[tuple[str, str], int] = {}

    def keep(self, paths: Iterable[str]) -> None:
        """Leave files alone that the file names, whoever wrote them."""
        # on some disks names that differ in case are one file
        self._kept |= {path.casefold() for path in paths}

    def add(self, suffix: str, data: bytes, part: str = "") -> str:
        """Return the name of a file for data, which `write` writes.

        Parameters
        ----------
        part
            What of the file it is, in its name.
        """
        name = f"{self.stem}.{part}" if part else self.stem
        stem = _NOT_IN_NAMES.sub("_", name)
        for number in count(self._numbers.get((stem, suffix), 0)):
            tail = f"_{number}" if number else ""
            path = os.path.join(self.folder, f"{stem}{tail}{suffix}")
            if path.casefold() not in self._kept and self._may_write(path, data):
                break
        self._numbers[stem, suffix] = number + 1
        self._kept.add(path.casefold())
        self._files[path] = data
        return os.path.basename(path)

    @contextlib.contextmanager
    def written(self) -> Iterator[None]:
        """Write those that are not there; the block writes the file that names them.

        If it fails, those that are new go again, unless another save uses them.

        Raises
        ------
        SceneError
            One cannot be written.
        """
        new: dict[str, int] = {}
        try:
            for path, data in self._files.items():
                if self._write(path, data):
                    new[path] = os.stat(path).st_mtime_ns
            yield
        except BaseException:
            for path, when in new.items():
                with contextlib.suppress(OSError):
                    # another save that has the same data touches what it uses
                    if os.stat(path).st_mtime_ns == when:
                        os.unlink(path)
            raise
        self._remove_unused()

    def _write(self, path: str, data: bytes) -> bool:
        """Write a file; return False if it is there, and used from now on."""
        if write_new(path, data):
            return True
        if not self._may_write(path, data):
            reason = "another save of this scene goes on; save it again"
            raise not_written(path, reason)
        with contextlib.suppress(OSError):
            os.utime(path)
        return False

    def _remove_unused(self) -> None:
        """Remove what earlier saves wrote, and no save has used for a while."""
        start = _NOT_IN_NAMES.sub("_", self.stem)
        with contextlib.suppress(OSError):
            names = os.listdir(self.folder or os.curdir)
            unused = set()
            for name in names:
                path = os.path.join(self.folder, name)
                is_one = name.startswith((f"{start}.", f"{start}_"))
                if is_one and path.casefold() not in self._kept and self._is_old(path):
                    unused.add(name)
            if unused:
                unused -= self._named_in({*names} - unused, unused)
            for name in unused:
                os.unlink(os.path.join(self.folder, name))

    def _named_in(self, documents: Iterable[str], names: Collection[str]) -> set[str]:
        """Return the names that stand in files of the target's kind, and in copies.

        Where such a file cannot be looked into, that may be all.
        """
        found: set[str] = set()
        forms = {name: (name.encode(), quote(name).encode()) for name in names}
        for document in documents:
            if not document.lower().endswith(self._suffixes):
                continue
            path = os.path.join(self.folder, document)
            try:
                if os.path.getsize(path) > _LARGEST:
                    return {*names}
                with open(path, "rb") as file:
                    data = file.read()
            except OSError:
                return {*names}
            found |= {
                name
                for name, written in forms.items()
                if any(one in data for one in written)
            }
        return found

    def _may_write(self, path: str, data: bytes) -> bool:
        """Return True if nothing is there, or just the data."""
        try:
            with open(path, "rb") as file:
                return file.read(len(data) + 1) == data
        except OSError:
            # a name that nothing can have is refused when it is written
            return not os.path.lexists(path)

    def _is_old(self, path: str) -> bool:
        """Return True if a file is of an earlier save, and was not used for a while."""
        try:
            if time.time() - os.stat(path).st_mtime < _SAVING:
                return False
            with open(path, "rb") as file:
                lines = [file.readline(_LONGEST_LINE) for _ in range(2)]
        except OSError:
            return False
        said = {line.decode("utf-8", "replace").strip("#<!-> \r\n") for line in lines}
        return self.mark in said
