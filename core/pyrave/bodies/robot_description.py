"""Descriptions of robots, and checks of the names in them."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from pyrave.errors import Problem, SceneError, Severity, did_you_mean
from pyrave.scene import BodyDescription, RobotDescription

if TYPE_CHECKING:
    from pyrave.scene import Location


def as_robot(description: BodyDescription) -> RobotDescription:
    """Return a body's description as that of a robot."""
    if isinstance(description, RobotDescription):
        return description
    fields = dataclasses.fields(description)
    return RobotDescription(
        **{one.name: getattr(description, one.name) for one in fields}
    )


def check_references(robot: RobotDescription) -> None:
    """Raise a SceneError for each link or joint that does not exist."""
    # as keys: in order for suggestions, and found at once
    links = dict.fromkeys(link.name for link in robot.links)
    joints = dict.fromkeys(joint.name for joint in robot.joints)
    wanted: list[tuple[str, str, dict[str, None], str, Location | None]] = []
    for arm in robot.manipulators:
        what = f"manipulator {arm.name!r}"
        ends = (arm.base, arm.end_effector)
        wanted += [(what, name, links, "link", arm.location) for name in ends]
        wanted += [
            (what, name, joints, "joint", arm.location) for name in arm.gripper_joints
        ]
    for one in robot.configurations:
        what = f"configuration {one.name!r}"
        wanted += [
            (what, name, joints, "joint", one.location) for name, _ in one.values
        ]
    for sensor in robot.attached_sensors:
        what = f"attached sensor {sensor.name!r}"
        wanted.append((what, sensor.link, links, "link", sensor.location))
    problems = [
        Problem(
            Severity.ERROR,
            f"{what} of {robot.name!r} names the {kind} {name!r}, which does not exist"
            f"{did_you_mean(name, known)}",
            file=place.file if place else None,
            line=place.line if place else None,
            column=place.column if place else None,
            code=f"unknown-{kind}",
        )
        for what, name, known, kind, place in wanted
        if name not in known
    ]
    if problems:
        raise SceneError(problems)
