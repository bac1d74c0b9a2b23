"""What two checkers answered, and who of them is wrong."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import collision_exact as exact
import numpy as np

from pyrave.geometry import Mesh, Solid
from pyrave_collision.convexity import closed, convex_parts

BAND = 1e-6
"""Metres, for solids of 1 m."""
MOST_LISTED = 200


@dataclass
class Tally:
    """What was compared, and what differs."""

    counts: Counter[str] = field(default_factory=Counter)
    largest: dict[str, float] = field(default_factory=dict)
    cases: list[dict[str, Any]] = field(default_factory=list)

    def add(self, case: dict[str, Any]) -> None:
        """Count a case that was decided exactly, and keep it if somebody is wrong."""
        for name in ("native", "coal"):
            self.counts[f"{case['about']}: {name} wrong"] += case[name + " wrong"]
        if case["native wrong"] or case["coal wrong"]:
            mine = [one for one in self.cases if one["native wrong"]]
            if case["native wrong"] or len(self.cases) - len(mine) < MOST_LISTED:
                self.cases.append(case)

    def worst(self, name: str, value: float) -> None:
        """Keep the largest of some values."""
        self.largest[name] = max(self.largest.get(name, 0.0), value)


def is_convex(solid: Solid) -> bool:
    """Return whether a solid is convex; a mesh as the native checker sees it."""
    return not isinstance(solid, Mesh) or convex_parts(solid) is not None


def exactly(
    one: Solid, at_one: np.ndarray, other: Solid, at_other: np.ndarray,
    hint: np.ndarray | None = None,
) -> exact.Gap:  # fmt: skip
    """Return bounds of the signed distance of two solids at poses (4, 4)."""
    shut = (
        isinstance(one, Mesh) and closed(one),
        isinstance(other, Mesh) and closed(other),
    )
    convex = is_convex(one), is_convex(other)
    return exact.gap(
        one, at_one, other, at_other, convex=convex, closed=shut, hint=hint
    )


def untrue(hit: bool, true: exact.Gap, near: float) -> bool:
    """Return whether an answer is wrong by more than a band."""
    return true.low > near if hit else true.high < -near


def off_by(distance: float, true: exact.Gap) -> float:
    """Return how far a distance is outside of its bounds."""
    return max(true.low - distance, distance - true.high, 0.0)
