"""What the built-in sensors register: readers of their XML tags."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

from pyrave.plugins import hookimpl

__all__ = ["pyrave_xml_readers"]

# table of settings -> ids of the sensors that have them
_TABLES = {
    "tables_laser:LASER_2D": "BaseLaser2D base_laser2d base_laser1d",
    "tables_laser:SPINNING_LASER": "BaseSpinningLaser2D",
    "tables_laser:FLASH_LIDAR": "BaseFlashLidar3D base_laser3d laser3d "
    "base_flash_laser flash_laser",
    "tables_laser:MULTI_BEAM": "MultiBeamLidar base_multibeam_lidar",
    "tables_body:JOINT_ENCODER": "BaseEncoder base_encoder",
    "tables_body:FORCE6D": "BaseForce6D base_force6d",
    "tables_body:IMU": "BaseIMU base_imu",
    "tables_body:ODOMETRY": "BaseOdometry base_odometry",
    "tables_body:TACTILE": "BaseTactile base_tactile",
    "tables_body:ACTUATOR": "BaseActuator base_actuator",
    "tables_camera:CAMERA": "BaseCamera base_pinhole_camera pinhole",
    "tables_camera:STEREO_CAMERA": "StereoCamera base_stereo_camera",
}


@hookimpl
def pyrave_xml_readers() -> Iterable[tuple[str, str, Callable[..., Any]]]:
    """Return the readers of the sensors' elements by id, and of bodies' tags."""
    readers = [
        ("sensor", name, _reader(table))
        for table, names in _TABLES.items()
        for name in names.split()
    ]
    return [*readers, ("kinbody", "reflectivity", _reflectivity)]


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
