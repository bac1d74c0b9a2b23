"""Compilation in other processes, while this one uses the interpreter."""

from __future__ import annotations

import atexit
import contextlib
import json
import logging
import os
import re
import sys
import threading
from collections import deque
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO

from pyrave.jit.cache import can_keep
from pyrave.jit.request import FINISH, Request

_log = logging.getLogger("pyrave.jit")
_VARIABLE = "PYRAVE_COMPILE"
_MOST = 4
_ATTEMPTS = 2
"""Number of processes that may crash at a kernel before it counts as failed."""


class Job:
    """A kernel that another process compiles. Threads may share it."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.error = ""
        """The reason why it was not compiled, once it is finished; empty if it was."""
        self.begun = threading.Event()
        self.finished = threading.Event()
        self.attempts = 0
        self._owner = os.getpid()
        self._withdrawn = False
        self._lock = threading.Lock()

    @property
    def is_valid(self) -> bool:
        """True if it will finish here: a parent's job before a fork does not."""
        return self._owner == os.getpid() and not self._withdrawn

    def begin(self) -> bool:
        """Return True if it is still wanted. It cannot be withdrawn from now on."""
        with self._lock:
            if not self._withdrawn:
                self.begun.set()
                self.attempts += 1
            return not self._withdrawn

    def finish(self, error: str) -> None:
        """Set the result."""
        self.error = error
        self.finished.set()

    def wait_or_withdraw(self, waiting: AbstractContextManager[object]) -> None:
        """Wait until it is finished, or withdraw it if it has not begun.

        Who cannot go on without the kernel compiles it instead of queueing for it.

        Parameters
        ----------
        waiting
            Entered while it waits.
        """
        with self._lock:
            self._withdrawn = not self.begun.is_set()
        if not (self._withdrawn or self.finished.is_set()):
            with waiting:
                self.finished.wait()


