"""Sensors come last in a step: they see what controllers and physics did in it."""

from __future__ import annotations

import numpy as np
import pytest
from body_sensors import pendulum

import pyrave
from pyrave.plugins import default_registry
from pyrave_base.physics import GenericPhysicsEngine


def test_a_sensor_sees_what_the_controller_did_in_the_same_step():
    env, robot, encoder = pendulum("BaseEncoder")
    robot.set_controller("IdealVelocityController")
    robot.controller.set_desired([0.5])
    for k in range(1, 6):
        env.step(0.1)
        data = encoder.read()
        assert data.values[0] == pytest.approx(0.05 * k)
        assert data.velocities[0] == 0.5
        np.testing.assert_array_equal(data.pose, robot.links["arm"].transform)


class Kicker(GenericPhysicsEngine):
    """Turn the arm by a tenth in each step."""

    contract = 1

    def simulate_step(self, dt):
        """Move the arm."""
        robot = self.env.robots["pendulum"]
        robot.dof_values = robot.dof_values + 0.1
        robot.dof_velocities = [0.1 / dt]


def test_a_sensor_sees_what_the_physics_engine_did_in_the_same_step():
    env, _robot, encoder = pendulum("BaseEncoder")
    with env.register("physicsengine", "Kicker", Kicker):
        env.physics_engine = "Kicker"
        env.step(0.01)
        assert encoder.read().values[0] == pytest.approx(0.1)
        assert encoder.read().velocities[0] == pytest.approx(10)


def test_stand_alone_sensors_see_robots_moved_in_the_same_step():
    more = "<sensor type='BaseOdometry' name='o'><targetid>pendulum/arm</targetid>"
    env, robot, _ = pendulum("BaseEncoder", more=more + "</sensor>")
    robot.set_controller("IdealVelocityController")
    robot.controller.set_desired([1.0])
    env.step(0.1)
    data = env.sensors["o"].read()
    np.testing.assert_array_equal(data.target_pose, robot.links["arm"].transform)
    np.testing.assert_allclose(data.angular_velocity, (0, 1, 0), atol=1e-12)


def test_a_failing_sensor_is_named_and_the_others_go_on():
    more = "<sensor type='BaseIMU' name='imu'/>"
    env, _robot, encoder = pendulum(
        "BaseEncoder", "<joint>elbow</joint>", more=more, strict=False
    )
    for _ in range(3):
        env.step(0.01)
    assert encoder.disabled
    assert env.sensors["imu"].read() is not None
    (problem,) = [p for p in env.problems if p.code == "plugin-failure"]
    for word in ("BaseEncoder", "pendulum:one", "elbow", "is disabled"):
        assert word in problem.message, problem.message


def test_every_geometry_has_a_hardware_id():
    env = pyrave.Environment()
    ids = {
        one
        for record in default_registry().records()
        if record.distribution == "pyrave"
        for one in record.interfaces.get("sensor", ())
    }
    assert {"BaseIMU", "BaseForce6D", "BaseLaser2D"} <= ids
    for one in ids:
        sensor = env.create("sensor", one)
        assert sensor.get_sensor_geometry().hardware_id == ""
        sensor.change_settings(hardware_id="unit-4")
        assert sensor.get_sensor_geometry().hardware_id == "unit-4"
