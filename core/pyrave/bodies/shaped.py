"""Shape of a body: what is enabled and shown, boxes around it, and its editing."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from pyrave import kinematics
from pyrave.bodies.dof_limits import DofLimits
from pyrave.bodies.link import union_aabb
from pyrave.bodies.structure import Structure
from pyrave.bodies.zeroing import zeroed
from pyrave.errors import ArgumentError, NotFoundError
from pyrave.kinematics.limits import LimitCheck
from pyrave.scene import BodyDescription
from pyrave.spatial import Array, as_pose, invert_pose
from pyrave.world.body_state import BodyChange

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from pyrave.bodies.link import Link
    from pyrave.world import BodyIds, PendingChanges

__all__ = ["Shaped"]


class Shaped(Structure):
    """The shape half of `pyrave.KinBody`: geometries of its links as a whole."""

    _enabled: Array | None
    limits: DofLimits
    shape_stamp: int
    ids: BodyIds | None
    pending: PendingChanges | None

    @property
    def id(self) -> int:
        """Its number in the environment, never used again; -1 while in none.

        Copies of it in clones of the environment have the same one.
        """
        return -1 if self.ids is None else self.ids.body

    def _tell_world(self, change: BodyChange) -> None:
        """Let the packed world look at this body when it is next asked for."""
        pending = self.pending
        if pending is None:
            return
        if change & BodyChange.GEOMETRY:
            pending.reshaped.add(self)
        if change & BodyChange.ENABLED:
            pending.masked.add(self)
        if change & BodyChange.VISIBLE:
            pending.painted.add(self)

    def revise(self, description: BodyDescription, change: BodyChange) -> None:
        """Take over a changed description of the same links and joints.

        What edits links, geometries and adjacency calls it; the state stays, and the
        parts of the model that the change touches are compiled again.
        """
        # files that the body came from do not say what was changed since
        description = dataclasses.replace(description, composition=None)
        if change & (BodyChange.GEOMETRY | BodyChange.DYNAMICS | BodyChange.ADJACENCY):
            model = kinematics.recompile(self._model, self._description, description)
            if model is not self._model:
                self._model = model
                self.limits = self.limits.of_model(model)
        if self.ids is not None and self.pending is not None:
            self.ids = self.ids.edited(self.pending.ids, self._description, description)
        self._description = description
        for link, known in zip(self.links, description.links, strict=True):
            if link.description is not known:
                link.redescribed(known)
        for joint, its in zip(self.all_joints, description.joints, strict=True):
            joint.description = its
        if change & BodyChange.SHAPE:
            self.shape_stamp += 1
        self._myself().notify(change)

    def use_geometry_group(self, group: str) -> None:
        """Make copies of a group's geometries the ones that count, of all links.

        Raises
        ------
        NotFoundError
            A link has no geometries in such a group; nothing is changed.
        """
        for link in self.links:
            if group not in link.geometry_groups:
                raise NotFoundError("geometry group", group, link.geometry_groups)
        for link in self.links:
            link.use_geometry_group(group)

    def declare_adjacent(self, pairs: Iterable[tuple[Link | str, Link | str]]) -> None:
        """Never check pairs of links for self collision from now on."""
        names = self.model.link_names
        try:
            listed = [(a, b) for a, b in pairs]
        except (TypeError, ValueError):
            raise ArgumentError(
                f"adjacent links are {pairs!r}, expected pairs of links"
            ) from None
        given = {
            (names[self._link_index(a)], names[self._link_index(b)]) for a, b in listed
        }
        adjacent = self._description.adjacent | given
        made = dataclasses.replace(self._description, adjacent=frozenset(adjacent))
        self.revise(made, BodyChange.ADJACENCY)

    def set_non_colliding_configuration(self) -> tuple[tuple[str, str], ...]:
        """Declare adjacent what touches in the present configuration.

        Needs a collision checker; nothing touches without.

        Returns
        -------
        tuple
            The pairs of names that are adjacent from now on.
        """
        body = self._myself()
        checker = body.env.collision_checker
        if not checker.finds_collisions or body not in body.env.bodies:
            return ()
        links = self.links
        found = tuple(
            (links[a].name, links[b].name)
            for a, b in self.non_adjacent_links.tolist()
            if checker.check_collision(links[a], links[b])
        )
        if found:
            self.declare_adjacent(found)
        return found

    def set_zero_configuration(self) -> None:
        """Count all joints from where they are now: their values become zero.

        Nothing moves, and what the joints can reach stays the same.

        Raises
        ------
        NotSupportedError
            A joint is not at zero that cannot count from elsewhere: spherical ones,
            those with more than two axes or a path, and bodies with followers.
        """
        body = self._myself()
        span = self.model.joint_values.tolist()
        present = body.joint_values
        values = tuple(present[first : first + count] for first, count in span)
        made = zeroed(self._description, values)
        offset = body.dof_values
        own = {
            name: bound - offset if name in {"lower", "upper"} else bound
            for name, bound in self.limits.own.items()
        }
        self.revise(made, BodyChange.DYNAMICS | BodyChange.LIMITS)
        self.limits.own = own
        body.set_dof_values(np.zeros(self.dof), limits=LimitCheck.NONE)

    @property
    def blueprint(self) -> BodyDescription:
        """The description it was made from and edited since; the state is not in it."""
        return self._description

    @property
    def aabb(self) -> tuple[Array, Array]:
        """World bounding box: centre and half extents (3,), metres.

        Of all links, disabled ones too (`aabb_in` can leave them out); a body without
        geometry is a point. Geometries of size zero count only if there are no others.
        A geometry whose mesh cannot be read is left out, which is reported once.
        """
        found = self.aabb_in(None)
        return found or (self._myself().transform[:3, 3].copy(), np.zeros(3))

    @property
    def local_aabb(self) -> tuple[Array, Array] | None:
        """Bounding box of all links in the body's frame, None without geometry."""
        return self.aabb_in(self._myself().transform)

    def aabb_in(
        self,
        frame: ArrayLike | None,
        *,
        enabled_only: bool = False,
        group: str = "self",
    ) -> tuple[Array, Array] | None:
        """Return the bounding box along the axes of a frame, None without geometry.

        Parameters
        ----------
        frame
            (4, 4) T_world_frame; None is the world.
        enabled_only
            Leave out disabled links.
        group
            Group of geometries.

        Returns
        -------
        tuple
            Centre and half extents (3,) in the frame, metres.
        """
        T_frame_world = None if frame is None else invert_pose(as_pose(frame))  # noqa: N806
        return union_aabb(
            [
                geometry.aabb_in(
                    geometry.world_transform
                    if T_frame_world is None
                    else T_frame_world @ geometry.world_transform
                )
                for link in self.links
                if link.enabled or not enabled_only
                for geometry in link.group_geometries(group)
            ]
        )

    @property
    def enabled(self) -> bool:
        """Whether any link takes part in collision and ray queries; assignable."""
        if self._enabled is None:
            return any(link.enabled for link in self._description.links)
        return bool(self._enabled.any())

    @enabled.setter
    def enabled(self, enabled: bool) -> None:
        self._enabled = np.full(self._model.n_links, bool(enabled))
        self.shape_stamp += 1
        self._myself().notify(BodyChange.ENABLED)

    @property
    def links_enabled(self) -> NDArray[np.bool_]:
        """(n_links,) bool, the links that take part in queries; a copy."""
        if self._enabled is None:
            return np.array([link.enabled for link in self._description.links])
        return np.array(self._enabled, np.bool_)

    def is_link_enabled(self, link: Link | str | int) -> bool:
        """Return whether a link is enabled."""
        index = self._link_index(link)
        if self._enabled is None:
            return self._description.links[index].enabled
        return bool(self._enabled[index])

    def enable_link(self, link: Link | str | int, enabled: bool) -> None:
        """Enable or disable one link."""
        index = self._link_index(link)
        if self._enabled is None:
            self._enabled = np.array([link.enabled for link in self._description.links])
        self._enabled[index] = enabled
        self.shape_stamp += 1
        self._myself().notify(BodyChange.ENABLED)

    @contextmanager
    def all_enabled(self) -> Iterator[None]:
        """Enable all links for a ``with`` block."""
        before = [link.enabled for link in self.links]
        if all(before):
            yield
            return
        self.enabled = True
        try:
            yield
        finally:
            for index, enabled in enumerate(before):
                self.enable_link(index, enabled)

    @property
    def visible(self) -> bool:
        """Whether any geometry is shown; assignable."""
        return any(link.visible for link in self.links)

    @visible.setter
    def visible(self, visible: bool) -> None:
        for link in self.links:
            link.visible = visible
