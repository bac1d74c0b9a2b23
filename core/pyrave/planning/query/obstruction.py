"""Obstacles of searches that end without a path."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from pyrave.planning.query.causes import Obstacle
from pyrave.records import Record

if TYPE_CHECKING:
    from pyrave.interfaces import CollisionReport
    from pyrave.planning.query.space import PlanningSpace
    from pyrave.spatial import Array

_MAX_MOTIONS = 400
_AT_ONCE = 16
"""Largest number of motions of each end that a round tries."""
_ROUND = 0.25
"""Largest part of the remaining time that a round takes."""
_USUAL_STEPS = 64
_TICK = 1e-7
_REACH = 0.25
"""Largest motion of the flood, as a part of the ranges of joints."""
_COARSE = 4.0
"""Step between compared configurations of a motion, in resolutions."""
_MAX_STEPS = 256
"""Largest number of compared configurations; longer motions are cut off."""
_NOTED = 4
"""Number of collisions of each round whose bodies are noted."""
_SURE = 2 * _AT_ONCE
"""Number of motions to try before an end is called enclosed."""
_ENCLOSED = 0.35
"""A flood that gets no further than this part of the way to the other end is closed."""


@dataclass(slots=True)
class Flood(Record):
    """Configurations that free motions reach from one end, (k, n) in `rows`."""

    rows: list[Array]
    motions: int = 0
    met: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Blocking:
    """Obstacles around both ends of a path that was not found.

    Parameters
    ----------
    obstacles
        What motions run into, most frequent first.
    text
        How far they come, in words.
    """

    obstacles: tuple[Obstacle, ...]
    text: str


def what_blocks(
    space: PlanningSpace,
    start: Array,
    goals: Array,
    rng: np.random.Generator,
    deadline: float,
) -> Blocking:
    """Return the obstacles between a start (n,) and goals (k, n).

    A straight motion is tried in half of the time, then each end is flooded with random
    free motions until the deadline. That proves nothing; it says where to look.
    """
    goal = goals[np.argmin(space.distances(goals, start))]
    straight = Flood([start])
    begin, checks = perf_counter(), space.checks
    time, there = space.first_hit(start, goal, 0.5 * (begin + deadline))
    each = max(perf_counter() - begin, _TICK) / max(space.checks - checks, 1)
    lines = []
    if np.isfinite(time):
        _note(space, straight, there)
        blocker = next(iter(straight.met), "something")
        lines.append(
            f"the straight motion to the nearest goal collides after {time:.0%} of the "
            f"way with {blocker}"
        )
    floods = Flood([start]), Flood([goal])
    needed = 2.0 * _USUAL_STEPS * each  # seconds of a motion of each end
    while floods[1].motions < _MAX_MOTIONS:
        begin = perf_counter()
        left = deadline - begin
        if left <= needed:
            break
        at_once = int(np.clip(_ROUND * left / needed, 1, _AT_ONCE))
        for flood in floods:
            _spread(space, flood, rng, at_once)
        needed = (perf_counter() - begin) / at_once
    met = sum((one.met for one in (straight, *floods)), Counter())
    total = sum(met.values())
    obstacles = tuple(
        Obstacle(name, count / total) for name, count in met.most_common()
    )
    if floods[1].motions:
        lines += _extents(space, floods, space.distance(start, goal))
    return Blocking(obstacles, "; ".join(lines))


def _spread(
    space: PlanningSpace, flood: Flood, rng: np.random.Generator, count: int
) -> None:
    """Try motions from random places of a flood in random directions."""
    begins = np.array(flood.rows)[rng.integers(len(flood.rows), size=count)]
    aims = space.samples(rng, count, flood.rows[0])
    ways = _REACH * space.difference(aims, begins)
    steps = max(1.0, float(np.abs(ways / space.resolutions).max()) / _COARSE)
    count = min(int(np.ceil(steps)), _MAX_STEPS)
    times = np.linspace(0.0, min(1.0, _MAX_STEPS / steps), max(2, count + 1))
    rows = begins[:, None] + times[:, None] * ways[:, None]
    hits = space.hits(rows.reshape(-1, space.dof)).reshape(rows.shape[:2])
    flood.motions += len(rows)
    noted = 0
    for motion, hit in zip(rows, hits, strict=True):
        first = int(np.argmax(hit)) if hit.any() else len(hit)
        if first > 1:
            flood.rows.append(motion[first - 1])
        if first < len(hit) and noted < _NOTED:
            noted += 1
            _note(space, flood, motion[first])


def _note(space: PlanningSpace, flood: Flood, row: Array) -> None:
    if space.placed(row):
        flood.met.update(_names(space, space.report(row)))
    else:
        flood.met["loops that do not close"] += 1


def _names(space: PlanningSpace, report: CollisionReport) -> set[str]:
    """Return names of a robot's collisions: bodies, or pairs of its own links."""
    own = space.own_bodies
    found = set()
    for pair in report.pairs:
        others = [side for side in (pair.first, pair.second) if side.body_id not in own]
        found.add(others[0].body_name if others else f"{pair.first} x {pair.second}")
    return found


def _extents(
    space: PlanningSpace, floods: tuple[Flood, Flood], apart: float
) -> list[str]:
    """Return the extents of the floods, in words."""
    lines: list[str] = []
    if not apart > 0.0:
        return lines
    for name, flood in zip(("the start", "the goal"), floods, strict=True):
        far = float(space.distances(np.array(flood.rows), flood.rows[0]).max())
        if far < _ENCLOSED * apart and flood.motions >= _SURE:
            lines.append(
                f"{name} seems enclosed: {flood.motions} random motions around it get "
                f"{far / apart:.0%} of the way at most"
            )
    if not lines:
        one, other = (np.array(flood.rows) for flood in floods)
        gap = min(float(space.distances(other, row).min()) for row in one)
        lines.append(
            f"random motions from both ends come within {min(gap / apart, 1.0):.0%} of "
            "the way of each other"
        )
    return lines
