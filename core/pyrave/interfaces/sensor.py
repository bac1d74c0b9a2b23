"""Base of sensors, their geometry and their data."""

from __future__ import annotations

import enum
import weakref
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pyrave.errors import NotSupportedError
from pyrave.interfaces.base import InterfaceBase
from pyrave.interfaces.handles import CallbackList, Handle
from pyrave.spatial import Array

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from pyrave.interfaces.attached_sensor import AttachedSensor
    from pyrave.interfaces.environment import EnvironmentProtocol

__all__ = [
    "ActuatorData",
    "ActuatorGeometry",
    "CameraData",
    "CameraGeometry",
    "CameraIntrinsics",
    "ConfigureCommand",
    "FlashLidarGeometry",
    "Force6DData",
    "Force6DGeometry",
    "IMUData",
    "IMUGeometry",
    "JointEncoderData",
    "JointEncoderGeometry",
    "LaserData",
    "LaserGeometry",
    "MultiBeamGeometry",
    "OdometryData",
    "OdometryGeometry",
    "SensorBase",
    "SensorData",
    "SensorGeometry",
    "SensorType",
    "SpinningLaserGeometry",
    "TactileData",
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


class ConfigureCommand(enum.IntEnum):
    """Switches of a sensor, with OpenRAVE's codes; ``*_CHECK`` asks for the state."""

    POWER_ON = 0x10
    POWER_OFF = 0x11
    POWER_CHECK = 0x12
    RENDER_DATA_ON = 0x20
    RENDER_DATA_OFF = 0x21
    RENDER_DATA_CHECK = 0x23
    RENDER_GEOMETRY_ON = 0x30
    RENDER_GEOMETRY_OFF = 0x31
    RENDER_GEOMETRY_CHECK = 0x32


def _zeros3() -> Array:
    return np.zeros(3)


def _zeros33() -> Array:
    return np.zeros((3, 3))


def _eye4() -> Array:
    return np.eye(4)


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


@dataclass(slots=True)
class SensorData:
    """One measurement.

    Parameters
    ----------
    stamp
        Simulated time of the measurement, microseconds.
    pose
        (4, 4) T_world_sensor at the stamp.
    """

    sensor_type: ClassVar[SensorType] = SensorType.INVALID
    stamp: int = 0
    pose: Array = field(default_factory=_eye4)


@dataclass(slots=True)
class LaserData(SensorData):
    """A scan of n rays.

    Parameters
    ----------
    positions
        (1, 3), or (n, 3) if the scanner moved meanwhile: origin of each ray, metres,
        world axes.
    ranges
        (n, 3) vectors from the origin to the hit (or to maximum range), world axes.
    intensity
        (n,) 1 where something came back, else 0 (or what the sensor measures).
    body_ids
        (n,) index of the body hit in ``env.bodies`` at the stamp, -1 for none.
    rings
        (n,) number of the laser of a scanner that has several; or empty.
    time_offsets
        (n,) when each ray was cast, seconds after the stamp (0 or less: the stamp is
        that of the last ray); or empty: all of them at the stamp.
    """

    sensor_type: ClassVar[SensorType] = SensorType.LASER
    positions: Array = field(default_factory=lambda: np.empty((0, 3)))
    ranges: Array = field(default_factory=lambda: np.empty((0, 3)))
    intensity: Array = field(default_factory=_empty)
    body_ids: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    rings: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    time_offsets: Array = field(default_factory=_empty)

    @property
    def distances(self) -> Array:
        """Length of each range vector, (n,), metres."""
        return np.asarray(np.sqrt((self.ranges**2).sum(axis=1)))

    @property
    def points(self) -> Array:
        """End point of each ray, (n, 3), metres, world axes."""
        return np.asarray(self.positions + self.ranges)

    @property
    def returned(self) -> NDArray[np.bool_]:
        """Whether something came back, (n,); elsewhere the range is the maximum."""
        return np.asarray((self.intensity > 0) | (self.body_ids >= 0))


@dataclass(slots=True)
class CameraData(SensorData):
    """An image, (height, width, 3) uint8, red green blue."""

    sensor_type: ClassVar[SensorType] = SensorType.CAMERA
    image: NDArray[np.uint8] = field(
        default_factory=lambda: np.empty((0, 0, 3), np.uint8)
    )


@dataclass(slots=True)
class JointEncoderData(SensorData):
    """Encoder values (rad, m) and velocities."""

    sensor_type: ClassVar[SensorType] = SensorType.JOINT_ENCODER
    values: Array = field(default_factory=_empty)
    velocities: Array = field(default_factory=_empty)


@dataclass(slots=True)
class Force6DData(SensorData):
    """Force (3,) N and torque (3,) N m in the sensor frame."""

    sensor_type: ClassVar[SensorType] = SensorType.FORCE6D
    force: Array = field(default_factory=_zeros3)
    torque: Array = field(default_factory=_zeros3)


@dataclass(slots=True)
class IMUData(SensorData):
    """Orientation w x y z, angular velocity rad/s, acceleration m/s2; covariances."""

    sensor_type: ClassVar[SensorType] = SensorType.IMU
    rotation: Array = field(default_factory=lambda: np.array((1.0, 0.0, 0.0, 0.0)))
    angular_velocity: Array = field(default_factory=_zeros3)
    linear_acceleration: Array = field(default_factory=_zeros3)
    rotation_covariance: Array = field(default_factory=_zeros33)
    angular_velocity_covariance: Array = field(default_factory=_zeros33)
    linear_acceleration_covariance: Array = field(default_factory=_zeros33)


@dataclass(slots=True)
class OdometryData(SensorData):
    """Pose (4, 4) and velocities of the target; covariances (6, 6) flattened rows."""

    sensor_type: ClassVar[SensorType] = SensorType.ODOMETRY
    target_pose: Array = field(default_factory=_eye4)
    linear_velocity: Array = field(default_factory=_zeros3)
    angular_velocity: Array = field(default_factory=_zeros3)
    pose_covariance: Array = field(default_factory=lambda: np.zeros((6, 6)))
    velocity_covariance: Array = field(default_factory=lambda: np.zeros((6, 6)))


@dataclass(slots=True)
class TactileData(SensorData):
    """Force per element (n, 3) N, and their covariance (3, 3)."""

    sensor_type: ClassVar[SensorType] = SensorType.TACTILE
    forces: Array = field(default_factory=lambda: np.empty((0, 3)))
    force_covariance: Array = field(default_factory=_zeros33)


@dataclass(slots=True)
class ActuatorData(SensorData):
    """State code, current (A), temperature (deg C) and applied current (A)."""

    sensor_type: ClassVar[SensorType] = SensorType.ACTUATOR
    state: int = 0
    measured_current: float = 0.0
    measured_temperature: float = 0.0
    applied_current: float = 0.0


class SensorBase(InterfaceBase):
    """Measures something. Off until it is switched on; data come from stepping.

    The environment calls `set_transform` when the carrying link moves and
    `simulation_step` last in each step.
    """

    interface_type: ClassVar[str] = "sensor"
    contract: ClassVar[int] = 1

    def __init__(self, env: EnvironmentProtocol, *args: str) -> None:
        super().__init__(env, *args)
        self.name = ""
        self._data_callbacks: CallbackList[SensorData] = CallbackList("data")
        self._mounting: weakref.ref[AttachedSensor] | None = None

    @abstractmethod
    def configure(self, command: ConfigureCommand, blocking: bool = False) -> int:
        """Switch something; checks return 1 (on) or 0 (off)."""

    @abstractmethod
    def get_sensor_geometry(
        self, sensor_type: SensorType = SensorType.INVALID
    ) -> SensorGeometry:
        """Return a copy of the geometry of a type the sensor supports (or the main)."""

    @abstractmethod
    def create_sensor_data(
        self, sensor_type: SensorType = SensorType.INVALID
    ) -> SensorData:
        """Return an empty data object to hand to `get_sensor_data`."""

    @abstractmethod
    def get_sensor_data(self, data: SensorData) -> bool:
        """Copy the latest measurement into `data`; False if there is none yet."""

    @abstractmethod
    def supports(self, sensor_type: SensorType) -> bool:
        """Return True if the sensor measures that kind of data."""

    @abstractmethod
    def set_transform(self, transform: ArrayLike) -> None:
        """Place the sensor, (4, 4) T_world_sensor."""

    @abstractmethod
    def get_transform(self) -> Array:
        """Return (4, 4) T_world_sensor."""

    def set_sensor_geometry(self, geometry: SensorGeometry) -> None:
        """Change what the sensor is like."""
        raise NotSupportedError(f"the geometry of {self!r} cannot be changed")

    def simulation_step(self, dt: float) -> None:
        """Advance by `dt` seconds and measure when it is time."""

    def measure(self) -> SensorData:
        """Measure now, without stepping."""
        raise NotSupportedError(f"{self!r} measures only while the simulation steps")

    def read(self) -> SensorData | None:
        """Return the latest measurement, or None when there is none yet."""
        data = self.create_sensor_data()
        return data if self.get_sensor_data(data) else None

    @property
    def mounting(self) -> AttachedSensor | None:
        """Where on a robot the sensor is mounted; None: it stands alone."""
        return None if self._mounting is None else self._mounting()

    def mounted(self, mounting: AttachedSensor | None) -> None:
        """Note where the sensor is mounted now; `AttachedSensor` calls this."""
        self._mounting = None if mounting is None else weakref.ref(mounting)

    @property
    def power(self) -> bool:
        """Whether the sensor is switched on; assign to switch."""
        return bool(self.configure(ConfigureCommand.POWER_CHECK))

    @power.setter
    def power(self, on: bool) -> None:
        self.configure(ConfigureCommand.POWER_ON if on else ConfigureCommand.POWER_OFF)

    @property
    def transform(self) -> Array:
        """(4, 4) T_world_sensor; assign to place the sensor."""
        return self.get_transform()

    @transform.setter
    def transform(self, transform: ArrayLike) -> None:
        self.set_transform(transform)

    def register_data_callback(
        self, callback: Callable[[SensorData], object]
    ) -> Handle:
        """Call `callback` with every new measurement until the handle is closed."""
        return self._data_callbacks.add(callback)

    def publish(self, data: SensorData) -> None:
        """Hand a new measurement to the data callbacks; sensors call this."""
        self._data_callbacks(data, self._report_problem)
