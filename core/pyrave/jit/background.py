"""Compiling in another process, while this one goes on in the interpreter."""

from __future__ import annotations

import atexit
import contextlib
import json
import logging
import os
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from pyrave.jit.request import FINISH, Request

_log = logging.getLogger("pyrave.jit")
_VARIABLE = "PYRAVE_COMPILE"
_MOST = 4
_lock = threading.Lock()
_shared: list[Compiler] = []


@dataclass(eq=False)
class Job:
    """A kernel that another process compiles. Threads may share it."""

    begun: threading.Event = field(default_factory=threading.Event)
    finished: threading.Event = field(default_factory=threading.Event)
    error: str = ""
    """Why it was not compiled, once it is finished; empty if it was."""


class Compiler:
    """A process that compiles kernels one after the other into the cache.

    It ends with this one, or when `close` is called. If this one ends in order, it
    first finishes what it was asked for, for a minute and a half at most: else programs
    of a few seconds would find an empty cache again and again. It does not where
    nobody gains by it: in tests and on build servers, and with
    ``PYRAVE_COMPILE=session``.

    Raises
    ------
    OSError
        There can be no such process.
    """

    def __init__(self) -> None:
        program = Path(sys.executable or "")
        if "py" not in program.name.lower():  # what embeds Python names itself there
            raise OSError(f"{str(program)!r} is no Python interpreter")
        path = os.pathsep.join(folder or str(Path.cwd()) for folder in sys.path)
        self._process = subprocess.Popen(  # noqa: S603 - this very interpreter
            [str(program), "-P", "-c", "from pyrave.jit.worker import main; main()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "PYTHONPATH": path},
        )
        self.owner = os.getpid()
        self._jobs: dict[int, Job] = {}
        self._count = 0
        self._ended = False
        self._lock = threading.Lock()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        atexit.register(self._leave)

    @property
    def is_alive(self) -> bool:
        """Whether it takes requests of this process."""
        return not self._ended and self.owner == os.getpid()

    @property
    def waiting(self) -> int:
        """How many jobs are not finished."""
        return len(self._jobs)

    def compile(self, request: Request) -> Job:
        """Have a kernel compiled."""
        job = Job()
        with self._lock:
            self._count += 1
            self._jobs[self._count] = job
            try:
                stream = _open(self._process.stdin)
                stream.write(request.line(self._count))
                stream.flush()
            except (OSError, ValueError) as error:
                self._end(str(error))
        return job

    def close(self) -> None:
        """End the process; jobs that are not finished fail."""
        if self.owner == os.getpid():
            self._process.kill()
            self._process.wait()
            self._reader.join()
            for stream in (self._process.stdin, self._process.stdout):
                with contextlib.suppress(OSError):
                    _open(stream).close()

    def _leave(self) -> None:
        """End with this process, or let the other one finish its work."""
        if not (self.is_alive and self._jobs and _may_go_on()):
            self.close()
            return
        _log.info("%d kernels are being compiled; that goes on", self.waiting)
        try:
            stream = _open(self._process.stdin)
            stream.write(FINISH)
            stream.close()
        except (OSError, ValueError):
            self.close()
            return
        self._process.returncode = 0  # nobody waits for it, so that is no leak

    def _read(self) -> None:
        for line in _open(self._process.stdout):
            answer = json.loads(line)
            if "error" not in answer:
                self._jobs[answer["number"]].begun.set()
                continue
            with self._lock:
                job = self._jobs.pop(answer["number"])
            job.error = answer["error"]
            job.finished.set()
        with self._lock:
            self._end("the process that compiles has ended")

    def _end(self, why: str) -> None:
        self._ended = True
        for job in self._jobs.values():
            job.error = why
            job.finished.set()
        self._jobs.clear()


def in_background(request: Request) -> Job | None:
    """Have a kernel compiled by one of a few processes that all kernels share.

    None where there can be none: ``PYRAVE_COMPILE=foreground``, a frozen program.
    """
    if os.environ.get(_VARIABLE, "") == "foreground":
        return None
    with _lock:
        _shared[:] = [one for one in _shared if one.is_alive]
        idle = min(_shared, key=lambda one: one.waiting, default=None)
        if idle is None or (idle.waiting and len(_shared) < _most_processes()):
            try:
                idle = Compiler()
            except OSError as error:
                _log.info("kernels are compiled in this process: %s", error)
                return None
            _shared.append(idle)
        return idle.compile(request)


def _may_go_on() -> bool:
    return (
        os.environ.get(_VARIABLE, "") != "session"
        and not os.environ.get("CI")
        and "pytest" not in sys.modules
        and "PYTEST_CURRENT_TEST" not in os.environ
    )


def _most_processes() -> int:
    """Return how many processes compile at most: one core is for this one."""
    if hasattr(os, "sched_getaffinity"):
        count = len(os.sched_getaffinity(0))
    else:
        count = os.cpu_count() or 1
    return min(max(count - 1, 1), _MOST)


def _open(stream: IO[str] | None) -> IO[str]:
    if stream is None:
        raise OSError("the process has no pipes")
    return stream
