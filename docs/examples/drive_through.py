"""Drive a base through the gap between two walls, then back to where it began."""

from __future__ import annotations

import numpy as np

import pyrave
from pyrave import Affine
from pyrave.scene import body_from_boxes

BASE = Affine.X | Affine.Y | Affine.ROTATION_AXIS


def main() -> None:
    env = pyrave.load("robots/rover.robot.xml")
    rover = env.robots[0]
    for name, x, y in (("first", 1.0, 0.6), ("second", 2.0, -0.6)):
        wall = env.create_body(body_from_boxes(name, [(0, 0, 0, 0.05, 0.9, 0.3)]))
        wall.transform = [1, 0, 0, 0, x, y, 0.31]
    rover.set_active_dofs([], BASE)
    rover.active.set_affine_limits(
        Affine.X | Affine.Y, lower=(-1, -2, 0), upper=(4, 2, 0), resolution=0.05
    )
    rover.active.set_affine_limits(Affine.ROTATION_AXIS, resolution=0.1)
    home = rover.active.values
    for goal in ([3.0, 0.0, np.pi / 2], home):
        result = rover.plan(goal, seed=1, timeout=60.0)
        if not result:
            raise SystemExit(result.cause)
        done = rover.execute(result)
        print(
            f"at {rover.transform[:2, 3].round(2)} after "
            f"{result.trajectory.duration:.1f} s, arrived: {bool(done)}, "
            f"{result.statistics.detour:.2f} times the straight way"
        )


if __name__ == "__main__":
    main()
