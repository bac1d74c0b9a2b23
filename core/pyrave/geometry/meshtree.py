"""Search trees of meshes, built once per mesh, and pools of them for ray casts."""

from __future__ import annotations

import threading
import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from pyrave.jit import KernelModule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pyrave.geometry.mesh import Mesh
    from pyrave.spatial import Array

__all__ = ["MeshPool", "Tree", "build_tree", "mesh_tree"]

_kernels = KernelModule("pyrave.geometry.tree._kernels")

_LEAF_TRIANGLES = 4
_T = TypeVar("_T", bound=np.generic)


@dataclass(frozen=True, eq=False)
class Tree:
    """A bounding-volume tree; layout as in `pyrave.geometry.tree._kernels`.

    Parameters
    ----------
    bounds
        (nodes, 6) float64, lo xyz and hi xyz.
    links
        (nodes, 2) int32, first child or item and item count (0 for inner nodes).
    order
        (items,) int32, the items in the order of the leaves.
    """

    bounds: Array
    links: NDArray[np.int32]
    order: NDArray[np.int32]


def build_tree(lo: Array, hi: Array, leaf_size: int) -> Tree:
    """Build a tree over boxes with corners `lo`, `hi`, each (n, 3) float64."""
    n = len(lo)
    bounds = np.empty((2 * n, 6))
    links = np.empty((2 * n, 2), np.int32)
    order = np.empty(n, np.int32)
    nodes = _kernels.jit.build_tree(
        np.ascontiguousarray(lo),
        np.ascontiguousarray(hi),
        leaf_size,
        bounds,
        links,
        order,
    )
    return Tree(bounds[:nodes].copy(), links[:nodes].copy(), order)


@dataclass(frozen=True, eq=False)
class _MeshTree:
    tree: Tree
    corners: Array  # (m, 9) float64, triangles in the order of the leaves


_trees: weakref.WeakKeyDictionary[Mesh, _MeshTree] = weakref.WeakKeyDictionary()
_trees_lock = threading.Lock()


def mesh_tree(mesh: Mesh) -> _MeshTree:
    """Return the tree of a mesh; built at the first call, dropped with the mesh."""
    with _trees_lock:
        found = _trees.get(mesh)
    if found is not None:
        return found
    triangles = mesh.triangles()
    lo = triangles.min(axis=1) if len(triangles) else np.zeros((0, 3))
    hi = triangles.max(axis=1) if len(triangles) else np.zeros((0, 3))
    tree = build_tree(lo, hi, _LEAF_TRIANGLES)
    built = _MeshTree(tree, np.ascontiguousarray(triangles[tree.order].reshape(-1, 9)))
    with _trees_lock:
        # two threads may have built the same tree; both keep the first one stored
        return _trees.setdefault(mesh, built)


@dataclass(frozen=True, eq=False)
class MeshPool:
    """The trees of several meshes, one after the other, as the kernels read them.

    Parameters
    ----------
    bounds, links
        (nodes, 6) float64 and (nodes, 2) int32 of all trees; links count from the
        begin of their own mesh.
    corners, numbers
        (m, 9) float64 corners of all triangles in tree order, and (m,) int32 their
        numbers in their mesh.
    begins
        (meshes, 2) int32, where each mesh's nodes and triangles begin.
    """

    bounds: Array
    links: NDArray[np.int32]
    corners: Array
    numbers: NDArray[np.int32]
    begins: NDArray[np.int32]

    @classmethod
    def of(cls, meshes: Sequence[Mesh]) -> MeshPool:
        """Join the trees of meshes; a single mesh is not copied."""
        parts = [mesh_tree(mesh) for mesh in meshes]
        begins = np.zeros((len(parts) + 1, 2), np.int64)
        for k, part in enumerate(parts):
            begins[k + 1] = begins[k] + (len(part.tree.bounds), len(part.corners))
        return cls(
            _join([part.tree.bounds for part in parts], np.zeros((0, 6))),
            _join([part.tree.links for part in parts], np.zeros((0, 2), np.int32)),
            _join([part.corners for part in parts], np.zeros((0, 9))),
            _join([part.tree.order for part in parts], np.zeros(0, np.int32)),
            begins[:-1].astype(np.int32),
        )


def _join(arrays: list[NDArray[_T]], empty: NDArray[_T]) -> NDArray[_T]:
    if not arrays:
        return empty
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
