"""Calls of OpenRAVE's Python API on pyrave, one at a time: microseconds each.

Each row is a call as scripts make it, and beside it the same of pyrave's own:

* ``GetName``, ``GetTransform``: what a call costs; ``overhead_us`` is the least
  difference to the native call, 2 us at most.
* ``pair``: ``robot.SetDOFValues(q)`` with ``manip.GetEndEffectorTransform()``, other
  values with every call. OpenRAVE 0.149 took 7.4 us for it on another machine; here
  it may take twice that.
* ``active``: ``robot.SetActiveDOFValues(q)`` and ``robot.GetActiveDOFValues()``.
* ``import``: seconds of ``import openravepy`` in a new process, numpy's and pyrave's
  beside it; 0.3 s at most.

By default with the robot that ships; ``--reference PATH`` adds that of a scene of
yours, such as the WAM in OpenRAVE's ``data/lab1.env.xml``. Medians and least of samples
of 25 calls, interleaved, on one core: on a busy machine the least says more.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from measuring import each, interleaved, pin_to_one_core, python, report

import pyrave
import pyrave_openravepy

if __name__ == "openravepy":
    # who has this folder on the path and means the API gets it
    del sys.modules[__name__]
    pyrave_openravepy.install()

CALLS = 25
"""Calls of one sample."""
OPENRAVE_PAIR_US = 7.4
"""What the pair took in OpenRAVE 0.149, microseconds."""


def calls(robot: Any, native: Any) -> dict[str, Callable[[np.ndarray], Any]]:
    """Return the rows by their names; each takes (dof,) joint values."""
    manip, arm = robot.GetActiveManipulator(), native.active_manipulator
    indices = manip.GetArmIndices()
    robot.SetActiveDOFs(indices)
    active = native.active

    def pair(q: np.ndarray) -> Any:
        robot.SetDOFValues(q)
        return manip.GetEndEffectorTransform()

    def native_pair(q: np.ndarray) -> Any:
        native.set_dof_values(q)
        return arm.transform

    def active_values(q: np.ndarray) -> Any:
        robot.SetActiveDOFValues(q[indices])
        return robot.GetActiveDOFValues()

    def native_active_values(q: np.ndarray) -> Any:
        active.set_values(q[indices])
        return active.values

    return {
        "GetName": lambda _: robot.GetName(),
        "GetName, native": lambda _: native.name,
        "GetTransform": lambda _: robot.GetTransform(),
        "GetTransform, native": lambda _: native.transform,
        "pair": pair,
        "pair, native": native_pair,
        "active": active_values,
        "active, native": native_active_values,
    }


def configurations(native: Any) -> np.ndarray:
    """Return (CALLS, dof) values within the limits, other ones in each row."""
    lower, upper = (np.clip(one, -3.0, 3.0) for one in native.dof_limits)
    rng = np.random.default_rng(1)
    return lower + (upper - lower) * rng.random((CALLS, native.dof))


def measure(scene: str, rounds: int) -> dict[str, Any]:
    """Return the rows of the first robot of a scene."""
    api: Any = pyrave_openravepy.install()
    env = api.Environment()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pyrave.SceneWarning)
        if not env.Load(scene):
            raise SystemExit(f"{scene} cannot be loaded: the log says why")
    robot = env.GetRobots()[0]
    native = robot._native  # noqa: SLF001 - what is measured beside it
    rows = configurations(native)
    cases = {name: each(call, rows) for name, call in calls(robot, native).items()}
    with pyrave.jit.eager():
        found = interleaved(cases, rounds, warm_up=20)
    taken = {
        name: {
            "median_us": one["median_s"] / CALLS * 1e6,
            "least_us": one["min_s"] / CALLS * 1e6,
        }
        for name, one in found.items()
    }
    names = [name for name in taken if f"{name}, native" in taken]
    over = {
        name: taken[name]["least_us"] - taken[f"{name}, native"]["least_us"]
        for name in names
    }
    return {
        "calls": taken,
        "beyond_native_us": over,
        "overhead_us": min(over["GetName"], over["GetTransform"]),
        "pair_to_openrave": taken["pair"]["least_us"] / OPENRAVE_PAIR_US,
    }


def imports(rounds: int) -> dict[str, Any]:
    """Return seconds of imports in new processes."""
    install = "import pyrave_openravepy; pyrave_openravepy.install(); "
    return dict(
        interleaved(
            {
                "numpy": python("import numpy"),
                "pyrave": python("import pyrave"),
                "openravepy": python(install + "import openravepy"),
            },
            rounds,
        )
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--reference", metavar="PATH", action="append", default=[])
    parser.add_argument("--rounds", type=int, default=100)
    chosen = parser.parse_args()
    started = imports(max(3, chosen.rounds // 10))
    pin_to_one_core()
    scenes = ["scenes/demo.env.xml", *chosen.reference]
    report(
        "openravepy",
        imports=started,
        openrave_pair_us=OPENRAVE_PAIR_US,
        robots={scene: measure(scene, chosen.rounds) for scene in scenes},
    )


if __name__ == "__main__":
    main()
