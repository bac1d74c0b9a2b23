"""Rays and the eight boxes of a node, in float32.

The ray's origin is moved by an allowance for all rounding: no box is missed that holds
a hit (T. Ize, "Robust BVH ray traversal", JCGT 2(2), 2013).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.simd import (
    absolute,
    at,
    count_bits,
    fma,
    load8,
    lowest_bit,
    maximum,
    minimum,
    movemask,
    permuted,
    single,
    store,
    where,
)

if TYPE_CHECKING:
    from pyrave.jit.arrays import F32, I32

# arrays are borrowed from the caller: no counting of references
JIT_NO_ARRAYS = ("*",)
JIT_OPTIONS = {
    name: {"forceinline": True}
    for name in (
        "aim",
        "aim_along",
        "box_intervals",
        "stacked",
        "octant_of",
        "pushed",
        "beyond",
    )
}
JIT_ENTRIES = ()

# A ray's origin moves by this part of the largest coordinate when boxes are tested.
ALLOWANCE = np.float32(2.0**-21)
# Smallest component of a direction in float32: over the extent of a tree, a smaller one
# is far below the allowance.
FLATTEST = 1e-18
ZERO = np.float32(0.0)
UP = np.float32(1.0 + 2.0**-20)
DOWN = np.float32(1.0 - 2.0**-20)
NODE = 64  # numbers of a node of a tree
LINK = 48  # where those of its children begin
ORDER = 56  # and where the orders of these
# rows of `aims`, (AIM, COLUMNS); those of vectors are three
TO_NEAR, TO_FAR, ORIGIN, DIRECTION = 3, 6, 9, 12
REACH, NEAREST, FARTHEST = 15, 16, 17
AIM = 18
COLUMNS = 80
# for each mask of eight the places of its bits, three bits each
PLACES = np.array(
    [
        sum(
            place << 3 * k
            for k, place in enumerate(place for place in range(8) if mask >> place & 1)
        )
        for mask in range(256)
    ],
    np.int32,
)


def beyond(distance: float) -> np.float32:
    """Return a bound above the distance of all boxes nearer than `distance`."""
    return np.float32(distance) * UP


def aim(
    ox: Any, oy: Any, oz: Any, dx: Any, dy: Any, dz: Any,
    size: float, least: Any, most: Any, aims: F32, k: int,
) -> None:  # fmt: skip
    """Write the data of a ray, or of 16, for walks to columns k and after.

    Parameters
    ----------
    ox, oy, oz, dx, dy, dz
        Origin and direction in the frame of a tree.
    size
        What no coordinate of its boxes exceeds.
    least, most
        Range, metres.
    aims
        Output, (AIM, COLUMNS): reciprocal direction i; minus the origin times i, moved
        towards near planes and towards far ones; origin; direction; the largest
        absolute coordinate; and the range, no narrower than it is.
    """
    x, y, z = single(ox), single(oy), single(oz)
    reach = maximum(
        maximum(absolute(x), absolute(y)), maximum(absolute(z), np.float32(size))
    )
    pad = ALLOWANCE * reach
    aim_along(x, dx, pad, aims, k)
    aim_along(y, dy, pad, aims, COLUMNS + k)
    aim_along(z, dz, pad, aims, 2 * COLUMNS + k)
    store(aims, REACH * COLUMNS + k, reach)
    store(aims, NEAREST * COLUMNS + k, maximum(single(least) * DOWN, ZERO))
    store(aims, FARTHEST * COLUMNS + k, single(most) * UP)


def aim_along(x: Any, d: Any, pad: Any, aims: F32, place: int) -> None:
    """Write the part of `aim` for one axis."""
    # finite for any direction
    some = where(absolute(d) < FLATTEST, where(d < 0.0, -FLATTEST, FLATTEST), d)
    i = single(1.0 / some)
    p = where(i < ZERO, -pad, pad)
    store(aims, place, i)
    store(aims, TO_NEAR * COLUMNS + place, -(x + p) * i)
    store(aims, TO_FAR * COLUMNS + place, -(x - p) * i)
    store(aims, ORIGIN * COLUMNS + place, x)
    store(aims, DIRECTION * COLUMNS + place, single(d))


def octant_of(aims: F32, k: int) -> int:
    """Return the octant of the direction of the ray in column k."""
    return (
        int(aims[0, k] < ZERO) + 2 * int(aims[1, k] < ZERO) + 4 * int(aims[2, k] < ZERO)
    )


def box_intervals(planes: F32, row: int, octant: int, aims: F32, k: int) -> Any:
    """Return the distances at which a ray enters and leaves the boxes of a node.

    A box that it does not meet it leaves before it enters.
    """
    near_x = 24 * (octant & 1)
    near_y = 8 + 24 * (octant >> 1 & 1)
    near_z = 16 + 24 * (octant >> 2)
    ix, iy, iz = aims[0, k], aims[1, k], aims[2, k]
    near = maximum(
        maximum(
            fma(load8(planes, row + near_x), ix, aims[TO_NEAR, k]),
            fma(load8(planes, row + near_y), iy, aims[TO_NEAR + 1, k]),
        ),
        maximum(
            fma(load8(planes, row + near_z), iz, aims[TO_NEAR + 2, k]),
            aims[NEAREST, k],
        ),
    )
    far = minimum(
        minimum(
            fma(load8(planes, row + 24 - near_x), ix, aims[TO_FAR, k]),
            fma(load8(planes, row + 40 - near_y), iy, aims[TO_FAR + 1, k]),
        ),
        minimum(
            fma(load8(planes, row + 56 - near_z), iz, aims[TO_FAR + 2, k]),
            aims[FARTHEST, k],
        ),
    )
    return near, far


def stacked(
    planes: F32, links: I32, row: int, octant: int,
    aims: F32, k: int, top: int, stack: I32, entries: F32,
) -> int:  # fmt: skip
    """Push the children that the ray in column k meets; return the top of the stack.

    The nearest, as the octant has it, comes last. Nothing branches, so that several
    rays can be worked on at once; eight places above the top are written in any case.
    """
    near, far = box_intervals(planes, row, octant, aims, k)
    order = at(links, row + ORDER + octant)
    near = permuted(near, order)
    mask = movemask(near <= permuted(far, order))
    chosen = at(PLACES, mask)
    store(entries, top, permuted(near, chosen))
    store(stack, top, permuted(permuted(load8(links, row + LINK), order), chosen))
    return top + count_bits(mask)


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
