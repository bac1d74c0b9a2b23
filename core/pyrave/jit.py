"""Numba on demand: kernels are plain functions, compiled once per machine.

A kernel module (its last name is ``_kernels``) holds plain numeric functions that
call each other. Importing it costs nothing. `KernelModule` offers them in two forms:
`plain` runs them in the interpreter, `jit` compiles them with numba and reads the
machine code of earlier processes from the cache folder. `auto` gives the plain form
until the module has been asked for often enough that compiling pays. `TypedKernel` is
one function for arrays of known ranks, with nothing between a call and machine code.

A kernel module can be a *functor*: what it imports from one kernel module may be taken
from another that has functions of the same names (`KernelModule`'s `instead`). So code
that is shared is written once, and each form of it compiles only what it needs.

What a kernel has from `pyrave.simd` becomes one machine operation each. Where this
numba cannot do that, such kernels stay interpreted, and the log says so.

A kernel module may add options of numba's ``njit`` in a constant ``JIT_OPTIONS``, by
name of the function, and ``*`` for all. A constant ``JIT_ENTRIES`` names the functions
that Python calls. If compiling one takes long, it says in words what is compiled and
the rough number of seconds, for the log, else None. All other functions of that module
are then compiled as parts of these: with no face to Python, and not kept alone. (numba
compiles a function anew for each literal that it is called with. An ``int()`` around it
prevents that.)

A constant ``INTERPRETED`` is False in the compiled form; where it is true a function
that would take long raises `TakesLongError`, and `TypedKernel` compiles.

The cache folder is ``PYRAVE_CACHE_DIR`` or the user's cache folder. Its subfolder is
named by a digest of the kernel sources and numba's version, so that versions of
pyrave do not disturb each other.
"""

from __future__ import annotations

import gc
import hashlib
import importlib
import importlib.util
import logging
import os
import stat
import sys
import tempfile
import threading
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["KernelModule", "TakesLongError", "TypedKernel", "cache_directory"]

_Key = tuple[str, tuple[tuple[str, str], ...]]
"""A module's name, and the pairs of modules of which one takes the other's place."""

_log = logging.getLogger("pyrave.jit")
_lock = threading.RLock()
_compiled: dict[_Key, types.ModuleType] = {}
_rebound: dict[_Key, types.ModuleType] = {}

_OPTIONS: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "boundscheck": False,
    # nobody takes a kernel's address
    "no_cfunc_wrapper": True,
}
_OPTIONS_OF_PARTS: dict[str, Any] = {"cache": False, "no_cpython_wrapper": True}


class TakesLongError(Exception):
    """What a kernel was asked for takes too long in the interpreter."""


class _NoVectorsError(Exception):
    """`pyrave.simd` cannot be compiled."""


def cache_directory() -> Path:
    """Return the folder for compiled kernels, made if it was not there.

    `PYRAVE_CACHE_DIR` wins; otherwise the platform's user cache folder. If that
    cannot be written (a read-only home, say), a private folder of this user under the
    temporary directory.
    """
    chosen = os.environ.get("PYRAVE_CACHE_DIR")
    if chosen:
        folder = Path(chosen).expanduser().absolute()
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
        folder = base / "pyrave"
    elif sys.platform == "darwin":
        folder = Path.home() / "Library" / "Caches" / "pyrave"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
        folder = base / "pyrave"
    if _is_writable(folder):
        return folder
    fallback = _private_temporary_folder()
    _log.log(
        logging.WARNING if chosen else logging.INFO,
        "the cache folder %s cannot be written; compiled kernels go to %s",
        folder,
        fallback,
    )
    return fallback


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


def _private_temporary_folder() -> Path:
    """Return a folder that nobody else can write to: a cache holds machine code."""
    user = str(os.getuid()) if hasattr(os, "getuid") else "user"
    folder = Path(tempfile.gettempdir()) / f"pyrave-cache-{user}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return Path(tempfile.mkdtemp(prefix="pyrave-cache-"))
    mine = not hasattr(os, "getuid") or (
        stat.S_ISDIR(found.st_mode)
        and found.st_uid == os.getuid()
        and not found.st_mode & 0o022
    )
    return folder if mine else Path(tempfile.mkdtemp(prefix="pyrave-cache-"))


