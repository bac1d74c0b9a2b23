"""Places of files of scenes and of databases."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pyrave
from pyrave_openravepy.api.foundation.guard import guarded

__all__ = [
    "RaveFindDatabaseFile",
    "RaveFindLocalFile",
    "RaveGetDataAccess",
    "RaveGetHomeDirectory",
    "RaveInvertFileLookup",
    "RaveSetDataAccess",
    "is_confined",
]

_access = 0


@guarded
def RaveFindLocalFile(filename: str, curdir: str = "") -> str:
    """Return the path of a file in a folder or the data folders, empty if none."""
    confined = is_confined()
    resolver = _resolver("" if confined else curdir, confine=confined)
    base = str(curdir) if confined and curdir else None
    try:
        return str(resolver.resolve(os.fspath(filename), base, suggest=False))
    except pyrave.Error:
        return ""


@guarded
def RaveInvertFileLookup(filename: str) -> str:
    """Return the name of a file relative to the data folder that it is in."""
    path = Path(filename).absolute()
    for folder in _resolver("").search_folders():
        if path.is_relative_to(folder):
            return str(path.relative_to(folder))
    return ""


@guarded
def RaveGetHomeDirectory() -> str:
    """Return the folder of settings and databases, `OPENRAVE_HOME` if it is set."""
    return os.environ.get("OPENRAVE_HOME") or str(Path.home() / ".openrave")


@guarded
def RaveFindDatabaseFile(filename: str, read: bool = True) -> str:
    """Return the path of a database file of a script's own, empty if none.

    Parameters
    ----------
    filename
        Relative to the folders of `OPENRAVE_DATABASE`, or the home folder.
    read
        Of a file that is there; False: where a new one may be written.
    """
    given = os.environ.get("OPENRAVE_DATABASE", "").split(os.pathsep)
    folders = [one for one in given if one] or [RaveGetHomeDirectory()]
    paths = [Path(folder, filename) for folder in folders]
    found = next((path for path in paths if path.exists()), None)
    if found is not None:
        return str(found)
    return "" if read else str(paths[0])


@guarded
def RaveSetDataAccess(accessoptions: int) -> None:
    """Let loads from now on open files of the data folders alone, if bit 0 is set."""
    global _access  # noqa: PLW0603
    _access = int(accessoptions)


@guarded
def RaveGetDataAccess() -> int:
    """Return the options that `RaveSetDataAccess` has set."""
    return _access


def is_confined() -> bool:
    """Return True if loads open files of the data folders alone."""
    return bool(_access & 1)


def _resolver(folder: str, *, confine: bool = False) -> Any:
    from pyrave.formats import Resolver

    roots = [folder] if folder else []
    return Resolver(roots, confine=confine, data_roots=pyrave.registry().data_folders)
