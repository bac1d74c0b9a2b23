"""Many states of one packed world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError, StateError
from pyrave.jit import KernelModule
from pyrave.spatial import as_array

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.spatial import Array
    from pyrave.world.packed import PackedWorld
    from pyrave.world.tables import WorldTables

_kernels = KernelModule("pyrave.world.kernels.placement")
_MILLISECONDS_PER_ROW = 0.01


@dataclass(frozen=True, eq=False)
class BatchState:
    """Poses of all links and solids in k states; rows are those of a packed world.

    What does not move is in the world's own tables: masks, kinds, sizes, meshes.

    Parameters
    ----------
    tables
        The world's tables when the batch was made.
    link_poses
        (k, L, 4, 4) T_world_link.
    geometry_poses
        (k, G, 4, 4) T_world_geometry.
    bounds
        (k, G, 6) lower and upper corners of the boxes of solids.
    """

    tables: WorldTables
    link_poses: Array
    geometry_poses: Array
    bounds: Array

    @classmethod
    def from_world(cls, world: PackedWorld, count: int) -> BatchState:
        """Return so many copies of what a world is like now.

        Raises
        ------
        ArgumentError
            The count is not a whole number, or negative.
        """
        if not isinstance(count, (int, np.integer)) or count < 0:
            raise ArgumentError(f"count is {count!r}, expected a whole number >= 0")
        tables = world.tables
        arrays = (tables.links.poses, tables.geometries.poses, tables.geometries.bounds)
        return cls(
            tables,
            *(np.repeat(array[None], int(count), axis=0) for array in arrays),
        )

    def __len__(self) -> int:
        return len(self.link_poses)

    def place(self, world: PackedWorld, body: int, link_poses: ArrayLike) -> None:
        """Put a body to other poses in each state.

        Parameters
        ----------
        world
            The world that the batch was made of.
        body
            Id of the body.
        link_poses
            (k, n_links, 4, 4), for example what
            `pyrave.kinematics.link_transforms_batch` returns for its `state_model`.

        Raises
        ------
        ArgumentError
            A wrong shape.
        NotFoundError
            The world has no such body.
        StateError
            Bodies came, went or were reshaped since the batch was made.
        """
        if world.tables is not self.tables:
            raise StateError(
                "the world has other rows than this batch: bodies came, went or were "
                "reshaped since; make another one by BatchState.from_world"
            )
        links, solids = world.links_of(body), world.geometries_of(body)
        count = links.stop - links.start
        poses = as_array(link_poses, (len(self), count, 4, 4), "link_poses")
        table = self.tables.geometries
        rows = len(self) * (count + solids.stop - solids.start)
        _kernels.auto(_MILLISECONDS_PER_ROW * rows).place_batch(
            np.ascontiguousarray(poses), links.start, solids.start, solids.stop,
            self.link_poses, table.link, table.kind, table.sizes, table.centre,
            table.T_link_geometry, self.geometry_poses, self.bounds,
        )  # fmt: skip
