"""One ray and the eight boxes of a node, in float32.

The ray's origin is moved by an allowance for all rounding: no box is missed that holds
a hit (T. Ize, "Robust BVH ray traversal", JCGT 2(2), 2013).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.simd import (
    absolute,
    at,
    bits,
    choose,
    first,
    fused,
    greater,
    lesser,
    load8,
    lowest_bit,
    second,
    single,
    store,
    third,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    F32 = NDArray[np.float32]
    I32 = NDArray[np.int32]
    Aim = tuple[
        int, int, int, np.float32, np.float32, np.float32, np.float32, np.float32,
        np.float32, np.float32, np.float32, np.float32, np.float32,
    ]  # fmt: skip

# arrays are borrowed from the caller: no counting of references
JIT_OPTIONS: dict[str, dict[str, bool]] = {
    "*": {"_nrt": False},
    **{
        name: {"forceinline": True} for name in ("aimed", "entered", "pushed", "beyond")
    },
}
JIT_ENTRIES: dict[str, tuple[str, int]] = {}

# A ray's origin moves by this part of the largest coordinate when boxes are tested.
ALLOWANCE = np.float32(2.0**-21)
# Smallest component of a direction in float32: over the extent of a tree, a smaller one
# is far below the allowance.
FLATTEST = 1e-18
ZERO = np.float32(0.0)
UP = np.float32(1.0 + 2.0**-20)
DOWN = np.float32(1.0 - 2.0**-20)
# A ray that starts this many sizes of a mesh away is first brought near.
FAR = 32.0
NODE = 64  # numbers of a node of a tree
LINK = 48  # where those of its children begin


def beyond(distance: float) -> np.float32:
    """Return what the distance of no box exceeds that is nearer than `distance`."""
    return np.float32(distance) * UP


def aimed(o: Any, d: Any, size: float) -> Aim:
    """Return what `entered` needs of a ray, and the largest coordinate.

    Parameters
    ----------
    o, d
        Origin and direction, vectors of four, the last number of no meaning.
    size
        What no coordinate of a box exceeds.
    """
    flat = absolute(d) < FLATTEST
    # finite for any direction
    i = single(1.0 / choose(flat, choose(d < 0.0, -FLATTEST, FLATTEST), d))
    x = single(o)
    reach = max(abs(first(x)), abs(second(x)), abs(third(x)), np.float32(size))
    pad = ALLOWANCE * reach
    back = i < ZERO
    p = choose(back, -pad, pad)
    a, b = -(x + p) * i, -(x - p) * i
    turns = bits(back)
    return (
        24 * (turns & 1),
        8 + 24 * (turns >> 1 & 1),
        16 + 24 * (turns >> 2 & 1),
        first(i), second(i), third(i),
        first(a), second(a), third(a),
        first(b), second(b), third(b),
        reach,
    )  # fmt: skip


def entered(
    planes: F32, row: int, nx: int, ny: int, nz: int,
    ix: np.float32, iy: np.float32, iz: np.float32,
    ax: np.float32, ay: np.float32, az: np.float32,
    bx: np.float32, by: np.float32, bz: np.float32,
    least: np.float32, most: np.float32, entry: F32,
) -> int:  # fmt: skip
    """Return, as bits, the boxes that a ray meets of the node that begins at `row`.

    Where it enters them is written to `entry`.

    nx, ny, nz say where the rows of near planes begin; a and b are the origin times
    minus the reciprocal direction i, moved towards near and far planes.
    """
    near = greater(
        greater(
            fused(load8(planes, row + nx), ix, ax),
            fused(load8(planes, row + ny), iy, ay),
        ),
        greater(fused(load8(planes, row + nz), iz, az), least),
    )
    far = lesser(
        lesser(
            fused(load8(planes, row + 24 - nx), ix, bx),
            fused(load8(planes, row + 40 - ny), iy, by),
        ),
        lesser(fused(load8(planes, row + 56 - nz), iz, bz), most),
    )
    store(entry, 0, near)
    return bits(near <= far)


def pushed(
    links: I32, row: int, mask: int, top: int, stack: I32, entries: F32, entry: F32
) -> tuple[int, int]:
    """Push the children of a mask but the nearest; return that and the stack's top."""
    row += LINK
    j = lowest_bit(mask)
    mask &= mask - 1
    child = int(at(links, row + j))
    nearest = entry[j]
    while mask != 0:
        j = lowest_bit(mask)
        mask &= mask - 1
        t = entry[j]
        if t < nearest:
            stack[top] = child
            entries[top] = nearest
            nearest = t
            child = int(at(links, row + j))
        else:
            stack[top] = at(links, row + j)
            entries[top] = t
        top += 1
    return child, top
