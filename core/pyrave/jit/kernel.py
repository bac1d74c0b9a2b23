"""Kernels as callers see them: interpreted or compiled, whichever pays."""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import Any, cast

import numpy as np

from pyrave.jit.arrays import ELEMENTS, READ_ONLY
from pyrave.jit.background import Job, in_background, valid
from pyrave.jit.compiler import compiled, is_compiled, wholes
from pyrave.jit.progress import Waiting, announce, say_failed, say_slower
from pyrave.jit.request import Request
from pyrave.jit.specialisation import ForkSafeLock, as_written

_eager: list[bool] = []
_SOON = 2.5
"""Seconds of compiling that are waited for; another process does what takes longer."""
_READING = 5.0
"""Milliseconds that it takes to read machine code, where numba is at hand."""
_running = threading.local()


@contextmanager
def eager() -> Iterator[None]:
    """Have kernels compiled when they are first called, however little that costs."""
    _eager.append(True)
    try:
        yield
    finally:
        _eager.pop()


class TakesLongError(Exception):
    """A call of a kernel takes too long in the interpreter."""


@contextmanager
def interpreted_for(seconds: float) -> Iterator[None]:
    """Have a block end by `TakesLongError` once a kernel in it takes longer.

    That kernel has to ask now and then: `give_way`.
    """
    outer, _running.end = _end(), time.perf_counter() + seconds
    try:
        yield
    finally:
        _running.end = outer


def _end() -> float:
    return float(getattr(_running, "end", math.inf))


def give_way() -> None:
    """Raise `TakesLongError` if interpreting a kernel further is a loss.

    It has been compiled meanwhile, or compiling would have taken less time, or it has
    taken as long as it may. For kernels whose calls may take long, behind
    ``if INTERPRETED:``.
    """
    if time.perf_counter() > _end():
        raise TakesLongError
    kernel: Kernel | None = getattr(_running, "kernel", None)
    if kernel is not None and kernel.is_better_compiled:
        raise TakesLongError


