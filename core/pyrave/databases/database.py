"""The base of databases: results that are computed once, by many, and kept by a key."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import numpy as np

from pyrave.bodies.kinbody import KinBody
from pyrave.cards import counted
from pyrave.databases.build import Parts, run_build
from pyrave.databases.jobs import compiled, database_of, drop_job, keep_job, make_job
from pyrave.databases.memory import available_memory
from pyrave.databases.status import DatabaseStatus
from pyrave.databases.store import (
    NewerFileError,
    check_arrays,
    database_folder,
    read_arrays,
    read_header,
    write_arrays,
)
from pyrave.databases.subjects import body_of, checked_subjects, place_of, subject_at
from pyrave.errors import ArgumentError, NotSupportedError, StateError, shown
from pyrave.files import PARTIAL
from pyrave.interfaces.settings.declarations import (
    NoSettings,
    made_settings,
    values_of,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.environment import Environment
    from pyrave.pictures import Drawing

_MEMORY_LEFT = 0.9
"""Part of the memory at hand that a build may need."""


class Database(ABC):
    """Results about arms and bodies that are computed once and kept in a file.

    A subclass says what it is about, and what its results depend on: that makes the
    key. A build is a list of small tasks, each of which depends on nothing but the key
    and its index, so that any number of processes and machines have the same results.

    Tasks run in a world of their own: the bodies of the database alone, their bases at
    the origin, joints at 0 or the limit next to it, nothing held. One thread at a time.

    Parameters
    ----------
    *subjects
        What it is about, in the order of `takes`.
    **parameters
        Those that `settings_type` declares.

    Raises
    ------
    ArgumentError
        A subject is of another type or environment, or a parameter is wrong.
    StateError
        A subject is in no environment.
    """

    kind: ClassVar[str]
    """Name on the command line, and of the folder."""
    version: ClassVar[int] = 1
    """Number of what it computes: another one makes other keys."""
    settings_type: ClassVar[type] = NoSettings
    """Frozen dataclass that declares the parameters, as plugins declare settings."""
    takes: ClassVar[Mapping[str, type]]
    """Types of the subjects by role: ``robot``, ``body``, ``manipulator``, ``target``
    or ``sensor``."""
    optional: ClassVar[frozenset[str]] = frozenset()
    """Roles that may be None."""

    def __init__(self, *subjects: Any, **parameters: Any) -> None:
        self.subjects = checked_subjects(self, subjects)
        first = next(one for one in self.subjects if one is not None)
        self._body = body_of(first)
        self.settings: Any = made_settings(self.settings_type, self.kind, parameters)
        self._arrays: Mapping[str, NDArray[Any]] | None = None
        self._header: Mapping[str, Any] = {}

    # -- what it is ----------------------------------------------------------------

    @property
    def env(self) -> Environment:
        """The environment of the subjects."""
        return self._body.env

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters by name, as JSON has them."""
        return {name: _plain(value) for name, value in values_of(self.settings).items()}

    @property
    def key(self) -> str:
        """Hexadecimal SHA-256 of all that results depend on, as it is now.

        Names, colours and poses of bodies take no part.
        """
        said = {
            "kind": self.kind,
            "version": self.version,
            "parameters": self.parameters,
            "identity": dict(self._identity()),
        }
        text = json.dumps(said, sort_keys=True, default=_plain)
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def path(self) -> Path:
        """File of the results, in `PYRAVE_DATABASE` or else the cache."""
        return self._path(self.key)

    def _path(self, key: str) -> Path:
        return database_folder() / self.kind / f"{key}.npz"

    def _parts(self, key: str, count: int = 0) -> Parts:
        return Parts(self._path(key).with_suffix(".parts"), key, count)

    # -- what there is -------------------------------------------------------------

    @property
    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """Results by name, read-only.

        Raises
        ------
        StateError
            Neither `build` nor `load` was called.
        """
        if self._arrays is None:
            raise StateError(f"{self!r} has no results yet; call build() or load()")
        return self._arrays

    @property
    def seconds(self) -> float:
        """Processor time that the tasks took, wherever they ran; see `arrays`."""
        self.arrays  # noqa: B018 - raises if there are none
        return float(self._header.get("seconds", 0.0))

    @property
    def is_current(self) -> bool:
        """True if the file is there, whole and of this key."""
        return not self._problem(self.key)

    def _problem(self, key: str) -> str:
        """Return the reason why the file is not current, empty if it is."""
        path = self._path(key)
        try:
            return self._mismatch(read_header(path), path, key)
        except FileNotFoundError:
            return f"there is no {path}; build() makes it"
        except StateError as error:
            return str(error)

    def _mismatch(self, header: Mapping[str, Any], path: Path, key: str) -> str:
        """Return the reason why a file is not of a key, empty if it is."""
        if header.get("kind") != self.kind:
            return f"{path} is of kind {shown(header.get('kind'))}, not {self.kind!r}"
        if header.get("key") != key:
            return (
                f"{path} is of another key, {shown(header.get('key'))}: it was renamed "
                "or copied; build() makes it anew"
            )
        return ""

    def status(self) -> DatabaseStatus:
        """Return what there is on the disk."""
        key = self.key
        path, problem = self._path(key), self._problem(key)
        header: Mapping[str, Any] = {} if problem else read_header(path)
        finished, tasks = self._parts(key).counted()
        size = path.stat().st_size if path.is_file() else 0
        return DatabaseStatus(
            self.kind,
            key,
            path,
            not problem,
            problem,
            finished,
            tasks,
            size + self._parts(key).size(),
            float(header.get("seconds", 0.0)),
            str(header.get("pyrave", "")),
        )

    def load(self) -> Self:
        """Read the results from the file, and return itself.

        Raises
        ------
        StateError
            There is no file, or it is cut, of another key or a newer format.
        """
        key = self.key
        path = self._path(key)
        try:
            header, arrays = read_arrays(path)
        except FileNotFoundError as error:
            raise StateError(
                f"there are no results of {self!r}: no file {path}; build() or `pyrave "
                f"db build {self.kind} FILE` makes it"
            ) from error
        if problem := self._mismatch(header, path, key):
            raise StateError(problem)
        return self._have(arrays, header)

    def _have(self, arrays: dict[str, NDArray[Any]], header: Mapping[str, Any]) -> Self:
        for array in arrays.values():
            array.setflags(write=False)
        self._arrays, self._header = MappingProxyType(arrays), header
        return self

    def clean(self) -> int:
        """Remove the file and the parts of unfinished builds; return their bytes.

        Raises
        ------
        StateError
            The file cannot be removed.
        """
        key = self.key
        path, parts = self._path(key), self._parts(key)
        size = parts.size()
        try:
            left = path.parent.glob(f".{key}.*{PARTIAL}{path.suffix}")
            for one in (path, *left):
                if one.exists():
                    size += one.stat().st_size
                    one.unlink()
        except OSError as error:
            raise StateError(
                f"{path} cannot be removed: {error.strerror or error}"
            ) from error
        parts.remove()
        self._arrays = None
        return size

    # -- building ------------------------------------------------------------------

    def build(
        self,
        *,
        workers: int = 1,
        scheduler: str | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> Self:
        """Compute the results unless they are there, keep them, and return itself.

        They are the same bit for bit, however many workers there are and whichever of
        them end meanwhile. Ctrl-C, a full disk or the end of the process lose tasks
        that are not done: the next call goes on with these.

        Parameters
        ----------
        workers
            Processes of this machine.
        scheduler
            Address of a Dask scheduler, as in ``"tcp://10.0.0.1:8786"``, whose workers
            do it; the extra `distributed` has what that takes.
        progress
            Called with the number of tasks that are done, and that of all. A terminal
            shows them too, and the time that is left.

        Raises
        ------
        ArgumentError
            The results need more memory than there is, or the number of workers has no
            meaning.
        StateError
            The scheduler is not reached, its workers are of another version, the disk
            is full, the file is of a newer pyrave, or a task failed.
        NotSupportedError
            There is a scheduler, and Dask is not installed.
        """
        if progress is not None and not callable(progress):
            raise ArgumentError(
                f"progress is {shown(progress)}, expected a function of two numbers"
            )
        key = self.key
        path = self._path(key)
        with suppress(FileNotFoundError):
            try:
                header, arrays = read_arrays(path)
            except NewerFileError:
                raise
            except StateError:
                header = {}  # it is made anew
            if header and not self._mismatch(header, path, key):
                return self._have(arrays, header)
        return self._build(key, workers, scheduler, progress)

    def _build(
        self,
        key: str,
        workers: int,
        scheduler: str | None,
        progress: Callable[[int, int], object] | None,
    ) -> Self:
        from pyrave import __version__

        job = make_job(self)
        digest = keep_job(job)
        try:
            twin = database_of(digest)
            if twin.key != key:
                raise StateError(
                    f"the key of {self.kind} changes with where bodies are; its "
                    "_identity has a pose, joint values or what is around"
                )
            with compiled():
                count = twin._task_count()  # noqa: SLF001 - of its own class
            self._check_memory(twin._memory())  # noqa: SLF001
            parts = self._parts(key, count)
            found, seconds = run_build(
                job,
                parts,
                f"building {self.kind}",
                workers=workers,
                scheduler=scheduler,
                progress=progress,
            )
            keep_job(job)
            with compiled():
                twin = database_of(digest)
                merged = twin._merge(found)  # noqa: SLF001
            arrays = check_arrays(merged, f"the merge of {self.kind}")
        finally:
            drop_job(digest)
        # contiguous, as they are once they are read again
        arrays = {name: np.ascontiguousarray(one) for name, one in arrays.items()}
        header = {
            "kind": self.kind,
            "version": self.version,
            "key": key,
            "parameters": self.parameters,
            "pyrave": __version__,
            "seconds": seconds,
            "tasks": count,
        }
        write_arrays(self._path(key), header, arrays)
        parts.remove()
        return self._have(
            {name: array.copy() for name, array in arrays.items()}, header
        )

    def _check_memory(self, needed: int) -> None:
        """Refuse what does not fit into memory before anything is computed."""
        free = available_memory()
        if free is not None and needed > _MEMORY_LEFT * free:
            given = ", ".join(f"{k}={v}" for k, v in self.parameters.items())
            raise ArgumentError(
                f"{self.kind} needs about {_gigabytes(needed)} of memory, and "
                f"{_gigabytes(free)} are free; coarser parameters need less: {given}"
            )

    def kept_bodies(self) -> Sequence[KinBody]:
        """Return the bodies that are in the world of tasks; those held stay held."""
        found = [body_of(one) for one in self.subjects if one is not None]
        return list(dict.fromkeys(found))

    def moved_to(self, env: Environment) -> Self:
        """Return a database of the things of the same names in a copy of its world."""
        places = [None if one is None else place_of(one) for one in self.subjects]
        return _made(type(self), self.version, env, places, values_of(self.settings))

    def __reduce__(self) -> tuple[Any, ...]:
        places = [None if one is None else place_of(one) for one in self.subjects]
        values = values_of(self.settings)
        return _made, (type(self), self.version, self.env, places, values)

    def __repr__(self) -> str:
        of = ", ".join(repr(one.name) for one in self.subjects if one is not None)
        built = self._arrays
        has = "not loaded" if built is None else counted(len(built), "array")
        return f"<{type(self).__name__} of {of}: {has}>"

    # -- what authors write --------------------------------------------------------

    @abstractmethod
    def _identity(self) -> Mapping[str, object]:
        """Return what results depend on besides parameters and version, for JSON.

        Digests of `pyrave.databases.keys`, numbers and texts; no names of bodies.
        """

    @abstractmethod
    def _task_count(self) -> int:
        """Return the number of tasks; by the key alone, not by who does them."""

    @abstractmethod
    def _compute(self, index: int) -> dict[str, NDArray[Any]]:
        """Return the arrays of one task, which depend on the key and index alone."""

    def _merge(
        self, parts: Sequence[dict[str, NDArray[Any]]]
    ) -> dict[str, NDArray[Any]]:
        """Return the results, of the parts in order of index: joined along axis 0."""
        names = list(parts[0]) if parts else []
        if any(list(part) != names for part in parts):
            raise StateError(f"tasks of {self.kind} gave arrays of different names")
        return {name: np.concatenate([part[name] for part in parts]) for name in names}

    def _memory(self) -> int:
        """Return about how many bytes a build needs at most; 0: few."""
        return 0

    def summary(self) -> dict[str, Any]:
        """Return a few figures about the results, for listings; JSON can hold them."""
        return {name: list(array.shape) for name, array in self.arrays.items()}

    def show(self) -> list[Drawing]:
        """Draw what was found into the environment, and return the drawings.

        Raises
        ------
        NotSupportedError
            This kind has nothing to draw.
        """
        raise NotSupportedError(f"{self.kind} has nothing to draw; see summary()")

    # -- what they need for it -----------------------------------------------------

    def _seed(self, index: int) -> int:
        """Return the seed of a task, from 0 to 2**32 - 1."""
        return int(self._sequence(index).generate_state(1)[0])

    def _generator(self, index: int) -> np.random.Generator:
        """Return the random numbers of a task."""
        return np.random.default_rng(self._sequence(index))

    def _sequence(self, index: int) -> np.random.SeedSequence:
        return np.random.SeedSequence(self._entropy, spawn_key=(index,))

    @cached_property
    def _entropy(self) -> int:
        return int(self.key, 16)


_Kind = TypeVar("_Kind", bound=Database)


def _made(
    kind: type[_Kind],
    version: int,
    env: Environment,
    places: list[tuple[str, ...] | None],
    values: dict[str, Any],
) -> _Kind:
    """Return the database that another process, or a copy of the world, is to have."""
    if kind.version != version:
        raise StateError(
            f"{kind.kind} has version {kind.version} here and {version} where it "
            "comes from; install the same plugins"
        )
    subjects = [None if one is None else subject_at(env, one) for one in places]
    return kind(*subjects, **values)


def _plain(value: Any) -> Any:
    """Return a value as JSON has it."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    return list(value) if isinstance(value, tuple) else value


def _gigabytes(count: float) -> str:
    return f"{count / 2**30:.1f} GiB"
