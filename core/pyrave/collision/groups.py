"""Another group of geometries of all bodies, as a packed world of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.geometry import ray_instances
from pyrave.scene import TriMesh
from pyrave.world import PackedSolid, PackedWorld

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.views.geometry import Geometry
    from pyrave.environment import Environment


class GroupWorld:
    """Follows the packed world of an environment with other solids.

    Parameters
    ----------
    group
        The geometries of links that have some in this group; others keep their own.
    """

    def __init__(self, env: Environment, group: str) -> None:
        self._env = env
        self.group = group
        self._world = PackedWorld()
        self._seen = 0
        self._views: dict[int, list[Geometry]] = {}
        self._listed: tuple[Geometry | None, ...] | None = None

    @property
    def world(self) -> PackedWorld:
        """The world as it is now."""
        source, world = self._env.world, self._world
        world.relations = source.relations
        if source.version == self._seen:
            return world
        changes = source.changes_since(self._seen)
        gone = tuple(self._views) if changes.reset else changes.removed
        for number in gone:
            world.remove(number)
            del self._views[number]
        for number in (*changes.added, *changes.reshaped):
            self._put(number)
        for number in changes.masked:
            world.enable(number, self._env.body_of_id(number).links_enabled)
        for number in changes.moved:
            world.move(number, self._env.body_of_id(number).transforms_view)
        if gone or changes.other_solids:
            self._listed = None
        self._seen = changes.version
        return world

    @property
    def geometries(self) -> tuple[Geometry | None, ...]:
        """The geometry of each row of solids, None in rows that are not in use."""
        world = self.world
        if self._listed is None:
            listed: list[Geometry | None] = [None] * world.solid_count
            for number, views in self._views.items():
                listed[world.geometries_of(number)] = views
            self._listed = tuple(listed)
        return self._listed

    def _put(self, number: int) -> None:
        body = self._env.body_of_id(number)
        views, solids = self._solids(body)
        if number in self._views:
            self._world.reshape(number, solids)
        else:
            assert body.ids is not None  # noqa: S101 - it is in the environment
            poses, enabled = body.transforms_view, body.links_enabled
            self._world.add(body.ids, poses, enabled, solids)
        self._views[number] = views

    def _solids(self, body: KinBody) -> tuple[list[Geometry], list[PackedSolid]]:
        assert body.ids is not None  # noqa: S101 - it is in the environment
        views: list[Geometry] = []
        solids: list[PackedSolid] = []
        for link, numbers in zip(body.links, body.ids.geometries, strict=True):
            chosen = self.group if self.group in link.geometry_groups else "self"
            for geometry, number in zip(link.all_geometries, numbers, strict=True):
                if geometry.description.group != chosen or geometry.unusable:
                    continue
                shape, local = geometry.description.shape, geometry.transform
                mesh = geometry.mesh if isinstance(shape, TriMesh) else None
                for one in ray_instances(shape, local, 0, mesh):
                    offset = one.offset
                    pose = local if offset is None else local @ np.asarray(offset)
                    solids.append(PackedSolid(number, link.index, one.solid, pose))
                    views.append(geometry)
        return views, solids