class Kernel:
    """One function of a kernel module, compiled for the types of its annotations.

    `call` runs it, in the interpreter at first. `auto`, `early`, `ready` and `now`
    return a function instead: the compiled one costs a caller who keeps it nothing.
    Threads may share it.

    Neighbouring operations can be merged to vector ones. That is bad for a loop which
    is better run over several elements at once; a kernel module names the functions
    with such loops, and their ranks (0 for an integer), in a constant ``JIT_LOOPS``.

    Parameters
    ----------
    module, name
        Full name of the module and of the function, see `pyrave.jit.arrays`.
    said
        What it does, in words, for the log if compiling takes long.
    seconds
        Rough time that compiling takes. Another process does what takes long.
    cost
        Gives from the arguments the rough cost of a `call` in the interpreter,
        milliseconds. `now` compiles nothing further then: a call with other types
        raises TypeError.
    compile_after
        Milliseconds that are spent without it before it is compiled.
    merged
        Whether neighbouring operations are merged to vector ones.
    whole
        Whether all that it calls is compiled as parts of it, each optimised once. That
        takes half the time where calls are deep. Such parts may take functions as
        arguments. Not for modules that have vectors or ``JIT_LOOPS``.
    substitutes
        For names of kernel modules others that take their place, wherever the module
        and what it imports import from them. They have functions of the same names.
    """

    def __init__(
        self,
        module: str,
        name: str,
        said: str = "",
        seconds: float = 0.5,
        *,
        cost: Callable[..., float] | None = None,
        compile_after: float = 100.0,
        merged: bool = False,
        whole: bool = False,
        substitutes: Mapping[str, str] | None = None,
    ) -> None:
        replaced = tuple(sorted((substitutes or {}).items()))
        self.request = Request(module, name, replaced, merged, whole)
        self._said = said
        self._seconds = seconds
        self._cost = cost
        self._compile_after = compile_after
        self._spent = 0.0
        self._begin = 0.0
        self._is_kept: bool | None = None
        self._job: Job | None = None
        self._failed = False
        self._lock = ForkSafeLock()
        self.function: Callable[..., Any] | None = None
        """The compiled kernel, None before there is one."""
        self.call: Callable[..., int] = self._first_calls
        """Run the kernel; TypeError if an argument has another type."""

    @cached_property
    def types(self) -> tuple[str, ...]:
        """The types of its arguments, see `pyrave.jit.arrays`."""
        return self.request.types

    @property
    def module(self) -> Any:
        """The module as written, with the substitutes."""
        return as_written((self.request.module, self.request.substitutes))

    @property
    def python(self) -> Callable[..., Any]:
        """The kernel as written, which warns of nothing, as if it were compiled."""
        return self._written(0.0)

    @property
    def written(self) -> Callable[..., Any] | None:
        """The kernel as written, for others that are interpreted.

        None if it need not be: there is machine code, or there is to be some at once.
        """
        if self.function is not None or _eager or self._has_code:
            return None
        return cast("Callable[..., Any]", getattr(self.module, self.request.name))

    def prepare(self) -> None:
        """Have another process compile the kernel, because it is needed soon."""
        with self._lock:
            if self.function is None and valid(self._job) is None and not _eager:
                request = self.request
                if not request.is_ready:
                    self._job = in_background(request)

    def ready(self, *, at_once: bool = True) -> Callable[..., Any] | None:
        """Return the compiled kernel; None if there is none yet, or never.

        Another process compiles it meanwhile. Why one cannot be compiled is logged.

        Parameters
        ----------
        at_once
            False: it is read where it is kept, and compiled only after callers have
            gone without it (`went_without`) for so long that this pays.
        """
        if self.function is None and not self._failed:
            with self._lock:
                try:
                    wanted = at_once or self._has_code or self._pays(0.0)
                    if self.function is None and wanted and self._is_time():
                        self.function = self._compiled_here()
                except Exception as error:  # noqa: BLE001 - numba's, of any kind
                    self._failed = True
                    say_slower(self._said, error)
        return self.function

    def went_without(self, seconds: float) -> None:
        """Count processor time that callers took without the kernel, for `ready`."""
        self._spent += 1e3 * seconds

    def now(self) -> Callable[..., Any]:
        """Return the compiled kernel; wait for it, or compile it here."""
        if self.function is None:
            job = valid(self._job)
            if job is not None:
                job.wait_or_withdraw(Waiting(self._said, self._seconds))
            with self._lock:
                if self.function is None:
                    if job is not None and job.error:
                        say_failed(self._said, job.error)
                    self.function = self._compiled()
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
        return (self.now() if self._is_soon else self.ready()) or self._written(cost)

    def early(self, cost: float) -> Callable[..., Any] | None:
        """Return the kernel as written for the first calls, None for later ones.

        Parameters
        ----------
        cost
            As for `auto`.
        """
        return None if self._pays(cost) else self._written(cost)

    def _pays(self, cost: float) -> bool:
        """Return True if callers should no longer do without the compiled kernel.

        Parameters
        ----------
        cost
            Rough cost of one more call without it, milliseconds.
        """
        self._spent += cost
        enough = self._spent > self._compile_after
        return enough or bool(_eager) or self._is_at_hand()

    @property
    def is_better_compiled(self) -> bool:
        """True if the call that is interpreted now should go on compiled."""
        job = self._job
        if self._seconds < _SOON or job is None:
            return False
        is_finished = valid(job) is not None and job.finished.is_set()
        return is_finished or time.perf_counter() - self._begin > self._seconds

    def _first_calls(self, *args: Any) -> Any:
        self._check(args)
        cost = self._cost(*args) if self._cost is not None else 0.0
        plain = self.early(cost)
        if plain is None and not self._is_soon and not self._is_time():
            plain = self._written(cost)
        if plain is not None:
            outer, _running.kernel = getattr(_running, "kernel", None), self
            self._begin = time.perf_counter() - 1e-3 * (self._spent - cost)
            try:
                return plain(*args)
            except TakesLongError:
                pass
            finally:
                _running.kernel = outer
        self.call = self.now()
        return self.call(*args)

    @property
    def _is_soon(self) -> bool:
        """True if to wait for the compiler takes no longer than to go on without."""
        is_short = self._seconds < _SOON and valid(self._job) is None
        return is_short or self._spent > 1e3 * self._seconds

    @property
    def _has_code(self) -> bool:
        """True if there was machine code to read when it was asked first."""
        if self._is_kept is None:
            self._is_kept = self.request.is_ready
        return self._is_kept

    def _is_at_hand(self) -> bool:
        """Return True if reading machine code costs less than was spent without."""
        return self._spent > _READING and "numba" in sys.modules and self._has_code

    def _is_time(self) -> bool:
        """Return True unless another process compiles, which begins now if it can."""
        job = valid(self._job)
        if job is not None:
            return job.finished.is_set()
        if _eager or self.request.is_ready:
            return True
        self._job = in_background(self.request)
        if self._job is not None:
            announce(self._said, self._seconds, "in the background")
        return self._job is None

    def _compiled_here(self) -> Callable[..., Any] | None:
        """Return the compiled kernel unless it is the one as written, or has failed."""
        job = valid(self._job)
        if self.request.is_python:
            self._failed = True
            return None
        if job is not None and job.error and not self.request.is_kept:
            raise RuntimeError(job.error)
        return self._compiled()

    def _compiled(self) -> Callable[..., Any]:
        """Compile or read the kernel."""
        said = "" if self.request.is_ready else self._said
        with Waiting(said, self._seconds):
            function = self.request.compile()
        if self._cost is None:
            return cast("Callable[..., Any]", function)
        if hasattr(function, "disable_compile"):
            function.disable_compile()
            return cast("Callable[..., Any]", function)

        def checked(*args: Any) -> Any:
            self._check(args)
            with np.errstate(all="ignore"):  # numba is told not to compile
                return function(*args)

        return checked

    def _written(self, cost: float) -> Callable[..., Any]:
        """Return `python`; what a call takes beyond a cost counts for `auto`."""
        written = getattr(self.module, self.request.name)

        def quietly(*args: Any) -> Any:
            begin = time.thread_time()  # other programs are no reason to compile
            try:
                with np.errstate(all="ignore"):
                    return written(*args)
            finally:
                passed = 1e3 * (time.thread_time() - begin)
                self._spent += max(passed - cost, 0.0)

        return quietly

    def _check(self, args: tuple[Any, ...]) -> None:
        """Raise TypeError if an argument is no array that the kernel takes."""
        for arg, word in zip(args, self.types, strict=True):
            element, _, rank = word.removeprefix(READ_ONLY).partition("_")
            if rank and (
                type(arg) is not np.ndarray
                or arg.ndim != int(rank)
                or arg.dtype != ELEMENTS[element]
                or not arg.flags.c_contiguous
                or not arg.flags.aligned
                or not (arg.flags.writeable or word.startswith(READ_ONLY))
            ):
                raise TypeError(
                    f"{self.request.name} takes C-contiguous arrays, writable unless "
                    f"read-only, and numbers of the types {', '.join(self.types)}"
                )


