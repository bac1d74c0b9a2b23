"""The package's API as the module ``openravepy``."""

from __future__ import annotations

import builtins
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from types import ModuleType

from pyrave.errors import StateError

__all__ = ["install"]

NAME = "openravepy"
_HOME = "pyrave_openravepy.api"


def install() -> ModuleType:
    """Make the API importable as ``openravepy``, with its submodules.

    Returns
    -------
    module
        What ``import openravepy`` gives from now on; each module exists once, under
        both of its names.

    Raises
    ------
    StateError
        A real OpenRAVE is loaded in this process.
    """
    home = importlib.import_module(_HOME)
    loaded = sys.modules.get(NAME)
    if loaded is not None and loaded is not home:
        place = getattr(loaded, "__file__", None) or "no file"
        raise StateError(
            f"openravepy is already loaded from {place}: install pyrave's before "
            "anything imports it, or use another process"
        )
    sys.modules[NAME] = home
    # scripts begin with `if not __openravepy_build_doc__:`, a builtin there
    vars(builtins).setdefault("__openravepy_build_doc__", False)
    # what is loaded is not imported again, which would put modules in the place of
    # the classes that have their names
    for name, module in list(sys.modules.items()):
        if name.startswith(f"{_HOME}."):
            sys.modules.setdefault(NAME + name.removeprefix(_HOME), module)
    if not any(isinstance(finder, _Submodules) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Submodules())
    return home


class _Submodules(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds ``openravepy.x`` as the module ``pyrave_openravepy.api.x``."""

    def __init__(self) -> None:
        self._specs: dict[str, importlib.machinery.ModuleSpec | None] = {}

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        if not fullname.startswith(f"{NAME}."):
            return None
        home = _HOME + fullname.removeprefix(NAME)
        if importlib.util.find_spec(home) is None:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, origin=home)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        module = importlib.import_module(spec.origin or "")
        self._specs[spec.name] = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        # importlib has given the one module the name by which it was asked for
        asked = module.__spec__.name if module.__spec__ else ""
        module.__spec__ = self._specs.pop(asked)
