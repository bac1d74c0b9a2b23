"""First calls of a fresh process with an empty cache, as a user makes them.

``python benchmarks/first_calls.py [PYTHON ...]`` measures the named interpreters (those
of environments with a wheel, for example), or this one. Seconds of processor time of
the process and of all that it starts, and of the clock, less those of an empty process
that imports numba: the median of three. Targets with the wheel that brings machine
code: each 0.3 s, first plan 1 s, demo 3 s; without: plan 8 s, demo 6 s.
"""

from __future__ import annotations

import os
import statistics
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


def measure(interpreter: str, code: str) -> tuple[float, float]:
    """Return processor and clock seconds of a process with an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        environ = {
            **os.environ,
            "PYRAVE_CACHE_DIR": str(Path(folder) / "cache"),
            "PYRAVE_COMPILE": "session",
        }
        null = os.open(os.devnull, os.O_WRONLY)
        begin = time.perf_counter()
        actions = [(os.POSIX_SPAWN_DUP2, null, 1), (os.POSIX_SPAWN_DUP2, null, 2)]
        words = [interpreter, "-c", f"import os\nos.chdir({folder!r})\n{code}"]
        pid = os.posix_spawn(interpreter, words, environ, file_actions=actions)
        _, status, used = os.wait4(pid, 0)
        passed = time.perf_counter() - begin
        os.close(null)
    if status:
        raise SystemExit(f"{interpreter} failed at:\n{code}")
    return used.ru_utime + used.ru_stime, passed


def main() -> None:
    for interpreter in sys.argv[1:] or [sys.executable]:
        # processes that are waited for count with their children
        base = [measure(interpreter, "import numba") for _ in range(ROUNDS)]
        least = [min(one) for one in zip(*base, strict=True)]
        figures = {}
        for name, code in CALLS.items():
            runs = [measure(interpreter, code) for _ in range(ROUNDS)]
            cpu, clock = (statistics.median(one) for one in zip(*runs, strict=True))
            figures[name] = {
                "cpu_s": round(cpu - least[0], 2),
                "clock_s": round(clock - least[1], 2),
            }
        report("first_calls", python=interpreter, calls=figures)


if __name__ == "__main__":
    main()
