"""Builds: tasks are given to an engine, and what they find is kept until all is there.

Each part is a file of its own while a build runs. Whatever ends the build, the next one
goes on with the tasks that are not done.
"""

from __future__ import annotations

import shutil
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyrave.databases.engine import Engine, InProcess
from pyrave.databases.jobs import Job, run_task
from pyrave.databases.store import read_arrays, read_header, write_arrays
from pyrave.databases.worker_processes import WorkerProcesses
from pyrave.errors import ArgumentError, StateError, shown
from pyrave.messages import ProgressLine

if TYPE_CHECKING:
    from numpy.typing import NDArray

Part = dict[str, "NDArray[Any]"]
Progress = Callable[[int, int], object]
MAX_WORKERS = 1024
_TRIES = 5
"""Workers that may end with one task before nobody gets it any more."""
_PATIENCE = 0.5
"""Seconds after which the engine is asked whether there still are workers."""


@dataclass(frozen=True, slots=True)
class Parts:
    """The folder of finished parts of one key.

    Parameters
    ----------
    folder
        Where they are; it need not be there.
    key
        Of the database that they are of.
    count
        Number of tasks, 0 if nobody has counted them.
    """

    folder: Path
    key: str
    count: int = 0

    def _file(self, index: int) -> Path:
        return self.folder / f"{index:07}.npz"

    def read(self) -> dict[int, tuple[Part, float]]:
        """Return the parts that are whole, and their seconds, by index."""
        found = {}
        for index in range(self.count):
            with suppress(StateError, FileNotFoundError):
                header, arrays = read_arrays(self._file(index))
                if self._fits(header, index):
                    found[index] = (arrays, float(header.get("seconds", 0.0)))
        return found

    def _fits(self, header: dict[str, Any], index: int) -> bool:
        said = header.get("key"), header.get("index"), header.get("tasks")
        return said == (self.key, index, self.count)

    def keep(self, index: int, part: Part, seconds: float) -> None:
        """Write a part to disk.

        Raises
        ------
        StateError
            It cannot be written.
        """
        header = {
            "key": self.key,
            "index": index,
            "tasks": self.count,
            "seconds": seconds,
        }
        write_arrays(self._file(index), header, part)

    def counted(self) -> tuple[int, int]:
        """Return the number of parts, and of all tasks, 0 if unknown."""
        files = self._files()
        for one in files:
            with suppress(StateError, FileNotFoundError):
                return len(files), int(read_header(one).get("tasks", 0))
        return 0, 0

    def size(self) -> int:
        """Return the bytes on disk."""
        found = 0
        for one in self._files():
            with suppress(FileNotFoundError):  # a build has ended meanwhile
                found += one.stat().st_size
        return found

    def _files(self) -> list[Path]:
        return sorted(one for one in self.folder.glob("*.npz") if one.name[0] != ".")

    def remove(self) -> None:
        """Remove the folder; what is not removed is made again by nobody."""
        shutil.rmtree(self.folder, ignore_errors=True)


def run_build(
    job: Job,
    parts: Parts,
    what: str,
    *,
    workers: int,
    scheduler: str | None,
    progress: Progress | None,
) -> tuple[list[Part], float]:
    """Return the parts of all tasks in order of index, and the seconds they took.

    Raises
    ------
    ArgumentError, StateError
        See `Database.build`.
    """
    found = parts.read()
    missing = deque(k for k in range(parts.count) if k not in found)
    with ExitStack() as stack:
        line = stack.enter_context(ProgressLine(what, parts.count, "tasks"))
        line.done = len(found)
        if progress is not None:
            progress(len(found), parts.count)
        engine = engine_for(job, workers, scheduler)
        stack.enter_context(_closed(engine))
        for index, part, seconds in _results(job, missing, engine, parts.count):
            parts.keep(index, part, seconds)
            found[index] = part, seconds
            line.done = len(found)
            if progress is not None:
                progress(len(found), parts.count)
    ordered = [found[index] for index in range(parts.count)]
    return [part for part, _ in ordered], sum(seconds for _, seconds in ordered)


@contextmanager
def _closed(engine: Engine) -> Iterator[None]:
    """End an engine after a block: at once if that raised, or Ctrl-C was pressed."""
    try:
        yield
    except BaseException:
        engine.close()
        raise
    engine.shutdown()


def _results(
    job: Job, missing: deque[int], engine: Engine, count: int
) -> Iterator[tuple[int, Part, float]]:
    """Yield what tasks find as it comes; tasks of workers that end are given again."""
    digest, done = job.digest, count - len(missing)
    pending: dict[Future[Any], int] = {}
    lost: Counter[int] = Counter()
    while missing or pending:
        while missing and len(pending) < engine.window:
            index = missing.popleft()
            pending[engine.submit(run_task, digest, index)] = index
        finished, _ = wait(pending, _PATIENCE, FIRST_COMPLETED)
        for future in finished:
            index = pending.pop(future)
            error = _failure(future)
            if error is None:
                done += 1
                yield index, *future.result()
            elif future.cancelled() or engine.is_lost(error):
                engine.check()
                lost[index] += 1
                if lost[index] >= _TRIES:
                    raise StateError(
                        f"{_TRIES} workers ended, one after the other, while they did "
                        f"task {index} of {count}; there may be too little memory, or "
                        "a script lacks `if __name__ == '__main__':`. "
                        f"{done} tasks are kept"
                    ) from error
                missing.appendleft(index)
            else:
                raise error
        if not finished:
            engine.check()


def _failure(future: Future[Any]) -> BaseException | None:
    if future.cancelled():
        return StateError("the task was cancelled")
    return future.exception()


def engine_for(job: Job, workers: int, scheduler: str | None) -> Engine:
    """Return an engine for a job.

    Parameters
    ----------
    workers
        Processes of this machine; 1: this process itself.
    scheduler
        Address of a Dask scheduler, whose workers do it.

    Raises
    ------
    ArgumentError
        The number of workers has no meaning, or there is also a scheduler.
    StateError
        The scheduler is not reached, or its workers are of another version.
    """
    if (
        isinstance(workers, bool)
        or not isinstance(workers, int)
        or not 1 <= workers <= MAX_WORKERS
    ):
        raise ArgumentError(
            f"workers is {shown(workers)}, expected a whole number from 1 to "
            f"{MAX_WORKERS}"
        )
    if scheduler is not None:
        if workers != 1:
            raise ArgumentError(
                f"workers is {workers} and scheduler is {shown(scheduler)}; the "
                "scheduler knows its workers: leave out workers"
            )
        from pyrave.databases.dask_engine import DaskEngine

        return DaskEngine(job, scheduler)
    return InProcess(job) if workers == 1 else WorkerProcesses(job, workers)
