"""Loading of URDF files beside yourdfpy, Pinocchio and MuJoCo."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from measuring import interleaved

import pyrave

__all__ = ["compared", "robots"]

ROUNDS = 5
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
    """Measure the loads of each file, meshes left where they are.

    Pinocchio reads no geometry at all here, MuJoCo refuses what it cannot find.
    """
    results: dict[str, Any] = {}
    slower = []
    for path in files:
        cases = {name: case for name, case in _cases(path).items() if _works(case)}
        figures = interleaved(cases, ROUNDS, warm_up=1)
        mine = figures["pyrave_load"]["median_s"]
        found: dict[str, Any] = {"figures": figures}
        for name, figure in figures.items():
            if not name.startswith("pyrave"):
                found[f"ratio_to_{name}"] = mine / figure["median_s"]
        if found.get("ratio_to_yourdfpy", 0.0) > 1.0:
            slower.append(path.name)
        results["/".join(path.parts[-3:])] = found
    return {"files": results, "slower_than_yourdfpy": slower}


def _cases(path: Path) -> dict[str, Callable[[], Any]]:
    cases: dict[str, Callable[[], Any]] = {
        "pyrave_read": lambda: pyrave.read(path),
        "pyrave_load": lambda: pyrave.load(path),
    }
    with contextlib.suppress(ImportError):
        import yourdfpy

        cases["yourdfpy"] = lambda: yourdfpy.URDF.load(
            str(path), load_meshes=False, build_scene_graph=True
        )
    with contextlib.suppress(ImportError):
        import pinocchio

        cases["pinocchio"] = lambda: pinocchio.buildModelFromUrdf(str(path))
    with contextlib.suppress(ImportError):
        import mujoco

        cases["mujoco"] = lambda: mujoco.MjModel.from_xml_path(str(path))
    return cases


def _works(case: Callable[[], Any]) -> bool:
    """Return whether a library reads the file; what it prints then is left out."""
    with (
        Path(os.devnull).open("w") as nowhere,
        contextlib.redirect_stderr(nowhere),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        try:
            case()
        except Exception:  # noqa: BLE001 - whatever a peer refuses it with
            return False
    return True
