"""Inertia and friction that the motor of a joint adds to a body."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyrave.scene.kept_readables import xml_of

if TYPE_CHECKING:
    from pyrave.scene.readable import Readable


@dataclass(frozen=True, slots=True)
class Motor:
    """Inertia and friction that a joint's motor adds, seen from the joint.

    Parameters
    ----------
    rotor_inertia
        Inertia of the rotor times the square of the gear ratio, kg m2 or kg.
    coulomb_friction
        Friction against the direction of motion, N m or N.
    viscous_friction
        Friction per velocity, N m s/rad or N s/m.
    """

    rotor_inertia: float = 0.0
    coulomb_friction: float = 0.0
    viscous_friction: float = 0.0

    @classmethod
    def from_actuator(cls, actuator: Readable | None) -> Motor:
        """Return the motor of a joint's ``<actuator>``; nothing adds nothing.

        Numbers that are missing or are no numbers are zero.
        """
        xml = None if actuator is None else xml_of(actuator)
        if xml is None:
            return cls()
        texts = {child.tag.lower(): child.text for child in xml.children}
        gear = _number(texts.get("gear_ratio"))
        return cls(
            _number(texts.get("rotor_inertia")) * gear * gear,
            _number(texts.get("coloumb_friction")),  # the tag's own spelling
            _number(texts.get("viscous_friction")),
        )


def _number(text: str | None) -> float:
    try:
        value = float((text or "").split()[0])
    except (IndexError, ValueError):
        return 0.0
    return value if math.isfinite(value) else 0.0
