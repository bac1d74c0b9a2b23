"""Bodies that may be connected to a robot: which of them are."""

from __future__ import annotations

from typing import Any

import pyrave

__all__ = ["active_states", "connected_bodies", "set_active_states"]

_KEY = "openravepy connected bodies"


def connected_bodies(robot: pyrave.Robot) -> list[Any]:
    """Return the connected bodies of pyrave's robot, to be changed in place."""
    known: list[Any] = robot.user_data.setdefault(_KEY, [])
    return known


def active_states(robot: pyrave.Robot) -> list[int]:
    """Return for each connected body 1 if it is active, 0 if not, -1 if unknown."""
    return [int(one.IsActive()) for one in connected_bodies(robot)]


def set_active_states(robot: pyrave.Robot, states: Any) -> None:
    """Make connected bodies active or not, those of which it changes."""
    bodies = connected_bodies(robot)
    given = [int(state) for state in states]
    if len(given) != len(bodies):
        raise pyrave.ArgumentError(
            f"{len(given)} states of connected bodies, expected {len(bodies)}"
        )
    for body, state in zip(bodies, given, strict=True):
        body.SetActive(state)
