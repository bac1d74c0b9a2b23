"""Tags of the sensors that feel bodies: encoders, forces, inertia, touch, motors.

OpenRAVE's own spellings and those of COLLADA's ``base_`` types, which OpenHRP3 writes
too. All numbers are in SI units and radians: those that OpenRAVE named for
these sensors have no angle in degrees.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave_sensors.disturbance import is_covariance
from pyrave_sensors.settings import Kind, Setting, SettingTable

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "ACTUATOR",
    "FORCE6D",
    "IMU",
    "JOINT_ENCODER",
    "MAX_ELEMENTS",
    "ODOMETRY",
    "TACTILE",
]

MAX_ELEMENTS = 100_000
"""More elements than this on one tactile sensor are refused."""

_NONE_KNOWN = "; 0 or less: not known"
_UNIT_MATRIX = " ".join("1" if k % 7 == 0 else "0" for k in range(36))
_NO_MATRIX = " ".join(["0"] * 9)
_NO_LARGE_MATRIX = " ".join(["0"] * 36)


def _number(name: str, example: str, unit: str, first: str = "") -> Setting:
    tags = (first or name, name)
    return Setting(name, tags, example, least=0.0, unit=unit)


def _three(name: str, example: str, unit: str) -> Setting:
    return Setting(name, (name,), example, Kind.NUMBERS, count=3, unit=unit)


def _covariance(name: str, unit: str, size: int = 3) -> Setting:
    example = _NO_MATRIX if size == 3 else _NO_LARGE_MATRIX
    words = f"({unit}) squared, row by row"
    return Setting(name, (name,), example, Kind.NUMBERS, count=size * size, unit=words)


def _sound(values: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the name of a covariance that is none, and why."""
    for name, value in values.items():
        if not name.endswith("_covariance"):
            continue
        matrix = np.reshape(value, (3, 3) if len(value) == 9 else (6, 6))
        if not is_covariance(matrix):
            return name, f"{name} is not symmetric without negative moments"
    return None


