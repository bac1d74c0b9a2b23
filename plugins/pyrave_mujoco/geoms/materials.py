"""Friction and restitution: pairs of materials as parameters of contacts.

MuJoCo has parameters of geoms, which it mixes (the larger friction, the mean of the
contact's reference). What links of one class have among themselves becomes a parameter
of their geoms. Where mixing gives something else than a pair of classes should have,
their geoms become explicit pairs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from pyrave.scene.surfaces import class_of, frictions, restitutions

if TYPE_CHECKING:
    from pyrave.scene import ContactProperties, LinkDescription

Class = tuple[str, str]
"""Material and type of objects of a link."""
IMPACT_STEPS = 32
"""Steps of the engine that an impact takes, so that its law is resolved."""
FEWEST_STEPS = 2.0
"""Least time constant of contacts in steps: less MuJoCo takes for it."""
_SOFT = (0.95, 0.9999, 1e-4, 0.5, 2.0)
"""Parameters of contacts: as hard as MuJoCo's can be where something is 0.1 mm deep,
so that what presses light bodies comes no deeper, and belts go on as they are."""
FIRM = (0.9999, 0.9999, 0.001, 0.5, 2.0)
"""Parameters of joint limits, which yield by acceleration where links are light."""
_HARD = (0.99, 0.99, 0.001, 0.5, 2.0)
_LEAST = math.exp(-2.0)
"""Restitution of critical damping; less would need steps that are shorter still."""


@dataclass(frozen=True, slots=True)
class ContactParameters:
    """Parameters of a contact.

    Parameters
    ----------
    friction
        Coulomb's coefficient.
    restitution
        Newton's coefficient; 0 for critically damped contacts, which do not bounce.
    """

    friction: float
    restitution: float = 0.0

    @property
    def slippery(self) -> bool:
        """True if there is no friction."""
        return self.friction <= 0.0

    def reference(
        self, step: float, reduction: float
    ) -> tuple[tuple[float, float], tuple[float, ...]]:
        """Return MuJoCo's `solref` and `solimp` for steps of a length, seconds.

        Without restitution what has gone in comes out with a time constant of the step
        over `reduction`, critically damped.

        Restitution is that of a damped linear spring, which MuJoCo's contacts are with
        a constant impedance. The contact ends when the force does (Schwager and
        Pöschel, Granular Matter 9, 2007, equation 21).
        """
        if self.restitution <= 0.0:
            return (max(1.0 / reduction, FEWEST_STEPS) * step, 1.0), _SOFT
        ratio = damping_ratio(self.restitution)
        omega = math.pi / (IMPACT_STEPS * step)
        return (-omega * omega, -2.0 * ratio * omega), _HARD


def restitution_of(ratio: float) -> float:
    """Return Newton's coefficient of a spring with a damping ratio of 0 to 1."""
    if ratio >= 1.0:
        return _LEAST
    root = math.sqrt(1.0 - ratio * ratio)
    angle = math.atan2(2.0 * ratio * root, 1.0 - 2.0 * ratio * ratio)
    return math.exp(-ratio / root * (math.pi - angle))


def damping_ratio(restitution: float) -> float:
    """Return the damping ratio, at most 1, that gives Newton's coefficient."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (
            (middle, high) if restitution_of(middle) > restitution else (low, middle)
        )
    return low


class Surfaces:
    """Friction and restitution of pairs of classes of links, by contact properties.

    Parameters
    ----------
    friction
        Of pairs of materials that the properties do not list.
    restitution
        Of pairs of types of objects that they do not list.
    """

    def __init__(
        self, properties: ContactProperties, friction: float, restitution: float = 0.0
    ) -> None:
        self._default = ContactParameters(friction, restitution)
        self._properties = properties
        self._known: dict[tuple[Class, Class], ContactParameters] = {}
        self._friction = frictions(properties)
        self._restitution = restitutions(properties)

    def between(self, first: Class, second: Class) -> ContactParameters:
        """Return the surface for contacts of links of two classes."""
        found = self._known.get((first, second))
        if found is None:
            law = self._friction.get(frozenset((first[0], second[0])))
            found = self._known[first, second] = ContactParameters(
                self._default.friction if law is None else law.coefficient,
                self._restitution.get(
                    frozenset((first[1], second[1])), self._default.restitution
                ),
            )
        return found

    def class_of(self, link: LinkDescription) -> Class:
        """Return the material and the type of objects of a link."""
        return class_of(link, self._properties)

    @cached_property
    def bounces(self) -> bool:
        """True if any pair of object types has restitution."""
        known = (self._default.restitution, *self._restitution.values())
        return any(value > 0.0 for value in known)

    def impact_depth(self, reduction: float) -> float:
        """Return the depth of an impact, in steps times its speed.

        A spring without damping goes ``v / omega`` deep, ``omega`` being pi over the
        duration of the impact; a critically damped one ``v T / e`` with a time constant
        T.
        """
        if self.bounces:
            return IMPACT_STEPS / math.pi
        return max(1.0 / reduction, FEWEST_STEPS) / math.e

    def mixed_right(self, first: Class, second: Class) -> bool:
        """Return True if MuJoCo's mixing of two classes gives what the pair has."""
        one, other = self.between(first, first), self.between(second, second)
        pair = self.between(first, second)
        return (
            max(one.friction, other.friction) == pair.friction
            and one.restitution == other.restitution == pair.restitution
        )
