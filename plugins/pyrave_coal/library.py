"""The library coal, imported when the first checker is made."""

from __future__ import annotations

import functools
import importlib
from types import ModuleType

from pyrave.errors import NotSupportedError

GJK_TOLERANCE = 1e-8
"""Precision of distances that have no closed form, metres."""


@functools.cache
def coal() -> ModuleType:
    """Return the library.

    Raises
    ------
    NotSupportedError
        It is not installed, or cannot be imported.
    """
    try:
        return importlib.import_module("coal")
    except ImportError as error:
        raise NotSupportedError(
            "the collision checker 'coal' needs the library coal 3, which cannot be "
            f"imported ({error}); pip install 'pyrave[collision]'"
        ) from error
