"""What the values of descriptions must fulfil, whichever way they come in.

Tags are checked where they are read. Here are the same rules for values that come as
fields: those of ``<pyrave>`` elements, and those of scenes that are to be written.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pyrave.scene as scene_model
from pyrave.formats.openrave_xml.transforms import EYE
from pyrave.formats.openrave_xml.values import HUGE

__all__ = ["complaints", "field_complaints"]

_TOLERANCE = 1e-3
_fields: dict[type[Any], tuple[str, ...]] = {}
_PLAIN = frozenset({bool, frozenset, int, str})
_UNCHECKED = frozenset({"composition", "location", "problems", "readables", "uri"})


def _not_negative(value: Any) -> str:
    numbers = value if isinstance(value, tuple) else (value,)
    bad = next((n for n in numbers if not n >= 0.0), None)
    return "" if bad is None else f"is {bad}, expected 0 or more"


def _unit(value: Any) -> str:
    norm = math.sqrt(sum(n * n for n in value))
    close = abs(norm - 1.0) <= _TOLERANCE
    return "" if close else f"is {value}, expected a vector of length 1"


def _rotation(r: Any) -> str:
    if r == EYE:
        return ""
    rows = (r[0:3], r[3:6], r[6:9])
    off = max(
        abs(sum(x * y for x, y in zip(a, b, strict=True)) - (i == j))
        for i, a in enumerate(rows)
        for j, b in enumerate(rows)
    )
    (a, b, c), (d, e, f), (g, h, i) = rows
    determinant = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    if off <= _TOLERANCE and determinant > 0.0:
        return ""
    return f"is {r}, expected a rotation"


def _rising(times: Any) -> str:
    if len(times) >= 2 and all(a < b for a, b in pairwise(times)):
        return ""
    return f"are {times}, expected 2 or more rising ones"


_LIMIT_FIELDS = (
    *("velocity_limit", "acceleration_limit", "jerk_limit", "torque_limit"),
    *("inertia_limit", "hard_velocity_limit", "hard_acceleration_limit"),
    "hard_jerk_limit",
)
# (class, field) -> what is wrong with its value, or "".
_RULES: dict[tuple[str, str], Callable[[Any], str]] = {
    ("Box", "half_extents"): _not_negative,
    ("Cage", "half_extents"): _not_negative,
    ("Sphere", "radius"): _not_negative,
    ("Cylinder", "radius"): _not_negative,
    ("Cylinder", "height"): _not_negative,
    ("Capsule", "radius"): _not_negative,
    ("Capsule", "height"): _not_negative,
    ("Prism", "height"): _not_negative,
    ("Container", "outer_extents"): _not_negative,
    ("Container", "inner_extents"): _not_negative,
    ("Container", "bottom_cross"): _not_negative,
    ("Container", "bottom"): _not_negative,
    ("JointAxis", "direction"): _unit,
    ("JointAxis", "weight"): _not_negative,
    ("JointPath", "times"): _rising,
    ("ManipulatorDescription", "direction"): _unit,
    ("Pose", "rotation"): _rotation,
    **{("JointAxis", name): _not_negative for name in _LIMIT_FIELDS},
}
_INFINITE = frozenset({
    ("JointAxis", name) for name in ("lower", "upper", *_LIMIT_FIELDS)
})  # fmt: skip


def complaints(value: Any, path: str = "") -> Iterator[str]:
    """Yield a text for each value in a description that no scene may hold.

    Parameters
    ----------
    path
        Name of the value, for the texts.
    """
    if _is_plain(value):
        return
    if isinstance(value, scene_model.MeshData):
        yield from _mesh(value, path)
    elif isinstance(value, tuple):
        for index, item in enumerate(value):
            yield from complaints(item, f"{path}[{index}]")
    elif isinstance(value, float):
        yield from _number(value, path)
    elif dataclasses.is_dataclass(value):
        yield from _object(value, path)


def _is_plain(value: Any) -> bool:
    """Return whether a value is a text or numbers of usual size, as most are."""
    if type(value) is tuple:
        try:
            # whatever is not finite or huge shows in the sum
            return bool(sum(map(abs, value)) <= HUGE)
        except TypeError:
            return False
    return value is None or type(value) in _PLAIN


def field_complaints(cls: str, name: str, value: Any, path: str) -> Iterator[str]:
    """Yield a text for each unfit value in a field of a class."""
    found = [] if (cls, name) in _INFINITE else list(complaints(value, path))
    if (cls, name) in _INFINITE and math.isnan(value):
        found = [f"{path} is not a number"]
    rule = _RULES.get((cls, name))
    if not found and rule is not None:
        said = rule(value)
        found = [f"{path} {said}"] if said else []
    yield from found


def _object(value: Any, path: str) -> Iterator[str]:
    cls = type(value).__name__
    for name in _checked_fields(type(value)):
        item = getattr(value, name)
        if not _is_plain(item) or (cls, name) in _RULES:
            where = f"{path}.{name}" if path else name
            yield from field_complaints(cls, name, item, where)
    if isinstance(value, scene_model.Cage):
        for index, (_, half) in enumerate(value.walls):
            if said := _not_negative(half):
                yield f"{path}.walls[{index}] {said}"
    elif isinstance(value, scene_model.JointPath) and (
        len(value.times) != len(value.poses)
    ):
        yield f"{path} has {len(value.times)} times for {len(value.poses)} poses"


def _checked_fields(cls: type[Any]) -> tuple[str, ...]:
    if cls not in _fields:
        names = (field.name for field in dataclasses.fields(cls))
        _fields[cls] = tuple(name for name in names if name not in _UNCHECKED)
    return _fields[cls]


def _number(value: float, path: str) -> Iterator[str]:
    if not math.isfinite(value):
        yield f"{path} is {value}, which is not finite"
    elif abs(value) > HUGE:
        yield f"{path} is {value}, which is absurdly large"


def _mesh(mesh: scene_model.MeshData, path: str) -> Iterator[str]:
    vertices, faces = mesh.vertices, mesh.faces
    # not a number is not below anything
    if vertices.size and not abs(vertices).max() <= HUGE:
        yield f"{path}.vertices holds a value that is not finite or absurdly large"
    if faces.size and not 0 <= faces.min() <= faces.max() < len(vertices):
        yield f"{path}.faces names a vertex that is not there"
