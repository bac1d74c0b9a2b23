"""Odometry: whose motion, velocities, drift and noise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from body_sensors import about_y, drive, pendulum

import pyrave
from pyrave.spatial import matrix_from_axis_angle, rotation_vector
from pyrave_sensors.odometry import OdometryGeometry

CART = """<environment>
<robot name="cart"><kinbody><body name="chassis"/><body name="mast"/>
  <joint name="j" type="slider"><body>chassis</body><body>mast</body>
    <axis>0 0 1</axis><limits>0 9</limits></joint></kinbody></robot>
<kinbody name="ball"><body name="shell"/><body name="core"/>
  <joint name="k" type="slider"><body>shell</body><body>core</body>
    <axis>0 0 1</axis><limits>0 9</limits></joint></kinbody>
<sensor type="{0}" name="odo">{1}</sensor>
</environment>"""


def cart(interface="BaseOdometry", tags=""):
    env = pyrave.Environment()
    env.load_string(CART.format(interface, tags), strict=True)
    return env, env.robots["cart"], env.sensors["odo"]


def along(t):
    """A circle of 2 m radius at 0.5 rad/s, (4, 4)."""
    pose = np.eye(4)
    pose[:3, :3] = matrix_from_axis_angle((0.0, 0.0, 1.0), 0.5 * t)
    pose[:3, 3] = (2 * np.sin(0.5 * t), 2 - 2 * np.cos(0.5 * t), 0)
    return pose


def roll(env, robot, n=40, dt=0.01):
    for k in range(1, n + 1):
        robot.transform = along(k * dt)
        env.step(dt)
    return n * dt


@pytest.mark.parametrize("tag", ["targetid", "target", "target_id"])
def test_pose_and_velocity_of_a_body(tag):
    env, robot, odometer = cart("BaseOdometry", f"<{tag}>cart</{tag}>")
    t = roll(env, robot)
    data = odometer.read()
    np.testing.assert_allclose(data.target_pose, along(t), atol=1e-12)
    heading = (np.cos(0.5 * t), np.sin(0.5 * t), 0)
    np.testing.assert_allclose(data.linear_velocity, heading, atol=1e-4)
    np.testing.assert_allclose(data.angular_velocity, (0, 0, 0.5), atol=1e-9)


@pytest.mark.parametrize(
    ("target", "z"), [("cart/mast", 0.7), ("ball", 5.0), ("ball/core", 7.0)]
)
def test_target_links(target, z):
    env, robot, odometer = cart(tags=f"<targetid>{target}</targetid>")
    robot.dof_values = [0.7]
    env.bodies["ball"].transform = [1, 0, 0, 0, 0, 0, 5]
    env.bodies["ball"].dof_values = [2.0]
    assert odometer.measure().target_pose[2, 3] == pytest.approx(z)


def test_carried_it_reports_the_carrying_link():
    env, robot, odometer = pendulum(
        "BaseOdometry", pose="<translation>1 0 0</translation>"
    )
    t = drive(env, robot, lambda t: 2 * t, 10, 0.01)
    data = odometer.read()
    np.testing.assert_allclose(data.target_pose[:3, :3], about_y(2 * t), atol=1e-12)
    np.testing.assert_allclose(data.angular_velocity, (0, 2, 0), atol=1e-9)
    np.testing.assert_allclose(data.target_pose[:3, 3], 0, atol=1e-12)


def test_alone_it_reports_itself():
    env, _robot, odometer = cart()
    for k in range(5):
        odometer.transform = [1, 0, 0, 0, 0.1 * k, 0, 0]
        env.step(0.1)
    assert odometer.read().linear_velocity[0] == pytest.approx(1)
    assert odometer.read().target_pose[0, 3] == pytest.approx(0.4)


def test_unknown_targets_are_named():
    env = pyrave.Environment()
    env.load_string(CART.format("BaseOdometry", "<targetid>cartt</targetid>"))
    odometer = env.sensors["odo"]
    with pytest.raises(pyrave.NotFoundError, match="cartt"):
        odometer.measure()
    env.step(0.01)
    assert odometer.disabled
    assert "cart" in str(env.problems[-1])


@pytest.mark.parametrize("period", [0.025, 0.1])
def test_drift_does_not_depend_on_the_period(period):
    """1 m of a circle: the heading's variance is drift^2 way, over many runs."""
    env, robot, odometer = cart()
    drift = (0.0, 0.0, 0.1, 0.0)
    odometer.set_sensor_geometry(OdometryGeometry(target_id="cart", drift=drift))
    errors = []
    for _ in range(150):
        odometer.power = False
        odometer.power = True  # a new track
        for k in range(round(1 / period) + 1):
            robot.transform = along(period * k)
            env.step(period)
        turn = odometer.read().target_pose[:3, :3].T @ robot.transform[:3, :3]
        errors.append(rotation_vector(turn)[2])
    assert np.std(errors) == pytest.approx(0.1, rel=0.15)


