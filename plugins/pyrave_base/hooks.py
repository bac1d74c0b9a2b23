"""OpenRAVE's names of collision checkers and controllers, and tags of robots."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from pyrave.plugins import hookimpl

_BODIES = ("kinbody", "robot")
OLD_CHECKERS = ("fcl_", "ode", "bullet", "pqp")
"""Collision checkers that old files and scripts name."""


@hookimpl
def pyrave_interfaces() -> Iterable[tuple[str, str, str]]:
    """Return the old names; what they answer does not depend on a library."""
    checkers = [("collisionchecker", name, "Native") for name in OLD_CHECKERS]
    return [*checkers, ("controller", "odevelocity", "JointVelocityController")]


@hookimpl
def pyrave_xml_readers() -> Iterable[tuple[str, str, Callable[..., Any]]]:
    """Return the readers of tags in bodies and robots."""
    tracked = [(kind, "simplesensorsystem", _read_tracking) for kind in _BODIES]
    return [("robot", "collisionmap", _read_collision_map), *tracked]


def _read_collision_map(element: Any, context: Any) -> Any:
    from pyrave_base.collision_map_robot import read_collision_map

    return read_collision_map(element, context)


def _read_tracking(element: Any, context: Any) -> Any:
    from pyrave_base.simple_sensor_system import read_tracking_data

    return read_tracking_data(element, context)
