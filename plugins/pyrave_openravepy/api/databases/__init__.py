"""Databases under OpenRAVE's names: what is computed once and kept.

Each module has a class and ``run``, as OpenRAVE's have. Results are pyrave's own files;
those of OpenRAVE are not read.
"""

from __future__ import annotations

import importlib
from typing import Any

from pyrave_openravepy.api.databases._generator import DatabaseGenerator

__all__ = [
    "DatabaseGenerator",
    "convexdecomposition",
    "grasping",
    "inversekinematics",
    "inversereachability",
    "kinematicreachability",
    "linkstatistics",
    "visibilitymodel",
]


def __getattr__(name: str) -> Any:
    # each is imported when a script first asks for it
    if name in __all__:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
