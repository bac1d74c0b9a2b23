"""Kernel modules handed to numba, each once in a process."""

from __future__ import annotations

import gc
import hashlib
import importlib
import logging
import types
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from pyrave.jit.cache import cache_directory
from pyrave.jit.copies import Key, bound, copied, kernels_in, lock, resolved
from pyrave.jit.messages import say_interpreted, say_when_compiling

_log = logging.getLogger("pyrave.jit")
_modules: dict[Key, types.ModuleType] = {}
_OPTIONS: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "boundscheck": False,
    # nobody takes a kernel's address
    "no_cfunc_wrapper": True,
}
_OPTIONS_OF_PARTS: dict[str, Any] = {"cache": False, "no_cpython_wrapper": True}


class _NoVectorsError(Exception):
    """`pyrave.simd` cannot be compiled."""


def compiled(key: Key) -> types.ModuleType:
    """Return a kernel module whose functions numba has; nothing is compiled yet.

    Where this numba cannot have its vectors, it is the module as written.
    """
    module = _modules.get(key)
    if module is not None:
        return module
    try:
        return _compiled(key)
    except _NoVectorsError as error:
        say_interpreted(key[0], error)
        module = _modules[key] = bound(key)
        return module


def is_compiled(key: Key) -> bool:
    """Return whether `compiled` has been asked for a module before."""
    return key in _modules


def _compiled(key: Key) -> types.ModuleType:
    with lock:
        if key in _modules:
            return _modules[key]
        pruned = resolved(key)
        _modules[key] = _jitted(key) if pruned == key else _compiled(pruned)
        return _modules[key]


def _jitted(key: Key) -> types.ModuleType:
    """Execute a second copy of a kernel module and jit every function of it."""
    with _collector_paused():
        import numba

    name, instead = key
    twin, source = copied(key, "jit")
    if hasattr(twin, "INTERPRETED"):
        vars(twin)["INTERPRETED"] = False
    digest = hashlib.sha256(source)
    digest.update(repr((sorted(_OPTIONS.items()), instead)).encode())
    for word, function in kernels_in(twin):
        other = _compiled((function.__module__, instead))
        digest.update(other.__digest__.encode())
        if hasattr(other, "__vectors__"):
            twin.__vectors__ = True  # type: ignore[attr-defined]
        setattr(twin, word, getattr(other, function.__name__))
    digest.update(repr(sorted(_OPTIONS_OF_PARTS.items())).encode())
    _use_vectors(twin, digest)
    twin.__digest__ = digest.hexdigest()  # type: ignore[attr-defined]
    folder = cache_directory() / f"numba-{numba.__version__}-{twin.__digest__[:16]}"
    with _kept_in(folder):
        _decorate(twin)
    _log.debug("kernels of %s use the cache %s", name, folder)
    return twin


def _decorate(twin: types.ModuleType) -> None:
    """Put numba's dispatchers in the place of a module's own functions."""
    import numba

    given = getattr(twin, "JIT_OPTIONS", {})
    entries = getattr(twin, "JIT_ENTRIES", None)
    if entries is not None:
        say_when_compiling()
    vectors = hasattr(twin, "__vectors__")
    for word, function in list(vars(twin).items()):
        if (
            not isinstance(function, types.FunctionType)
            or function.__module__ != twin.__name__
        ):
            continue
        part = entries is not None and word not in entries
        options = {
            **_OPTIONS,
            **(_OPTIONS_OF_PARTS if part else {}),
            **given.get("*", {}),
            **given.get(word, {}),
        }
        dispatcher = numba.njit(**options)(function)
        if vectors and not part:
            dispatcher = _FirstCall(twin, dispatcher)
        setattr(twin, word, dispatcher)


@contextmanager
def _kept_in(folder: Path) -> Iterator[None]:
    """Have numba keep machine code in a folder.

    It fixes that of a function when it decorates it.
    """
    import numba

    config: Any = numba.config
    previous = config.CACHE_DIR
    config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        config.CACHE_DIR = previous


def _use_vectors(twin: types.ModuleType, digest: Any) -> None:
    """Put machine operations in the place of what a kernel has from `pyrave.simd`."""
    words = [
        word
        for word, value in vars(twin).items()
        if isinstance(value, types.FunctionType) and value.__module__ == "pyrave.simd"
    ]
    if not words:
        return
    try:
        operations = importlib.import_module("pyrave.simd.compiled")
    except Exception as error:
        raise _NoVectorsError(str(error)) from error
    twin.__vectors__ = True  # type: ignore[attr-defined]
    digest.update(Path(str(operations.__file__)).read_bytes())
    for word in words:
        setattr(twin, word, getattr(operations, word))


class _FirstCall:
    """The first call of an entry with vectors, in whose place it puts what works."""

    def __init__(self, twin: types.ModuleType, function: Any) -> None:
        self._twin = twin
        self._function = function

    def __call__(self, *args: Any) -> Any:
        plain = self._function.py_func
        name = plain.__name__
        try:
            result = self._function(*args)
        except Exception as error:  # noqa: BLE001 - numba's and LLVM's, of any kind
            home = self._twin.__name__.split("__")[0]
            say_interpreted(f"{home}.{name}", error)
            written = getattr(importlib.import_module(home), name)

            def quietly(*args: Any) -> Any:
                with np.errstate(all="ignore"):  # as compiled code is
                    return written(*args)

            setattr(self._twin, name, quietly)
            return quietly(*args)
        setattr(self._twin, name, self._function)
        return result


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Keep the garbage collector out while numba loads.

    It makes some 100 000 objects that live for ever; looking through them again and
    again takes a quarter of that time.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
