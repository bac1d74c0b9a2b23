"""OpenRAVE's collision checker that never finds a collision."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from pyrave.bodies.kinbody import KinBody
from pyrave.bodies.views.link import Link
from pyrave.collision import check_ray
from pyrave.errors import ArgumentError, NotSupportedError, Problem, Severity
from pyrave.interfaces import CollisionCheckerBase, CollisionOptions, CollisionReport

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave import Environment


class GenericCollisionChecker(CollisionCheckerBase):
    """Answer that nothing collides; only rays are checked for real.

    For scenes in which nothing shall collide. The first query about bodies is reported
    in ``env.problems`` and logged.
    """

    contract = 2
    testing_caches = ("_warned",)
    finds_collisions = False

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._options = CollisionOptions.NONE
        self._warned = False

    def set_collision_options(self, options: CollisionOptions) -> None:
        """Set options; distances are not known."""
        if options & CollisionOptions.DISTANCE:
            raise NotSupportedError(
                f"{self.interface_id} computes no distances; assign another checker "
                "(`pyrave plugins` lists them) to env.collision_checker"
            )
        self._options = CollisionOptions(options)

    def get_collision_options(self) -> CollisionOptions:
        """Return the options."""
        return self._options

    def set_tolerance(self, tolerance: float) -> None:
        """Check a distance in metres; it changes no answer."""
        if not (np.isfinite(tolerance) and tolerance >= 0):
            raise ArgumentError(f"tolerance is {tolerance}, expected 0 m or more")

    def init_environment(self) -> None:
        """Need nothing."""

    def destroy_environment(self) -> None:
        """Need nothing."""

    def init_kinbody(self, body: KinBody) -> None:
        """Need nothing."""

    def remove_kinbody(self, body: KinBody) -> None:
        """Need nothing."""

    def check_collision(
        self,
        first: KinBody | Link,
        second: KinBody | Link | None = None,
        *,
        excluded_bodies: Iterable[KinBody] = (),
        excluded_links: Iterable[Link] = (),
        report: CollisionReport | None = None,
    ) -> bool:
        """Return False, and report once that no checker is installed."""
        return self._nothing(report)

    def check_self_collision(
        self,
        subject: KinBody | Link,
        report: CollisionReport | None = None,
    ) -> bool:
        """Return False, and report once that no checker is installed."""
        return self._nothing(report)

    def check_ray(
        self,
        origin: ArrayLike,
        direction: ArrayLike,
        target: KinBody | Link | None = None,
        report: CollisionReport | None = None,
    ) -> bool:
        """Check a ray as `pyrave.collision.check_ray` does."""
        return check_ray(self.env, origin, direction, target, report, self._options)

    def _nothing(self, report: CollisionReport | None) -> bool:
        if report is not None:
            report.reset()
            report.options = self._options
        if not self._warned:
            self._warned = True
            problem = Problem(
                Severity.WARNING,
                f"{self.interface_id} answers that nothing collides",
                hint="assign another checker to env.collision_checker, for example "
                "'Native'",
                code="no-collision-checker",
            )
            self.env.report_problem(problem)
        return False
