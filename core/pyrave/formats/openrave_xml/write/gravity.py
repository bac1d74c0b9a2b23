"""Writing gravity of a scene as that of a physics engine, where OpenRAVE has it."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from lxml import etree

from pyrave.formats.openrave_xml.gravity import ALONE, BLOCKS, child_of, engine_gravity
from pyrave.formats.openrave_xml.write.tags import add
from pyrave.formats.output.numbers import numbers
from pyrave.formats.xml import local_name

if TYPE_CHECKING:
    from pyrave.scene.pose import Vec3

_ENGINE = "physicsengine"


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
    if kind not in BLOCKS:
        made, kind = etree.Element(_ENGINE), "ode"
        made.set("type", kind)
    block = child_of(made, {BLOCKS[kind]})
    if block is None:
        block = add(made, BLOCKS[kind])
    for said in [one for one in block if local_name(one) == "gravity"]:
        block.remove(said)
    add(block, "gravity", numbers(gravity))
    add(made, "pyrave").set(*ALONE)
    environment.append(made)
    return True
