"""Inertial measurement units against analytic motion; their errors."""

from __future__ import annotations

import numpy as np
import pytest
from body_sensors import GRAVITY, about_y, drive, pendulum

import pyrave
from pyrave import ArgumentError
from pyrave.spatial import matrix_from_axis_angle, matrix_from_quat
from pyrave_sensors.imu import IMUGeometry

ARM = np.array((0.5, 0.0, 0.2))
POSE = "<translation>0.5 0 0.2</translation>"


def test_at_rest_gravity_points_up():
    _env, robot, imu = pendulum("BaseIMU")
    data = imu.measure()
    np.testing.assert_allclose(data.linear_acceleration, -GRAVITY)
    np.testing.assert_array_equal(data.angular_velocity, 0)
    np.testing.assert_allclose(data.rotation, (1, 0, 0, 0))
    robot.dof_values = [0.4]
    data = imu.measure()
    np.testing.assert_allclose(
        data.linear_acceleration, about_y(0.4).T @ -GRAVITY, atol=1e-12
    )
    np.testing.assert_allclose(matrix_from_quat(data.rotation), about_y(0.4), atol=1e-9)


def test_free_fall():
    """A body that falls, its pose given step by step."""
    env = pyrave.Environment()
    imu = env.create("sensor", "BaseIMU")
    env.add(imu)
    for k in range(6):
        pose = np.eye(4)
        pose[:3, 3] = GRAVITY * (0.01 * k) ** 2 / 2
        imu.transform = pose
        env.step(0.01)
    np.testing.assert_allclose(imu.read().linear_acceleration, 0, atol=1e-9)


def expected(angle, rate, bend):
    """Angular velocity and specific force of `ARM` on the pendulum, sensor axes."""
    w, alpha = np.array((0, rate, 0)), np.array((0, bend, 0))
    pull = np.cross(alpha, ARM) + np.cross(w, np.cross(w, ARM))
    return w, pull - about_y(angle).T @ GRAVITY


@pytest.mark.parametrize("given", [True, False])
def test_swinging(given):
    """Errors fall with the square of the step, from poses and from velocities alike."""
    errors = []
    for dt in (0.01, 0.005, 0.0025):
        env, robot, imu = pendulum("BaseIMU", pose=POSE)
        velocity = (lambda t: 3 * np.cos(3 * t)) if given else None
        t = drive(env, robot, lambda t: np.sin(3 * t), round(0.5 / dt), dt, velocity)
        w, force = expected(np.sin(3 * t), 3 * np.cos(3 * t), -9 * np.sin(3 * t))
        data = imu.read()
        if given:
            np.testing.assert_allclose(data.angular_velocity, w, atol=1e-12)
        else:
            np.testing.assert_allclose(data.angular_velocity, w, atol=30 * dt**2)
        errors.append(np.abs(data.linear_acceleration - force).max())
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.2)
    assert errors[1] / errors[2] == pytest.approx(4, rel=0.2)


def test_constant_acceleration_is_exact():
    env, robot, imu = pendulum("BaseIMU", pose=POSE)
    t = drive(env, robot, lambda t: 2 * t + 5 * t * t / 2, 30, 0.004)
    w, force = expected(2 * t + 2.5 * t * t, 2 + 5 * t, 5)
    np.testing.assert_allclose(imu.read().angular_velocity, w, atol=1e-9)
    np.testing.assert_allclose(imu.read().linear_acceleration, force, atol=1e-6)


def test_mean_over_the_measurement_time():
    """Ten steps of an accelerating turn: the mean rate is that of their middle."""
    env, robot, imu = pendulum(
        "BaseIMU", "<measurement_time>0.01</measurement_time>", pose=POSE
    )
    data = []
    imu.register_data_callback(data.append)
    drive(env, robot, lambda t: 20 * t * t, 101, 0.001)
    times = np.array([0.001 + 0.01 * k for k in range(len(data))])
    means = np.array([one.angular_velocity[1] for one in data])
    # the first mean has steps in it that knew less of the past
    np.testing.assert_allclose(means[2:], 40 * (times[2:] - 0.0045), atol=1e-8)
    instant = imu.measure().angular_velocity[1]
    assert instant == pytest.approx(40 * 0.101)


def test_saturation():
    tags = "<max_angular_velocity>-1 2 -1</max_angular_velocity>"
    tags += "<max_acceleration>5 5 5</max_acceleration>"
    env, robot, imu = pendulum("base_imu", tags)
    drive(env, robot, lambda t: 3 * t, 5, 0.01)
    assert imu.read().angular_velocity[1] == 2
    assert np.abs(imu.read().linear_acceleration).max() == 5


