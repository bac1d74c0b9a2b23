"""Work that the faults of `faults.py` befall: it writes files, or keeps them."""

from __future__ import annotations

import functools
import importlib.util
import os
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import pyrave
from pyrave.files import write_file
from pyrave.geometry import Mesh
from pyrave.scene import (
    BodyDescription,
    Box,
    GeometryDescription,
    LinkDescription,
    MeshData,
    TriMesh,
)

_SCENE = "scenes/demo.env.xml"
_ROBOT = "heron7"
_ROBOTS = ("robots/planar3r.robot.xml", "robots/rover.robot.xml")
_CORNERS = np.array(
    [[0, 0, 0], [2, 0, 0], [2, 1, 0], [1, 1, 0], [1, 2, 0], [0, 2, 0.0]], float
)


@dataclass(frozen=True)
class Work:
    """Writes a file of a user, one of two contents.

    Parameters
    ----------
    area
        ``"save"`` or ``"record"``.
    name
        The file.
    write
        Writes it to a path; takes 0 or 1 as well, for its content.
    read
        Reads it, as a user would; raises a `pyrave.Error` if it is damaged. None: no
        part of pyrave reads it.
    """

    area: str
    name: str
    write: Callable[[Path, int], Any]
    read: Callable[[Path], Any] | None = None

    def seen(self, folder: Path) -> Any:
        """Return what is there: what is read if it is of several files, or bytes."""
        if self.read is load_shapes:
            try:
                return load_shapes(folder / self.name)
            except pyrave.Error as error:
                return str(error)
        return zlib.crc32((folder / self.name).read_bytes())


@dataclass(frozen=True)
class Keeping:
    """Work that keeps something of its own, and does without it where it cannot.

    Parameters
    ----------
    area
        ``"cache"`` or ``"databases"``.
    name
        What is kept.
    do
        Does the work with a folder for what is kept; raises if the result is wrong.
        Returns whether it was there.
    kept
        Returns the files that are kept in a folder.
    """

    area: str
    name: str
    do: Callable[[Path], bool]
    kept: Callable[[Path], list[Path]] = field(repr=False)


def works() -> list[Work]:
    """Return all that writes files of users."""
    env, pieces = pyrave.load(_SCENE), _pieces_of_mesh()
    robots = [pyrave.load(name) for name in _ROBOTS]
    trajectories = _trajectories(env)
    scans = [_scan(env, turned) for turned in (0.0, 0.5)]

    def save(path: Path, content: int) -> None:
        env.bodies["mug"].transform = [1, 0, 0, 0, 0.1 * content, 0, 1]
        env.save(path, expand=True)

    def save_robot(path: Path, content: int) -> None:
        robots[content].save(path)

    def save_piece(path: Path, content: int) -> None:
        pieces[content].save(path)

    def write_trajectory(path: Path, content: int) -> None:
        # as the commands do, which tell an OSError in one line
        try:
            write_file(path, trajectories[content].to_xml(17))
        except OSError as error:
            raise pyrave.ArgumentError(f"{path.name}: {error.strerror}") from error

    def read_trajectory(path: Path) -> None:
        env.create("trajectory", "GenericTrajectory").deserialize(path.read_bytes())

    def picture(path: Path, content: int) -> None:
        env.picture(path, size=(160, 120), zoom=1.0 + content)

    def plot(path: Path, content: int) -> None:
        trajectories[content].plot(path, body=env.robots[_ROBOT])

    def scan(path: Path, content: int) -> None:
        pyrave.save_sensor_data(scans[content], path)

    found = [
        Work("save", "scene.env.xml", save, pyrave.read),
        Work("save", "scene.dae", save, pyrave.read),
        Work("save", "robot.urdf", save_robot, pyrave.read),
        Work("save", "piece.urdf", save_piece, load_shapes),
        Work("save", "cell.wc.xml", save_piece, load_shapes),
        Work("save", "motion.traj.xml", write_trajectory, read_trajectory),
        Work("record", "picture.png", picture),
        Work("record", "plot.png", plot),
        Work("record", "scan.npz", scan),
    ]
    if importlib.util.find_spec("viser"):
        record = functools.partial(_record, env, trajectories)
        found.append(Work("record", "motion.html", record))
    return found


