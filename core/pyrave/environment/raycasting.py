"""The ray scene of an environment, kept up to date lazily."""

from __future__ import annotations

import dataclasses
import operator
import weakref
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError, shown
from pyrave.geometry import RayHits, RayInstance, RayScene, ray_instances
from pyrave.interfaces.kinbody import KinBody, Link
from pyrave.scene import TriMesh

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from pyrave.environment.environment import Environment
    from pyrave.interfaces.kinbody import Geometry

__all__ = ["RayWorld", "WorldHits", "solids_of_shape"]


@dataclass(slots=True, eq=False, repr=False)
class WorldHits(RayHits):
    """What rays met in an environment; ``id`` is the index in ``env.bodies``.

    Parameters
    ----------
    geometries
        The geometry of each instance: ``geometries[hits.instance[i]]``.
    """

    geometries: Sequence[Geometry] = ()

    def geometry_of(self, ray: int | tuple[int, ...]) -> Geometry | None:
        """Return what a ray met, None for a miss.

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
    """Instances of all enabled geometries; rebuilt or moved when bodies changed.

    Parameters
    ----------
    disabled
        Whether geometries of links that are not enabled are there, too.


    Instance i belongs to `geometries[i]`; ``ids`` of the ray scene are the indices
    of bodies in ``env.bodies``.
    """

    def __init__(self, *, disabled: bool = False) -> None:
        self._disabled = disabled
        self.scene = RayScene([])
        self.geometries: list[Geometry] = []
        # weak: what is removed must not live on until the next ray
        self._bodies: tuple[weakref.ref[KinBody], ...] = ()
        self._shape_stamps: list[int] = []
        self._pose_stamps: list[int] = []
        self._spans: list[tuple[int, int]] = []
        self._span_of: dict[int, tuple[int, int]] = {}

    def update(self, env: Environment) -> None:
        """Bring the ray scene up to the present state of the bodies."""
        bodies = tuple(env.bodies)
        # lists compare the identity of bodies first
        if [body() for body in self._bodies] != list(bodies) or [
            body.shape_stamp for body in bodies
        ] != self._shape_stamps:
            self._rebuild(bodies)
            return
        if [body.pose_stamp for body in bodies] == self._pose_stamps:
            return
        moved: list[int] = []
        poses: list[NDArray[np.float64]] = []
        for i, body in enumerate(bodies):
            if body.pose_stamp == self._pose_stamps[i]:
                continue
            self._pose_stamps[i] = body.pose_stamp
            first, last = self._spans[i]
            for k in range(first, last):
                moved.append(k)
                poses.append(self.geometries[k].world_transform)
        if moved:
            self.scene.set_poses(np.asarray(moved), np.asarray(poses))

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
        """Cast rays at what `update` saw; arguments as in `Environment.raycast`."""
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
        return WorldHits(**known, geometries=self.geometries)

    def _mask(
        self,
        only: KinBody | Link | Iterable[KinBody | Link] | None,
        exclude: KinBody | Link | Iterable[KinBody | Link],
    ) -> NDArray[np.bool_] | None:
        """Return which instances rays pass through; None for none of them."""
        mask = None
        if only is not None:
            mask = ~self._those("bodies", _each("bodies", only))
        left_out = _each("exclude", exclude)
        if left_out:
            those = self._those("exclude", left_out)
            mask = those if mask is None else mask | those
        return mask

    def _those(self, name: str, items: tuple[KinBody | Link, ...]) -> NDArray[np.bool_]:
        """Return which instances belong to bodies and links."""
        mask = np.zeros(len(self.geometries), dtype=np.bool_)
        for item in items:
            if not isinstance(item, (KinBody, Link)):
                raise ArgumentError(
                    f"{name} holds {shown(item)}, expected bodies and links"
                )
            first, last = self._span_of.get(
                id(item.body if isinstance(item, Link) else item), (0, 0)
            )
            if isinstance(item, KinBody):
                mask[first:last] = True
                continue
            for k in range(first, last):
                mask[k] |= self.geometries[k].link is item
        return mask

    def _rebuild(self, bodies: tuple[KinBody, ...]) -> None:
        instances: list[RayInstance] = []
        # a new list: hits keep the one of their cast
        self.geometries = []
        self._spans = []
        for i, body in enumerate(bodies):
            first = len(instances)
            for link in body.links:
                if not self._takes(link):
                    continue
                for geometry in link.geometries:
                    solids = self._solids(geometry, i)
                    instances += solids
                    self.geometries += [geometry] * len(solids)
            self._spans.append((first, len(instances)))
        self.scene = RayScene(instances)
        # ids of objects are those of bodies that are alive: `update` has looked
        self._span_of = {
            id(body): span for body, span in zip(bodies, self._spans, strict=True)
        }
        self._bodies = tuple(map(weakref.ref, bodies))
        self._shape_stamps = [body.shape_stamp for body in bodies]
        self._pose_stamps = [body.pose_stamp for body in bodies]

    def _takes(self, link: Link) -> bool:
        return self._disabled or link.enabled

    def _solids(self, geometry: Geometry, body_index: int) -> list[RayInstance]:
        if geometry.unusable:
            return []
        return solids_of_shape(geometry, body_index)


def solids_of_shape(geometry: Geometry, body_index: int) -> list[RayInstance]:
    """Return the instances of a geometry's collision shape."""
    shape = geometry.description.shape
    mesh = geometry.mesh if isinstance(shape, TriMesh) else None
    return ray_instances(shape, geometry.world_transform, body_index, mesh)


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
