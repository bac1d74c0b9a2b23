"""Kernels for arguments of fixed types, which another process may compile."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from pyrave.jit.background import Job, in_background, valid
from pyrave.jit.fork_safe_lock import ForkSafeLock
from pyrave.jit.messages import say_failed, say_slower
from pyrave.jit.modules import KernelModule, is_eager
from pyrave.jit.progress import Waiting, announce
from pyrave.jit.request import Request

_SOON = 2.5
"""Seconds from which on `auto` has another process compile."""
_READING = 5.0
"""Milliseconds that it takes to read machine code, where numba is at hand."""


class DeferredKernel:
    """One kernel, compiled for one list of types. Threads may share it.

    Parameters
    ----------
    module
        Where the kernel is.
    name
        Its name.
    types
        Types of its arguments, one word each: ``F64[2]`` for a writable C-contiguous
        array of two dimensions (or ``F32``, ``I64``, ``I32``, ``U8``, ``B``),
        ``const-F64[2]`` for one that is read-only, or ``int``, ``float``, ``bool``.
    said
        What it does, in words, for the log if compiling takes long.
    seconds
        Rough time that compiling takes.
    compile_after
        Milliseconds that `auto` spends in the interpreter before it compiles.
    merged
        Whether neighbouring operations are merged to vector ones.
    whole
        Whether all that it calls is compiled as parts of it, each optimised once. That
        takes half the time where calls are deep. Not for modules that have vectors or
        ``JIT_LOOPS``.
    """

    def __init__(
        self,
        module: KernelModule,
        name: str,
        types: str,
        said: str = "",
        seconds: float = 0.5,
        *,
        compile_after: float = 100.0,
        merged: bool = False,
        whole: bool = False,
    ) -> None:
        self._module = module
        self._name = name
        self._types = tuple(types.split())
        self._said = said
        self._seconds = seconds
        self._compile_after = compile_after
        self._merged = merged
        self._whole = whole
        self._spent = 0.0
        self._is_kept: bool | None = None
        self._job: Job | None = None
        self._failed = False
        self.function: Callable[..., Any] | None = None
        """The compiled kernel, None before there is one."""
        self._lock = ForkSafeLock()

    @property
    def request(self) -> Request:
        """The request to compile the kernel."""
        module, substitutes = self._module.key
        return Request(
            module, substitutes, self._name, self._types, self._merged, self._whole
        )

    def prepare(self) -> None:
        """Have another process compile the kernel, because it is needed soon."""
        with self._lock:
            if self.function is None and valid(self._job) is None and not is_eager():
                request = self.request
                if not request.is_ready:
                    self._job = in_background(request)

    def ready(self) -> Callable[..., Any] | None:
        """Return the compiled kernel; None if there is none yet, or never.

        Another process compiles it meanwhile. Why one cannot be compiled is logged.
        """
        if self.function is None and not self._failed:
            with self._lock:
                try:
                    self._look()
                except Exception as error:  # noqa: BLE001 - numba's, of any kind
                    self._failed = True
                    say_slower(self._said, error)
        return self.function

    def now(self) -> Callable[..., Any]:
        """Return the compiled kernel; wait for it, or compile it here."""
        if self.function is None:
            job = valid(self._job)
            if job is not None:
                job.wait_or_withdraw(Waiting(self._said, self._seconds))
            with self._lock:
                if self.function is None:
                    request = self.request
                    if job is not None and job.error:
                        say_failed(self._said, job.error)
                    said = "" if request.is_ready else self._said
                    with Waiting(said, self._seconds):
                        self.function = request.compile()
        return self.function

    def auto(self, cost: float) -> Callable[..., Any]:
        """Return the kernel as written for the first calls, then the compiled one.

        Parameters
        ----------
        cost
            Rough cost of this call in the interpreter, milliseconds.
        """
        if self.function is not None:
            return self.function
        early = self.early(cost)
        if early is not None:
            return early
        is_soon = self._seconds < _SOON and valid(self._job) is None
        if is_soon or self._spent > 1e3 * self._seconds:
            return self.now()
        return self.ready() or self._written(cost)

    def early(self, cost: float) -> Callable[..., Any] | None:
        """Return the kernel as written for the first calls, None for later ones.

        Parameters
        ----------
        cost
            As for `auto`.
        """
        self._spent += cost
        if self._spent > self._compile_after or is_eager() or self._is_at_hand():
            return None
        return self._written(cost)

    def _is_at_hand(self) -> bool:
        """Return True if reading machine code costs less than was spent without."""
        if self._spent > _READING and self._is_kept is None and "numba" in sys.modules:
            self._is_kept = self.request.is_ready
        return bool(self._is_kept)

    @property
    def python(self) -> Callable[..., Any]:
        """The kernel as written, which warns of nothing, as if it were compiled."""
        return self._written(0.0)

    def _written(self, cost: float) -> Callable[..., Any]:
        """Return `python`; what a call takes beyond a cost counts for `auto`."""
        written = getattr(self._module.python, self._name)

        def quietly(*args: Any) -> Any:
            begin = time.perf_counter()
            try:
                with np.errstate(all="ignore"):
                    return written(*args)
            finally:
                passed = 1e3 * (time.perf_counter() - begin)
                self._spent += max(passed - cost, 0.0)

        return quietly

    def _look(self) -> None:
        job, request = valid(self._job), self.request
        if self.function is not None or (job is not None and not job.finished.is_set()):
            return
        if request.is_python:
            self._failed = True
            return
        if not request.is_kept:
            if job is not None and job.error:
                raise RuntimeError(job.error)
            # a finished job without machine code: it could not be kept
            if job is None and not is_eager():
                self._job = in_background(request)
                if self._job is not None:
                    announce(self._said, self._seconds, "in the background")
                    return
            with Waiting(self._said, self._seconds):
                self.function = request.compile()
            return
        self.function = request.compile()
