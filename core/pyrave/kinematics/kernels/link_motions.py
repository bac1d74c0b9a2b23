"""Bounds of the motions of a body's links, in a short motion of its joints.

To first order by their twists; the rest is bounded by what turns about all axes on the
way to a link can bend the path of its points. `screws` (n, SCREW_WIDTH) belong to the
rows of `forward_kinematics`, in the same order: the twist of a unit rate in the frame
of the parent (linear part at its origin first), and two distances.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pyrave.kinematics.kernels.forward_kinematics import KIND, NODE, PARENT, VALUE
from pyrave.kinematics.kernels.motion import BALL, FIXED, SLIDE, cross

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

JIT_OPTIONS = {"*": {"fastmath": {"contract"}}}
JIT_ENTRIES = ()

OFF = 6
"""Column: how far the node is from the axis, metres."""
AWAY = 7
"""Column: how far the node is from its parent at most; of a slide at value zero."""
SCREW_WIDTH = 8

BEND = 6
"""Column of a motion behind the twist: how far off the twist the points of a link get,
metres."""
CURVE, CURVES, LOOSE, LOOSES, TURNS = 7, 8, 9, 10, 11
"""Columns of a motion: second derivative of the path of the node's origin at most, and
how much it grows by the metre; the same for how far what has no derivative takes it;
and by how much the axes up to here turn."""
MOTION_WIDTH = 12


def link_motions(
    rows: F64, screws: F64, poses: F64, values: F64, rates: F64, spheres: F64,
    motions: F64,
) -> float:  # fmt: skip
    """Write the displacement of each node to either end of a motion.

    A motion q + s dq for s of -1 to 1. A point at distance d from the origin of a node
    goes along a curve whose second derivative is at most the sum, over pairs of axes
    above it, of both rates and its distance from the lower axis: a x (b x r).

    Parameters
    ----------
    poses, values
        (n, 4, 4) in the world at s = 0, and the values there.
    rates
        (2, n_values) dq, and rates of values that have no derivative in between.
    spheres
        (n_links, 4) centre and radius, in its frame, of what a link carries; negative
        radii for nothing.
    motions
        Output, (n, MOTION_WIDTH): twist in world axes at the world's origin, linear
        part first; and the columns above, BEND of links only.

    Returns
    -------
    How far any point of the spheres moves at most, metres.
    """
    m = motions
    m[0, :] = 0.0
    for row in range(1, rows.shape[0]):
        kind = rows[row, KIND]
        p, n = int(rows[row, PARENT]), int(rows[row, NODE])
        for k in range(MOTION_WIDTH):
            m[n, k] = m[p, k]
        away = screws[row, AWAY]
        if kind == FIXED:
            m[n, CURVE] += m[p, CURVES] * away
            m[n, LOOSE] += m[p, LOOSES] * away
            continue
        value = int(rows[row, VALUE])
        rate, loose, off = rates[0, value], rates[1, value], screws[row, OFF]
        if kind == BALL:
            loose = rate = 0.0
            for k in range(value, value + 3):
                loose += (abs(rates[0, k]) + rates[1, k]) ** 2
            loose = math.sqrt(loose)
        if kind == SLIDE:
            away += abs(values[value]) + abs(rate) + loose
            m[n, CURVE] += 2.0 * m[p, TURNS] * abs(rate)
            m[n, LOOSE] += loose
        else:
            bend = abs(rate) * (abs(rate) + 2.0 * m[p, TURNS])
            m[n, CURVE] += bend * off
            m[n, CURVES] += bend
            m[n, LOOSE] += loose * off
            m[n, LOOSES] += loose
            m[n, TURNS] += abs(rate)
        m[n, CURVE] += m[p, CURVES] * away
        m[n, LOOSE] += m[p, LOOSES] * away
        if rate == 0.0:
            continue
        x, y, z = turned(poses, p, screws[row, 0], screws[row, 1], screws[row, 2])
        if kind != SLIDE:
            a, b, c = turned(poses, p, screws[row, 3], screws[row, 4], screws[row, 5])
            u, v, w = cross(poses[p, 0, 3], poses[p, 1, 3], poses[p, 2, 3], a, b, c)
            x, y, z = x + u, y + v, z + w
            m[n, 3] += rate * a
            m[n, 4] += rate * b
            m[n, 5] += rate * c
        m[n, 0] += rate * x
        m[n, 1] += rate * y
        m[n, 2] += rate * z
    return reaches(poses, spheres, motions)


def reaches(poses: F64, spheres: F64, motions: F64) -> float:
    """Write the deviation of links' points from twists; return the largest motion."""
    m, farthest = motions, 0.0
    for n in range(spheres.shape[0]):
        radius = spheres[n, 3]
        if radius < 0.0:
            m[n, BEND] = 0.0
            continue
        x, y, z = spheres[n, 0], spheres[n, 1], spheres[n, 2]
        most = math.sqrt(x * x + y * y + z * z) + radius
        bend = 0.5 * (m[n, CURVE] + m[n, CURVES] * most)
        bend += m[n, LOOSE] + m[n, LOOSES] * most
        m[n, BEND] = bend
        x, y, z = turned(poses, n, x, y, z)
        x, y, z = x + poses[n, 0, 3], y + poses[n, 1, 3], z + poses[n, 2, 3]
        u, v, w = cross(m[n, 3], m[n, 4], m[n, 5], x, y, z)
        u, v, w = u + m[n, 0], v + m[n, 1], w + m[n, 2]
        turn = math.sqrt(m[n, 3] ** 2 + m[n, 4] ** 2 + m[n, 5] ** 2)
        way = math.sqrt(u * u + v * v + w * w) + radius * turn + bend
        farthest = max(farthest, way)
    return farthest


def turned(
    poses: F64, n: int, x: float, y: float, z: float
) -> tuple[float, float, float]:
    """Return the rotation of a pose applied to a vector."""
    return (
        poses[n, 0, 0] * x + poses[n, 0, 1] * y + poses[n, 0, 2] * z,
        poses[n, 1, 0] * x + poses[n, 1, 1] * y + poses[n, 1, 2] * z,
        poses[n, 2, 0] * x + poses[n, 2, 1] * y + poses[n, 2, 2] * z,
    )
