"""Triangle meshes as the collision kernels read them."""

from __future__ import annotations

import threading
import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.geometry.mesh_bvh import MeshPool
from pyrave.geometry.topology import component_of_vertices, weld
from pyrave_collision.convexity import closed
from pyrave_collision.kernels.meshes.inputs import SCRATCH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pyrave.geometry.mesh import Mesh
    from pyrave.jit.arrays import I32, U8
    from pyrave.spatial import Array
    from pyrave_collision.kernels.meshes.inputs import Meshes, Scratch

_parts: weakref.WeakKeyDictionary[Mesh, Array] = weakref.WeakKeyDictionary()
_lock = threading.Lock()


@dataclass(frozen=True, eq=False)
class SolidMeshes:
    """Several meshes: their trees, which are those of rays, and where they are solid.

    Parameters
    ----------
    pool
        The trees.
    closed
        (meshes,) uint8, 1 for meshes that enclose a volume, see
        `pyrave_collision.convexity.closed`.
    points
        (p, 3) a vertex of each connected part, mesh by mesh, metres.
    point_begins
        (meshes + 1,) int32, where those of each mesh begin.
    """

    pool: MeshPool
    closed: U8
    points: Array
    point_begins: I32

    @classmethod
    def from_meshes(cls, meshes: Sequence[Mesh]) -> SolidMeshes:
        """Join meshes in the order given.

        Trees, and what else is found of a mesh, are kept as long as the mesh.

        Raises
        ------
        ArgumentError
            A mesh without triangles.
        """
        for k, mesh in enumerate(meshes):
            if not len(mesh.faces):
                raise ArgumentError(
                    f"mesh {k} has no triangles; collision kernels take meshes that "
                    "have some (leave it out)"
                )
        points = [part_points(mesh) for mesh in meshes]
        return cls(
            MeshPool.from_meshes(meshes),
            np.array([closed(mesh) for mesh in meshes], np.uint8),
            np.concatenate([np.empty((0, 3)), *points]),
            np.cumsum([0, *map(len, points)]).astype(np.int32),
        )

    @property
    def arrays(self) -> Meshes:
        """The arrays that kernels take."""
        pool = self.pool
        return (
            pool.planes, pool.links, pool.groups, pool.firsts,
            pool.corners, pool.corners.reshape(-1), pool.begins, pool.frames,
            self.closed, self.points, self.point_begins,
        )  # fmt: skip


def part_points(mesh: Mesh) -> Array:
    """Return a vertex of each connected part of a mesh, (parts, 3); found once.

    Vertices at one place count as one.
    """
    with _lock:
        found = _parts.get(mesh)
    if found is not None:
        return found
    points, index = weld(mesh.vertices)
    faces: NDArray[np.int64] = index[mesh.faces].astype(np.int64)
    of_vertices = component_of_vertices(faces, len(points))
    result: Array = points[np.unique(of_vertices[faces[:, 0]])]
    with _lock:
        return _parts.setdefault(mesh, result)


def mesh_scratch() -> Scratch:
    """Return new arrays for the kernels to write on, one set for each thread."""
    arrays: Scratch = tuple(np.zeros(shape, kind) for shape, kind in SCRATCH)  # type: ignore[assignment]
    return arrays
