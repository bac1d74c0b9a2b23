"""Properties of sensors, independent of measurements."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import ClassVar

import numpy as np

from pyrave.cards import in_line
from pyrave.records import Record
from pyrave.sensing.sensor_type import SensorType
from pyrave.spatial import Array


def _empty() -> Array:
    return np.empty(0)


def _empty3() -> Array:
    return np.empty((0, 3))


def _zeros3() -> Array:
    return np.zeros(3)


def _zeros33() -> Array:
    return np.zeros((3, 3))


def _zeros66() -> Array:
    return np.zeros((6, 6))


@dataclass(slots=True, repr=False)
class SensorGeometry(Record):
    """Geometry of a sensor, independent of the measurement."""

    sensor_type: ClassVar[SensorType] = SensorType.OTHER
    hardware_id: str = ""

    def __repr__(self) -> str:
        said = {
            item.name: getattr(self, item.name)
            for item in fields(self)
            if not item.name.endswith("covariance")
        }
        return in_line(type(self).__name__, said)


@dataclass(slots=True, repr=False)
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
    min_angle
        Least angles, radians.
    max_angle
        Greatest angles, radians.
    resolution
        Steps between rays, radians.
    min_range
        Metres.
    max_range
        Metres.
    """

    sensor_type: ClassVar[SensorType] = SensorType.LASER
    min_angle: tuple[float, float] = (0.0, 0.0)
    max_angle: tuple[float, float] = (0.0, 0.0)
    resolution: tuple[float, float] = (0.0, 0.0)
    min_range: float = 0.0
    max_range: float = 0.0
    time_increment: float = 0.0
    time_scan: float = 0.0


@dataclass(slots=True, repr=False)
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


@dataclass(slots=True, repr=False)
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
    """Mapping of directions to pixels by a camera; 0: not given.

    Parameters
    ----------
    fx, fy, cx, cy
        Focal lengths and principal point, pixels; whole numbers are the middles of
        pixels, as in OpenCV.
    focal_length
        Of the physical lens, metres.
    distortion_model
        ``plumb_bob``, ``rational_polynomial``, ``equidistant`` (the names of ROS), or
        empty.
    distortion_coeffs
        Of the model, in OpenCV's order.
    skew
        Pixels that a column moves per unit of y / z.
    """

    fx: float = 0.0
    fy: float = 0.0
    cx: float = 0.0
    cy: float = 0.0
    focal_length: float = 0.01
    distortion_model: str = ""
    distortion_coeffs: tuple[float, ...] = ()
    skew: float = 0.0


@dataclass(slots=True, repr=False)
class CameraGeometry(SensorGeometry):
    """A camera.

    Parameters
    ----------
    intrinsics
        Its lens.
    width, height
        Pixels; 0: not given.
    sensor_reference
        Another sensor that this one belongs to.
    target_region
        What the camera should see, for planners.
    measurement_time
        As files say it, seconds.
    gain
        Factor of the light.
    channels
        1 (grey) or 3 (red green blue).
    format
        Type of the image's numbers: ``uint8``, ``uint16``, ``uint32``, ``int8``,
        ``int16``, ``int32`` (white is the largest number), ``float32`` or ``float64``
        (white is 1).
    framerate
        Images per second of simulated time.
    exposure_time
        Seconds during which one image is taken.
    """

    sensor_type: ClassVar[SensorType] = SensorType.CAMERA
    intrinsics: CameraIntrinsics = field(default_factory=CameraIntrinsics)
    width: int = 0
    height: int = 0
    sensor_reference: str = ""
    target_region: str = ""
    measurement_time: float = 1.0
    gain: float = 1.0
    channels: int = 3
    format: str = "uint8"
    framerate: float = 5.0
    exposure_time: float = 0.0


@dataclass(slots=True, repr=False)
class StereoCameraGeometry(CameraGeometry):
    """Two cameras; the first one's frame is that of the sensor.

    Parameters
    ----------
    cameras
        Names of two camera sensors of the same robot, or of the environment; empty: two
        cameras as the other fields describe them, side by side.
    rectifications
        Two (3, 3) homographies, from pixels of each camera without its distortion to
        the rectified image; empty: they are found from the cameras' places.
    baseline
        Metres from the first to the second camera along x, if `cameras` is empty.
    """

    cameras: tuple[str, ...] = ()
    rectifications: tuple[tuple[tuple[float, ...], ...], ...] = ()
    baseline: float = 0.1


