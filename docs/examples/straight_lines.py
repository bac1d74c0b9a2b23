"""Lead the tool of an arm around a square, and say which joint works hardest."""

from __future__ import annotations

import numpy as np

import pyrave

SIDE = 0.2
SPEED = 0.1
STEPS = 40


def main() -> None:
    env = pyrave.load("robots/arms/ur5.robot.xml")
    arm = env.robots["ur5"].active_manipulator
    arm.arm_dof_values = [0.3, -1.1, 1.3, -0.4, 1.2, 2.0]
    for side in ((0, 1, 0), (0, 0, 1), (0, -1, 0), (0, 0, -1)):
        corner = arm.transform
        corner[:3, 3] += SIDE * np.array(side)
        path = arm.straight_line(corner, STEPS)
        if not path:
            raise SystemExit(path.cause)
        rates = np.abs(np.diff(path.values, axis=0)).max(axis=0) * STEPS * SPEED / SIDE
        joint = arm.arm_joints[int(rates.argmax())]
        print(f"{side}: {joint.name} moves at up to {rates.max():.2f} rad/s")
        arm.arm_dof_values = path.values[-1]


if __name__ == "__main__":
    main()
