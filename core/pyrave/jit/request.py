"""A kernel that is to be compiled, as data that another process can read."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, dataclass
from typing import Any

from pyrave.jit.arrays import ELEMENTS, NUMBERS, READ_ONLY, types_of
from pyrave.jit.cache_entries import sole_writer
from pyrave.jit.compiler import compiled, whole
from pyrave.jit.progress import Waiting
from pyrave.jit.specialisation import Substitutes, as_written, lock

FINISH = "finish\n"
"""The line after the last request: the process that compiles ends when it is done."""


@dataclass(frozen=True, slots=True)
class Request:
    """A kernel that is to be compiled for the types of its annotations.

    Parameters
    ----------
    module, name, substitutes, merged, whole
        As for `Kernel`.
    """

    module: str
    name: str
    substitutes: Substitutes = ()
    merged: bool = False
    whole: bool = False

    @property
    def line(self) -> str:
        """The request as a line of text."""
        return json.dumps(asdict(self)) + "\n"

    @classmethod
    def parsed(cls, line: str) -> Request:
        """Return the request of a `line`."""
        values = json.loads(line)
        values["substitutes"] = tuple(map(tuple, values["substitutes"]))
        return cls(**values)

    @property
    def types(self) -> tuple[str, ...]:
        """The types of its arguments, see `pyrave.jit.arrays`."""
        return types_of(getattr(as_written(self._key), self.name))

    @property
    def dispatcher(self) -> Any:
        """The function that numba compiles."""
        if self.whole:
            return whole(self._key, self.name)
        return getattr(compiled(self._key), self.name)

    @property
    def is_python(self) -> bool:
        """True if nothing is compiled, with ``NUMBA_DISABLE_JIT``."""
        return not hasattr(self.dispatcher, "disable_compile")

    @property
    def is_ready(self) -> bool:
        """True if there is nothing to compile; numba is imported for that."""
        with Waiting("", 0.0):
            return self.is_python or self.is_kept

    @property
    def is_kept(self) -> bool:
        """True if the cache has the kernel's machine code for this processor."""
        with lock:  # numba is imported, and its registries read, by one thread alone
            from pyrave.jit.numba_internals import is_kept

            return is_kept(self.dispatcher, self._signature)

    def compile(self) -> Any:
        """Compile the kernel, or read it from the cache; return the dispatcher."""
        function = self.dispatcher
        if self.is_python:
            return function
        with lock:
            if self._signature in function.overloads:
                return function
            loops = getattr(as_written(self._key), "JIT_LOOPS", {})
            for name, ranks in () if self.is_kept else loops.items():
                words = (f"F64_{rank}" if rank else "int" for rank in ranks)
                part = getattr(compiled(self._key), name)
                part.compile(tuple(map(_numba_type, words)))
            with self._sole_compiler(), _merged_operations(merged=self.merged):
                function.compile(self._signature)
        return function

    def _sole_compiler(self) -> AbstractContextManager[object]:
        """Return a block in which no other process compiles the kernel as well.

        It begins once another one has; the machine code is read then.
        """
        from pyrave.jit.numba_internals import entry_of

        path = None if self.is_kept else entry_of(self.dispatcher, self._signature)
        return nullcontext() if path is None else sole_writer(path)

    @property
    def _key(self) -> tuple[str, Substitutes]:
        return self.module, self.substitutes

    @property
    def _signature(self) -> tuple[Any, ...]:
        return tuple(map(_numba_type, self.types))


@functools.cache
def _numba_type(word: str) -> Any:
    # threads that import numba at the same time get it half made
    with lock:
        from numba import types

    if word in NUMBERS:
        return getattr(types, NUMBERS[word])
    element, _, rank = word.removeprefix(READ_ONLY).partition("_")
    kind = getattr(types, ELEMENTS[element].__name__)
    return types.Array(kind, int(rank), "C", readonly=word.startswith(READ_ONLY))


@contextmanager
def _merged_operations(*, merged: bool) -> Iterator[None]:
    """Let LLVM merge neighbouring operations to vector ones, which numba leaves out."""
    with lock:
        import numba

    config: Any = numba.config
    previous = config.SLP_VECTORIZE
    config.SLP_VECTORIZE = int(merged)
    try:
        yield
    finally:
        config.SLP_VECTORIZE = previous
