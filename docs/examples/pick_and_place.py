"""Carry the mug to the other side of the table."""

from __future__ import annotations

import pyrave
from pyrave.manipulation import Pick, Place, solve


def main() -> None:
    env = pyrave.load("scenes/demo.env.xml")
    robot, mug = env.robots["heron7"], env.bodies["mug"]
    arm = robot.active_manipulator

    goal = mug.transform
    goal[:3, 3] = 0.0, 0.15, 0.72
    task = solve(robot, Pick(arm, mug), Place(arm, mug, goal))
    if not task:
        raise SystemExit(task.cause)
    print("steps:", ", ".join(step.name for step in task.steps))
    print("carried:", bool(robot.execute(task)))
    print("the mug is at", mug.transform[:3, 3].round(4))


if __name__ == "__main__":
    main()
