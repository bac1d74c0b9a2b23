"""Carry a cup over a bar: its tool stays upright all the way."""

from __future__ import annotations

import numpy as np

import pyrave
from pyrave.planning import ToolDirection
from pyrave.scene import body_from_boxes

LEAN = 0.15


def main() -> None:
    env = pyrave.load("robots/heron7.robot.xml")
    robot = env.robots["heron7"]
    arm = robot.active_manipulator
    arm.arm_dof_values = [-0.8, 0.9, 0.0, 1.2, 0.0, 1.04, 0.0]
    cup = env.create_body(body_from_boxes("cup", [(0, 0, 0, 0.03, 0.03, 0.05)]))
    cup.transform = arm.transform
    robot.grab(cup, arm.end_effector)
    x, y, z = arm.transform[:3, 3]
    bar = env.create_body(body_from_boxes("bar", [(0, 0, 0, 0.3, 0.02, 0.02)]))
    bar.transform = [1, 0, 0, 0, x, 0.5 * y, z - 0.05]

    up = arm.transform[:3, :3].T @ [0, 0, 1]  # what points up now, in the tool
    goal = arm.transform
    goal[1, 3] = 0.0
    upright = ToolDirection(up, angle=LEAN)
    result = arm.plan(goal, constraints=upright, seed=1, timeout=120.0)
    if not result:
        raise SystemExit(result.cause)

    leaning = []
    with robot.preserve_state():
        for time in np.linspace(0.0, result.trajectory.duration, 200):
            spec = robot.specification_of(arm.arm_indices)
            arm.arm_dof_values = result.trajectory.sample(time, spec)
            leaning.append(np.arccos(min(1.0, (arm.transform[:3, :3] @ up)[2])))
    print(f"the cup leans by {max(leaning):.2f} at most, {LEAN} are allowed")
    print("there:", bool(robot.execute(result)), cup.transform[:3, 3].round(2))


if __name__ == "__main__":
    main()
