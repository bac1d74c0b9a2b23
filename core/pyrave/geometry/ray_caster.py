"""Choice of the kernels that cast rays: with vectors once compiled, else plain.

All give the same answers. Kernels with vectors are the quicker ones, but take many
seconds to compile, which another process does meanwhile; and a new numba may not
compile them at all.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.geometry.kernels.ray_block import BLOCK
from pyrave.geometry.workers import deal
from pyrave.jit import Kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from pyrave.geometry.raybundle import Bundle
    from pyrave.geometry.raysolids import RayTrees

NO_RAYS = np.empty(0, np.int64)

_KERNELS = "pyrave.geometry.kernels."
# Milliseconds that plain kernels are to have taken first: one picture does not gain by
# others.
_WORTH = 1500.0
_coherent = Kernel(
    _KERNELS + "coherent", "cast_coherent", "casts of rays from one point", 8,
    compile_after=_WORTH,
)  # fmt: skip
_incoherent = Kernel(
    _KERNELS + "incoherent", "cast_incoherent", "casts of single rays", 7,
    compile_after=_WORTH,
)  # fmt: skip
_cross = Kernel(_KERNELS + "all_hits", "cross", "crossings of rays", 7)
# Rays that are walked alone in a kernel for packets, where no other is compiled.
_FEW_RAYS = 256
# Crossings of rays that there is room for at first.
_ROOM = 1024
# Rough time that a ray takes in the interpreter.
_MILLISECONDS_PER_RAY = 2.0


class _Scalar:
    """The plain kernels, for scenes that have meshes, primitives or both."""

    def __init__(self, *, meshes: bool, primitives: bool) -> None:
        nothing = _KERNELS + "scalar_none"
        substitutes = {"pyrave.simd": "pyrave.simd.kernels.scalar"}
        if not meshes:
            substitutes[_KERNELS + "scalar_mesh"] = nothing
        if not primitives:
            substitutes[_KERNELS + "scalar_primitive"] = nothing

        def kernel(name: str, said: str) -> Kernel:
            said += ", for a start"
            return Kernel(
                _KERNELS + "scalar", name, said, 2, whole=True, substitutes=substitutes
            )

        self.cast = kernel("cast", "casts of rays")
        self.cross = kernel("cross", "crossings of rays")


_SCALAR = {
    (meshes, primitives): _Scalar(meshes=meshes, primitives=primitives)
    for meshes in (False, True)
    for primitives in (False, True)
}
KERNELS = {
    "cast_coherent": _coherent,
    "cast_incoherent": _incoherent,
    "cross": _cross,
}
"""Kernels by name: all but those that go on without vectors."""


def _scalar_for(trees: RayTrees) -> _Scalar:
    return _SCALAR[trees.has_meshes, trees.has_primitives]


def cast_nearest(
    rays: Bundle, trees: RayTrees, given: tuple[Any, ...], threads: int
) -> bool:
    """Cast rays; return whether each has a direction.

    Parameters
    ----------
    given
        What all kernels take of rays, scene and results.
    """
    scalar = _scalar_for(trees)
    from_one_point = rays.from_one_point
    wanted = _coherent if from_one_point else _incoherent
    if wanted.function is None:
        kernel = scalar.cast.early(_MILLISECONDS_PER_RAY * rays.count)
        if kernel is not None:
            done: bool = kernel(
                NO_RAYS, 0, rays.count, *given, *_scratch.arrays_for(scalar.cast)
            )
            return done
    if from_one_point:
        fine = _cast_coherent(rays, scalar, given, threads)
        if fine is not None:
            return fine
        plain, count = scalar.cast, rays.count
        return _cast_singly(plain, NO_RAYS, count, given, threads, _coherent)
    return _cast_incoherent(NO_RAYS, rays.count, scalar, given, threads)


def _cast_coherent(
    rays: Bundle, scalar: _Scalar, given: tuple[Any, ...], threads: int
) -> bool | None:
    """Cast rays from one point in packets, apart what is none; None if it cannot be."""
    todo: list[NDArray[np.int64]] = []
    kernel = _coherent.ready(at_once=False)
    if kernel is None:
        return None

    def walk(chosen: NDArray[np.int64], size: int, blocks: int) -> bool:
        def work(first: int, last: int) -> int:
            remaining = np.empty(size * (last - first), np.int64)
            count: int = kernel(
                chosen, rays.width, first, last, *given, remaining,
                *_scratch.arrays_for(_coherent),
            )  # fmt: skip
            if count > 0:
                todo.append(remaining[:count])
            return count

        return -1 not in deal(work, blocks, threads)

    if not walk(NO_RAYS, BLOCK, rays.blocks):
        return False
    if todo and sum(map(len, todo)) <= _FEW_RAYS:
        # no reason to compile other kernels: each of these is a packet
        chosen = np.concatenate(todo)
        todo.clear()
        walk(chosen, 1, len(chosen))
    if todo:
        chosen = np.concatenate(todo)
        return _cast_incoherent(chosen, len(chosen), scalar, given, threads)
    return True


def _cast_incoherent(
    chosen: NDArray[np.int64],
    count: int,
    scalar: _Scalar,
    given: tuple[Any, ...],
    threads: int,
) -> bool:
    """Cast `count` rays one by one, those that are chosen or all; see above."""
    if _incoherent.ready(at_once=False) is None:
        return _cast_singly(scalar.cast, chosen, count, given, threads, _incoherent)
    return _cast_singly(_incoherent, chosen, count, given, threads)


def _cast_singly(
    kernel: Kernel,
    chosen: NDArray[np.int64],
    count: int,
    given: tuple[Any, ...],
    threads: int,
    wanted: Kernel | None = None,
) -> bool:
    """Cast rays one by one; `wanted` is the kernel that would be quicker."""
    function = kernel.now()

    def work(first: int, last: int) -> bool:
        begin = 0.0 if wanted is None else time.thread_time()
        fine: bool = function(chosen, first, last, *given, *_scratch.arrays_for(kernel))
        if wanted is not None:
            wanted.went_without(time.thread_time() - begin)
        return fine

    return all(deal(work, count, threads))


class _Scratch(threading.local):
    """Scratch arrays of a thread's casts, for each kernel module."""

    def __init__(self) -> None:
        self._known: dict[Kernel, tuple[NDArray[Any], ...]] = {}

    def arrays_for(self, kernel: Kernel) -> tuple[NDArray[Any], ...]:
        arrays = self._known.get(kernel)
        if arrays is None:
            shapes = kernel.module.SCRATCH
            arrays = self._known[kernel] = tuple(np.empty(*shape) for shape in shapes)
        return arrays


