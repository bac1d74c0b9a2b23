"""Elements of written WorkCells: poses and numbers that read back exactly."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from lxml import etree

from pyrave.formats.written_numbers import numbers, rounded
from pyrave.scene import IDENTITY
from pyrave_workcell.workcell.reading import MOST, turned

if TYPE_CHECKING:
    from pyrave.scene import Pose
    from pyrave.scene.pose import Matrix3, Vec3


def add(parent: Any, tag: str, /, **attributes: str) -> Any:
    """Append an element with its attributes in order; empty ones are left out."""
    child = etree.SubElement(parent, tag)
    for name, value in attributes.items():
        if value or name == "name":
            child.set(name, value)
    return child


def add_pose(parent: Any, pose: Pose, *, always: bool = False) -> None:
    """Append ``RPY`` and ``Pos`` where these say a pose exactly, else ``Transform``.

    Parameters
    ----------
    always
        Say the identity as well.
    """
    if pose == IDENTITY and not always:
        return
    angles = rpy_degrees(pose.rotation)
    if turned(angles, (0.0, 0.0, 0.0)).rotation == pose.rotation:
        add(parent, "RPY").text = numbers(angles, MOST)
        add(parent, "Pos").text = numbers(pose.translation, MOST)
        return
    r, t = pose.rotation, pose.translation
    rows = (*r[0:3], t[0], *r[3:6], t[1], *r[6:9], t[2])
    add(parent, "Transform").text = numbers(rows, MOST)


def rpy_degrees(rotation: Matrix3) -> Vec3:
    """Return roll about z, pitch about y and yaw about x of a rotation, degrees."""
    r = rotation
    roll = math.atan2(r[3], r[0])
    c, s = math.cos(roll), math.sin(roll)
    yaw = math.atan2(s * r[2] - c * r[5], c * r[4] - s * r[1])
    pitch = math.atan2(-r[6], c * r[0] + s * r[3])
    return degrees_of(roll), degrees_of(pitch), degrees_of(yaw)


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
