"""The packed world of an environment, fed by its bodies."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from pyrave import geometry as shapes
from pyrave import world as worlds
from pyrave.attributes import put
from pyrave.scene import TriMesh
from pyrave.world.ids import IdSource
from pyrave.world.pending_changes import PendingChanges
from pyrave.world.tables import COLLISION, VISUAL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.views.geometry import Geometry
    from pyrave.geometry import Solid
    from pyrave.spatial import Array
    from pyrave.world import BodyIds, PackedSolid, PackedWorld

# What of bodies is packed: more when it is first asked for.
_LINKS, _COLLISION, _VISUAL = range(3)


class Packing:
    """Passes changes of bodies on to the packed world, when it is read.

    No mesh is loaded before somebody asks for solids, and none that only shows
    something before somebody asks what is shown.
    """

    def __init__(self) -> None:
        self.ids = IdSource()
        self.pending = PendingChanges(self.ids)
        self._world: PackedWorld | None = None
        self._listed: tuple[Geometry | None, ...] | None = ()
        self.bodies: dict[int, KinBody] = {}
        """The bodies of the environment by id, packed already or not."""
        self._packed: dict[int, KinBody] = {}
        self._views: dict[int, list[Geometry]] = {}
        self._rendered: set[int] = set()
        self._level = _LINKS
        self._ids_by_name: Mapping[str, BodyIds] = {}

    @property
    def world(self) -> PackedWorld:
        """The packed world, made when somebody first looks at it."""
        if self._world is None:
            self._world = worlds.PackedWorld()
        return self._world

    @property
    def geometries(self) -> tuple[Geometry | None, ...]:
        """The geometry of each row of solids, None in rows that are not in use.

        It is another tuple when solids or their looks are others.
        """
        if self._listed is None:
            listed: list[Geometry | None] = [None] * self.world.solid_count
            for number, views in self._views.items():
                listed[self.world.geometries_of(number)] = views
            self._listed = tuple(listed)
        return self._listed

    @contextmanager
    def numbered(
        self, source: IdSource, by_name: Mapping[str, BodyIds]
    ) -> Iterator[None]:
        """Give bodies that are added meanwhile the ids they have in a pickle.

        Parameters
        ----------
        source
            Where new ids go on; it is copied.
        by_name
            Ids of the bodies by their names.
        """
        self.ids.take_over(source)
        self._ids_by_name = by_name
        try:
            yield
        finally:
            self._ids_by_name = {}

    def add(self, body: KinBody) -> None:
        """Take in a body that was added to the environment."""
        ids = body.ids or self._ids_by_name.get(body.name)
        if ids is None or not ids.fit(body.description):
            ids = self.ids.take(body.description)
        put(body, "ids", ids)
        put(body, "pending", self.pending)
        self.bodies[ids.body] = body
        self.pending.reshaped.add(body)

    def remove(self, body: KinBody) -> None:
        """Let go of a body; at once, so that nothing of it lives on."""
        self.pending.forget(body)
        number = _number(body)
        body.ids = body.pending = None
        del self.bodies[number]
        if self._packed.pop(number, None) is not None:
            self.world.remove(number)
            self._rendered.discard(number)
            if self._views.pop(number):
                self._listed = None

    def body_of(self, number: int) -> KinBody | None:
        """Return the body of an id, None if there is no such body."""
        return self._packed.get(number)

    def links(self) -> PackedWorld:
        """Return the world as it is now; it may have no solids yet."""
        return self._updated(_LINKS)

    def solids(self) -> PackedWorld:
        """Return the world as it is now, with what collides."""
        return self._updated(_COLLISION)

    def visual(self) -> PackedWorld:
        """Return the world as it is now, with render meshes, too."""
        return self._updated(_VISUAL)

    def _updated(self, level: int) -> PackedWorld:
        pending, world = self.pending, self.world
        world.relations = pending.relations
        others = pending.painted or pending.reshaped or pending.masked
        if others or self._level < level:
            self._repack(level)
        if pending.moved:
            _done(pending.moved, self._move)
        return world

    def _repack(self, level: int) -> None:
        """Take in what bodies look like and which links count, not where they are."""
        pending = self.pending
        while self._level < level:
            self._level += 1
            pending.reshaped.update(
                body
                for body in self._packed.values()
                if self._level < _VISUAL or _has_render_mesh(body)
            )
        _done(pending.painted, self._paint)
        if pending.reshaped:
            # in the order of the ids, so that rows do not depend on hashes
            ordered = sorted(pending.reshaped, key=_number)
            _done(pending.reshaped, self._reshape, ordered)
            self._listed = None
        _done(pending.masked, self._mask)

    def _reshape(self, body: KinBody) -> None:
        number = _number(body)
        views, solids = self._solids(body) if self._level else ([], [])
        if number in self._packed:
            self.world.reshape(number, solids)
        else:
            ids, poses = body.ids, body.transforms_view
            assert ids is not None  # noqa: S101 - it was added
            self.world.add(ids, poses, body.links_enabled, solids)
            self._packed[number] = body
            for waiting in (self.pending.moved, self.pending.masked):
                waiting.discard(body)
        self._views[number] = views
        note = self._rendered.add if _has_render_mesh(body) else self._rendered.discard
        note(number)

    def _mask(self, body: KinBody) -> None:
        self.world.enable(_number(body), body.links_enabled)

    def _move(self, body: KinBody) -> None:
        self.world.move(_number(body), body.transforms_view)

    def _paint(self, body: KinBody) -> None:
        number = _number(body)
        if number not in self._packed:
            return
        if number in self._rendered or _has_render_mesh(body):
            # what shows it is a solid of its own, or was
            self.pending.reshaped.add(body)
            return
        views = self._views.get(number, [])
        masks = [COLLISION | _visual(view) for view in views]
        self.world.paint(number, masks, [_colour(view) for view in views])
        self._listed = None

    def _solids(self, body: KinBody) -> tuple[list[Geometry], list[PackedSolid]]:
        assert body.ids is not None  # noqa: S101 - it was added
        views: list[Geometry] = []
        solids: list[PackedSolid] = []
        for link, numbers in zip(body.links, body.ids.geometries, strict=True):
            for geometry, number in zip(link.all_geometries, numbers, strict=True):
                if geometry.description.group != "self":
                    continue
                for solid, pose, mask in self._parts(geometry):
                    views.append(geometry)
                    colour = _colour(geometry)
                    solids.append(
                        worlds.PackedSolid(
                            number, link.index, solid, pose, mask, colour
                        )
                    )
        return views, solids

    def _parts(self, geometry: Geometry) -> Iterator[tuple[Solid, Array, int]]:
        """Yield the solids of a geometry, where they are in its link, and masks."""
        visual = _visual(geometry)
        render = geometry.description.render is not None
        mesh = geometry.render_mesh if render and self._level >= _VISUAL else None
        if not geometry.unusable:
            shape = geometry.description.shape
            own = geometry.mesh if isinstance(shape, TriMesh) else None
            mask = COLLISION | (0 if mesh is not None else visual)
            local = geometry.transform
            for one in shapes.ray_instances(shape, local, 0, own):
                offset = one.offset
                pose = local if offset is None else local @ np.asarray(offset)
                yield one.solid, pose, mask
        if mesh is not None:
            yield mesh, geometry.transform, visual


def _done(
    waiting: set[KinBody],
    act: Callable[[KinBody], None],
    ordered: Iterable[KinBody] | None = None,
) -> None:
    """Act on each body that waits; one whose own code raises goes on waiting."""
    if not waiting:
        return
    for body in tuple(waiting) if ordered is None else ordered:
        act(body)
        waiting.discard(body)
    if not waiting:
        waiting.clear()  # a set that was large keeps its memory otherwise


def _number(body: KinBody) -> int:
    assert body.ids is not None  # noqa: S101 - it was added
    return body.ids.body


def _visual(geometry: Geometry) -> int:
    shown = geometry.visible and geometry.transparency < 1.0
    return VISUAL if shown else 0


def _colour(geometry: Geometry) -> tuple[float, float, float, float]:
    red, green, blue = geometry.diffuse_color.tolist()
    return red, green, blue, 1.0 - geometry.transparency


def _has_render_mesh(body: KinBody) -> bool:
    return any(
        geometry.render is not None
        for link in body.description.links
        for geometry in link.geometries
    )
