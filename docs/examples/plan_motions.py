"""Go from goal to goal: plan, say what came of it, execute."""

from __future__ import annotations

import numpy as np

import pyrave


def main() -> None:
    env = pyrave.load("scenes/demo.env.xml")
    robot = env.robots["heron7"]
    arm = robot.active_manipulator
    above = np.diag([1.0, -1.0, -1.0, 1.0])  # the tool points down
    for name in ("brick", "block_red", "bottle", "shelf"):
        centre, half = env.bodies[name].aabb
        above[:3, 3] = centre
        above[2, 3] += half[2] + 0.12
        result = arm.plan(above, seed=1, timeout=20.0)
        if result.failure is not None:
            print(f"above {name}: {result.failure.code.value}")
            continue
        done = robot.execute(result)
        print(
            f"above {name}: {len(result.path)} waypoints, "
            f"{result.trajectory.duration:.2f} s, arrived: {bool(done)}"
        )


if __name__ == "__main__":
    main()
