"""A kernel that is to be compiled, as data that another process can read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from pyrave.jit.modules import KernelModule
from pyrave.jit.specialisation import Substitutes, lock

FINISH = "finish\n"
"""The line after the last request: the process that compiles ends when it is done."""
_NAMES = {
    "F32": "float32",
    "F64": "float64",
    "I32": "int32",
    "I64": "int64",
    "U8": "uint8",
    "B": "boolean",
    "int": "int64",
    "float": "float64",
    "bool": "boolean",
}


@dataclass(frozen=True, slots=True)
class Request:
    """A kernel that is to be compiled for arguments of fixed types.

    Parameters
    ----------
    module, substitutes
        As for `KernelModule`.
    name
        The function.
    types
        As for `DeferredKernel`.
    merged, whole
        As for `DeferredKernel`.
    """

    module: str
    substitutes: Substitutes
    name: str
    types: tuple[str, ...]
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
        values["types"] = tuple(values["types"])
        values["substitutes"] = tuple(map(tuple, values["substitutes"]))
        return cls(**values)

    @property
    def dispatcher(self) -> Any:
        """The function that numba compiles."""
        module = KernelModule(self.module, substitutes=dict(self.substitutes))
        return module.whole(self.name) if self.whole else getattr(module.jit, self.name)

    @property
    def is_python(self) -> bool:
        """True if nothing is compiled, with ``NUMBA_DISABLE_JIT``."""
        return not hasattr(self.dispatcher, "disable_compile")

    @property
    def is_ready(self) -> bool:
        """True if there is nothing to compile."""
        return self.is_python or self.is_kept

    @property
    def is_kept(self) -> bool:
        """True if the cache has the kernel's machine code for this processor."""
        has = getattr(self.dispatcher._cache, "has", None)  # noqa: SLF001 - numba's
        with lock:  # numba's registries are read by one thread at a time
            return bool(has and has(self._signature, self.dispatcher.targetctx))

    def compile(self) -> Any:
        """Compile the kernel, or read it from the cache; return the dispatcher."""
        module = KernelModule(self.module, substitutes=dict(self.substitutes))
        function = self.dispatcher
        if self.is_python:
            return function
        with lock:
            if self._signature in function.overloads:
                return function
            for name, ranks in getattr(module.python, "JIT_LOOPS", {}).items():
                words = [f"F64[{rank}]" if rank else "int" for rank in ranks]
                getattr(module.jit, name).compile(tuple(map(_numba_type, words)))
            with _merged_operations(merged=self.merged):
                function.compile(self._signature)
        return function

    @property
    def _signature(self) -> tuple[Any, ...]:
        return tuple(map(_numba_type, self.types))


def _numba_type(word: str) -> Any:
    from numba import types

    name, _, rank = word.removesuffix("]").partition("[")
    kind = getattr(types, _NAMES[name.removeprefix("const-")])
    if not rank:
        return kind
    return types.Array(kind, int(rank), "C", readonly=name.startswith("const-"))


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
