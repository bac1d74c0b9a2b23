"""Cache of machine code by the content of kernels, wherever their files are.

numba names the folder of a function by the path of its source, keeps an index beside
the code, and believes both as they are. Here a second virtual environment finds what
the first one compiled, and what is damaged is compiled again.
"""

from __future__ import annotations

import hashlib
import io
import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.serialize import dumps

from pyrave.jit.cache import tell_once
from pyrave.jit.cache_entries import (
    SUFFIX,
    DamagedError,
    has_entry,
    read_entry,
    write_entry,
)


@dataclass(frozen=True, slots=True)
class KeptCode:
    """The entries of one function. It takes the place of numba's index and data files.

    Parameters
    ----------
    folder
        Where they are.
    name
        Begins the names of their files.
    """

    folder: Path
    name: str

    def load(self, key: Any) -> Any:
        """Return the cached entry of a key, None if it is missing or unusable."""
        path = self.path(key)
        try:
            content = io.BytesIO(read_entry(path))
            # pickles of this user alone
            if pickle.load(content) != key:  # noqa: S301
                return None
            return pickle.load(content)  # noqa: S301
        except FileNotFoundError:
            return None
        except Exception as error:  # noqa: BLE001 - pickles raise anything
            tell_once(
                f"damaged in {self.folder.parent}",
                f"machine code is compiled again, as {path} cannot be used: {error}. "
                "`pyrave doctor` looks at all that is kept there",
            )
            return None

    def save(self, key: Any, data: Any) -> None:
        """Keep the data of a key, whole or not at all; a warning says why not."""
        try:
            write_entry(self.path(key), dumps(key) + dumps(data))
        except (OSError, DamagedError) as error:
            why = error.strerror if isinstance(error, OSError) else None
            tell_once(
                f"not kept in {self.folder.parent}",
                f"compiled kernels are not kept in {self.folder} ({why or error}); "
                "each process compiles for itself. Mend that, or set PYRAVE_CACHE_DIR",
            )

    def has(self, key: Any) -> bool:
        """Return True if there is an entry of the right length for a key."""
        return has_entry(self.path(key))

    def flush(self) -> None:
        """Forget the entries."""
        for path in self.folder.glob(f"{self.name}.*{SUFFIX}"):
            path.unlink(missing_ok=True)

    def path(self, key: Any) -> Path:
        """Return the file for a key."""
        digest = hashlib.sha256(repr(key).encode()).hexdigest()
        return self.folder / f"{self.name}.{digest[:16]}{SUFFIX}"


def keep_in(folder: Path, dispatcher: Any) -> None:
    """Have a dispatcher keep machine code in a folder, by its function's name.

    Parameters
    ----------
    folder
        Only of functions whose source, and that of all they call, is the same.
    """

    class Folder(_CacheLocator):
        def __init__(self, function: Any) -> None:
            self._py_file = function.__code__.co_filename  # for numba's warnings
            self._line = function.__code__.co_firstlineno

        def get_cache_path(self) -> str:
            return str(folder)

        def ensure_cache_path(self) -> None:
            """Make nothing yet: an entry makes its folder."""

        def get_source_stamp(self) -> str:
            """Return nothing of the source: another content has another folder."""
            return ""

        def get_disambiguator(self) -> str:
            """Return the line, which tells functions of the same name apart."""
            return str(self._line)

        @classmethod
        def from_function(cls, function: Any, _path: str) -> Folder:
            return cls(function)

    class Implementation(CompileResultCacheImpl):
        _locator_classes: list[Any] = [Folder]  # noqa: RUF012 - as numba has it

    class Cache(FunctionCache):
        _impl_class = Implementation

        def __init__(self, function: Any) -> None:
            super().__init__(function)
            self._kept = KeptCode(folder, self._impl.filename_base)
            self._cache_file: Any = self._kept

        def has(self, signature: Any, context: Any) -> bool:
            """Return True if machine code for this processor is kept."""
            context.refresh()
            return self._kept.has(self._index_key(signature, context.codegen()))

    if hasattr(dispatcher, "enable_caching"):  # not so with NUMBA_DISABLE_JIT
        dispatcher._cache = Cache(dispatcher.py_func)
