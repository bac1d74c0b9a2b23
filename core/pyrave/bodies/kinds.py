"""Test for robots that does not import them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.robot import Robot


def is_robot(body: KinBody | None) -> TypeGuard[Robot]:
    """Return True if a body is a robot; None is not."""
    return body is not None and body.is_robot
