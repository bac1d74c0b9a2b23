"""Names that are refused with a message, as the table of names says."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

from pyrave_openravepy.api.foundation.errors import NotSupportedError
from pyrave_openravepy.names import Name, all_sections

__all__ = ["add_refusals", "find_owner", "is_refusal"]

_HOME = "pyrave_openravepy.api"


class Refusal:
    """A method, function or attribute that says what to use instead."""

    def __init__(self, path: str, name: Name) -> None:
        self.text = f"{path}.{name.name} is not supported: {name.refusal}"
        self.callable = bool(name.arguments)

    def __get__(self, instance: object, owner: type) -> Any:
        if instance is None or self.callable:
            return self
        raise NotSupportedError(self.text)

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        raise NotSupportedError(self.text)


def find_owner(path: str) -> Any:
    """Return the class, enumeration or module of a section, None if there is none."""
    first, *rest = path.split(".")
    owner: Any = importlib.import_module(_HOME)
    if first == "openravepy":
        return owner
    for index, name in enumerate([first, *rest]):
        found = getattr(owner, name, None)
        if found is None and isinstance(owner, ModuleType):
            found = _submodule(".".join([first, *rest][: index + 1]))
        if found is None:
            return None
        owner = found
    return owner


def _submodule(name: str) -> ModuleType | None:
    home = f"{_HOME}.{name}"
    try:
        return importlib.import_module(home)
    except ModuleNotFoundError as error:
        if error.name is not None and home.startswith(error.name):
            return None
        raise


def is_refusal(owner: Any, name: str) -> bool:
    """Return True of a name that raises `NotSupportedError`."""
    return isinstance(vars(owner).get(name), Refusal)


def add_refusals(prefix: str = "") -> None:
    """Set the names of the table that are refused, where they are not written.

    Parameters
    ----------
    prefix
        Sections of a module, for modules that are imported late; ``""`` for all
        sections that exist already.
    """
    for path, section in all_sections().items():
        if not path.startswith(prefix):
            continue
        refused = [name for name in section.names if name.refusal]
        owner = find_owner(path) if refused else None
        for name in refused:
            if owner is not None and name.name not in vars(owner):
                setattr(owner, name.name, Refusal(path, name))
