"""Processes of this machine, which do one task after the other and may end any time."""

from __future__ import annotations

import multiprocessing
import pickle
import queue
import signal
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from pyrave.databases.engine import Engine
from pyrave.databases.jobs import Job, keep_job
from pyrave.errors import Error, StateError, error_text

if TYPE_CHECKING:
    from multiprocessing.context import SpawnContext, SpawnProcess

_LEAVING = 5.0
"""Seconds that a process has to end once nothing is left to do."""


class WorkerProcesses(Engine):
    """Processes of this machine, each with a thread that gives it one task at a time.

    A process that ends takes its task along, and another one takes its place; the
    executors of the standard library stop altogether then.
    """

    def __init__(self, job: Job, count: int) -> None:
        self._job = job
        self._count = count
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._context = multiprocessing.get_context("spawn")
        self._closed = False
        self._lock = threading.Lock()
        self._workers: set[SpawnProcess] = set()
        self._threads = [
            threading.Thread(target=self._serve, daemon=True) for _ in range(count)
        ]
        for thread in self._threads:
            thread.start()

    @property
    def window(self) -> int:
        """Twice as many as processes, so that none waits."""
        return 2 * self._count

    def process_ids(self) -> list[int]:
        """Return the numbers of the processes that run now."""
        with self._lock:
            return [one.pid for one in self._workers if one.pid and one.is_alive()]

    def submit(
        self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any
    ) -> Future[Any]:
        """Give a function to the next process that is free."""
        if self._closed:
            raise RuntimeError("the engine is closed")
        future: Future[Any] = Future()
        self._tasks.put((future, fn, args, kwargs))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes, after what was submitted, or at once."""
        self._closed = True
        if cancel_futures:
            while True:
                try:
                    task = self._tasks.get_nowait()
                except queue.Empty:
                    break
                if task is not None:
                    task[0].cancel()
        for _ in self._threads:
            self._tasks.put(None)
        if cancel_futures:
            with self._lock:
                for process in self._workers:
                    process.kill()
        if wait or cancel_futures:
            for thread in self._threads:
                thread.join()

    def _serve(self) -> None:
        """Give tasks to one process after the other, until there are no more."""
        worker: _Worker | None = None
        while (task := self._tasks.get()) is not None:
            future, fn, args, kwargs = task
            if not future.set_running_or_notify_cancel():
                continue
            try:
                if worker is None:
                    worker = self._started()
                answer, error = worker.ask((fn, args, kwargs))
            except Exception as failure:  # noqa: BLE001 - the future has it, or nobody
                if worker is not None:
                    self._ended(worker)
                worker = None
                text = f"a process ended while it worked: {error_text(failure)}"
                future.set_exception(BrokenExecutor(text))
                continue
            if error is not None:
                future.set_exception(error)
            else:
                future.set_result(answer)
        if worker is not None:
            worker.leave()
            self._ended(worker)

    def _started(self) -> _Worker:
        with self._lock:
            if self._closed:
                raise BrokenExecutor("the engine is closed")
            worker = _Worker(self._context, self._job)
            self._workers.add(worker.process)
        return worker

    def _ended(self, worker: _Worker) -> None:
        worker.end()
        with self._lock:
            self._workers.discard(worker.process)


_Task = tuple["Future[Any]", Callable[..., Any], tuple[Any, ...], dict[str, Any]]


class _Worker:
    """A process, and the pipe to it."""

    def __init__(self, context: SpawnContext, job: Job) -> None:
        self._pipe, theirs = context.Pipe()
        self.process = context.Process(target=_work, args=(theirs, job), daemon=True)
        self.process.start()
        theirs.close()

    def ask(self, call: tuple[Any, ...]) -> tuple[Any, Exception | None]:
        """Return the answer of a function there, and the error that it raised."""
        self._pipe.send(call)
        answer: tuple[Any, Exception | None] = self._pipe.recv()
        return answer

    def leave(self) -> None:
        """Tell it that nothing more comes."""
        self._pipe.close()
        self.process.join(_LEAVING)

    def end(self) -> None:
        """End it if it has not ended."""
        self._pipe.close()
        if self.process.is_alive():
            self.process.kill()
        self.process.join()


def _readable(error: Exception) -> Error:
    """Return an error that another process can read, be it of an author's own class."""
    if isinstance(error, Error):
        with suppress(Exception):
            pickle.loads(pickle.dumps(error))  # noqa: S301 - of our own making
            return error
    return StateError(error_text(error))


def _work(pipe: Connection, job: Job) -> None:
    """Answer calls until the other end is closed; a worker's whole life."""
    # Ctrl-C is for the process that gives the tasks
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    keep_job(job)
    while True:
        try:
            fn, args, kwargs = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            answer: tuple[Any, Exception | None] = (fn(*args, **kwargs), None)
        except Exception as error:  # noqa: BLE001 - told to who asked
            answer = (None, _readable(error))
        try:
            pipe.send(answer)
        except OSError:
            return
