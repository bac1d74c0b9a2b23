"""Locations in files from which items of a scene description came."""

from __future__ import annotations

from dataclasses import dataclass

from pyrave.records import made_quickly


@made_quickly
@dataclass(frozen=True, slots=True)
class Location:
    """A place in a file; lines and columns count from 1, None when not known.

    Parameters
    ----------
    line
        From 1, None: not known.
    column
        From 1, None: not known.
    file
        Path or name.
    """

    file: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        return ":".join(
            str(part)
            for part in (self.file, self.line, self.column)
            if part is not None
        )
