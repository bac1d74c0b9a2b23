"""Names of a package that are imported when they are first used."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from pyrave._collector import paused_collections

if TYPE_CHECKING:
    from pyrave.former_names import NewName


def exports(
    package: str,
    homes: Mapping[str, str],
    rooms: str = "",
    *,
    former: Mapping[str, NewName] | None = None,
    suggests: bool = True,
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` for a package.

    Parameters
    ----------
    homes
        Submodule -> the names in it that the package exports, separated by blanks.
    rooms
        Submodules for users, which ``dir`` names besides ``__all__``.
    former
        Names that the package had before, each with the new one.
    suggests
        Whether functions tell the argument nearest to an unknown one; False where
        single calls take so little time that it would be felt.
    """
    home_of = {name: home for home, names in homes.items() for name in names.split()}

    def get(name: str) -> Any:
        home = home_of.get(name)
        if former and name in former:
            former[name].warn(f"{package}.{name}")
            return getattr(sys.modules[package], former[name])
        if home is None and name in rooms.split():
            return importlib.import_module(f"{package}.{name}")
        if home is None:
            raise _missing(sys.modules[package], name, names())
        with paused_collections():
            value = getattr(importlib.import_module(f"{package}.{home}"), name)
        if suggests and isinstance(value, FunctionType):
            value = _suggesting(value)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*sys.modules[package].__all__, *rooms.split()})

    return get, names


def _suggesting(function: FunctionType) -> Callable[..., Any]:
    """Return a function that suggests arguments, from now on in its module, too."""
    from pyrave.argument_names import is_suggesting, suggests_arguments

    home = vars(sys.modules[function.__module__])
    if is_suggesting(function) or home.get(function.__name__) is not function:
        return function
    made = home[function.__name__] = suggests_arguments(function)
    return made


def _is_submodule(module: ModuleType, name: str) -> bool:
    """Return True if a file of a package has a name."""
    paths = [Path(folder, name) for folder in getattr(module, "__path__", ())]
    return any(one.is_dir() or one.with_suffix(".py").exists() for one in paths)


def _missing(module: ModuleType, name: str, known: list[str]) -> AttributeError:
    """Return the exception for a name that a package does not have.

    Python's import system asks for names with underscores and of submodules, which
    nobody mistyped.
    """
    package = module.__name__
    text = f"module {package!r} has no attribute {name!r}"
    if name[:1] == "_" or _is_submodule(module, name):
        return AttributeError(text)
    from pyrave.errors import AttributeNameError, did_you_mean
    from pyrave.openrave_names import openrave_hint

    hint = openrave_hint("pyrave", name) if package == "pyrave" else ""
    near = f": {hint}" if hint else did_you_mean(name, known)
    return AttributeNameError(text + near, name)
