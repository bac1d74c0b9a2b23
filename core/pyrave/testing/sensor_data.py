"""Whether fields of measurements have the shapes and numbers that they should have."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.sensing import (
    ActuatorData,
    CameraData,
    ContactData,
    Force6DData,
    IMUData,
    JointEncoderData,
    LaserData,
    OdometryData,
    SensorData,
    TactileArrayData,
    TactileData,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

# a letter is a number that is the same in all fields; "|" separates what is allowed
_SHAPES: Mapping[type, Mapping[str, str]] = {
    SensorData: {"pose": "4 4"},
    LaserData: {
        "positions": "1 3|n 3",
        "ranges": "n 3",
        "intensity": "n|0",
        "body_ids": "n|0",
        "rings": "n|0",
        "time_offsets": "n|0",
    },
    JointEncoderData: {"values": "n", "velocities": "n|0"},
    Force6DData: {"force": "3", "torque": "3", "saturated": "6"},
    IMUData: {
        "rotation": "4",
        "angular_velocity": "3",
        "linear_acceleration": "3",
        "rotation_covariance": "3 3",
        "angular_velocity_covariance": "3 3",
        "linear_acceleration_covariance": "3 3",
    },
    OdometryData: {
        "target_pose": "4 4",
        "linear_velocity": "3",
        "angular_velocity": "3",
        "pose_covariance": "6 6",
        "velocity_covariance": "6 6",
    },
    TactileData: {"forces": "n 3", "force_covariance": "3 3"},
    ContactData: {"points": "n 3", "normals": "n 3"},
    TactileArrayData: {"pressures": "r c"},
    ActuatorData: {},
}
_PLACES = {"pose", "target_pose"}
_MAY_BE_NAN = {"disparity", "measured_current", "applied_current"}
_MAY_BE_INFINITE = {"depth", "distance"}


def data_problem(data: SensorData) -> str | None:
    """Return what is wrong with shapes, types or numbers of a measurement, or None.

    Of a kind that pyrave does not know only stamp and pose are looked at, and whether
    arrays hold numbers or texts.
    """
    sizes: dict[str, int] = {}
    known: dict[str, str] = {}
    for kind in reversed(type(data).__mro__):
        known.update(_SHAPES.get(kind, {}))
    for field in dataclasses.fields(data):
        value = getattr(data, field.name)
        problem = _problem(field.name, value, known.get(field.name), sizes)
        if problem is None and type(data) in _SHAPES:
            problem = _number_problem(field.name, value)
        if problem is not None:
            return f"{type(data).__name__}.{field.name} {problem}"
    return _picture_problem(data) if isinstance(data, CameraData) else None


def _problem(
    name: str, value: Any, shapes: str | None, sizes: dict[str, int]
) -> str | None:
    if isinstance(value, np.ndarray) and value.dtype == object:
        return "is an array of objects, expected numbers"
    if shapes is None:
        return None
    if not isinstance(value, np.ndarray):
        return f"is a {type(value).__name__}, expected an array"
    if not any(_fits(value.shape, one.split(), sizes) for one in shapes.split("|")):
        said = {letter: size for letter, size in sizes.items() if letter in shapes}
        more = f" with {said}" if said else ""
        return f"has shape {value.shape}, expected ({shapes}){more}"
    if name in _PLACES:
        rotation = value[:3, :3]
        rigid = np.allclose(rotation @ rotation.T, np.eye(3), atol=1e-6)
        if not rigid or not np.allclose(value[3], (0, 0, 0, 1)):
            return f"is no pose (4, 4): {value.tolist()}"
    return None


def _fits(shape: tuple[int, ...], wanted: list[str], sizes: dict[str, int]) -> bool:
    if len(shape) != len(wanted):
        return False
    met = dict(sizes)
    for size, word in zip(shape, wanted, strict=True):
        if size != (int(word) if word.isdigit() else met.setdefault(word, size)):
            return False
    if wanted != ["0"]:
        sizes.update(met)
    return True


def _number_problem(name: str, value: Any) -> str | None:
    numbers = np.asarray(value)
    if numbers.dtype.kind not in "fc":
        return None
    if name not in _MAY_BE_NAN and np.isnan(numbers).any():
        return "has a NaN; leave out what was not measured"
    allowed = _MAY_BE_INFINITE | _MAY_BE_NAN
    if name not in allowed and np.isinf(numbers).any():
        return "has an infinite number; ranges end at max_range"
    return None


def _picture_problem(data: CameraData) -> str | None:
    """Return what is wrong with the sizes of a camera's layers: (..., h, w)."""
    size = None
    for field in dataclasses.fields(data):
        value = getattr(data, field.name)
        if field.name in {"stamp", "pose"} or not np.size(value):
            continue
        deep = field.name in {"image", "second_image", "normals"}
        own = np.shape(value)[:-1] if deep else np.shape(value)
        size = own if size is None else size
        if own != size:
            return f"CameraData.{field.name} has {own} pixels, other layers {size}"
    return None
