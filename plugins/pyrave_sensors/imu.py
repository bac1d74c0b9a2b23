"""Inertial measurement units."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.sensing.data import IMUData
from pyrave.spatial import Array, matrix_from_axis_angle, quat_from_matrix
from pyrave_sensors.bodies.disturbance import correlated, saturated, white
from pyrave_sensors.bodies.moving_sensor import (
    MovingGeometry,
    MovingSensor,
    covariance,
    quantity,
    switch,
    three,
)

if TYPE_CHECKING:
    from pyrave import Environment


@dataclass(frozen=True, repr=False)
class IMUGeometry(MovingGeometry):
    """Errors and limits of an inertial measurement unit.

    Noise densities and random walks are N and K of the Allan deviation.
    """

    title = "an inertial measurement unit"

    # fmt: off
    rotation_covariance: Array = covariance("radians")
    angular_velocity_covariance: Array = covariance("rad/s")
    linear_acceleration_covariance: Array = covariance("m/s2")
    gyroscope_noise_density: float = quantity(
        0.0, "rad/s per root of Hz", "white noise", "0.00017")
    gyroscope_random_walk: float = quantity(
        0.0, "rad/s2 per root of Hz", "drift of the bias", "2e-5")
    accelerometer_noise_density: float = quantity(
        0.0, "m/s2 per root of Hz", "white noise", "0.002")
    accelerometer_random_walk: float = quantity(
        0.0, "m/s3 per root of Hz", "drift of the bias", "0.003")
    max_angular_velocity: Array = three(
        "rad/s", "where it saturates", "8 8 8")
    max_acceleration: Array = three(
        "m/s2", "where it saturates", "160 160 160")
    draw_covariances: bool = switch(
        "1: measurements have errors of the three covariances")
    # fmt: on


class BaseIMU(MovingSensor[IMUGeometry, IMUData]):
    """Measure orientation, angular velocity and specific force, in the sensor's axes.

    The specific force is the acceleration of the sensor's origin less ``env.gravity``:
    at rest an upright sensor shows +g along z, in free fall nothing. Velocities are the
    robot's where it has some, else differences of second order, see `MotionHistory`.
    With ``time_measurement`` angular velocity and specific force are means over the
    steps since the last measurement.

    These are added in this order: a bias that walks at random (``..._random_walk``,
    zero when the sensor is switched on), white noise of a density N, which has the
    standard deviation N / sqrt(t) over the time t between measurements, and, with
    ``draw_covariances``, errors of the three covariances. Values beyond ``max_...`` are
    clipped. The covariances of the data are those with the white noise in them.

    XML tags: see `IMUGeometry`.
    """

    contract = 2
    settings_type = IMUGeometry
    data_type = IMUData

    def __init__(self, env: Environment, *args: str) -> None:
        self._sum = np.zeros(6)
        self._count = 0
        self._bias = np.zeros(6)
        # seconds since the last measurement, and between the two last ones
        self._elapsed = self._interval = 0.0
        super().__init__(env, *args)

    def restart(self) -> None:
        """Forget the motion so far, and the bias."""
        super().restart()
        self._sum, self._count = np.zeros(6), 0
        self._bias = np.zeros(6)
        self._elapsed = self._interval = 0.0

    def advance(self, dt: float) -> None:
        """Add this step to the mean."""
        self._sum = self._sum + self._instant(self.transform)
        self._count += 1
        self._elapsed += dt

    def sample(self, stamp: float, pose: Array) -> IMUData:
        """Measure: in a step the mean since the last measurement, else the moment."""
        g = self.geometry
        interval = self._elapsed if self.step else self._interval
        value = self._sum / self._count if self.step else self._instant(pose)
        turn = pose[:3, :3]
        densities = np.repeat(
            (g.gyroscope_noise_density, g.accelerometer_noise_density), 3
        )
        spread = densities / math.sqrt(interval) if interval > 0 else np.zeros(6)
        value = value + self._bias + white(self.random, spread, 6)
        if g.draw_covariances:
            value[:3] += correlated(self.random, g.angular_velocity_covariance)[0]
            value[3:] += correlated(self.random, g.linear_acceleration_covariance)[0]
            error = correlated(self.random, g.rotation_covariance)[0]
            turn = turn @ matrix_from_axis_angle(error)
        if self.step:
            self._close(interval)
        limits = np.concatenate((g.max_angular_velocity, g.max_acceleration))
        value, _ = saturated(value, limits)
        return IMUData(
            stamp,
            pose.copy(),
            quat_from_matrix(turn),
            value[:3],
            value[3:],
            g.rotation_covariance.copy(),
            g.angular_velocity_covariance + np.diag(spread[:3] ** 2),
            g.linear_acceleration_covariance + np.diag(spread[3:] ** 2),
        )

    def _instant(self, pose: Array) -> Array:
        """Return angular velocity and specific force (6,) of now, sensor axes."""
        link = self.carrier
        motion = self.motion_of(link)
        if link is not None:
            motion = motion.at(pose[:3, 3] - link.pose_view[:3, 3])
        turn = pose[:3, :3].T
        force = motion.acceleration - self.env.gravity
        return np.concatenate((turn @ motion.angular_velocity, turn @ force))

    def _close(self, interval: float) -> None:
        """Begin the next mean; meanwhile the bias has walked."""
        self._sum, self._count = np.zeros(6), 0
        self._elapsed, self._interval = 0.0, interval
        g = self.geometry
        walks = np.repeat((g.gyroscope_random_walk, g.accelerometer_random_walk), 3)
        steps = white(self.random, walks * math.sqrt(interval), 6)
        self._bias = self._bias + steps

    def kept(self) -> Any:
        """Return the mean so far and the bias."""
        return self._sum, self._count, self._elapsed, self._interval, self._bias

    def keep(self, kept: Any) -> None:
        """Adopt the mean and the bias of a copy."""
        self._sum, self._count, self._elapsed, self._interval, self._bias = kept
