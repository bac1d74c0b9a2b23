"""Hands and what they grasp, checked; their links, and how their joints close."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.bodies.kinbody import KinBody
from pyrave.bodies.manipulator import Manipulator
from pyrave.errors import ArgumentError, StateError, shown
from pyrave.interfaces.named_bodies import named_body
from pyrave.spatial import as_vector

if TYPE_CHECKING:
    from pyrave.bodies.views.link import Link
    from pyrave.spatial import Array


TOUCH = 1e-6
"""Metres at which a finger touches: it ends half as near at least, and never in."""


def as_manipulator(arm: Any) -> Manipulator:
    """Return a manipulator of a robot that is in an environment, checked."""
    if not isinstance(arm, Manipulator):
        raise ArgumentError(f"arm is {shown(arm)}, expected a manipulator")
    if arm.robot.id < 0:
        raise StateError(f"{arm.robot!r} is in no environment; env.add(robot) adds it")
    return arm


def as_target(arm: Manipulator, given: Any, name: str = "target") -> KinBody:
    """Return a body in an arm's environment that a hand could grasp, checked.

    Parameters
    ----------
    given
        The body or its name.
    name
        Of the argument that gives it.
    """
    robot = arm.robot
    body: Any = named_body(robot.env, given)
    if not isinstance(body, KinBody):
        raise ArgumentError(f"{name} is {shown(given)}, expected a body or its name")
    if body.id < 0 or body.env is not robot.env:
        raise StateError(
            f"{body!r} is not in the environment of {robot!r}; env.add(body) adds it"
        )
    if body is robot:
        raise ArgumentError(f"{name} is {robot!r}, which cannot take hold of itself")
    if not any(link.geometries for link in body.links):
        raise ArgumentError(f"{name} is {body!r}, which has no geometry to touch")
    return body


def hand_links(arm: Manipulator) -> list[Link]:
    """Return the links of a hand: what the gripper moves, and what holds it."""
    moved = np.any(arm.robot.model.dof_affects[arm.gripper_indices], axis=0).tolist()
    fingers = [link for link in arm.robot.links if moved[link.index]]
    return [*fingers, *(one for one in arm.child_links if one not in fingers)]


def closing_rates(arm: Manipulator, given: Any = None, name: str = "closing") -> Array:
    """Return the rates (n_gripper,) with which a gripper's joints close, checked.

    Parameters
    ----------
    given
        None: those of `Manipulator.chucking_direction`.
    name
        Of the argument that gives them.
    """
    robot, count = as_manipulator(arm).robot, len(arm.gripper_indices)
    if not count:
        some = [
            repr(one.name) for one in robot.manipulators if len(one.gripper_indices)
        ]
        raise ArgumentError(
            f"{arm!r} has no gripper joints; "
            + (
                f"those of {robot.name!r} that have some: {', '.join(some)}; "
                * bool(some)
            )
            + "robot.add_manipulator(..., gripper_joints=) names them"
        )
    rates = arm.chucking_direction if given is None else as_vector(given, count, name)
    if not rates.any():
        said = f"the chucking direction of {arm!r}" if given is None else name
        raise ArgumentError(
            f"{said} is 0 for all of its {count} gripper joints, so that nothing "
            f"closes; give the sign that closes each: {name}= where a function takes "
            "it, else chucking_direction of the arm's description"
        )
    return rates


def open_values(arm: Manipulator) -> Array:
    """Return values (n_gripper,) with which a gripper is open, at the joints' limits.

    A joint without a closing direction, or without a limit, is at 0 or next to it.
    """
    rates = arm.chucking_direction
    lower, upper = (bound[arm.gripper_indices] for bound in arm.robot.dof_limits)
    middle = np.clip(np.zeros(len(rates)), lower, upper)
    values = np.where(rates > 0.0, lower, np.where(rates < 0.0, upper, middle))
    return np.where(np.isfinite(values), values, middle)
