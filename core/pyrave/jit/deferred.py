"""Kernels that another process compiles, while their callers have another way."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from pyrave.jit.background import Job, in_background
from pyrave.jit.messages import say, say_slower
from pyrave.jit.modules import KernelModule, is_eager
from pyrave.jit.request import Request, type_of


class DeferredKernel:
    """One kernel that takes long to compile. Threads may share it.

    Parameters
    ----------
    module
        Where the kernel is.
    name
        Its name.
    said
        What it does, in words, for the log.
    seconds
        Rough time that compiling takes.
    """

    def __init__(
        self, module: KernelModule, name: str, said: str, seconds: float
    ) -> None:
        self._module = module
        self._name = name
        self._said = said
        self._seconds = seconds
        self._job: Job | None = None
        self._failed = False
        self.function: Callable[..., Any] | None = None
        """The compiled kernel, None before there is one."""
        self._lock = threading.Lock()

    def ready(self, args: tuple[Any, ...]) -> Callable[..., Any] | None:
        """Return the compiled kernel; None if there is none yet, or never.

        Parameters
        ----------
        args
            Arguments of a call; all later ones are of the same types.
        """
        if self.function is None and not self._failed:
            with self._lock:
                try:
                    self._look(args)
                except Exception as error:  # noqa: BLE001 - numba's, of any kind
                    self._failed = True
                    say_slower(self._said, error)
        return self.function

    def _look(self, args: tuple[Any, ...]) -> None:
        if self.function is not None:
            return
        if self._job is not None and not self._job.finished.is_set():
            return
        key, substitutes = self._module.key
        request = Request(key, substitutes, self._name, tuple(map(type_of, args)))
        if not hasattr(request.dispatcher, "disable_compile"):  # NUMBA_DISABLE_JIT
            self._failed = True
            return
        if not request.is_kept:
            if self._job is not None:
                raise RuntimeError(self._job.error or "its machine code was not kept")
            if not is_eager():
                self._job = in_background(request)
                if self._job is not None:
                    say(self._said, self._seconds, "in the background")
                    return
            say(self._said, self._seconds)
        self.function = request.compile()
