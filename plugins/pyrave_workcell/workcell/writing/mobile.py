"""``MobileDevice``: a base that two wheels drive."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyrave.formats.output.numbers import numbers
from pyrave.scene import (
    IDENTITY,
    InterfaceDescription,
    JointAxis,
    JointDescription,
    RobotDescription,
    same,
)
from pyrave_workcell.workcell.mobile import DRIVE, wheel_pose
from pyrave_workcell.workcell.writing.elements import add

if TYPE_CHECKING:
    from pyrave.scene import BodyDescription, SceneDescription

_AXIS = JointAxis(
    (0.0, 0.0, 1.0),
    lower=-math.inf,
    upper=math.inf,
    velocity_limit=1.0,
    acceleration_limit=1.0,
)


@dataclass(frozen=True, slots=True)
class Drive:
    """Wheel drive of a body, as RobWork's mobile devices have it."""

    width: float
    wheels: tuple[str, str]


def drives_of(scene: SceneDescription) -> dict[str, Drive]:
    """Return the drives of a scene that a ``MobileDevice`` says, by body."""
    found = {}
    held = {one.body for one in scene.grabs}
    for body in scene.bodies:
        if isinstance(body, RobotDescription) and body.name not in held:
            drive = _drive_of(body, scene)
            if drive is not None:
                found[body.name] = drive
    return found


def is_drive(item: InterfaceDescription, drives: dict[str, Drive]) -> bool:
    """Return True if an interface is one of the drives."""
    return item.type == "controller" and item.robot in drives


def _drive_of(body: BodyDescription, scene: SceneDescription) -> Drive | None:
    mine = [
        one
        for one in scene.interfaces
        if one.type == "controller" and one.robot == body.name
    ]
    if len(mine) != 1 or len(body.links) < 3 or len(mine[0].joints) != 2:
        return None
    (item,) = mine
    name, _, text = item.interface.partition(" ")
    try:
        width = float(text)
    except ValueError:
        return None
    left, right = item.joints
    plain = InterfaceDescription(
        "controller",
        item.interface,
        robot=body.name,
        joints=item.joints,
        control_transform=True,
    )
    base = body.links[0]
    stands = same(body.pose, IDENTITY) and same(base.pose, IDENTITY)
    if name != DRIVE or item != plain or not stands or base.static:
        return None
    if [one.name for one in body.links[1:3]] != [left, right]:
        return None
    if isinstance(body, RobotDescription) and body.manipulators:
        return None
    for side, joint in zip((1.0, -1.0), body.joints, strict=False):
        wheel = left if side > 0.0 else right
        wanted = JointDescription(
            wheel, "hinge", base.name, wheel, wheel_pose(side, width), axes=(_AXIS,)
        )
        if not same(joint, wanted):
            return None
    return Drive(width, (left, right))


def add_drive(element: Any, drive: Drive) -> None:
    """Append what a ``MobileDevice`` says of its wheels."""
    add(element, "AxelWidth").text = numbers((drive.width,))
    for tag, wheel in zip(("LeftWheel", "RightWheel"), drive.wheels, strict=True):
        add(element, tag, name=wheel)
