"""Open a door: the hinge and the arm move together, the tool stays at the handle."""

from __future__ import annotations

import numpy as np

import pyrave
from pyrave.planning import verify_together
from pyrave.scene import (
    Box,
    GeometryDescription,
    JointAxis,
    JointDescription,
    LinkDescription,
    Pose,
    RobotDescription,
)
from pyrave.spatial import invert_pose, rotation_vector

WIDTH = 0.4
ANGLE = 0.9


def door() -> RobotDescription:
    """Return a panel on a hinge, its handle at the far end."""
    panel = GeometryDescription(
        Box((0.5 * WIDTH, 0.01, 0.3)), pose=Pose.from_translation(0.5 * WIDTH, 0, 0)
    )
    handle = GeometryDescription(
        Box((0.01, 0.02, 0.05)), pose=Pose.from_translation(WIDTH - 0.05, 0.03, 0)
    )
    hinge = JointAxis((0, 0, 1), lower=-1.5, upper=1.5, velocity_limit=0.5)
    return RobotDescription(
        "door",
        links=(
            LinkDescription("frame"),
            LinkDescription("leaf", geometries=(panel, handle)),
        ),
        joints=(JointDescription("hinge", "hinge", "frame", "leaf", axes=(hinge,)),),
    )


def main() -> None:
    env = pyrave.load("robots/heron7.robot.xml")
    robot = env.robots["heron7"]
    arm = robot.active_manipulator
    leaf = env.create_body(door())
    # the frame of the door beside the arm, the handle in reach
    leaf.transform = [np.sqrt(0.5), 0, 0, np.sqrt(0.5), 0.9, -0.35, 0.5]
    # fingers on both sides of the handle, with room to both
    in_leaf = np.eye(4)
    in_leaf[:3, 3] = WIDTH - 0.05, 0.05, 0
    in_leaf[:3, :3] = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
    arm.gripper_dof_values = [0.015]

    def at_handle() -> np.ndarray:
        return leaf.links["leaf"].transform @ in_leaf

    first = arm.plan(at_handle(), timeout=30.0)
    print("to the handle:", bool(first and robot.execute(first.trajectory)))
    with env.preserve_state():
        leaf.dof_values = [ANGLE]
        opened = at_handle()

    def holds(_: np.ndarray) -> np.ndarray:
        off = invert_pose(at_handle()) @ arm.transform
        return np.concatenate((off[:3, 3], rotation_vector(off[:3, :3])))

    goals = {arm: opened, leaf: [ANGLE]}
    result = env.plan(goals, constraints=holds, timeout=120.0)
    if not result:
        raise SystemExit(result.cause)
    trajectory = result.trajectory
    print("broken promises:", len(verify_together([robot, leaf], trajectory)))
    off = []
    with env.preserve_state():
        for time in np.linspace(0.0, trajectory.duration, 200):
            row = trajectory.sample(time)
            for one in (robot, leaf):
                values = trajectory.spec.extract_joint_values(
                    row, one, range(one.dof), default=one.dof_values
                )
                if values is not None:
                    one.dof_values = values
            off.append(np.linalg.norm(holds(row)[:3]))
    print(f"the tool leaves the handle by {1e3 * max(off):.1f} mm at most")
    print("opened:", bool(env.execute(trajectory)), leaf.dof_values.round(2))


if __name__ == "__main__":
    main()