class KernelModule:
    """The functions of one kernel module, plain or compiled.

    Parameters
    ----------
    name
        Full module name, for example ``"pyrave.kinematics._kernels"``.
    patience
        Cost that `auto` lets pass in the interpreter before it compiles.
    instead
        For names of kernel modules others that take their place, wherever this module
        and what it imports import from them. They have functions of the same names.
    """

    def __init__(
        self,
        name: str,
        patience: float = 100.0,
        instead: Mapping[str, str] | None = None,
    ) -> None:
        self._key: _Key = (name, tuple(sorted((instead or {}).items())))
        self._patience = patience
        self._spent = 0.0

    @property
    def plain(self) -> Any:
        """The module as written; no numba is imported."""
        name, instead = self._key
        return _bound(self._key) if instead else importlib.import_module(name)

    @property
    def jit(self) -> Any:
        """The module compiled by numba; imports numba, compiles at first call."""
        module = _compiled.get(self._key)
        if module is not None:
            return module
        try:
            return _compile(self._key)
        except _NoVectorsError as error:
            _stay_plain(self._key[0], error)
            module = _compiled[self._key] = self.plain
            return module

    def auto(self, cost: float = 1.0) -> Any:
        """Return `plain` for the first calls and `jit` once their cost adds up.

        Parameters
        ----------
        cost
            Rough cost of this call in the interpreter, milliseconds.
        """
        return self.jit if self.is_due(cost) else self.plain

    def is_due(self, cost: float) -> bool:
        """Count a call's cost; return whether the module is or should be compiled."""
        if self._key in _compiled:
            return True
        self._spent += cost
        return self._spent > self._patience


class TypedKernel:
    """One function of a kernel module for float64 arrays of fixed ranks.

    It is compiled for writable C-contiguous arrays and for nothing else. So numba's own
    look at the arguments is all the checking of types that a call needs: a caller in a
    hurry calls `call` and takes the long way round after a TypeError.

    Neighbouring operations are merged to vector ones. That can be bad for a loop which
    is better run over several elements at once; a kernel module names the functions
    with such loops, and their ranks (0 for an integer), in a constant ``JIT_LOOPS``.

    Parameters
    ----------
    module
        Where the function is.
    name
        Its name; no other kernel may call it.
    ranks
        Number of dimensions of each argument.
    cost
        Gives from the arguments the rough cost in the interpreter, milliseconds.
    merged
        Whether neighbouring operations are merged.
    said
        What is compiled, in words, if that takes long enough to be said.
    seconds
        Rough time that compiling takes.
    """

    __slots__ = (
        "_cost",
        "_merged",
        "_module",
        "_name",
        "_ranks",
        "_said",
        "_seconds",
        "call",
    )

    def __init__(
        self,
        module: KernelModule,
        name: str,
        ranks: tuple[int, ...],
        cost: Callable[..., float],
        *,
        merged: bool = True,
        said: str = "",
        seconds: float = 0.0,
    ) -> None:
        self._module = module
        self._name = name
        self._ranks = ranks
        self._cost = cost
        self._merged = merged
        self._said = said
        self._seconds = seconds
        self.call: Callable[..., int] = self._first_calls
        """Run the kernel; TypeError if an argument is no such array."""

    def _first_calls(self, *arrays: Any) -> int:
        self._check(arrays)
        if self._module.is_due(self._cost(*arrays)):
            self.call = self.compiled()
            return self.call(*arrays)
        plain: Callable[..., int] = getattr(self._module.plain, self._name)
        try:
            with np.errstate(all="ignore"):  # as compiled code is
                return plain(*arrays)
        except TakesLongError:
            self.call = self.compiled()
        return self.call(*arrays)

    def _check(self, arrays: tuple[Any, ...]) -> None:
        for array, rank in zip(arrays, self._ranks, strict=True):
            if (
                type(array) is not np.ndarray
                or array.ndim != rank
                or array.dtype != np.float64
                or not array.flags.carray
            ):
                raise TypeError(
                    f"{self._name} takes writable C-contiguous float64 arrays of "
                    f"{self._ranks} dimensions"
                )

    def compiled(self) -> Callable[..., int]:
        """Return the compiled function, which compiles nothing further."""
        function: Any = getattr(self._module.jit, self._name)
        if not hasattr(function, "disable_compile"):  # NUMBA_DISABLE_JIT

            def checked(*arrays: Any) -> int:
                self._check(arrays)
                return int(function(*arrays))

            return checked
        with _lock:
            loops = getattr(self._module.plain, "JIT_LOOPS", {})
            for name, ranks in loops.items():
                getattr(self._module.jit, name).compile(_array_types(ranks))
            if not function.overloads:
                if self._said and not _is_kept(function):
                    _say(self._said, self._seconds)
                with _merged_operations(merged=self._merged):
                    function.compile(_array_types(self._ranks))
                function.disable_compile()
        result: Callable[..., int] = function
        return result


