"""Collisions of a body: filters, its own checker, queries about itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

from pyrave.argument_names import methods_suggest
from pyrave.bodies.collision_queries import (
    CollisionFilter,
    checked_pairs,
    distance_between,
)
from pyrave.errors import ArgumentError, shown
from pyrave.interfaces.collision.own_checkers import ask_own
from pyrave.interfaces.collision.report import CollisionReport, asked_report
from pyrave.interfaces.collisionchecker import CollisionCheckerBase
from pyrave.interfaces.named_bodies import named_subject
from pyrave.interfaces.settings.parts import as_part
from pyrave.spatial import Indices

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.views.link import Link
    from pyrave.environment import Environment
    from pyrave.world import PendingChanges


@methods_suggest
class BodyCollisions:
    """Queries of a body to collision checkers."""

    _hot = "check_self_collision"
    if TYPE_CHECKING:
        env: Environment
        pending: PendingChanges | None = None
    _collision_filter: CollisionFilter | None = None
    _own_checker: CollisionCheckerBase | None = None

    @property
    def non_adjacent_links(self) -> Indices:
        """(k, 2) link indices of the pairs that self collision queries check.

        All pairs that are not adjacent; a collision checker leaves out those that touch
        in the zero configuration, enabled or not. Each pair i < j once, sorted;
        read-only.
        """
        body: Any = self
        return checked_pairs(body)

    @property
    def collision_filter(self) -> CollisionFilter | None:
        """Says of pairs that collide whether they count; assignable, None: all do.

        Called with the side of this body and the other one, which may be of this body,
        too, or of nobody. It is not copied to clones, and distances of what is apart do
        not ask it.
        """
        return self._collision_filter

    @collision_filter.setter
    def collision_filter(self, counts: CollisionFilter | None) -> None:
        if counts is not None and not callable(counts):
            raise ArgumentError(
                f"collision_filter is {shown(counts)}, expected a function of two "
                "CollisionSide, or None"
            )
        self._collision_filter = counts
        self._relations_changed()

    @property
    def self_collision_checker(self) -> CollisionCheckerBase | None:
        """Checker of collisions of the body with itself; None: the environment's.

        Assignable: a checker, an id, or None. Plans, solvers and all others who ask the
        environment's checker about this body's self collisions get its answers, slower
        than compiled queries. It keeps options of its own beside those that are asked
        for. Clones have a copy; files do not tell of it.
        """
        return self._own_checker

    @self_collision_checker.setter
    def self_collision_checker(self, given: CollisionCheckerBase | str | None) -> None:
        body: Any = self
        made = None
        if given is not None:
            made = as_part(
                self.env, CollisionCheckerBase, given, what="self_collision_checker"
            )
        before, self._own_checker = self._own_checker, made
        try:
            self.env.keep_self_checkers(body)
        except BaseException:
            self._own_checker = before
            raise
        self._relations_changed()

    @overload
    def check_self_collision(self, *, report: Literal[False] = False) -> bool: ...
    @overload
    def check_self_collision(self, *, report: Literal[True]) -> CollisionReport: ...
    def check_self_collision(self, *, report: bool = False) -> bool | CollisionReport:
        """Return True if links that are not adjacent touch each other.

        What it holds counts, except where it touched when it was grabbed.

        Parameters
        ----------
        report
            Return a report, true if there is a collision, instead of a bool.
        """
        body: Any = self
        checker = self._checker()
        found = asked_report(report)
        if self._own_checker is not None and self._own_checker is not checker:
            hit = ask_own(self._own_checker, checker, body, found)
        else:
            hit = checker.check_self_collision(body, found)
        return hit if found is None else found

    def distance_to(self, other: KinBody | Link | str) -> float:
        """Return the signed distance to another body or link, or one of that name.

        Returns
        -------
        float
            Metres, minus the depth where they overlap; infinite if one of them has
            nothing that collides.

        Raises
        ------
        NotSupportedError
            The collision checker knows no distances.
        """
        body: Any = self
        checker = self._checker()
        return distance_between(checker, body, named_subject(self.env, other))

    def _checker(self) -> CollisionCheckerBase:
        checker = self.env.collision_checker
        if not checker.synchronises_itself:
            checker.synchronise()
        return checker

    def _relations_changed(self) -> None:
        """Have checkers look again which pairs count, and who answers."""
        if self.pending is not None:
            self.pending.relations += 1
