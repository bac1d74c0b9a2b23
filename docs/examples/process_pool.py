"""Measure from many poses in several processes."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import pyrave

_env: pyrave.Environment | None = None


def start(env: pyrave.Environment) -> None:
    """Keep the environment that this worker was sent."""
    global _env  # noqa: PLW0603 - one environment a process is the point
    _env = env


def nearest(angle: float) -> float:
    if _env is None:
        raise RuntimeError("call start first")
    robot = _env.robots["heron7"]
    robot.set_dof_values([angle], [0])
    return float(robot.attached_sensors["laser"].measure().distances.min())


def main() -> None:
    env = pyrave.load("scenes/demo.env.xml")
    angles = [-0.4, -0.2, 0.0, 0.2, 0.4]
    # "spawn" works alike on all systems
    with ProcessPoolExecutor(
        2, multiprocessing.get_context("spawn"), start, (env,)
    ) as pool:
        distances = list(pool.map(nearest, angles))
    for angle, distance in zip(angles, distances, strict=True):
        print(f"{angle:+.1f} rad: {distance:.3f} m")


if __name__ == "__main__":
    main()