_scratch = _Scratch()


def _crossing_kernel(
    trees: RayTrees, cost: float
) -> tuple[Callable[..., bool], tuple[NDArray[Any], ...]]:
    """Return the kernel for crossings that is to be had now, and its scratch arrays."""
    scalar = _scalar_for(trees)
    plain = None if _cross.function else scalar.cross.early(cost)
    if plain is None:
        kernel = _cross.ready()
        if kernel is not None:
            return kernel, ()
        plain = scalar.cross.auto(cost)
    return plain, _scratch.arrays_for(scalar.cast)


def cast_all(
    rays: Bundle,
    trees: RayTrees,
    seen: tuple[Any, ...],
    first: int,
    last: int,
    pieces: list[tuple[Any, ...]],
) -> bool:
    """Add the crossings of rays first..last as arrays; return whether all are rays.

    Room for them grows as it is found to be too little.

    Parameters
    ----------
    seen
        What kernels take of the scene.
    """
    kernel, scratch = _crossing_kernel(trees, _MILLISECONDS_PER_RAY * (last - first))
    room = max(_ROOM, 2 * (last - first))
    fine = True
    counts = np.empty(2, np.int64)
    while first < last:
        found = (
            np.empty(room, np.int64),
            np.empty(room, np.int32),
            np.empty(room, np.int32),
            np.empty(room),
        )
        fine &= kernel(
            rays.origins, rays.directions, rays.least, rays.most, first, last,
            *seen, *found, counts, *scratch,
        )  # fmt: skip
        count, reached = counts.tolist()
        pieces.append(tuple(array[:count].copy() for array in found))
        if reached == first:
            room *= 4
        first = reached
    return fine
