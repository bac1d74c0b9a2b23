"""Hooks of the package: imported with the first environment of a process."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

from pyrave import hookimpl
from pyrave.former_names import NewName

if TYPE_CHECKING:
    from pyrave.bodies import KinBody
    from pyrave.environment import Environment

# environments are kept weakly: a hook module lives as long as the process
_ADDED: weakref.WeakKeyDictionary[Environment, list[str]] = weakref.WeakKeyDictionary()


@hookimpl
def pyrave_body_added(env: Environment, body: KinBody) -> None:
    """Record the bodies that are added."""
    _ADDED.setdefault(env, []).append(body.name)


def added_bodies(env: Environment) -> list[str]:
    """Return the names of the bodies that were added to an environment."""
    return list(_ADDED.get(env, ()))


@hookimpl
def pyrave_interfaces() -> list[tuple[str, str, str]]:
    """Offer another id of the sensor, and one that it had."""
    former = NewName("KeptSensor", "acme-kept 2.0")
    return [("sensor", "KeptEye", "KeptSensor"), ("sensor", "FormerEye", former)]
