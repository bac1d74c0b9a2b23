"""Modules as scripts of 2010 knew them, for the imports of scripts only."""

from __future__ import annotations

import builtins
import itertools
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from pyrave_openravepy.scripts.running.old_names import RENAMED, old_names
from pyrave_openravepy.scripts.running.prompts import shell_module

__all__ = ["OldImport"]

_SHELLS = "IPython"
# numpy's star had these, though they hide builtins
_OF_NUMPY = frozenset({"all", "any", "sum"})


class OldModule(ModuleType):
    """A module that has names of the past, too.

    What it has besides is that of the module; it is set there.
    """

    def __init__(self, module: ModuleType, old: Mapping[str, Any]) -> None:
        super().__init__(module.__name__, module.__doc__)
        kept = {
            name: value
            for name, value in vars(module).items()
            # those of `sys` change while a script runs
            if not (name.startswith("__") or module.__name__ == "sys")
        }
        vars(self).update(kept)
        vars(self).update(old)
        vars(self)["__wrapped__"] = module
        for name in ("__file__", "__path__", "__spec__", "__version__"):
            if hasattr(module, name):
                vars(self)[name] = getattr(module, name)
        public = getattr(module, "__all__", None)
        if public is not None:
            vars(self)["__all__"] = _star(module, public, old)

    def __getattr__(self, name: str) -> Any:
        return getattr(vars(self)["__wrapped__"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        module = vars(self)["__wrapped__"]
        setattr(module, name, value)
        if module.__name__ != "sys":
            vars(self)[name] = value

    def __dir__(self) -> list[str]:
        return sorted({*vars(self), *dir(vars(self)["__wrapped__"])})


def _star(
    module: ModuleType, public: Sequence[str], old: Mapping[str, Any]
) -> list[str]:
    """Return the names that ``from module import *`` gave, which hid no builtins."""
    names = dict.fromkeys([*public, *old])
    if module.__name__ != "numpy":
        return list(names)
    hidden = {*dir(builtins), "long", "unicode", "loads", "math"} - _OF_NUMPY
    return [name for name in names if name not in hidden]


def _is_missing(error: ModuleNotFoundError, name: str) -> bool:
    """Return True if what is missing is the module of a name, or a package of it."""
    return error.name is not None and f"{name}.".startswith(f"{error.name}.")


class OldImport:
    """The ``__import__`` of a script: old names of modules, and what they had.

    Parameters
    ----------
    implicit
        Whether it was Python 2, where a module of a package finds those beside it
        first; it finds them last otherwise.
    """

    # one view for all scripts, one of Python 2 for converted ones
    _views: dict[tuple[str, bool], ModuleType] = {}  # noqa: RUF012

    def __init__(self, *, implicit: bool) -> None:
        self._implicit = implicit

    def __call__(
        self,
        name: str,
        names: Mapping[str, Any] | None = None,
        local: Mapping[str, Any] | None = None,
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        """Import as the statement does."""
        wanted = fromlist or ()
        package = (names or {}).get("__package__")
        beside = bool(package) and level == 0
        if beside and self._implicit:
            try:
                return builtins.__import__(name, names, local, wanted, 1)
            except ModuleNotFoundError as error:
                if not _is_missing(error, f"{package}.{name}"):
                    raise
        try:
            module = builtins.__import__(name, names, local, wanted, level)
        except ModuleNotFoundError as error:
            if level or not _is_missing(error, name):
                raise
            return self._instead(name, names, local, wanted, error, beside=beside)
        return self._view(module)

    def _instead(
        self,
        name: str,
        names: Mapping[str, Any] | None,
        local: Mapping[str, Any] | None,
        wanted: Sequence[str],
        error: ModuleNotFoundError,
        *,
        beside: bool,
    ) -> ModuleType:
        """Return the module of an old name."""
        if name.partition(".")[0] == _SHELLS:
            return self._shell(name, wanted)
        if name in RENAMED:
            # the last part, for there are no packages among the old ones
            module = builtins.__import__(RENAMED[name], None, None, ("*",), 0)
            return self._view(module)
        if beside:
            package = (names or {}).get("__package__")
            try:
                return builtins.__import__(name, names, local, wanted, 1)
            except ModuleNotFoundError as near:
                if not _is_missing(near, f"{package}.{name}"):
                    raise
        raise error

    def _view(self, module: ModuleType) -> ModuleType:
        key = module.__name__, self._implicit
        if key not in self._views:
            old = old_names(module, converted=self._implicit)
            self._views[key] = OldModule(module, old) if old else module
        return self._views[key]

    def _shell(self, name: str, wanted: Sequence[str]) -> ModuleType:
        """Return a module of IPython that is not there, or the first of its name."""
        parts = name.split(".")
        made = [shell_module(".".join(parts[: i + 1])) for i in range(len(parts))]
        for outer, inner in itertools.pairwise(made):
            setattr(outer, inner.__name__.rpartition(".")[2], inner)
        return made[-1] if wanted else made[0]