def _pieces_of_mesh() -> list[pyrave.Environment]:
    """Return two scenes of one body, whose mesh is in files of its own."""
    made = []
    for height in (1.0, 3.0):
        mesh = _prism(height)
        shapes = (TriMesh(MeshData(mesh.vertices, mesh.faces)), Box((height, 1, 1)))
        geometries = tuple(GeometryDescription(shape) for shape in shapes)
        link = LinkDescription("base", geometries=geometries)
        env = pyrave.Environment()
        env.create_body(BodyDescription("piece", links=(link,)))
        made.append(env)
    return made


def _prism(height: float) -> Mesh:
    """Return an L, which is not convex."""
    top = _CORNERS + np.array([0, 0, height])
    n = len(_CORNERS)
    low = [[0, k + 1, k] for k in range(1, n - 1)]
    faces = low + [[a + n, c + n, b + n] for a, b, c in low]
    for k in range(n):
        after = (k + 1) % n
        faces += [[k, after, after + n], [k, after + n, k + n]]
    return Mesh(np.vstack([_CORNERS, top]), np.array(faces))


def _trajectories(env: pyrave.Environment) -> list[Any]:
    arm = env.robots[_ROBOT].active_manipulator
    goals = ({"joint1": 0.2}, {"joint2": 0.3})
    plans = [arm.plan(goal, seed=0) for goal in goals]
    return [plan.trajectory for plan in plans]


def _scan(env: pyrave.Environment, turned: float) -> Any:
    robot = env.robots[_ROBOT]
    with robot.preserve_state():
        robot.transform = [np.cos(turned), 0, 0, np.sin(turned), 0, 0, 0]
        return robot.attached_sensors["laser"].read()


def _record(
    env: pyrave.Environment, trajectories: list[Any], path: Path, content: int
) -> None:
    with env.record(path, trajectory=trajectories[content], rate=5.0):
        pass


def load_shapes(path: Path) -> list[Any]:
    """Load a scene with its meshes; return their corners, and sizes of other shapes."""
    env = pyrave.load(path, strict=True)
    found = []
    for body in env.bodies:
        for geometry in (one for link in body.links for one in link.geometries):
            is_mesh = geometry.type == "trimesh"
            array = geometry.mesh.vertices if is_mesh else geometry.half_extents
            found.append(np.round(array, 9).tolist())
    return sorted(found, key=str)


# -- what is kept --------------------------------------------------------------------


def keepings(packages: Path) -> list[Keeping]:
    """Return all that is kept between processes.

    Parameters
    ----------
    packages
        A folder for a kernel, which it is written to.
    """
    kernels = packages / "faultpackage" / "kernels"
    kernels.mkdir(parents=True)
    (kernels.parent / "__init__.py").touch()
    (kernels / "__init__.py").touch()
    (kernels / "twice.py").write_text("def twice(v) -> float:\n    return 2.0 * v[0]\n")
    sys.path.insert(0, str(packages))
    import numba  # noqa: F401 - each process would import it again

    found = [Keeping("cache", "machine code", _use_kernel, _entries)]
    if importlib.util.find_spec("coacd"):
        import coacd  # noqa: F401 - the same

        found.append(Keeping("databases", "convex pieces", _use_pieces, _pieces))
    return found


def _use_kernel(folder: Path) -> bool:
    from pyrave.jit import KernelModule

    os.environ["PYRAVE_CACHE_DIR"] = str(folder)
    twice = KernelModule("faultpackage.kernels.twice").jit.twice
    answers = [twice(np.array([1.5])), twice(np.array([2], dtype=np.int32))]
    if answers != [3.0, 4.0]:
        raise ValueError(f"a kernel returned {answers}")
    return sum(twice.stats.cache_hits.values()) == len(answers)


def _entries(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.code"))


def _use_pieces(folder: Path) -> bool:
    from pyrave.geometry import convex_pieces

    os.environ["PYRAVE_CACHE_DIR"] = str(folder)
    there = bool(_pieces(folder))
    pieces = convex_pieces(_prism(1.0))
    volume = sum(_volume(one) for one in pieces)
    if abs(volume - 3.0) > 0.1:
        raise ValueError(f"the pieces of an L of 3 m3 have {volume:.3f} m3")
    return there


def _pieces(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.npz"))


def _volume(corners: Any) -> float:
    from scipy.spatial import ConvexHull

    return float(ConvexHull(corners).volume)
