"""Collision queries of a body, as shorthand for those of the checker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, overload

from pyrave.interfaces.collisionreport import CollisionOptions, CollisionReport

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.link import Link
    from pyrave.interfaces.collisionchecker import CollisionCheckerBase


class Colliding:
    """The part of `pyrave.KinBody` that asks its environment's collision checker."""

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
        checker = self._checker()
        if not report:
            return checker.check_self_collision(self)  # type: ignore[arg-type]
        found = CollisionReport()
        checker.check_self_collision(self, found)  # type: ignore[arg-type]
        return found

    def distance_to(self, other: KinBody | Link) -> float:
        """Return the signed distance to another body or to a link.

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
        return distance_between(self._checker(), self, other)  # type: ignore[arg-type]

    def _checker(self) -> CollisionCheckerBase:
        checker: CollisionCheckerBase = self.env.collision_checker  # type: ignore[attr-defined]
        checker.synchronise()
        return checker


def distance_between(
    checker: CollisionCheckerBase, first: KinBody | Link, second: KinBody | Link | None
) -> float:
    """Return the signed distance of two bodies or links, infinite without solids."""
    report = CollisionReport()
    options = checker.get_collision_options() | CollisionOptions.DISTANCE
    with checker.options(options):
        checker.check_collision(first, second, report=report)
    return report.distance
