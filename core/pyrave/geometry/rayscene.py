"""Scenes that rays are cast into: instances of primitives and meshes at poses."""

from __future__ import annotations

import copy
import functools
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyrave.errors import ArgumentError
from pyrave.geometry.mesh import COORDINATE_LIMIT, Mesh
from pyrave.geometry.meshtree import MeshPool, Tree, build_tree
from pyrave.geometry.primitives import prism_mesh, shape_boxes, shape_mesh
from pyrave.geometry.rays import _kernels as kinds
from pyrave.jit import KernelModule
from pyrave.scene.geometry import (
    Box,
    Cage,
    Capsule,
    Container,
    Cylinder,
    NoShape,
    Prism,
    Shape,
    Sphere,
    TriMesh,
)
from pyrave.spatial import Array, as_pose

__all__ = ["RayHits", "RayInstance", "RayScene", "ray_instances"]

_kernels = KernelModule("pyrave.geometry.rays._kernels")

_LEAF_INSTANCES = 2
_LONGEST_RANGE = 1e12

Solid = Box | Sphere | Cylinder | Capsule | Mesh
Exclude = NDArray[np.bool_] | AbstractSet[int] | Sequence[int] | None


@dataclass(frozen=True, slots=True, eq=False)
class RayInstance:
    """One thing that rays can hit.

    Parameters
    ----------
    solid
        A primitive of the scene description, or a mesh; instances of one `Mesh`
        object share its search tree.
    T_world
        (4, 4) pose T_world_geometry, or anything `pyrave.spatial.as_pose` takes.
    id
        Number that hits report, not negative; several instances may share it.
    offset
        (4, 4) T_geometry_solid, fixed; for geometries that consist of several solids.
    """

    solid: Solid
    T_world: ArrayLike = field(default_factory=lambda: np.eye(4))
    id: int = 0
    offset: ArrayLike | None = None


def ray_instances(
    shape: Shape,
    T_world: ArrayLike,  # noqa: N803
    id: int,  # noqa: A002
    mesh: Mesh | None = None,
) -> list[RayInstance]:
    """Return the instances that stand for a shape of a scene description.

    Containers and cages become boxes, prisms meshes, shapes without extent nothing.

    Parameters
    ----------
    T_world
        (4, 4) T_world_geometry.
    id
        Number that hits report.
    mesh
        The loaded mesh of a `TriMesh`; needed if it refers to a file.
    """
    match shape:
        case NoShape():
            return []
        case Box() | Sphere() | Cylinder() | Capsule():
            return [RayInstance(shape, T_world, id)]
        case Container() | Cage():
            return [
                RayInstance(Box(tuple(half.tolist())), T_world, id, offset)
                for offset, half in shape_boxes(shape)
            ]
        case Prism():
            return [RayInstance(_shared_prism(shape), T_world, id)]
        case TriMesh():
            return [RayInstance(mesh or shape_mesh(shape), T_world, id)]


@functools.lru_cache(maxsize=256)
def _shared_prism(shape: Prism) -> Mesh:
    return prism_mesh(shape.cross_section, shape.height)


@dataclass(frozen=True, slots=True, eq=False)
class RayHits:
    """What n rays met; every array has one row per ray.

    Parameters
    ----------
    distance
        (n,) float64, metres along the ray; inf at a miss.
    id
        (n,) int64, id of the instance; -1 at a miss.
    instance
        (n,) int32, index of the instance in the scene; -1 at a miss.
    position
        (n, 3) float64, world, metres; nan at a miss.
    normal
        (n, 3) float64, unit, world, turned towards the ray's origin; 0 at a miss.
    triangle
        (n,) int32, face of the mesh; -1 at a miss and on primitives.
    """

    distance: Array
    id: NDArray[np.int64]
    instance: NDArray[np.int32]
    position: Array
    normal: Array
    triangle: NDArray[np.int32]

    @property
    def hit(self) -> NDArray[np.bool_]:
        """(n,) bool, whether the ray met anything."""
        return np.asarray(self.instance >= 0)


