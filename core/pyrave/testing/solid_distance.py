"""Distances of simple solids by closed forms, to compare collision checkers with."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.scene import Box, Capsule, Cylinder, Sphere

if TYPE_CHECKING:
    from pyrave.spatial import Array

    Solid = Box | Sphere | Cylinder | Capsule


def point_distance(point: Array, solid: Solid, pose: Array) -> float:
    """Return the signed distance of a point to the surface of a solid, metres.

    Parameters
    ----------
    point
        (3,) world.
    pose
        (4, 4) T_world_solid.
    """
    beyond: tuple[float, ...]
    x, y, z = ((point - pose[:3, 3]) @ pose[:3, :3]).tolist()
    match solid:
        case Sphere():
            return math.hypot(x, y, z) - solid.radius
        case Capsule():
            along = max(abs(z) - 0.5 * solid.height, 0.0)
            return math.hypot(x, y, along) - solid.radius
        case Cylinder():
            beyond = (math.hypot(x, y) - solid.radius, abs(z) - 0.5 * solid.height)
        case Box():
            sides = zip((x, y, z), solid.half_extents, strict=True)
            beyond = tuple(abs(value) - half for value, half in sides)
    outside = math.hypot(*(max(one, 0.0) for one in beyond))
    return float(outside + min(max(beyond), 0.0))


def boxes_overlap(one: Box, T_one: Array, other: Box, T_other: Array) -> bool:  # noqa: N803
    """Return True if two boxes touch: no axis of 15 separates them.

    Gottschalk, Lin and Manocha, "OBBTree: a hierarchical structure for rapid
    interference detection", 1996, section 5.
    """
    axes = [*T_one[:3, :3].T, *T_other[:3, :3].T]
    axes += [np.cross(a, b) for a in T_one[:3, :3].T for b in T_other[:3, :3].T]
    between = T_other[:3, 3] - T_one[:3, 3]
    for axis in axes:
        reach = sum(
            float(np.abs(axis @ pose[:3, :3]) @ box.half_extents)
            for box, pose in ((one, T_one), (other, T_other))
        )
        if abs(float(axis @ between)) > reach + 1e-12:
            return False
    return True
