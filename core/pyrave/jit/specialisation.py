"""Copies of kernel modules, in which other modules take the place of imported ones."""

from __future__ import annotations

import functools
import importlib
import os
import sys
import threading
import types
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from typing import Any

Substitutes = tuple[tuple[str, str], ...]
Key = tuple[str, Substitutes]
"""A module's name, and the pairs of modules of which one takes the other's place."""


class ForkSafeLock:
    """A re-entrant lock that is free in a forked child, whichever thread had it."""

    def __init__(self) -> None:
        self._renew()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._renew)

    def _renew(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_error: object) -> None:
        self._lock.release()


lock = ForkSafeLock()
"""Held while modules are copied or compiled."""
_rebound: dict[Key, types.ModuleType] = {}


def kernels_in(
    module: types.ModuleType, substitutes: Substitutes
) -> Iterator[tuple[str, Any]]:
    """Yield names and functions that a kernel module imports from others.

    These are kernel modules, or any for which there is a substitute.
    """
    replaced = {old for old, _ in substitutes}
    for key, value in list(vars(module).items()):
        if (
            isinstance(value, types.FunctionType)
            and value.__module__ != module.__name__
            and (".kernels." in value.__module__ or value.__module__ in replaced)
        ):
            yield key, value


@functools.cache
def resolved(key: Key) -> Key:
    """Return a module's key with no more replacements than reach it."""
    name, substitutes = key
    if not substitutes:
        return key
    pairs = dict(substitutes)
    name = pairs.get(name, name)
    reached: set[str] = set()
    seen = {name}
    todo = [name]
    while todo:
        for called in _modules_called(todo.pop(), substitutes):
            other = pairs.get(called, called)
            if called in pairs:
                reached.add(called)
            if other not in seen:
                seen.add(other)
                todo.append(other)
    return name, tuple((old, new) for old, new in substitutes if old in reached)


@functools.cache
def _modules_called(name: str, substitutes: Substitutes) -> frozenset[str]:
    """Return the modules that a kernel module has kernels of.

    The modules of a family are asked for several times each: that was a tenth of the
    time in which the machine code of a search for motions is read.
    """
    module = importlib.import_module(name)
    return frozenset(one.__module__ for _, one in kernels_in(module, substitutes))


def copied(key: Key, ending: str) -> types.ModuleType:
    """Execute a second copy of a kernel module."""
    name, substitutes = key
    plain = importlib.import_module(name)
    path = plain.__file__
    if path is None:
        raise ImportError(f"kernel module {name} has no source file", name=name)
    words = [old + "=" + new for old, new in substitutes]
    copy = types.ModuleType("__".join([name, *words, ending]), plain.__doc__)
    copy.__file__ = path
    sys.modules[copy.__name__] = copy
    # byte code that Python keeps, as for the plain module
    code = SourceFileLoader(name, path).get_code(name)
    if code is None:
        raise ImportError(f"kernel module {name} has no code", name=name, path=path)
    exec(code, copy.__dict__)  # noqa: S102 - our own source
    return copy


def as_written(key: Key) -> types.ModuleType:
    """Return a kernel module, or a copy with other modules, to be interpreted."""
    if not key[1]:
        return importlib.import_module(key[0])
    with lock:
        known = _rebound.get(key)
        if known is not None:
            return known
        name, substitutes = resolved(key)
        if not substitutes:
            return importlib.import_module(name)
        copy = copied((name, substitutes), "plain")
        for word, function in kernels_in(copy, substitutes):
            other = as_written((function.__module__, substitutes))
            setattr(copy, word, getattr(other, function.__name__))
        _rebound[key] = copy
        return copy
