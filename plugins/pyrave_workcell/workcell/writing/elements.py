"""Elements of written WorkCells: poses and numbers that read back exactly."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from lxml import etree

from pyrave.coercion import HUGE
from pyrave.formats.output.numbers import numbers, rounded
from pyrave.scene import IDENTITY, Pose
from pyrave_workcell.workcell.load import turned

if TYPE_CHECKING:
    from pyrave.scene.pose import Matrix3, Vec3

_ROUNDING = 5e-16
_NO_ANGLE = 1e-13
_NO_LENGTH = 1e-15


def add(parent: Any, tag: str, /, **attributes: str) -> Any:
    """Append an element with its attributes in order; empty ones are left out."""
    child = etree.SubElement(parent, tag)
    for name, value in attributes.items():
        if value or name == "name":
            child.set(name, value)
    return child


def add_pose(parent: Any, pose: Pose, *, always: bool = False) -> None:
    """Append ``RPY`` and ``Pos`` where these say a pose, else ``Transform``.

    Angles that give a rotation but for rounding are as short as they were.

    Parameters
    ----------
    always
        Say the identity as well.
    """
    if pose == IDENTITY and not always:
        return
    angles = rpy_degrees(pose.rotation)
    if _off(angles, pose.rotation) <= _ROUNDING:
        add(parent, "RPY").text = numbers(angles, HUGE)
        add(parent, "Pos").text = numbers(pose.translation, HUGE)
        return
    r, t = pose.rotation, pose.translation
    rows = (*r[0:3], t[0], *r[3:6], t[1], *r[6:9], t[2])
    add(parent, "Transform").text = numbers(rows, HUGE)


def rpy_degrees(rotation: Matrix3) -> Vec3:
    """Return roll about z, pitch about y and yaw about x of a rotation, degrees.

    They are as short as they were, if they give it but for rounding.
    """
    r = rotation
    roll = math.atan2(r[3], r[0])
    c, s = math.cos(roll), math.sin(roll)
    yaw = math.atan2(s * r[2] - c * r[5], c * r[4] - s * r[1])
    pitch = math.atan2(-r[6], c * r[0] + s * r[3])
    short = _short(roll), _short(pitch), _short(yaw)
    if _off(short, rotation) <= _ROUNDING:
        return short
    return math.degrees(roll), math.degrees(pitch), math.degrees(yaw)


def _off(angles: Vec3, rotation: Matrix3) -> float:
    """Return by how much angles miss a rotation."""
    again = turned(angles, (0.0, 0.0, 0.0)).rotation
    return max(abs(a - b) for a, b in zip(again, rotation, strict=True))


def _short(radians: float) -> float:
    """Return an angle in degrees without digits that are of rounding."""
    angle = math.degrees(radians)
    return float(f"{angle:.12g}") if abs(angle) > _NO_ANGLE else 0.0


def relative(above: Pose, below: Pose) -> Pose:
    """Return T_above_below without digits that are of rounding.

    Parameters
    ----------
    above, below
        Two poses in one frame.
    """
    pose = above.inverse() @ below
    far = max(map(abs, (*above.translation, *below.translation)))
    x, y, z = (
        rounded(one) if abs(one) > _NO_LENGTH * far else 0.0 for one in pose.translation
    )
    return Pose(pose.rotation, (x, y, z))


def degrees_of(radians: float) -> float:
    """Return an angle in degrees that gives the same radians, short if one does."""
    if not math.isfinite(radians):
        return radians
    exact = math.degrees(radians)
    for one in (
        float(f"{exact:.9g}"),
        rounded(exact),
        exact,
        math.nextafter(exact, math.inf),
        math.nextafter(exact, -math.inf),
    ):
        if math.radians(one) == radians:
            return one
    return exact
