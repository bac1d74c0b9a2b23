"""Geometries of sensors, with the settings that OpenRAVE's have."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import numpy as np

from pyrave_openravepy.api.enums import SensorType
from pyrave_openravepy.api.foundation.guard import Guarded
from pyrave_openravepy.api.instruments.sensor_data import (
    ACTUATOR_NAMES,
    CameraIntrinsics,
    intrinsics_of,
)

__all__ = [
    "ActuatorGeomData",
    "CameraGeomData",
    "Force6DGeomData",
    "IMUGeomData",
    "JointEncoderGeomData",
    "LaserGeomData",
    "OdometryGeomData",
    "SensorGeometry",
    "TactileGeomData",
    "geometry_of",
    "native_geometry",
]


class SensorGeometry(Guarded):
    """Settings of a sensor."""

    _kind: ClassVar[Any] = SensorType.Invalid
    _names: ClassVar[dict[str, str]] = {}
    """Attributes by their names in pyrave."""

    def __init__(self) -> None:
        self.hardware_id = ""

    def GetType(self) -> Any:
        return self._kind

    def SerializeJSON(
        self,
        unitScale: float = 1.0,
        options: Any = None,
    ) -> dict[str, Any]:
        return {
            name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in vars(self).items()
            if not isinstance(value, Guarded)
        }

    def DeserializeJSON(self, obj: Any, unitScale: float = 1.0) -> None:
        for name, before in list(vars(self).items()):
            if name in obj and not isinstance(before, Guarded):
                given = obj[name]
                is_array = isinstance(before, np.ndarray)
                setattr(self, name, np.array(given) if is_array else given)

    def _take(self, native: Any) -> None:
        self.hardware_id = native.hardware_id
        for name, theirs in self._names.items():
            value = getattr(native, theirs, getattr(self, name))
            is_array = isinstance(value, np.ndarray)
            setattr(self, name, np.array(value) if is_array else value)

    def _changes(self) -> dict[str, Any]:
        return {
            "hardware_id": str(self.hardware_id),
            **{theirs: getattr(self, name) for name, theirs in self._names.items()},
        }


class LaserGeomData(SensorGeometry):
    """Angles of two axes, ranges and times of a scan."""

    _kind = SensorType.Laser
    _names: ClassVar[dict[str, str]] = {
        "min_range": "min_range",
        "max_range": "max_range",
        "time_increment": "time_increment",
        "time_scan": "time_scan",
    }
    _pairs = ("min_angle", "max_angle", "resolution")

    def __init__(self) -> None:
        super().__init__()
        self.min_angle = np.zeros(2)
        self.max_angle = np.zeros(2)
        self.resolution = np.zeros(2)
        self.min_range = 0.0
        self.max_range = 0.0
        self.time_increment = 0.0
        self.time_scan = 0.0

    def _take(self, native: Any) -> None:
        super()._take(native)
        for name in self._pairs:
            setattr(self, name, np.array((getattr(native, name, 0.0), 0.0)))

    def _changes(self) -> dict[str, Any]:
        firsts = {name: float(np.ravel(getattr(self, name))[0]) for name in self._pairs}
        return {**super()._changes(), **firsts}


class CameraGeomData(SensorGeometry):
    """Size and lens of a camera."""

    _kind = SensorType.Camera
    _names: ClassVar[dict[str, str]] = {
        "width": "width",
        "height": "height",
        "target_region": "target_region",
        "gain": "gain",
    }

    def __init__(self) -> None:
        super().__init__()
        self.width = 0
        self.height = 0
        self.target_region = ""
        self.measurement_time = 0.0
        self.gain = 1.0
        self.KK = np.eye(3)
        self.intrinsics = CameraIntrinsics()

    def _take(self, native: Any) -> None:
        super()._take(native)
        self.intrinsics = intrinsics_of(native)
        self.KK = self.intrinsics.K.copy()
        rate = getattr(native, "framerate", 0.0)
        self.measurement_time = 1.0 / rate if rate else 0.0

    def _changes(self) -> dict[str, Any]:
        # who has changed the older attribute means that one
        own = np.asarray(self.intrinsics.K, float)
        lens = own if np.array_equal(self.KK, own) else np.asarray(self.KK, float)
        made = {
            **super()._changes(),
            "kk": tuple(lens[(0, 1, 0, 1), (0, 1, 2, 2)].tolist()),
            "skew": float(lens[0, 1]),
            "focal_length": float(self.intrinsics.focal_length),
            "distortion_model": self.intrinsics.distortion_model,
            "distortion_coeffs": tuple(map(float, self.intrinsics.distortion_coeffs)),
        }
        if self.measurement_time > 0.0:
            made["framerate"] = 1.0 / self.measurement_time
        return made


class JointEncoderGeomData(SensorGeometry):
    """Steps of an encoder."""

    _kind = SensorType.JointEncoder
    _names: ClassVar[dict[str, str]] = {"resolution": "resolution"}

    def __init__(self) -> None:
        super().__init__()
        self.resolution = np.empty(0)


class Force6DGeomData(SensorGeometry):
    """Sign and calibration of a force sensor."""

    _kind = SensorType.Force6D
    _names: ClassVar[dict[str, str]] = {
        "polarity": "polarity",
        "correction_matrix": "correction_matrix",
    }

    def __init__(self) -> None:
        super().__init__()
        self.polarity = 1
        self.correction_matrix = np.eye(6)


class IMUGeomData(SensorGeometry):
    """Time between measurements of an inertial sensor."""

    _kind = SensorType.IMU
    _names: ClassVar[dict[str, str]] = {"time_measurement": "time_measurement"}

    def __init__(self) -> None:
        super().__init__()
        self.time_measurement = 0.0


class OdometryGeomData(SensorGeometry):
    """Whose motion is measured."""

    _kind = SensorType.Odometry
    _names: ClassVar[dict[str, str]] = {"targetid": "target_id"}

    def __init__(self) -> None:
        super().__init__()
        self.targetid = ""


class TactileGeomData(SensorGeometry):
    """Thickness of a skin."""

    _kind = SensorType.Tactile
    _names: ClassVar[dict[str, str]] = {"thickness": "thickness"}

    def __init__(self) -> None:
        super().__init__()
        self.thickness = 0.0


class ActuatorGeomData(SensorGeometry):
    """Limits of a motor."""

    _kind = SensorType.Actuator
    _names = ACTUATOR_NAMES

    def __init__(self) -> None:
        super().__init__()
        self.maxtorque = 0.0
        self.maxcurrent = 0.0
        self.nominalcurrent = 0.0
        self.maxvelocity = 0.0
        self.maxacceleration = 0.0
        self.maxjerk = 0.0
        self.staticfriction = 0.0
        self.viscousfriction = 0.0


_CLASSES: dict[int, type[SensorGeometry]] = {
    cls._kind: cls
    for cls in (
        LaserGeomData,
        CameraGeomData,
        JointEncoderGeomData,
        Force6DGeomData,
        IMUGeomData,
        OdometryGeomData,
        TactileGeomData,
        ActuatorGeomData,
    )
}


def geometry_of(native: Any, kind: int = SensorType.Invalid) -> Any:
    """Return the geometry of pyrave's sensor, None if it does not measure that kind."""
    own = int(native.create_sensor_data().sensor_type)
    if int(kind) not in {0, own} or own not in _CLASSES:
        return None
    made = _CLASSES[own]()
    made._take(native.get_sensor_geometry())
    return made


def native_geometry(given: SensorGeometry, native: Any) -> Any:
    """Return pyrave's geometry of a sensor, with what one of the API says."""
    before = native.get_sensor_geometry()
    known = {one.name for one in dataclasses.fields(before)}
    changes = given._changes()
    return dataclasses.replace(
        before, **{name: value for name, value in changes.items() if name in known}
    )