class KernelModule:
    """All functions of one kernel module, which numba compiles for what they are given.

    For functions that take arrays of many kinds. Everything else is a `Kernel`.

    Parameters
    ----------
    name
        Full module name, for example ``"pyrave.kinematics.kernels.rnea"``.
    compile_after
        Cost that `auto` lets pass in the interpreter before it compiles.
    whole
        As for `Kernel`, of each function that is called.
    substitutes
        As for `Kernel`.
    """

    def __init__(
        self,
        name: str,
        compile_after: float = 100.0,
        *,
        whole: bool = False,
        substitutes: Mapping[str, str] | None = None,
    ) -> None:
        self.key = (name, tuple(sorted((substitutes or {}).items())))
        self._whole = whole
        self._compile_after = compile_after
        self._spent = 0.0

    @property
    def python(self) -> Any:
        """The module as written; no numba is imported."""
        return as_written(self.key)

    @property
    def jit(self) -> Any:
        """The module compiled by numba; imports numba, compiles at first call."""
        return wholes(self.key) if self._whole else compiled(self.key)

    def auto(self, cost: float = 1.0) -> Any:
        """Return `python` for the first calls and `jit` once their cost adds up.

        Parameters
        ----------
        cost
            Rough cost of this call in the interpreter, milliseconds.
        """
        if _eager or is_compiled(self.key, parts=self._whole):
            return self.jit
        self._spent += cost
        if self._spent > self._compile_after:
            return self.jit
        return as_written(self.key)
