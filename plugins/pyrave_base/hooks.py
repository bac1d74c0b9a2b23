"""OpenRAVE's names of collision checkers and controllers."""

from __future__ import annotations

from collections.abc import Iterable

from pyrave.plugins import hookimpl
from pyrave.plugins.contracts import DEFAULT_IDS

OLD_CHECKERS = ("fcl_", "ode", "bullet", "pqp")
"""Collision checkers that old files and scripts name."""


@hookimpl
def pyrave_interfaces() -> Iterable[tuple[str, str, str]]:
    """Return the old names; what they answer does not depend on a library."""
    default = DEFAULT_IDS["collisionchecker"]
    checkers = [("collisionchecker", name, default) for name in OLD_CHECKERS]
    return [*checkers, ("controller", "odevelocity", "JointVelocityController")]
