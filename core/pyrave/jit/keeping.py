"""Machine code is kept by what it was made from, wherever that lies.

numba names the folder of a function by the path of its source, and some of its versions
ask when the file was changed. So a second virtual environment would compile everything
again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator


class _Locator(_CacheLocator):
    """Names files by their functions, in a folder that is named by the content."""

    def __init__(self, folder: Path, function: Any) -> None:
        self._folder = folder
        self._py_file = function.__code__.co_filename  # for numba's warnings
        self._line = function.__code__.co_firstlineno

    def get_cache_path(self) -> str:
        """Return the folder."""
        return str(self._folder)

    def get_source_stamp(self) -> str:
        """Return nothing of the source: another content has another folder."""
        return ""

    def get_disambiguator(self) -> str:
        """Return what tells functions of the same name apart."""
        return str(self._line)


def keep_in(folder: Path, dispatcher: Any) -> None:
    """Have a dispatcher keep machine code in a folder, by its function's name.

    Parameters
    ----------
    folder
        Only of functions whose source, and that of all they call, is the same.
    """

    class Folder:
        @staticmethod
        def from_function(function: Any, _path: str) -> _Locator:
            locator = _Locator(folder, function)
            locator.ensure_cache_path()
            return locator

    class Implementation(CompileResultCacheImpl):
        _locator_classes: list[Any] = [Folder]  # noqa: RUF012 - as numba has it

    class Cache(FunctionCache):
        _impl_class = Implementation

    if hasattr(dispatcher, "enable_caching"):  # not so with NUMBA_DISABLE_JIT
        dispatcher._cache = Cache(dispatcher.py_func)
