"""Base of collision checkers."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, ClassVar, Literal, overload

import numpy as np

from pyrave.attributes import answers_other_names
from pyrave.errors import NotSupportedError
from pyrave.interfaces.collision.batches import ConfigurationChecks, resolution_of
from pyrave.interfaces.collision.counted_pairs import is_ignored, let_ask
from pyrave.interfaces.collision.report import (
    CollisionOptions,
    CollisionPair,
    CollisionReport,
    CollisionSide,
)
from pyrave.interfaces.collision.touching_links import NO_TOUCHES, Touches
from pyrave.interfaces.engine import WorldEngine
from pyrave.interfaces.named_bodies import named_body
from pyrave.spatial import as_array, as_number

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.views.link import Link
    from pyrave.geometry import Mesh
    from pyrave.interfaces.collision.compiled import CompiledCollisions
    from pyrave.spatial import Array, Indices

_DEPTHS = (
    CollisionOptions.CONTACTS | CollisionOptions.ALL_GEOMETRY_COLLISIONS,
    CollisionOptions.DISTANCE,
)
"""Options by which a checker says how deep two links are."""
_CONVEX = frozenset({"box", "sphere", "cylinder", "capsule"})
"""Types of geometries; of others the mesh says it."""


@answers_other_names
class CollisionCheckerBase(WorldEngine):
    """Answers collision queries about the bodies of its environment.

    A grabbed body moves with its holder: queries on the holder include it and do not
    check the two against each other. Disabled links never collide.

    Queries take bodies and links, or their names: ``"mug"``, ``"robot/hand"``.
    """

    interface_type: ClassVar[str] = "collisionchecker"
    contract: ClassVar[int] = 2
    finds_collisions: ClassVar[bool] = True
    """False for a stand-in that never finds any; grabbing does not ask it."""
    exact: ClassVar[bool] = False
    """True if it tests the solids themselves, not approximations that enclose them."""
    asks_callbacks: ClassVar[bool] = False
    """True if it calls `is_ignored` for each pair that it finds.

    Where it does not, and there are callbacks of ``env.on_collision`` or filters of
    bodies, pairs that these want ignored are left out of what `check_collision` and
    `check_self_collision` find: the checker is asked again without them, link by link.
    `configuration_hits` and `compiled` of its own are not used then.
    """
    answers_itself: bool = False
    """True: bodies' own checkers are not asked in place of it.

    Else the environment's checker hands queries about self collisions of a body over
    to `KinBody.self_collision_checker`.
    """
    is_asking: bool = False
    """True while callbacks are called about the pairs that it found."""
    touches: Touches = NO_TOUCHES
    """Pairs of links that may touch at present; `allowing` sets it.

    What it finds is asked about then, as with callbacks, unless it `asks_callbacks`
    itself. Queries about links at other poses, meshes and boxes know nothing of it.
    """

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        let_ask(cls)

    def is_ignored(self, pair: CollisionPair) -> bool:
        """Return True if a pair that collides does not count.

        A callback of ``env.on_collision`` says so, unless the option IGNORE_CALLBACKS
        is set, or a body's `KinBody.collision_filter`, or it is among `touches` and no
        deeper than it may be. For checkers that say `asks_callbacks`, about each pair
        while they check.
        """
        return self.is_touch(pair) or is_ignored(
            self.env, pair, self.get_collision_options()
        )

    def is_touch(self, pair: CollisionPair) -> bool:
        """Return True if a pair that collides is one of `touches`, and no deeper."""
        first, second = pair.first.link, pair.second.link
        if not self.touches or first is None or second is None:
            return False
        limit = self.touches.limit(first, second)
        return limit >= 0.0 and 0.0 <= self.depth(first, second) <= limit

    @abstractmethod
    def set_collision_options(self, options: CollisionOptions) -> None:
        """Set options; NotSupportedError for those that the checker cannot do."""

    @abstractmethod
    def get_collision_options(self) -> CollisionOptions:
        """Return the options."""

    @contextmanager
    def options(self, options: CollisionOptions) -> Iterator[None]:
        """Use other options for a ``with`` block.

        Raises
        ------
        NotSupportedError
            The checker cannot do one of them.
        """
        before = self.get_collision_options()
        self.set_collision_options(options)
        try:
            yield
        finally:
            self.set_collision_options(before)

    @contextmanager
    def moving_links(self) -> Iterator[None]:
        """Leave out links of robots that no active joint moves in a ``with`` block.

        A checker that cannot leave links out compares all, as before.
        """
        before = self.get_collision_options()
        if CollisionOptions.ACTIVE_DOFS in before:
            yield
            return
        with suppress(NotSupportedError):
            self.set_collision_options(before | CollisionOptions.ACTIVE_DOFS)
        try:
            yield
        finally:
            self.set_collision_options(before)

    @contextmanager
    def allowing(self, touches: Touches) -> Iterator[None]:
        """Let pairs of links touch, no deeper than given, for a ``with`` block.

        Those that were allowed before stay so. All queries about bodies, their
        configurations and motions know it.
        """
        before = self.touches
        self.touches = before.joined(touches)
        try:
            yield
        finally:
            self.touches = before

    def depth(self, first: Link, second: Link) -> float:
        """Return the penetration depth of two links at their present poses.

        Unless a checker does better, it is that of the deepest contact of two convex
        geometries, or their distance below 0: contacts of other meshes are those of
        single triangles, which say nothing of the whole.

        Returns
        -------
        Metres; -inf if they do not touch, infinite if nothing says how deep they are.
        """
        before = self.touches, self.is_asking
        self.touches, self.is_asking = NO_TOUCHES, True
        try:
            for options in _DEPTHS:
                report = CollisionReport()
                with suppress(NotSupportedError), self.options(options):
                    hit = self.check_collision(first, second, report=report)
                    return _depth_of(report) if hit else -math.inf
        finally:
            self.touches, self.is_asking = before
        return math.inf

    @abstractmethod
    def set_tolerance(self, tolerance: float) -> None:
        """Set the distance (metres) below which geometries count as near."""

    @abstractmethod
    def init_environment(self) -> None:
        """Set up for every body of the environment."""

    @abstractmethod
    def destroy_environment(self) -> None:
        """Forget every body."""

    @abstractmethod
    def init_kinbody(self, body: KinBody) -> None:
        """Set up for a body that was added or whose geometry changed."""

    @abstractmethod
    def remove_kinbody(self, body: KinBody) -> None:
        """Forget a body."""

    @abstractmethod
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

    @abstractmethod
    def check_ray(
        self,
        origin: ArrayLike,
        direction: ArrayLike,
        target: KinBody | Link | None = None,
        report: CollisionReport | None = None,
    ) -> bool:
        """Check a ray, (3,) and (3,) whose length is the range, metres."""

    @abstractmethod
    def check_self_collision(
        self, subject: KinBody | Link, report: CollisionReport | None = None
    ) -> bool:
        """Check a body's (or one link's) non-adjacent links against each other.

        What the body holds takes part: `BodyGrabs.link_pairs` names the pairs.
        """

    def check_standalone_self_collision(
        self, subject: KinBody | Link, report: CollisionReport | None = None
    ) -> bool:
        """Check self collision without what the body holds."""
        raise NotSupportedError(f"{self!r} does not leave out held bodies")

    def check_link_collision(
        self,
        link: Link,
        transform: ArrayLike,
        *,
        excluded_bodies: Iterable[KinBody] = (),
        excluded_links: Iterable[Link] = (),
        report: CollisionReport | None = None,
    ) -> bool:
        """Check a link against other bodies as if it were at T_world_link (4, 4)."""
        raise NotSupportedError(f"{self!r} does not check links at other poses")

    def check_link_self_collision(
        self, link: Link, transform: ArrayLike, report: CollisionReport | None = None
    ) -> bool:
        """Check self collision of a link as if it were at T_world_link (4, 4)."""
        raise NotSupportedError(f"{self!r} does not check links at other poses")

    # -- many configurations -------------------------------------------------------

    @overload
    def check_configurations(
        self,
        body: KinBody | str,
        configurations: ArrayLike,
        *,
        environment: bool = True,
        self_collision: bool = True,
        report: Literal[False] = False,
    ) -> NDArray[np.bool_]: ...
    @overload
    def check_configurations(
        self,
        body: KinBody | str,
        configurations: ArrayLike,
        *,
        environment: bool = True,
        self_collision: bool = True,
        report: Literal[True],
    ) -> list[CollisionReport]: ...
    def check_configurations(
        self,
        body: KinBody | str,
        configurations: ArrayLike,
        *,
        environment: bool = True,
        self_collision: bool = True,
        report: bool = False,
    ) -> NDArray[np.bool_] | list[CollisionReport]:
        """Return the mask of a body's configurations that collide; it stays in place.

        Unless a checker does better, they are checked one after the other.

        Parameters
        ----------
        body
            Whose configurations, or its name.
        configurations
            (n, dof) joint values, not clamped.
        environment
            Whether other bodies count.
        self_collision
            Whether links of the body that touch each other, or what it holds, count.
        report
            Return a report of each, made with the present options.

        Returns
        -------
        (n,) bool or list of CollisionReport
            True where something touches. Links that stay count, too: a base on a table
            touches it in all of them, and `moving_links` leaves it out, as plans do.

        Raises
        ------
        ArgumentError
            Configurations of a wrong shape or not finite, or a body that is not in the
            environment.
        """
        body = named_body(self.env, body)
        checks = ConfigurationChecks(
            self, body, environment=environment, self_collision=self_collision
        )
        rows = checks.rows(configurations, "configurations")
        if report:
            return checks.reports(rows)
        return self.configuration_hits(
            body, rows, environment=environment, self_collision=self_collision
        )

    def configuration_hits(
        self, body: KinBody, rows: Array, *, environment: bool, self_collision: bool
    ) -> NDArray[np.bool_]:
        """Return the mask of a body's configurations (n, dof) that collide, one by one.

        `check_configurations` and `check_motions` call it. A checker that knows better
        overrides it.
        """
        checks = ConfigurationChecks(
            self, body, environment=environment, self_collision=self_collision
        )
        return checks.hits(rows)

    @overload
    def distances(
        self,
        body: KinBody | str,
        configurations: ArrayLike,
        *,
        environment: bool = True,
        self_collision: bool = True,
        report: Literal[False] = False,
    ) -> Array: ...
    @overload
    def distances(
        self,
        body: KinBody | str,
        configurations: ArrayLike,
        *,
        environment: bool = True,
        self_collision: bool = True,
        report: Literal[True],
    ) -> list[CollisionReport]: ...
    def distances(
        self,
        body: KinBody | str,
        configurations: ArrayLike,
        *,
        environment: bool = True,
        self_collision: bool = True,
        report: bool = False,
    ) -> Array | list[CollisionReport]:
        """Return the smallest signed distance in configurations of a body.

        Parameters are those of `check_configurations`.

        Returns
        -------
        (n,) float64 or list of CollisionReport
            Metres, minus the depth where solids overlap; infinite if there is nothing
            to be near. Reports also say which pair it is, `CollisionReport.nearest`.

        Raises
        ------
        NotSupportedError
            The checker knows no distances.
        """
        body = named_body(self.env, body)
        checks = ConfigurationChecks(
            self, body, environment=environment, self_collision=self_collision
        )
        rows = checks.rows(configurations, "configurations")
        if report:
            return checks.reports(rows, CollisionOptions.DISTANCE)
        return self.configuration_distances(
            body, rows, environment=environment, self_collision=self_collision
        )

    def configuration_distances(
        self, body: KinBody, rows: Array, *, environment: bool, self_collision: bool
    ) -> Array:
        """Return the smallest distance (n,) of configurations (n, dof), one by one.

        `distances` calls it. A checker that knows better overrides it.
        """
        checks = ConfigurationChecks(
            self, body, environment=environment, self_collision=self_collision
        )
        found = checks.reports(rows, CollisionOptions.DISTANCE)
        return np.array([one.distance for one in found])

    def check_motions(
        self,
        body: KinBody | str,
        starts: ArrayLike,
        ends: ArrayLike,
        resolution: ArrayLike | None = None,
        continuous: bool = False,
        *,
        environment: bool = True,
        self_collision: bool = True,
        tolerance: float = 1e-4,
    ) -> Array:
        """Return the first collisions of straight motions in joint values.

        Circular joints go the short way round.

        Parameters
        ----------
        starts, ends
            (n, dof) joint values, not clamped.
        resolution
            Largest step of each degree of freedom, (dof,) or one number; None takes
            `KinBody.dof_resolutions`. Both ends are checked.
        continuous
            Leave no gaps: steps are as long as the distance to everything else
            allows, so that nothing is jumped over, however thin. Of links that the
            motions do not move the start alone counts.
        environment, self_collision
            As in `check_configurations`.
        tolerance
            How near a continuous motion may come, metres, above 0.

        Returns
        -------
        (n,) float64
            0 at the start to 1 at the end; infinite if the motion is free. A
            continuous one ends where it comes as near as `tolerance`.

        Raises
        ------
        ArgumentError
            Wrong shapes, values that are not finite, steps that are not positive.
        NotSupportedError
            A continuous motion of a body with closed loops, joints that move along
            paths, or formulas that are not linear; a checker without distances.
        """
        body = named_body(self.env, body)
        checks = ConfigurationChecks(
            self, body, environment=environment, self_collision=self_collision
        )
        first = checks.rows(starts, "starts")
        last = as_array(ends, first.shape, "ends")
        if continuous:
            least = as_number(tolerance, "tolerance", 1e-7)
            return checks.first_contacts(first, last, least)
        return checks.first_hits(first, last, resolution_of(body, resolution))

    def links_touch(
        self, body: KinBody, link_poses: Array, pairs: Indices
    ) -> NDArray[np.bool_]:
        """Return the mask of pairs of links of a body that touch at other poses.

        It says which pairs self collision queries leave out. Unless a checker does
        better, none.

        Parameters
        ----------
        link_poses
            (n_links, 4, 4) of all links, in any frame; disabled ones count.
        pairs
            (k, 2) indices of links.

        Returns
        -------
        (k,) bool
        """
        return np.zeros(len(pairs), np.bool_)

    def compiled(
        self, body: KinBody, *, environment: bool = True, self_collision: bool = True
    ) -> CompiledCollisions:
        """Return a function of link poses that compiled loops can call.

        Parameters are those of `check_configurations`. All other bodies are where they
        are now. A checker that has one makes planners many times faster.

        Raises
        ------
        NotSupportedError
            The checker has no such function, or none that answers as it does with its
            present options and callbacks.
        """
        raise NotSupportedError(f"{self!r} has no compiled function of link poses")

    # -- optional queries ----------------------------------------------------------

    def check_mesh(
        self,
        mesh: Mesh,
        transform: ArrayLike,
        target: KinBody | None = None,
        report: CollisionReport | None = None,
    ) -> bool:
        """Check a triangle mesh at a pose (4, 4) against a body or everything."""
        raise NotSupportedError(f"{self!r} does not check meshes")

    def check_aabb(
        self,
        center: ArrayLike,
        half_extents: ArrayLike,
        transform: ArrayLike | None = None,
        bodies: Iterable[KinBody] | None = None,
        report: CollisionReport | None = None,
    ) -> bool:
        """Check a box (m) at a pose against bodies, all of them if None."""
        raise NotSupportedError(f"{self!r} does not check boxes")

    def set_geometry_group(self, group: str) -> None:
        """Use another group of geometries in all queries."""
        raise NotSupportedError(f"{self!r} has no geometry groups")

    def get_geometry_group(self) -> str:
        """Return the group of geometries in use."""
        return "self"


def _depth_of(report: CollisionReport) -> float:
    """Return the depth of a collision, infinite if it is unknown."""
    sides = [side for one in report.pairs for side in (one.first, one.second)]
    if not sides or not all(map(_is_convex, sides)):
        return math.inf
    if report.nearest is not None:
        return max(-report.distance, 0.0)
    return max(
        max((contact.depth for contact in one.contacts), default=math.inf)
        for one in report.pairs
    )


def _is_convex(side: CollisionSide) -> bool:
    """Return True if what collides there is known to be convex."""
    if side.link is None:
        return False
    known = side.link.geometries if side.geometry is None else [side.geometry]
    return all(one.type in _CONVEX or one.mesh.is_convex for one in known)
