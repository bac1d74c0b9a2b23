"""One ray and a mesh, in plain arithmetic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave.geometry.kernels.bvh import WIDTH
from pyrave.geometry.kernels.exact import BY_EDGE, BY_PLACE, distance
from pyrave.geometry.kernels.scalar_ray import (
    ANY,
    AT,
    INSTANCE,
    MOST,
    REACH,
    TO,
    TREE,
    aim,
    push,
    take,
)
from pyrave.simd import minimum

if TYPE_CHECKING:
    from pyrave.jit.arrays import F32, F64, I32, I64

# arrays are borrowed from the caller: no counting of references
JIT_NO_ARRAYS = ("*",)
JIT_ENTRIES = ()


def meet_mesh(
    mode: int, i: int,
    ox: float, oy: float, oz: float, dx: float, dy: float, dz: float,
    places: I32, frames: F64,
    planes: F32, links: I32, groups: F32, firsts: I32, corners: F64, numbers: I32,
    found: I32, found_row: I32, found_distance: F64,
    ray: F64, hit: I64, bottom: int, stack: I64, entries: F64, slots: F64,
) -> None:  # fmt: skip
    """Let a ray meet the triangles of instance i, in whose frame it is o and d.

    Links of the mesh's tree lie above `bottom` on the stack.
    """
    aim(
        ox - frames[i, 0], oy - frames[i, 1], oz - frames[i, 2], dx, dy, dz,
        frames[i, 3], ray, TREE,
    )  # fmt: skip
    stack[bottom] = 0
    entries[bottom] = 0.0
    top = bottom + 1
    while top > bottom:
        top -= 1
        if entries[top] > ray[MOST]:
            continue
        link = stack[top]
        if link >= 0:
            top = push(
                planes, links, places[i, 0] + link, ray, TREE,
                top, stack, entries, slots,
            )  # fmt: skip
            continue
        g = places[i, 1] + ~link
        pick(groups, g, ray, slots)
        for j in range(WIDTH):
            if not slots[0, j] >= 0.0:
                continue
            k = places[i, 2] + firsts[g] + j
            t = distance(corners, k, ox, oy, oz, dx, dy, dz)
            take(mode, t, i, k, numbers, found, found_row, found_distance, ray, hit)
        if mode == ANY and hit[INSTANCE] >= 0:
            return


def pick(groups: F32, g: int, ray: F64, slots: F64) -> None:
    """Mark the triangles of a leaf that the exact test may accept.

    T. Moeller, B. Trumbore, "Fast, minimum storage ray/triangle intersection", 1997,
    with allowance for triangles rounded to float32.
    """
    ox, oy, oz = ray[TREE + AT], ray[TREE + AT + 1], ray[TREE + AT + 2]
    dx, dy, dz = ray[TREE + TO], ray[TREE + TO + 1], ray[TREE + TO + 2]
    reach, most = BY_PLACE * ray[TREE + REACH], ray[MOST]
    for j in range(WIDTH):
        ax, ay, az = ox - groups[g, 0, j], oy - groups[g, 1, j], oz - groups[g, 2, j]
        ex, ey, ez = groups[g, 3, j], groups[g, 4, j], groups[g, 5, j]
        fx, fy, fz = groups[g, 6, j], groups[g, 7, j], groups[g, 8, j]
        size = groups[g, 9, j]
        slack = size * (size * BY_EDGE + reach)
        # p = d x f, det = e.p, u = a.p / det; q = a x e, v = d.q / det, t = f.q / det
        px, py, pz = fz * dy - fy * dz, fx * dz - fz * dx, fy * dx - fx * dy
        qx, qy, qz = ay * ez - az * ey, az * ex - ax * ez, ax * ey - ay * ex
        det = ex * px + ey * py + ez * pz
        u = ax * px + ay * py + az * pz
        v = qx * dx + qy * dy + qz * dz
        t = fx * qx + fy * qy + fz * qz
        sign = 1.0 if det >= 0.0 else -1.0
        u, v, t = u * sign, v * sign, t * sign
        above = det * sign + slack
        deep = slack * size
        # nan in slots without a triangle
        slots[0, j] = minimum(
            minimum(minimum(u, v) + slack, above - u - v),
            minimum(t, above * most - t) + deep,
        )