class RayScene:
    """Instances with a tree over them, for casts of many rays at once.

    The scene owns the poses; meshes and their trees are shared. Not for use by several
    threads at once while poses change; casts alone may run in parallel once one cast
    has been made after the last change.

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
        items = list(instances)
        n = len(items)
        self._kinds = np.zeros(n, np.int32)
        self._dims = np.zeros((n, 3))
        self._ids = np.zeros(n, np.int64)
        self._poses = np.empty((n, 4, 4))
        self._offsets = np.tile(np.eye(4), (n, 1, 1))
        self._slots = np.full(n, -1, np.int32)
        # centre and half extents of what is not symmetric: meshes
        self._centres = np.zeros((n, 3))
        self._meshes: list[Mesh] = []
        slot_of: dict[Mesh, int] = {}
        for k, item in enumerate(items):
            if item.id < 0:
                raise ArgumentError(
                    f"instance {k} has the id {item.id}; -1 means a miss"
                )
            self._ids[k] = item.id
            if item.offset is not None:
                self._offsets[k] = as_pose(item.offset, f"offset of instance {k}")
            pose = as_pose(item.T_world, f"T_world of instance {k}")
            self._poses[k] = pose @ self._offsets[k]
            self._kinds[k], self._dims[k] = _kind_and_dims(item.solid, k)
            if isinstance(item.solid, Mesh):
                if item.solid not in slot_of:
                    slot_of[item.solid] = len(self._meshes)
                    self._meshes.append(item.solid)
                self._slots[k] = slot_of[item.solid]
                self._centres[k] = item.solid.aabb[0]
        self._ids.setflags(write=False)
        self._pool: MeshPool | None = None
        self._begins: NDArray[np.int32] | None = None
        self._tree: Tree | None = None

    def __len__(self) -> int:
        return len(self._kinds)

    @property
    def ids(self) -> NDArray[np.int64]:
        """(k,) int64, id of each instance; read-only."""
        return self._ids

    @property
    def poses(self) -> Array:
        """(k, 4, 4) T_world_solid of each instance; a copy."""
        return self._poses.copy()

    def mesh_of(self, instance: int) -> Mesh | None:
        """Return the mesh of an instance, None for a primitive."""
        slot = self._slots[instance]
        return self._meshes[slot] if slot >= 0 else None

    def clone(self) -> RayScene:
        """Return an independent scene at the same poses, with the same meshes."""
        twin = copy.copy(self)
        twin._poses = self._poses.copy()  # noqa: SLF001
        return twin

    def set_poses(self, indices: ArrayLike, transforms: ArrayLike) -> None:
        """Move instances.

        Parameters
        ----------
        indices
            (m,) instance numbers.
        transforms
            (m, 4, 4) T_world_geometry, rigid; offsets of instances are applied.
        """
        index = np.asarray(indices)
        poses = np.asarray(transforms, dtype=np.float64)
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
        if not np.isfinite(poses).all():
            raise ArgumentError("transforms have values that are not finite")
        self._poses[index] = poses @ self._offsets[index]
        self._tree = None

    def bounds(self) -> tuple[Array, Array]:
        """Return lower and upper corners (k, 3) of each instance's box, world.

        Exact for primitives; for meshes the box of their turned bounding box.
        """
        rotation = self._poses[:, :3, :3]
        dims = self._dims
        centre = self._poses[:, :3, 3] + np.einsum(
            "kij,kj->ki", rotation, self._centres
        )
        half = np.einsum("kij,kj->ki", np.abs(rotation), dims)
        round_ = np.isin(self._kinds, (kinds.SPHERE, kinds.CYLINDER, kinds.CAPSULE))
        if round_.any():
            axis = np.abs(rotation[round_, :, 2])
            kind = self._kinds[round_, None]
            radius, length = dims[round_, :1], dims[round_, 1:2]
            disk = np.sqrt(np.maximum(1.0 - axis * axis, 0.0))
            half[round_] = axis * length + radius * np.where(
                kind == kinds.CYLINDER, disk, 1.0
            )
        return centre - half, centre + half

    def cast(
        self,
        origins: ArrayLike,
        directions: ArrayLike,
        max_range: ArrayLike,
        min_range: ArrayLike = 0.0,
        exclude: Exclude = None,
        *,
        any_hit: bool = False,
    ) -> RayHits:
        """Return what rays meet first.

        A hit is the first point of a surface whose distance is in `min_range` to
        `max_range`, both included. A ray that starts inside of a solid meets its far
        side; one that starts on a surface meets it at distance 0.

        Parameters
        ----------
        origins
            (n, 3), world, metres; or (3,), the same for all rays.
        directions
            (n, 3), world, any length but 0 (distances are in metres all the same).
        max_range, min_range
            Metres, one number or (n,); finite.
        exclude
            Instances that rays pass through: a bool mask (k,), or a set or sequence
            of ids.
        any_hit
            Whether any hit will do; quicker, and exact in whether there is one.

        Raises
        ------
        ArgumentError
            A wrong shape, a value that is not finite, a zero direction, a negative
            range.
        """
        d = _points(directions, None, "directions")
        n = len(d)
        o = _points(origins, n, "origins")
        lengths = np.sqrt(np.einsum("ij,ij->i", d, d))
        if not (lengths > 1e-150).all() or not np.isfinite(lengths).all():
            bad = int(np.argmin((lengths > 1e-150) & np.isfinite(lengths)))
            raise ArgumentError(
                f"direction {bad} is {d[bad].tolist()}: it has no direction"
            )
        d = d / lengths[:, None]
        least = _range(min_range, n, "min_range")
        most = _range(max_range, n, "max_range")
        skip = self._skip(exclude)
        pool, begins, tree = self._prepare()
        distance = np.empty(n)
        instance = np.empty(n, np.int32)
        triangle = np.empty(n, np.int32)
        normal = np.empty((n, 3))
        _kernels.jit.cast(
            o, d, least, most, bool(any_hit),
            self._kinds, self._dims, self._poses, begins, skip,
            tree.bounds, tree.links, tree.order,
            pool.bounds, pool.links, pool.corners, pool.numbers,
            distance, instance, triangle, normal,
        )  # fmt: skip
        hit = instance >= 0
        if len(self):
            ids = np.where(hit, self._ids[instance], -1)
        else:
            ids = np.full(n, -1, np.int64)
        reach = np.where(hit, distance, np.nan)
        return RayHits(
            distance, ids, instance, o + reach[:, None] * d, normal, triangle
        )

    def _skip(self, exclude: Exclude) -> NDArray[np.uint8]:
        if exclude is None:
            return np.zeros(len(self), np.uint8)
        if isinstance(exclude, np.ndarray) and exclude.dtype == np.bool_:
            if exclude.shape != (len(self),):
                raise ArgumentError(
                    f"the mask exclude has shape {exclude.shape}, "
                    f"expected ({len(self)},)"
                )
            return exclude.astype(np.uint8)
        wanted = np.array(sorted(exclude), dtype=np.int64)
        return np.isin(self._ids, wanted).astype(np.uint8)

    def _prepare(self) -> tuple[MeshPool, NDArray[np.int32], Tree]:
        """Bring the trees up to date; this is where a refit of the tree would go."""
        pool, begins, tree = self._pool, self._begins, self._tree
        if pool is None or begins is None:
            pool = MeshPool.of(self._meshes)
            begins = np.zeros((len(self), 2), np.int32)
            has_mesh = self._slots >= 0
            begins[has_mesh] = pool.begins[self._slots[has_mesh]]
            self._pool, self._begins = pool, begins
        if tree is None:
            solid = np.flatnonzero(self._kinds != kinds.NOTHING).astype(np.int32)
            lo, hi = self.bounds()
            built = build_tree(lo[solid], hi[solid], _LEAF_INSTANCES)
            tree = Tree(built.bounds, built.links, solid[built.order])
            self._tree = tree
        return pool, begins, tree


def _kind_and_dims(solid: Solid, k: int) -> tuple[int, Array]:
    """Return the kernel's kind and sizes; nothing for what has no surface."""
    match solid:
        case Mesh():
            return (kinds.MESH if len(solid.faces) else kinds.NOTHING), solid.aabb[1]
        case Box():
            kind, sizes = kinds.BOX, tuple(solid.half_extents)
        case Sphere():
            kind, sizes = kinds.SPHERE, (solid.radius, 0.0, 0.0)
        case Cylinder():
            kind, sizes = kinds.CYLINDER, (solid.radius, 0.5 * solid.height, 0.0)
        case Capsule():
            kind, sizes = kinds.CAPSULE, (solid.radius, 0.5 * solid.height, 0.0)
        case _:
            raise ArgumentError(
                f"instance {k} is a {type(solid).__name__}; expected a box, sphere, "
                "cylinder, capsule or Mesh (ray_instances takes every shape)"
            )
    dims = np.array(sizes, dtype=np.float64)
    if dims.shape != (3,) or not ((dims >= 0.0) & (dims <= COORDINATE_LIMIT)).all():
        raise ArgumentError(
            f"instance {k}, a {solid.type}, has the sizes {dims.tolist()}; expected "
            f"0 to {COORDINATE_LIMIT:g} metres"
        )
    # a box may be a plate, but not a line or a point
    has_surface = (dims > 0.0).sum() >= 2 if kind == kinds.BOX else dims[0] > 0.0
    return (kind if has_surface else kinds.NOTHING), dims


