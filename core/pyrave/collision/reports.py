"""Findings of an engine as a report for people and scripts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyrave.interfaces.collision.counted_pairs import is_filtered, is_ignored
from pyrave.interfaces.collision.report import (
    CollisionOptions,
    CollisionPair,
    CollisionReport,
    CollisionSide,
    Contact,
)

if TYPE_CHECKING:
    from pyrave.bodies.views.geometry import Geometry
    from pyrave.collision.engine_queries import ContactArrays, Findings, Probe, Veto
    from pyrave.environment import Environment
    from pyrave.interfaces.collisionchecker import CollisionCheckerBase

NOBODY = CollisionSide()


class Naming:
    """Names the rows of solids of one query.

    Parameters
    ----------
    geometries
        The geometry of each row.
    probe
        What stands on the first side, if that is not in the world.
    """

    def __init__(
        self, geometries: Sequence[Geometry | None], probe: Probe | None
    ) -> None:
        self._geometries = geometries
        self._probe = probe

    def pair(self, first: int, second: int) -> tuple[CollisionSide, CollisionSide]:
        """Return the sides of a pair as engines number it."""
        row = first if self._probe is None else self._probe.rows[first]
        return self._side(row), self._side(second)

    def _side(self, row: int) -> CollisionSide:
        geometry = self._geometries[row] if row >= 0 else None
        return NOBODY if geometry is None else CollisionSide.of_geometry(geometry)


def fill(report: CollisionReport, found: Findings, naming: Naming) -> None:
    """Add findings to a report; solids of one geometry count as one."""
    pairs: dict[tuple[int, int], CollisionPair] = {}
    for k, (first, second) in enumerate(found.solids):
        one, other = naming.pair(first, second)
        key = (one.geometry_id, other.geometry_id)
        made = _contacts(found.contacts[k]) if found.contacts else ()
        if key in pairs:
            made = pairs[key].contacts + made
        pairs[key] = CollisionPair(one, other, made)
    report.pairs += pairs.values()
    report.n_tested += found.n_tested
    if CollisionOptions.USE_TOLERANCE in report.options:
        report.n_within_tolerance += len(pairs)
    nearer = report.nearest is None or found.distance < report.min_distance
    if found.nearest is not None and nearer and math.isfinite(found.distance):
        report.min_distance = found.distance
        report.nearest = naming.pair(*found.nearest)
        report.nearest_points = found.nearest_points


def _contacts(arrays: ContactArrays) -> tuple[Contact, ...]:
    return tuple(
        Contact(position.copy(), normal.copy(), float(depth))
        for position, normal, depth in zip(*arrays, strict=True)
    )


def veto_of(
    env: Environment,
    options: CollisionOptions,
    naming: Naming,
    *,
    callbacks: bool,
) -> Veto:
    """Return the veto of filters of bodies and of the environment's callbacks.

    Each callback gets a report of one pair alone; two geometries are asked about once.

    Parameters
    ----------
    callbacks
        Whether to ask the callbacks.
    """
    known: dict[tuple[int, int], bool] = {}

    def decide(one: CollisionSide, other: CollisionSide) -> bool:
        if not callbacks:
            return is_filtered(one, other)
        return is_ignored(env, CollisionPair(one, other), options)

    def ignored(first: int, second: int) -> bool:
        one, other = naming.pair(first, second)
        key = (one.geometry_id, other.geometry_id)
        if key not in known:
            known[key] = decide(one, other)
        return known[key]

    return ignored


def veto_of_touches(
    checker: CollisionCheckerBase, naming: Naming, otherwise: Veto | None
) -> Veto:
    """Return the veto of pairs of links that may touch, or are vetoed anyway."""
    known: dict[tuple[int, int], bool] = {}

    def ignored(first: int, second: int) -> bool:
        if otherwise is not None and otherwise(first, second):
            return True
        one, other = naming.pair(first, second)
        key = (one.link_id, other.link_id)
        if key not in known:
            known[key] = checker.is_touch(CollisionPair(one, other))
        return known[key]

    return ignored
