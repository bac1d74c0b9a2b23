"""The robot KeptRobot keeps its contract, and works."""

from __future__ import annotations

import numpy as np

from pyrave.testing import RobotContract


class TestKeptRobot(RobotContract):
    interface = "acme-kept:KeptRobot"


def test_travel_adds_up(scene):
    robot = next(r for r in scene.robots if r.interface_id == "KeptRobot")
    start = robot.dof_values
    robot.simulation_step(0.1)
    for step in (0.05, -0.1, 0.2):
        robot.dof_values = robot.dof_values + step
        robot.simulation_step(0.1)
    assert np.allclose(robot.command("travel"), 0.35)
    assert np.allclose(robot.dof_values - start, 0.15)
    twin = scene.clone().robots[robot.name]
    assert np.allclose(twin.command("travel"), 0.35)
