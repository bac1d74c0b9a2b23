"""Search trees of meshes, built once per mesh, and pools of them for ray casts."""

from __future__ import annotations

import threading
import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from pyrave.geometry.kernels.bvh import FAR
from pyrave.jit import Kernel

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from pyrave.geometry.mesh import Mesh
    from pyrave.jit.arrays import F32, I32, I64
    from pyrave.spatial import Array

_bvh = "pyrave.geometry.kernels.bvh"
_moves = "pyrave.geometry.kernels.box_moves"
_tree_of_boxes = Kernel(
    _bvh, "tree_of_boxes", "search trees of scenes", 2.5,
    compile_after=500.0, whole=True,
)  # fmt: skip
_refit = Kernel(
    _moves, "refit", "moves of search trees", 1, compile_after=500.0, whole=True
)
_store_boxes = Kernel(_moves, "store_boxes", compile_after=500.0)
_plant = Kernel(_bvh, "plant_triangles", "search trees of meshes", 2.5, whole=True)
_grow = Kernel(_bvh, "grow_triangles", "search trees of meshes", 2.5, whole=True)
KERNELS = {
    "tree_of_boxes": _tree_of_boxes,
    "refit": _refit,
    "store_boxes": _store_boxes,
    "plant_triangles": _plant,
    "grow_triangles": _grow,
}
"""Kernels by name."""

_LEAF_TRIANGLES = 8
_CACHE_LINE = 64
# A tree over boxes is rebuilt once moves have made it so much worse.
_WORSE = 1.4
# Rough times that kernels take in the interpreter.
_MILLISECONDS_PER_BOX = 0.25
_MILLISECONDS_PER_REFIT = 0.07
_MILLISECONDS_PER_NODE = 0.006
_MILLISECONDS_PER_STORE = 0.02
_MILLISECONDS_PER_PLANT = 0.08  # of a triangle
_MILLISECONDS_PER_GROW = 0.02
# More triangles are worth compiling for, both kernels at a time.
_FEW_TRIANGLES = 1000
_T = TypeVar("_T", bound=np.generic)


class BoxTree:
    """A wide tree over boxes that move; layout as in `pyrave.geometry.kernels.bvh`.

    Not for use by several threads while boxes change.

    Parameters
    ----------
    bounds
        (n, 6) float64, lower and upper corners of the boxes; what is beyond `bvh.FAR`
        counts as there.
    """

    def __init__(self, bounds: Array) -> None:
        n = len(bounds)
        bounds = np.clip(bounds, -FAR, FAR)
        low = bounds[:, :3].min(axis=0) if n else np.zeros(3)
        high = bounds[:, 3:].max(axis=0) if n else np.zeros(3)
        self.frame = np.array(
            (*(0.5 * (low + high)), float((high - low).max(initial=0.0)))
        )
        """(4,) float64, centre of the float32 boxes and what no coordinate exceeds."""
        self._boxes = np.empty((n, 6), np.float32)
        self._build(np.arange(n), bounds)

    def _build(self, which: I64, bounds: Array) -> None:
        self._store(which, bounds)
        planes = aligned((max(len(self._boxes), 1), 8, 8), np.float32)
        slots = planes.view(np.int32)
        build = _tree_of_boxes.auto(_MILLISECONDS_PER_BOX * len(self._boxes))
        count = build(self._boxes.copy(), planes, slots)
        self.planes: F32 = aligned((count, 8, 8), np.float32)
        """(nodes, 8, 8) float32."""
        self.planes[:] = planes[:count]
        self._slots = self.planes.view(np.int32)
        self.links: I32 = self._slots.reshape(-1)
        """(64 nodes,) int32, the same memory."""
        self._cost = self._refitted()

    def move(self, which: I64, bounds: Array) -> None:
        """Give new corners to some boxes; the tree is refitted, or rebuilt.

        Parameters
        ----------
        which
            (m,) boxes that moved.
        bounds
            (n, 6) corners of all boxes; those of the others are not looked at.
        """
        if len(which) == 0:
            return
        self._store(which, bounds)
        cost = self._refitted()
        if not cost <= _WORSE * self._cost:
            self._build(which, bounds)

    def _refitted(self) -> float:
        """Fit the tree to the boxes; return a measure of what it costs a ray."""
        cost = _MILLISECONDS_PER_REFIT + _MILLISECONDS_PER_NODE * len(self.planes)
        refit = _refit.auto(cost)
        return float(refit(self.planes, self._slots, self._boxes))

    def _store(self, which: I64, bounds: Array) -> None:
        store_boxes = _store_boxes.auto(_MILLISECONDS_PER_STORE)
        store_boxes(which, bounds, self.frame, self._boxes)


