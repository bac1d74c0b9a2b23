"""The collision checker that is there when no other is: nothing collides."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from pyrave.bodies.kinbody import KinBody
from pyrave.bodies.link import Link
from pyrave.errors import ArgumentError, NotSupportedError, Problem, Severity
from pyrave.interfaces.collisionchecker import (
    CollisionCheckerBase,
    CollisionOptions,
    CollisionPair,
    CollisionReport,
    CollisionSide,
    Contact,
)
from pyrave.spatial import as_vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.interfaces.environment import EnvironmentProtocol


class GenericCollisionChecker(CollisionCheckerBase):
    """Answer that nothing collides; only rays are checked for real.

    It is what an environment has until a real checker is installed, as in OpenRAVE.
    The first query about bodies is reported in ``env.problems`` and logged.
    """

    contract = 1
    finds_collisions = False

    def __init__(self, env: EnvironmentProtocol, *args: str) -> None:
        super().__init__(env, *args)
        self._options = CollisionOptions.NONE
        self._warned = False

    def set_collision_options(self, options: CollisionOptions) -> None:
        """Set options; distances are not known."""
        if options & CollisionOptions.DISTANCE:
            raise NotSupportedError(
                f"{self.interface_id} computes no distances; install a collision "
                "checker (`pyrave plugins` lists them) and assign it to "
                "env.collision_checker"
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
        """Check a ray against the enabled geometries.

        Parameters
        ----------
        origin
            (3,) world, metres.
        direction
            (3,) world; its length is the range, metres.
        target
            What alone can be hit; None is everything.
        report
            Gets the nearest hit: what was hit is the first of the pair, the contact's
            normal is turned towards the origin; `min_distance` and minus the contact's
            depth are the distance along the ray.
        """
        start = as_vector(origin, 3, "origin")
        ray = as_vector(direction, 3, "direction")
        length = float(np.sqrt(ray @ ray))
        if report is not None:
            report.reset()
            report.options = self._options
        if not length > 0:
            raise ArgumentError("direction is zero: its length is the ray's range")
        hits = self.env.raycast(
            start[None],
            ray[None],
            max_range=length,
            bodies=None if target is None else (target,),
            any_hit=report is None,
            fields=() if report is None else ("instance", "position", "normal"),
        )
        if not bool(hits.hit[0]):
            return False
        if report is not None:
            geometry = self.env.ray_world.geometry_of(int(hits.instance[0]))
            distance = float(hits.distance[0])
            contact = Contact(hits.position[0].copy(), hits.normal[0].copy(), -distance)
            hit = CollisionSide.of_geometry(geometry)
            report.pairs.append(CollisionPair(hit, contacts=(contact,)))
            report.min_distance = min(report.min_distance, distance)
        return True

    def _nothing(self, report: CollisionReport | None) -> bool:
        if report is not None:
            report.reset()
            report.options = self._options
        if not self._warned:
            self._warned = True
            problem = Problem(
                Severity.WARNING,
                f"no collision checker is installed: {self.interface_id} answers "
                "that nothing collides",
                hint="real checkers will come with the extra pyrave[collision], which "
                "is not released yet; a plugin may offer one (see `pyrave plugins`): "
                "assign it to env.collision_checker",
                code="no-collision-checker",
            )
            self.env.report_problem(problem)
        return False
