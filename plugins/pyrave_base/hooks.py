"""OpenRAVE's names of collision checkers and controllers."""

from __future__ import annotations

from collections.abc import Iterable

from pyrave.plugins import hookimpl

OLD_CHECKERS = ("fcl_", "ode", "bullet", "pqp", "CacheChecker")
"""Collision checkers that old files and scripts name."""


@hookimpl
def pyrave_interfaces() -> Iterable[tuple[str, str, str]]:
    """Return the old names; what they answer does not depend on a library."""
    checkers = [("collisionchecker", name, "Native") for name in OLD_CHECKERS]
    return [*checkers, ("controller", "odevelocity", "JointVelocityController")]
