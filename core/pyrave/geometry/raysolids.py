"""Solids that rays can hit as arrays, and the trees over them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pyrave.errors import ArgumentError
from pyrave.geometry.kernels import primitives as kinds
from pyrave.geometry.mesh import Mesh
from pyrave.geometry.mesh_bvh import BoxTree, MeshPool
from pyrave.geometry.rayinstances import (
    RayInstance,
    half_boxes,
    kind_and_sizes,
    poses_of,
)
from pyrave.spatial import Array

# Notes of moves that are kept apart until the tree is refitted.
_MAX_NOTES = 32


@dataclass(frozen=True, slots=True, eq=False)
class RayTrees:
    """Arrays of solids that all kernels share."""

    top: BoxTree
    endless: NDArray[np.int64]
    places: NDArray[np.int32]
    frames: Array
    pool: MeshPool
    has_meshes: bool
    has_primitives: bool


class RaySolids:
    """Solids with a row each, and a tree over their boxes that follows their moves.

    Parameters
    ----------
    kinds, sizes
        (k,) int32 and (k, 3), see `pyrave.geometry.kernels.primitives`.
    ids
        (k,) int64 numbers that hits report.
    poses
        (k, 4, 4) T_world_solid; the array itself is used, and may be another's.
    meshes, slots
        Meshes, and (k,) int32 the index of each row's, -1 for primitives.
    centres
        (k, 3) centre of a mesh's bounding box.
    offsets
        (k, 4, 4) T_geometry_solid, None if all are the identity.
    bounds
        (k, 6) corners of the boxes in the world if somebody else keeps them.
    """

    __slots__ = (
        "_moved",
        "_trees",
        "bounds",
        "centres",
        "ids",
        "kinds",
        "meshes",
        "offsets",
        "poses",
        "sizes",
        "slots",
    )

    def __init__(
        self,
        kinds: NDArray[np.int32],
        sizes: Array,
        ids: NDArray[np.int64],
        poses: Array,
        meshes: Sequence[Mesh],
        slots: NDArray[np.int32],
        centres: Array,
        offsets: Array | None = None,
        bounds: Array | None = None,
    ) -> None:
        self.kinds, self.sizes, self.ids, self.poses = kinds, sizes, ids, poses
        self.meshes, self.slots, self.centres = list(meshes), slots, centres
        self.offsets, self.bounds = offsets, bounds
        self._trees: RayTrees | None = None
        self._moved: list[NDArray[np.integer] | slice] = []

    @classmethod
    def of_instances(cls, instances: Iterable[RayInstance]) -> RaySolids:
        """Return the solids of instances, in their order.

        Raises
        ------
        ArgumentError
            As `RayScene`.
        """
        items = list(instances)
        n = len(items)
        kind, sizes = np.zeros(n, np.int32), np.zeros((n, 3))
        ids, slots = np.zeros(n, np.int64), np.full(n, -1, np.int32)
        poses = poses_of([item.T_world for item in items], "T_world")
        centres = np.zeros((n, 3))
        slot_of: dict[Mesh, int] = {}
        for k, item in enumerate(items):
            if item.id < 0:
                raise ArgumentError(
                    f"instance {k} has the id {item.id}; -1 means a miss"
                )
            ids[k] = item.id
            kind[k], sizes[k] = kind_and_sizes(item.solid, k)
            if isinstance(item.solid, Mesh):
                slots[k] = slot_of.setdefault(item.solid, len(slot_of))
                centres[k] = item.solid.aabb[0]
        offsets = None
        shifted = [k for k, item in enumerate(items) if item.offset is not None]
        if shifted:
            offsets = np.tile(np.eye(4), (n, 1, 1))
            offsets[shifted] = poses_of(
                [item.offset for item in items if item.offset is not None], "offset"
            )
            poses = poses @ offsets
        return cls(kind, sizes, ids, poses, list(slot_of), slots, centres, offsets)

    def __len__(self) -> int:
        return len(self.kinds)

    def copy(self) -> RaySolids:
        """Return the same solids with poses of their own."""
        return RaySolids(
            self.kinds,
            self.sizes,
            self.ids,
            self.poses.copy(),
            self.meshes,
            self.slots,
            self.centres,
            self.offsets,
        )

    def mark_moved(self, rows: NDArray[np.integer] | slice) -> None:
        """Note that poses were written."""
        self._moved.append(rows if isinstance(rows, slice) else rows.copy())
        if len(self._moved) > _MAX_NOTES:
            self._moved = [self._moved_rows()]

    def boxes_of(self, which: NDArray[np.int64]) -> tuple[Array, Array]:
        """Return the boxes that the tree holds; of a plane a point, never looked at."""
        if self.bounds is not None:
            corners = self.bounds[which]
            return corners[:, :3], corners[:, 3:]
        rotation = self.poses[which, :3, :3]
        centre = self.poses[which, :3, 3] + np.einsum(
            "kij,kj->ki", rotation, self.centres[which]
        )
        half = half_boxes(self.kinds[which], self.sizes[which], rotation)
        return centre - half, centre + half

    def _bounds(self, which: NDArray[np.int64]) -> Array:
        """Return the corners (k, 6) of all boxes; those of `which` are up to date."""
        if self.bounds is not None:
            return self.bounds
        found = np.empty((len(self), 6))
        found[which, :3], found[which, 3:] = self.boxes_of(which)
        return found

    def trees(self) -> RayTrees:
        """Return the trees as they are now; refitted if something moved."""
        trees = self._trees
        if trees is None:
            trees = self._trees = self._build()
        elif self._moved:
            which = self._moved_rows()
            trees.top.move(which, self._bounds(which))
        else:
            return trees
        self._moved.clear()
        return trees

    def _moved_rows(self) -> NDArray[np.int64]:
        first, *others = self._moved
        if not others and isinstance(first, slice):
            return np.arange(first.start, first.stop)
        moved = np.zeros(len(self), np.bool_)
        for rows in self._moved:
            moved[rows] = True
        return np.flatnonzero(moved)

    def _build(self) -> RayTrees:
        pool = MeshPool.from_meshes(self.meshes)
        places = np.zeros((len(self), 3), np.int32)
        frames = np.zeros((len(self), 4))
        has_mesh = self.slots >= 0
        places[has_mesh] = pool.begins[self.slots[has_mesh]]
        frames[has_mesh] = pool.frames[self.slots[has_mesh]]
        return RayTrees(
            BoxTree(self._bounds(np.arange(len(self)))),
            np.flatnonzero(self.kinds == kinds.PLANE),
            places,
            frames,
            pool,
            bool((self.kinds == kinds.MESH).any()),
            bool(((self.kinds != kinds.MESH) & (self.kinds != kinds.NOTHING)).any()),
        )
