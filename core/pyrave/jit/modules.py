"""Kernel modules as callers see them: plain or compiled, whichever pays."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from pyrave.jit.compiler import compiled, is_compiled, whole
from pyrave.jit.specialisation import Key, bound

_eager: list[bool] = []


@contextmanager
def eager() -> Iterator[None]:
    """Have kernels compiled when they are first called, however little that costs."""
    _eager.append(True)
    try:
        yield
    finally:
        _eager.pop()


def is_eager() -> bool:
    """Return True if kernels are compiled when they are first called."""
    return bool(_eager)


class KernelModule:
    """The functions of one kernel module, plain or compiled.

    Parameters
    ----------
    name
        Full module name, for example ``"pyrave.kinematics.kernels.motion"``.
    compile_after
        Cost that `auto` lets pass in the interpreter before it compiles.
    substitutes
        For names of kernel modules others that take their place, wherever this module
        and what it imports import from them. They have functions of the same names.
    """

    def __init__(
        self,
        name: str,
        compile_after: float = 100.0,
        substitutes: Mapping[str, str] | None = None,
    ) -> None:
        self.key: Key = (name, tuple(sorted((substitutes or {}).items())))
        self._compile_after = compile_after
        self._spent = 0.0

    @property
    def python(self) -> Any:
        """The module as written; no numba is imported."""
        name, substitutes = self.key
        return bound(self.key) if substitutes else importlib.import_module(name)

    @property
    def jit(self) -> Any:
        """The module compiled by numba; imports numba, compiles at first call."""
        return compiled(self.key)

    def whole(self, name: str) -> Any:
        """Return one function with all that it calls as parts, see `DeferredKernel`."""
        return whole(self.key, name)

    def auto(self, cost: float = 1.0) -> Any:
        """Return `python` for the first calls and `jit` once their cost adds up.

        Parameters
        ----------
        cost
            Rough cost of this call in the interpreter, milliseconds.
        """
        return self.jit if self.is_due(cost) else self.python

    def is_due(self, cost: float, *, whole: bool = False) -> bool:
        """Count a call's cost; return whether the module is or should be compiled.

        Parameters
        ----------
        whole
            Whether that is asked for a function of `whole`.
        """
        if _eager or is_compiled(self.key, parts=whole):
            return True
        self._spent += cost
        return self._spent > self._compile_after

    def count(self, more: float) -> None:
        """Count what calls in the interpreter took beyond their cost, milliseconds."""
        self._spent += max(more, 0.0)
