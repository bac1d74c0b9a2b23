"""Depth of spheres, capsules and cylinders with parallel axes, by its closed form.

They are as deep in many directions, of which a polytope would need to have them all.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pyrave.geometry.kernels.primitives import CAPSULE, CYLINDER, SPHERE

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

    Depth = tuple[float, float, float, float, float, float, float]

JIT_OPTIONS = {"*": {"fastmath": {"nsz", "contract"}}}
JIT_ENTRIES = ()
JIT_NO_ARRAYS = ("*",)

PARALLEL = 1e-12
"""Squared sine of the largest angle between parallel axes."""


def have_parallel_axes(kind_a: int, kind_b: int, pose: F64) -> bool:
    """Return True if two solids are of these kinds, with axes that are parallel.

    A sphere has them all.
    """
    if kind_a == SPHERE:
        return kind_b in (SPHERE, CAPSULE, CYLINDER)
    if kind_a not in (CAPSULE, CYLINDER):
        return False
    if kind_b == SPHERE:
        return True
    square = pose[2] * pose[2] + pose[6] * pose[6]
    return bool(kind_b in (CAPSULE, CYLINDER) and square <= PARALLEL)


def depth_along_axes(
    radius_a: float, half_a: float, radius_b: float, half_b: float,
    first: bool, pose: F64,
) -> Depth:  # fmt: skip
    """Return the depth of two cylinders whose axes are parallel.

    Parameters
    ----------
    radius_a, half_a, radius_b, half_b
        Radii and half heights, metres. Both are 0 for a point, as the core of a sphere,
        and the radius for a segment, as that of a capsule.
    first
        Whether the axis is that of the first cylinder, because the second has none.
    pose
        (12,) T_b_a.

    Returns
    -------
    As `penetration`: depth, normal, and the deepest point of the first.
    """
    ux, uy, uz = 0.0, 0.0, 1.0
    if first:
        ux, uy, uz = pose[2], pose[6], pose[10]
    x, y, z = pose[3], pose[7], pose[11]
    along = x * ux + y * uy + z * uz
    x, y, z = x - along * ux, y - along * uy, z - along * uz
    apart = math.sqrt(x * x + y * y + z * z)
    if apart > 0.0:
        x, y, z = x / apart, y / apart, z / apart
    else:
        # any way across the axis
        x, y, z = (1.0 - ux * ux, -ux * uy, -ux * uz)
        if abs(ux) > 0.5:
            x, y, z = (-uy * ux, 1.0 - uy * uy, -uy * uz)
        length = math.sqrt(x * x + y * y + z * z)
        x, y, z = x / length, y / length, z / length
    outwards = radius_a + radius_b - apart
    upwards = half_a + half_b - abs(along)
    if outwards < upwards:
        height = common(along, half_a, half_b)
        side = apart - radius_a
        return (
            outwards, -x, -y, -z,
            height * ux + side * x, height * uy + side * y, height * uz + side * z,
        )  # fmt: skip
    sign = math.copysign(1.0, along)
    height = along - sign * half_a
    side = common(apart, radius_a, radius_b)
    return (
        upwards, -sign * ux, -sign * uy, -sign * uz,
        height * ux + side * x, height * uy + side * y, height * uz + side * z,
    )  # fmt: skip


def common(at: float, half_a: float, half_b: float) -> float:
    """Return the middle of the overlap of two intervals, one of them about 0."""
    return 0.5 * (max(at - half_a, -half_b) + min(at + half_a, half_b))
