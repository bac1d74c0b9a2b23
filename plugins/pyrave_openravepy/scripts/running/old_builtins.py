"""Builtin names of a script: those of Python 3, and Python 2's that vanished."""

from __future__ import annotations

import builtins
import functools
import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

from pyrave_openravepy.scripts.conversion import convert_script, read_script
from pyrave_openravepy.scripts.conversion.methods import CALLED
from pyrave_openravepy.scripts.python2 import (
    cmp,
    python2_method,
    round_half_away,
    sorted_by,
)
from pyrave_openravepy.scripts.running.old_classes import class_builder
from pyrave_openravepy.scripts.running.old_files import open_file
from pyrave_openravepy.scripts.running.old_modules import OldImport
from pyrave_openravepy.scripts.running.prompts import answered_eval, read_line

__all__ = ["script_builtins"]


def script_builtins(*, converted: bool) -> dict[str, Any]:
    """Return the builtins of a module of a script; no library sees them.

    Parameters
    ----------
    converted
        Whether it was Python 2: `round` gives floats, files take text and bytes,
        objects have an order, and packages import what is beside them.
    """
    names = dict(vars(builtins))
    names |= {
        "__build_class__": class_builder(ordered=converted),
        "__import__": OldImport(implicit=converted),
        CALLED: python2_method,
        "apply": _apply,
        "basestring": str,
        "buffer": memoryview,
        "cmp": cmp,
        "execfile": execute_file,
        "file": open,
        "input": read_line,
        "intern": sys.intern,
        "long": int,
        "raw_input": read_line,
        "reduce": functools.reduce,
        "reload": _reload,
        "sorted": sorted_by,
        "unichr": chr,
        "unicode": str,
        "xrange": range,
        "StandardError": Exception,
    }
    if converted:
        names |= {"eval": answered_eval, "round": round_half_away}
        names |= {"open": open_file, "file": open_file}
    return names


def _apply(
    function: Callable[..., Any],
    arguments: Sequence[Any] = (),
    named: Mapping[str, Any] | None = None,
) -> Any:
    return function(*arguments, **(named or {}))


def execute_file(
    path: str, names: dict[str, Any] | None = None, local: dict[str, Any] | None = None
) -> None:
    """Run a file among the names of the caller, as Python 2's ``execfile`` does."""
    script = convert_script(read_script(path), path)
    if names is None:
        frame = sys._getframe(1)  # noqa: SLF001 - as exec itself does
        names, local = frame.f_globals, frame.f_locals
    exec(script.compile(), names, local)  # noqa: S102 - what was asked for


def _reload(module: ModuleType) -> ModuleType:
    """Import a module again; what stands for an old module stays."""
    if "__wrapped__" in vars(module):
        return module
    return importlib.reload(module)
