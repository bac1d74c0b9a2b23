"""State of a database on the disk."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class DatabaseStatus:
    """State of a database on the disk.

    Parameters
    ----------
    kind, key, path
        As of the database.
    is_current
        Whether the file is there, whole and of this key.
    problem
        Why it is not current, in words; empty if it is.
    finished, tasks
        Parts of an unfinished build, and of how many; 0 if there is none.
    bytes
        On the disk.
    seconds
        Of processor time that the build took, 0 if there is no file.
    pyrave
        Version that built it, empty if there is no file.
    """

    kind: str
    key: str
    path: Path
    is_current: bool
    problem: str = ""
    finished: int = 0
    tasks: int = 0
    bytes: int = 0
    seconds: float = 0.0
    pyrave: str = ""