@dataclass(slots=True, repr=False)
class FlashLidarGeometry(LaserGeometry):
    """A depth camera that illuminates: one ray for each pixel of a pinhole."""

    intrinsics: CameraIntrinsics = field(default_factory=CameraIntrinsics)
    width: int = 0
    height: int = 0


@dataclass(slots=True, repr=False)
class JointEncoderGeometry(SensorGeometry):
    """Joint and resolution of an encoder.

    Per degree of freedom in radians or metres: an array of one number counts for all,
    an empty one is 0.

    Parameters
    ----------
    joints
        Names of the joints, between blanks; empty: the joint that moves the carrying
        link, or all of the robot's if it is the base.
    resolution
        One tick; values are rounded to it. 0: exact.
    offset
        What is shown where the joint is at 0.
    position_sigma, velocity_sigma
        Standard deviations of the noise, radians or metres, rad/s or m/s.
    time_measurement
        Seconds between measurements; 0: every step.
    """

    sensor_type: ClassVar[SensorType] = SensorType.JOINT_ENCODER
    joints: str = ""
    resolution: Array = field(default_factory=_empty)
    offset: Array = field(default_factory=_empty)
    position_sigma: Array = field(default_factory=_empty)
    velocity_sigma: Array = field(default_factory=_empty)
    time_measurement: float = 0.0


@dataclass(slots=True, repr=False)
class Force6DGeometry(SensorGeometry):
    """Response of a force sensor to a wrench: limits, resolution, calibration.

    Limits are (3,) in the sensor's axes, N and N m; 0 or less: none is known.

    Parameters
    ----------
    polarity
        1: the load on the sensor is shown (a mass that hangs on it pulls down); -1:
        the sensor's reaction.
    correction_matrix
        (6, 6) that multiplies force and torque last.
    load_range_force, load_range_torque
        Beyond them the sensor saturates.
    load_resolution_force, load_resolution_torque
        Readings are rounded to them.
    load_capacity_range_force, load_capacity_range_torque
        Beyond them the sensor breaks.
    force_sigma, torque_sigma
        Standard deviations of the noise on each axis.
    time_measurement
        Seconds between measurements; 0: every step.
    """

    sensor_type: ClassVar[SensorType] = SensorType.FORCE6D
    polarity: int = 1
    correction_matrix: Array = field(default_factory=lambda: np.eye(6))
    load_range_force: Array = field(default_factory=_zeros3)
    load_range_torque: Array = field(default_factory=_zeros3)
    load_resolution_force: Array = field(default_factory=_zeros3)
    load_resolution_torque: Array = field(default_factory=_zeros3)
    load_capacity_range_force: Array = field(default_factory=_zeros3)
    load_capacity_range_torque: Array = field(default_factory=_zeros3)
    force_sigma: float = 0.0
    torque_sigma: float = 0.0
    time_measurement: float = 0.0


@dataclass(slots=True, repr=False)
class IMUGeometry(SensorGeometry):
    """Errors and limits of an inertial measurement unit.

    Parameters
    ----------
    time_measurement
        Seconds between measurements, over which rates and accelerations are averaged;
        0: every step.
    rotation_covariance, angular_velocity_covariance, linear_acceleration_covariance
        (3, 3) of each measurement, in the sensor's axes: rad2, (rad/s)2, (m/s2)2.
    gyroscope_noise_density, accelerometer_noise_density
        White noise: N of the Allan deviation, rad/s and m/s2 per root of Hz.
    gyroscope_random_walk, accelerometer_random_walk
        Wandering of the bias: K of the Allan deviation, rad/s2 and m/s3 per root of Hz.
    max_angular_velocity, max_acceleration
        (3,) beyond which it saturates, rad/s and m/s2; 0 or less: not known.
    draw_covariances
        Whether measurements have errors of the three covariances.
    """

    sensor_type: ClassVar[SensorType] = SensorType.IMU
    time_measurement: float = 0.0
    rotation_covariance: Array = field(default_factory=_zeros33)
    angular_velocity_covariance: Array = field(default_factory=_zeros33)
    linear_acceleration_covariance: Array = field(default_factory=_zeros33)
    gyroscope_noise_density: float = 0.0
    gyroscope_random_walk: float = 0.0
    accelerometer_noise_density: float = 0.0
    accelerometer_random_walk: float = 0.0
    max_angular_velocity: Array = field(default_factory=_zeros3)
    max_acceleration: Array = field(default_factory=_zeros3)
    draw_covariances: bool = False


