"""The collision checker that pyrave brings: compiled, on the packed world itself."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.collision import (
    FIRST,
    SECOND,
    ContactArrays,
    Demand,
    Findings,
    PackedWorldChecker,
    PairSelection,
    Probe,
)
from pyrave.errors import NotSupportedError
from pyrave.interfaces import CompiledCollisions
from pyrave.jit import Kernel
from pyrave.jit.addresses import address_of
from pyrave.jit.bundles import ArrayBundle
from pyrave.records import Record
from pyrave_collision.configurations import Copies, Movers, each_configuration
from pyrave_collision.kernels.contact_patches import ROWS
from pyrave_collision.kernels.layout import NODES, SHAPES, SLOTS
from pyrave_collision.kernels.meshes.results import CONTACT
from pyrave_collision.kernels.nearest import DISTANCE, FOUND
from pyrave_collision.kernels.touching_pairs import code_of
from pyrave_collision.moving_body import MovingBody
from pyrave_collision.prepared import PreparedWorld

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave import Environment
    from pyrave.bodies import KinBody
    from pyrave.bodies.views.link import Link
    from pyrave.spatial import Array
    from pyrave.world import Changes, PackedWorld


class _Kernels:
    """The kernels for worlds with meshes that are not convex, or without."""

    def __init__(self, *, meshes: bool) -> None:
        names = "pyrave_collision.kernels."
        parts = [
            f"mesh_solid{of}" for of in ("s", "_distances", "_contacts", "_depths")
        ]
        none = (
            {}
            if meshes
            else {
                names + "meshes." + part: names + "meshes.no_meshes" for part in parts
            }
        )
        said = "collisions of meshes" if meshes else "collisions"
        seconds = 12 if meshes else 6

        def kernel(module: str, name: str, what: str = "") -> Kernel:
            return Kernel(
                names + module, name, f"{what}, {said}" if what else said,
                2 * seconds if what else seconds, whole=True, substitutes=none,
            )  # fmt: skip

        self.any_contact = kernel("queries", "any_contact")
        self.all_contacts = kernel("queries", "all_contacts")
        self.configurations = kernel("queries", "configurations")
        self.collides = kernel("moving_body", "collides")
        self.sift = kernel("moving_body", "sift")
        self.nearest_pair = kernel("nearest", "nearest_pair", "distances")
        self.configuration_distances = kernel(
            "nearest", "configuration_distances", "distances"
        )
        self.pair_depth = kernel("touch_depths", "pair_depth", "depths")
        self.is_deeper = kernel("touch_depths", "is_deeper", "depths")
        self.pair_contacts = kernel("contacts", "pair_contacts", "contacts")
        self.near_points = kernel("near_points", "near_points", "distances")


_CONVEX, _ANY = _Kernels(meshes=False), _Kernels(meshes=True)
_SPREAD = Kernel(
    "pyrave_collision.kernels.contact_patches", "spread_contacts",
    "contacts all over a face", 6, whole=True,
)  # fmt: skip
KERNELS = {
    f"{name}{suffix}": getattr(kernels, name)
    for kernels, suffix in ((_CONVEX, ""), (_ANY, "_with_meshes"))
    for name in vars(kernels)
} | {"spread_contacts": _SPREAD}
"""Kernels by name."""

_MILLISECONDS_PER_BOX = 0.02
_MILLISECONDS_PER_SOLID = 1.0
_MILLISECONDS_PER_MESH = 50.0
_MILLISECONDS_PER_CONTACT = 2.0
_MILLISECONDS_PER_MESH_CONTACT = 200.0
_MAX_CONTACTS = 16
_KEPT = 256
_NO_PAIRS = np.empty((0, 2), np.int32)
_ROOM = 256


@dataclass(slots=True)
class _Plan(Record):
    """Data of a batch about a body: solids that move with it, and their obstacles."""

    movers: Movers
    chosen: ArrayBundle
    moving: MovingBody | None = None
    """The same for compiled loops, if it was asked for."""


class NativeCollisionChecker(PackedWorldChecker):
    """Exact collisions of primitives, hulls and meshes, in the base install.

    Convex solids are compared by GJK and closed forms, meshes by the trees that rays
    use. Closed meshes are solid, others are surfaces.
    """

    contract = 2
    testing_caches = ("follows_moves",)

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._prepared = PreparedWorld()
        self._bundles: dict[PairSelection, ArrayBundle] = {}
        self._plans: dict[Hashable, _Plan] = {}
        self._copies = Copies()

    def update(self, changes: Changes) -> None:
        """Take over what changed in the world."""
        if self._prepared.update(self.world, changes):
            self._bundles.clear()
            self._plans.clear()
        self.follows_moves = self._prepared.broad.is_tree

    def any_contact(self, selection: PairSelection, probe: Probe | None = None) -> bool:
        """Return True if any pair of solids touches."""
        world, chosen = self._given(selection, probe)
        kernel = _kernels_of(world).any_contact
        function = kernel.function or kernel.auto(self._cost(chosen))
        hit: bool = function(world.table, chosen.table, 0.0)
        return hit

    def find(
        self, selection: PairSelection, demand: Demand, probe: Probe | None = None
    ) -> Findings:
        """Return the answer to a demand about the solid pairs of a selection."""
        world, chosen = self._given(selection, probe)
        start = 0 if probe is None else len(self._prepared.collidable)
        pairs, tested = self._pairs(world, chosen, demand.tolerance)
        spared = _NO_PAIRS
        if demand.veto is not None:
            ignored = demand.veto
            vetoed = np.array(
                [ignored(a - start, b) for a, b in pairs.tolist()], np.bool_
            )
            spared, pairs = pairs[vetoed], pairs[~vetoed]
        chosen_pairs = self._demanded(pairs, demand)
        found = Findings(
            [(a - start, b) for a, b in chosen_pairs.tolist()],
            [self._contacts(world, a, b, demand) for a, b in chosen_pairs.tolist()]
            if demand.contacts
            else (),
            n_tested=tested,
        )
        if not demand.distance:
            return found
        return self._with_distance(found, world, chosen, start, spared)

    def configuration_hits(
        self, body: KinBody, rows: Array, *, environment: bool, self_collision: bool
    ) -> NDArray[np.bool_]:
        """Return the mask of configurations (n, dof) that collide, on all cores."""
        world = self._synchronised()
        if self._near or self.is_asked():
            return super().configuration_hits(
                body, rows, environment=environment, self_collision=self_collision
            )
        if self_collision and self.handed_to(body) is not None:
            itself = super().configuration_hits(
                body, rows, environment=False, self_collision=True
            )
            if not environment:
                return itself
            return itself | self.configuration_hits(
                body, rows, environment=True, self_collision=False
            )
        plan = self._plan(world, body, environment, self_collision)
        movers, chosen = plan.movers, plan.chosen
        deferred = _kernels_of(self._prepared.bundle).configurations
        kernel = deferred.function or deferred.auto(self._cost(chosen) * len(rows))
        hits = np.zeros(len(rows), np.uint8)

        def check(world: ArrayBundle, poses: Array, begin: int, end: int) -> None:
            kernel(
                world.table, chosen.table, 0.0, 0, end - begin, poses,
                movers.links, movers.rows, movers.local, hits[begin:end],
            )  # fmt: skip

        each_configuration(body, np.ascontiguousarray(rows), self._copy, check)
        return hits.view(np.bool_)

    def configuration_distances(
        self, body: KinBody, rows: Array, *, environment: bool, self_collision: bool
    ) -> Array:
        """Return the smallest distance (n,) of configurations, on all cores."""
        world = self._synchronised()
        handed = self_collision and self.handed_to(body) is not None
        if handed or self.is_vetoed():
            return super().configuration_distances(
                body, rows, environment=environment, self_collision=self_collision
            )
        plan = self._plan(world, body, environment, self_collision)
        movers, chosen = plan.movers, plan.chosen
        deferred = _kernels_of(self._prepared.bundle).configuration_distances
        kernel = deferred.function or deferred.auto(20 * self._cost(chosen) * len(rows))
        found, pairs = np.empty((len(rows), FOUND)), np.empty((len(rows), 2), np.int32)

        def measure(world: ArrayBundle, poses: Array, begin: int, end: int) -> None:
            kernel(
                world.table, chosen.table, 0, end - begin, poses, movers.links,
                movers.rows, movers.local, _NO_PAIRS, np.inf, found[begin:end],
                pairs[begin:end],
            )  # fmt: skip

        each_configuration(body, np.ascontiguousarray(rows), self._copy, measure)
        return found[:, DISTANCE].copy()

    def depth(self, first: Link, second: Link) -> float:
        """Return the penetration depth of two links at their present poses, metres.

        -inf if they do not touch. Of meshes that are not convex see
        `pyrave_collision.kernels.meshes.mesh_solid_depths`.
        """
        self._synchronised()
        ends = np.array([[self._link_row(first), self._link_row(second)]], np.int32)
        links = self.world.tables.geometries.link
        pairs = _solids_of_pairs(ends, links, self._prepared.collidable)
        world = self._prepared.bundle
        kernels = _kernels_of(world)
        deepest = -np.inf
        for a, b in pairs.tolist():
            touch = self._selected(pairs=np.array([[a, b]]), probed=True)
            touches = kernels.any_contact
            if (touches.function or touches.auto(1.0))(world.table, touch.table, 0.0):
                measure = kernels.pair_depth
                found = (measure.function or measure.now())(world.table, a, b, 1.0)
                deepest = max(deepest, found, 0.0)
        return float(deepest)

    def _link_row(self, link: Link) -> int:
        return int(self.world.links_of(link.body.id).start + link.index)

    def _copy(self) -> ArrayBundle:
        """Return the world as it is, in which the calling thread may move solids."""
        return self._copies.arrays_at(self._prepared, self._seen_version)

    def compiled(
        self, body: KinBody, *, environment: bool = True, self_collision: bool = True
    ) -> CompiledCollisions:
        """Return a function of link poses that compiled loops can call."""
        world_now = self._synchronised()
        if self._near or self.is_asked():
            raise NotSupportedError(
                "callbacks, filters of bodies and tolerances are asked about each "
                "pair, by check_configurations and not by a compiled function"
            )
        if self_collision and (own := self.handed_to(body)) is not None:
            raise NotSupportedError(
                f"{own!r} answers for self collisions of {body!r}, by "
                "check_configurations and not by a compiled function; "
                "body.self_collision_checker = None has them answered here"
            )
        plan = self._plan(world_now, body, environment, self_collision)
        if plan.moving is None:
            shapes = self._prepared.bundle.arrays[SHAPES]
            plan.moving = MovingBody(body, plan.movers, shapes, plan.chosen)
        kernels = _kernels_of(self._prepared.bundle)
        return plan.moving.collisions(
            self._prepared,
            kernels.collides,
            kernels.sift,
            kernels.near_points,
        )

    def _plan(
        self, world: PackedWorld, body: KinBody, environment: bool, self_collision: bool
    ) -> _Plan:
        """Return the solids that move with a body, and the pairs that count."""
        around = self.around(world, body) if environment else None
        within = self.within(world, body, held=True) if self_collision else None
        key = (body, around, within)
        plan = self._plans.get(key)
        if plan is None:
            first, wanted, pairs = None, None, None
            if around is not None:
                first, wanted, pairs, *_ = self._given(around, None)[1].arrays
            if within is not None:
                more = self._given(within, None)[1].arrays[2]
                pairs = more if pairs is None else np.concatenate((pairs, more))
            movers = Movers(world, body, self._prepared.collidable)
            if len(self._plans) >= _KEPT:
                self._plans.clear()
            chosen = self._selected(first, wanted, pairs)
            plan = self._plans[key] = _Plan(movers, chosen)
        elif body.grabbed:  # which may be elsewhere in the hand now
            movers = Movers(world, body, self._prepared.collidable)
            if not np.array_equal(movers.local, plan.movers.local):
                plan.movers, plan.moving = movers, None
        return plan

    # -- parts ---------------------------------------------------------------------

    def _demanded(self, pairs: NDArray[np.int32], demand: Demand) -> NDArray[np.int32]:
        """Return one pair, one of each pair of links, or all."""
        if demand.all_geometries and demand.all_links:
            return pairs
        links = self.world.tables.geometries.link
        kept: dict[tuple[int, int], int] = {}
        chosen = []
        for k, (a, b) in enumerate(pairs.tolist()):
            key = (int(links[a]) if a < len(links) else -1, int(links[b]))
            if kept and key not in kept and not demand.all_links:
                continue
            if key not in kept or demand.all_geometries:
                kept.setdefault(key, k)
                chosen.append(k)
        return pairs[chosen]

    def _contacts(
        self, world: ArrayBundle, a: int, b: int, demand: Demand
    ) -> ContactArrays:
        """Return the deepest contact of two rows, or several."""
        kernel = _kernels_of(world).pair_contacts
        slots = world.arrays[SLOTS]
        convex = slots[a] < 0 and slots[b] < 0
        dear, cheap = _MILLISECONDS_PER_MESH_CONTACT, _MILLISECONDS_PER_CONTACT
        function = kernel.function or kernel.auto(cheap if convex else dear)
        margin = demand.tolerance
        rows = np.empty((_MAX_CONTACTS if demand.all_contacts else 1, CONTACT))
        count = function(world.table, a, b, margin, rows, np.empty(9))
        if convex and demand.all_contacts:
            spread = _SPREAD.function or _SPREAD.auto(cheap)
            count = spread(world.table, a, b, margin, rows, np.empty((ROWS, 4)))
        found = rows[:count]
        return ContactArrays(found[:, :3], found[:, 3:6], np.maximum(found[:, 6], 0.0))

    def _with_distance(
        self,
        found: Findings,
        world: ArrayBundle,
        chosen: ArrayBundle,
        start: int,
        spared: NDArray[np.int32],
    ) -> Findings:
        """Return findings with the least distance."""
        out, pair = np.zeros(FOUND), np.empty(2, np.int32)
        skipped = np.ascontiguousarray(spared)
        kernel = _kernels_of(world).nearest_pair
        function = kernel.function or kernel.auto(20 * self._cost(chosen))
        function(world.table, chosen.table, skipped, np.inf, out, pair)
        if pair[0] < 0:
            return found
        return replace(
            found,
            distance=float(out[DISTANCE]),
            nearest=(int(pair[0]) - start, int(pair[1])),
            nearest_points=out[:6].reshape(2, 3),
            n_tested=max(found.n_tested, 1),
        )

    def _cost(self, chosen: ArrayBundle) -> float:
        """Return roughly how long a query takes in the interpreter, milliseconds."""
        first, wanted, pairs, *_ = chosen.arrays
        meshes = self._prepared.bundle.arrays[NODES].size > 0
        each = _MILLISECONDS_PER_MESH if meshes else _MILLISECONDS_PER_SOLID
        return each * (len(first) + len(pairs)) + _MILLISECONDS_PER_BOX * len(wanted)

    def _pairs(
        self, world: ArrayBundle, chosen: ArrayBundle, margin: float
    ) -> tuple[NDArray[np.int32], int]:
        """Return all pairs (k, 2) within a margin, and how many were tested."""
        counts = np.zeros(2, np.int32)
        found = np.empty((_ROOM, 2), np.int32)
        deferred = _kernels_of(world).all_contacts
        kernel = deferred.function or deferred.auto(self._cost(chosen))
        kernel(world.table, chosen.table, margin, found, counts)
        if counts[0] > len(found):
            found = np.empty((int(counts[0]), 2), np.int32)
            kernel(world.table, chosen.table, margin, found, counts)
        return found[: counts[0]], int(counts[1])

    def _given(
        self, selection: PairSelection, probe: Probe | None
    ) -> tuple[ArrayBundle, ArrayBundle]:
        """Return the arrays of the world and of a selection."""
        if probe is None:
            chosen = self._bundles.get(selection)
            if chosen is None:
                if len(self._bundles) >= _KEPT:
                    self._bundles.clear()
                chosen = self._bundles[selection] = self._rows_of(selection)
            return self._prepared.bundle, chosen
        world, row = self._prepared.extended(probe)
        _, wanted, *_ = self._rows_of(selection).arrays
        first = np.arange(row, row + len(probe.solids), dtype=np.int32)
        more = np.zeros(len(first), np.uint8)
        return world, self._selected(first, np.concatenate((wanted, more)), probed=True)

    def _rows_of(self, selection: PairSelection) -> ArrayBundle:
        """Return the solids that a selection of links means."""
        collidable = self._prepared.collidable
        links = self.world.tables.geometries.link
        if selection.pairs is not None:
            return self._selected(
                pairs=_solids_of_pairs(selection.pairs, links, collidable)
            )
        assert selection.sides is not None  # noqa: S101 - one of both is given
        sides = np.where(collidable, selection.sides[links], 0)
        first = np.flatnonzero(sides & FIRST).astype(np.int32)
        wanted = (sides & SECOND > 0).astype(np.uint8)
        both = np.flatnonzero(sides == FIRST | SECOND)
        if not len(both):
            return self._selected(first, wanted)
        # a link does not collide with itself
        second = np.flatnonzero(wanted)
        grid = np.array(np.meshgrid(first, second)).reshape(2, -1).T
        grid = grid[links[grid[:, 0]] != links[grid[:, 1]]]
        return self._selected(pairs=grid)

    def _selected(
        self,
        first: NDArray[Any] | None = None,
        wanted: NDArray[np.uint8] | None = None,
        pairs: NDArray[Any] | None = None,
        *,
        probed: bool = False,
    ) -> ArrayBundle:
        """Return the fields of `pyrave_collision.kernels.layout.Selection`, and depths.

        Parameters
        ----------
        probed
            Rows are those of a probe as well, of which no touches are known.
        """
        none, meant = np.empty(0, np.int32), np.empty((0, 2), np.int32)
        codes, depths, address = np.empty(0, np.int64), np.empty(0), 0
        if self.touches and not probed:
            codes, depths = self._touching()
            function = _kernels_of(self._prepared.bundle).is_deeper.now()
            address = address_of(function)
        return ArrayBundle((
            none if first is None else np.ascontiguousarray(first, np.int32),
            np.empty(0, np.uint8) if wanted is None else wanted,
            np.ascontiguousarray(meant if pairs is None else pairs, np.int32),
            np.empty((0, 4), np.int32), codes, depths, np.array([address]),
        ))  # fmt: skip

    def _touching(self) -> tuple[NDArray[np.int64], Array]:
        """Return the pairs of solids that may touch, and how deep, metres."""
        rows, limits = [], []
        for one, other, _ in self.touches:
            if one.body.id in self.world and other.body.id in self.world:
                rows.append([self._link_row(one), self._link_row(other)])
                limits.append(self.touches.limit(one, other))
        table, collidable = self.world.tables.geometries.link, self._prepared.collidable
        found: dict[int, float] = {}
        for ends, limit in zip(rows, limits, strict=True):
            pairs = _solids_of_pairs(np.array([ends], np.int32), table, collidable)
            found.update((code_of(a, b), limit) for a, b in pairs.tolist())
        codes = np.array(sorted(found), np.int64)
        return codes, np.array([found[code] for code in codes.tolist()], float)


def _kernels_of(world: ArrayBundle) -> _Kernels:
    """Return the kernels for the solids of a world."""
    return _ANY if world.arrays[NODES].size else _CONVEX


def _solids_of_pairs(
    pairs: NDArray[np.int32], links: NDArray[np.int32], collidable: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Return the pairs (k, 2) of solids of pairs of links."""
    carried: dict[int, list[int]] = {}
    for row in np.flatnonzero(collidable).tolist():
        carried.setdefault(int(links[row]), []).append(row)
    found = [
        (a, b)
        for one, other in pairs.tolist()
        for a in carried.get(one, ())
        for b in carried.get(other, ())
    ]
    return np.array(found, np.int64).reshape(-1, 2)
