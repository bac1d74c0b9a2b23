"""Friction and restitution of single materials, as tables of pairs and back.

Formats that give a material coefficients of its own leave open, or to an engine, what
two different ones have together; descriptions have a table of pairs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement, product
from typing import TYPE_CHECKING

from pyrave.scene.comparison import same
from pyrave.scene.physics import (
    ContactMaterial,
    ContactProperties,
    Friction,
    Restitution,
)

if TYPE_CHECKING:
    from pyrave.scene.body import LinkDescription

Rule = Callable[[float, float], float]
"""``(coefficient, coefficient) -> coefficient`` of a pair; of two equal ones, that."""

MOST_SURFACES = 256
"""Largest number of materials of a table, which grows with its square."""
SLIDING = "Mud"
"""The parameter of `Friction` that holds Coulomb's coefficient of what slides.

RobWork's files have it by this name.
"""


@dataclass(frozen=True, slots=True)
class Surface:
    """Contact properties of a material with itself; None: not given.

    Parameters
    ----------
    friction, sliding
        Coulomb's static and dynamic coefficients.
    restitution
        Newton's coefficient.
    """

    name: str
    friction: float | None = None
    sliding: float | None = None
    restitution: float | None = None

    @property
    def material(self) -> str:
        """The material of a link that has it, empty without friction."""
        return "" if self.friction is None else self.name

    @property
    def object_type(self) -> str:
        """The type of objects of a link that has it, empty without restitution."""
        return "" if self.restitution is None else self.name


def geometric_mean(first: float, second: float) -> float:
    """Return the coefficient of a pair as the geometric mean of what each has."""
    # the product of equal ones may be rounded, or leave the range of numbers
    return first if first == second else math.sqrt(first) * math.sqrt(second)


def tabulated(surfaces: Sequence[Surface], rule: Rule) -> ContactProperties:
    """Return the pairs of some materials, of the first `MOST_SURFACES` at most.

    A material with friction becomes a material, one with restitution a type of objects
    of the same name.
    """
    known = surfaces[:MOST_SURFACES]
    rough = [one for one in known if one.friction is not None]
    elastic = [one for one in known if one.restitution is not None]
    return ContactProperties(
        tuple(ContactMaterial(one.name) for one in rough),
        tuple(ContactMaterial(one.name) for one in elastic),
        tuple(_friction(rough, rule)),
        tuple(
            Restitution(
                a.name, b.name, rule(a.restitution or 0.0, b.restitution or 0.0)
            )
            for a, b in combinations_with_replacement(elastic, 2)
        ),
    )


def _friction(surfaces: Sequence[Surface], rule: Rule) -> Iterator[Friction]:
    for a, b in combinations_with_replacement(surfaces, 2):
        ends = [one.friction if one.sliding is None else one.sliding for one in (a, b)]
        still = rule(a.friction or 0.0, b.friction or 0.0)
        yield _law(a.name, b.name, still, rule(*(end or 0.0 for end in ends)))


def _law(first: str, second: str, still: float, sliding: float) -> Friction:
    rest = () if sliding == still else ((SLIDING, (sliding,)),)
    return Friction(first, second, still, parameters=rest)


def class_of(link: LinkDescription, properties: ContactProperties) -> tuple[str, str]:
    """Return the material and the type of objects of a link, empty if it has none."""
    return (
        link.material or properties.default_material,
        link.object_type or properties.default_object_type,
    )


def frictions(properties: ContactProperties) -> dict[frozenset[str], Friction]:
    """Return Coulomb's friction of each pair: of several entries the first counts."""
    found: dict[frozenset[str], Friction] = {}
    for one in properties.friction:
        if one.model.lower() == "coulomb":
            found.setdefault(frozenset((one.first, one.second)), one)
    return found


def restitutions(properties: ContactProperties) -> dict[frozenset[str], float]:
    """Return the restitution of each pair: of several entries the last counts."""
    return {
        frozenset((one.first, one.second)): one.coefficient
        for one in properties.restitution
    }


def sliding_of(law: Friction) -> float:
    """Return Coulomb's coefficient of what slides: the static one unless another is."""
    found = dict(law.parameters).get(SLIDING, ())
    return found[0] if len(found) == 1 and found[0] >= 0.0 else law.coefficient


def completed(
    joined: ContactProperties, first: ContactProperties, second: ContactProperties
) -> ContactProperties:
    """Return joined contact properties with pairs of a material of each of two scenes.

    What no scene says of them is the geometric mean of what both have with themselves.
    """
    across = [
        list(_across((one.name for one in a), (one.name for one in b)))
        for a, b in (
            (first.materials, second.materials),
            (first.object_types, second.object_types),
        )
    ]
    if not any(across):
        return joined
    laws, bounces = frictions(joined), restitutions(joined)
    friction = [
        _law(
            a,
            b,
            geometric_mean(one.coefficient, other.coefficient),
            geometric_mean(sliding_of(one), sliding_of(other)),
        )
        for a, b in across[0]
        if frozenset((a, b)) not in laws
        and (one := laws.get(frozenset((a,)))) is not None
        and (other := laws.get(frozenset((b,)))) is not None
    ]
    restitution = [
        Restitution(a, b, geometric_mean(one_end, other_end))
        for a, b in across[1]
        if frozenset((a, b)) not in bounces
        and (one_end := bounces.get(frozenset((a,)))) is not None
        and (other_end := bounces.get(frozenset((b,)))) is not None
    ]
    if not friction and not restitution:
        return joined
    return replace(
        joined,
        friction=(*joined.friction, *friction),
        restitution=(*joined.restitution, *restitution),
    )


def _across(first: Iterable[str], second: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield pairs of a name that the first alone has and one that the second has."""
    mine, other = dict.fromkeys(first), dict.fromkeys(second)
    own = [name for name in mine if name not in other][:MOST_SURFACES]
    return product(own, [name for name in other if name not in mine][:MOST_SURFACES])


def unruled(
    properties: ContactProperties,
    rule: Rule,
    materials: Collection[str],
    object_types: Collection[str],
) -> ContactProperties:
    """Return the contact properties without pairs that follow by a rule.

    Parameters
    ----------
    materials, object_types
        Those of which it is said what they have with themselves.
    """
    laws, bounces = frictions(properties), restitutions(properties)
    known = set(materials), set(object_types)

    def follows(one: Friction) -> bool:
        a, b = (laws.get(frozenset((name,))) for name in (one.first, one.second))
        if a is None or b is None or not {one.first, one.second} <= known[0]:
            return False
        return (
            laws.get(frozenset((one.first, one.second))) is one
            and {name for name, _ in one.parameters} <= {SLIDING}
            and same(one.coefficient, rule(a.coefficient, b.coefficient))
            and same(sliding_of(one), rule(sliding_of(a), sliding_of(b)))
        )

    def bounces_so(one: Restitution) -> bool:
        a, b = (bounces.get(frozenset((name,))) for name in (one.first, one.second))
        if a is None or b is None or not {one.first, one.second} <= known[1]:
            return False
        counted = bounces[frozenset((one.first, one.second))]
        return counted == one.coefficient and same(counted, rule(a, b))

    return replace(
        properties,
        friction=tuple(one for one in properties.friction if not follows(one)),
        restitution=tuple(one for one in properties.restitution if not bounces_so(one)),
    )
