"""Modules of a script's own folder: converted and run as the script itself is."""

from __future__ import annotations

import importlib.machinery
import linecache
import os
import sys
import sysconfig
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType

from pyrave_openravepy.scripts.conversion import (
    ScriptSyntaxError,
    convert_script,
    read_script,
)
from pyrave_openravepy.scripts.running.old_builtins import script_builtins

__all__ = ["OwnModules"]

_LIBRARIES = tuple({sysconfig.get_path(kind) for kind in ("purelib", "platlib")})


def _whole(entry: str) -> str:
    # as the import system has it: links are kept
    return os.path.abspath(entry)  # noqa: PTH100


class OwnModules(MetaPathFinder):
    """Finds what lies in a script's folder, or in one that the script adds to the path.

    Parameters
    ----------
    folder
        That of the script.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._before = frozenset(map(_whole, sys.path))

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """Return the place of a module, if it is one of the script's."""
        if fullname in sys.builtin_module_names:
            return None
        searched = [one for one in sys.path if self._is_added(one)]
        if path is not None:
            searched = [one for one in path if self._is_own(one)]
        if not searched:
            return None
        spec = PathFinder.find_spec(fullname, searched, target)
        if spec is None or not isinstance(spec.loader, SourceFileLoader):
            return spec if spec is not None and spec.loader is not None else None
        found = importlib.machinery.ModuleSpec(
            fullname, _OwnLoader(spec.loader.path), origin=spec.origin
        )
        found.submodule_search_locations = spec.submodule_search_locations
        found.has_location = True
        return found

    def _is_added(self, entry: str) -> bool:
        """Return True for an entry of ``sys.path`` that is the script's."""
        whole = _whole(entry)
        if whole == self._folder:
            return True
        return whole not in self._before and not whole.startswith(_LIBRARIES)

    def _is_own(self, folder: str) -> bool:
        """Return True for a folder in one of the script's."""
        whole = _whole(folder)
        if whole.startswith(_LIBRARIES):
            return False
        roots = [_whole(one) for one in sys.path if self._is_added(one)]
        return any(whole.startswith(root + os.sep) for root in roots)


class _OwnLoader(Loader):
    """Loads a module of a script."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._converted = False

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return None

    def get_code(self, _name: str) -> CodeType:
        """Return the code of the module."""
        try:
            script = convert_script(read_script(self.path), self.path)
        except ScriptSyntaxError as error:
            place = (self.path, error.lineno, error.column)
            text = linecache.getline(self.path, error.lineno or 0)
            raise SyntaxError(error.reason, (*place, text)) from None
        self._converted = script.is_converted
        return script.compile()

    def exec_module(self, module: ModuleType) -> None:
        """Run the module with the builtins of a script."""
        code = self.get_code(module.__name__)
        vars(module)["__builtins__"] = script_builtins(converted=self._converted)
        exec(code, vars(module))  # noqa: S102 - what importing is
