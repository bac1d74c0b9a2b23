"""Jobs of workers: a database on a world of its own, once, then numbers of tasks.

The world has the bodies of the database alone, at rest where the world begins. So
results do not depend on where bodies stand, or on what is around them; and they are the
same in whichever process a task runs, as each unpickles the same bytes.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.bodies.views.link import Link
from pyrave.databases.store import check_arrays
from pyrave.errors import Error, StateError, error_text, last_frames
from pyrave.jit import eager
from pyrave.kinematics.limits import LimitCheck
from pyrave.scene import MeshData, MeshReference, TriMesh

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.bodies.kinbody import KinBody
    from pyrave.databases.database import Database

_COMPILE = "PYRAVE_COMPILE"
_compiled_before: list[str | None] = []
"""The variable as it was, once for each block of `compiled` in any thread."""
_counted = threading.Lock()


@dataclass(frozen=True, slots=True)
class Job:
    """A database for workers, pickled.

    Parameters
    ----------
    data
        The pickle.
    pyrave
        Version of pyrave that made it; workers have the same.
    """

    data: bytes
    pyrave: str

    @property
    def digest(self) -> str:
        """Name of the job: a hash of its content."""
        return hashlib.sha256(self.data).hexdigest()


_jobs: dict[str, Job] = {}
# an environment belongs to one thread at a time
_made = threading.local()


def make_job(database: Database) -> Job:
    """Return the job of a database; it has an environment of its own.

    Raises
    ------
    StateError
        Something of it cannot be pickled.
    """
    from pyrave import __version__

    twin = _alone(database)
    try:
        return Job(pickle.dumps(twin, pickle.HIGHEST_PROTOCOL), __version__)
    except Error:
        raise
    except Exception as error:
        raise StateError(
            f"{database!r} cannot be sent to workers: {error_text(error)}"
        ) from error


def keep_job(job: Job) -> str:
    """Keep a job for tasks of this process; return its digest."""
    _jobs[job.digest] = job
    return job.digest


def drop_job(digest: str) -> None:
    """Forget a job, and what this thread made of it."""
    _jobs.pop(digest, None)
    if getattr(_made, "digest", None) == digest:
        _made.digest, _made.database = None, None


def database_of(digest: str) -> Database:
    """Return the database of a job that was kept, one for each thread.

    Raises
    ------
    StateError
        This process has another version of pyrave, or lacks a plugin.
    """
    from pyrave import __version__

    if getattr(_made, "digest", None) == digest:
        found: Database = _made.database
        return found
    job = _jobs[digest]
    if job.pyrave != __version__:
        raise StateError(
            f"{_place()} has pyrave {__version__}, and the build is of {job.pyrave}; "
            "install the same version there"
        )
    try:
        made: Database = pickle.loads(job.data)  # noqa: S301 - of our own making
    except Exception as error:
        raise StateError(
            f"{_place()} cannot read what it is to compute: {error_text(error)}; "
            "install the same versions of pyrave and its plugins there"
        ) from error
    _made.digest, _made.database = digest, made
    return made


def run_task(digest: str, index: int) -> tuple[dict[str, NDArray[Any]], float]:
    """Return the arrays of one task, and the seconds of processor time it took.

    Raises
    ------
    StateError
        It failed; says where and why.
    """
    database = database_of(digest)
    begin = time.thread_time()
    label = f"task {index} of {database.kind}"
    try:
        with compiled():
            arrays = database._compute(index)  # noqa: SLF001 - for it alone
    except Error:
        raise
    except MemoryError as error:
        raise StateError(f"{label} does not fit into the memory of {_place()}") from (
            error
        )
    except Exception as error:  # noqa: BLE001 - of an author's code
        # what comes from another process must be readable here
        raise StateError(
            f"{label} failed on {_place()}: {error_text(error)}{last_frames(error)}"
        ) from None
    return check_arrays(arrays, label), time.thread_time() - begin


@contextmanager
def compiled() -> Iterator[None]:
    """Have all kernels compiled before they run, in a block.

    Then results do not depend on what was compiled when. Blocks of several threads may
    overlap, as those of a Dask worker do.
    """
    with _counted:
        before = _compiled_before[0] if _compiled_before else os.environ.get(_COMPILE)
        _compiled_before.append(before)
        os.environ[_COMPILE] = "foreground"
    try:
        with eager():
            yield
    finally:
        with _counted:
            _compiled_before.pop()
            if not _compiled_before:
                if before is None:
                    os.environ.pop(_COMPILE, None)
                else:
                    os.environ[_COMPILE] = before


def _place() -> str:
    return f"process {os.getpid()} on {socket.gethostname()}"


def _alone(database: Database) -> Database:
    """Return a database like another one, of bodies that are alone and at rest."""
    kept = [body.name for body in database.kept_bodies()]
    twin = database.moved_to(database.env.clone())
    env = twin.env
    for module in list(env.modules):
        env.remove(module)
    for sensor in list(env.internals.contents.sensor_list.values()):
        env.remove(sensor)
    for body in list(env.bodies):
        for held in body.grabbed:
            if body.name not in kept or held.name not in kept:
                body.release(held)
    for body in list(env.bodies):
        if body.name not in kept:
            env.remove(body)
    for body in env.bodies:
        _put_to_rest(body)
        for link in body.links:
            _embed_meshes(link)
    return twin


def _put_to_rest(body: KinBody) -> None:
    if body.holder is None:
        body.transform = np.eye(4)
    if body.dof:
        lower, upper = body.dof_limits
        body.set_dof_values(
            np.clip(np.zeros(body.dof), lower, upper), limits=LimitCheck.NONE
        )


def _embed_meshes(link: Link) -> None:
    """Have the triangles of a link's meshes in its description: workers lack files."""
    made: list[Any] = []
    for geometry in link.geometries:
        described = geometry.description
        if geometry.unusable:
            continue
        shape = described.shape
        if isinstance(shape, TriMesh) and isinstance(shape.mesh, MeshReference):
            mesh = geometry.mesh
            data = MeshData(mesh.vertices, mesh.faces)
            described = replace(described, shape=TriMesh(data))
        made.append(replace(described, render=None))
    before: Sequence[Any] = [one.description for one in link.geometries]
    if made != before:
        link.set_geometries(made)
