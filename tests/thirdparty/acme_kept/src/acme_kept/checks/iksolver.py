"""The iksolver KeptIksolver keeps its contract, and works."""

from __future__ import annotations

import numpy as np

import pyrave
from pyrave.testing import IkSolverContract


class TestKeptIksolver(IkSolverContract):
    interface = "acme-kept:KeptIksolver"


def test_it_reaches_poses_that_the_arm_can_reach(scene):
    robot = scene.robots["arm"]
    arm = robot.manipulators[0]
    arm.ik_solver = "KeptIksolver"
    robot.dof_values = wanted = np.array([0.4, 0.9])
    pose = arm.transform
    robot.dof_values = np.zeros(2)
    np.testing.assert_allclose(arm.solve_ik(pose), wanted, atol=1e-3)
    goal = pyrave.IkParameterization.translation_3d(pose[:3, 3])
    assert len(arm.solve_ik(goal, all=True)) == 2  # elbow on either side
    far = pyrave.IkParameterization.translation_3d((9, 9, 9))
    assert "no start" in arm.ik_solver.solve(far).failures[0]
