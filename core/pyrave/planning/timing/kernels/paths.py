"""Smooth paths through waypoints, on a grid of points."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

_NO_CORNER = 1e-9
_LONGEST_BLEND = 0.45
"""Largest length of a blend, as a part of the shorter segment at a corner."""


def lengths(waypoints: F64, scale: F64, out: F64) -> None:
    """Write the lengths of the segments, (k - 1,): how long they take at `scale`."""
    for i in range(waypoints.shape[0] - 1):
        total = 0.0
        for j in range(waypoints.shape[1]):
            part = (waypoints[i + 1, j] - waypoints[i, j]) / scale[j]
            total += part * part
        out[i] = math.sqrt(total)


def put_straight(
    first: F64,
    direction: F64,
    length: float,
    count: int,
    at: int,
    positions: F64,
    steps: F64,
    tangents: F64,
    curvatures: F64,
) -> int:
    """Write a straight line as `count` steps from `at` on; the next step."""
    for k in range(count):
        steps[at + k] = length / count
        for j in range(first.shape[0]):
            positions[at + k, j] = first[j] + direction[j] * (length * k / count)
            for end in range(2):
                tangents[at + k, end, j] = direction[j]
                curvatures[at + k, end, j] = 0.0
    return at + count


def put_blend(
    corner: F64,
    before: F64,
    after: F64,
    reach: float,
    count: int,
    at: int,
    positions: F64,
    steps: F64,
    tangents: F64,
    curvatures: F64,
) -> int:
    """Write `count` steps of a parabola that leads around a corner; the next step.

    It begins and ends `reach` away from the corner, with the directions there.
    """
    length = 2.0 * reach
    for k in range(count):
        steps[at + k] = length / count
        for j in range(corner.shape[0]):
            bend = (after[j] - before[j]) / length
            s = length * k / count
            start = corner[j] - before[j] * reach
            positions[at + k, j] = start + (before[j] + 0.5 * bend * s) * s
            for end in range(2):
                s = length * (k + end) / count
                tangents[at + k, end, j] = before[j] + bend * s
                curvatures[at + k, end, j] = bend
    return at + count


def blended(
    waypoints: F64,
    scale: F64,
    deviation: F64,
    per_blend: int,
    per_line: int,
    positions: F64,
    steps: F64,
    tangents: F64,
    curvatures: F64,
    stops: F64,
) -> int:
    """Write straight lines between waypoints (k, dof), with parabolas at corners.

    Parameters
    ----------
    scale
        (dof,) what counts as one unit of length of each joint.
    deviation
        (dof,) how far a parabola may pass a corner; where 0, the path stops there.
    per_blend, per_line
        Steps of a parabola, and of a line.
    positions, steps, tangents, curvatures, stops
        Of the grid, written; see `time_optimal.retime`. They have room for all steps.

    Returns
    -------
    The number of steps.
    """
    k, dof = waypoints.shape
    segments = np.empty(k - 1)
    lengths(waypoints, scale, segments)
    directions, reaches = np.empty((k - 1, dof)), np.zeros(k)
    for i in range(k - 1):
        for j in range(dof):
            directions[i, j] = (waypoints[i + 1, j] - waypoints[i, j]) / segments[i]
    stops[:] = 0.0
    first = np.empty(dof)
    at = 0
    for i in range(k - 1):
        shortest = _LONGEST_BLEND * segments[i]
        turn = 0.0
        if i < k - 2:
            shortest = min(shortest, _LONGEST_BLEND * segments[i + 1])
            for j in range(dof):
                change = abs(directions[i + 1, j] - directions[i, j])
                turn = max(turn, change / scale[j])
                if change > 0.0:
                    shortest = min(shortest, 4.0 * deviation[j] / change)
        is_corner = turn > _NO_CORNER
        is_round = is_corner and shortest > _NO_CORNER * segments[i]
        reaches[i + 1] = shortest if is_round else 0.0
        for j in range(dof):
            first[j] = waypoints[i, j] + directions[i, j] * reaches[i]
        own = segments[i] - reaches[i] - reaches[i + 1]
        at = put_straight(
            first,
            directions[i],
            own,
            per_line,
            at,
            positions,
            steps,
            tangents,
            curvatures,
        )
        if is_round:
            at = put_blend(
                waypoints[i + 1],
                directions[i],
                directions[i + 1],
                reaches[i + 1],
                per_blend,
                at,
                positions,
                steps,
                tangents,
                curvatures,
            )
        elif is_corner:
            stops[at] = 1.0
    positions[at] = waypoints[k - 1]
    return at


def second_derivatives(waypoints: F64, knots: F64, out: F64) -> None:
    """Write those of the natural cubic spline at its knots, (k, dof).

    By elimination in its tridiagonal system (de Boor, A Practical Guide to Splines,
    1978, chapter IV).
    """
    k, dof = waypoints.shape
    out[:] = 0.0
    pivots = np.empty(k)
    for i in range(1, k - 1):
        # h_0 m_0 + 2 (h_0 + h_1) m_1 + h_1 m_2 = 6 (slope_1 - slope_0)
        before, after = knots[i] - knots[i - 1], knots[i + 1] - knots[i]
        pivots[i] = 2.0 * (before + after)
        factor = before / pivots[i - 1] if i > 1 else 0.0
        pivots[i] -= factor * before if i > 1 else 0.0
        for j in range(dof):
            rise = (waypoints[i + 1, j] - waypoints[i, j]) / after
            rise -= (waypoints[i, j] - waypoints[i - 1, j]) / before
            out[i, j] = 6.0 * rise - factor * out[i - 1, j]
    for i in range(k - 2, 0, -1):
        after = knots[i + 1] - knots[i]
        for j in range(dof):
            out[i, j] = (out[i, j] - after * out[i + 1, j]) / pivots[i]


def splined(
    waypoints: F64,
    knots: F64,
    count: int,
    positions: F64,
    steps: F64,
    tangents: F64,
    curvatures: F64,
    stops: F64,
) -> int:
    """Write the natural cubic spline through waypoints (k, dof) at knots (k,).

    About `count` steps are dealt to the pieces by their lengths, two at least to each.
    Returns their number; see `blended` for what is written.
    """
    k, dof = waypoints.shape
    bends = np.empty((k, dof))
    second_derivatives(waypoints, knots, bends)
    stops[:] = 0.0
    span = knots[k - 1] - knots[0]
    at = 0
    for i in range(k - 1):
        own = knots[i + 1] - knots[i]
        parts = max(2, math.ceil(count * own / span - 1e-9))
        for part in range(parts):
            steps[at] = own / parts
            for end in range(2):
                b = (part + end) / parts
                a = 1.0 - b
                for j in range(dof):
                    p, q = waypoints[i, j], waypoints[i + 1, j]
                    m, n = bends[i, j], bends[i + 1, j]
                    if end == 0:
                        wave = (a * a * a - a) * m + (b * b * b - b) * n
                        positions[at, j] = a * p + b * q + wave * own * own / 6.0
                    slope = (3.0 * b * b - 1.0) * n - (3.0 * a * a - 1.0) * m
                    tangents[at, end, j] = (q - p) / own + slope * own / 6.0
                    curvatures[at, end, j] = a * m + b * n
            at += 1
    positions[at] = waypoints[k - 1]
    return at