def _array_types(ranks: tuple[int, ...]) -> tuple[Any, ...]:
    from numba import float64, types

    return tuple(
        types.Array(float64, rank, "C") if rank else types.intp for rank in ranks
    )


def _say(what: str, seconds: float) -> None:
    """Say that something is compiled which takes a while."""
    # the level is one that people see who wait, and logs do not mind
    seen = sys.stderr is not None and sys.stderr.isatty()
    _log.log(
        logging.WARNING if seen else logging.INFO,
        "compiling %s, once per machine, about %.0f s",
        what,
        seconds,
    )


def _is_kept(function: Any) -> bool:
    """Return whether the cache has an index of a function's machine code."""
    folder = Path(function.stats.cache_path)
    return any(folder.glob(f"*.{function.py_func.__qualname__}-*.nbi"))


@contextmanager
def _merged_operations(*, merged: bool) -> Iterator[None]:
    """Let LLVM merge neighbouring operations to vector ones, which numba leaves out."""
    import numba

    config: Any = numba.config
    previous = config.SLP_VECTORIZE
    config.SLP_VECTORIZE = int(merged)
    try:
        yield
    finally:
        config.SLP_VECTORIZE = previous


_listening = False


def _listen() -> None:
    """Hear from numba, from now on, when it begins to compile a function.

    Without that it goes on silently.
    """
    global _listening  # noqa: PLW0603
    if _listening:
        return
    _listening = True
    import numba

    try:
        from numba.core import event
    except ImportError as error:
        _log.info("numba %s compiles kernels silently: %s", numba.__version__, error)
        return

    class Listener(event.Listener):
        def on_start(self, event: Any) -> None:
            function = event.data["dispatcher"].py_func
            entries = function.__globals__.get("JIT_ENTRIES")
            name = function.__name__
            if entries is not None and entries.get(name) is not None:
                _say(*entries[name])

        def on_end(self, event: Any) -> None:
            """Nothing more is to be said."""

    register: Any = event.register
    register("numba:compile", Listener())


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


def _kernels_in(module: types.ModuleType) -> Iterator[tuple[str, Any]]:
    """Yield names and functions that a kernel module imports from others."""
    for key, value in list(vars(module).items()):
        if (
            isinstance(value, types.FunctionType)
            and value.__module__ != module.__name__
            and value.__module__.endswith("._kernels")
        ):
            yield key, value


def _resolved(key: _Key) -> _Key:
    """Return a module's key with no more replacements than reach it."""
    name, instead = key
    pairs = dict(instead)
    name = pairs.get(name, name)
    reached: set[str] = set()
    seen: set[str] = set()
    todo = [name]
    while todo:
        module = importlib.import_module(todo.pop())
        seen.add(module.__name__)
        for _, function in _kernels_in(module):
            other = function.__module__
            if other in pairs:
                reached.add(other)
                other = pairs[other]
            if other not in seen:
                todo.append(other)
    return name, tuple((old, new) for old, new in instead if old in reached)


def _twin(key: _Key, ending: str) -> tuple[types.ModuleType, bytes]:
    """Execute a second copy of a kernel module; return it and its source."""
    name, instead = key
    plain = importlib.import_module(name)
    path = plain.__file__
    if path is None:
        raise ImportError(f"kernel module {name} has no source file", name=name)
    source = Path(path).read_bytes()
    words = [old + "=" + new for old, new in instead]
    twin = types.ModuleType("__".join([name, *words, ending]), plain.__doc__)
    twin.__file__ = path
    sys.modules[twin.__name__] = twin
    exec(compile(source, path, "exec"), twin.__dict__)  # noqa: S102
    return twin, source


