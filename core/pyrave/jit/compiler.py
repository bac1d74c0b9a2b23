"""Kernel modules handed to numba, each once in a process."""

from __future__ import annotations

import hashlib
import importlib
import logging
import re
import types
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pyrave.jit.cache import cache_directory
from pyrave.jit.collector import paused_collections
from pyrave.jit.specialisation import Key, copied, kernels_in, lock, resolved

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


@dataclass(frozen=True, slots=True)
class _Form:
    """A kernel module that was asked for.

    Parameters
    ----------
    module
        What callers get.
    digest
        Of all that goes into its machine code: byte code, constants, options, and the
        same of what it calls. Comments, docstrings, annotations of parts and the lines
        where things stand do not.
    content
        The name of the folder for its machine code.
    folder
        That folder, None where none can be kept.
    """

    module: types.ModuleType
    digest: str = ""
    content: str = ""
    folder: Path | None = None


_modules: dict[tuple[Key, bool], _Form] = {}
"""Compiled modules by name, and by whether they are parts of others."""


def compiled(key: Key) -> types.ModuleType:
    """Return a kernel module whose functions numba has; nothing is compiled yet.

    Raises
    ------
    ImportError
        It has vectors, and `pyrave.simd` does not know this numba.
    """
    form = _modules.get((key, False))
    if form is None:
        with lock:
            form = _compiled(key)
    return form.module


def is_compiled(key: Key, *, parts: bool = False) -> bool:
    """Return True if `compiled`, or `whole`, has been asked for a module before."""
    return (key, parts) in _modules


def whole(key: Key, name: str) -> Any:
    """Return numba's dispatcher of one kernel, which takes all that it calls as parts.

    So that is optimised once, and together. It is not for kernels with vectors or
    ``JIT_LOOPS``.
    """
    with lock:
        from pyrave.jit.numba_internals import WholeCompiler

        form = _compiled(key, parts=True)
        part = getattr(form.module, name)
        if not hasattr(part, "py_func"):  # NUMBA_DISABLE_JIT
            return part
        entry = f"{name} whole"
        if not hasattr(form.module, entry):
            options = {**_OPTIONS, "pipeline_class": WholeCompiler}
            setattr(form.module, entry, _dispatcher(form, part.py_func, options))
        return getattr(form.module, entry)


class _Wholes:
    """Functions of a kernel module, each a `whole` once it is asked for."""

    def __init__(self, key: Key) -> None:
        self._key = key

    def __getattr__(self, name: str) -> Any:
        with lock:
            value = getattr(_compiled(self._key, parts=True).module, name)
        if hasattr(value, "py_func"):
            value = whole(self._key, name)
        setattr(self, name, value)
        return value


_wholes: dict[Key, _Wholes] = {}


def wholes(key: Key) -> Any:
    """Return the functions of a kernel module, of which each is a `whole`."""
    found = _wholes.get(key)
    if found is None:
        with lock:
            _compiled(key, parts=True)
            found = _wholes.setdefault(key, _Wholes(key))
    return found


def _compiled(key: Key, *, parts: bool = False) -> _Form:
    """Return a module or a part of one."""
    form = _modules.get((key, parts))
    if form is None:
        pruned = resolved(key)
        if pruned == key:
            form = _jitted(key, parts=parts)
        else:
            form = _compiled(pruned, parts=parts)
        _modules[key, parts] = form
    return form


