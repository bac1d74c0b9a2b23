"""Collision checkers whose engine works on rows of the packed world."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.bodies.bare_robots import warn_of_bare
from pyrave.bodies.kinbody import KinBody
from pyrave.bodies.robot import Robot
from pyrave.bodies.views.link import Link
from pyrave.collision.engine_queries import (
    SECOND,
    Demand,
    Findings,
    PairSelection,
    Probe,
)
from pyrave.collision.groups import GroupWorld
from pyrave.collision.ignored_links import IgnoredLinks
from pyrave.collision.link_pairs import Selector, with_held
from pyrave.collision.rays import check_ray
from pyrave.collision.reports import Naming, fill, veto_of, veto_of_touches
from pyrave.collision.solids import box_probe, mesh_probe, moved_links, near_pairs
from pyrave.errors import ArgumentError, NotFoundError, shown
from pyrave.interfaces.collision.own_checkers import ask_own, own_checker
from pyrave.interfaces.collision.report import CollisionOptions, CollisionReport
from pyrave.interfaces.collisionchecker import CollisionCheckerBase
from pyrave.interfaces.named_bodies import named_subject, named_subjects
from pyrave.spatial import Array, as_number, as_pose, as_vector, invert_pose

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from pyrave.environment import Environment
    from pyrave.geometry import Mesh
    from pyrave.spatial import Indices
    from pyrave.world import PackedWorld

_ANY_GEOMETRY = (
    CollisionOptions.ALL_GEOMETRY_COLLISIONS | CollisionOptions.ALL_GEOMETRY_CONTACTS
)
_MORE = CollisionOptions.ALL_LINK_COLLISIONS | CollisionOptions.DISTANCE
_CONTACTS = CollisionOptions.CONTACTS | CollisionOptions.ALL_GEOMETRY_CONTACTS
_KEPT = 256
"""Selections that are kept; who asks about more starts over."""


class PackedWorldChecker(CollisionCheckerBase):
    """Base of checkers that compare solids of ``self.world.tables``.

    That is the world of the environment, or one with another group of geometries. It
    knows what the arguments of a query mean: exclusions, adjacency, held bodies,
    options, callbacks, reports. An engine writes `any_contact`, `find` and, if it
    keeps something of its own, `update`. Belongs to its environment's thread.

    Selections are kept and handed to the engine again as long as they hold: moving
    bodies does not change them.
    """

    exact = True
    asks_callbacks = True
    synchronises_itself = True
    follows_moves = True
    """True if `update` needs to hear of bodies that moved, and of nothing else.

    An engine that reads poses where the world has them sets it to False.
    """

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if not vars(cls).keys().isdisjoint(("check_collision", "check_self_collision")):
            cls.synchronises_itself = vars(cls).get("synchronises_itself", False)

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._options = CollisionOptions.NONE
        self._tolerance = 0.0
        self._active_only = self._near = self._filtered = self._handed = False
        self._group: GroupWorld | None = None
        self._selections: dict[Hashable, PairSelection] = {}
        self._seen_relations = -1
        self._ignored: IgnoredLinks | None = None

    # -- what an engine writes -----------------------------------------------------

    @abstractmethod
    def any_contact(self, selection: PairSelection, probe: Probe | None = None) -> bool:
        """Return True if any pair of solids touches; the world is up to date."""

    @abstractmethod
    def find(
        self, selection: PairSelection, demand: Demand, probe: Probe | None = None
    ) -> Findings:
        """Return the answer to a demand about the solid pairs of a selection."""

    @property
    def world(self) -> PackedWorld:
        """The solids that count as they are now: a group's, or the environment's."""
        return self.env.world if self._group is None else self._group.world

    # -- state ---------------------------------------------------------------------

    def set_collision_options(self, options: CollisionOptions) -> None:
        """Set options; all are known."""
        self._options = chosen = CollisionOptions(options)
        # operations of flags take longer than the rest of a query
        self._near = CollisionOptions.USE_TOLERANCE in chosen
        self._active_only = CollisionOptions.ACTIVE_DOFS in chosen

    def get_collision_options(self) -> CollisionOptions:
        """Return the options."""
        return self._options

    def set_tolerance(self, tolerance: float) -> None:
        """Set the distance below which solids collide with USE_TOLERANCE, metres."""
        self._tolerance = as_number(tolerance, "tolerance", 0.0)

    def set_geometry_group(self, group: str) -> None:
        """Compare the geometries of a group, of links that have some; not for rays.

        Raises
        ------
        NotFoundError
            No link of any body has such a group.
        """
        links = [link for body in self.env.bodies for link in body.links]
        known = {"self", *(name for link in links for name in link.geometry_groups)}
        if group not in known:
            raise NotFoundError("geometry group", str(group), sorted(known))
        self._use_group(group)

    def get_geometry_group(self) -> str:
        """Return the group of geometries in use, at first ``self``."""
        return "self" if self._group is None else self._group.group

    def _use_group(self, group: str) -> None:
        if group != self.get_geometry_group():
            self._group = None if group == "self" else GroupWorld(self.env, group)
            self.init_environment()

    def get_own_state(self) -> tuple[int, float, str]:
        """Return options, tolerance and group of geometries, for clones."""
        return int(self._options), self._tolerance, self.get_geometry_group()

    def set_own_state(self, state: tuple[int, float, str]) -> None:
        """Take over options, tolerance and group of geometries."""
        options, tolerance, group = state
        self.set_collision_options(CollisionOptions(options))
        self.set_tolerance(tolerance)
        self._use_group(group)

    def init_environment(self) -> None:
        """Start over with every body of the environment."""
        self._forget_pairs()
        self.forget_world()

    def destroy_environment(self) -> None:
        """Forget every body."""
        self._forget_pairs()
        self.forget_world()

    def init_kinbody(self, body: KinBody) -> None:
        """Forget what queries about a body's links meant."""
        self._forget_pairs()

    def remove_kinbody(self, body: KinBody) -> None:
        """Let go of a body."""
        self._forget_pairs()

    def synchronise(self) -> None:
        """Take over what changed since the last query."""
        self._synchronised()

    def _synchronised(self) -> PackedWorld:
        group = self._group
        world = self.env.world if group is None else group.world
        if world.version == self._seen_version:
            pass
        elif world.settled <= self._seen_version and not self.follows_moves:
            self._seen_version = world.version
        else:
            changes = world.changes_since(self._seen_version)
            if changes.other_solids or changes.masked:
                self._forget_selections()
            self.update(changes)
            self._seen_version = changes.version
        if world.relations != self._seen_relations:
            self._seen_relations = world.relations
            self._forget_selections()
        return world

    def _forget_selections(self) -> None:
        """Look again which links are meant, and whether bodies have filters."""
        self._forget_pairs()
        self._filtered = any(
            body.collision_filter is not None for body in self.env.bodies
        )
        self._handed = any(
            body.self_collision_checker is not None for body in self.env.bodies
        )

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
        """Check a body or link against another, or against everything (None).

        A body takes what it holds along; two bodies of which one moves with the other
        do not collide. Links are checked as they are, also against links of their own
        body.
        """
        world = self._synchronised()
        key: tuple[Hashable, ...] = (first, second)
        if excluded_bodies or excluded_links:
            excluded_bodies, excluded_links = (
                named_subjects(self.env, excluded_bodies),
                named_subjects(self.env, excluded_links),
            )
            key = (first, second, excluded_bodies, excluded_links)
        if self._active_only:
            key = (*key, self._active(first))
        selection = self._known(key)
        if selection is None and (isinstance(first, str) or isinstance(second, str)):
            # not kept: another body may have the name tomorrow
            return self.check_collision(
                named_subject(self.env, first),
                named_subject(self.env, second),
                excluded_bodies=excluded_bodies,
                excluded_links=excluded_links,
                report=report,
            )
        if selection is None:
            selection = self._selector(world).between(
                first, second, excluded_bodies, excluded_links
            )
            self._keep(key, selection)
            for one in (first, second):
                if isinstance(one, KinBody):
                    warn_of_bare(one, "checking")
        if report is None:
            return self._one_answer(selection, None)
        return self._answer(selection, report)

    def check_self_collision(
        self, subject: KinBody | Link, report: CollisionReport | None = None
    ) -> bool:
        """Check non-adjacent links of a body, or one of them, against each other.

        What the body holds takes part: `BodyGrabs.link_pairs` names the pairs.
        """
        return self._check_self(subject, report, held=True)

    def check_standalone_self_collision(
        self, subject: KinBody | Link, report: CollisionReport | None = None
    ) -> bool:
        """Check self collision without what the body holds."""
        return self._check_self(subject, report, held=False)

    def check_link_collision(
        self,
        link: Link,
        transform: ArrayLike,
        *,
        excluded_bodies: Iterable[KinBody] = (),
        excluded_links: Iterable[Link] = (),
        report: CollisionReport | None = None,
    ) -> bool:
        """Check a link, with what it holds, as if it were at T_world_link (4, 4).

        It is compared with all bodies but its own and what moves with that.
        """
        world = self._synchronised()
        selector = self._selector(world)
        link = named_subject(self.env, link)
        body = selector.body_of(link)
        probe = moved_links(world, self._moved(selector, link, transform))
        selection = self._against(
            selector, None, body.attached, excluded_bodies, excluded_links
        )
        return self._answer(selection, report, probe)

    def check_link_self_collision(
        self, link: Link, transform: ArrayLike, report: CollisionReport | None = None
    ) -> bool:
        """Check self collision of a link, with what it holds, at T_world_link (4, 4).

        All other links stay where they are.
        """
        world = self._synchronised()
        selector = self._selector(world)
        link = named_subject(self.env, link)
        body = selector.body_of(link)
        own = self.handed_to(link)
        if own is not None:
            return own.check_link_self_collision(link, transform, report)
        poses = dict(self._moved(selector, link, transform))
        met: dict[int, list[Link]] = {row: [] for row in poses}
        near = [(body.links[a], body.links[b]) for a, b in body.non_adjacent_links]
        for pair in (*near, *body.grabs.link_pairs):
            rows = [selector.row(one) for one in pair]
            for row, other, its_row in zip(rows, pair[::-1], rows[::-1], strict=True):
                if row in poses and its_row not in poses:
                    met[row].append(other)
        hit = False
        self._begin(report)
        for row, pose in poses.items():
            if met[row]:
                probe = moved_links(world, [(row, pose)])
                selection = self._against(selector, met[row])
                hit |= self._one_answer(selection, report, probe)
                if hit and (report is None or not self._options & _MORE):
                    break
        return hit

    def check_ray(
        self,
        origin: ArrayLike,
        direction: ArrayLike,
        target: KinBody | Link | None = None,
        report: CollisionReport | None = None,
    ) -> bool:
        """Check a ray, (3,) and (3,) whose length is the range, metres."""
        return check_ray(self.env, origin, direction, target, report, self._options)

    def check_mesh(
        self,
        mesh: Mesh,
        transform: ArrayLike,
        target: KinBody | None = None,
        report: CollisionReport | None = None,
    ) -> bool:
        """Check a mesh at T_world_mesh (4, 4) against a body or everything."""
        probe = mesh_probe(mesh, as_pose(transform, "transform"))
        world = self._synchronised()
        targets = None if target is None else (target,)
        selection = self._against(self._selector(world), targets)
        return self._answer(selection, report, probe)

    def check_aabb(
        self,
        center: ArrayLike,
        half_extents: ArrayLike,
        transform: ArrayLike | None = None,
        bodies: Iterable[KinBody] | None = None,
        report: CollisionReport | None = None,
    ) -> bool:
        """Check a box (m), along the axes of a pose, against bodies, all if None."""
        pose = np.eye(4) if transform is None else as_pose(transform, "transform")
        probe = box_probe(
            as_vector(center, 3, "center"),
            as_vector(half_extents, 3, "half_extents"),
            pose,
        )
        world = self._synchronised()
        selection = self._against(self._selector(world), bodies)
        return self._answer(selection, report, probe)

    def links_touch(
        self, body: KinBody, link_poses: Array, pairs: Indices
    ) -> NDArray[np.bool_]:
        """Return the pairs of links of a body that touch at other poses.

        The first of each pair is taken to where it would be relative to the second.
        """
        world = self._synchronised()
        rows = world.links_of(body.id)
        found = near_pairs(world, rows.start, link_poses, pairs)
        poses = world.tables.links.poses[rows]
        for k in np.flatnonzero(found).tolist():
            one, other = pairs[k].tolist()
            pose = poses[other] @ invert_pose(link_poses[other]) @ link_poses[one]
            probe = moved_links(world, [(rows.start + one, pose)], disabled=True)
            sides = np.zeros(len(world.tables.links.id), np.uint8)
            sides[rows.start + other] = SECOND
            found[k] = self.any_contact(PairSelection(sides), probe)
        return found

    # -- parts ---------------------------------------------------------------------

    def _check_self(
        self, subject: KinBody | Link, report: CollisionReport | None, *, held: bool
    ) -> bool:
        world = self._synchronised()
        if self._handed and (own := self.handed_to(subject)) is not None:
            if report is not None:
                self._begin(report)
            query = "self" if held else "standalone_self"
            return ask_own(own, self, subject, report, f"check_{query}_collision")
        return self._answer(self.within(world, subject, held=held), report)

    def handed_to(self, subject: KinBody | Link) -> CollisionCheckerBase | None:
        """Return the body's own checker if that answers; the world is up to date."""
        if not self._handed:
            return None
        return own_checker(self, named_subject(self.env, subject))

    def within(
        self, world: PackedWorld, subject: KinBody | Link, *, held: bool
    ) -> PairSelection:
        """Return the pairs of a self collision query; the world is up to date."""
        subject = named_subject(self.env, subject)
        key = ("self", subject, held, self._active(subject))
        selection = self._known(key)
        if selection is None:
            selection = self._selector(world).within(subject, held=held)
            self._keep(key, selection)
            if isinstance(subject, KinBody):
                warn_of_bare(subject, "checking")
        return selection

    def around(self, world: PackedWorld, body: KinBody) -> PairSelection:
        """Return the pairs of a body and everything else; the world is up to date."""
        key = (body, None, self._active(body)) if self._active_only else (body, None)
        selection = self._known(key)
        if selection is None:
            selection = self._selector(world).between(body, None, (), ())
            self._keep(key, selection)
            warn_of_bare(body, "checking")
        return selection

    def _active(self, subject: KinBody | Link) -> Hashable:
        """Return the choice of degrees of freedom that a selection depends on."""
        if not self._active_only:
            return None
        body = subject.body if isinstance(subject, Link) else subject
        if not isinstance(body, Robot):
            return None
        return body.active_choice

    def is_vetoed(self) -> bool:
        """Return True if filters or callbacks may veto pairs; the world is current.

        So may `touches`; an engine that knows these itself asks `is_asked`.
        """
        return bool(self.touches) or self.is_asked()

    def is_asked(self) -> bool:
        """Return True if filters of bodies or callbacks may veto pairs."""
        if self._filtered:
            return True
        ignored = CollisionOptions.IGNORE_CALLBACKS in self._options
        return len(self.env.collision_callbacks) > 0 and not ignored

    def _selector(self, world: PackedWorld) -> Selector:
        ignored = self._ignored_links(world)
        return Selector(self.env, world, ignored, active_only=self._active_only)

    def _ignored_links(self, world: PackedWorld) -> IgnoredLinks:
        if self._ignored is None:
            self._ignored = IgnoredLinks(self.env, world)
        return self._ignored

    def _forget_pairs(self) -> None:
        self._selections.clear()
        self._ignored = None

    def _against(
        self,
        selector: Selector,
        targets: Iterable[KinBody | Link] | None,
        spared: Iterable[KinBody] = (),
        excluded_bodies: Iterable[KinBody] = (),
        excluded_links: Iterable[Link] = (),
    ) -> PairSelection:
        """Return the rows that a probe is compared with, see `Selector.against`."""
        env = self.env
        meant = None if targets is None else named_subjects(env, targets)
        rest = (
            tuple(spared), named_subjects(env, excluded_bodies),
            named_subjects(env, excluded_links),
        )  # fmt: skip
        key = ("against", meant, rest)
        selection = self._known(key)
        if selection is None:
            selection = selector.against(meant, *rest)
            self._keep(key, selection)
        return selection

    def _known(self, key: Hashable) -> PairSelection | None:
        """Return the cached value of a key."""
        try:
            return self._selections.get((self.touches, key) if self.touches else key)
        except TypeError:  # the selector says which argument is wrong
            return None

    def _keep(self, key: Hashable, selection: PairSelection) -> None:
        """Keep a selection until what it depends on changes."""
        if len(self._selections) >= _KEPT:
            self._selections.clear()
        self._selections[(self.touches, key) if self.touches else key] = selection

    @staticmethod
    def _moved(
        selector: Selector, link: Link, transform: ArrayLike
    ) -> list[tuple[int, Array]]:
        """Return the rows and poses of a link at another pose and of what it holds."""
        pose = as_pose(transform, "transform")
        motion = pose @ invert_pose(link.pose_view)
        found = [(selector.row(link), pose)]
        for held in link.body.grabbed:
            if link.body.grabs.link_of(held) is link:
                for body in with_held(held):
                    found += [
                        (selector.row(one), motion @ one.pose_view)
                        for one in body.links
                    ]
        return found

    def _begin(self, report: CollisionReport | None) -> None:
        if report is not None:
            if not isinstance(report, CollisionReport):
                raise ArgumentError(
                    f"report is {shown(report)}, expected a CollisionReport that is "
                    "filled, or None"
                )
            report.reset()
            report.options = self._options

    def _answer(
        self,
        selection: PairSelection,
        report: CollisionReport | None,
        probe: Probe | None = None,
    ) -> bool:
        if report is not None:
            self._begin(report)
        return self._one_answer(selection, report, probe)

    def _one_answer(
        self,
        selection: PairSelection,
        report: CollisionReport | None,
        probe: Probe | None = None,
    ) -> bool:
        options = self._options
        asked = len(self.env.collision_callbacks) > 0
        ignored = None
        if probe is not None:
            ignored = self._ignored_links(self.world).veto(probe, None)
        if report is None and not (
            asked or self._near or self._filtered or ignored is not None
        ):
            if not self.any_contact(selection, probe):
                return False
            if not self.touches:
                return True
        asked = asked and CollisionOptions.IGNORE_CALLBACKS not in options
        group = self._group
        geometries = self.env.solid_geometries if group is None else group.geometries
        naming = Naming(geometries, probe)
        reported = options if report is not None else CollisionOptions.NONE
        veto = None
        if asked or self._filtered:
            veto = veto_of(self.env, options, naming, callbacks=asked)
        if self.touches and probe is None:
            veto = veto_of_touches(self, naming, veto)
        if ignored is not None:
            veto = self._ignored_links(self.world).veto(probe, veto)
        demand = Demand(
            distance=CollisionOptions.DISTANCE in reported,
            contacts=bool(reported & _CONTACTS),
            all_contacts=CollisionOptions.ALL_GEOMETRY_CONTACTS in reported,
            all_links=CollisionOptions.ALL_LINK_COLLISIONS in reported,
            all_geometries=bool(reported & _ANY_GEOMETRY),
            tolerance=self._tolerance if self._near else 0.0,
            veto=veto,
        )
        found = self.find(selection, demand, probe)
        if report is not None:
            fill(report, found, naming)
        return len(found.solids) > 0
