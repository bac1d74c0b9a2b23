"""Two arms carry one tray: neither lets go, and the tray stays level."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import pyrave
from pyrave.planning import verify_together
from pyrave.scene import body_from_boxes
from pyrave.spatial import invert_pose, rotation_vector

HALF = 0.2


def main() -> None:
    arm = pyrave.load("robots/heron7.robot.xml").robots[0].description
    env = pyrave.Environment()
    left, right = (
        env.create_body(replace(arm, name=name)) for name in ("left", "right")
    )
    left.transform = [1, 0, 0, 0, 0.0, -0.45, 0.0]
    right.transform = [1, 0, 0, 0, 0.0, 0.45, 0.0]
    hands = [robot.active_manipulator for robot in (left, right)]

    handles = [(0, y, 0.04, 0.01, 0.02, 0.03) for y in (-HALF, HALF)]
    boxes = [(0, 0, 0, 0.1, HALF, 0.01), *handles]
    tray = env.create_body(body_from_boxes("tray", boxes))
    tray.transform = [1, 0, 0, 0, 0.4, 0.0, 0.35]
    # the tools point down at both handles, with fingers on both sides of them
    in_tray = [np.diag([1.0, -1.0, -1.0, 1.0]) for _ in hands]
    for pose, y in zip(in_tray, (-HALF, HALF), strict=True):
        pose[:3, 3] = 0.0, y, 0.06
    for hand, pose in zip(hands, in_tray, strict=True):
        found = hand.solve_ik(tray.transform @ pose)
        if found is None:
            raise SystemExit(f"{hand} does not reach the tray")
        hand.arm_dof_values = found
        hand.gripper_dof_values = [0.015]
    hands[0].robot.grab(tray, hands[0].end_effector)

    def level(_: np.ndarray) -> np.ndarray:
        """Return how far the other hand is from its end, and how the tray tilts."""
        place = tray.transform
        off = invert_pose(place @ in_tray[1]) @ hands[1].transform
        turned = rotation_vector(off[:3, :3])
        return np.concatenate((off[:3, 3], turned, place[:2, 2]))

    goal = tray.transform
    goal[:3, 3] += 0.05, 0.1, 0.1
    goals = {hand: goal @ pose for hand, pose in zip(hands, in_tray, strict=True)}
    result = env.plan(goals, constraints=level, seed=1, timeout=120.0)
    if not result:
        raise SystemExit(result.cause)
    print("broken promises:", len(verify_together([left, right], result.trajectory)))
    print("carried:", bool(env.execute(result)))
    print("the tray is at", tray.transform[:3, 3].round(2))
    print(f"the other hand is off by {1e3 * np.abs(level(goal)[:3]).max():.2f} mm")


if __name__ == "__main__":
    main()
