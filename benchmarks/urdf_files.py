"""Loading of URDF files beside yourdfpy, Pinocchio and MuJoCo."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from measuring import interleaved

import pyrave

__all__ = ["compared", "robots"]

ROUNDS = 3
_EXAMPLES = "cmeel.prefix/share/example-robot-data/robots"
_FILES = (
    f"{_EXAMPLES}/pr2_description/urdf/pr2.urdf",
    f"{_EXAMPLES}/talos_data/robots/talos_full_v2.urdf",
    f"{_EXAMPLES}/tiago_description/robots/tiago_dual.urdf",
    f"{_EXAMPLES}/baxter_description/urdf/baxter.urdf",
    f"{_EXAMPLES}/panda_description/urdf/panda.urdf",
    f"{_EXAMPLES}/romeo_description/urdf/romeo.urdf",
    f"{_EXAMPLES}/anymal_c_simple_description/urdf/anymal.urdf",
    f"{_EXAMPLES}/g1_description/urdf/g1_29dof_rev_1_0.urdf",
    f"{_EXAMPLES}/ur_description/urdf/ur5_robot.urdf",
    f"{_EXAMPLES}/double_pendulum_description/urdf/double_pendulum.urdf",
    "rtbdata/xacro/kuka_description/kuka_lbr_iiwa/urdf/lbr_iiwa_14_r820.urdf",
    "rtbdata/xacro/unimation_puma560_description/urdf/puma560_robot.urdf",
    # beside the packages: icub-models uses the environment's own `share`
    "../../../share/iCub/robots/iCubGazeboV2_7/model.urdf",
)


def robots() -> list[Path]:
    """Return the files of the extra `robots` that are installed."""
    sites = dict.fromkeys(Path(entry).resolve() for entry in sys.path if entry)
    found = [site / name for name in _FILES for site in sites]
    return [path.resolve() for path in found if path.is_file()]


def compared(files: list[Path]) -> dict[str, Any]:
    """Measure the loads of each file: without meshes, with all, and as people call it.

    yourdfpy opens the meshes of visuals unless told otherwise, pyrave each mesh when it
    is used. Pinocchio reads no geometry at all here, MuJoCo refuses a file of which it
    finds no mesh. Ratios are of least times: above 1, pyrave is the slower one.
    """
    results: dict[str, Any] = {}
    slower: dict[str, list[str]] = {}
    for path in files:
        cases = {name: case for name, case in _cases(path).items() if _works(case)}
        with _silence():
            figures = interleaved(cases, ROUNDS, warm_up=1)
        name = "/".join(path.parts[-3:])
        ratios = {
            peer: figures[mine]["min_s"] / figures[peer]["min_s"]
            for peer, mine in _AGAINST.items()
            if peer in figures
        }
        for peer, ratio in ratios.items():
            if ratio > 1.0:
                slower.setdefault(peer, []).append(name)
        results[name] = {"ratios": ratios, "figures": figures}
    return {"files": results, "slower_than": slower}


# what is compared with each peer
_AGAINST = {
    "yourdfpy_as_called": "pyrave_load",
    "yourdfpy_without_meshes": "pyrave_load",
    "yourdfpy_with_meshes": "pyrave_load_with_meshes",
    "pinocchio": "pyrave_load",
    "mujoco": "pyrave_load",
}


def _cases(path: Path) -> dict[str, Callable[[], Any]]:
    cases: dict[str, Callable[[], Any]] = {
        "pyrave_read": lambda: pyrave.read(path),
        "pyrave_load": lambda: pyrave.load(path),
        "pyrave_load_with_meshes": lambda: _with_meshes(path),
    }
    with contextlib.suppress(ImportError):
        import yourdfpy

        cases["yourdfpy_as_called"] = lambda: yourdfpy.URDF.load(str(path))
        cases["yourdfpy_without_meshes"] = lambda: yourdfpy.URDF.load(
            str(path), load_meshes=False
        )
        cases["yourdfpy_with_meshes"] = lambda: yourdfpy.URDF.load(
            str(path), load_collision_meshes=True, build_collision_scene_graph=True
        )
    with contextlib.suppress(ImportError):
        import pinocchio

        cases["pinocchio"] = lambda: pinocchio.buildModelFromUrdf(str(path))
    with contextlib.suppress(ImportError):
        import mujoco

        cases["mujoco"] = lambda: mujoco.MjModel.from_xml_path(str(path))
    return cases


def _with_meshes(path: Path) -> int:
    """Load a file and every mesh of it anew; return how many there are."""
    env = pyrave.load(path)
    references = {
        reference
        for body in env.bodies
        for link in body.describe().links
        for geometry in link.geometries
        for part in (geometry.shape, geometry.render)
        if getattr(reference := getattr(part, "mesh", None), "found", False)
    }
    # a process shares meshes while somebody has them: nobody has after this
    return len([env.load_mesh(reference).faces for reference in references])


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Keep what peers print out of the way, and MuJoCo's log out of this folder."""
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        Path(os.devnull).open("w") as nowhere,
        contextlib.redirect_stderr(nowhere),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        yield


def _works(case: Callable[[], Any]) -> bool:
    """Return whether a library reads the file."""
    with _silence():
        try:
            case()
        except Exception:  # noqa: BLE001 - whatever a peer refuses it with
            return False
    return True
