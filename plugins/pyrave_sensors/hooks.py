"""Hooks of the built-in sensors: aliases, readers of their XML tags, kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

from pyrave.plugins import hookimpl

ALIASES = {
    "base_laser2d": "BaseLaser2D",
    "base_laser1d": "BaseLaser2D",
    "base_laser3d": "BaseFlashLidar3D",
    "laser3d": "BaseFlashLidar3D",
    "base_flash_laser": "BaseFlashLidar3D",
    "flash_laser": "BaseFlashLidar3D",
    "base_multibeam_lidar": "MultiBeamLidar",
    "base_encoder": "BaseEncoder",
    "base_force6d": "BaseForce6D",
    "base_imu": "BaseIMU",
    "base_odometry": "BaseOdometry",
    "base_tactile": "BaseTactile",
    "base_actuator": "BaseActuator",
    "base_pinhole_camera": "BaseCamera",
    "pinhole": "BaseCamera",
    "base_stereo_camera": "StereoCamera",
}
"""Names of sensors in COLLADA and older files -> the sensor's id."""

# id of a sensor -> the module and the class of its geometry
_GEOMETRIES = {
    "BaseLaser2D": "ranges.laser_geometry:LaserGeometry",
    "BaseSpinningLaser2D": "spinning_laser2d:SpinningLaserGeometry",
    "BaseFlashLidar3D": "flash_lidar:FlashLidarGeometry",
    "MultiBeamLidar": "multi_beam_lidar:MultiBeamGeometry",
    "BaseEncoder": "joint_encoder:JointEncoderGeometry",
    "BaseForce6D": "force6d:Force6DGeometry",
    "BaseIMU": "imu:IMUGeometry",
    "BaseOdometry": "odometry:OdometryGeometry",
    "BaseTactile": "tactile:TactileGeometry",
    "BaseActuator": "actuator:ActuatorGeometry",
    "FTSensor": "force6d:Force6DGeometry",
    "BodyContactSensor": "scene_sensors:TouchGeometry",
    "TactileArraySensor": "scene_sensors:TouchGeometry",
    "BaseCamera": "optics.camera_geometry:CameraGeometry",
    "StereoCamera": "optics.stereo_geometry:StereoCameraGeometry",
}


@hookimpl
def pyrave_interfaces() -> Iterable[tuple[str, str, str]]:
    """Return the aliases of the sensors."""
    return [("sensor", alias, name) for alias, name in ALIASES.items()]


@hookimpl
def pyrave_xml_readers() -> Iterable[tuple[str, str, Callable[..., Any]]]:
    """Return the readers of the sensors' elements by id, and of bodies' tags."""
    readers = {name: _reader(place) for name, place in _GEOMETRIES.items()}
    readers |= {alias: readers[name] for alias, name in ALIASES.items()}
    return [
        *(("sensor", name, reader) for name, reader in readers.items()),
        ("kinbody", "reflectivity", _reflectivity),
    ]


@hookimpl
def pyrave_kernels() -> Iterable[tuple[str, Callable[[], object]]]:
    """Return the kernels of lasers and cameras."""
    from pyrave_sensors.warm_kernels import measure_everything

    return [("sensors", measure_everything)]


def _reader(place: str) -> Callable[..., Any]:
    """Return a reader that imports the geometry when it is first called."""
    module, _, name = place.partition(":")

    def read(element: Any, context: Any) -> Any:
        from pyrave_sensors.settings.xml import read_settings

        geometry = getattr(import_module(f"pyrave_sensors.{module}"), name)
        return read_settings(geometry, element, context)

    return read


def _reflectivity(element: Any, context: Any) -> Any:
    from pyrave_sensors.ranges.reflectivity import read_reflectivity

    return read_reflectivity(element, context)
