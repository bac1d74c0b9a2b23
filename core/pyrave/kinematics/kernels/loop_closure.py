"""Kernels that close the loops of a body: values at which ends of chains meet.

A loop is a pair of *ends*, each a place in a node of a motion tree (`motion`). Its gap
is the pose of the second end in the first: a translation and a rotation vector.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.kinematics.kernels.cholesky import factorise, solve
from pyrave.kinematics.kernels.expressions import run_tape
from pyrave.kinematics.kernels.jacobians import gather, node_poses, value_twists
from pyrave.kinematics.kernels.motion import (
    MOTION,
    PARENT,
    VALUE,
    compose,
    cross,
    n_values_of,
    turned_back,
)

if TYPE_CHECKING:
    from typing import Any

    from pyrave.jit.arrays import F64, I64

MOST_STEPS = 60
LARGEST_STEP = 0.5
"""Radians or metres that a value moves at most in one step: longer ones skip to other
ways to assemble a mechanism."""
CLOSED = 1e-14
LEAST_DAMPING = 1e-13
_SMALL = 1e-9


def rotation_vector(near: F64, far: F64) -> tuple[float, float, float]:
    """Return the rotation of a pose (12,) in another one, as a vector.

    The logarithm of a rotation (Lynch & Park, Modern Robotics, 3.2.3).
    """
    r = np.empty(9)
    for i in range(3):
        for j in range(3):
            r[3 * i + j] = (
                near[i] * far[j] + near[3 + i] * far[3 + j] + near[6 + i] * far[6 + j]
            )
    x = 0.5 * (r[7] - r[5])
    y = 0.5 * (r[2] - r[6])
    z = 0.5 * (r[3] - r[1])
    sine = math.sqrt(x * x + y * y + z * z)
    cosine = 0.5 * (r[0] + r[4] + r[8] - 1.0)
    if sine > _SMALL:
        factor = math.atan2(sine, cosine) / sine
        return factor * x, factor * y, factor * z
    if cosine > 0.0:
        return x, y, z
    # half a turn: the axis is the largest column of (R + I) / 2
    k = 0
    for i in range(1, 3):
        if r[4 * i] > r[4 * k]:
            k = i
    a, b, c = r[k], r[3 + k], r[6 + k]
    if k == 0:
        a += 1.0
    elif k == 1:
        b += 1.0
    else:
        c += 1.0
    factor = math.pi / math.sqrt(a * a + b * b + c * c)
    return factor * a, factor * b, factor * c


def add_rows(
    tree: I64,
    twists: F64,
    node: int,
    near: F64,
    point: F64,
    sign: float,
    rows: F64,
) -> None:
    """Add the Jacobian of a point (3,) in a node, in the axes of a pose, to (6, n)."""
    k = node
    while k > 0:
        v = tree[k, VALUE]
        for j in range(v, v + n_values_of(tree[k, MOTION])):
            t = twists[j]
            x, y, z = cross(t[3], t[4], t[5], point[0], point[1], point[2])
            x, y, z = turned_back(near, t[0] + x, t[1] + y, t[2] + z)
            rows[0, j] += sign * x
            rows[1, j] += sign * y
            rows[2, j] += sign * z
            x, y, z = turned_back(near, t[3], t[4], t[5])
            rows[3, j] += sign * x
            rows[4, j] += sign * y
            rows[5, j] += sign * z
        k = tree[k, PARENT]


def find_gaps(
    arrays: Any,
    ends: I64,
    sites: F64,
    values: F64,
    registers: F64,
    poses: F64,
    gaps: F64,
) -> float:
    """Write the gaps (6 m,) of loops at values, and node poses; return their square.

    Values that follow others are written to, too.
    """
    tree, places, tape, constants, _ = arrays
    if tape.shape[0] > 0:
        run_tape(tape, constants, 0, tape.shape[0], registers, values)
    node_poses(tree, places, values, poses)
    near = np.empty(12)
    far = np.empty(12)
    total = 0.0
    for m in range(ends.shape[0]):
        compose(poses[ends[m, 0]], sites[m, 0], near)
        compose(poses[ends[m, 1]], sites[m, 1], far)
        x, y, z = turned_back(
            near, far[9] - near[9], far[10] - near[10], far[11] - near[11]
        )
        a, b, c = rotation_vector(near, far)
        gap = gaps[6 * m :]
        gap[0], gap[1], gap[2], gap[3], gap[4], gap[5] = x, y, z, a, b, c
        total += x * x + y * y + z * z + a * a + b * b + c * c
    return total


def find_rows(
    arrays: Any,
    ends: I64,
    sites: F64,
    values: F64,
    registers: F64,
    poses: F64,
    twists: F64,
    rows: F64,
) -> None:
    """Write the derivatives of gaps by the values, (6 m, n_values), near closure.

    Takes what `find_gaps` left. Columns of values that follow others do not count:
    they are added to those of the values that they follow.
    """
    tree, places, _, _, partials = arrays
    value_twists(tree, places, poses, values, twists)
    near = np.empty(12)
    far = np.empty(12)
    rows[:] = 0.0
    for m in range(ends.shape[0]):
        compose(poses[ends[m, 0]], sites[m, 0], near)
        compose(poses[ends[m, 1]], sites[m, 1], far)
        block = rows[6 * m : 6 * m + 6]
        add_rows(tree, twists, ends[m, 1], near, far[9:], 1.0, block)
        add_rows(tree, twists, ends[m, 0], near, far[9:], -1.0, block)
        for row in range(6):
            gather(partials, registers, block[row])


def close(arrays: Any, ends: I64, sites: F64, moving: I64, values: F64) -> float:
    """Move some values until the loops are closed; return the largest gap left.

    It is not a number where a formula has no value.

    Levenberg-Marquardt with a damping that vanishes with the gap, so that it converges
    quadratically also where loops say the same twice or leave values free (Fan & Yuan,
    On the quadratic convergence of the Levenberg-Marquardt method without
    nonsingularity assumption, Computing 74, 2005).

    Parameters
    ----------
    arrays
        Tree and places of nodes, tape and constants of formulas, and partials.
    ends
        (m, 2) nodes that meet.
    sites
        (m, 2, 12): where they meet in them.
    moving
        Indices of the values that move.
    values
        (n_values,), written to.
    """
    n, n_rows = moving.shape[0], 6 * ends.shape[0]
    tree, _, tape, _, _ = arrays
    registers = np.empty(tape.shape[0])
    poses = np.empty((tree.shape[0], 12))
    twists = np.empty((values.shape[0], 6))
    gaps = np.empty(n_rows)
    tried = np.empty(n_rows)
    rows = np.empty((n_rows, values.shape[0]))
    normal = np.empty((n, n))
    factor = np.empty((n, n))
    gradient = np.empty(n)
    step = np.empty(n)
    trial = values.copy()
    square = find_gaps(arrays, ends, sites, trial, registers, poses, gaps)
    damping = 1.0
    for _ in range(MOST_STEPS):
        if not square > CLOSED * CLOSED or n == 0:
            break
        find_rows(arrays, ends, sites, trial, registers, poses, twists, rows)
        trace = 0.0
        for i in range(n):
            total = 0.0
            for r in range(n_rows):
                total += rows[r, moving[i]] * gaps[r]
            gradient[i] = total
            for j in range(i + 1):
                total = 0.0
                for r in range(n_rows):
                    total += rows[r, moving[i]] * rows[r, moving[j]]
                normal[i, j] = total
            trace += normal[i, i]
        if not trace > 0.0:
            break
        better = False
        found = square
        size = 0.0
        while not better and damping < 1e12:
            # (J' J + extra trace / n) step = J' gap
            extra = damping * 1e-3 * min(square, 1.0) + LEAST_DAMPING
            for i in range(n):
                for j in range(i + 1):
                    factor[i, j] = normal[i, j]
                factor[i, i] += extra * trace / n
                step[i] = gradient[i]
            if not factorise(factor, 0.0):
                damping = 10.0 * damping + 1.0
                continue
            solve(factor, step)
            size = 0.0
            for i in range(n):
                size = max(size, abs(step[i]))
            scale = LARGEST_STEP / size if size > LARGEST_STEP else 1.0
            for i in range(n):
                trial[moving[i]] = values[moving[i]] - scale * step[i]
            found = find_gaps(arrays, ends, sites, trial, registers, poses, tried)
            better = found < square
            if not better:
                if size < 1e-13:
                    break
                damping = 10.0 * damping + 1.0
        if not better:
            break
        shrunk = found > square * (1.0 - 1e-9)
        square = found
        gaps[:] = tried
        damping *= 0.1
        values[:] = trial
        if shrunk:
            break
    trial[:] = values
    find_gaps(arrays, ends, sites, trial, registers, poses, gaps)
    values[:] = trial
    largest = 0.0
    for r in range(n_rows):
        if math.isnan(gaps[r]):
            return math.nan
        largest = max(largest, abs(gaps[r]))
    return largest


def follow(
    arrays: Any,
    ends: I64,
    sites: F64,
    moving: I64,
    start: F64,
    values: F64,
    n_steps: int,
    tolerance: float,
) -> float:
    """Close loops on the way from one set of values to another, a line in the others.

    Small steps keep to one way to assemble the mechanism.

    Parameters
    ----------
    arrays, ends, sites, moving
        As for `close`.
    start
        (n_values,) where the loops are closed, or nearly.
    values
        (n_values,) wanted ones; overwritten by what was reached at the end.
    n_steps
        Number of steps.
    tolerance
        Gap at which a step counts as closed.

    Returns
    -------
    float
        Largest gap at the end, or where it first did not close.
    """
    wanted = values.copy()
    gap = 0.0
    values[:] = start
    for i in range(1, n_steps + 1):
        t = i / n_steps
        for v in range(values.shape[0]):
            is_moving = False
            for k in range(moving.shape[0]):
                is_moving = is_moving or moving[k] == v
            if not is_moving:
                values[v] = start[v] + t * (wanted[v] - start[v])
                if i == n_steps:
                    values[v] = wanted[v]
        gap = close(arrays, ends, sites, moving, values)
        if not gap <= tolerance:
            return gap
    return gap
