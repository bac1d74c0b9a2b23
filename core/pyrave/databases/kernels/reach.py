"""Tools of many configurations, and configurations that bring a tool to many poses.

An arm is the `rows` of a tool, see `pyrave.kinematics.kernels.forward_kinematics`, and
the `rest` (n_dof,) of values of joints that are not its own. A pose is 12 numbers: a
rotation (9, row-major) and an origin.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.kinematics.kernels.forward_kinematics import (
    AXIS,
    COLUMN,
    DOF,
    KIND,
    POINT,
    padded,
    place_sets,
    sines_cosines,
)
from pyrave.kinematics.kernels.motion import SLIDE, cross

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, F64_1, F64_2, I32_1

JIT_OPTIONS = {"*": {"fastmath": {"nsz", "contract", "reassoc", "arcp"}}}
JIT_ENTRIES = ("place_tools", "measure_tools", "approach_poses")

_LONGEST = 0.5
"""Most that one joint moves in a step, radians or metres."""
_SLOW = 0.7
"""A step is slow that leaves more than this part of the squared error."""
_PATIENCE = 3
_STILL = 1e-12
_CENTRING = 0.1
"""Part of the way to the middle of its range that a joint goes in a step, if free."""
_FAR = 1e-2
"""Squared error above which joints are centred."""


def _place(rows: F64, base: F64, rest: F64, values: F64, work: F64, poses: F64) -> None:
    """Write the poses (1, n, 4, 4) of an arm; the last one is that of the tool."""
    n = rows.shape[0] - 2
    for r in range(n):
        column = int(rows[r + 1, COLUMN])
        work[0, r] = values[column] if column >= 0 else rest[int(rows[r + 1, DOF])]
    sines_cosines(work, n)
    place_sets(rows, base, work, n, 1, poses, 0)


def place_tools(
    rows: F64_2, base: F64_2, rest: F64_1, values: F64_2, out: F64_2
) -> int:
    """Write the poses (m, 12) of the tool at values (m, n) of an arm."""
    work = np.empty((3, padded(rows.shape[0])))
    poses = np.empty((1, rows.shape[0], 4, 4))
    last = rows.shape[0] - 1
    for k in range(values.shape[0]):
        _place(rows, base, rest, values[k], work, poses)
        for i in range(3):
            for j in range(3):
                out[k, 3 * i + j] = poses[0, last, i, j]
            out[k, 9 + i] = poses[0, last, i, 3]
    return 0


def _columns(rows: F64, poses: F64, jacobian: F64) -> None:
    """Write the transposed Jacobian (n, 6) of the tool, linear part first."""
    last = rows.shape[0] - 1
    x, y, z = poses[0, last, 0, 3], poses[0, last, 1, 3], poses[0, last, 2, 3]
    for r in range(1, last):
        c = int(rows[r, COLUMN])
        if c < 0:
            continue
        a0, a1, a2 = rows[r, AXIS], rows[r, AXIS + 1], rows[r, AXIS + 2]
        p0, p1, p2 = rows[r, POINT], rows[r, POINT + 1], rows[r, POINT + 2]
        b = r - 1
        u0 = poses[0, b, 0, 0] * a0 + poses[0, b, 0, 1] * a1 + poses[0, b, 0, 2] * a2
        u1 = poses[0, b, 1, 0] * a0 + poses[0, b, 1, 1] * a1 + poses[0, b, 1, 2] * a2
        u2 = poses[0, b, 2, 0] * a0 + poses[0, b, 2, 1] * a1 + poses[0, b, 2, 2] * a2
        if rows[r, KIND] == SLIDE:
            jacobian[c, 0], jacobian[c, 1], jacobian[c, 2] = u0, u1, u2
            jacobian[c, 3] = jacobian[c, 4] = jacobian[c, 5] = 0.0
            continue
        d0 = poses[0, b, 0, 0] * p0 + poses[0, b, 0, 1] * p1 + poses[0, b, 0, 2] * p2
        d1 = poses[0, b, 1, 0] * p0 + poses[0, b, 1, 1] * p1 + poses[0, b, 1, 2] * p2
        d2 = poses[0, b, 2, 0] * p0 + poses[0, b, 2, 1] * p1 + poses[0, b, 2, 2] * p2
        d0 = x - (d0 + poses[0, b, 0, 3])
        d1 = y - (d1 + poses[0, b, 1, 3])
        d2 = z - (d2 + poses[0, b, 2, 3])
        l0, l1, l2 = cross(u0, u1, u2, d0, d1, d2)
        jacobian[c, 0], jacobian[c, 1], jacobian[c, 2] = l0, l1, l2
        jacobian[c, 3], jacobian[c, 4], jacobian[c, 5] = u0, u1, u2


def measure_tools(
    rows: F64_2, base: F64_2, rest: F64_1, values: F64_2, out: F64_1
) -> int:
    """Write the volumes (m,) that the Jacobian makes of joint motions, by its rows.

    ``sqrt(det J J')``, of fewer than six joints ``sqrt(det J' J)``: the product of what
    is left of each row, or column, once the ones before are projected out of it. It is
    the manipulability of Yoshikawa ("Manipulability of robotic mechanisms", 1985).
    """
    n = values.shape[1]
    work = np.empty((3, padded(rows.shape[0])))
    poses = np.empty((1, rows.shape[0], 4, 4))
    jacobian = np.zeros((n, 6))
    vectors = np.empty((min(n, 6), max(n, 6)))
    for k in range(values.shape[0]):
        _place(rows, base, rest, values[k], work, poses)
        _columns(rows, poses, jacobian)
        volume = 1.0
        for i in range(vectors.shape[0]):
            for j in range(vectors.shape[1]):
                vectors[i, j] = jacobian[j, i] if n >= 6 else jacobian[i, j]
            for before in range(i):
                along = 0.0
                for j in range(vectors.shape[1]):
                    along += vectors[i, j] * vectors[before, j]
                for j in range(vectors.shape[1]):
                    vectors[i, j] -= along * vectors[before, j]
            size = 0.0
            for j in range(vectors.shape[1]):
                size += vectors[i, j] * vectors[i, j]
            size = math.sqrt(size)
            volume *= size
            for j in range(vectors.shape[1]):
                vectors[i, j] /= max(size, 1e-30)
        out[k] = volume
    return 0


def _miss(poses: F64, goal: F64, turns: bool, error: F64) -> float:
    """Write the error (6,) of the tool's pose; return the sum of its squares.

    The rotation's is the sine of the angle along its axis (Luh, Walker and Paul, 1980),
    with twice its size where the angle is above 90 degrees.
    """
    last = poses.shape[1] - 1
    total = 0.0
    for i in range(3):
        error[i] = goal[9 + i] - poses[0, last, i, 3]
        error[3 + i] = 0.0
        total += error[i] * error[i]
    if turns:
        trace = 0.0
        for j in range(3):
            a0, a1, a2 = (
                poses[0, last, 0, j],
                poses[0, last, 1, j],
                poses[0, last, 2, j],
            )
            b0, b1, b2 = goal[j], goal[3 + j], goal[6 + j]
            trace += a0 * b0 + a1 * b1 + a2 * b2
            c0, c1, c2 = cross(a0, a1, a2, b0, b1, b2)
            error[3] += 0.5 * c0
            error[4] += 0.5 * c1
            error[5] += 0.5 * c2
        sine = error[3] ** 2 + error[4] ** 2 + error[5] ** 2
        if trace < 1.0:
            # the sine falls again beyond 90 degrees
            grown = math.sqrt((2.0 - min(sine, 1.0)) / max(sine, 1e-12))
            for i in range(3, 6):
                error[i] *= grown
            sine = sine * grown * grown
        total += sine
    return total


def _hold(jacobian: F64, error: F64, limits: F64, values: F64) -> None:
    """Zero the columns of joints at a limit that reducing the error would cross."""
    for j in range(values.shape[0]):
        slope = 0.0
        for i in range(6):
            slope += jacobian[j, i] * error[i]
        if (values[j] <= limits[0, j] and slope < 0.0) or (
            values[j] >= limits[1, j] and slope > 0.0
        ):
            for i in range(6):
                jacobian[j, i] = 0.0


def _solve(jacobian: F64, damping: float, matrix: F64, right: F64) -> None:
    """Overwrite e by the solution y of ``(J J' + damping) y = e``, by Cholesky."""
    for i in range(6):
        for j in range(i + 1):
            total = damping if i == j else 0.0
            for k in range(jacobian.shape[0]):
                total += jacobian[k, i] * jacobian[k, j]
            matrix[i, j] = total
    for i in range(6):
        for j in range(i):
            rest = matrix[i, j]
            for k in range(j):
                rest -= matrix[i, k] * matrix[j, k]
            matrix[i, j] = rest * matrix[j, j]
        rest = matrix[i, i]
        for k in range(i):
            rest -= matrix[i, k] * matrix[i, k]
        # the diagonal keeps inverses
        matrix[i, i] = 1.0 / math.sqrt(max(rest, 1e-30))
        rest = right[i]
        for k in range(i):
            rest -= matrix[i, k] * right[k]
        right[i] = rest * matrix[i, i]
    for i in range(5, -1, -1):
        rest = right[i]
        for k in range(i + 1, 6):
            rest -= matrix[k, i] * right[k]
        right[i] = rest * matrix[i, i]


def approach_poses(
    rows: F64_2,
    base: F64_2,
    rest: F64_1,
    limits: F64_2,
    goals: F64_2,
    settings: F64_1,
    values: F64_2,
    found: I32_1,
) -> int:
    """Move values (m, n) of an arm to where its tool is at goals (m, 12); count them.

    Damped least squares with joints held at their limits, as in Wampler, "Manipulator
    inverse kinematic solutions based on vector formulations and damped least-squares
    methods", 1986; far from the goal what is free goes to the middle of joint ranges.

    Parameters
    ----------
    limits
        (2, n) lower and upper.
    settings
        Metres and radians that may be missed, most steps, and 1 if rotations count.
    values
        Starts within limits; where nothing is found they mean nothing.
    found
        Written: 1 where the goal is met.
    """
    n = values.shape[1]
    work = np.empty((3, padded(rows.shape[0])))
    poses = np.empty((1, rows.shape[0], 4, 4))
    jacobian, matrix = np.zeros((n, 6)), np.empty((6, 6))
    error, bias = np.empty(6), np.zeros(n)
    near, turns = settings[0] * settings[0], settings[2] > 0.0
    count = 0
    for m in range(values.shape[0]):
        q, goal = values[m], goals[m]
        before, slow = math.inf, 0
        found[m] = 0
        for _ in range(int(settings[1])):
            _place(rows, base, rest, q, work, poses)
            total = _miss(poses, goal, turns, error)
            if total <= near:
                found[m] = 1
                count += 1
                break
            slow = slow + 1 if total > _SLOW * before else 0
            if slow > _PATIENCE:
                break
            before = total
            _columns(rows, poses, jacobian)
            if not turns:
                for j in range(n):
                    jacobian[j, 3] = jacobian[j, 4] = jacobian[j, 5] = 0.0
            _hold(jacobian, error, limits, q)
            for j in range(n):
                bias[j] = 0.0
            if total > _FAR and n > 6:
                for j in range(n):
                    bias[j] = _CENTRING * (0.5 * (limits[0, j] + limits[1, j]) - q[j])
                    for i in range(6):
                        error[i] -= jacobian[j, i] * bias[j]
            _solve(jacobian, 0.1 * total / (1.0 + total) + 1e-10, matrix, error)
            longest = 0.0
            for j in range(n):
                for i in range(6):
                    bias[j] += jacobian[j, i] * error[i]
                longest = max(longest, abs(bias[j]))
            part = min(1.0, _LONGEST / max(longest, _STILL))
            moved = 0.0
            for j in range(n):
                x = min(max(q[j] + part * bias[j], limits[0, j]), limits[1, j])
                moved = max(moved, abs(x - q[j]))
                q[j] = x
            if not moved > _STILL:
                break
    return count
