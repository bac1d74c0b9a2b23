"""Lists of ``openrave.py``: plugins, interfaces, databases, examples."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

import pyrave
from pyrave.errors import ArgumentError, did_you_mean
from pyrave.interfaces import INTERFACE_TYPES

__all__ = ["list_names", "names_in"]

_HOME = "pyrave_openravepy.api"


def list_names(what: str, interface_type: str = "") -> Iterator[str]:
    """Yield the lines of a listing.

    Parameters
    ----------
    what
        ``"plugins"``, ``"interfaces"``, ``"databases"`` or ``"examples"``.
    interface_type
        Of interfaces: one type, or ``"all"``.

    Raises
    ------
    ArgumentError
        There is no such type.
    """
    if what == "plugins":
        for group in pyrave.registry().report().distributions:
            yield f"{group.name or 'run from a path'} {group.version}".rstrip()
    elif what == "interfaces":
        yield from _interfaces(interface_type)
    else:
        yield from names_in(what)


def _interfaces(interface_type: str) -> Iterator[str]:
    kinds = [interface_type.lower().replace("_", "")]
    if kinds in (["all"], [""]):
        kinds = list(INTERFACE_TYPES)
    for kind in kinds:
        if kind not in INTERFACE_TYPES:
            raise ArgumentError(
                f"{interface_type!r} is no type of interfaces"
                f"{did_you_mean(kind, INTERFACE_TYPES)}; expected all, or one of "
                + ", ".join(INTERFACE_TYPES)
            )
        for one in pyrave.registry().ids(kind):
            yield f"{kind}: {one}" if len(kinds) > 1 else one


def names_in(package: str) -> list[str]:
    """Return the names of the modules of a package of ``openravepy``."""
    try:
        found = importlib.import_module(f"{_HOME}.{package}")
    except ModuleNotFoundError as error:
        if error.name != f"{_HOME}.{package}":
            raise
        return []
    if package == "examples":
        return list(found.names())
    modules = pkgutil.iter_modules(found.__path__)
    return sorted(one.name for one in modules if not one.name.startswith("_"))
