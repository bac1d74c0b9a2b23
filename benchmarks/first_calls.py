"""First calls of a fresh process with an empty cache, as a user makes them.

``python benchmarks/first_calls.py [PYTHON ...]`` measures the named interpreters (those
of environments with a wheel, for example), or this one. Seconds of processor time of
the process and of all that it starts, and of the clock, less those of an empty process
that imports numba: the least of three each. ``call_cpu_s`` ends as the call returns,
the others with the process; ``whole_cpu_s`` is all of it. Peers that are installed make
a first call, too, imports included. Targets with the wheel that brings machine code:
each 0.3 s, first plan 1 s, demo 3 s; without: plan 8 s, demo 6 s. ``--rounds`` and
``--calls`` measure less.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import sys
import tempfile
import time
from pathlib import Path

from measuring import report

ROUNDS = 3
LOAD = 'import pyrave\nenv = pyrave.load("scenes/demo.env.xml")\n'
CALLS = {
    "load": LOAD,
    "forward_kinematics": LOAD + "env.robots[0].manipulators[0].transform",
    "solve_ik": LOAD + "arm = env.robots[0].manipulators[0]\n"
    "assert len(arm.solve_ik(arm.transform))",
    "check_collision": LOAD + "env.check_collision(env.robots[0])",
    "distance": LOAD + 'env.distance(env.robots[0], env.bodies["table"])',
    "check_10000_configurations": LOAD + "import numpy as np\n"
    "robot = env.robots[0]\n"
    "rows = np.tile(robot.dof_values, (10000, 1))\n"
    "env.collision_checker.check_configurations(robot, rows)",
    "raycast": LOAD + "env.raycast([0, 0, 5], [0, 0, -1])",
    "scan": LOAD + "env.robots[0].attached_sensors[0].measure()",
    "picture": LOAD + "env.picture()",
    "step": LOAD + "env.step(0.01)",
    "dynamics": LOAD + "env.robots[0].inverse_dynamics()",
    "plan": LOAD + "arm = env.robots[0].manipulators[0]\n"
    "goal = arm.transform\ngoal[2, 3] += 0.05\n"
    "assert arm.plan(goal, seed=0).trajectory is not None",
    "grasps": LOAD + "from pyrave.grasping import Grasper, box_rays\n"
    'arm, mug = env.robots[0].manipulators[0], env.bodies["mug"]\n'
    "Grasper(arm, mug, friction=0.6).grasps(box_rays(mug, 0.05))",
    "demo": "import subprocess, sys\n"
    'subprocess.run([sys.executable, "-m", "pyrave", "demo", "--out", "demo"],'
    "check=True, stdout=subprocess.DEVNULL)",
}

SPENT = """
spent = os.times()
with open("spent", "w") as file:
    file.write(str(sum(spent[:4])))
"""
"""Behind each call: the time of the process, and of those that it waited for."""

PEERS = {
    "mujoco": "import mujoco\n"
    "model = mujoco.MjModel.from_xml_string('<mujoco><worldbody><body><freejoint/>"
    '<geom size="0.1"/></body></worldbody></mujoco>\')\n'
    "mujoco.mj_step(model, mujoco.MjData(model))",
    "pin": "import numpy as np\nimport pinocchio\n"
    "model = pinocchio.buildSampleModelManipulator()\n"
    "zero = np.zeros(model.nv)\n"
    "pinocchio.rnea(model, model.createData(), zero, zero, zero)",
    "coal": "import coal\n"
    "ball, pose = coal.Sphere(1.0), coal.Transform3s.Identity()\n"
    "coal.collide(ball, pose, ball, pose, coal.CollisionRequest(), "
    "coal.CollisionResult())",
    "ompl": "from ompl import base, geometric, util\n"
    "util.setLogLevel(util.LogLevel.LOG_NONE)\n"
    "space = base.RealVectorStateSpace(7)\n"
    "bounds = base.RealVectorBounds(7)\n"
    "bounds.setLow(-1.0)\nbounds.setHigh(1.0)\nspace.setBounds(bounds)\n"
    "setup = geometric.SimpleSetup(space)\n"
    "setup.setStateValidityChecker(lambda state: True)\n"
    "ends = [space.allocState() for _ in range(2)]\n"
    "for i in range(7):\n    ends[0][i], ends[1][i] = -0.5, 0.5\n"
    "setup.setStartAndGoalStates(*ends)\n"
    "setup.setPlanner(geometric.RRTConnect(setup.getSpaceInformation()))\n"
    "assert setup.solve(5.0)",
}
"""A small first call of each peer, by its distribution."""


def measure(interpreter: str, code: str) -> tuple[float, float, float]:
    """Return seconds of a process with an empty cache.

    They are processor time until the code has run, all processor time, and the clock's.
    """
    with tempfile.TemporaryDirectory() as folder:
        environ = {
            **os.environ,
            "PYRAVE_CACHE_DIR": str(Path(folder) / "cache"),
            "PYRAVE_COMPILE": "session",
        }
        # as in any installation, no call compiles pyrave's sources
        environ.pop("PYTHONDONTWRITEBYTECODE", None)
        null = os.open(os.devnull, os.O_WRONLY)
        begin = time.perf_counter()
        actions = [(os.POSIX_SPAWN_DUP2, null, 1), (os.POSIX_SPAWN_DUP2, null, 2)]
        words = [interpreter, "-c", f"import os\nos.chdir({folder!r})\n{code}{SPENT}"]
        pid = os.posix_spawn(interpreter, words, environ, file_actions=actions)
        _, status, used = os.wait4(pid, 0)
        passed = time.perf_counter() - begin
        os.close(null)
        if status:
            raise SystemExit(f"{interpreter} failed at:\n{code}")
        until = float((Path(folder) / "spent").read_text())
    return until, used.ru_utime + used.ru_stime, passed


def least(runs: list[tuple[float, float, float]]) -> list[float]:
    """Return the least of each figure: whatever else goes on only adds to it."""
    return [min(one) for one in zip(*runs, strict=True)]


def installed(name: str) -> bool:
    """Return whether a distribution is installed."""
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("interpreters", nargs="*", default=[sys.executable])
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--calls", nargs="+", choices=CALLS, default=list(CALLS))
    options = parser.parse_args()
    peers = {
        name: round(
            min(measure(sys.executable, code)[1] for _ in range(options.rounds)), 2
        )
        for name, code in PEERS.items()
        if installed(name)
    }
    for interpreter in options.interpreters:
        # processes that are waited for count with their children
        base = least([measure(interpreter, "import numba") for _ in range(ROUNDS)])
        figures = {}
        for name in options.calls:
            code = CALLS[name]
            runs = least([measure(interpreter, code) for _ in range(options.rounds)])
            call, cpu, clock = (a - b for a, b in zip(runs, base, strict=True))
            figures[name] = {
                "call_cpu_s": round(call, 2),
                "cpu_s": round(cpu, 2),
                "clock_s": round(clock, 2),
                "whole_cpu_s": round(runs[1], 2),
            }
        report(
            "first_calls",
            python=interpreter,
            calls=figures,
            peers={name: {"cpu_s": spent} for name, spent in peers.items()},
        )


if __name__ == "__main__":
    main()
