"""OpenRAVE's checker that remembers free and colliding configurations of a robot."""

from __future__ import annotations

import time
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.collision.selector import with_held
from pyrave.errors import ArgumentError, NotFoundError, NotSupportedError
from pyrave.interfaces.collision.report import CollisionOptions, CollisionReport
from pyrave.interfaces.collisionchecker import CollisionCheckerBase
from pyrave.interfaces.commands import command
from pyrave.interfaces.settings.declarations import setting
from pyrave.interfaces.settings.words import join_words
from pyrave.kinematics.limits import LimitCheck
from pyrave.spatial import as_number
from pyrave.world.body_state import StateParts
from pyrave_collision.cached import ConfigurationCache, MovingSolids

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from pyrave import Environment
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.views.link import Link
    from pyrave.geometry import Mesh
    from pyrave.interfaces.collision.touching_links import Touches
    from pyrave.spatial import Array, Indices
    from pyrave.world import Changes

_OTHER_ANSWERS = CollisionOptions.USE_TOLERANCE | CollisionOptions.ACTIVE_DOFS
_SIZE = 2000
_MARGIN = 1e-5


@dataclass(frozen=True)
class CacheSettings:
    """Settings of `CacheChecker`."""

    checker: tuple[str, ...] = setting(
        (),
        "id of the checker that is asked; by default one like the environment's",
        fixed=True,
    )


