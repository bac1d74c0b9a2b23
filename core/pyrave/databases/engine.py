"""Engines: executors that run tasks in this process, in others, or on other machines.

An engine is a `concurrent.futures.Executor`. What it has besides says who is there and
which failures are those of workers, so that their tasks are given to others.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from typing import Any

from pyrave.databases.jobs import Job, drop_job, keep_job


class Engine(Executor):
    """An executor of the tasks of one job."""

    @property
    @abstractmethod
    def window(self) -> int:
        """Number of tasks that it should have at a time."""

    def is_lost(self, error: BaseException) -> bool:
        """Return True if a task failed as its worker ended."""
        return isinstance(error, BrokenExecutor)

    def check(self) -> None:
        """Raise StateError if nothing that was submitted will ever be done."""

    def close(self) -> None:
        """End all workers now; nothing more comes of what they do."""
        self.shutdown(wait=False, cancel_futures=True)


class InProcess(Engine):
    """Runs each task when it is submitted."""

    window = 1

    def __init__(self, job: Job) -> None:
        self._digest = keep_job(job)

    def submit(
        self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any
    ) -> Future[Any]:
        """Run a function now."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - it is raised by the future
            future.set_exception(error)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Forget the job."""
        drop_job(self._digest)
