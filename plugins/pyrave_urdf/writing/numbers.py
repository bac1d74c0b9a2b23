"""Numbers and poses of written URDF."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from lxml import etree

from pyrave.coercion import HUGE
from pyrave.formats.output import numbers as written_numbers
from pyrave.formats.output.numbers import rounded

if TYPE_CHECKING:
    from pyrave.scene import Pose
    from pyrave.scene.pose import Matrix3, Vec3

_ZERO = (0.0, 0.0, 0.0)
_EYE = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


def numbers(*values: float) -> str:
    """Return numbers separated by blanks; they read back exactly unless absurd."""
    return written_numbers.numbers(values, HUGE)


def add(parent: Any, tag: str, /, **attributes: str) -> Any:
    """Append an element with its attributes; empty ones are left out."""
    child = etree.SubElement(parent, tag)
    for name, value in attributes.items():
        if value:
            child.set(name, value)
    return child


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


def rpy(rotation: Matrix3) -> Vec3:
    """Return roll, pitch and yaw (rad) of a rotation.

    Where pitch makes roll and yaw one turn, they are any that give it.
    """
    r = rotation
    yaw = math.atan2(r[3], r[0])
    c, s = math.cos(yaw), math.sin(yaw)
    roll = math.atan2(s * r[2] - c * r[5], c * r[4] - s * r[1])
    pitch = math.atan2(-r[6], c * r[0] + s * r[3])
    return rounded(roll), rounded(pitch), rounded(yaw)
