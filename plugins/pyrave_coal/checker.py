"""The collision checker on the library coal."""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from pyrave.collision import (
    ContactArrays,
    Demand,
    Findings,
    PackedWorldChecker,
    PairSelection,
    Probe,
)
from pyrave_coal.containment import contained, contains
from pyrave_coal.library import GJK_TOLERANCE, coal
from pyrave_coal.pairs import PairTable, Plan, ProbeSolids
from pyrave_coal.placed import Placed, PlacedWorld
from pyrave_coal.solid_pair import Comparer

if TYPE_CHECKING:
    from pyrave import Environment
    from pyrave.spatial import Array
    from pyrave.world import Changes


class CoalChecker(PackedWorldChecker):
    """Compares solids by GJK, EPA and trees of triangles of the library coal.

    Boxes, spheres, cylinders, capsules, cones and closed convex meshes are convex
    solids. Other meshes are triangles; what is wholly inside of a closed one collides,
    too. The signed distance of a pair with a mesh that is not convex is not negative.

    A dynamic tree of boxes finds the pairs that may touch; it follows what moves.
    """

    contract = 2

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._comparer = Comparer()
        self._any = coal().CollisionCallBackDefault()
        request = self._any.data.request
        request.enable_contact = False
        request.gjk_tolerance = GJK_TOLERANCE
        self._solids = PlacedWorld()
        self._plans: weakref.WeakKeyDictionary[PairSelection, Plan] = (
            weakref.WeakKeyDictionary()
        )

    def init_environment(self) -> None:
        """Start over with every body of the environment."""
        super().init_environment()
        self._forget()

    def destroy_environment(self) -> None:
        """Forget every body."""
        super().destroy_environment()
        self._forget()

    def _forget(self) -> None:
        self._plans.clear()
        self._solids.clear()

    def update(self, changes: Changes) -> None:
        """Move solids, and make those that are new."""
        if changes.other_solids:
            self._plans.clear()
        self._solids.update(self.world, changes)

    def any_contact(self, selection: PairSelection, probe: Probe | None = None) -> bool:
        """Return True if any pair of solids touches."""
        plan = self._plan(selection)
        if probe is not None:
            return self._probe_touches(plan, ProbeSolids(probe))
        if plan.groups is None:
            table = self._pairs(plan, None, 0.0)
            crosses = self._comparer.crosses
            if any(crosses(*pair) for pair in _each(table, self._solids, None)):
                return True
        else:
            first, second = plan.groups
            if len(first.rows) and len(second.rows):
                first.manager.collide(second.manager, self._any)
                if self._any.data.result.isCollision():
                    return True
        return len(plan.inside) > 0 and self._any_inside(plan)

    def _any_inside(self, plan: Plan) -> bool:
        """Return True if any solid is wholly inside of another one's triangles."""
        solids = self._solids.solids
        pairs = plan.inside.pairs(self.world.tables.geometries)
        return any(
            contains(solids[outer], solids[inner], component)
            for outer, inner, component in pairs
        )

    def _probe_touches(self, plan: Plan, own: ProbeSolids) -> bool:
        if plan.groups is not None and len(plan.second):
            manager = plan.groups[1].manager
            for one in own.solids:
                manager.collide(one.body, self._any)
                if self._any.data.result.isCollision():
                    return True
        table = self._pairs(plan, own, 0.0)
        return any(contained(*pair) for pair in _each(table, self._solids, own))

    def _pairs(self, plan: Plan, own: ProbeSolids | None, most: float) -> PairTable:
        table = self.world.tables.geometries
        if own is None:
            return plan.pairs(table, most)
        return own.pairs(plan, table, most)

    def find(
        self, selection: PairSelection, demand: Demand, probe: Probe | None = None
    ) -> Findings:
        """Return the answer to a demand about the solid pairs of a selection."""
        plan = self._plan(selection)
        own = None if probe is None else ProbeSolids(probe)
        most = math.inf if demand.distance else demand.tolerance
        table = self._pairs(plan, own, most)
        return _Search(self._comparer, self._solids, own, table, demand).run()

    def _plan(self, selection: PairSelection) -> Plan:
        plan = self._plans.get(selection)
        if plan is None:
            table = self.world.tables.geometries
            plan = self._plans[selection] = Plan(selection, table, self._solids)
        return plan


def _each(
    table: PairTable, world: PlacedWorld, own: ProbeSolids | None
) -> Iterator[tuple[Placed, Placed]]:
    for first, second in zip(table.first.tolist(), table.second.tolist(), strict=True):
        one = world.solids[first] if own is None else own.solids[first]
        yield one, world.solids[second]


class _Search:
    """One call of `CoalChecker.find`."""

    def __init__(
        self,
        comparer: Comparer,
        world: PlacedWorld,
        own: ProbeSolids | None,
        table: PairTable,
        demand: Demand,
    ) -> None:
        self._comparer = comparer
        self._table = table
        self._demand = demand
        self._placed = list(_each(table, world, own))
        self._vetoed: set[int] = set()
        self._tested: set[int] = set()

    def run(self) -> Findings:
        hits = list(self._hits())
        contacts: list[ContactArrays] = []
        if self._demand.contacts:
            contacts = [
                self._comparer.contacts(
                    *self._placed[k],
                    self._demand.tolerance,
                    several=self._demand.all_contacts,
                )
                for k in hits
            ]
        distance, nearest, points = math.inf, None, None
        if self._demand.distance:
            distance, found, points = self._distance()
            nearest = None if found is None else self._pair(found)
        return Findings(
            [self._pair(k) for k in hits],
            contacts,
            distance,
            nearest,
            points,
            len(self._tested),
        )

    def _pair(self, k: int) -> tuple[int, int]:
        return int(self._table.first[k]), int(self._table.second[k])

    def _hits(self) -> Iterator[int]:
        """Yield the pairs that touch, as many as are wanted."""
        demand, links = self._demand, self._table.links
        found: set[tuple[int, ...]] = set()
        for k in np.flatnonzero(self._table.gaps <= demand.tolerance).tolist():
            pair = tuple(links[k].tolist())
            wanted = pair not in found
            if demand.all_geometries:
                # without all links those of the first pair only
                wanted = demand.all_links or not found or not wanted
            if wanted and self._touches(k):
                yield k
                found.add(pair)
                if not (demand.all_links or demand.all_geometries):
                    return

    def _touches(self, k: int) -> bool:
        self._tested.add(k)
        if not self._comparer.touch(*self._placed[k], self._demand.tolerance):
            return False
        veto = self._demand.veto
        if veto is not None and veto(*self._pair(k)):
            self._vetoed.add(k)
            return False
        return True

    def _distance(self) -> tuple[float, int | None, Array | None]:
        """Return the smallest distance, nearest boxes first, its pair and points."""
        gaps = self._table.gaps
        best: tuple[float, int | None, Array | None] = (math.inf, None, None)
        for k in np.argsort(gaps, kind="stable").tolist():
            if gaps[k] > 0.0 and gaps[k] >= best[0]:
                break
            if self._demand.veto is not None and (
                k in self._vetoed or (gaps[k] <= 0.0 and self._is_vetoed(k))
            ):
                continue
            self._tested.add(k)
            value, points = self._comparer.distance(*self._placed[k])
            if value < best[0]:
                best = value, k, points
        return best

    def _is_vetoed(self, k: int) -> bool:
        """Return True if a pair touches that does not count."""
        return not self._touches(k) and k in self._vetoed
