"""Hands: their links, and the rates with which their joints close."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.bodies.manipulator import Manipulator
from pyrave.errors import ArgumentError, StateError, shown
from pyrave.spatial import as_vector

if TYPE_CHECKING:
    from pyrave.bodies.views.link import Link
    from pyrave.spatial import Array


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
    if not isinstance(arm, Manipulator):
        raise ArgumentError(f"arm is {shown(arm)}, expected a manipulator")
    robot, count = arm.robot, len(arm.gripper_indices)
    if robot.id < 0:
        raise StateError(f"{robot!r} is in no environment; env.add(robot) adds it")
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
