"""Compiling in another process, while this one goes on in the interpreter."""

from __future__ import annotations

import atexit
import json
import logging
import os
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from pyrave.jit.request import Request

_log = logging.getLogger("pyrave.jit")
_VARIABLE = "PYRAVE_COMPILE"
_lock = threading.Lock()
_shared: list[Compiler] = []


@dataclass(eq=False)
class Job:
    """A kernel that another process compiles. Threads may share it."""

    finished: threading.Event = field(default_factory=threading.Event)
    error: str = ""
    """Why it was not compiled, once it is finished; empty if it was."""


class Compiler:
    """A process that compiles kernels one after the other into the cache.

    It ends with this one, or when `close` is called.

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
        threading.Thread(target=self._read, daemon=True).start()
        atexit.register(self.close)

    @property
    def is_alive(self) -> bool:
        """Whether it takes requests of this process."""
        return not self._ended and self.owner == os.getpid()

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

    def _read(self) -> None:
        for line in _open(self._process.stdout):
            answer = json.loads(line)
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
    """Have a kernel compiled by a process that all kernels share.

    None where there can be none: ``PYRAVE_COMPILE=foreground``, a frozen program.
    """
    if os.environ.get(_VARIABLE, "") == "foreground":
        return None
    with _lock:
        if not (_shared and _shared[-1].is_alive):
            try:
                _shared[:] = [Compiler()]
            except OSError as error:
                _log.info("kernels are compiled in this process: %s", error)
                return None
        return _shared[-1].compile(request)


def _open(stream: IO[str] | None) -> IO[str]:
    if stream is None:
        raise OSError("the process has no pipes")
    return stream