def test_no_drift_without_motion_and_unless_asked_for():
    env, robot, odometer = cart()
    geometry = OdometryGeometry(target_id="cart", drift=(1, 1, 1, 1))
    odometer.set_sensor_geometry(geometry)
    for _ in range(5):
        env.step(0.01)
    np.testing.assert_array_equal(odometer.read().target_pose, np.eye(4))
    roll(env, robot, 3)
    assert np.abs(odometer.read().target_pose - robot.transform).max() > 1e-3
    odometer.set_sensor_geometry(replace(geometry, drift=(0, 0, 0, 0)))
    roll(env, robot, 3)
    np.testing.assert_array_equal(odometer.read().target_pose, robot.transform)


def test_covariances():
    _env, _robot, odometer = cart()
    pose_covariance = np.diag((0.01, 0.04, 0, 0, 0, 1e-4))
    velocity_covariance = np.diag((0.09, 0, 0, 0, 0, 0.01))
    odometer.set_sensor_geometry(
        OdometryGeometry(
            target_id="cart",
            draw_covariances=True,
            pose_covariance=pose_covariance,
            velocity_covariance=velocity_covariance,
        )
    )
    data = [odometer.measure() for _ in range(2000)]
    places = np.array([one.target_pose[:3, 3] for one in data])
    np.testing.assert_allclose(places.std(axis=0), (0.1, 0.2, 0), rtol=0.08)
    rates = np.array([one.angular_velocity for one in data])
    np.testing.assert_allclose(rates.std(axis=0), (0, 0, 0.1), rtol=0.08)
    np.testing.assert_array_equal(data[0].pose_covariance, pose_covariance)
    np.testing.assert_array_equal(data[0].velocity_covariance, velocity_covariance)


def test_covariances_of_velocities_are_in_their_axes():
    """A cart that was turned by 90 degrees: what it does not know along it is y."""
    _env, robot, odometer = cart()
    robot.transform = [np.sqrt(0.5), 0, 0, np.sqrt(0.5), 0, 0, 0]
    odometer.set_sensor_geometry(
        OdometryGeometry(
            target_id="cart",
            draw_covariances=True,
            velocity_covariance=np.diag((0.09, 0, 0, 0.01, 0, 0)),
        )
    )
    data = [odometer.measure() for _ in range(1000)]
    seen = [np.concatenate((one.linear_velocity, one.angular_velocity)) for one in data]
    wanted = np.diag((0, 0.09, 0, 0, 0.01, 0))
    np.testing.assert_allclose(data[0].velocity_covariance, wanted, atol=1e-15)
    np.testing.assert_allclose(np.cov(np.array(seen).T), wanted, atol=0.01)


def test_covariances_describe_unless_they_are_drawn():
    _env, robot, odometer = cart()
    odometer.set_sensor_geometry(
        OdometryGeometry(target_id="cart", pose_covariance=np.eye(6))
    )
    data = odometer.measure()
    np.testing.assert_array_equal(data.target_pose, robot.transform)
    np.testing.assert_array_equal(data.pose_covariance, np.eye(6))
