"""Robots made of arms as data."""

from __future__ import annotations

import math
import random

from pyrave.scene import (
    JointAxis,
    JointDescription,
    LinkDescription,
    ManipulatorDescription,
    Pose,
    RobotDescription,
)
from pyrave_environments.arms.data import Arm, At, Vec3

__all__ = ["arm_description", "random_arm"]


def arm_description(arm: Arm) -> RobotDescription:
    """Return a robot of links without shapes and one manipulator, ``arm``.

    Every link's frame lies on its joint's axis and is turned like the base where all
    joints are at zero.
    """
    links = [LinkDescription("base", static=True)]
    joints = []
    before = (0.0, 0.0, 0.0)
    for number, axis in enumerate(arm.axes, 1):
        links.append(
            LinkDescription(f"link{number}", pose=Pose.from_translation(*axis.point))
        )
        joints.append(
            JointDescription(
                f"joint{number}",
                "slider" if axis.slides else "hinge",
                links[-2].name,
                links[-1].name,
                T_parent_joint=Pose.from_translation(*_minus(axis.point, before)),
                axes=(_joint_axis(axis),),
            )
        )
        before = axis.point
    tool = arm.tool_pose
    manipulator = ManipulatorDescription(
        "arm",
        "base",
        links[-1].name,
        tool=Pose(tool.rotation, _minus(tool.translation, before)),
        direction=arm.direction,
    )
    start = tuple(_start(axis) for joint in joints for axis in joint.axes)
    return RobotDescription(
        arm.name,
        links=tuple(links),
        joints=tuple(joints),
        dof_values=start if any(start) else None,
        manipulators=(manipulator,),
    )


def _start(axis: JointAxis) -> float:
    """Return the value nearest to zero inside the limits."""
    return 0.0 if axis.circular else min(max(0.0, axis.lower), axis.upper)


def _joint_axis(axis: At) -> JointAxis:
    if axis.limits is None:
        return JointAxis(axis.direction, circular=True)
    lower, upper = axis.limits
    if not axis.slides:
        lower, upper = math.radians(lower), math.radians(upper)
    return JointAxis(axis.direction, axis.slides, lower, upper)


def random_arm(seed: int, kinds: str = "RRRRRR") -> Arm:
    """Return an arm whose axes lie anywhere: no two meet or are parallel.

    Parameters
    ----------
    kinds
        A letter for each joint: R turns, P slides.
    """
    source = random.Random(seed)  # noqa: S311 - geometry, not a secret
    joints = tuple(
        At(
            _direction(source),
            _point(source),
            (-180.0, 180.0) if kind == "R" else (-0.5, 0.5),
            kind == "P",
        )
        for kind in kinds
    )
    return Arm(
        f"random{len(kinds)}{kinds.lower() if 'P' in kinds else 'r'}_{seed}",
        f"axes anywhere, seed {seed}",
        "drawn at random",
        joints,
        tool=_point(source),
    )


def _point(source: random.Random) -> Vec3:
    x, y, z = (source.gauss(0.0, 0.4) for _ in range(3))
    return (x, y, z)


def _direction(source: random.Random) -> Vec3:
    x, y, z = (source.gauss(0.0, 1.0) for _ in range(3))
    length = math.sqrt(x * x + y * y + z * z)
    return (x / length, y / length, z / length)


def _minus(a: Vec3, b: Vec3) -> Vec3:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])
