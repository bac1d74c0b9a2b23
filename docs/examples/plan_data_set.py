"""Plan many motions on all cores; the same seed gives the same set."""

from __future__ import annotations

import multiprocessing
import os
import sys
from concurrent.futures import ProcessPoolExecutor

import numpy as np

import pyrave

_env: pyrave.Environment | None = None


def start(env: pyrave.Environment) -> None:
    """Keep the environment that this worker was sent."""
    global _env  # noqa: PLW0603 - one environment a process is the point
    _env = env


def planned(number: int) -> tuple[int, np.ndarray | None, str]:
    """Return the path of plan `number`, or why there is none."""
    if _env is None:
        raise RuntimeError("call start first")
    robot = _env.robots["heron7"]
    checker = _env.collision_checker
    rows = robot.sample_configurations(64, seed=number)
    free = rows[~checker.check_configurations(robot, rows)]
    if len(free) < 2:
        return number, None, "no two free configurations"
    robot.dof_values = free[0]
    result = robot.plan(free[1], seed=number, timeout=20.0)
    return number, result.path if result else None, result.cause


def main(count: int = 200) -> None:
    env = pyrave.load("scenes/demo.env.xml")
    env.ignore_collisions("heron7/base", "table")  # it stands there
    # "spawn" works alike on all systems
    with ProcessPoolExecutor(
        os.cpu_count(), multiprocessing.get_context("spawn"), start, (env,)
    ) as pool:
        found = list(pool.map(planned, range(count)))
    paths = [path for _, path, _ in found if path is not None]
    waypoints = sum(map(len, paths))
    print(f"{len(paths)} of {count} plans, {waypoints} waypoints")
    for number, path, cause in found:
        if path is None:
            print(f"plan {number}: {cause.splitlines()[0]}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
