"""The controller KeptController keeps its contract, and works."""

from __future__ import annotations

import numpy as np

from pyrave.testing import ControllerContract


class TestKeptController(ControllerContract):
    interface = "acme-kept:KeptController"


def test_it_drives_at_its_speed(scene):
    robot = scene.robots["arm"]
    controller = robot.set_controller("KeptController")
    robot.dof_values = np.zeros(robot.dof)
    goal = np.array([0.5, -0.25])
    assert controller.set_desired(goal)
    scene.step(0.1)
    np.testing.assert_allclose(robot.dof_values, [0.1, -0.1], atol=1e-9)
    for _ in range(5):
        scene.step(0.1)
    assert controller.is_done()
    np.testing.assert_allclose(robot.dof_values, goal, atol=1e-9)


def test_its_speed_is_set(scene):
    robot = scene.robots["arm"]
    assert robot.set_controller("KeptController", speed=3).settings.speed == 3.0
    robot.controller.change_settings(speed=0.5)
    assert robot.controller.settings.speed == 0.5
