"""Choice of the decomposition that solves a loop, with its reason."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.records import Record

if TYPE_CHECKING:
    from pyrave.spatial import Array

EXACT = 1e-12
"""Deviation from a special geometry that is rounding: radians, parts of the length."""
NEARLY = 1e-3
"""The same of arms that are calibrated, or whose files have few digits."""
_APART = 0.02
"""Sine of the angle between axes that a decomposition needs not to be parallel."""
_SHORT = 1e-6
"""Distance of parallel axes, in parts of the length, that is none."""
_EXACT_OPTION = 1e-4
"""Deviation from which a slower closed form pays that does without the relation."""


class Kind(IntEnum):
    """Decompositions, by the numbers that packed arms have for them."""

    WRIST = 0
    PARALLEL = 1
    SLIDERS = 2
    GENERAL = 3
    PLANAR = 4
    OPPOSED_PRISMATIC = 5
    PERTURBED_GEOMETRY = 6


@dataclass(frozen=True, slots=True)
class Decomposition:
    """Decomposition of a loop of six joints.

    Parameters
    ----------
    kind
        The kernel that solves it.
    first
        Joint with which the loop is begun.
    backward
        Whether it is run from the end to the beginning.
    quartic
        Whether the closed form needs a polynomial of degree four.
    tilt
        How far the loop is from the geometry of the decomposition, radians and parts of
        its length; 0 if it has it.
    reason
        What was found, in words; joints are named.
    order
        Order in which the arm's axes are taken, see `commuted`; empty: as given.
    """

    kind: Kind
    first: int = 0
    backward: bool = False
    quartic: bool = False
    tilt: float = 0.0
    reason: str = ""
    order: tuple[int, ...] = ()

    @property
    def complete(self) -> bool:
        """True if it finds all solutions."""
        return self.kind is not Kind.PERTURBED_GEOMETRY

    @property
    def cost(self) -> int:
        """Rank among decompositions: lower is faster."""
        if self.kind is Kind.GENERAL:
            return 100
        if self.kind is Kind.OPPOSED_PRISMATIC:
            return 50
        across = 4 if self.first else 0
        nearly = 5 * (self.tilt > 0.0) + 15 * (self.tilt > _EXACT_OPTION)
        return 10 * self.quartic + across + self.backward + nearly


@dataclass(frozen=True, slots=True)
class _Axis(Record):
    direction: Array
    point: Array
    slides: bool

    def sine(self, other: _Axis) -> float:
        """Return the sine of the angle between the axes."""
        return float(np.linalg.norm(np.cross(self.direction, other.direction)))

    def distance(self, other: _Axis) -> float:
        """Return the distance of the axes, which are not parallel."""
        normal = np.cross(self.direction, other.direction)
        between = other.point - self.point
        return abs(float(between @ normal)) / float(np.linalg.norm(normal))

    def distance_to_point(self, point: Array) -> float:
        """Return the distance of a point from the axis."""
        return float(np.linalg.norm(np.cross(point - self.point, self.direction)))

    def gap(self, other: _Axis, length: float) -> float:
        """Return the distance of turning axes from meeting, in parts of a length."""
        if self.slides or other.slides or self.sine(other) < _APART:
            return np.inf
        return self.distance(other) / length

    def leaves(self, other: _Axis) -> bool:
        """Return True if the joint moves things out of planes normal to an axis."""
        if self.slides:
            return abs(float(self.direction @ other.direction)) > _APART
        return self.sine(other) > _APART

    def meeting_point(self, other: _Axis) -> Array:
        d = float(self.direction @ other.direction)
        between = other.point - self.point
        along = (between @ self.direction - d * (between @ other.direction)) / (
            1.0 - d * d
        )
        return np.asarray(self.point + along * self.direction)


def _axes(screws: Array) -> list[_Axis]:
    return [_Axis(row[:3], row[3:6], bool(row[6])) for row in screws]


def _length(screws: Array) -> float:
    points = screws[screws[:, 6] == 0.0, 3:6]
    if len(points) < 2:
        return 1.0
    spread = float(np.linalg.norm(points - points.mean(axis=0), axis=1).max())
    return max(spread, 1e-6)


def relations(screws: Array, names: tuple[str, ...]) -> list[str]:
    """Return in words which axes are parallel and which meet.

    Parameters
    ----------
    screws
        (n, 7): axis, point, 1 for a sliding joint.
    names
        n names of joints.
    """
    axes = _axes(screws)
    length = _length(screws)
    said = []
    for i, a in enumerate(axes):
        for j in range(i + 1, len(axes)):
            b = axes[j]
            relation, off = _relation(a, b, length)
            if off < NEARLY and relation != "slide":
                nearly = f", off by {off:.1g}" if off > EXACT else ""
                said.append(f"{names[i]} and {names[j]} {relation}{nearly}")
    return said


def _begun_at(screws: Array, goal: Array, first: int, backward: bool) -> Array:
    """Return the screws of the loop begun elsewhere, see `arranged`."""
    rotation, shift = goal[:3, :3], goal[:3, 3]
    moved = screws.copy()
    for k in range(first):
        moved[k, :3] = rotation.T @ screws[k, :3]
        moved[k, 3:6] = rotation.T @ (screws[k, 3:6] - shift)
    order = [(first + k) % len(screws) for k in range(len(screws))]
    moved = moved[order]
    if backward:
        moved = moved[::-1].copy()
        moved[:, :3] *= -1.0
    return moved


def classify(screws: Array, goal: Array, names: tuple[str, ...]) -> Decomposition:
    """Return the fastest decomposition of a loop of six joints.

    Parameters
    ----------
    screws
        (6, 7): unit axis (3), point on it (3), 1 for a sliding joint.
    goal
        (4, 4) any goal in no special position: joints at the beginning and at the end
        of an arm are neighbours in the loop, but their axes meet only by chance.
    names
        Names of the joints, for the reason.

    Raises
    ------
    ArgumentError
        Not six joints.
    """
    if screws.shape != (6, 7):
        raise ArgumentError(f"screws have shape {screws.shape}, expected (6, 7)")
    found = []
    if int(screws[:, 6].sum()) == 3:
        turning = [n for n, s in zip(names, screws[:, 6], strict=True) if not s]
        found.append(
            Decomposition(
                Kind.SLIDERS,
                reason=f"three joints slide: {', '.join(turning)} give the orientation",
            )
        )
    for backward in (False, True):
        for first in range(6):
            mine = _begun_at(screws, goal, first, backward)
            order = [(first + k) % 6 for k in range(6)]
            mine_names = tuple(names[k] for k in (order[::-1] if backward else order))
            for test in (_wrist, _parallel):
                found += test(mine, mine_names, first, backward)
    if found:
        return min(found, key=lambda d: (d.cost, d.tilt))
    sliders = np.flatnonzero(screws[:, 6])
    if len(sliders) == 2 and sliders[1] - sliders[0] == 3:
        return Decomposition(
            Kind.OPPOSED_PRISMATIC,
            int(sliders[0]),
            reason=f"{names[sliders[0]]} and {names[sliders[1]]} slide, opposite "
            "each other: an eigenvalue problem of size eight",
        )
    return Decomposition(
        Kind.GENERAL,
        reason="no three neighbouring axes meet or are parallel: "
        "elimination to an eigenvalue problem",
    )


def commuted(screws: Array) -> tuple[int, ...]:
    """Return an order of an arm's axes that moves its tool in the same way.

    A turn and a slide along parallel axes commute. Taken behind the turns, sliders of a
    SCARA do not part the axes that are parallel.

    Parameters
    ----------
    screws
        (n, 7): axis, point, 1 for a sliding joint.
    """
    axes = _axes(screws)
    order = list(range(len(axes)))
    for last in range(len(order) - 1, 0, -1):
        for k in range(last):
            a, b = axes[order[k]], axes[order[k + 1]]
            if a.slides and not b.slides and a.sine(b) < EXACT:
                order[k], order[k + 1] = order[k + 1], order[k]
    return tuple(order)


def perturbed(how: Decomposition) -> Decomposition:
    """Return the decomposition of a loop that neither `how` nor a cut of it solves."""
    why = (
        f"{how.reason}, but singular"
        if how.kind is not Kind.GENERAL
        else (
            "no three neighbouring axes meet or are parallel, but every cut is singular"
        )
    )
    reason = f"{why}: elimination with perturbed geometry"
    return Decomposition(Kind.PERTURBED_GEOMETRY, reason=reason, order=how.order)


def _wrist(
    screws: Array, names: tuple[str, ...], first: int, backward: bool
) -> list[Decomposition]:
    """Return decompositions of a loop whose joints 3, 4, 5 turn about one point."""
    axes = _axes(screws)
    length = _length(screws)
    x, y, z, a, b, c = axes
    tilt = max(a.gap(b, length), b.gap(c, length))
    if tilt > NEARLY or (x.slides and y.slides and z.slides):
        return []
    tilt = max(tilt, c.distance_to_point(a.meeting_point(b)) / length)
    if tilt > NEARLY:
        return []
    why = f"{', '.join(names[3:])} turn about one point"
    found = []
    for (one, other), pair in (((x, y), names[:2]), ((y, z), names[1:3])):
        relation, off = _relation(one, other, length)
        if off < NEARLY:
            how = f"{' and '.join(pair)} {relation}: quadratic equations"
            found.append((False, max(tilt, off), how))
    if not found or min(off for _, off, _ in found) > EXACT:
        how = f"{', '.join(names[:3])} place that point: a quartic equation"
        found.append((True, tilt, how))
    return [
        _made(Kind.WRIST, first, backward, quartic, off, f"{why}; {how}")
        for quartic, off, how in found
    ]


def _relation(a: _Axis, b: _Axis, length: float) -> tuple[str, float]:
    """Return the relation of two neighbours for a closed form, and its deviation."""
    if a.slides and b.slides:
        return "slide", 0.0
    sine, gap = a.sine(b), a.gap(b, length)
    return ("are parallel", sine) if sine < gap else ("meet", gap)


def _parallel(
    screws: Array, names: tuple[str, ...], first: int, backward: bool
) -> list[Decomposition]:
    """Return decompositions of a loop whose joints 1, 2, 3 are parallel."""
    axes = _axes(screws)
    length = _length(screws)
    a, b, c = axes[1:4]
    if a.slides or b.slides or c.slides or axes[5].slides:
        return []
    tilt = max(a.sine(b), b.sine(c))
    short = max(_SHORT, math.sqrt(tilt)) * length
    if (
        tilt > NEARLY
        or min(a.distance_to_point(b.point), b.distance_to_point(c.point)) < short
    ):
        return []
    if not (axes[0].leaves(b) and axes[4].leaves(b)):
        return []
    if axes[0].slides and axes[4].slides:
        return []
    why = f"{', '.join(names[1:4])} are parallel"
    gap = axes[4].gap(axes[5], length)
    found = []
    if gap < NEARLY or axes[4].slides:
        simple = "slides" if axes[4].slides else f"and {names[5]} meet"
        how = f"{names[4]} {simple}: quadratic equations"
        found.append((False, max(tilt, 0.0 if axes[4].slides else gap), how))
    if gap > EXACT and not axes[4].slides:
        found.append((True, tilt, "a quartic equation"))
    return [
        _made(Kind.PARALLEL, first, backward, quartic, off, f"{why}; {how}")
        for quartic, off, how in found
    ]


def _made(
    kind: Kind, first: int, backward: bool, quartic: bool, tilt: float, reason: str
) -> Decomposition:
    if tilt < EXACT:
        return Decomposition(kind, first, backward, quartic, 0.0, reason)
    reason = f"{reason}; Newton's method from there, as axes are off by {tilt:.1g}"
    return Decomposition(kind, first, backward, quartic, tilt, reason)
