"""Numbers, poses and axes of written URDF, chosen so that they read back exactly."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

from lxml import etree

from pyrave_urdf.reading import MOST, pose_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pyrave.scene import Pose, XmlElement
    from pyrave.scene.pose import Matrix3, Vec3

__all__ = ["FAR", "add", "add_origin", "add_xml", "direction", "numbers", "rpy"]

FAR = 1e10
"""Stands for infinity, which readers of URDF refuse."""
_ZERO = (0.0, 0.0, 0.0)
_EYE = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
_NEAR = 4
_DIGITS = 17
_SCALES = 1024
_WHOLE = 10
_SHORT = 9


def numbers(*values: float) -> str:
    """Return numbers separated by blanks; they read back exactly unless absurd."""
    return " ".join(
        repr(float(value) if abs(value) <= MOST else math.copysign(FAR, value))
        .removesuffix(".0")
        for value in values
    )  # fmt: skip


def add(parent: Any, tag: str, /, **attributes: str) -> Any:
    """Append an element with its attributes; empty ones are left out."""
    child = etree.SubElement(parent, tag)
    for name, value in attributes.items():
        if value:
            child.set(name, value)
    return child


def add_xml(parent: Any, xml: XmlElement) -> Any:
    """Append a plain XML tree.

    Raises
    ------
    ValueError
        If it holds a name or a character that XML has not.
    """
    made = _element(xml)
    parent.append(made)
    return made


def _element(xml: XmlElement) -> Any:
    element = etree.Element(xml.tag)
    for name, value in xml.attributes:
        element.set(name, value)
    element.text = xml.text or None
    for child in xml.children:
        inner = _element(child)
        inner.tail = child.tail or None
        element.append(inner)
    return element


def add_origin(parent: Any, pose: Pose) -> None:
    """Append the ``<origin>`` of a pose, none for the identity."""
    turned = pose.rotation != _EYE
    if turned or pose.translation != _ZERO:
        add(
            parent,
            "origin",
            xyz=numbers(*pose.translation),
            rpy=numbers(*rpy(pose.rotation)) if turned else "",
        )


# -- rotations -------------------------------------------------------------------------


def rpy(rotation: Matrix3) -> Vec3:
    """Return roll, pitch and yaw (rad) of a rotation.

    A rotation that was read from angles gives angles that read back as the same nine
    numbers, written with as few digits as do; others are met to rounding.
    """
    r, far = rotation, math.hypot(rotation[7], rotation[8])
    for sign in (1.0, -1.0):  # pitch within a quarter turn, and beyond it
        roll = math.atan2(sign * r[7], sign * r[8])
        yaw = math.atan2(sign * r[3], sign * r[0])
        found = _exact(r, roll, math.atan2(-r[6], sign * far), yaw)
        if found is not None:
            return found
    return _angles(rotation)


def _angles(r: Matrix3) -> Vec3:
    """Return angles of any rotation, also where pitch makes roll and yaw one turn."""
    yaw = math.atan2(r[3], r[0])
    c, s = math.cos(yaw), math.sin(yaw)
    roll = math.atan2(s * r[2] - c * r[5], c * r[4] - s * r[1])
    return roll, math.atan2(-r[6], c * r[0] + s * r[3]), yaw


def _exact(r: Matrix3, roll: float, pitch: float, yaw: float) -> Vec3 | None:
    for p in _tried(pitch, lambda a: -math.sin(a) == r[6]):
        c = math.cos(p)
        yaws = _tried(yaw, partial(_is_split, c, r[3], r[0]))
        rolls = _tried(roll, partial(_is_split, c, r[7], r[8]))
        for y in yaws:
            for x in rolls:
                if pose_of(x, p, y, _ZERO).rotation == r:
                    return x, p, y
    return None


def _is_split(length: float, sine: float, cosine: float, angle: float) -> bool:
    """Return whether an angle has this sine and cosine, times a length."""
    return length * math.sin(angle) == sine and length * math.cos(angle) == cosine


def _tried(angle: float, fits: Callable[[float], bool]) -> list[float]:
    """Return numbers near an angle that fit, those with few digits first."""
    tried = {0.0: None} if abs(angle) < 1e-9 else {}
    for turn in (0.0, 2.0 * math.pi, -2.0 * math.pi):
        for digits in range(_DIGITS):
            tried[round(angle + turn, digits)] = None
    low = high = angle
    for _ in range(_NEAR):
        tried[low] = tried[high] = None
        low, high = math.nextafter(low, -math.inf), math.nextafter(high, math.inf)
    return [one for one in tried if fits(one)]


# -- axes ------------------------------------------------------------------------------


def direction(unit: Vec3) -> Vec3:
    """Return a vector that the reader makes this direction of, if there is one."""
    largest = max(map(abs, unit))
    for vector in _scaled(unit, 1.0 / largest):
        length = math.hypot(*vector)
        x, y, z = vector
        if (x / length, y / length, z / length) == unit:
            return vector
    return unit


def _scaled(unit: Vec3, largest: float) -> Iterable[Vec3]:
    x, y, z = unit
    yield unit
    # as files write them: small whole numbers, or one of them is 1
    for factor in range(1, _WHOLE):
        k = factor * largest
        yield round(k * x, _SHORT), round(k * y, _SHORT), round(k * z, _SHORT)
    for step in range(_SCALES):
        k = largest * (1.0 + 0.37 * step)
        yield k * x, k * y, k * z
