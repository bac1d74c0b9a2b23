"""Dask: tasks on the workers of a scheduler; the only place that imports it."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pyrave.databases.engine import Engine
from pyrave.databases.jobs import Job, drop_job, keep_job
from pyrave.errors import (
    ArgumentError,
    NotSupportedError,
    StateError,
    error_text,
    shown,
)
from pyrave.messages import LOGGER

try:
    import distributed
    from distributed import KilledWorker, WorkerPlugin
except ImportError as missing:
    raise NotSupportedError(
        "a scheduler needs the packages dask and distributed: "
        "pip install 'pyrave[distributed]'"
    ) from missing

if TYPE_CHECKING:
    from distributed import Worker

_log = logging.getLogger(f"{LOGGER}.databases")
_REACHED = 10.0
"""Seconds to wait for a scheduler."""
_LEAVING = 1.0
"""Seconds to say goodbye to a scheduler that has gone."""
_JOINED = 60.0
"""Seconds to wait for a worker where there is none."""


class JobPlugin(WorkerPlugin):
    """Brings a job to each worker once, and to those that come later."""

    idempotent = True

    def __init__(self, job: Job) -> None:
        self.name = f"pyrave-{job.digest}"
        self._job = job

    def setup(self, worker: Worker) -> None:
        """Keep the job in a worker."""
        keep_job(self._job)

    def teardown(self, worker: Worker) -> None:
        """Forget it again."""
        drop_job(self._job.digest)


class DaskEngine(Engine):
    """The workers of a scheduler.

    Parameters
    ----------
    job
        Sent to each worker once.
    address
        Of the scheduler, as in ``"tcp://10.0.0.1:8786"``.

    Raises
    ------
    ArgumentError
        The address is no text.
    StateError
        The scheduler is not reached, has no workers, or they are of another version.
    """

    def __init__(self, job: Job, address: str) -> None:
        if not isinstance(address, str) or not address:
            raise ArgumentError(
                f"scheduler is {shown(address)}, expected an address such as "
                "'tcp://10.0.0.1:8786'"
            )
        self._address = address
        keep_job(job)
        self._digest = job.digest
        self._plugin = JobPlugin(job)
        self._alone_since: float | None = None
        # its package has types for little
        connect: Any = distributed.Client
        self._client: Any
        try:
            self._client = connect(address, timeout=_REACHED, set_as_default=False)
        except (OSError, ValueError, RuntimeError, TypeError) as error:
            raise StateError(
                f"the scheduler {address} is not reached: {error_text(error)}; start "
                "one with `dask scheduler`, and workers with `dask worker ADDRESS`"
            ) from error
        try:
            self._client.wait_for_workers(1, timeout=_JOINED)
            self._check_versions(job)
            self._client.register_plugin(self._plugin)
        except StateError:
            self._client.close()
            raise
        except Exception as error:
            self._client.close()
            raise StateError(
                f"the workers of {address} cannot be used: {error_text(error)}; they "
                "need the same pyrave and plugins: "
                f"`dask worker {address}` starts one"
            ) from error
        self._executor = self._client.get_executor(pure=False)

    def _check_versions(self, job: Job) -> None:
        """Refuse workers without pyrave, or with another one."""
        found = self._client.run(_installed_version)
        others = {
            place: version for place, version in found.items() if version != job.pyrave
        }
        if others:
            said = ", ".join(
                f"{place} has {f'pyrave {version}' if version else 'none'}"
                for place, version in sorted(others.items())
            )
            raise StateError(
                f"workers of {self._address} have another pyrave than "
                f"{job.pyrave}: {said}; install the same version there"
            )

    @property
    def window(self) -> int:
        """Twice the threads of all workers."""
        return max(2 * sum(self._threads()), 4)

    def _threads(self) -> list[int]:
        try:
            found = self._client.scheduler_info(n_workers=-1)
        except (OSError, RuntimeError, TimeoutError) as error:
            raise self._gone() from error
        return [one["nthreads"] for one in found.get("workers", {}).values()]

    def is_lost(self, error: BaseException) -> bool:
        """Return True if workers ended while they had the task."""
        return isinstance(error, KilledWorker) or super().is_lost(error)

    def check(self) -> None:
        """Raise StateError if the scheduler or all workers have gone."""
        if self._client.status != "running":
            raise self._gone()
        if self._threads():
            self._alone_since = None
            return
        now = time.monotonic()
        self._alone_since = self._alone_since or now
        if now - self._alone_since > _JOINED:
            raise StateError(
                f"all workers of {self._address} have gone; `dask worker "
                f"{self._address}` starts one"
            )

    def submit(
        self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any
    ) -> Future[Any]:
        """Give a function to a worker."""
        try:
            future: Future[Any] = self._executor.submit(fn, *args, **kwargs)
        except (OSError, RuntimeError, TimeoutError) as error:
            raise self._gone() from error
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take the job away from the workers, and say goodbye to the scheduler."""
        drop_job(self._digest)
        patience = _REACHED if self._client.status == "running" else _LEAVING
        try:
            with _farewell(self._address):
                if self._client.status == "running":
                    self._executor.shutdown(wait=wait and not cancel_futures)
                    self._client.unregister_worker_plugin(self._plugin.name)
        finally:
            with _farewell(self._address):
                self._client.close(timeout=patience)

    def _gone(self) -> StateError:
        return StateError(
            f"the scheduler {self._address} has gone; start it again, or build without "
            "it"
        )


@contextmanager
def _farewell(address: str) -> Iterator[None]:
    """Log what is wrong with a goodbye: what was computed is here by then."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - of Dask, and of what ends meanwhile
        text = "the scheduler %s was not told that the build has ended: %s"
        _log.info(text, address, error_text(error))


def _installed_version() -> str:
    """Return the version of pyrave in a worker."""
    from pyrave import __version__

    return __version__
