"""Direct calls of kernels for arrays of known ranks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from pyrave.jit.background import in_background, valid
from pyrave.jit.deferred import DeferredKernel
from pyrave.jit.modules import KernelModule
from pyrave.jit.progress import announce


class TakesLongError(Exception):
    """A call of a kernel takes too long in the interpreter."""


_running = threading.local()
_SOON = 2.0
"""Seconds of compiling that are waited for."""


def give_way() -> None:
    """Raise `TakesLongError` if interpreting a kernel further is a loss.

    It has been compiled meanwhile, or compiling would have taken less time. For kernels
    whose calls may take long, behind ``if INTERPRETED:``.
    """
    kernel: TypedKernel | None = getattr(_running, "kernel", None)
    if kernel is not None and kernel.is_better_compiled:
        raise TakesLongError


class TypedKernel(DeferredKernel):
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
    merged, said, whole
        As for `DeferredKernel`.
    seconds
        Rough time that compiling takes. From two seconds on another process does it,
        and calls are interpreted until it has, or until they took as long as that.
    """

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
        whole: bool = False,
    ) -> None:
        types = " ".join(f"F64[{rank}]" for rank in ranks)
        super().__init__(module, name, types, said, seconds, merged=merged, whole=whole)
        self._ranks = ranks
        self._cost = cost
        self._begin = self._interpreted = 0.0
        self.call: Callable[..., int] = self._first_calls
        """Run the kernel; TypeError if an argument is no such array."""

    def _first_calls(self, *arrays: Any) -> int:
        self._check(arrays)
        cost = self._cost(*arrays)
        if self._is_time(cost):
            self.call = self.compiled()
            return self.call(*arrays)
        plain: Callable[..., int] = getattr(self._module.python, self._name)
        outer, _running.kernel = getattr(_running, "kernel", None), self
        self._begin = time.perf_counter()
        try:
            with np.errstate(all="ignore"):  # as compiled code is
                return plain(*arrays)
        except TakesLongError:
            self.call = self.compiled()
        finally:
            _running.kernel = outer
            passed = time.perf_counter() - self._begin
            self._interpreted += passed
            self._module.count(1e3 * passed - cost)
        return self.call(*arrays)

    @property
    def is_better_compiled(self) -> bool:
        """True if the call that is interpreted now should go on compiled."""
        if self._seconds < _SOON or self._job is None:
            return False
        running = time.perf_counter() - self._begin
        return self.is_finished or self._interpreted + running > self._seconds

    @property
    def is_finished(self) -> bool:
        """True if another process has compiled it, or has failed to."""
        job = valid(self._job)
        return job is not None and job.finished.is_set()

    def _is_time(self, cost: float) -> bool:
        """Return True if the compiled function is to be had now."""
        self._spent = 1e3 * self._interpreted + cost
        is_due = self._module.is_due(cost, whole=self._whole)
        if not is_due and not self._is_at_hand():
            return False
        if self._seconds < _SOON:
            return True
        # what was interpreted so far counts: a machine may have no time for the other
        # process, and calls have no end of their own
        takes_longer = self._interpreted + 1e-3 * cost > self._seconds
        job = valid(self._job)
        if job is None:
            if takes_longer or self.request.is_ready:
                return True
            job = self._job = in_background(self.request)
            if job is None:
                return True
            announce(self._said, self._seconds, "in the background")
        return takes_longer or job.finished.is_set()

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
        function: Any = self.now()
        if hasattr(function, "disable_compile"):
            function.disable_compile()
            return cast("Callable[..., int]", function)

        def checked(*arrays: Any) -> int:
            self._check(arrays)
            with np.errstate(all="ignore"):  # numba is told not to compile
                return int(function(*arrays))

        return checked
