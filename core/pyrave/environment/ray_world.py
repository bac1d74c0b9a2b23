"""Rays that are cast into the packed world of an environment."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.bodies.kinbody import KinBody
from pyrave.bodies.views.link import Link
from pyrave.cards import counted
from pyrave.errors import ArgumentError, did_you_mean, shown
from pyrave.geometry import RayHits, RayScene, RaySolids
from pyrave.world import COLLISION, VISUAL

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from pyrave.bodies.views.geometry import Geometry
    from pyrave.environment.packed_bodies import Packing
    from pyrave.world import Changes, PackedWorld

SURFACES = ("collision", "visual", "all")
"""Kinds of surfaces that rays can be cast at."""


@dataclass(slots=True, eq=False, repr=False)
class WorldHits(RayHits):
    """Hits of rays in an environment; ``id`` is that of the body.

    Parameters
    ----------
    geometries
        The geometry of each instance: ``geometries[hits.instance[i]]``.
    """

    geometries: Sequence[Geometry | None] = ()
    _geometry_ids: NDArray[np.int64] | None = None

    @property
    def geometry_id(self) -> NDArray[np.int64]:
        """(...) int64, id of the geometry, see `Geometry.id`; -1 at a miss."""
        known = self._geometry_ids
        ids = np.empty(0, np.int64) if known is None else known
        return np.append(ids, -1)[self.instance]

    def geometry_of(self, ray: int | tuple[int, ...]) -> Geometry | None:
        """Return the geometry that a ray hit, None for a miss.

        Parameters
        ----------
        ray
            Index of the ray, or of the crossing; a pair for an image.
        """
        k = int(self.instance[ray])
        return self.geometries[k] if k >= 0 else None

    def link_of(self, ray: int | tuple[int, ...]) -> Link | None:
        """Return the link that a ray met, None for a miss."""
        geometry = self.geometry_of(ray)
        return None if geometry is None else geometry.link

    def body_of(self, ray: int | tuple[int, ...]) -> KinBody | None:
        """Return the body that a ray met, None for a miss."""
        link = self.link_of(ray)
        return None if link is None else link.body


class RayWorld:
    """Surfaces of one kind as they are cast at now.

    Its instances are the rows of solids of the packed world.

    Parameters
    ----------
    scene
        All solids, of which those are hidden that are no such surface.
    packing
        What they belong to.
    geometry_ids
        (k,) int64 of each instance.
    """

    def __init__(
        self, scene: RayScene, packing: Packing, geometry_ids: NDArray[np.int64]
    ) -> None:
        self.scene = scene
        self._geometry_ids = geometry_ids
        self._packing = packing

    def __repr__(self) -> str:
        seen = int(np.count_nonzero(~self.scene.hidden))
        return f"<RayWorld: {counted(seen, 'solid')}>"

    @property
    def geometries(self) -> tuple[Geometry | None, ...]:
        """The geometry of each instance; None in rows that are not in use."""
        return self._packing.geometries

    def geometry_of(self, instance: int) -> Geometry:
        """Return the geometry of an instance that a ray met."""
        found = self._packing.geometries[instance]
        if found is None:
            raise ArgumentError(f"instance {instance} is in no body")
        return found

    def cast(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        max_range: ArrayLike,
        min_range: ArrayLike,
        bodies: KinBody | Link | Iterable[KinBody | Link] | None = None,
        exclude: KinBody | Link | Iterable[KinBody | Link] = (),
        *,
        fields: Iterable[str],
        threads: int | None = None,
        any_hit: bool = False,
    ) -> WorldHits:
        """Cast rays; arguments as in `Environment.raycast`."""
        return self._hits(
            self.scene.cast(
                origins,
                _several(directions),
                max_range,
                min_range,
                self._mask(bodies, exclude),
                any_hit=any_hit,
                fields=_asked(fields),
                threads=threads,
            )
        )

    def cast_all(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        max_range: ArrayLike,
        min_range: ArrayLike,
        bodies: KinBody | Link | Iterable[KinBody | Link] | None = None,
        exclude: KinBody | Link | Iterable[KinBody | Link] = (),
        *,
        fields: Iterable[str],
        threads: int | None = None,
    ) -> WorldHits:
        """Find all crossings; arguments as in `Environment.raycast_all`."""
        return self._hits(
            self.scene.cast_all(
                origins,
                _several(directions),
                max_range,
                min_range,
                self._mask(bodies, exclude),
                fields=_asked(fields),
                threads=threads,
            )
        )

    def _hits(self, hits: RayHits) -> WorldHits:
        known: dict[str, Any] = dict(zip(_PARTS, _all_of(hits), strict=True))
        ids = self._geometry_ids
        return WorldHits(**known, geometries=self.geometries, _geometry_ids=ids)

    def _mask(
        self,
        only: KinBody | Link | Iterable[KinBody | Link] | None,
        exclude: KinBody | Link | Iterable[KinBody | Link],
    ) -> NDArray[np.bool_] | None:
        """Return the mask of instances that rays pass through; None if none."""
        mask = None
        if only is not None:
            mask = ~self._those("bodies", _each("bodies", only))
        left_out = _each("exclude", exclude)
        if left_out:
            those = self._those("exclude", left_out)
            mask = those if mask is None else mask | those
        return mask

    def _those(self, name: str, items: tuple[KinBody | Link, ...]) -> NDArray[np.bool_]:
        """Return the mask of instances that belong to bodies and links."""
        world = self._packing.world
        mask = np.zeros(len(self.scene), dtype=np.bool_)
        for item in items:
            if not isinstance(item, (KinBody, Link)):
                raise ArgumentError(
                    f"{name} holds {shown(item)}, expected bodies and links"
                )
            body = item.body if isinstance(item, Link) else item
            ids = body.ids
            if ids is None or self._packing.body_of(ids.body) is not body:
                continue
            rows = world.geometries_of(ids.body)
            if isinstance(item, KinBody):
                mask[rows] = True
                continue
            link = world.links_of(ids.body).start + item.index
            mask[rows] |= world.tables.geometries.link[rows] == link
        return mask


class RayCaster:
    """Keeps the scenes for ray casts up to date with a packed world.

    Parameters
    ----------
    packing
        The world's.
    """

    def __init__(self, packing: Packing) -> None:
        self._packing = packing
        self._version = 0
        self._solids: RaySolids | None = None
        self._geometry_ids = np.empty(0, np.int64)
        self._known: dict[str, RayWorld] = {}

    def get(self, surfaces: str) -> RayWorld:
        """Return one of `SURFACES` as it is now.

        Raises
        ------
        ArgumentError
            An unknown name.
        """
        if surfaces not in SURFACES:
            raise ArgumentError(
                f"surfaces is {surfaces!r}, expected one of {', '.join(SURFACES)}"
                f"{did_you_mean(str(surfaces), SURFACES)}"
            )
        packing = self._packing
        world = packing.visual() if surfaces == "visual" else packing.solids()
        if world.version != self._version or self._solids is None:
            self._update(world, world.changes_since(self._version))
        found = self._known.get(surfaces)
        if found is None:
            assert self._solids is not None  # noqa: S101 - made by the update
            scene = RayScene.from_solids(self._solids, _hidden(world, surfaces))
            found = self._known[surfaces] = RayWorld(scene, packing, self._geometry_ids)
        return found

    def _update(self, world: PackedWorld, changes: Changes) -> None:
        solids = self._solids
        if solids is None or changes.other_solids:
            self._solids = _solids_of(world)
            # hits keep it: the world may put other rows in their place
            self._geometry_ids = world.tables.geometries.id.copy()
            self._known.clear()
        else:
            for body in changes.moved:
                solids.mark_moved(world.geometries_of(body))
            if changes.masked:
                self._known.clear()
        self._version = changes.version


def _solids_of(world: PackedWorld) -> RaySolids:
    """Return the solids of a world; poses and boxes are its own arrays."""
    bodies, _, table = world.tables
    used, slots = np.unique(table.mesh, return_inverse=True)
    meshes = [world.meshes[slot] for slot in used.tolist() if slot >= 0]
    return RaySolids(
        table.kind,
        table.sizes,
        np.where(table.body >= 0, bodies.id[table.body], -1),
        table.poses,
        [mesh for mesh in meshes if mesh is not None],
        (slots - (len(used) - len(meshes))).astype(np.int32),
        table.centre,
        offsets=None,
        bounds=table.bounds,
    )


def _hidden(world: PackedWorld, surfaces: str) -> NDArray[np.bool_]:
    """Return the rows of solids that have none of these surfaces."""
    _, links, table = world.tables
    wanted = VISUAL if surfaces == "visual" else COLLISION
    hidden: NDArray[np.bool_] = (table.mask & wanted) == 0
    if surfaces == "collision" and len(hidden):
        hidden |= links.enabled[table.link] == 0
    return hidden


_PARTS = tuple(part.name for part in dataclasses.fields(RayHits))
_all_of = operator.attrgetter(*_PARTS)


def _each(
    name: str, items: KinBody | Link | Iterable[KinBody | Link]
) -> tuple[KinBody | Link, ...]:
    """Return one body or link, or several, as several."""
    if isinstance(items, (tuple, list)):  # first, as abstract classes take longer
        return tuple(items)
    if isinstance(items, (KinBody, Link)):
        return (items,)
    if not isinstance(items, Iterable):
        raise ArgumentError(f"{name} is {shown(items)}, expected bodies and links")
    return tuple(items)


def _asked(fields: Iterable[str]) -> Iterable[str]:
    """Return the fields to compute; one name is one field, and hits need instances."""
    if isinstance(fields, str):
        fields = (fields,)
    return {*fields, "instance"} if fields else ()


def _several(directions: ArrayLike) -> ArrayLike:
    """Return one direction as an array of one."""
    try:
        one = np.shape(directions) == (3,)
    except ValueError:
        one = False  # the ray scene says what is wrong
    return np.reshape(directions, (1, 3)) if one else directions