def _points(value: ArrayLike, n: int | None, name: str) -> Array:
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{name} are not numbers") from error
    if array.shape == (3,) and n is not None:
        array = np.broadcast_to(array, (n, 3))
    if array.ndim != 2 or array.shape[1] != 3 or (n is not None and len(array) != n):
        wanted = "(n, 3)" if n is None else f"({n}, 3) as the directions, or (3,)"
        raise ArgumentError(f"{name} have shape {array.shape}, expected {wanted}")
    bad = ~(np.abs(array) <= _LONGEST_RANGE).all(axis=1)
    if n is not None and bad.any():
        first = int(np.argmax(bad))
        raise ArgumentError(
            f"{name} {first} is {array[first].tolist()}, expected finite and within "
            f"{_LONGEST_RANGE:g} metres"
        )
    return np.ascontiguousarray(array)


def _range(value: ArrayLike, n: int, name: str) -> Array:
    array = np.asarray(value, dtype=np.float64)
    if array.shape not in {(), (n,)}:
        raise ArgumentError(f"{name} has shape {array.shape}, expected () or ({n},)")
    if not ((array >= 0.0) & (array <= _LONGEST_RANGE)).all():
        raise ArgumentError(
            f"{name} is {value!r}, expected 0 to {_LONGEST_RANGE:g} metres, finite"
        )
    return np.ascontiguousarray(np.broadcast_to(array, (n,)))
