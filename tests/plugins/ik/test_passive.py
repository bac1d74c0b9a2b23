"""Inverse kinematics where passive joints are, not where they were described."""

from __future__ import annotations

import numpy as np
import pytest

import pyrave
from pyrave.scene import (
    JointAxis,
    JointDescription,
    LinkDescription,
    ManipulatorDescription,
    Pose,
    RobotDescription,
)

X, Y, Z = np.eye(3).tolist()
AT = Pose.from_translation
WRIST = (
    *((Z, AT(0, 0, 0.3)), (Y, AT(0.1, 0, 0.2)), (Y, AT(0, 0, 0.5))),
    *((X, AT(0.4, 0, 0.05)), (Y, AT(0, 0, 0)), (X, AT(0, 0, 0))),
)
# the second joint of the first three turns along the first link: S R S
SEVEN = (
    *((Z, AT(0, 0, 0.3)), (Y, AT(0, 0, 0)), (Z, AT(0, 0, 0.4))),
    *((Y, AT(0, 0, 0)), (Z, AT(0, 0, 0.4)), (Y, AT(0, 0, 0)), (Z, AT(0, 0, 0))),
)


def robot_of(axes):
    def hinge(number, direction, pose, **more):
        return JointDescription(
            f"joint{number}", "hinge", f"link{number}", f"link{number + 1}",
            axes=(JointAxis(tuple(direction), lower=-3.1, upper=3.1),),
            T_parent_joint=pose, **more,
        )  # fmt: skip

    joints = [hinge(0, Z, AT(0, 0, 0.1), active=False)]
    joints += [hinge(k, d, pose) for k, (d, pose) in enumerate(axes, 1)]
    links = tuple(LinkDescription(f"link{k}") for k in range(len(joints) + 1))
    arm = ManipulatorDescription("arm", "link0", links[-1].name, tool=AT(0.1, 0, 0))
    env = pyrave.Environment()
    return env.create_body(
        RobotDescription("robot", links, tuple(joints), manipulators=(arm,))
    )


@pytest.mark.parametrize("axes", [WRIST, SEVEN], ids=["wrist", "seven"])
@pytest.mark.parametrize("solver", ["", "Numerical"])
def test_solutions_reach_the_goal_after_a_passive_joint_moved(axes, solver):
    robot = robot_of(axes)
    arm = robot.manipulators[0]
    if solver:
        arm.ik_solver = solver
    start = np.full(robot.dof, 0.1)
    for mount in (0.0, 0.5, -0.3):
        robot.passive_joints[0].values = (mount,)
        robot.dof_values = (0.3, 0.4, -0.5, 0.6, 0.7, 0.2, 0.4)[: robot.dof]
        goal = arm.transform
        robot.dof_values = start
        found = arm.solve_ik(goal)
        batch = arm.solve_ik_batch(goal[None], all=True).solutions[0]
        for values in (found, batch):
            robot.dof_values = values
            np.testing.assert_allclose(arm.transform, goal, atol=1e-6)