class Compiler:
    """A process that compiles kernels one after the other into the cache.

    It ends with this one, when `close` is called, or after some seconds without work.

    Raises
    ------
    OSError
        There can be no such process.
    """

    def __init__(self) -> None:
        import subprocess

        program = Path(sys.executable or "")
        # a program that embeds Python, or is frozen with it, names itself there
        is_python = re.match(r"py(thon|py)", program.name.lower())
        if not is_python or getattr(sys, "frozen", False):
            raise OSError(f"{str(program)!r} is no Python interpreter")
        path = os.pathsep.join(folder or str(Path.cwd()) for folder in sys.path)
        self._process = subprocess.Popen(  # noqa: S603 - this very interpreter
            [str(program), "-P", "-c", "from pyrave.jit.worker import main; main()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,  # `abandon` must not wait for the lock of a buffer
            env={**os.environ, "PYTHONPATH": path},
        )
        self.job: Job | None = None
        """The kernel that it compiles now."""

    @property
    def pid(self) -> int:
        """Number of the process."""
        return self._process.pid

    @property
    def answers(self) -> IO[bytes]:
        """Lines that it writes; they end with it."""
        return _open(self._process.stdout)

    def send(self, line: str) -> None:
        """Write a line; a process that cannot read it is ended."""
        try:
            _open(self._process.stdin).write(line.encode())
        except OSError:
            self._process.kill()

    def close(self) -> int:
        """End the process; return its status."""
        self._process.kill()
        status = self._process.wait()
        with contextlib.suppress(OSError):
            _open(self._process.stdin).close()
        return status

    def abandon(self) -> None:
        """Let go of the process, which goes on."""
        with contextlib.suppress(OSError):
            _open(self._process.stdin).close()
        self._process.returncode = 0  # nobody waits for it, so that is no leak


class Pool:
    """A few processes that compile kernels, and the queue of jobs for them.

    If the program ends in order, one of them first finishes what was asked for, for a
    minute and a half at most: else programs of a few seconds would find an empty cache
    again and again. It does not where nobody gains by it: in tests and on build
    servers, and with ``PYRAVE_COMPILE=session``.

    A kernel whose process is killed is given to another one, once.
    """

    def __init__(self) -> None:
        self.compilers: list[Compiler] = []
        self._readers: dict[Compiler, threading.Thread] = {}
        self._jobs: dict[Request, Job] = {}
        self._waiting: deque[Job] = deque()
        self._closed = False
        self._lock = threading.RLock()

    def submit(self, request: Request) -> Job | None:
        """Have a kernel compiled; None if there can be no other process."""
        with self._lock:
            job = self._jobs.get(request)
            if job is None or not job.is_valid:
                if self._closed:
                    return None
                job = self._jobs[request] = Job(request)
                self._waiting.append(job)
                self._assign()
            return None if job.finished.is_set() else job

    def close(self) -> None:
        """End the processes; jobs that are not finished fail."""
        with self._lock:
            self._closed = True
            compilers, readers = list(self.compilers), list(self._readers.values())
            self._fail_waiting("this process ends")
        for compiler in compilers:
            compiler.close()
        for reader in readers:
            reader.join()

    def leave(self) -> None:
        """End with this process, or let another one finish the jobs."""
        with self._lock:
            self._closed = True
            jobs = [one.job for one in self.compilers if one.job is not None]
            jobs += [job for job in self._waiting if job.begin()]
            if jobs and self.compilers and _may_go_on():
                _log.info("%d kernels are being compiled; that goes on", len(jobs))
                last = next(one for one in self.compilers if one.job is not None)
                for job in jobs:
                    if job is not last.job:
                        last.send(job.request.line)
                last.send(FINISH)
                last.abandon()
                self.compilers.remove(last)
                self._readers.pop(last, None)
        self.close()

    def abandon(self) -> None:
        """Let go of the parent's processes in a forked child: it holds their pipes."""
        for compiler in self.compilers:
            compiler.abandon()
            compiler.answers.close()

    def _assign(self) -> None:
        """Give waiting jobs to idle processes; start some if there are none."""
        while self._waiting and not self._closed:
            idle = next((one for one in self.compilers if one.job is None), None)
            if idle is None:
                if len(self.compilers) >= _most_processes():
                    return
                try:
                    idle = self._start()
                except OSError as error:
                    if not self.compilers:
                        _log.info("kernels are compiled in this process: %s", error)
                        self._fail_waiting(str(error))
                    return
            job = self._waiting.popleft()
            if job.begin():
                idle.job = job
                idle.send(job.request.line)

    def _start(self) -> Compiler:
        compiler = Compiler()
        reader = threading.Thread(target=self._read, args=(compiler,), daemon=True)
        self.compilers.append(compiler)
        self._readers[compiler] = reader
        reader.start()
        return compiler

    def _read(self, compiler: Compiler) -> None:
        """Take the answers of a process until it ends."""
        try:
            for line in compiler.answers:
                error = _error_in(line)
                with self._lock:
                    job = compiler.job
                    if error is not None and job is not None:
                        compiler.job = None
                        self._finish(job, error)
                        self._assign()
        finally:
            status = compiler.close()
            compiler.answers.close()
            with self._lock:
                self._remove(compiler, status)

    def _remove(self, compiler: Compiler, status: int) -> None:
        if compiler in self.compilers:
            self.compilers.remove(compiler)
        self._readers.pop(compiler, None)
        job = compiler.job
        if job is not None:
            if job.attempts < _ATTEMPTS and not self._closed:
                self._waiting.appendleft(job)
            else:
                self._finish(job, f"the compiling process ended with status {status}")
        self._assign()

    def _finish(self, job: Job, error: str) -> None:
        if self._jobs.get(job.request) is job:
            del self._jobs[job.request]
        job.finish(error)

    def _fail_waiting(self, why: str) -> None:
        while self._waiting:
            self._finish(self._waiting.popleft(), why)


def in_background(request: Request) -> Job | None:
    """Have a kernel compiled by one of a few processes that all kernels share.

    None where there can be none: ``PYRAVE_COMPILE=foreground``, a frozen program, no
    folder to keep machine code in.
    """
    if os.environ.get(_VARIABLE, "") == "foreground" or not can_keep():
        return None
    return _pool.submit(request)


def valid(job: Job | None) -> Job | None:
    """Return the job if it will finish in this process, else None."""
    return job if job is not None and job.is_valid else None


_pool = Pool()


@atexit.register
def _leave() -> None:
    _pool.leave()


def _renew() -> None:
    global _pool  # noqa: PLW0603 - a child of a fork has its own
    _pool.abandon()
    _pool = Pool()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)


def _error_in(line: bytes) -> str | None:
    """Return the error in an answer, empty without one; None if it is no answer.

    What runs at the start of every Python, ``sitecustomize`` for one, may print.
    """
    try:
        answer = json.loads(line)
    except ValueError:
        return None
    error = answer.get("error") if isinstance(answer, dict) else None
    return error if isinstance(error, str) else None


def _may_go_on() -> bool:
    return (
        os.environ.get(_VARIABLE, "") != "session"
        and not os.environ.get("CI")
        and "pytest" not in sys.modules
        and "PYTEST_CURRENT_TEST" not in os.environ
    )


def _most_processes() -> int:
    """Return the most processes that compile: one core is for this process."""
    if hasattr(os, "sched_getaffinity"):
        count = len(os.sched_getaffinity(0))
    else:
        count = os.cpu_count() or 1
    return min(max(count - 1, 1), _MOST)


def _open(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise OSError("the process has no pipes")
    return stream
