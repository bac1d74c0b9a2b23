"""Gravity of a scene, which in OpenRAVE is that of its physics engine."""

from __future__ import annotations

import copy
import math
from typing import TYPE_CHECKING, Any

from lxml import etree

from pyrave.formats.openrave_xml.write.tags import add
from pyrave.formats.output.numbers import numbers
from pyrave.formats.xml import local_name

if TYPE_CHECKING:
    from pyrave.scene.pose import Vec3

_ENGINE = "physicsengine"
_BLOCKS = {"ode": "odeproperties", "bullet": "bulletproperties"}
"""Elements with the settings of OpenRAVE's engines, by their ids."""
_ALONE = ("for", "gravity")
"""Attribute of the ``<pyrave>`` of an engine that only says what gravity is."""


def engine_gravity(element: Any) -> Vec3 | None:
    """Return the gravity that a ``<physicsengine>`` says, m/s2, or None.

    What is not three finite numbers is left to the reader of the engine's settings.
    """
    block = _child(element, set(_BLOCKS.values()))
    said = None if block is None else _child(block, {"gravity"})
    try:
        x, y, z = map(float, () if said is None else (said.text or "").split())
    except ValueError:
        return None
    return (x, y, z) if all(map(math.isfinite, (x, y, z))) else None


def is_gravity_alone(element: Any) -> bool:
    """Return True if an engine is written for OpenRAVE alone, to have gravity there."""
    own = _child(element, {"pyrave"})
    name, value = _ALONE
    return own is not None and own.get(name) == value


def add_gravity(environment: Any, gravity: Vec3) -> bool:
    """Append an engine with a gravity unless the last engine there has it.

    It is a copy of that engine, or else the engine ``ode``, for OpenRAVE alone.

    Returns
    -------
    bool
        Whether something was appended.
    """
    engines = [one for one in environment if local_name(one) == _ENGINE]
    if engines and engine_gravity(engines[-1]) == gravity:
        return False
    made = copy.deepcopy(engines[-1]) if engines else etree.Element(_ENGINE)
    kind = (made.get("type") or "").lower()
    if kind not in _BLOCKS:
        made, kind = etree.Element(_ENGINE), "ode"
        made.set("type", kind)
    block = _child(made, {_BLOCKS[kind]})
    if block is None:
        block = add(made, _BLOCKS[kind])
    for said in [one for one in block if local_name(one) == "gravity"]:
        block.remove(said)
    add(block, "gravity", numbers(gravity))
    add(made, "pyrave").set(*_ALONE)
    environment.append(made)
    return True


def _child(element: Any, tags: set[str]) -> Any:
    """Return the last child of some tags, which counts; None if there is none."""
    found = [one for one in element if local_name(one) in tags]
    return found[-1] if found else None
