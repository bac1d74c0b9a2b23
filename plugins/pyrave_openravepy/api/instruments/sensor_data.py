"""Data of sensors, as OpenRAVE has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pyrave_openravepy.api.enums import ActuatorState, SensorType
from pyrave_openravepy.api.foundation.guard import Guarded

__all__ = [
    "ActuatorSensorData",
    "CameraIntrinsics",
    "CameraSensorData",
    "Force6DSensorData",
    "IMUSensorData",
    "JointEncoderSensorData",
    "LaserSensorData",
    "OdometrySensorData",
    "SensorData",
    "TactileSensorData",
    "empty_data",
    "intrinsics_of",
    "sensor_data",
]


class CameraIntrinsics(Guarded):
    """A lens: matrix `K` (3, 3) in pixels, focal length in metres, and distortion."""

    def __init__(self) -> None:
        self.K = np.eye(3)
        self.distortion_model = ""
        self.distortion_coeffs: Any = np.empty(0)
        self.focal_length = 0.01


class SensorData(Guarded):
    """A measurement, with its simulated time in microseconds."""

    def __init__(self) -> None:
        self.type: Any = SensorType.Invalid
        self.stamp = 0

    def __str__(self) -> str:
        names = ", ".join(name for name in vars(self) if name[0] != "_")
        return f"<{type(self).__name__}: {names}>"


class LaserSensorData(SensorData):
    """Rays: origins and vectors to what they hit, in the world."""

    def __init__(self) -> None:
        super().__init__()
        self.type = SensorType.Laser
        self.positions = np.empty((0, 3))
        self.ranges = np.empty((0, 3))
        self.intensity = np.empty(0)


class CameraSensorData(SensorData):
    """An image (height, width, 3), and where it was taken."""

    def __init__(self) -> None:
        super().__init__()
        self.type = SensorType.Camera
        self.transform = np.eye(4)
        self.imagedata: Any = np.empty((0, 0, 3), np.uint8)
        self.KK = np.eye(3)
        self.intrinsics = CameraIntrinsics()


class JointEncoderSensorData(SensorData):
    """Values and velocities of joints."""

    def __init__(self) -> None:
        super().__init__()
        self.type = SensorType.JointEncoder
        self.encoderValues = np.empty(0)
        self.encoderVelocity = np.empty(0)
        self.resolution = np.empty(0)


class Force6DSensorData(SensorData):
    """A force and a torque."""

    def __init__(self) -> None:
        super().__init__()
        self.type = SensorType.Force6D
        self.force = np.zeros(3)
        self.torque = np.zeros(3)


class IMUSensorData(SensorData):
    """An orientation, an angular velocity and an acceleration."""

    def __init__(self) -> None:
        super().__init__()
        self.type = SensorType.IMU
        self.rotation = np.array((1.0, 0.0, 0.0, 0.0))
        self.angular_velocity = np.zeros(3)
        self.linear_acceleration = np.zeros(3)
        self.rotation_covariance = np.zeros((3, 3))
        self.angular_velocity_covariance = np.zeros((3, 3))
        self.linear_acceleration_covariance = np.zeros((3, 3))


class OdometrySensorData(SensorData):
    """A pose, a quaternion and a position, and velocities."""

    def __init__(self) -> None:
        super().__init__()
        self.type = SensorType.Odometry
        self.pose = np.array((1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
        self.linear_velocity = np.zeros(3)
        self.angular_velocity = np.zeros(3)
        self.pose_covariance = np.zeros((6, 6))
        self.velocity_covariance = np.zeros((6, 6))
        self.targetid = ""


class TactileSensorData(SensorData):
    """Forces on the elements of a skin."""

    def __init__(self) -> None:
        super().__init__()
        self.type = SensorType.Tactile
        self.forces = np.empty((0, 3))
        self.force_covariance = np.zeros((3, 3))
        self.positions = np.empty((0, 3))
        self.thickness = 0.0


class ActuatorSensorData(SensorData):
    """The state of a motor."""

    ActuatorState = ActuatorState

    def __init__(self) -> None:
        super().__init__()
        self.type = SensorType.Actuator
        self.state: Any = ActuatorState.Undefined
        self.measuredcurrent = 0.0
        self.measuredtemperature = 0.0
        self.appliedcurrent = 0.0
        self.maxtorque = 0.0
        self.maxcurrent = 0.0
        self.nominalcurrent = 0.0
        self.maxvelocity = 0.0
        self.maxacceleration = 0.0
        self.maxjerk = 0.0
        self.staticfriction = 0.0
        self.viscousfriction = 0.0


def intrinsics_of(geometry: Any) -> CameraIntrinsics:
    """Return the lens of pyrave's geometry of a camera."""
    found = CameraIntrinsics()
    width, height = geometry.width, geometry.height
    # a camera that says nothing sees with the focal length of its width
    fx, fy, cx, cy = geometry.kk or (width, width, width / 2, height / 2)
    skew = getattr(geometry, "skew", 0.0)
    found.K = np.array(((fx, skew, cx), (0.0, fy, cy), (0.0, 0.0, 1.0)))
    found.distortion_model = getattr(geometry, "distortion_model", "")
    found.distortion_coeffs = np.array(getattr(geometry, "distortion_coeffs", ()))
    found.focal_length = getattr(geometry, "focal_length", 0.01)
    return found


