"""The library OMPL, imported when the first of its planners is made."""

from __future__ import annotations

import functools
import importlib
from typing import Any, NamedTuple

from pyrave.errors import NotSupportedError


class Library(NamedTuple):
    """The modules of OMPL that planners need."""

    base: Any
    geometric: Any
    util: Any


@functools.cache
def ompl() -> Library:
    """Return the library, which logs nothing.

    Raises
    ------
    NotSupportedError
        It is not installed, or cannot be imported.
    """
    try:
        names = ("base", "geometric", "util")
        found = Library(*(importlib.import_module(f"ompl.{name}") for name in names))
    except ImportError as error:
        raise NotSupportedError(
            "planners OMPL_* need the library OMPL 2, which cannot be imported "
            f"({error}); pip install 'pyrave[planning]'"
        ) from error
    found.util.setLogLevel(found.util.LogLevel.LOG_NONE)
    return found
