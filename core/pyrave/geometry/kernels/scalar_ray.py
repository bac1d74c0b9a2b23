"""One ray: what it has met, and how it goes down a tree, in plain arithmetic.

Trees are walked in float64, which needs no allowances for rays from afar.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pyrave.geometry.kernels.bvh import LINKS, ORDERS, WIDTH
from pyrave.geometry.kernels.exact import LONGEST, SHORTEST
from pyrave.simd import maximum, minimum

if TYPE_CHECKING:
    from pyrave.jit.arrays import F32, F64, I32, I64

# arrays are borrowed from the caller: no counting of references
JIT_NO_ARRAYS = ("*",)
JIT_ENTRIES = ()

# What `walk` looks for: the nearest surface, any, or all.
NEAREST, ANY, ALL = 0, 1, 2
# Of `ray`: origin and unit direction in the world, range, of which the end moves to the
# nearest hit; then the ray in the tree of the scene, and in that of a mesh.
O, D, LEAST, MOST, SCENE, TREE = 0, 3, 6, 7, 8, 24
RAY = 40
# Of a ray in a tree: origin, direction, its reciprocal, minus the origin times that,
# moved towards near planes and towards far ones; the largest coordinate.
AT, TO, INVERSE, TO_NEAR, TO_FAR, REACH = 0, 3, 6, 9, 12, 15
# Of `hit`: instance and row of the nearest hit; number of all hits.
INSTANCE, ROW, COUNT = 0, 1, 2
NO_TRIANGLE = -1
# Smallest component of a direction: over the extent of a tree, a smaller one is far
# below the allowance.
FLATTEST = 1e-18
# A ray's origin moves by these parts of the largest coordinate, of which not more than
# some sizes of the tree count, or all.
PAD = 2.0**-21
FAR_PAD = 2.0**-40
FAR = 32.0


def load(
    r: int, origins: F64, directions: F64, least: F64, most: F64, ray: F64
) -> bool:
    """Load ray r, its direction of unit length; return whether it has one."""
    o = r if origins.shape[0] > 1 else 0
    total = 0.0
    for a in range(3):
        d = directions[r, a]
        ray[O + a] = origins[o, a]
        ray[D + a] = d
        total += d * d
    ray[LEAST] = least[r if least.shape[0] > 1 else 0]
    ray[MOST] = most[r if most.shape[0] > 1 else 0]
    length = math.sqrt(total)
    valid = length > SHORTEST and length < LONGEST
    scale = 1.0 / length if valid else 0.0
    for a in range(3):
        ray[D + a] *= scale
    if not valid:
        ray[D], ray[D + 1], ray[D + 2] = 1.0, 0.0, 0.0
    return valid


def aim(
    x: float, y: float, z: float, dx: float, dy: float, dz: float, size: float,
    ray: F64, tree: int,
) -> None:  # fmt: skip
    """Describe a ray to a tree, of which no coordinate exceeds a size."""
    ray[tree + AT], ray[tree + AT + 1], ray[tree + AT + 2] = x, y, z
    ray[tree + TO], ray[tree + TO + 1], ray[tree + TO + 2] = dx, dy, dz
    reach = maximum(maximum(abs(x), abs(y)), maximum(abs(z), size))
    ray[tree + REACH] = reach
    pad = PAD * minimum(reach, FAR * size) + FAR_PAD * reach
    for a in range(3):
        d = ray[tree + TO + a]
        if abs(d) < FLATTEST:
            d = math.copysign(FLATTEST, d)
        inverse = 1.0 / d
        moved = math.copysign(pad, d)
        ray[tree + INVERSE + a] = inverse
        ray[tree + TO_NEAR + a] = -(ray[tree + AT + a] + moved) * inverse
        ray[tree + TO_FAR + a] = -(ray[tree + AT + a] - moved) * inverse


def push(
    planes: F32, links: I32, node: int, ray: F64, tree: int,
    top: int, stack: I64, entries: F64, slots: F64,
) -> int:  # fmt: skip
    """Push the children of a node that a ray meets, the nearest last."""
    ix, iy, iz = (
        ray[tree + INVERSE],
        ray[tree + INVERSE + 1],
        ray[tree + INVERSE + 2],
    )
    x0, y0, z0 = (
        ray[tree + TO_NEAR],
        ray[tree + TO_NEAR + 1],
        ray[tree + TO_NEAR + 2],
    )
    x1, y1, z1 = (
        ray[tree + TO_FAR],
        ray[tree + TO_FAR + 1],
        ray[tree + TO_FAR + 2],
    )
    least, most = ray[LEAST], ray[MOST]
    x = 1 if ix < 0.0 else 0
    y = 1 if iy < 0.0 else 0
    z = 1 if iz < 0.0 else 0
    a, b, c = 3 * x, 1 + 3 * y, 2 + 3 * z
    for k in range(WIDTH):
        slots[0, k] = maximum(
            maximum(planes[node, a, k] * ix + x0, planes[node, b, k] * iy + y0),
            maximum(planes[node, c, k] * iz + z0, least),
        )
        slots[1, k] = minimum(
            minimum(planes[node, 3 - a, k] * ix + x1, planes[node, 5 - b, k] * iy + y1),
            minimum(planes[node, 7 - c, k] * iz + z1, most),
        )
    row = WIDTH * WIDTH * node
    order = links[row + WIDTH * ORDERS + x + 2 * y + 4 * z]
    for _ in range(WIDTH):
        k = order & 7
        order >>= 3
        stack[top] = links[row + WIDTH * LINKS + k]
        entries[top] = slots[0, k]
        top += 1 if slots[0, k] <= slots[1, k] else 0
    return top


def take(
    mode: int, t: float, i: int, k: int, numbers: I32,
    found: I32, found_row: I32, found_distance: F64, ray: F64, hit: I64,
) -> None:  # fmt: skip
    """Take a surface at distance t if it is in range and what the ray looks for.

    Of equal distances the lower instance, and of one instance the lower triangle number
    wins.
    """
    if not (t >= ray[LEAST] and t <= ray[MOST]):
        return
    if mode == ALL:
        n = hit[COUNT]
        hit[COUNT] = n + 1
        if n < found.shape[0]:
            found[n] = i
            found_row[n] = k
            found_distance[n] = t
        return
    j = hit[INSTANCE]
    if t == ray[MOST] and (
        (0 <= j < i) or (i == j and k >= 0 and numbers[k] >= numbers[hit[ROW]])
    ):
        return
    ray[MOST] = t
    hit[INSTANCE] = i
    hit[ROW] = k


def order(
    found: I32, found_row: I32, found_distance: F64, numbers: I32, begin: int, end: int
) -> None:
    """Sort the crossings of one ray, of which there are few, by insertion."""
    for k in range(begin + 1, end):
        t, i, row = found_distance[k], found[k], found_row[k]
        number = numbers[row] if row >= 0 else -1
        j = k
        while j > begin:
            before = found_distance[j - 1]
            if before < t:
                break
            if before == t:
                other = numbers[found_row[j - 1]] if found_row[j - 1] >= 0 else -1
                if found[j - 1] < i or (found[j - 1] == i and other <= number):
                    break
            found_distance[j] = before
            found[j] = found[j - 1]
            found_row[j] = found_row[j - 1]
            j -= 1
        found_distance[j] = t
        found[j] = i
        found_row[j] = row
