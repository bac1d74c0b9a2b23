"""Constraints and springs of a Dynamic WorkCell."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from pyrave.scene import CONSTRAINT_FREEDOMS, IDENTITY, Limits, Spring
from pyrave_workcell.dynamics.document import Constraint
from pyrave_workcell.dynamics.values import DynamicsReading, rows_of

if TYPE_CHECKING:
    from pyrave.scene import ConstraintKind
    from pyrave_workcell.syntax import CellNode

_KINDS: dict[str, ConstraintKind] = {
    kind.replace("_", ""): kind for kind in CONSTRAINT_FREEDOMS
}
_WRITTEN = (
    *("Fixed", "Prismatic", "Revolute", "Universal", "Spherical", "Piston"),
    *("PrismaticRotoid", "PrismaticUniversal", "Free"),
)
_NAMES = ("name", "type", "parent", "child")


def read_constraint(element: CellNode, reading: DynamicsReading) -> Constraint:
    """Return a ``<Constraint>``."""
    tags = ("Transform3D", "Spring", "Limits")
    reading.check(element, tags, _NAMES, strict=True)
    reading.last_counts(element, tags)
    name, written, parent, child = (reading.attribute(element, one) for one in _NAMES)
    kind = _KINDS.get(written.lower())
    if kind is None:
        reading.error(
            element,
            "bad-value",
            f"the constraint has the type {written!r}, expected one of "
            f"{', '.join(_WRITTEN)}",
            reading.suggestion(written, _WRITTEN),
        )
        return Constraint(name, "fixed", parent, child, at=element)
    pose, spring = IDENTITY, None
    limits: tuple[Limits, ...] = ()
    for one in element:
        if one.tag == "Transform3D":
            pose = reading.transform(one)
        elif one.tag == "Spring":
            spring = read_spring(one, kind, reading)
        elif one.tag == "Limits":
            limits = _limits(one, kind, reading)
    return Constraint(name, kind, parent, child, pose, limits, spring, at=element)


def read_spring(
    element: CellNode, kind: ConstraintKind, reading: DynamicsReading
) -> Spring:
    """Return a ``<Spring>`` of a constraint of some kind.

    RobWork reads the matrices by columns; here the rows of the text are rows.
    """
    reading.check(element, ("Compliance", "Damping"), ("constraint",), strict=True)
    size = len(CONSTRAINT_FREEDOMS[kind])
    found = {}
    for tag in ("Compliance", "Damping"):
        child = reading.child(element, tag, required=False)
        found[tag] = () if child is None else _matrix(child, kind, size, reading)
    return Spring(found["Compliance"], found["Damping"])


def _matrix(
    element: CellNode, kind: ConstraintKind, size: int, reading: DynamicsReading
) -> tuple[tuple[float, ...], ...]:
    numbers = reading.numbers(element)
    if len(numbers) == size * size:
        return rows_of(numbers, size)
    reading.error(
        element,
        "bad-number",
        f"<{element.tag}> has {len(numbers)} numbers, expected {size * size}: "
        f"{kind.replace('_', ' ')} leaves {size} directions free",
    )
    return ()


def _limits(
    element: CellNode, kind: ConstraintKind, reading: DynamicsReading
) -> tuple[Limits, ...]:  # fmt: skip
    reading.check(element, ("Limit",), strict=True)
    rows = [child for child in element if child.tag == "Limit"]
    size = len(CONSTRAINT_FREEDOMS[kind])
    if len(rows) > size:
        text = f"there are {len(rows)} limits for {size} free directions"
        reading.error(rows[size], "repeated-item", text)
    return tuple(_limit(child, reading) for child in rows[:size])


def _limit(element: CellNode, reading: DynamicsReading) -> Limits:
    for name in element.attributes:
        if name not in {"low", "high"}:
            text = f"<Limit> has the attribute {name!r}, expected low or high"
            reading.error(element, "unknown-attribute", text)
    low = reading.attribute_number(element, "low", -math.inf)
    high = reading.attribute_number(element, "high", math.inf)
    if low > high:
        reading.error(element, "bad-limit", f"low is {low}, above high, {high}")
        return Limits()
    return Limits(low, high)


def with_spring(
    element: CellNode, one: Constraint, reading: DynamicsReading
) -> Constraint:
    """Return a constraint with a ``<Spring>`` that stands outside of it.

    RobWork ends without a word on such a file; it is read as it is documented.
    """
    if one.spring is not None:
        text = f"constraint {one.name!r} has a spring already; this one takes its place"
        reading.warn(element, "repeated-item", text)
    return replace(one, spring=read_spring(element, one.kind, reading))
