"""Solids of the library where they are in the world, and groups of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.collision import solid_of_row
from pyrave.world import COLLISION
from pyrave_coal.library import coal
from pyrave_coal.shapes import CoalShape, shape_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.geometry import Solid
    from pyrave.spatial import Array
    from pyrave.world import Changes, PackedWorld

    Rows = NDArray[np.int64]


class Placed:
    """A shape at a pose.

    Parameters
    ----------
    shape
        What it is.
    pose
        (4, 4) T_world_shape.
    """

    __slots__ = ("body", "pose", "shape")

    def __init__(self, shape: CoalShape, pose: Array) -> None:
        self.shape = shape
        self.body = coal().CollisionObject(shape.geometry)
        self.place(pose)

    def place(self, pose: Array) -> None:
        """Move it; `pose` is kept, not copied."""
        self.pose = pose
        self.body.setRotation(pose[:3, :3])
        self.body.setTranslation(pose[:3, 3])
        self.body.computeAABB()

    @property
    def bounds(self) -> Array:
        """(6,) lower and upper corner of its box in the world."""
        box = self.body.getAABB()
        return np.concatenate((box.min_, box.max_))


def placed_solid(solid: Solid, pose: Array) -> Placed:
    """Return a solid at a pose."""
    return Placed(shape_of(solid), pose)


class PlacedWorld:
    """The solids of a packed world, moved as it moves.

    Attributes
    ----------
    solids
        By row; rows without anything that collides are missing.
    stamp
        Grows whenever something moves.
    moved_at
        (G,) int64 the stamp at which each row moved last.
    """

    def __init__(self) -> None:
        self.solids: dict[int, Placed] = {}
        self.stamp = 0
        self.moved_at: Rows = np.zeros(0, np.int64)
        self._rows: dict[int, range] = {}

    def clear(self) -> None:
        """Forget everything."""
        self.solids.clear()
        self._rows.clear()

    def update(self, world: PackedWorld, changes: Changes) -> None:
        """Take over changes of the packed world."""
        if changes.reset:
            self.clear()
        for body in (*changes.removed, *changes.reshaped, *changes.added):
            for row in self._rows.pop(body, ()):
                self.solids.pop(row, None)
        if len(self.moved_at) < world.solid_count:
            more = world.solid_count - len(self.moved_at)
            self.moved_at = np.append(self.moved_at, np.zeros(more, np.int64))
        for body in (*changes.reshaped, *changes.added):
            self._add(world, body)
        if changes.moved:
            self._move(world, changes.moved)

    def _add(self, world: PackedWorld, body: int) -> None:
        table = world.tables.geometries
        rows = world.geometries_of(body)
        self._rows[body] = range(rows.start, rows.stop)
        for row in self._rows[body]:
            solid = solid_of_row(world, row)
            if solid is not None and table.mask[row] & COLLISION:
                self.solids[row] = placed_solid(solid, table.poses[row])

    def _move(self, world: PackedWorld, bodies: Sequence[int]) -> None:
        poses, solids = world.tables.geometries.poses, self.solids
        self.stamp += 1
        for body in bodies:
            rows = self._rows[body]
            self.moved_at[rows.start : rows.stop] = self.stamp
            moved = poses[rows.start : rows.stop]
            # one walk over three arrays takes less time than indexing them
            for row, pose, rotation, place in zip(
                rows, moved, moved[:, :3, :3], moved[:, :3, 3], strict=True
            ):
                placed = solids.get(row)
                if placed is not None:
                    placed.pose = pose
                    placed.body.setRotation(rotation)
                    placed.body.setTranslation(place)
                    placed.body.computeAABB()


class Group:
    """Solids in a tree of the library that follows their moves.

    Parameters
    ----------
    world
        Where the solids are.
    rows
        (k,) which of them.
    """

    def __init__(self, world: PlacedWorld, rows: Rows) -> None:
        self.rows = rows
        self._world = world
        self._stamp = world.stamp
        self._members = [world.solids[row] for row in rows.tolist()]
        self._manager = coal().DynamicAABBTreeCollisionManager()
        for one in self._members:
            self._manager.registerObject(one.body)
        self._manager.setup()

    @property
    def manager(self) -> Any:
        """The tree, as the solids are now."""
        if self._stamp != self._world.stamp:
            moved = np.flatnonzero(self._world.moved_at[self.rows] > self._stamp)
            self._stamp = self._world.stamp
            if 4 * len(moved) > len(self.rows):
                self._manager.update()
            else:
                for k in moved.tolist():
                    self._manager.update(self._members[k].body)
        return self._manager