def _jitted(key: Key, *, parts: bool) -> _Form:
    """Execute a second copy of a kernel module and jit every function of it."""
    with paused_collections():
        import numba

    name, substitutes = key
    copy = copied(key, "parts" if parts else "jit")
    if hasattr(copy, "INTERPRETED"):
        vars(copy)["INTERPRETED"] = False
    digest = hashlib.sha256(copy.__name__.encode())

    def count(*things: object) -> None:
        digest.update(repr(things).encode())

    count(sorted(_OPTIONS.items()), sorted(_OPTIONS_OF_PARTS.items()), substitutes)
    count(*_constants(copy))
    for word, function in kernels_in(copy, substitutes):
        part = _compiled((function.__module__, substitutes), parts=parts)
        count(word, part.digest, function.__name__)
        setattr(copy, word, getattr(part.module, function.__name__))
    for word, function in _own_functions(copy):
        options = {
            option: sorted(value) if isinstance(value, set) else value
            for option, value in _module_options(copy, word).items()
        }
        defaults = function.__defaults__, function.__kwdefaults__
        count(word, sorted(options.items()), defaults)
        count(_content(function.__code__, function.__doc__))
    if parts:
        digest.update(_text_of_code(Path(__file__).with_name("numba_internals.py")))
    _use_machine_forms(copy, digest)
    ending = digest.hexdigest()
    root = cache_directory()
    content = f"numba-{numba.__version__}-{ending[:16]}"
    form = _Form(copy, ending, content, root and root / content)
    if parts:
        _decorate_parts(form)
    else:
        _decorate(form)
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


def _decorate_parts(form: _Form) -> None:
    """Do `_decorate` for functions that others take as parts."""
    from pyrave.jit.numba_internals import PartCompiler, compiled_once

    copy = form.module
    options = {**_OPTIONS, **_OPTIONS_OF_PARTS, "pipeline_class": PartCompiler}
    for word, function in _own_functions(copy):
        setattr(copy, word, compiled_once(_dispatcher(form, function, options)))


def _dispatcher(
    form: _Form, function: types.FunctionType, options: dict[str, Any]
) -> Any:
    """Return numba's dispatcher of a function, with the options that its module has."""
    import numba

    from pyrave.jit.numba_internals import find_call_types_once, keep_in

    options = {**options, **_module_options(form.module, function.__name__)}
    dispatcher = numba.njit(**{**options, "cache": False})(function)
    if options["cache"]:
        keep_in(form.folder, form.content, dispatcher)
    return find_call_types_once(dispatcher)


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


def _decorate(form: _Form) -> None:
    """Put numba's dispatchers in the place of a module's own functions."""
    copy = form.module
    entries = getattr(copy, "JIT_ENTRIES", None)
    for word, function in _own_functions(copy):
        part = entries is not None and word not in entries
        options = {**_OPTIONS, **_OPTIONS_OF_PARTS} if part else _OPTIONS
        setattr(copy, word, _dispatcher(form, function, options))


_MACHINE_FORMS = {
    "pyrave.simd": "pyrave.simd.compiled",
    "pyrave.jit.bundles": "pyrave.jit.numba_internals",
    "pyrave.jit.addresses": "pyrave.jit.numba_internals",
}
"""Modules of functions that numba has no form of, and where these are."""


def _use_machine_forms(copy: types.ModuleType, digest: Any) -> None:
    """Put machine operations in the place of what a kernel has from `pyrave.simd`.

    The same for arrays of bundles and for calls of addresses. With
    ``NUMBA_DISABLE_JIT`` nothing is compiled, and only the operations as written can be
    called.
    """
    import numba

    config: Any = numba.config
    if config.DISABLE_JIT:
        return
    for source, target in _MACHINE_FORMS.items():
        words = [
            word
            for word, value in vars(copy).items()
            if isinstance(value, types.FunctionType) and value.__module__ == source
        ]
        if not words:
            continue
        operations = importlib.import_module(target)
        digest.update(_text_of_code(Path(str(operations.__file__))))
        for word in words:
            setattr(copy, word, getattr(operations, word))


_NO_CODE = ("the cache ", "types of calls ")
"""How sections begin of files that make machine code, though these do not."""


def _text_of_code(path: Path) -> bytes:
    """Return the text of a file but for the sections that change no machine code."""
    sections = re.split(r"^# -- ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return "".join(one for one in sections if not one.startswith(_NO_CODE)).encode()