@dataclass(slots=True, repr=False)
class OdometryGeometry(SensorGeometry):
    """Whose motion is reported, and how wrong it is.

    Parameters
    ----------
    target_id
        ``body``, ``body/link`` or a link of the carrying robot; empty: the link that
        carries the sensor, or the sensor itself if it stands alone.
    pose_covariance, velocity_covariance
        (6, 6) of each measurement, linear first, in the target's axes.
    draw_covariances
        Whether measurements have errors of the two covariances.
    drift
        (4,) by which the pose goes astray: metres per root of metres, metres per
        root of radians, radians per root of metres, radians per root of radians.
    time_measurement
        Seconds between measurements; 0: every step.
    """

    sensor_type: ClassVar[SensorType] = SensorType.ODOMETRY
    target_id: str = ""
    pose_covariance: Array = field(default_factory=_zeros66)
    velocity_covariance: Array = field(default_factory=_zeros66)
    drift: Array = field(default_factory=lambda: np.zeros(4))
    time_measurement: float = 0.0
    draw_covariances: bool = False


@dataclass(slots=True, repr=False)
class TactileGeometry(SensorGeometry):
    """Elements of a soft skin, in the sensor's frame.

    Parameters
    ----------
    positions
        (n, 3) where each element is glued to the link, metres.
    normals
        (n, 3) where each looks, of any length; (1, 3) for all; empty: +z.
    thickness
        Of the skin: its surface is that far from `positions`, metres.
    stiffness
        Normal force of an element per metre that it is pressed in, N/m.
    tangential_stiffness
        Tangential force of an element per metre that its end is dragged along, N/m; 0:
        as `stiffness`.
    friction
        Largest tangential force by normal force; an element then slips.
    force_covariance
        (3, 3) of each force, N2.
    draw_covariances
        Whether forces have errors of that covariance.
    time_measurement
        Seconds between measurements; 0: every step.
    """

    sensor_type: ClassVar[SensorType] = SensorType.TACTILE
    positions: Array = field(default_factory=_empty3)
    normals: Array = field(default_factory=_empty3)
    thickness: float = 0.0
    stiffness: float = 0.0
    tangential_stiffness: float = 0.0
    friction: float = 0.0
    force_covariance: Array = field(default_factory=_zeros33)
    time_measurement: float = 0.0
    draw_covariances: bool = False


@dataclass(slots=True, repr=False)
class TouchGeometry(SensorGeometry):
    """A sensor of a scene that is touched; the scene says where it is.

    Parameters
    ----------
    time_measurement
        Seconds between measurements; 0: every step.
    """

    sensor_type: ClassVar[SensorType] = SensorType.TACTILE
    time_measurement: float = 0.0


@dataclass(slots=True, repr=False)
class ActuatorGeometry(SensorGeometry):
    """A motor and its gear; 0: the joint's own motor says it, or it is not known.

    Parameters
    ----------
    joint
        Name of the driven joint; empty: the one that moves the carrying link.
    maximum_torque
        At the joint, N m or N.
    maximum_current, nominal_current
        A.
    maximum_velocity, maximum_acceleration, maximum_jerk
        Of the joint, radians or metres, per second ...
    static_friction, viscous_friction
        At the joint: N m or N, and per rad/s or m/s.
    gear_ratio
        Turns (radians) of the motor by those of the joint (or by its metres).
    torque_constant
        Of the motor, N m/A.
    rotor_inertia
        kg m2.
    terminal_resistance
        Of the windings, ohms.
    nominal_voltage
        That drives it, volts: the faster it turns, the less torque it gives.
    thermal_resistance, thermal_time_constant
        From the windings to the surroundings, K/W; seconds.
    ambient_temperature
        Degrees Celsius.
    current_resolution, current_sigma
        To which measured currents are rounded, and the deviation of their noise, A.
    time_measurement
        Seconds between measurements; 0: every step.
    """

    sensor_type: ClassVar[SensorType] = SensorType.ACTUATOR
    maximum_torque: float = 0.0
    maximum_current: float = 0.0
    nominal_current: float = 0.0
    maximum_velocity: float = 0.0
    maximum_acceleration: float = 0.0
    maximum_jerk: float = 0.0
    static_friction: float = 0.0
    viscous_friction: float = 0.0
    joint: str = ""
    gear_ratio: float = 0.0
    torque_constant: float = 0.0
    rotor_inertia: float = 0.0
    terminal_resistance: float = 0.0
    nominal_voltage: float = 0.0
    thermal_resistance: float = 0.0
    thermal_time_constant: float = 0.0
    ambient_temperature: float = 25.0
    current_resolution: float = 0.0
    current_sigma: float = 0.0
    time_measurement: float = 0.0
