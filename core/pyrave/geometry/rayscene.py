"""Scenes that rays are cast into: instances of primitives and meshes at poses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyrave.errors import ArgumentError
from pyrave.geometry.kernels import primitives as kinds
from pyrave.geometry.mesh import Mesh
from pyrave.geometry.ray_caster import (
    NO_RAYS,
    cast_all,
    cast_nearest,
)
from pyrave.geometry.raybundle import LONGEST_RANGE, Bundle, bundle
from pyrave.geometry.rayhits import (
    DEFAULT_RAY_FIELDS,
    RAY_FIELDS,
    RayHits,
    checked_fields,
)
from pyrave.geometry.rayinstances import RayInstance
from pyrave.geometry.raysolids import RaySolids, RayTrees
from pyrave.geometry.workers import core_count, deal
from pyrave.jit import Kernel
from pyrave.spatial import Array, as_ndarray, as_numbers

# Rough time that a hit takes in the interpreter.
_MILLISECONDS_PER_HIT = 0.1
describe_hits = Kernel(
    "pyrave.geometry.kernels.hit_attributes",
    "describe",
    "attributes of hits",
    1,
    whole=True,
)

_Seen = tuple[Any, ...]
Exclude = NDArray[np.bool_] | AbstractSet[int] | Sequence[int] | None

# A bundle of fewer rays is done before another thread is awake.
_RAYS_FOR_THREADS = 8192
_NO_NUMBERS = np.empty(0, np.int32)
# Fields that kernels describe: shape and type of an entry, and an array that says no.
_FIELDS: dict[str, tuple[tuple[int, ...], type, NDArray[Any]]] = {
    name: (tail, dtype, np.empty((0, *tail), dtype))
    for name, tail, dtype in (
        ("triangle", (), np.int32),
        ("position", (3,), np.float64),
        ("normal", (3,), np.float64),
        ("barycentric", (3,), np.float64),
    )
}


class _Found(NamedTuple):
    """Output arrays of kernels for n hits; instance and row are empty if not wanted."""

    distance: Array
    id: NDArray[np.int64]
    instance: NDArray[np.int32]
    row: NDArray[np.int32]

    @classmethod
    def of(cls, n: int, surfaces: bool) -> _Found:
        distance, ids = np.empty(n), np.empty(n, np.int64)
        if not surfaces:
            return cls(distance, ids, _NO_NUMBERS, _NO_NUMBERS)
        return cls(distance, ids, np.empty(n, np.int32), np.empty(n, np.int32))


class RayScene:
    """Instances with a tree over them, for casts of many rays at once.

    The scene owns the poses; meshes and their trees are shared. The tree over the
    instances is refitted after moves, and rebuilt when that has made it bad. Not for
    use by several threads at once while poses change; casts alone may run in parallel
    once one cast has been made after the last change.

    Parameters
    ----------
    instances
        Anything a ray can hit, in the order of the instance numbers of hits.

    Raises
    ------
    ArgumentError
        A negative or infinite size, a pose that is not rigid, a negative id.
    """

    def __init__(self, instances: Iterable[RayInstance] = ()) -> None:
        self._use(RaySolids.of_instances(instances))

    def _use(self, solids: RaySolids, hidden: NDArray[np.bool_] | None = None) -> None:
        self.solids = solids
        """The arrays behind the instances; to be read only."""
        self._passed = np.zeros(len(solids), np.uint8)
        if hidden is not None:
            self._passed[:] = hidden

    @classmethod
    def from_solids(cls, solids: RaySolids, hidden: NDArray[np.bool_]) -> RayScene:
        """Return a scene of solids that somebody else moves.

        Parameters
        ----------
        hidden
            (k,) instances that no ray meets.
        """
        made = cls.__new__(cls)
        made._use(solids, hidden)  # noqa: SLF001 - our own class
        return made

    def __len__(self) -> int:
        return len(self.solids)

    @property
    def hidden(self) -> NDArray[np.bool_]:
        """(k,) bool, instances that no ray meets, whatever it excludes."""
        return np.asarray(self._passed != 0)

    @property
    def ids(self) -> NDArray[np.int64]:
        """(k,) int64, id of each instance; read-only."""
        view = self.solids.ids.view()
        view.setflags(write=False)
        return view

    @property
    def poses(self) -> Array:
        """(k, 4, 4) T_world_solid of each instance; a copy."""
        return self.solids.poses.copy()

    def mesh_of(self, instance: int) -> Mesh | None:
        """Return the mesh of an instance, None for a primitive."""
        slot = self.solids.slots[instance]
        return self.solids.meshes[slot] if slot >= 0 else None

    def clone(self) -> RayScene:
        """Return an independent scene at the same poses, with the same meshes."""
        return RayScene.from_solids(self.solids.copy(), self.hidden)

    def set_poses(self, indices: ArrayLike, transforms: ArrayLike) -> None:
        """Move instances.

        Parameters
        ----------
        indices
            (m,) instance numbers.
        transforms
            (m, 4, 4) T_world_geometry, rigid; offsets of instances are applied.
        """
        index = as_ndarray(indices, "indices")
        poses = as_numbers(transforms, "transforms")
        if index.ndim != 1 or (index.size and index.dtype.kind not in "iu"):
            raise ArgumentError(
                f"indices have shape {index.shape} and type {index.dtype}"
            )
        if poses.shape != (len(index), 4, 4):
            raise ArgumentError(
                f"transforms have shape {poses.shape}, expected {(len(index), 4, 4)}"
            )
        if len(index) == 0:
            return
        if index.min() < 0 or index.max() >= len(self):
            raise ArgumentError(
                f"indices run from {index.min()} to {index.max()}, but the scene has "
                f"{len(self)} instances"
            )
        if not (np.abs(poses) <= LONGEST_RANGE).all():
            raise ArgumentError(
                "transforms have values that are not finite, or beyond "
                f"{LONGEST_RANGE:g} metres"
            )
        solids = self.solids
        offsets = solids.offsets
        solids.poses[index] = poses if offsets is None else poses @ offsets[index]
        solids.mark_moved(index)

    def bounds(self) -> tuple[Array, Array]:
        """Return lower and upper corners (k, 3) of each instance's box, world.

        Exact for primitives; for meshes the box of their turned bounding box. Planes
        have no end.
        """
        lo, hi = map(np.array, self.solids.boxes_of(np.arange(len(self))))
        endless = self.solids.kinds == kinds.PLANE
        lo[endless], hi[endless] = -np.inf, np.inf
        return lo, hi

    def cast(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        max_range: ArrayLike,
        min_range: ArrayLike = 0.0,
        exclude: Exclude = None,
        *,
        any_hit: bool = False,
        fields: Iterable[str] = DEFAULT_RAY_FIELDS,
        threads: int | None = None,
    ) -> RayHits:
        """Return the first hits of rays.

        A hit is the first point of a surface whose distance is in `min_range` to
        `max_range`, both included. A ray that starts inside of a solid meets its far
        side; one that starts on a surface meets it at distance 0. Of things equally
        far the one with the lowest number is met.

        Rays from one point that go much the same way, such as the beams of a laser or
        the pixels of a camera, are quicker than others. The pixels of an image best
        come as such, (height, width, 3).

        Parameters
        ----------
        origins
            World, metres: (3,), the same for all rays; or as the directions.
        directions
            (..., 3), world, of any length but 0 (distances are in metres all the same).
        max_range, min_range
            Metres, one number or one per ray; finite.
        exclude
            Instances that rays pass through: a bool mask (k,), or a set or sequence
            of ids.
        any_hit
            Whether any hit will do; quicker, and exact in whether there is one.
        fields
            What to compute besides distances and ids, some of `RAY_FIELDS`.
        threads
            How many to use; None for one if there are few rays, else for all cores.
            The answer does not depend on it.

        Raises
        ------
        ArgumentError
            A wrong shape, a value that is not finite, a zero direction, a negative
            range, an unknown field.
        """
        wanted = checked_fields(fields)
        rays = bundle(origins, directions, min_range, max_range)
        count = rays.count
        hits = _Found.of(count, bool(wanted))
        many = _threads(threads, count)
        trees = self.solids.trees()
        given = (
            rays.origins, rays.directions, rays.least, rays.most, any_hit,
            *self._seen(trees, exclude),
            self.solids.ids, hits.distance, hits.id, hits.instance, hits.row,
        )  # fmt: skip
        if not cast_nearest(rays, trees, given, many):
            rays.explain()
        arrays = self._describe(NO_RAYS, rays, hits, wanted, many)
        shape = rays.shape
        distance, ids = hits.distance, hits.id
        if len(shape) != 1:
            distance, ids = distance.reshape(shape), ids.reshape(shape)
            arrays = {
                name: array.reshape(*shape, *array.shape[1:])
                for name, array in arrays.items()
            }
        return RayHits(distance, ids, *map(arrays.get, RAY_FIELDS))

    def cast_all(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        max_range: ArrayLike,
        min_range: ArrayLike = 0.0,
        exclude: Exclude = None,
        *,
        fields: Iterable[str] = DEFAULT_RAY_FIELDS,
        threads: int | None = None,
    ) -> RayHits:
        """Return every surface that rays cross, in order.

        Solids are crossed where a ray enters and where it leaves. A ray through an edge
        that two triangles share crosses both.

        Parameters
        ----------
        origins, directions, max_range, min_range, exclude, fields, threads
            As in `cast`.

        Returns
        -------
        RayHits
            One entry per crossing, sorted by `RayHits.ray` and then by distance.

        Raises
        ------
        ArgumentError
            As `cast`.
        """
        wanted = checked_fields(fields)
        rays = bundle(origins, directions, min_range, max_range)
        trees = self.solids.trees()
        seen = self._seen(trees, exclude)
        many = _threads(threads, rays.count)
        parts: dict[int, list[tuple[Any, ...]]] = {}

        def work(first: int, last: int) -> int:
            parts[first] = []
            return cast_all(rays, trees, seen, first, last, parts[first])

        if not all(deal(work, rays.count, many)):
            rays.explain()
        pieces = [piece for first in sorted(parts) for piece in parts[first]]
        which, instance, row, distance = (
            np.concatenate([np.zeros(0, dtype), *(piece[k] for piece in pieces)])
            for k, dtype in enumerate((np.int64, np.int32, np.int32, np.float64))
        )
        hits = _Found(distance, self.solids.ids[instance], instance, row)
        arrays = self._describe(which, rays, hits, wanted, many)
        hit = RayHits(distance, hits.id, *map(arrays.get, RAY_FIELDS))
        return replace(hit, _ray=which)

    def _seen(self, trees: RayTrees, exclude: Exclude) -> _Seen:
        """Return the arrays of the scene for kernels that cast rays."""
        solids = self.solids
        top, pool = trees.top, trees.pool
        return (
            top.planes, top.links, top.frame, trees.endless,
            solids.kinds, solids.sizes, solids.poses, self._skip(exclude),
            trees.places, trees.frames,
            pool.planes, pool.links, pool.groups, pool.firsts, pool.corners,
            pool.numbers,
        )  # fmt: skip

    def _describe(
        self,
        which: NDArray[np.int64],
        rays: Bundle,
        hits: _Found,
        wanted: AbstractSet[str],
        threads: int,
    ) -> dict[str, NDArray[Any]]:
        """Return the fields that are wanted of hits, `which` as for kernels."""
        if not wanted:
            return {}
        count = len(hits.distance)
        arrays = {
            name: np.empty((count, *tail), dtype) if name in wanted else none
            for name, (tail, dtype, none) in _FIELDS.items()
        }
        solids = self.solids
        pool = solids.trees().pool

        describe = describe_hits.auto(_MILLISECONDS_PER_HIT * count)

        def work(first: int, last: int) -> int:
            describe(
                which, first, last, rays.origins, rays.directions,
                solids.kinds, solids.sizes, solids.poses, pool.corners, pool.numbers,
                hits.distance, hits.instance, hits.row, *arrays.values(),
            )  # fmt: skip
            return 0

        if wanted - {"instance"}:
            deal(work, count, threads)
        arrays["instance"] = hits.instance
        return {name: array for name, array in arrays.items() if name in wanted}

    def _skip(self, exclude: Exclude) -> NDArray[np.uint8]:
        if exclude is None:
            return self._passed
        if isinstance(exclude, np.ndarray) and exclude.dtype == np.bool_:
            if exclude.shape != (len(self),):
                raise ArgumentError(
                    f"the mask exclude has shape {exclude.shape}, "
                    f"expected ({len(self)},)"
                )
            return self._passed | exclude
        wanted = np.array(sorted(exclude), dtype=np.int64)
        return self._passed | np.isin(self.solids.ids, wanted)


def _threads(wanted: int | None, n: int) -> int:
    if wanted is None:
        return core_count() if n >= _RAYS_FOR_THREADS else 1
    if not isinstance(wanted, (int, np.integer)) or wanted < 1:
        raise ArgumentError(f"threads is {wanted!r}, expected 1 or more, or None")
    return int(wanted)
