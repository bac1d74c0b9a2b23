"""Reach through windows that get smaller, and say what stands in the way."""

from __future__ import annotations

import numpy as np

import pyrave
from pyrave.scene import body_from_boxes

CENTRE = np.array((0.5, 0.0, 0.45))
REACH = 0.8


def wall(half: float) -> pyrave.scene.BodyDescription:
    """Return a wall with a square window of a half width, about its origin."""
    wide, thin = 0.8, 0.01
    beam = 0.5 * (wide - half)
    beside = half + beam
    return body_from_boxes(
        "wall",
        [
            (0, beside, 0, thin, beam, wide),
            (0, -beside, 0, thin, beam, wide),
            (0, 0, beside, thin, half, beam),
            (0, 0, -beside, thin, half, beam),
        ],
    )


def main() -> None:
    env = pyrave.load("robots/heron7.robot.xml")
    robot = env.robots["heron7"]
    arm = robot.active_manipulator
    goal = np.eye(4)
    goal[:3, :3] = [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]  # the tool points along x
    goal[:3, 3] = REACH, *CENTRE[1:]
    for half in (0.3, 0.2, 0.15, 0.04):
        pierced = env.create_body(wall(half))
        pierced.transform = [1, 0, 0, 0, *CENTRE]
        arm.arm_dof_values = [1.2, 0.2, 0.0, 1.8, 0.0, 0.6, 0.0]
        result = arm.plan(goal, seed=1, timeout=10.0)
        failure = result.failure
        said = "through" if failure is None else failure.code.value
        print(f"{2 * half:.2f} m: {said}")
        if result and not robot.execute(result):
            raise SystemExit("the arm did not get there")
        env.remove(pierced)


if __name__ == "__main__":
    main()
