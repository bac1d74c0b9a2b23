"""Sweep an arm over a table and say what its laser sees."""

from __future__ import annotations

import numpy as np

import pyrave


def main() -> None:
    env = pyrave.load("scenes/demo.env.xml")
    robot = env.robots["heron7"]
    laser = robot.attached_sensors["laser"]
    for angle in np.linspace(-0.6, 0.6, 5):
        goal = robot.dof_values
        goal[0] = angle
        robot.controller.set_desired(goal)
        env.step(0.05)
        scan = laser.read()
        seen = {env.body_of_id(i).name for i in scan.body_ids if i >= 0}
        nearest = scan.distances.min()
        print(f"{angle:+.1f} rad: nearest {nearest:.2f} m; {', '.join(sorted(seen))}")


if __name__ == "__main__":
    main()