def test_covariances():
    """Noise has the covariances; the data say them; off it is exact."""
    rng = np.random.default_rng(0)
    root = rng.normal(size=(3, 3, 3)) * np.array((0.01, 0.1, 0.2))[:, None, None]
    matrices = root @ root.transpose(0, 2, 1)
    matrices[2] = np.diag((0.04, 0.0, 0.01))
    _env, _robot, imu = pendulum("BaseIMU")
    imu.seed = 3
    names = ("rotation", "angular_velocity", "linear_acceleration")
    covariances = {
        f"{name}_covariance": matrix
        for name, matrix in zip(names, matrices, strict=True)
    }
    imu.set_sensor_geometry(IMUGeometry(draw_covariances=True, **covariances))
    data = [imu.measure() for _ in range(3000)]
    for name in ("angular_velocity", "linear_acceleration"):
        seen = np.cov(np.array([getattr(one, name) for one in data]).T)
        wanted = covariances[f"{name}_covariance"]
        np.testing.assert_allclose(seen, wanted, atol=0.1 * np.abs(wanted).max())
        np.testing.assert_array_equal(getattr(data[0], f"{name}_covariance"), wanted)
    angles = np.array([2 * one.rotation[1:] * np.sign(one.rotation[0]) for one in data])
    np.testing.assert_allclose(
        np.cov(angles.T), matrices[0], atol=0.1 * np.abs(matrices[0]).max()
    )
    imu.set_sensor_geometry(IMUGeometry(**covariances))
    np.testing.assert_array_equal(imu.measure().angular_velocity, 0)
    np.testing.assert_allclose(imu.measure().linear_acceleration, -GRAVITY)


def allan_deviation(rate, dt, tau):
    """Return the overlapping Allan deviation of (n, 3) rates at a time tau."""
    m = round(tau / dt)
    angle = np.cumsum(rate, axis=0) * dt
    second = angle[2 * m :] - 2 * angle[m:-m] + angle[: -2 * m]
    return np.sqrt((second**2).mean() / (2 * tau**2))


def test_densities_by_allan_deviation():
    """White noise: N / sqrt(tau); random walk: K sqrt(tau / 3)."""
    env = pyrave.Environment()
    imu = env.create("sensor", "BaseIMU")
    env.add(imu)
    n, dt = 10_000, 0.01

    def rates(**densities):
        imu.power = False
        imu.power = True
        imu.set_sensor_geometry(IMUGeometry(**densities))
        imu.seed = 1
        pose = np.eye(4)
        imu.step = dt
        found = []
        for _ in range(n):
            imu.advance(dt)
            found.append(imu.sample(0, pose))
        imu.step = 0.0
        return (
            np.array([one.angular_velocity for one in found]),
            np.array([one.linear_acceleration for one in found]) + GRAVITY,
        )

    gyro, force = rates(gyroscope_noise_density=0.002, accelerometer_noise_density=0.03)
    for tau in (0.05, 0.5):
        root = np.sqrt(tau)
        assert allan_deviation(gyro, dt, tau) == pytest.approx(0.002 / root, rel=0.05)
        assert allan_deviation(force, dt, tau) == pytest.approx(0.03 / root, rel=0.05)
    gyro, force = rates(gyroscope_random_walk=0.01, accelerometer_random_walk=0.2)
    for tau in (0.5, 1.0):
        root = np.sqrt(tau / 3)
        assert allan_deviation(gyro, dt, tau) == pytest.approx(0.01 * root, rel=0.1)
        assert allan_deviation(force, dt, tau) == pytest.approx(0.2 * root, rel=0.1)


def test_density_is_part_of_the_covariance():
    tags = "<gyroscope_noise_density>0.1</gyroscope_noise_density>"
    env, _robot, imu = pendulum("BaseIMU", tags)
    env.step(0.01)
    found = imu.read().angular_velocity_covariance
    np.testing.assert_allclose(found, np.eye(3) * 0.01 / 0.01)


@pytest.mark.parametrize(
    "matrix", [[[1, 2, 0], [0, 1, 0], [0, 0, 1]], np.diag((1, -1, 1))]
)
def test_what_is_no_covariance(matrix):
    _env, _robot, imu = pendulum("BaseIMU")
    with pytest.raises(ArgumentError, match="rotation_covariance is not symmetric"):
        imu.set_sensor_geometry(IMUGeometry(rotation_covariance=matrix))


def test_switched_on_anew_it_knows_of_no_motion():
    env, robot, imu = pendulum("BaseIMU", pose=POSE)
    drive(env, robot, lambda t: 3 * t, 5, 0.01)
    imu.power = False
    robot.dof_values = [2.0]
    imu.power = True
    env.step(0.01)
    np.testing.assert_array_equal(imu.read().angular_velocity, 0)


def test_turned_sensor():
    """The same motion in the axes of a sensor that is mounted askew."""
    pose = POSE + "<rotationaxis>1 2 3 50</rotationaxis>"
    env, robot, imu = pendulum("BaseIMU", pose=pose)
    t = drive(env, robot, lambda t: t * t, 9, 0.01)
    axis = np.array((1.0, 2, 3)) / np.sqrt(14)
    turn = matrix_from_axis_angle(axis, np.radians(50))
    w, force = expected(t * t, 2 * t, 2)
    np.testing.assert_allclose(imu.read().angular_velocity, turn.T @ w, atol=1e-9)
    np.testing.assert_allclose(
        imu.read().linear_acceleration, turn.T @ force, atol=1e-8
    )
