"""Kernel modules handed to numba, each once in a process."""

from __future__ import annotations

import functools
import hashlib
import importlib
import logging
import re
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from pyrave._collector import paused_collections
from pyrave.jit.cache import cache_directory
from pyrave.jit.specialisation import (
    ForkSafeLock,
    Key,
    copied,
    kernels_in,
    lock,
    resolved,
)

_log = logging.getLogger("pyrave.jit")
_OPTIONS: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "boundscheck": False,
    # nobody takes a kernel's address
    "no_cfunc_wrapper": True,
}
# numba's name for it
_COUNTS_REFERENCES = "_nrt"
_OPTIONS_OF_PARTS: dict[str, Any] = {"cache": False, "no_cpython_wrapper": True}


class _Form:
    """A kernel module that was asked for, and what numba makes of its functions.

    To read the machine code of a function takes its own dispatcher alone, and some
    modules have a hundred: the others are made once something is compiled.

    Parameters
    ----------
    module
        A copy of the kernel module, in which these dispatchers will be.
    parts
        True if its functions are parts of others.
    """

    def __init__(self, module: types.ModuleType, *, parts: bool) -> None:
        self.module = module
        self.functions = dict(_own_functions(module))
        """Its own functions, as written."""
        self.imported: dict[str, tuple[_Form, str]] = {}
        """The names of imported kernels: whose they are, and their names there."""
        self.digest = ""
        """Of all that goes into its machine code: byte code, constants, options, and
        the same of what it calls. Comments, docstrings, annotations of parts and the
        lines where things stand do not."""
        self.content = ""
        """The name of the folder for its machine code."""
        self.folder: Path | None = None
        """That folder, None where none can be kept."""
        self._parts = parts
        self._dispatchers: dict[str, Any] = {}
        self._is_complete = False

    def __getattr__(self, name: str) -> Any:
        """Return a function as Python calls it, or another value of the module."""
        if name in self.functions:
            value = self.entry(name)
        elif name in self.imported:
            value = self.part(name)
        else:
            return getattr(self.module, name)
        setattr(self, name, value)  # found without this function from now on
        return value

    def entry(self, name: str) -> Any:
        """Return the dispatcher of a function as Python calls it."""
        if not self._parts or _is_disabled():
            return self.part(name)
        with _completing:
            word = f"{name} whole"
            if word not in self._dispatchers:
                from pyrave.jit.numba_internals import WholeCompiler

                options = {**_OPTIONS, "pipeline_class": WholeCompiler}
                self._dispatchers[word] = self._dispatcher(name, options)
            return self._dispatchers[word]

    def part(self, name: str) -> Any:
        """Return the dispatcher of a function as other kernels call it."""
        if name not in self.functions:
            form, name = self.imported[name]
            return form.part(name)
        with _completing:
            if name not in self._dispatchers:
                self._dispatchers[name] = self._made_part(name)
            return self._dispatchers[name]

    def _made_part(self, name: str) -> Any:
        if self._parts:
            from pyrave.jit.numba_internals import PartCompiler, compiled_once

            options = {**_OPTIONS, **_OPTIONS_OF_PARTS, "pipeline_class": PartCompiler}
            return compiled_once(self._dispatcher(name, options))
        entries = getattr(self.module, "JIT_ENTRIES", None)
        inner = entries is not None and name not in entries
        return self._dispatcher(
            name, {**_OPTIONS, **_OPTIONS_OF_PARTS} if inner else _OPTIONS
        )

    def complete(self) -> None:
        """Put dispatchers in the place of all kernels: something is compiled."""
        if self._is_complete:
            return
        with _completing:
            for word, (form, name) in self.imported.items():
                form.complete()
                setattr(self.module, word, form.part(name))
            for name in self.functions:
                setattr(self.module, name, self.part(name))
            self._is_complete = True

    def _dispatcher(self, name: str, options: dict[str, Any]) -> Any:
        """Return numba's dispatcher, with the options that the module has for it."""
        import numba

        from pyrave.jit.numba_internals import find_call_types_once, keep_in

        options = {**options, **_module_options(self.module, name)}
        dispatcher = numba.njit(**{**options, "cache": False})(self.functions[name])
        if options["cache"]:
            keep_in(self.folder, self.content, dispatcher, self.complete)
        return find_call_types_once(dispatcher)


_completing = ForkSafeLock()
"""Held while dispatchers are made; who holds it does not wait for `lock`."""
_modules: dict[tuple[Key, bool], _Form] = {}
"""Compiled modules by name, and by whether they are parts of others."""


def compiled(key: Key) -> Any:
    """Return the functions of a kernel module as numba has them, by their names.

    Nothing is compiled yet.

    Raises
    ------
    ImportError
        It has vectors, and `pyrave.simd` does not know this numba.
    """
    return _form(key)


def is_compiled(key: Key, *, parts: bool = False) -> bool:
    """Return True if `compiled`, or `wholes`, has been asked for a module before."""
    return (key, parts) in _modules


def whole(key: Key, name: str) -> Any:
    """Return numba's dispatcher of one kernel, which takes all that it calls as parts.

    So that is optimised once, and together. It is not for kernels with vectors or
    ``JIT_LOOPS``.
    """
    return _form(key, parts=True).entry(name)


def wholes(key: Key) -> Any:
    """Return the functions of a kernel module, of which each is a `whole`."""
    return _form(key, parts=True)


def _form(key: Key, *, parts: bool = False) -> _Form:
    """Return a module or a part of one."""
    form = _modules.get((key, parts))
    if form is None:
        with lock:
            pruned = resolved(key)
            if pruned == key:
                form = _jitted(key, parts=parts)
            else:
                form = _form(pruned, parts=parts)
            _modules[key, parts] = form
    return form