def _bound(key: _Key) -> types.ModuleType:
    """Return a copy of a kernel module, replacements made, to be interpreted."""
    with _lock:
        known = _rebound.get(key)
        if known is not None:
            return known
        name, instead = _resolved(key)
        if not instead:
            return importlib.import_module(name)
        twin, _ = _twin((name, instead), "plain")
        for word, function in _kernels_in(twin):
            other = _bound((function.__module__, instead))
            setattr(twin, word, getattr(other, function.__name__))
        _rebound[key] = twin
        return twin


def _compile(key: _Key) -> types.ModuleType:
    """Execute a second copy of a kernel module and jit every function of it."""
    with _lock:
        if key in _compiled:
            return _compiled[key]
        resolved = _resolved(key)
        if resolved != key:
            _compiled[key] = _compile(resolved)
            return _compiled[key]
        with _collector_paused():
            import numba

        name, instead = key
        twin, source = _twin(key, "jit")
        if hasattr(twin, "INTERPRETED"):
            vars(twin)["INTERPRETED"] = False
        digest = hashlib.sha256(source)
        given = getattr(twin, "JIT_OPTIONS", {})
        digest.update(repr((sorted(_OPTIONS.items()), instead)).encode())
        for word, function in _kernels_in(twin):
            other = _compile((function.__module__, instead))
            digest.update(other.__digest__.encode())
            if hasattr(other, "__vectors__"):
                twin.__vectors__ = True  # type: ignore[attr-defined]
            setattr(twin, word, getattr(other, function.__name__))
        entries = getattr(twin, "JIT_ENTRIES", None)
        if entries is not None:
            _listen()
        digest.update(repr(sorted(_OPTIONS_OF_PARTS.items())).encode())
        _use_vectors(twin, digest)
        twin.__digest__ = digest.hexdigest()  # type: ignore[attr-defined]
        version = f"numba-{numba.__version__}-{digest.hexdigest()[:16]}"
        folder = cache_directory() / version
        config: Any = numba.config
        previous = config.CACHE_DIR
        # numba fixes a function's cache folder when it is decorated
        config.CACHE_DIR = str(folder)
        vectors = bool(getattr(twin, "__vectors__", False))
        try:
            for word, function in list(vars(twin).items()):
                if (
                    isinstance(function, types.FunctionType)
                    and function.__module__ == twin.__name__
                ):
                    part = entries is not None and word not in entries
                    options = {
                        **_OPTIONS,
                        **(_OPTIONS_OF_PARTS if part else {}),
                        **given.get("*", {}),
                        **given.get(word, {}),
                    }
                    compiled = numba.njit(**options)(function)
                    if vectors and not part:
                        compiled = _FirstCall(twin, compiled)
                    setattr(twin, word, compiled)
        finally:
            config.CACHE_DIR = previous
        _log.debug("kernels of %s use the cache %s", name, folder)
        _compiled[key] = twin
        return twin


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
        compiled = importlib.import_module("pyrave.simd.compiled")
    except Exception as error:
        raise _NoVectorsError(str(error)) from error
    twin.__vectors__ = True  # type: ignore[attr-defined]
    digest.update(Path(str(compiled.__file__)).read_bytes())
    for word in words:
        setattr(twin, word, getattr(compiled, word))


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
            _stay_plain(f"{home}.{name}", error)
            written = getattr(importlib.import_module(home), name)

            def quietly(*args: Any) -> Any:
                with np.errstate(all="ignore"):  # as compiled code is
                    return written(*args)

            setattr(self._twin, name, quietly)
            return quietly(*args)
        setattr(self._twin, name, self._function)
        return result


def _stay_plain(what: str, error: Exception) -> None:
    import numba

    lines = str(error).strip().splitlines()
    _log.warning(
        "%s stays interpreted, which is slow: numba %s cannot compile its vectors (%s)",
        what,
        numba.__version__,
        lines[0] if lines else type(error).__name__,
    )