class CacheChecker(CollisionCheckerBase):
    """Remembers which configurations of one robot are free, and which collide.

    ``env.create("collisionchecker", "CacheChecker coal")`` asks the checker ``coal``,
    without a name one like the environment's. All queries go to that checker; whether
    the tracked robot collides with everything else, or with itself, is answered from
    memory where that is proven: a free configuration is remembered with the distance to
    what is nearest, and is free for all configurations in which no point of the robot
    is further away than that. One that collides is known again if nothing moved.

    Everything is forgotten when another body moves, when bodies, solids, links' state,
    masks, grabs or filters change, and with other options or geometry groups. With a
    report, callbacks, filters, `CollisionOptions.USE_TOLERANCE`, `ACTIVE_DOFS` or a
    geometry group nothing is remembered. Distances of the other checker
    are trusted to 1e-5 m; one without distances is helped only where nothing moved.
    """

    contract = 2
    settings_type = CacheSettings
    word_settings = ("checker",)

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._robot: weakref.ref[KinBody] | None = None
        self._solids: MovingSolids | None = None
        self._own: frozenset[int] = frozenset()
        self._relations = -1
        self._plain = False
        self._measures = True
        self._sizes = {False: (_SIZE, _MARGIN), True: (_SIZE, _MARGIN)}
        self._times = np.zeros(3)
        self._caches = {within: self._new_cache(within) for within in (False, True)}
        self._wrap(" ".join(self.settings.checker) or self._name_of_present())

    # -- the other checker ---------------------------------------------------------

    @property
    def wrapped(self) -> CollisionCheckerBase:
        """The checker that is asked what is not known."""
        return self._wrapped

    def _name_of_present(self) -> str:
        present = self.env.collision_checker
        if isinstance(present, CacheChecker):
            present = present.wrapped
        return join_words((present.interface_id, *present.id_words))

    def _wrap(self, name: str) -> None:
        made = self.env.create("collisionchecker", name)
        if isinstance(made, CacheChecker):
            raise ArgumentError(
                "a CacheChecker is to ask a CacheChecker; name the checker that "
                "compares solids, as 'CacheChecker Native'"
            )
        assert isinstance(made, CollisionCheckerBase)  # noqa: S101 - by its type
        self._wrapped = made
        self._wrapped_name = name
        # class variables of other checkers, of this one those of what it asks
        vars(self).update(
            exact=made.exact,
            asks_callbacks=made.asks_callbacks,
            finds_collisions=made.finds_collisions,
        )
        self._measures = True
        self._forget()

    # -- commands ------------------------------------------------------------------

    @command(name="TrackRobotState")
    def track(self, robot: str) -> bool:
        """Remember configurations of a robot from now on, and of no other one."""
        found = [one for one in self.env.robots if one.name == robot]
        if not found:
            raise NotFoundError("robot", robot, [one.name for one in self.env.robots])
        self._robot = weakref.ref(found[0])
        self._forget()
        return True

    @command(name="GetTrackedRobot")
    def tracked_robot(self) -> str | None:
        """Return the name of the robot whose configurations are remembered."""
        robot = self._tracked()
        return None if robot is None else robot.name

    @command(name="GetCacheStatistics")
    def statistics(self) -> list[int]:
        """Return hits that collide, checks, free hits and size: everything else."""
        return self._statistics(within=False)

    @command(name="GetSelfCacheStatistics")
    def self_statistics(self) -> list[int]:
        """Return hits that collide, checks, free hits and size: self collision."""
        return self._statistics(within=True)

    @command(name="SetCacheParameters")
    def set_parameters(self, size: int = _SIZE, margin: float = _MARGIN) -> bool:
        """Keep so many configurations, with distances less a margin (m)."""
        return self._set_parameters(size, margin, within=False)

    @command(name="SetSelfCacheParameters")
    def set_self_parameters(self, size: int = _SIZE, margin: float = _MARGIN) -> bool:
        """Keep so many configurations of self collision, distances less a margin."""
        return self._set_parameters(size, margin, within=True)

    @command(name="ResetCache")
    def reset_cache(self) -> bool:
        """Forget what was found about everything else, and what was counted."""
        self._caches[False] = self._new_cache(within=False)
        return True

    @command(name="ResetSelfCache")
    def reset_self_cache(self) -> bool:
        """Forget what was found about self collision, and what was counted."""
        self._caches[True] = self._new_cache(within=True)
        return True

    @command(name="ValidateCache")
    def validate(self) -> bool:
        """Ask the other checker about each configuration again; 0 if one is wrong."""
        return self._validate(within=False)

    @command(name="ValidateSelfCache")
    def validate_self(self) -> bool:
        """Ask about each configuration of self collision again; 0 if one is wrong."""
        return self._validate(within=True)

    @command(name="UpdateCollisionConfigurations")
    def update_collision_configurations(self, body: str = "") -> int:
        """Forget the configurations that collide; return how many there were.

        A change of any body does so by itself, so no body needs to be named.
        """
        return self._caches[False].drop(colliding=True)

    @command(name="UpdateFreeConfigurations")
    def update_free_configurations(self, body: str = "") -> int:
        """Forget the configurations that are free; return how many there were."""
        return self._caches[False].drop(colliding=False)

    @command(name="GetCacheTimes")
    def times(self) -> list[float]:
        """Return seconds spent on looking up, on asking, and on keeping."""
        return [float(spent) for spent in self._times]

    def _statistics(self, *, within: bool) -> list[int]:
        cache = self._caches[within]
        counts = cache.counts
        return [counts.collision_hits, counts.checks, counts.free_hits, len(cache)]

    def _set_parameters(self, size: int, margin: float, *, within: bool) -> bool:
        if size < 0:
            raise ArgumentError(f"size is {size}, expected 0 or more configurations")
        self._sizes[within] = int(size), as_number(margin, "margin", 0.0)
        self._caches[within] = self._new_cache(within)
        return True

    def _new_cache(self, within: bool) -> ConfigurationCache:
        size, margin = self._sizes[within]
        return ConfigurationCache(size, margin, both_move=within)

    def _validate(self, *, within: bool) -> bool:
        """Return whether all answers are those of the other checker."""
        robot = self._tracked()
        self.synchronise()
        solids = self._solids
        if robot is None or solids is None:
            return True
        right = True
        with robot.preserve_state(StateParts.TRANSFORMS):
            for key, poses, hit in self._caches[within].entries():
                robot.transform = poses_of_key(key)
                robot.set_dof_values(key[16:], limits=LimitCheck.NONE)
                moved = solids.furthest(poses[None], solids.poses(self.env.world))
                # links may have been placed one by one, so that no values say where
                if moved[0] < 1e-9:
                    right &= self._ask(robot, within) == hit
        return right

    # -- memory --------------------------------------------------------------------

    def _tracked(self) -> KinBody | None:
        robot = None if self._robot is None else self._robot()
        return robot if robot is not None and robot.id in self.env.world else None

    def _forget(self) -> None:
        for cache in self._caches.values():
            cache.clear()
        self._solids = None
        self._relations = -1

    def update(self, changes: Changes) -> None:
        """Forget everything unless only the robot moved, with what it holds."""
        others = changes.other_solids or changes.masked
        if others or not self._own.issuperset(changes.moved):
            self._forget()

    def synchronise(self) -> None:
        """Take over what changed since the last query."""
        super().synchronise()
        self._wrapped.synchronise()

    def _remembers(self, subject: KinBody | Link) -> bool:
        """Return whether answers about a body are kept; the world is looked at."""
        robot = None if self._robot is None else self._robot()
        if robot is not subject or robot is None or robot.id not in self.env.world:
            return False
        super().synchronise()
        world = self.env.world
        if world.relations != self._relations or self._solids is None:
            self._look(robot)
        return self._plain and not self.env.collision_callbacks

    def _look(self, robot: KinBody) -> None:
        """See what moves with the robot, and whether answers depend on more."""
        self._forget()
        world = self.env.world
        bodies = [one.id for one in with_held(robot) if one.id in world]
        self._own = frozenset(bodies)
        self._solids = MovingSolids(world, bodies)
        self._relations = world.relations
        options = self._wrapped.get_collision_options()
        self._plain = (
            not (options & _OTHER_ANSWERS or self.touches)
            and self._wrapped.get_geometry_group() == "self"
            and all(body.collision_filter is None for body in self.env.bodies)
        )

    def _answer(self, robot: KinBody, *, within: bool) -> bool:
        """Return what is known, or what the other checker says."""
        solids, cache = self._solids, self._caches[within]
        assert solids is not None  # noqa: S101 - `_remembers` was asked before
        begin = time.perf_counter()
        poses = solids.poses(self.env.world)
        key = key_of(robot)
        hit = cache.find(solids, key, poses)
        found = time.perf_counter()
        self._times[0] += found - begin
        if hit is not None:
            return hit
        report = CollisionReport()
        hit = self._ask(robot, within, report)
        asked = time.perf_counter()
        free = report.distance if self._measures else 0.0
        cache.keep(key, poses, None if hit else free)
        self._times[1:] += asked - found, time.perf_counter() - asked
        return hit

    def _ask(
        self, robot: KinBody, within: bool, report: CollisionReport | None = None
    ) -> bool:
        """Ask the other checker, with the distance if it has one."""
        checker = self._wrapped
        before = checker.get_collision_options()
        if report is not None and self._measures:
            try:
                checker.set_collision_options(before | CollisionOptions.DISTANCE)
            except NotSupportedError:
                self._measures = False
        given = report if self._measures else None
        try:
            if within:
                return checker.check_self_collision(robot, given)
            return checker.check_collision(robot, report=given)
        finally:
            checker.set_collision_options(before)

    # -- queries that are remembered -----------------------------------------------

    def check_collision(
        self,
        first: KinBody | Link,
        second: KinBody | Link | None = None,
        *,
        excluded_bodies: Iterable[KinBody] = (),
        excluded_links: Iterable[Link] = (),
        report: CollisionReport | None = None,
    ) -> bool:
        """Check a body or link; the tracked robot and everything else from memory."""
        excluded_bodies, excluded_links = tuple(excluded_bodies), tuple(excluded_links)
        plain = second is None and report is None
        if plain and not (excluded_bodies or excluded_links) and self._remembers(first):
            return self._answer(first, within=False)  # type: ignore[arg-type]
        return self._wrapped.check_collision(
            first,
            second,
            excluded_bodies=excluded_bodies,
            excluded_links=excluded_links,
            report=report,
        )

    def check_self_collision(
        self, subject: KinBody | Link, report: CollisionReport | None = None
    ) -> bool:
        """Check non-adjacent links; those of the tracked robot from memory."""
        if report is None and self._remembers(subject):
            return self._answer(subject, within=True)  # type: ignore[arg-type]
        return self._wrapped.check_self_collision(subject, report)

    # -- all else is the other checker's -------------------------------------------

    def set_collision_options(self, options: CollisionOptions) -> None:
        """Set options of the other checker."""
        if options != self._wrapped.get_collision_options():
            self._wrapped.set_collision_options(options)
            self._relations = -1

    def get_collision_options(self) -> CollisionOptions:
        """Return the options."""
        return self._wrapped.get_collision_options()

    @contextmanager
    def allowing(self, touches: Touches) -> Iterator[None]:
        """Let pairs of links touch for a ``with`` block; nothing is remembered then."""
        self._relations = -1
        try:
            with super().allowing(touches), self._wrapped.allowing(touches):
                yield
        finally:
            self._relations = -1

    def depth(self, first: Link, second: Link) -> float:
        """Return how deep two links are in each other, as the other checker says."""
        return self._wrapped.depth(first, second)

    def set_tolerance(self, tolerance: float) -> None:
        """Set the distance below which solids are near, metres."""
        self._wrapped.set_tolerance(tolerance)

    def set_geometry_group(self, group: str) -> None:
        """Compare the geometries of a group."""
        self._wrapped.set_geometry_group(group)
        self._forget()

    def get_geometry_group(self) -> str:
        """Return the group of geometries in use."""
        return self._wrapped.get_geometry_group()

    def get_own_state(
        self,
    ) -> tuple[str, object, str | None, dict[bool, tuple[int, float]]]:
        """Return the other checker, its state, the robot's name and the parameters."""
        robot = self.tracked_robot()
        return self._wrapped_name, self._wrapped.get_state(), robot, dict(self._sizes)

    def set_own_state(
        self, state: tuple[str, object, str | None, dict[bool, tuple[int, float]]]
    ) -> None:
        """Take over what another one asks and tracks; it remembers nothing yet."""
        name, inner, robot, sizes = state
        if name != self._wrapped_name:
            self._wrap(name)
        self._wrapped.set_state(inner)
        self._sizes = dict(sizes)
        self._caches = {within: self._new_cache(within) for within in (False, True)}
        self._robot = None
        if robot is not None:
            self.track(robot)

    def init_environment(self) -> None:
        """Start over with every body of the environment."""
        self._forget()
        self.forget_world()
        self._wrapped.init_environment()

    def destroy_environment(self) -> None:
        """Forget every body."""
        self._forget()
        self.forget_world()
        self._wrapped.destroy_environment()

    def init_kinbody(self, body: KinBody) -> None:
        """Set up for a body that was added or whose geometry changed."""
        self._forget()
        self._wrapped.init_kinbody(body)

    def remove_kinbody(self, body: KinBody) -> None:
        """Forget a body."""
        self._forget()
        self._wrapped.remove_kinbody(body)

    def configuration_hits(
        self, body: KinBody, rows: Array, *, environment: bool, self_collision: bool
    ) -> NDArray[np.bool_]:
        """Return which configurations (n, dof) of a body collide.

        Another checker's own batch is faster than memory; without one it helps.
        """
        checker = self._wrapped
        own = type(checker).configuration_hits
        if own is CollisionCheckerBase.configuration_hits:
            return super().configuration_hits(
                body, rows, environment=environment, self_collision=self_collision
            )
        return checker.configuration_hits(
            body, rows, environment=environment, self_collision=self_collision
        )

    def configuration_distances(
        self, body: KinBody, rows: Array, *, environment: bool, self_collision: bool
    ) -> Array:
        """Return the smallest distance (n,) of configurations (n, dof)."""
        return self._wrapped.configuration_distances(
            body, rows, environment=environment, self_collision=self_collision
        )

    def check_ray(
        self,
        origin: ArrayLike,
        direction: ArrayLike,
        target: KinBody | Link | None = None,
        report: CollisionReport | None = None,
    ) -> bool:
        """Check a ray."""
        return self._wrapped.check_ray(origin, direction, target, report)

    def check_standalone_self_collision(
        self, subject: KinBody | Link, report: CollisionReport | None = None
    ) -> bool:
        """Check self collision without what the body holds."""
        return self._wrapped.check_standalone_self_collision(subject, report)

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
        return self._wrapped.check_link_collision(
            link,
            transform,
            excluded_bodies=excluded_bodies,
            excluded_links=excluded_links,
            report=report,
        )

    def check_link_self_collision(
        self, link: Link, transform: ArrayLike, report: CollisionReport | None = None
    ) -> bool:
        """Check self collision of a link as if it were at T_world_link (4, 4)."""
        return self._wrapped.check_link_self_collision(link, transform, report)

    def links_touch(
        self, body: KinBody, link_poses: Array, pairs: Indices
    ) -> NDArray[np.bool_]:
        """Return which pairs of links of a body touch where it is not."""
        return self._wrapped.links_touch(body, link_poses, pairs)

    def check_mesh(
        self,
        mesh: Mesh,
        transform: ArrayLike,
        target: KinBody | None = None,
        report: CollisionReport | None = None,
    ) -> bool:
        """Check a triangle mesh at a pose (4, 4) against a body or everything."""
        return self._wrapped.check_mesh(mesh, transform, target, report)

    def check_aabb(
        self,
        center: ArrayLike,
        half_extents: ArrayLike,
        transform: ArrayLike | None = None,
        bodies: Iterable[KinBody] | None = None,
        report: CollisionReport | None = None,
    ) -> bool:
        """Check a box (m) at a pose against bodies, all of them if None."""
        return self._wrapped.check_aabb(center, half_extents, transform, bodies, report)


def key_of(robot: KinBody) -> Array:
    """Return the pose of the base and the values of the joints, one after the other."""
    return np.concatenate((robot.transforms_view[0].ravel(), robot.dof_values))


def poses_of_key(key: Array) -> Array:
    """Return the pose (4, 4) of the base of a key."""
    return key[:16].reshape(4, 4)
