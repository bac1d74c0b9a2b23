"""A packed world as the kernels of collision checks read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.geometry import Mesh, kind_and_sizes
from pyrave.geometry.kernels.bvh import STACK
from pyrave.geometry.kernels.primitives import MESH, NOTHING
from pyrave.jit import KernelModule
from pyrave.jit.bundles import ArrayBundle
from pyrave.world import COLLISION
from pyrave_collision.broad_phase import BroadPhase
from pyrave_collision.convexity import HullPool, convex_parts
from pyrave_collision.kernels.layout import BOUNDS, POSES
from pyrave_collision.kernels.shapes import SHAPE
from pyrave_collision.kernels.solid_distances import SCRATCH
from pyrave_collision.meshes import SolidMeshes, mesh_scratch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pyrave.collision import Probe
    from pyrave.spatial import Array
    from pyrave.world import Changes, PackedWorld

_rows = KernelModule("pyrave_collision.kernels.rows")
_MILLISECONDS_PER_SHAPE = 0.02


class PreparedWorld:
    """Shapes, hulls, meshes and the broad phase of a world, kept up to date.

    Poses and boxes are the world's own; a mesh is prepared once, whoever uses it.
    """

    def __init__(self) -> None:
        self.meshes = PreparedMeshes(())
        self.collidable: NDArray[np.bool_] = np.zeros(0, np.bool_)
        """(G,) whether a row is a solid that collides."""
        self.bundle = ArrayBundle(())
        """Arguments of kernels; replaced by a new object when arrays are replaced."""
        self._parts: tuple[Any, ...] = ()

    def update(self, world: PackedWorld, changes: Changes) -> bool:
        """Take over changes; return whether selections mean other rows now."""
        if changes.other_solids or not self._parts:
            self._rebuild(world)
            return True
        if self.broad.is_tree:
            bounds = world.tables.geometries.bounds
            others = [
                self.broad.move(world.geometries_of(body), bounds)
                for body in changes.moved
            ]
            if any(others):
                self._bundle()
        return bool(changes.masked)

    def _rebuild(self, world: PackedWorld) -> None:
        table = world.tables.geometries
        self.collidable = (
            (table.id >= 0) & (table.mask & COLLISION > 0) & (table.kind != NOTHING)
        )
        # `np.unique` imports `numpy.ma`, of which a first call would wait
        slots = table.mesh[self.collidable & (table.kind == MESH)]
        used = np.flatnonzero(np.bincount(slots))
        known = world.meshes
        meshes = [mesh for mesh in (known[slot] for slot in used) if mesh is not None]
        self.meshes = self.meshes.renewed(meshes)
        numbers = np.full(len(known) + 1, -1, np.int64)
        numbers[used] = np.arange(len(used))
        number = np.where(self.collidable, numbers[table.mesh], -1)
        shapes = shapes_of(table.kind, table.sizes, table.centre, number, self.meshes)
        slots = self.meshes.slot_of(number)
        count = len(table.id)
        self.broad = BroadPhase(np.flatnonzero(self.collidable), table.bounds)
        poses = table.poses.reshape(-1, 16)
        solids = (shapes, poses, table.bounds, *self.meshes.hull_arrays, slots)
        self._parts = (solids, self.meshes.pool_arrays, scratch(count))
        self._bundle()

    def _bundle(self) -> None:
        solids, meshes, written = self._parts
        self.bundle = ArrayBundle((*solids, *meshes, *self.broad.arrays, *written))

    def copy(self) -> ArrayBundle:
        """Return a bundle whose poses, boxes and scratch arrays are its own."""
        (shapes, poses, bounds, *hulls), meshes, _ = self._parts
        solids = (shapes, poses.copy(), bounds.copy(), *hulls)
        return ArrayBundle(
            (*solids, *meshes, *self.broad.arrays, *scratch(len(shapes)))
        )

    def renew(self, copied: ArrayBundle) -> None:
        """Put all solids of a copy where they are now."""
        (_, poses, bounds, *_), _, _ = self._parts
        copied.arrays[POSES][:], copied.arrays[BOUNDS][:] = poses, bounds

    def extended(self, probe: Probe) -> tuple[ArrayBundle, int]:
        """Return a bundle with the solids of a probe, and the row of the first one."""
        (shapes, poses, bounds, _, _, _, slots), _, _ = self._parts
        given = [kind_and_sizes(solid, k) for k, (solid, _) in enumerate(probe.solids)]
        kinds = np.array([kind for kind, _ in given], np.int32)
        sizes = np.array([values for _, values in given]).reshape(-1, 3)
        found = [one if isinstance(one, Mesh) else None for one, _ in probe.solids]
        centres = np.array([np.zeros(3) if m is None else m.aabb[0] for m in found])
        meshes, numbers = self.meshes.with_others(found)
        more = shapes_of(kinds, sizes, centres.reshape(-1, 3), numbers, meshes)
        placed = np.array([pose for _, pose in probe.solids]).reshape(-1, 16)
        boxes = np.empty((len(kinds), 6))
        _rows.auto(_MILLISECONDS_PER_SHAPE * len(kinds)).write_bounds(
            more, placed, boxes
        )
        return ArrayBundle((
            np.concatenate((shapes, more)),
            np.concatenate((poses, placed)),
            np.concatenate((bounds, boxes)),
            *meshes.hull_arrays,
            np.concatenate((slots, meshes.slot_of(numbers))),
            *meshes.pool_arrays,
            *self.broad.arrays,
            *scratch(len(shapes) + len(more)),
        )), len(shapes)  # fmt: skip


class PreparedMeshes:
    """Meshes as hulls, if they are convex, or in a pool of trees.

    Parameters
    ----------
    meshes
        All that are in use.
    """

    def __init__(self, meshes: Sequence[Mesh]) -> None:
        self._meshes = tuple(meshes)
        hulls = [convex_parts(mesh) for mesh in meshes]
        self._hulls = HullPool.from_hulls([hull for hull in hulls if hull is not None])
        rest = [m for m, hull in zip(meshes, hulls, strict=True) if hull is None]
        self._solid = SolidMeshes.from_meshes(rest)
        convex = np.array([hull is not None for hull in hulls], np.bool_)
        self._slots = np.where(convex, -1, np.cumsum(~convex) - 1)
        self._ranges = np.zeros((len(meshes) + 1, 2), np.int64)
        self._ranges[:-1][convex] = self._hulls.ranges

    def renewed(self, meshes: Sequence[Mesh]) -> PreparedMeshes:
        """Return the world prepared for other meshes, itself if they are the same."""
        return self if tuple(meshes) == self._meshes else PreparedMeshes(meshes)

    def with_others(
        self, meshes: Sequence[Mesh | None]
    ) -> tuple[PreparedMeshes, NDArray[np.int64]]:
        """Return it with more meshes, and the number of each, -1 for None."""
        known = {mesh: k for k, mesh in enumerate(self._meshes)}
        for mesh in meshes:
            if mesh is not None:
                known.setdefault(mesh, len(known))
        numbers = [-1 if mesh is None else known[mesh] for mesh in meshes]
        return self.renewed(tuple(known)), np.array(numbers, np.int64)

    @property
    def hull_arrays(self) -> tuple[NDArray[Any], ...]:
        """Vertices, starts and neighbours of the hulls."""
        return self._hulls.vertices, self._hulls.starts, self._hulls.neighbours

    @property
    def pool_arrays(self) -> tuple[NDArray[Any], ...]:
        """Arguments of kernels about meshes that are not convex."""
        return self._solid.arrays

    def slot_of(self, numbers: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return slots in the pool of trees, -1 for hulls and the number -1."""
        return np.append(self._slots, -1)[numbers].astype(np.int32)

    def range_of(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the rows (n, 2) of the vertices of hulls, none for other solids."""
        return np.ascontiguousarray(self._ranges[numbers])


def shapes_of(
    kinds: NDArray[np.int32],
    sizes: Array,
    centres: Array,
    meshes: NDArray[np.int64],
    prepared: PreparedMeshes,
) -> Array:
    """Return the rows of shapes (n, SHAPE) of solids; `meshes` are numbers or -1."""
    shapes = np.zeros((len(kinds), SHAPE))
    write = _rows.auto(_MILLISECONDS_PER_SHAPE * len(kinds)).write_shapes
    vertices = prepared.hull_arrays[0]
    write(kinds, sizes, centres, vertices, prepared.range_of(meshes), shapes)
    return shapes


def scratch(count: int) -> tuple[NDArray[Any], ...]:
    """Return scratch arrays for kernels, for so many solids."""
    return (
        np.empty((16, max(count, 10))),
        np.empty(count, np.int32), np.empty(count, np.int32),
        np.empty(STACK, np.int32), np.empty(SCRATCH), np.empty(count, np.int32),
        *mesh_scratch(),
    )  # fmt: skip
