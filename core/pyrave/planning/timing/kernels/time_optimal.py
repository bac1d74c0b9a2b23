"""Time-optimal parametrization of a path by reachability analysis.

Pham and Pham, "A New Approach to Time-Optimal Path Parameterization Based on
Reachability Analysis", IEEE Transactions on Robotics 34(3), 2018: a pass from the end
finds the greatest speed at each point of a grid from which the end can still be
reached, a pass from the start goes as fast as that allows.

x is the square of the speed along the path, and changes linearly between points of the
grid: (y - x) / (2 step) is the acceleration along the path. Accelerations of the joints
are tangent * acceleration + curvature * x, and are bounded at both ends of a step.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

_SAME = 1e-12
_ROUNDS = 4
_ROUNDING = 4e-15
"""Rounding error of positions, which counts for nothing in short pieces."""
_LEAST = 1e-3
"""Least squared speed at the end of a step, as a part of its bound."""
_EXACT = 1e-3
"""Excess that is taken away by going slower everywhere."""


def bound_accelerations(
    step: float, tangents: F64, curvatures: F64, scales: F64, bands: F64
) -> int:
    """Write the bounds of a step, |p x + r y| <= 1, to `bands`, (2 dof, 2).

    `tangents` and `curvatures`, (2, dof), are those at both ends, `scales`, (dof,), are
    1 over the greatest accelerations. Returns how many bands there are.
    """
    count = 0
    half = 0.5 / step
    for j in range(scales.shape[0]):
        scale = scales[j]
        # tangent (y - x) / (2 step) + curvature x at the first end, y at the last one
        pull, bend = tangents[0, j] * half * scale, curvatures[0, j] * scale
        last, bent = tangents[1, j] * half * scale, curvatures[1, j] * scale
        if pull != 0.0 or bend != 0.0:
            bands[count, 0], bands[count, 1] = bend - pull, pull
            count += 1
        if (last != pull or bend != 0.0 or bent != 0.0) and (
            last != 0.0 or bent != 0.0
        ):
            bands[count, 0], bands[count, 1] = -last, bent + last
            count += 1
    return count


def steepest(
    bands: F64, count: int, sides: F64, ratio: float, most: float
) -> tuple[float, float]:
    """Return the greatest |p + r ratio| of bands, and the largest slope there.

    `sides`, (m, 2), are bands of one side: p + r ratio. 1 / `most` counts as a band of
    slope 0.
    """
    value, slope = 1.0 / most, 0.0
    for k in range(count):
        own, rise = bands[k, 0] + bands[k, 1] * ratio, bands[k, 1]
        if own < 0.0:
            own, rise = -own, -rise
        if own > value * (1.0 + _SAME) or (
            own > value * (1.0 - _SAME) and rise > slope
        ):
            value, slope = own, rise
    for k in range(sides.shape[0]):
        own, rise = sides[k, 0] + sides[k, 1] * ratio, sides[k, 1]
        if own > value * (1.0 + _SAME) or (
            own > value * (1.0 - _SAME) and rise > slope
        ):
            value, slope = own, rise
    return value, slope


def greatest_start(
    bands: F64, count: int, sides: F64, most: float, after: float
) -> float:
    """Return the greatest x <= `most` with a y in 0..`after` within bands.

    With y = ratio x this is 1 over the minimum of a convex, piecewise linear function
    of the ratio. It lies where a falling and a rising line meet.
    """
    if most <= 0.0:
        return 0.0
    value, slope = steepest(bands, count, sides, 0.0, most)
    if after <= 0.0 or slope >= 0.0:
        return 1.0 / value
    left, falls = value, slope
    right, rises = 0.0, 1.0 / after
    for _ in range(2 * count + sides.shape[0] + 2):
        ratio = (left - right) / (rises - falls)
        met = left + falls * ratio
        value, slope = steepest(bands, count, sides, ratio, most)
        if value <= met * (1.0 + 1e-10) or slope == 0.0:
            return 1.0 / max(value, met)
        if slope < 0.0:
            falls = slope
            left = value - slope * ratio
        else:
            rises = slope
            right = value - slope * ratio
    return 1.0 / value


def greatest_end(bands: F64, count: int, sides: F64, x: float, after: float) -> float:
    """Return the greatest y <= `after` within bands, from x."""
    y = after
    for k in range(count):
        p, r = bands[k, 0] * x, bands[k, 1]
        if r < 0.0:
            p, r = -p, -r
        if 1.0 - p < y * r:
            y = (1.0 - p) / r
    for k in range(sides.shape[0]):
        p, r = sides[k, 0] * x, sides[k, 1]
        if r > 0.0 and 1.0 - p < y * r:
            y = (1.0 - p) / r
    return max(y, 0.0)


def parametrize(
    steps: F64,
    tangents: F64,
    curvatures: F64,
    scales: F64,
    most: F64,
    sides: F64,
    changed: F64,
    bands: F64,
    reach: F64,
    squares: F64,
) -> None:
    """Write the squares of the speeds from rest to rest, (n + 1,), to `squares`.

    Steps whose bounds are those of the call before are looked at again only where what
    comes after them, or before, is not as it was.

    Parameters
    ----------
    steps
        (n,) lengths of the grid's steps.
    tangents, curvatures
        (n, 2, dof) first and second derivatives of the path at both ends of each step.
    scales
        (n, dof) 1 over the greatest accelerations.
    most
        (n + 1,) greatest squares of the speed.
    sides
        (n, m, 2) further bounds of each step, p x + r y <= 1.
    changed
        (n + 1,) not 0 for steps whose bounds are new; 0 afterwards.
    bands, reach
        (n, 2 dof + 1, 2) and (n + 1,): bounds of each step, and the greatest squares
        from which the end can be reached; written, and kept for the next call.
    """
    n, last = steps.shape[0], bands.shape[1] - 1
    # backward: the greatest x from which the end can be reached (controllable sets)
    reach[n] = 0.0
    differs = False
    for i in range(n - 1, -1, -1):
        if changed[i] != 0.0:
            bands[i, last, 0] = bound_accelerations(
                steps[i], tangents[i], curvatures[i], scales[i], bands[i]
            )
        elif not differs:
            continue
        changed[i] = 1.0
        count = int(bands[i, last, 0])
        after = reach[i + 1]
        x = greatest_start(bands[i], count, sides[i], most[i], after)
        end = greatest_end(bands[i], count, sides[i], x, after)
        if after > 0.0 and end <= _LEAST * after:
            x *= 1.0 - _LEAST  # from the greatest, it would have to stop
        differs = x != reach[i]
        reach[i] = x
    # forward: the greatest y that is one of these, from the start on
    squares[0] = 0.0
    differs = False
    for i in range(n):
        if changed[i] == 0.0 and not differs:
            continue
        changed[i] = 0.0
        count = int(bands[i, last, 0])
        y = greatest_end(bands[i], count, sides[i], squares[i], reach[i + 1])
        differs = y != squares[i + 1]
        squares[i + 1] = y


def put_piece(
    k: int,
    positions: F64,
    velocities: F64,
    durations: F64,
    tangent: F64,
    length: float,
    start: float,
    end: float,
) -> int:
    """Write the end of a straight piece after point k, if any; the last point.

    `start` and `end` are the speeds along the path.
    """
    if length <= 0.0:
        return k
    durations[k] = 2.0 * length / (start + end)
    for j in range(tangent.shape[0]):
        positions[k + 1, j] = positions[k, j] + tangent[j] * length
        velocities[k + 1, j] = tangent[j] * end
    return k + 1


def put_line(
    k: int,
    step: float,
    tangent: F64,
    limits: F64,
    x: float,
    y: float,
    positions: F64,
    velocities: F64,
    durations: F64,
) -> int:
    """Write up to three pieces of a straight step: faster, steady, slower.

    `limits` are (2, dof), x and y the squares of the speeds at both ends.
    """
    most, pull = math.inf, math.inf
    for j in range(tangent.shape[0]):
        part = abs(tangent[j])
        if part > 0.0:
            most = min(most, limits[0, j] / part)
            pull = min(pull, limits[1, j] / part)
    peak = max(x, y, min(most * most, 0.5 * (x + y) + pull * step))
    rise, fall = 0.5 * (peak - x) / pull, 0.5 * (peak - y) / pull
    least = 1e-9 * step
    rise = 0.0 if rise < least else min(rise, step)
    fall = 0.0 if fall < least else min(fall, step - rise)
    steady = step - rise - fall
    if steady < least:
        # what is left goes to a piece that has a length
        if rise > 0.0:
            rise += steady
        else:
            fall += steady
        steady = 0.0
    start, top, end = math.sqrt(x), math.sqrt(peak), math.sqrt(y)
    k = put_piece(k, positions, velocities, durations, tangent, rise, start, top)
    k = put_piece(k, positions, velocities, durations, tangent, steady, top, top)
    return put_piece(k, positions, velocities, durations, tangent, fall, top, end)


def is_straight(curvature: F64) -> bool:
    """Return True if all second derivatives of a step are 0."""
    for end in range(2):
        for j in range(curvature.shape[1]):
            if curvature[end, j] != 0.0:
                return False
    return True


def put_pieces(
    grid: F64,
    steps: F64,
    tangents: F64,
    curvatures: F64,
    limits: F64,
    squares: F64,
    positions: F64,
    velocities: F64,
    durations: F64,
    origins: F64,
    has_lines: bool,
) -> int:
    """Write the pieces of all steps, and which steps they are of; their number.

    With `has_lines`, straight steps go as fast as their own limits allow. `limits` are
    (2, dof), `grid` the (n + 1, dof) positions of the grid; `origins`,
    (3 n,), are written.
    """
    k = 0
    for j in range(grid.shape[1]):
        positions[0, j], velocities[0, j] = grid[0, j], 0.0
    for i in range(steps.shape[0]):
        first = k
        if has_lines and is_straight(curvatures[i]):
            k = put_line(
                k,
                steps[i],
                tangents[i, 0],
                limits,
                squares[i],
                squares[i + 1],
                positions,
                velocities,
                durations,
            )
        else:
            speed = math.sqrt(squares[i + 1])
            durations[k] = 2.0 * steps[i] / (math.sqrt(squares[i]) + speed)
            k += 1
            for j in range(grid.shape[1]):
                velocities[k, j] = tangents[i, 1, j] * speed
        for j in range(grid.shape[1]):
            positions[k, j] = grid[i + 1, j]
        for piece in range(first, k):
            origins[piece] = i
    return k


def excesses(
    positions: F64, velocities: F64, durations: F64, scales: F64, out: F64
) -> tuple[float, float]:
    """Compare cubic Hermite pieces with limits.

    Parameters
    ----------
    positions, velocities
        (n + 1, dof) at the ends of the pieces.
    durations
        (n,)
    scales
        (2, dof) 1 over the greatest velocities and accelerations.
    out
        (n, 2): the greatest velocity and acceleration of each piece in parts of the
        limits, written.

    Returns
    -------
    The greatest of all.
    """
    fastest, hardest = 0.0, 0.0
    for i in range(durations.shape[0]):
        time = durations[i]
        rate = 1.0 / time
        speed, effort = 0.0, 0.0
        for j in range(scales.shape[1]):
            v0, v1 = velocities[i, j], velocities[i + 1, j]
            p0, p1 = positions[i, j], positions[i + 1, j]
            # by how much the mean velocity is not that of a steady acceleration
            bulge = (p1 - p0) * rate - 0.5 * (v0 + v1)
            if abs(bulge) <= _ROUNDING * max(abs(p0), abs(p1)) * rate:
                bulge = 0.0
            a0 = (v1 - v0 + 6.0 * bulge) * rate
            a1 = (v1 - v0 - 6.0 * bulge) * rate
            v = max(abs(v0), abs(v1))
            if a0 * a1 < 0.0:
                v = max(v, abs(v0 + 0.5 * a0 * a0 * time / (a0 - a1)))
            speed = max(speed, v * scales[0, j])
            effort = max(effort, max(abs(a0), abs(a1)) * scales[1, j])
        out[i, 0], out[i, 1] = speed, effort
        fastest, hardest = max(fastest, speed), max(hardest, effort)
    return fastest, hardest


def greatest_speeds(tangents: F64, scales: F64, stops: F64, most: F64) -> None:
    """Write the greatest squares of the speed, (n + 1,), within velocity limits."""
    n = tangents.shape[0]
    for i in range(n + 1):
        steepness = 0.0
        for j in range(scales.shape[0]):
            if i < n:
                steepness = max(steepness, abs(tangents[i, 0, j]) * scales[j])
            if i > 0:
                steepness = max(steepness, abs(tangents[i - 1, 1, j]) * scales[j])
        most[i] = 0.0 if stops[i] != 0.0 else 1.0 / max(steepness * steepness, 1e-300)


def lower_limits(
    parts: F64, origins: F64, scales: F64, most: F64, changed: F64
) -> None:
    """Lower the limits of steps whose pieces pass theirs, by as much as they do.

    `changed`, (n + 1,), gets 1 for these, and for steps that begin where they end.
    """
    for piece in range(parts.shape[0]):
        i = int(origins[piece])
        if parts[piece, 0] > 1.0:
            square = parts[piece, 0] * parts[piece, 0]
            most[i] /= square
            most[i + 1] /= square
            changed[i] = changed[i + 1] = 1.0
        if parts[piece, 1] > 1.0:
            for j in range(scales.shape[1]):
                scales[i, j] *= parts[piece, 1]
            changed[i] = 1.0


def retime(
    grid: F64,
    steps: F64,
    tangents: F64,
    curvatures: F64,
    stops: F64,
    limits: F64,
    sides: F64,
    positions: F64,
    velocities: F64,
    durations: F64,
    origins: F64,
) -> int:
    """Write cubic pieces of time along a path, from rest to rest, within limits.

    On straight steps these are exactly the fastest motion. Elsewhere they differ a
    little from the path between the points of the grid: where one goes beyond a limit,
    the limit is lowered and the path parametrized again, and what is left after some
    rounds is taken away by going slower everywhere.

    Parameters
    ----------
    grid
        (n + 1, dof) positions.
    steps, tangents, curvatures
        As `parametrize` takes them.
    stops
        (n + 1,) not 0 where the path has a corner.
    limits
        (2, dof) greatest velocities and accelerations.
    sides
        (n, m, 2) as `parametrize` takes them; if there are some, a straight step is one
        piece.
    positions, velocities, durations
        (3 n + 1, dof) twice and (3 n,), written.
    origins
        (3 n,) the step of each piece, written.

    Returns
    -------
    The number of pieces.
    """
    n, dof = tangents.shape[0], limits.shape[1]
    bands, scales = np.empty((n, 2 * dof + 1, 2)), np.empty((2, dof))
    squares, most = np.zeros(n + 1), np.empty(n + 1)
    changed, reach = np.ones(n + 1), np.zeros(n + 1)
    parts, lowered = np.empty((3 * n, 2)), np.empty((n, dof))
    for j in range(dof):
        scales[0, j], scales[1, j] = 1.0 / limits[0, j], 1.0 / limits[1, j]
        for i in range(n):
            lowered[i, j] = scales[1, j]
    greatest_speeds(tangents, scales[0], stops, most)
    count, scale = 0, 1.0
    for _ in range(_ROUNDS):
        parametrize(
            steps,
            tangents,
            curvatures,
            lowered,
            most,
            sides,
            changed,
            bands,
            reach,
            squares,
        )
        count = put_pieces(
            grid,
            steps,
            tangents,
            curvatures,
            limits,
            squares,
            positions,
            velocities,
            durations,
            origins,
            sides.shape[1] == 0,
        )
        fastest, hardest = excesses(
            positions, velocities, durations[:count], scales, parts
        )
        scale = max(1.0, fastest, math.sqrt(hardest))
        if scale <= 1.0 + _EXACT:
            break
        lower_limits(parts[:count], origins, lowered, most, changed)
    if scale > 1.0:
        scale *= 1.0 + 1e-12
        for k in range(count):
            durations[k] *= scale
        for k in range(count + 1):
            for j in range(dof):
                velocities[k, j] /= scale
    return count
