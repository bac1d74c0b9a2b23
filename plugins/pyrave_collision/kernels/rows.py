"""Shapes and boxes of many solids at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave_collision.kernels.movers import place_bounds
from pyrave_collision.kernels.shapes import write_shape

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, I32, I64

JIT_ENTRIES = ("write_shapes", "write_bounds")
JIT_NO_ARRAYS = ("*",)


def write_shapes(
    kinds: I32, sizes: F64, centres: F64, vertices: F64, ranges: I64, shapes: F64
) -> None:
    """Write the rows of n solids; see `pyrave_collision.kernels.shapes.write_shape`."""
    for k in range(len(kinds)):
        write_shape(
            kinds[k], sizes[k], centres[k], vertices, ranges[k, 0], ranges[k, 1],
            shapes[k],
        )  # fmt: skip


def write_bounds(shapes: F64, poses: F64, bounds: F64) -> None:
    """Write the boxes (n, 6) of solids at poses (n, 16)."""
    for g in range(shapes.shape[0]):
        place_bounds(g, shapes, poses, bounds)
