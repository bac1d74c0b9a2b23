"""Base of collision checkers whose authors write the test of two links."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.collision.engine_queries import FIRST, SECOND, PairSelection
from pyrave.collision.ignored_links import IgnoredLinks
from pyrave.collision.link_pairs import Selector
from pyrave.collision.rays import check_ray
from pyrave.errors import ArgumentError, NotSupportedError, PluginError, shown
from pyrave.interfaces.base import author_code
from pyrave.interfaces.collision.own_checkers import ask_own, own_checker
from pyrave.interfaces.collision.report import (
    CollisionOptions,
    CollisionPair,
    CollisionReport,
    CollisionSide,
    Contact,
)
from pyrave.interfaces.collisionchecker import CollisionCheckerBase
from pyrave.interfaces.named_bodies import named_subject
from pyrave.spatial import as_array, as_number
from pyrave.world import COLLISION

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.views.link import Link
    from pyrave.environment import Environment
    from pyrave.spatial import Array
    from pyrave.world import PackedWorld

_CONTACTS = CollisionOptions.CONTACTS | CollisionOptions.ALL_GEOMETRY_CONTACTS
_DISTANCES = CollisionOptions.DISTANCE | CollisionOptions.USE_TOLERANCE


class PairwiseChecker(CollisionCheckerBase):
    """Compares links two by two: a subclass writes `check_pair`.

    Which pairs a query is about is taken care of: excluded, disabled and adjacent
    links, pairs that the environment ignores, held bodies, active degrees of freedom,
    callbacks and filters; so are options, reports and the state. Rays are checked by
    `pyrave.collision.check_ray`. It knows contacts if a subclass has `pair_contacts`,
    and distances if it has `pair_distance`; without them these options are refused.
    """

    asks_callbacks = True

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._options = CollisionOptions.NONE
        self._tolerance = 0.0

    # -- for subclasses ------------------------------------------------------------

    @abstractmethod
    def check_pair(self, first: Link, second: Link) -> bool:
        """Return True if two enabled links collide where they are.

        Both have geometries that collide; they may be of one body.
        """

    def pair_contacts(self, first: Link, second: Link) -> Sequence[Contact]:
        """Return the contacts of two links that collide; normals out of the first."""
        raise NotSupportedError(f"{self!r} knows no contacts")

    def pair_distance(self, first: Link, second: Link) -> tuple[float, Array]:
        """Return the distance of two links, metres, and the nearest points.

        Returns
        -------
        float, (2, 3) float64
            Minus the depth where they overlap; a point on either, world.
        """
        raise NotSupportedError(f"{self!r} knows no distances")

    # -- options and state ---------------------------------------------------------

    def set_collision_options(self, options: CollisionOptions) -> None:
        """Set options; NotSupportedError for those that no method is written for."""
        chosen = CollisionOptions(options)
        for bits, method in (
            (_CONTACTS, "pair_contacts"),
            (_DISTANCES, "pair_distance"),
        ):
            if chosen & bits and _is_missing(self, method):
                raise NotSupportedError(
                    f"{self!r} cannot do {chosen & bits!r}: its class has no {method}()"
                )
        self._options = chosen

    def get_collision_options(self) -> CollisionOptions:
        """Return the options."""
        return self._options

    def set_tolerance(self, tolerance: float) -> None:
        """Set the distance below which links collide with USE_TOLERANCE, metres."""
        self._tolerance = as_number(tolerance, "tolerance", 0.0)

    def get_state(self) -> Any:
        """Return options, tolerance, and the class's own state."""
        return int(self._options), self._tolerance, super().get_state()

    def set_state(self, state: Any) -> None:
        """Take over what `get_state` returned."""
        if state is not None:
            options, tolerance, own = state
            self.set_collision_options(CollisionOptions(options))
            self.set_tolerance(tolerance)
            super().set_state(own)

    def init_environment(self) -> None:
        """Do nothing: each query asks the bodies. Override it to prepare something."""

    def destroy_environment(self) -> None:
        """Do nothing; see `init_environment`."""

    def init_kinbody(self, body: KinBody) -> None:
        """Do nothing; override it to prepare something for a body."""

    def remove_kinbody(self, body: KinBody) -> None:
        """Do nothing; override it to forget a body."""

    # -- queries -------------------------------------------------------------------

    def check_collision(
        self,
        first: KinBody | Link,
        second: KinBody | Link | None = None,
        *,
        excluded_bodies: Iterable[KinBody] = (),
        excluded_links: Iterable[Link] = (),
        report: CollisionReport | None = None,
    ) -> bool:
        """Check a body or link against another, or against everything (None)."""
        selector, world = self._selector()
        chosen = selector.between(first, second, excluded_bodies, excluded_links)
        return self._check(self._links(world, chosen), report)

    def check_self_collision(
        self, subject: KinBody | Link, report: CollisionReport | None = None
    ) -> bool:
        """Check a body's (or one link's) non-adjacent links, and what it holds."""
        return self._check_self(subject, report, held=True)

    def check_standalone_self_collision(
        self, subject: KinBody | Link, report: CollisionReport | None = None
    ) -> bool:
        """Check self collision without what the body holds."""
        return self._check_self(subject, report, held=False)

    def check_ray(
        self,
        origin: ArrayLike,
        direction: ArrayLike,
        target: KinBody | Link | None = None,
        report: CollisionReport | None = None,
    ) -> bool:
        """Check a ray, (3,) and (3,) whose length is the range, metres."""
        return check_ray(self.env, origin, direction, target, report, self._options)

    def _check_self(
        self, subject: KinBody | Link, report: CollisionReport | None, *, held: bool
    ) -> bool:
        subject = named_subject(self.env, subject)
        own = own_checker(self, subject)
        if own is not None:
            query = "self" if held else "standalone_self"
            return ask_own(own, self, subject, report, f"check_{query}_collision")
        selector, world = self._selector()
        chosen = selector.within(subject, held=held)
        return self._check(self._links(world, chosen), report)

    def _selector(self) -> tuple[Selector, PackedWorld]:
        self.synchronise()
        world = self.env.world
        active = CollisionOptions.ACTIVE_DOFS in self._options
        ignored = IgnoredLinks(self.env, world)
        return Selector(self.env, world, ignored, active_only=active), world

    def _links(
        self, world: PackedWorld, chosen: PairSelection
    ) -> Iterator[tuple[Link, Link]]:
        """Yield the pairs of a selection whose links have something that collides."""
        table = world.tables.geometries
        solid = np.zeros(len(world.tables.links.id), np.bool_)
        solid[table.link[(table.mask & COLLISION) > 0]] = True
        if chosen.pairs is not None:
            rows = [(int(a), int(b)) for a, b in chosen.pairs if solid[a] and solid[b]]
        else:
            assert chosen.sides is not None  # noqa: S101 - it has one of both
            first, second = (
                np.flatnonzero(solid & ((chosen.sides & bit) > 0)).tolist()
                for bit in (FIRST, SECOND)
            )
            rows = [(a, b) for a in first for b in second if a != b]
        of_row = {
            row: link
            for body in self.env.bodies
            if body.id in world
            for row, link in enumerate(body.links, world.links_of(body.id).start)
        }
        for one, other in rows:
            yield of_row[one], of_row[other]

    def _check(
        self, pairs: Iterable[tuple[Link, Link]], report: CollisionReport | None
    ) -> bool:
        if report is not None:
            if not isinstance(report, CollisionReport):
                raise ArgumentError(
                    f"report is {shown(report)}, expected a CollisionReport or None"
                )
            report.reset()
            report.options = self._options
        options = self._options if report is not None else CollisionOptions.NONE
        measures = CollisionOptions.DISTANCE in options
        every = CollisionOptions.ALL_LINK_COLLISIONS in options
        tolerant = CollisionOptions.USE_TOLERANCE in self._options
        found = False
        for first, second in pairs:
            sides = CollisionSide.of_link(first), CollisionSide.of_link(second)
            pair = CollisionPair(*sides)
            far, points = math.inf, np.zeros((2, 3))
            if measures or tolerant:
                far, points = self._distance(first, second)
            near = tolerant and far <= self._tolerance
            hit = (every or not found) and (near or self._collides(first, second))
            if report is None:
                if hit and not self.is_ignored(pair):
                    return True
                continue
            report.n_tested += 1
            nearer = measures and far < report.min_distance
            if not (hit or nearer) or self.is_ignored(pair):
                continue
            if nearer:
                report.min_distance = far
                report.nearest = pair.first, pair.second
                report.nearest_points = points
            if hit:
                touching = options & _CONTACTS
                made = self._contacts(first, second) if touching else ()
                report.pairs.append(replace(pair, contacts=made))
                report.n_within_tolerance += tolerant
                found = True
            if found and not (every or measures):
                break
        return found

    # -- what authors wrote ----------------------------------------------------------

    def _collides(self, first: Link, second: Link) -> bool:
        with author_code(self, "check_pair"):
            return bool(self.check_pair(first, second))

    def _contacts(self, first: Link, second: Link) -> tuple[Contact, ...]:
        with author_code(self, "pair_contacts"):
            found = tuple(self.pair_contacts(first, second))
        for one in found:
            if not isinstance(one, Contact):
                raise PluginError(
                    f"pair_contacts() of {self!r} returned {shown(one)}, expected "
                    "pyrave.Contact objects"
                )
        return found

    def _distance(self, first: Link, second: Link) -> tuple[float, Array]:
        with author_code(self, "pair_distance"):
            far, points = self.pair_distance(first, second)
            return float(far), as_array(points, (2, 3), "the nearest points").copy()


def _is_missing(checker: PairwiseChecker, method: str) -> bool:
    return getattr(type(checker), method) is getattr(PairwiseChecker, method)
