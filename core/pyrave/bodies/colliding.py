"""Collision queries of a body, as shorthand for those of the checker."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from pyrave import kinematics
from pyrave.bodies.posed import PosedModel
from pyrave.errors import ArgumentError, shown
from pyrave.interfaces.collision.report import (
    CollisionOptions,
    CollisionReport,
    CollisionSide,
    asked_report,
)
from pyrave.interfaces.named_bodies import named_subject

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.link import Link
    from pyrave.interfaces.collisionchecker import CollisionCheckerBase
    from pyrave.kinematics import Model
    from pyrave.spatial import Indices
    from pyrave.world import PendingChanges

CollisionFilter = Callable[[CollisionSide, CollisionSide], bool]

# of a model: shapes of its links, checker, and the pairs that do not touch at zero
_free_pairs: weakref.WeakKeyDictionary[Model, tuple[tuple[Any, ...], str, Indices]] = (
    weakref.WeakKeyDictionary()
)


class Colliding(PosedModel):
    """The part of `pyrave.KinBody` that asks its environment's collision checker."""

    _collision_filter: CollisionFilter | None = None
    pending: PendingChanges | None

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
        if self.pending is not None:
            self.pending.relations += 1

    @property
    def non_adjacent_links(self) -> Indices:
        """(k, 2) link indices of the pairs that self collision queries check.

        All pairs that are not adjacent; a collision checker leaves out those that touch
        in the zero configuration, enabled or not. Each pair i < j once, sorted;
        read-only.
        """
        pairs = self._model.non_adjacent_links
        body: KinBody = self  # type: ignore[assignment]
        if body.id < 0 or not len(pairs):
            return pairs
        checker = body.env.collision_checker
        if not checker.finds_collisions:
            return pairs
        shapes = tuple(link.geometries for link in body.description.links)
        group = checker.get_geometry_group()
        name = f"{checker.plugin}:{checker.interface_id}:{group}"
        known = _free_pairs.get(self._model)
        if known is not None and known[1] == name and _same(known[0], shapes):
            return known[2]
        zero = kinematics.link_transforms(
            self._model, np.eye(4), np.zeros(self.dof), passive=None
        )
        free: Indices = pairs[~checker.links_touch(body, zero, pairs)]
        free.flags.writeable = False
        _free_pairs[self._model] = shapes, name, free
        return free

    @overload
    def check_self_collision(self, *, report: Literal[False] = False) -> bool: ...
    @overload
    def check_self_collision(self, *, report: Literal[True]) -> CollisionReport: ...
    def check_self_collision(self, *, report: bool = False) -> bool | CollisionReport:
        """Return whether links that are not adjacent touch each other.

        What it holds counts, except where it touched when it was grabbed.

        Parameters
        ----------
        report
            Return a report, true if there is a collision, instead of a bool.
        """
        checker, body = self._checker()
        found = asked_report(report)
        if found is None:
            return checker.check_self_collision(body)
        checker.check_self_collision(body, found)
        return found

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
        checker, body = self._checker()
        return distance_between(checker, body, named_subject(body.env, other))

    def _checker(self) -> tuple[CollisionCheckerBase, KinBody]:
        body: KinBody = self  # type: ignore[assignment]
        checker = body.env.collision_checker
        if not checker.synchronises_itself:
            checker.synchronise()
        return checker, body


def distance_between(
    checker: CollisionCheckerBase, first: KinBody | Link, second: KinBody | Link | None
) -> float:
    """Return the signed distance of two bodies or links, infinite without solids."""
    report = CollisionReport()
    options = checker.get_collision_options() | CollisionOptions.DISTANCE
    with checker.options(options):
        checker.check_collision(first, second, report=report)
    return report.distance


def _same(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    return len(one) == len(other) and all(
        a is b for a, b in zip(one, other, strict=True)
    )
