"""Gravity of a scene, which in OpenRAVE is that of its physics engine."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from pyrave.formats.xml import local_name

if TYPE_CHECKING:
    from pyrave.scene.pose import Vec3

BLOCKS = {"ode": "odeproperties", "bullet": "bulletproperties"}
"""Elements with the settings of OpenRAVE's engines, by their ids."""
ALONE = ("for", "gravity")
"""Attribute of the ``<pyrave>`` of an engine that only says what gravity is."""


def engine_gravity(element: Any) -> Vec3 | None:
    """Return the gravity that a ``<physicsengine>`` says, m/s2, or None.

    What is not three finite numbers is left to the reader of the engine's settings.
    """
    block = child_of(element, set(BLOCKS.values()))
    said = None if block is None else child_of(block, {"gravity"})
    try:
        x, y, z = map(float, () if said is None else (said.text or "").split())
    except ValueError:
        return None
    return (x, y, z) if all(map(math.isfinite, (x, y, z))) else None


def is_gravity_alone(element: Any) -> bool:
    """Return True if an engine is written for OpenRAVE alone, to have gravity there."""
    own = child_of(element, {"pyrave"})
    name, value = ALONE
    return own is not None and own.get(name) == value


def child_of(element: Any, tags: set[str]) -> Any:
    """Return the last child of some tags, which counts; None if there is none."""
    found = [one for one in element if local_name(one) in tags]
    return found[-1] if found else None
