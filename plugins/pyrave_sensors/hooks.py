"""What the built-in sensors register: aliases, and readers of their XML tags."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

from pyrave.plugins import hookimpl

__all__ = ["ALIASES", "pyrave_interfaces", "pyrave_xml_readers"]

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

# id of a sensor -> table of its settings
_TABLES = {
    "BaseLaser2D": "tables_laser:LASER_2D",
    "BaseSpinningLaser2D": "tables_laser:SPINNING_LASER",
    "BaseFlashLidar3D": "tables_laser:FLASH_LIDAR",
    "MultiBeamLidar": "tables_laser:MULTI_BEAM",
    "BaseEncoder": "tables_body:JOINT_ENCODER",
    "BaseForce6D": "tables_body:FORCE6D",
    "BaseIMU": "tables_body:IMU",
    "BaseOdometry": "tables_body:ODOMETRY",
    "BaseTactile": "tables_body:TACTILE",
    "BaseActuator": "tables_body:ACTUATOR",
    "BaseCamera": "tables_camera:CAMERA",
    "StereoCamera": "tables_camera:STEREO_CAMERA",
}


@hookimpl
def pyrave_interfaces() -> Iterable[tuple[str, str, str]]:
    """Return the aliases of the sensors."""
    return [("sensor", alias, name) for alias, name in ALIASES.items()]


@hookimpl
def pyrave_xml_readers() -> Iterable[tuple[str, str, Callable[..., Any]]]:
    """Return the readers of the sensors' elements by id, and of bodies' tags."""
    readers = {name: _reader(table) for name, table in _TABLES.items()}
    readers |= {alias: readers[name] for alias, name in ALIASES.items()}
    return [
        *(("sensor", name, reader) for name, reader in readers.items()),
        ("kinbody", "reflectivity", _reflectivity),
    ]


def _reader(place: str) -> Callable[..., Any]:
    """Return a reader that imports its table when the first sensor is read."""
    module, _, table = place.partition(":")

    def read(element: Any, context: Any) -> Any:
        from pyrave_sensors.settings import read_settings

        settings = getattr(import_module(f"pyrave_sensors.{module}"), table)
        return read_settings(settings, element, context)

    return read


def _reflectivity(element: Any, context: Any) -> Any:
    from pyrave_sensors.reflectivity import read_reflectivity

    return read_reflectivity(element, context)