def sensor_data(native: Any, kind: int = SensorType.Invalid) -> Any:
    """Return the last measurement of pyrave's sensor, None if there is none yet."""
    data = native.last_data()
    if data is None or int(kind) not in {0, int(data.sensor_type)}:
        return None
    made = empty_data(int(data.sensor_type))
    made.stamp = round(data.stamp * 1e6)
    _FILLERS[int(data.sensor_type)](made, data, native.get_sensor_geometry())
    return made


def empty_data(kind: int) -> Any:
    """Return data of a kind that hold nothing yet."""
    return _CLASSES.get(int(kind), SensorData)()


def _fill_laser(made: Any, data: Any, _: Any) -> None:
    made.positions = np.array(data.positions)
    made.ranges = np.array(data.ranges)
    made.intensity = np.array(data.intensity)


def _fill_camera(made: Any, data: Any, geometry: Any) -> None:
    made.transform = np.array(data.pose)
    made.imagedata = np.array(data.image)
    made.intrinsics = intrinsics_of(geometry)
    made.KK = made.intrinsics.K.copy()


def _fill_encoder(made: Any, data: Any, geometry: Any) -> None:
    made.encoderValues = np.array(data.values)
    made.encoderVelocity = np.array(data.velocities)
    made.resolution = np.array(geometry.resolution)


def _fill_force(made: Any, data: Any, _: Any) -> None:
    made.force, made.torque = np.array(data.force), np.array(data.torque)


def _fill_imu(made: Any, data: Any, _: Any) -> None:
    for name in vars(made).keys() - {"type", "stamp"}:
        setattr(made, name, np.array(getattr(data, name)))


def _fill_odometry(made: Any, data: Any, geometry: Any) -> None:
    from pyrave.spatial import wxyz_xyz_from_pose

    made.pose = np.array(wxyz_xyz_from_pose(data.target_pose))
    for name in vars(made).keys() - {"type", "stamp", "pose", "targetid"}:
        setattr(made, name, np.array(getattr(data, name)))
    made.targetid = geometry.target_id


def _fill_tactile(made: Any, data: Any, geometry: Any) -> None:
    made.forces = np.array(data.forces)
    made.force_covariance = np.array(data.force_covariance)
    made.positions = np.array(getattr(geometry, "positions", made.positions))
    made.thickness = float(getattr(geometry, "thickness", 0.0))


def _fill_actuator(made: Any, data: Any, geometry: Any) -> None:
    made.state = ActuatorState(int(data.state))
    made.measuredcurrent = float(data.measured_current)
    made.measuredtemperature = float(data.measured_temperature)
    made.appliedcurrent = float(data.applied_current)
    for name, native in ACTUATOR_NAMES.items():
        setattr(made, name, float(getattr(geometry, native)))


ACTUATOR_NAMES = {
    "maxtorque": "maximum_torque",
    "maxcurrent": "maximum_current",
    "nominalcurrent": "nominal_current",
    "maxvelocity": "maximum_velocity",
    "maxacceleration": "maximum_acceleration",
    "maxjerk": "maximum_jerk",
    "staticfriction": "static_friction",
    "viscousfriction": "viscous_friction",
}
"""Of a motor, in pyrave."""
_CLASSES: dict[int, type[SensorData]] = {
    SensorType.Laser: LaserSensorData,
    SensorType.Camera: CameraSensorData,
    SensorType.JointEncoder: JointEncoderSensorData,
    SensorType.Force6D: Force6DSensorData,
    SensorType.IMU: IMUSensorData,
    SensorType.Odometry: OdometrySensorData,
    SensorType.Tactile: TactileSensorData,
    SensorType.Actuator: ActuatorSensorData,
}
_FILLERS: dict[int, Callable[[Any, Any, Any], None]] = {
    SensorType.Laser: _fill_laser,
    SensorType.Camera: _fill_camera,
    SensorType.JointEncoder: _fill_encoder,
    SensorType.Force6D: _fill_force,
    SensorType.IMU: _fill_imu,
    SensorType.Odometry: _fill_odometry,
    SensorType.Tactile: _fill_tactile,
    SensorType.Actuator: _fill_actuator,
}