def _signed(values: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the name of a polarity that is none, and why."""
    sign = values.get("polarity", 1)
    if sign in {-1, 1}:
        return None
    return "polarity", f"polarity is {sign}, expected 1 or -1"


def _elements(values: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the name of an element list that makes no sense, and why."""
    counts = {}
    for name in ("positions", "normals"):
        counts[name] = len(values.get(name, ()))
        if counts[name] % 3:
            return name, f"{name} are {counts[name]} numbers, expected three an element"
        if counts[name] > 3 * MAX_ELEMENTS:
            many = counts[name] // 3
            return name, f"{many} elements, at most {MAX_ELEMENTS} are allowed"
    normals = np.reshape(values.get("normals", ()), (-1, 3))
    if len(normals) > 1 and counts["normals"] != counts["positions"]:
        n = counts["positions"] // 3
        return "normals", f"there are {len(normals)} normals for {n} elements"
    if not (np.abs(normals) > 0).any(axis=1).all():
        return "normals", "a normal is zero"
    return _sound(values)


_TIME = Setting(
    "time_measurement",
    ("time_measurement", "measurement_time"),
    "0.01",
    least=0.0,
    unit="seconds",
)
_DRAWN = Setting("draw_covariances", ("draw_covariances",), "1", Kind.SWITCH)
_JOINT_UNIT = "radians or metres, one number or one a degree of freedom"


def _each(name: str, example: str, unit: str, least: float | None) -> Setting:
    return Setting(name, (name,), example, Kind.NUMBERS, least=least, unit=unit)


JOINT_ENCODER = SettingTable(
    "a joint encoder",
    (
        _TIME,
        Setting("joints", ("joints", "joints", "joint"), "joint0 joint1", Kind.TEXT),
        _each("resolution", "0.001", _JOINT_UNIT, 0.0),
        _each("offset", "0.01", _JOINT_UNIT, None),
        _each("position_sigma", "0.0005", _JOINT_UNIT, 0.0),
        _each("velocity_sigma", "0.005", f"{_JOINT_UNIT}, per second", 0.0),
    ),
)

FORCE6D = SettingTable(
    "a force sensor",
    (
        _TIME,
        Setting("polarity", ("polarity",), "1", Kind.INTEGER),
        Setting(
            "correction_matrix",
            ("correction_matrix",),
            _UNIT_MATRIX,
            Kind.NUMBERS,
            count=36,
        ),
        _three("load_range_force", "200 200 400", f"N{_NONE_KNOWN}"),
        _three("load_range_torque", "10 10 10", f"N m{_NONE_KNOWN}"),
        _three("load_resolution_force", "0.1 0.1 0.2", f"N{_NONE_KNOWN}"),
        _three("load_resolution_torque", "0.01 0.01 0.01", f"N m{_NONE_KNOWN}"),
        _three("load_capacity_range_force", "1000 1000 2000", f"N{_NONE_KNOWN}"),
        _three("load_capacity_range_torque", "50 50 50", f"N m{_NONE_KNOWN}"),
        _number("force_sigma", "0.05", "N"),
        _number("torque_sigma", "0.002", "N m"),
    ),
    check=_signed,
)

IMU = SettingTable(
    "an inertial measurement unit",
    (
        _TIME,
        _covariance("rotation_covariance", "radians"),
        _covariance("angular_velocity_covariance", "rad/s"),
        _covariance("linear_acceleration_covariance", "m/s2"),
        _number("gyroscope_noise_density", "0.00017", "rad/s per root of Hz"),
        _number("gyroscope_random_walk", "2e-5", "rad/s2 per root of Hz"),
        _number("accelerometer_noise_density", "0.002", "m/s2 per root of Hz"),
        _number("accelerometer_random_walk", "0.003", "m/s3 per root of Hz"),
        _three("max_angular_velocity", "8 8 8", f"rad/s{_NONE_KNOWN}"),
        _three("max_acceleration", "160 160 160", f"m/s2{_NONE_KNOWN}"),
        _DRAWN,
    ),
    check=_sound,
)

ODOMETRY = SettingTable(
    "an odometer",
    (
        _TIME,
        Setting("target_id", ("targetid", "target", "target_id"), "robot", Kind.TEXT),
        _covariance("pose_covariance", "metres, then radians", 6),
        _covariance("velocity_covariance", "m/s, then rad/s", 6),
        Setting(
            "drift",
            ("drift",),
            "0.01 0 0 0.02",
            Kind.NUMBERS,
            count=4,
            least=0.0,
            unit="m and rad per root of metres and radians of motion",
        ),
        _DRAWN,
    ),
    check=_sound,
)

TACTILE = SettingTable(
    "a tactile sensor",
    (
        _TIME,
        Setting(
            "positions", ("positions",), "0 0 0  0.01 0 0", Kind.NUMBERS, unit="metres"
        ),
        Setting("normals", ("normals",), "0 0 1", Kind.NUMBERS),
        _number("thickness", "0.003", "metres"),
        _number("stiffness", "500", "N/m"),
        _number("tangential_stiffness", "200", "N/m"),
        _number("friction", "0.6", "tangential by normal force"),
        _covariance("force_covariance", "N"),
        _DRAWN,
    ),
    check=_elements,
)

ACTUATOR = SettingTable(
    "an actuator",
    (
        _TIME,
        Setting("joint", ("joint",), "joint0", Kind.TEXT),
        _number("maximum_torque", "20", "N m, N", first="maxtorque"),
        _number("maximum_current", "5", "A", first="maxcurrent"),
        _number("nominal_current", "2", "A", first="nominalcurrent"),
        _number("maximum_velocity", "3", "rad/s, m/s", first="maxvelocity"),
        _number("maximum_acceleration", "10", "rad/s2, m/s2", first="maxacceleration"),
        _number("maximum_jerk", "100", "rad/s3, m/s3", first="maxjerk"),
        _number("static_friction", "0.5", "N m, N", first="staticfriction"),
        _number("viscous_friction", "0.1", "N m s/rad, N s/m", first="viscousfriction"),
        _number("gear_ratio", "100", "turns of the motor by turns of the joint"),
        _number("torque_constant", "0.0552", "N m/A"),
        _number("rotor_inertia", "2.3e-6", "kg m2"),
        _number("terminal_resistance", "41.5", "ohms"),
        _number("nominal_voltage", "24", "volts"),
        _number("thermal_resistance", "10", "K/W"),
        _number("thermal_time_constant", "300", "seconds"),
        Setting(
            "ambient_temperature",
            ("ambient_temperature",),
            "25",
            least=-273.15,
            unit="degrees Celsius",
        ),
        _number("current_resolution", "0.01", "A"),
        _number("current_sigma", "0.005", "A"),
    ),
)
