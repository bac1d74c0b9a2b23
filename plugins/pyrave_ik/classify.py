"""Which decomposition solves a loop, and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError

if TYPE_CHECKING:
    from pyrave.spatial import Array

__all__ = ["Decomposition", "Kind", "beside", "classify", "relations"]

_TOLERANCE = 1e-9


class Kind(IntEnum):
    """Decompositions, by the numbers that plans have for them."""

    WRIST = 0
    PARALLEL = 1
    SLIDERS = 2
    GENERAL = 3
    PLANAR = 4
    OPPOSITE = 5
    BESIDE = 6


@dataclass(frozen=True, slots=True)
class Decomposition:
    """How a loop of six joints is solved.

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
    reason
        What was found, in words; joints are named.
    """

    kind: Kind
    first: int = 0
    backward: bool = False
    quartic: bool = False
    reason: str = ""

    @property
    def complete(self) -> bool:
        """Whether there can be no solutions but those that it finds."""
        return self.kind is not Kind.BESIDE

    @property
    def cost(self) -> int:
        """Rank among decompositions: lower is faster."""
        if self.kind is Kind.GENERAL:
            return 100
        if self.kind is Kind.OPPOSITE:
            return 50
        across = 4 if self.first else 0
        return 10 * self.quartic + across + self.backward


@dataclass(frozen=True, slots=True)
class _Axis:
    direction: Array
    point: Array
    slides: bool

    def parallel(self, other: _Axis) -> bool:
        return bool(
            np.linalg.norm(np.cross(self.direction, other.direction)) < _TOLERANCE
        )

    def distance(self, other: _Axis) -> float:
        between = other.point - self.point
        normal = np.cross(self.direction, other.direction)
        size = float(np.linalg.norm(normal))
        if size < _TOLERANCE:
            return float(np.linalg.norm(np.cross(between, self.direction)))
        return abs(float(between @ normal)) / size

    def meets(self, other: _Axis, length: float) -> bool:
        if self.slides or other.slides or self.parallel(other):
            return False
        return self.distance(other) < _TOLERANCE * length

    def passes(self, point: Array, length: float) -> bool:
        off = np.cross(point - self.point, self.direction)
        return float(np.linalg.norm(off)) < _TOLERANCE * length

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
            if a.parallel(b):
                said.append(f"{names[i]} and {names[j]} are parallel")
            elif a.meets(b, length):
                said.append(f"{names[i]} and {names[j]} meet")
    return said


def _begun_at(screws: Array, goal: Array, first: int, backward: bool) -> Array:
    """Return the screws of the loop begun elsewhere, see `loops._kernels.arranged`."""
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
                one = test(mine, mine_names, first, backward)
                if one is not None:
                    found.append(one)
    if found:
        return min(found, key=lambda d: d.cost)
    sliders = np.flatnonzero(screws[:, 6])
    if len(sliders) == 2 and sliders[1] - sliders[0] == 3:
        return Decomposition(
            Kind.OPPOSITE,
            int(sliders[0]),
            reason=f"{names[sliders[0]]} and {names[sliders[1]]} slide, opposite "
            "each other: an eigenvalue problem of size eight",
        )
    return Decomposition(
        Kind.GENERAL,
        reason="no three neighbouring axes meet or are parallel: "
        "elimination to an eigenvalue problem",
    )


def beside(how: Decomposition) -> Decomposition:
    """Return what solves a loop where neither `how` does nor a cut of it."""
    why = (
        f"{how.reason}, but singular"
        if how.kind is not Kind.GENERAL
        else (
            "no three neighbouring axes meet or are parallel, but every cut is singular"
        )
    )
    return Decomposition(Kind.BESIDE, reason=f"{why}: elimination for loops beside it")


def _wrist(
    screws: Array, names: tuple[str, ...], first: int, backward: bool
) -> Decomposition | None:
    axes = _axes(screws)
    length = _length(screws)
    a, b, c = axes[3:]
    if a.slides or b.slides or c.slides:
        return None
    if a.parallel(b) or b.parallel(c) or not a.meets(b, length):
        return None
    center = a.meeting_point(b)
    if not c.passes(center, length):
        return None
    if sum(x.slides for x in axes[:3]) == 3:
        return None
    x, y, z = axes[:3]
    why = f"{', '.join(names[3:])} turn about one point"
    relation = _coplanar(x, y, length)
    simple = relation or _coplanar(y, z, length)
    if simple:
        one, other = names[:2] if relation else names[1:3]
        how = f"{one} and {other} {simple}: quadratic equations"
    else:
        how = f"{', '.join(names[:3])} place that point: a quartic equation"
    return Decomposition(Kind.WRIST, first, backward, not simple, f"{why}; {how}")


def _coplanar(a: _Axis, b: _Axis, length: float) -> str:
    """Return in words what makes a closed form of two neighbours, or nothing."""
    if a.parallel(b):
        return "are parallel"
    if a.slides and b.slides:
        return "slide"
    return "meet" if a.meets(b, length) else ""


def _parallel(
    screws: Array, names: tuple[str, ...], first: int, backward: bool
) -> Decomposition | None:
    axes = _axes(screws)
    length = _length(screws)
    a, b, c = axes[1:4]
    if a.slides or b.slides or c.slides or axes[5].slides:
        return None
    if not (a.parallel(b) and b.parallel(c)):
        return None
    for one, other in ((a, b), (b, c)):
        if one.distance(other) < _TOLERANCE * length:
            return None
    if axes[4].parallel(b) or axes[0].parallel(b):
        return None
    simple = axes[4].meets(axes[5], length)
    how = (
        f"{names[4]} and {names[5]} meet: quadratic equations"
        if simple
        else "a quartic equation"
    )
    return Decomposition(
        Kind.PARALLEL,
        first,
        backward,
        not simple,
        f"{', '.join(names[1:4])} are parallel; {how}",
    )
