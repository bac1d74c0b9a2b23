"""Tests for bodies and robots that do not import these."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from pyrave.bodies.state.model_state import ModelState

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.robot import Robot


def is_robot(body: KinBody | None) -> TypeGuard[Robot]:
    """Return True if a body is a robot; None is not."""
    return body is not None and body.is_robot


def is_body(item: object) -> TypeGuard[KinBody]:
    """Return True for a body: nothing else has a model at a state."""
    return isinstance(item, ModelState)