def aligned(shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """Return an empty array that begins where a cache line does."""
    kind = np.dtype(dtype)
    size = int(np.prod(shape)) * kind.itemsize
    memory = np.empty(size + _CACHE_LINE, np.uint8)
    begin = -memory.ctypes.data % _CACHE_LINE
    array: NDArray[Any] = memory[begin : begin + size].view(kind).reshape(shape)
    return array


@dataclass(frozen=True, eq=False)
class MeshTree:
    """The wide tree of a mesh; layout as in `pyrave.geometry.kernels.bvh`.

    Parameters
    ----------
    planes
        (nodes, 8, 8) float32, boxes and links of the children.
    groups, firsts
        (leaves, 10, 8) float32 and (leaves,) int32: triangles of a leaf, and the row of
        its first one.
    corners, numbers
        (m, 9) float64 corners of the triangles in the order of the leaves, and (m,)
        int32 their numbers in the mesh.
    frame
        (4,) float64, centre of the float32 coordinates, and what none exceeds.
    """

    planes: F32
    groups: F32
    firsts: I32
    corners: Array
    numbers: I32
    frame: Array


_trees: weakref.WeakKeyDictionary[Mesh, MeshTree] = weakref.WeakKeyDictionary()
_lock = threading.Lock()


def mesh_tree(mesh: Mesh) -> MeshTree:
    """Return the tree of a mesh; built at the first call, dropped with the mesh."""
    with _lock:
        found = _trees.get(mesh)
    if found is not None:
        return found
    built = _build(mesh)
    with _lock:
        # two threads may have built the same tree; both keep the first one stored
        return _trees.setdefault(mesh, built)


def _build(mesh: Mesh) -> MeshTree:
    n = len(mesh.faces)
    centre, half = mesh.aabb if n else (np.zeros(3), np.zeros(3))
    centre = np.array(centre)
    bounds = np.empty((2 * n, 6), np.float32)
    links = np.empty((2 * n, 2), np.int32)
    order = np.empty(n, np.int32)
    count = 0
    if n:
        if n > _FEW_TRIANGLES:
            _grow.prepare()
        count = _plant.auto(_MILLISECONDS_PER_PLANT * n)(
            mesh.vertices, mesh.faces, centre, _LEAF_TRIANGLES, bounds, links, order
        )
    leaves = int(np.count_nonzero(links[:count, 1]))
    planes = aligned((max(leaves, 1), 8, 8), np.float32)
    groups = aligned((leaves, 10, 8), np.float32)
    firsts = np.empty(leaves, np.int32)
    corners = aligned((n, 9), np.float64)
    nodes = 0
    if n:
        nodes = _grow.auto(_MILLISECONDS_PER_GROW * n)(
            mesh.vertices, mesh.faces, centre, bounds[:count], links[:count], order,
            planes, planes.view(np.int32), groups, firsts, corners,
        )  # fmt: skip
    # the centre is rounded, so a coordinate may exceed the half extent a little
    size = float(half.max(initial=0.0)) + 1e-12 * float(np.abs(centre).max())
    frame = np.array((*centre, size))
    # what was not written of the planes takes no memory
    return MeshTree(planes[:nodes], groups, firsts, corners, order, frame)


@dataclass(frozen=True, eq=False)
class MeshPool:
    """The trees of several meshes, one after the other, as the kernels read them.

    Parameters
    ----------
    planes, links, groups, firsts, corners, numbers
        As in `MeshTree`; `links` is the memory of `planes` as int32, flat. Numbers of
        nodes, leaves and triangles count from the begin of their own mesh.
    begins
        (meshes, 3) int32, where each mesh's nodes, leaves and triangles begin.
    frames
        (meshes, 4) float64.
    """

    planes: F32
    links: I32
    groups: F32
    firsts: I32
    corners: Array
    numbers: I32
    begins: I32
    frames: Array

    @classmethod
    def from_meshes(cls, meshes: Sequence[Mesh]) -> MeshPool:
        """Join the trees of meshes; scenes with the same meshes share the result.

        The trees themselves are on its memory afterwards.
        """
        key = tuple(meshes)
        with _lock:
            found = _pools.get(key)
        if found is not None:
            return found
        joined = cls._joined([mesh_tree(mesh) for mesh in meshes])
        with _lock:
            pool = _pools.setdefault(key, joined)
            if len(meshes) > 1:
                # the memory of the pool is theirs from now on
                _trees.update(zip(meshes, pool.parts(), strict=True))
        return pool

    def parts(self) -> Iterator[MeshTree]:
        """Yield the tree of each mesh, on the memory of the pool."""
        counts = (len(self.planes), len(self.groups), len(self.corners))
        ends = np.vstack([self.begins[1:], counts]).tolist()
        for begin, end, frame in zip(
            self.begins.tolist(), ends, self.frames, strict=True
        ):
            nodes, leaves, triangles = map(slice, begin, end)
            yield MeshTree(
                self.planes[nodes],
                self.groups[leaves],
                self.firsts[leaves],
                self.corners[triangles],
                self.numbers[triangles],
                frame,
            )

    @classmethod
    def _joined(cls, parts: Sequence[MeshTree]) -> MeshPool:
        counts = [(len(p.planes), len(p.groups), len(p.corners)) for p in parts]
        ends = np.cumsum(np.array([(0, 0, 0), *counts], np.int64), axis=0)
        planes = _join([part.planes for part in parts], (0, 8, 8), np.float32)
        return cls(
            planes,
            planes.view(np.int32).reshape(-1),
            _join([part.groups for part in parts], (0, 10, 8), np.float32),
            _join([part.firsts for part in parts], (0,), np.int32),
            _join([part.corners for part in parts], (0, 9), np.float64),
            _join([part.numbers for part in parts], (0,), np.int32),
            ends[:-1].astype(np.int32),
            np.array([part.frame for part in parts]).reshape(-1, 4),
        )


# a pool lives as long as a scene that uses it, and keeps its meshes
_pools: weakref.WeakValueDictionary[tuple[Mesh, ...], MeshPool] = (
    weakref.WeakValueDictionary()
)


def _join(
    arrays: list[NDArray[_T]], empty: tuple[int, ...], dtype: type[_T]
) -> NDArray[_T]:
    """Return arrays one after the other; a single one as it is."""
    if len(arrays) == 1:
        return arrays[0]
    joined = aligned((sum(map(len, arrays)), *empty[1:]), dtype)
    if arrays:
        np.concatenate(arrays, out=joined)
    return joined
