"""One ray and a primitive, in plain arithmetic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave.geometry.kernels.primitives import interval
from pyrave.geometry.kernels.scalar_ray import ALL, LEAST, NO_TRIANGLE, take

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, I32, I64

# arrays are borrowed from the caller: no counting of references
JIT_NO_ARRAYS = ("*",)
JIT_ENTRIES = ()


def meet_primitive(
    mode: int, i: int,
    ox: float, oy: float, oz: float, dx: float, dy: float, dz: float,
    kinds: I32, dims: F64, numbers: I32,
    found: I32, found_row: I32, found_distance: F64, ray: F64, hit: I64,
) -> None:  # fmt: skip
    """Let a ray meet instance i, in whose frame it is o and d."""
    near, far = interval(
        kinds[i], dims[i, 0], dims[i, 1], dims[i, 2], ox, oy, oz, dx, dy, dz
    )
    if near > far:
        return
    first = near if mode == ALL or near >= ray[LEAST] else far
    take(
        mode, first, i, NO_TRIANGLE, numbers,
        found, found_row, found_distance, ray, hit,
    )  # fmt: skip
    if mode == ALL and far > near:
        take(
            mode, far, i, NO_TRIANGLE, numbers,
            found, found_row, found_distance, ray, hit,
        )  # fmt: skip
