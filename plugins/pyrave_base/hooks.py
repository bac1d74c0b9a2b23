"""OpenRAVE's names of collision checkers and controllers, and tags of robots."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from pyrave.plugins import hookimpl

OLD_CHECKERS = ("fcl_", "ode", "bullet", "pqp", "CacheChecker")
"""Collision checkers that old files and scripts name."""


@hookimpl
def pyrave_interfaces() -> Iterable[tuple[str, str, str]]:
    """Return the old names; what they answer does not depend on a library."""
    checkers = [("collisionchecker", name, "Native") for name in OLD_CHECKERS]
    return [*checkers, ("controller", "odevelocity", "JointVelocityController")]


@hookimpl
def pyrave_xml_readers() -> Iterable[tuple[str, str, Callable[..., Any]]]:
    """Return the readers of what robots have beside their bodies."""
    return [("robot", "collisionmap", _read_collision_map)]


def _read_collision_map(element: Any, context: Any) -> Any:
    from pyrave_base.collision_map_robot import read_collision_map

    return read_collision_map(element, context)
