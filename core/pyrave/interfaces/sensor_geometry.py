"""What sensors are like, independent of what they measure."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from pyrave.spatial import Array

__all__ = [
    "ActuatorGeometry",
    "CameraGeometry",
    "CameraIntrinsics",
    "FlashLidarGeometry",
    "Force6DGeometry",
    "IMUGeometry",
    "JointEncoderGeometry",
    "LaserGeometry",
    "MultiBeamGeometry",
    "OdometryGeometry",
    "SensorGeometry",
    "SensorType",
    "SpinningLaserGeometry",
    "TactileGeometry",
]


class SensorType(enum.IntEnum):
    """Kinds of sensors, with OpenRAVE's codes."""

    INVALID = 0
    LASER = 1
    CAMERA = 2
    JOINT_ENCODER = 3
    FORCE6D = 4
    IMU = 5
    ODOMETRY = 6
    TACTILE = 7
    ACTUATOR = 8


def _empty() -> Array:
    return np.empty(0)


@dataclass(slots=True)
class SensorGeometry:
    """What a sensor is like, independent of the measurement."""

    sensor_type: ClassVar[SensorType] = SensorType.INVALID
    hardware_id: str = ""


@dataclass(slots=True)
class LaserGeometry(SensorGeometry):
    """Angles and resolutions in radians, ranges in metres, times in seconds.

    Two values of an angle are those of the scan (about z) and of the elevation; a
    scanner of one plane has the first alone.

    Parameters
    ----------
    time_increment
        Between one ray (of a multi-beam scanner: column of rays) and the next; while
        the scanner moves each is cast from where the scanner was then. 0: all at once.
    time_scan
        Between one scan and the next.
    """

    sensor_type: ClassVar[SensorType] = SensorType.LASER
    min_angle: tuple[float, float] = (0.0, 0.0)
    max_angle: tuple[float, float] = (0.0, 0.0)
    resolution: tuple[float, float] = (0.0, 0.0)
    min_range: float = 0.0
    max_range: float = 0.0
    time_increment: float = 0.0
    time_scan: float = 0.0


@dataclass(slots=True)
class SpinningLaserGeometry(LaserGeometry):
    """A laser whose plane turns about a line in the sensor's frame.

    Parameters
    ----------
    spin_axis
        (3,) direction of the line.
    spin_position
        (3,) a point on it, metres.
    spin_speed
        rad/s.
    """

    spin_axis: tuple[float, float, float] = (1.0, 0.0, 0.0)
    spin_position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    spin_speed: float = 0.0


@dataclass(slots=True)
class MultiBeamGeometry(LaserGeometry):
    """A lidar whose lasers lie above each other and turn about z together.

    Parameters
    ----------
    elevations
        Angle of each laser (ring) above the xy plane, radians.
    azimuth_offsets
        Of each laser against the column's angle, radians; empty: none.
    firing_times
        Of each laser after the column's first, seconds; empty: all at once.
    """

    elevations: tuple[float, ...] = (0.0,)
    azimuth_offsets: tuple[float, ...] = ()
    firing_times: tuple[float, ...] = ()


@dataclass(slots=True)
class CameraIntrinsics:
    """Pinhole parameters in pixels; distortion as in ROS's image_pipeline models."""

    fx: float = 0.0
    fy: float = 0.0
    cx: float = 0.0
    cy: float = 0.0
    focal_length: float = 0.01
    distortion_model: str = ""
    distortion_coeffs: tuple[float, ...] = ()


@dataclass(slots=True)
class CameraGeometry(SensorGeometry):
    """Image size in pixels; measurement time in seconds."""

    sensor_type: ClassVar[SensorType] = SensorType.CAMERA
    intrinsics: CameraIntrinsics = field(default_factory=CameraIntrinsics)
    width: int = 0
    height: int = 0
    sensor_reference: str = ""
    target_region: str = ""
    measurement_time: float = 1.0
    gain: float = 1.0


@dataclass(slots=True)
class FlashLidarGeometry(LaserGeometry):
    """A depth camera that illuminates: one ray for each pixel of a pinhole."""

    intrinsics: CameraIntrinsics = field(default_factory=CameraIntrinsics)
    width: int = 0
    height: int = 0


@dataclass(slots=True)
class JointEncoderGeometry(SensorGeometry):
    """Encoder resolution per joint, radians or metres."""

    sensor_type: ClassVar[SensorType] = SensorType.JOINT_ENCODER
    resolution: Array = field(default_factory=_empty)


@dataclass(slots=True)
class Force6DGeometry(SensorGeometry):
    """Polarity and (6, 6) correction matrix."""

    sensor_type: ClassVar[SensorType] = SensorType.FORCE6D
    polarity: int = 0
    correction_matrix: Array = field(default_factory=lambda: np.eye(6))


@dataclass(slots=True)
class IMUGeometry(SensorGeometry):
    """Time over which the IMU averages, seconds."""

    sensor_type: ClassVar[SensorType] = SensorType.IMU
    time_measurement: float = 0.0


@dataclass(slots=True)
class OdometryGeometry(SensorGeometry):
    """Name of the body or link whose motion is reported."""

    sensor_type: ClassVar[SensorType] = SensorType.ODOMETRY
    target_id: str = ""


@dataclass(slots=True)
class TactileGeometry(SensorGeometry):
    """Element positions (n, 3) metres in the sensor frame; contact parameters."""

    sensor_type: ClassVar[SensorType] = SensorType.TACTILE
    positions: Array = field(default_factory=lambda: np.empty((0, 3)))
    thickness: float = 0.0
    stiffness: float = 0.0
    friction: float = 0.0


@dataclass(slots=True)
class ActuatorGeometry(SensorGeometry):
    """Limits of a motor: N m, A, rad/s, rad/s2, rad/s3."""

    sensor_type: ClassVar[SensorType] = SensorType.ACTUATOR
    maximum_torque: float = 0.0
    maximum_current: float = 0.0
    nominal_current: float = 0.0
    maximum_velocity: float = 0.0
    maximum_acceleration: float = 0.0
    maximum_jerk: float = 0.0
    static_friction: float = 0.0
    viscous_friction: float = 0.0