def _is_disabled() -> bool:
    """Return True if nothing is compiled, with ``NUMBA_DISABLE_JIT``."""
    import numba

    config: Any = numba.config
    return bool(config.DISABLE_JIT)


def _jitted(key: Key, *, parts: bool) -> _Form:
    """Execute a second copy of a kernel module, for dispatchers of its functions."""
    with paused_collections():
        import numba

    name, substitutes = key
    copy = copied(key, "parts" if parts else "jit")
    if hasattr(copy, "INTERPRETED"):
        vars(copy)["INTERPRETED"] = False
    form = _Form(copy, parts=parts)
    digest = hashlib.sha256(copy.__name__.encode())

    def count(*things: object) -> None:
        digest.update(repr(things).encode())

    count(sorted(_OPTIONS.items()), sorted(_OPTIONS_OF_PARTS.items()), substitutes)
    count(*_constants(copy))
    for word, function in kernels_in(copy, substitutes):
        part = _form((function.__module__, substitutes), parts=parts)
        count(word, part.digest, function.__name__)
        form.imported[word] = part, function.__name__
    for word, function in form.functions.items():
        options = {
            option: sorted(value) if isinstance(value, set) else value
            for option, value in _module_options(copy, word).items()
        }
        defaults = function.__defaults__, function.__kwdefaults__
        count(word, sorted(options.items()), defaults)
        count(_content(function.__code__, function.__doc__))
    if parts:
        digest.update(_text_of_code(Path(__file__).with_name("numba_internals.py")))
    _use_machine_forms(form, digest)
    form.digest = digest.hexdigest()
    root = cache_directory()
    form.content = f"numba-{numba.__version__}-{form.digest[:16]}"
    form.folder = root and root / form.content
    if _is_disabled():
        form.complete()
    _log.debug("kernels of %s use the cache %s", name, form.folder)
    return form


def cached_contents() -> frozenset[str]:
    """Return the names of the cache's folders for all that was compiled or read."""
    return frozenset(form.content for form in _modules.values() if form.content)


def _content(code: types.CodeType, docstring: str | None = None) -> object:
    """Return what a function does, without its docstring and where it stands."""
    constants = list(code.co_consts)
    if docstring is not None:
        constants[0] = None  # as without one
    return (
        code.co_code,
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        code.co_argcount,
        code.co_kwonlyargcount,
        code.co_flags,
        [
            _content(value)
            if isinstance(value, types.CodeType)
            else sorted(map(repr, value))
            if isinstance(value, frozenset)
            else value
            for value in constants
        ],
    )


def _module_options(module: types.ModuleType, name: str) -> dict[str, Any]:
    """Return numba's options that a kernel module gives for one of its functions.

    Raises
    ------
    ImportError
        They say how references are counted, which is said in ``JIT_NO_ARRAYS``.
    """
    given = getattr(module, "JIT_OPTIONS", {})
    options = {**given.get("*", {}), **given.get(name, {})}
    if _COUNTS_REFERENCES in options:
        raise ImportError(
            f"JIT_OPTIONS of {module.__name__} has {_COUNTS_REFERENCES!r}; name the "
            "functions that make no arrays in JIT_NO_ARRAYS, '*' for all",
            name=module.__name__,
        )
    # without one of its own a function would do as its first caller does
    without = getattr(module, "JIT_NO_ARRAYS", ())
    options[_COUNTS_REFERENCES] = "*" not in without and name not in without
    return options


def _constants(copy: types.ModuleType) -> Iterator[object]:
    """Yield what machine code holds of a module's values; also imported ones."""
    for word, value in vars(copy).items():
        if word.startswith(("__", "JIT_")):
            continue
        if isinstance(value, np.ndarray):
            yield word, value.dtype.str, value.shape, value.tobytes()
        elif isinstance(value, int | float | str | tuple | np.generic | type):
            yield word, value, getattr(value, "_fields", ())


def _own_functions(copy: types.ModuleType) -> Iterator[tuple[str, types.FunctionType]]:
    """Yield the names and functions that a module does not import."""
    for word, function in list(vars(copy).items()):
        if (
            isinstance(function, types.FunctionType)
            and function.__module__ == copy.__name__
        ):
            yield word, function


_MACHINE_FORMS = {
    "pyrave.simd": "pyrave.simd.compiled",
    "pyrave.jit.bundles": "pyrave.jit.numba_internals",
    "pyrave.jit.addresses": "pyrave.jit.numba_internals",
}
"""Modules of functions that numba has no form of, and where these are."""


def _use_machine_forms(form: _Form, digest: Any) -> None:
    """Put machine operations in the place of what a kernel has from `pyrave.simd`.

    The same for arrays of bundles and for calls of addresses. With
    ``NUMBA_DISABLE_JIT`` nothing is compiled, and only the operations as written can be
    called.
    """
    if _is_disabled():
        return
    for source, target in _MACHINE_FORMS.items():
        words = [
            word
            for word, value in vars(form.module).items()
            if isinstance(value, types.FunctionType)
            and value.__module__ == source
            and word not in form.imported
        ]
        if not words:
            continue
        operations = importlib.import_module(target)
        digest.update(_text_of_code(Path(str(operations.__file__))))
        for word in words:
            setattr(form.module, word, getattr(operations, word))


_NO_CODE = ("the cache ", "types of calls ")
"""How sections begin of files that make machine code, though these do not."""


@functools.cache
def _text_of_code(path: Path) -> bytes:
    """Return the text of a file but for the sections that change no machine code."""
    sections = re.split(r"^# -- ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return "".join(one for one in sections if not one.startswith(_NO_CODE)).encode()
