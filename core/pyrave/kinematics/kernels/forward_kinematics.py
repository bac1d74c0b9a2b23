"""Kernels that place the nodes of a compiled body, and Jacobians of tools.

A body is `rows` (n, WIDTH) float64, one per node and parents first, in a form without
cases; the constants below name the columns. From C, U and V on there are the upper
(3, 4) parts of matrices: by Rodrigues' formula a turning node is at
``C + cos U + sin V`` in its parent, whatever its axis; a sliding one is at
``C + value V``, a fixed one at C. A ball has its rest in C, and a point and a sign.
Row 0 is link 0, which has no motion; its VALUE is the number of values that a caller
gives. The last row of a pose is 0 0 0 1, so the columns of the other three are one
vector operation where the machine has such.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.kinematics.kernels.motion import (
    BALL,
    DONE,
    FIXED,
    NO_POSE,
    NOT_FINITE,
    SLIDE,
    WRONG_SHAPE,
    cross,
    is_pose,
)

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, F64_1, F64_2, F64_3, F64_4

    Index = np.uint64

_SHORT = {"nogil": False}  # to let go of the interpreter takes a tenth of the call
JIT_OPTIONS = {
    # a * b + c in one rounding, and no other liberty: NaN and infinity stay as they are
    "*": {"fastmath": {"contract"}},
    "place_nodes": _SHORT,
    "place_following": _SHORT,
    "multiply_poses": _SHORT,
    "tool_jacobian": _SHORT,
}
# merging sine and cosine would keep their loop from running over several angles at once
JIT_LOOPS = {"sines_cosines": (2, 0)}

INTERPRETED = True

# Columns of a body's rows.
KIND = 0
PARENT = 1
NODE = 2
VALUE = 3
C = 4
U = 16
V = 28
WIDTH = 40
BALL_POINT = 16
BALL_SIGN = 19

# Further columns of a tool's rows: the axis and a point on it are in the frame before
# the motion; COLUMN is that of the Jacobian or -1, in row 0 the number of columns.
DOF = 40
COLUMN = 41
AXIS = 42
POINT = 45
TOOL_WIDTH = 48

# Columns of a row of a value that follows: which it is, what is added, its limits, and
# the slopes by all degrees of freedom.
FOLLOWS = 0
OFFSET = 1
LOWER = 2
UPPER = 3
SLOPES = 4


BLOCK = 32
"""Configurations of a batch whose sines are computed at one go."""

_LANES = 16
"""Work rows are multiples of this long, or the last angles are done one by one."""
_TWO_BY_PI = 2.0 / math.pi
_ROUND = 6755399441055744.0
"""1.5 * 2^52: a number plus and minus this is rounded to an integer."""
# pi / 2 in three parts, the first two of 33 bits, so that their products with integers
# up to 2^20 are exact (Cody & Waite, Software Manual for the Elementary Functions)
_PI_1 = 1.5707963267341256
_PI_2 = 6.077100506303966e-11
_PI_3 = 2.0222662487959506e-21
_REDUCIBLE = 1.0e6
"""Angles up to this many radians are reduced so; larger ones are libm's."""


def _sine_cosine(angle: float) -> tuple[float, float]:
    """Return sine and cosine of an angle of at most `_REDUCIBLE` radians.

    Polynomials of smallest relative error on -pi/4 to pi/4 (Remez exchange), and the
    part of the reduced angle that has no room in one number. It has no branch, so a
    loop over it becomes vector operations.
    """
    turns = (angle * _TWO_BY_PI + _ROUND) - _ROUND
    first = angle - turns * _PI_1
    second = first - turns * _PI_2
    rest = ((first - second) - turns * _PI_2) - turns * _PI_3
    x = second + rest
    rest += second - x
    z = x * x
    p = -2.5050746403484673e-08 + z * 1.5896149027665796e-10
    p = 2.7557313612973355e-06 + z * p
    p = -0.0001984126982956611 + z * p
    p = 0.00833333333332209 + z * p
    p = -0.1666666666666663 + z * p
    sine = x + (x * z * p + rest * (1.0 - 0.5 * z))
    p = 2.0875722652370523e-09 + z * -1.1359614511382885e-11
    p = -2.755731434793709e-07 + z * p
    p = 2.48015872894676e-05 + z * p
    p = -0.00138888888888741 + z * p
    p = 0.0416666666666666 + z * p
    half = 0.5 * z
    near = 1.0 - half
    cosine = near + (((1.0 - near) - half) + (z * z * p - x * rest))
    # turns modulo 4, from -2 to 2
    quarter = turns - 4.0 * ((turns * 0.25 + _ROUND) - _ROUND)
    swapped = abs(quarter) == 1.0
    s = cosine if swapped else sine
    c = sine if swapped else cosine
    s = s if abs(quarter - 0.5) < 1.0 else -s
    c = c if abs(quarter + 0.5) < 1.0 else -c
    return s, c


def padded(n: int) -> int:
    """Return the length of work rows for n values."""
    return (n + _LANES - 1) // _LANES * _LANES


def sines_cosines(work: F64, count: int) -> int:
    """Write sines to row 1 and cosines to row 2 of `work`, of `count` values in row 0.

    Values behind them, up to a full vector, become zero. Returns NOT_FINITE if one of
    the values is not, whose results are NaN.
    """
    n = padded(count)
    for i in range(count, n):
        work[0, i] = 0.0
    beyond = 0
    for i in range(n):
        angle = work[0, i]
        s, c = _sine_cosine(angle)
        work[1, i] = s
        work[2, i] = c
        beyond += 0 if abs(angle) <= _REDUCIBLE else 1
    status = DONE
    if beyond:
        for i in range(n):
            angle = work[0, i]
            if not abs(angle) <= _REDUCIBLE:
                if math.isfinite(angle):
                    work[1, i] = math.sin(angle)
                    work[2, i] = math.cos(angle)
                else:
                    work[1, i] = math.nan
                    work[2, i] = math.nan
                    status = NOT_FINITE
    return status


def _compose(
    poses: F64,
    i: Index,
    parent: Index,
    node: Index,
    t00: float,
    t01: float,
    t02: float,
    t03: float,
    t10: float,
    t11: float,
    t12: float,
    t13: float,
    t20: float,
    t21: float,
    t22: float,
    t23: float,
) -> None:
    """Write pose `node` = pose `parent` times t, in set i of `poses`."""
    for r in range(3):
        a0 = poses[i, parent, r, 0]
        a1 = poses[i, parent, r, 1]
        a2 = poses[i, parent, r, 2]
        a3 = poses[i, parent, r, 3]
        poses[i, node, r, 0] = ((0.0 + a0 * t00) + a1 * t10) + a2 * t20
        poses[i, node, r, 1] = ((0.0 + a0 * t01) + a1 * t11) + a2 * t21
        poses[i, node, r, 2] = ((0.0 + a0 * t02) + a1 * t12) + a2 * t22
        poses[i, node, r, 3] = ((a3 + a0 * t03) + a1 * t13) + a2 * t23
    poses[i, node, 3, 0] = 0.0
    poses[i, node, 3, 1] = 0.0
    poses[i, node, 3, 2] = 0.0
    poses[i, node, 3, 3] = 1.0


def place_sets(
    rows: F64,
    base: F64,
    work: F64,
    n: int,
    count: int,
    poses: F64,
    start: int,
) -> None:
    """Write `count` sets of `poses` (m, n_nodes, 4, 4) from `start` on.

    `work` has n values of each set, then their sines and cosines in its other rows.

    Products of exponentials along the tree (Lynch & Park, Modern Robotics, 4.1).
    Indices are unsigned: numba looks at the sign of all others.
    """
    for set_ in range(count):
        b = np.uint64(set_ * n)
        i = np.uint64(start + set_)
        for r in range(4):
            for c in range(4):
                poses[i, 0, r, c] = base[r, c]
        for row in range(1, rows.shape[0]):
            m = np.uint64(row)
            kind = rows[m, KIND]
            parent = np.uint64(rows[m, PARENT])
            node = np.uint64(rows[m, NODE])
            if kind == FIXED:
                _compose(
                    poses,
                    i,
                    parent,
                    node,
                    rows[m, C],
                    rows[m, C + 1],
                    rows[m, C + 2],
                    rows[m, C + 3],
                    rows[m, C + 4],
                    rows[m, C + 5],
                    rows[m, C + 6],
                    rows[m, C + 7],
                    rows[m, C + 8],
                    rows[m, C + 9],
                    rows[m, C + 10],
                    rows[m, C + 11],
                )
            elif kind == BALL:
                _place_ball(rows, m, work, b, poses, i)
            else:
                j = b + np.uint64(rows[m, VALUE])
                if kind == SLIDE:
                    u, v = 0.0, work[0, j]
                else:
                    u, v = work[2, j], work[1, j]
                _compose(
                    poses,
                    i,
                    parent,
                    node,
                    rows[m, C] + u * rows[m, U] + v * rows[m, V],
                    rows[m, C + 1] + u * rows[m, U + 1] + v * rows[m, V + 1],
                    rows[m, C + 2] + u * rows[m, U + 2] + v * rows[m, V + 2],
                    rows[m, C + 3] + u * rows[m, U + 3] + v * rows[m, V + 3],
                    rows[m, C + 4] + u * rows[m, U + 4] + v * rows[m, V + 4],
                    rows[m, C + 5] + u * rows[m, U + 5] + v * rows[m, V + 5],
                    rows[m, C + 6] + u * rows[m, U + 6] + v * rows[m, V + 6],
                    rows[m, C + 7] + u * rows[m, U + 7] + v * rows[m, V + 7],
                    rows[m, C + 8] + u * rows[m, U + 8] + v * rows[m, V + 8],
                    rows[m, C + 9] + u * rows[m, U + 9] + v * rows[m, V + 9],
                    rows[m, C + 10] + u * rows[m, U + 10] + v * rows[m, V + 10],
                    rows[m, C + 11] + u * rows[m, U + 11] + v * rows[m, V + 11],
                )


def _place_ball(rows: F64, m: Index, work: F64, b: Index, poses: F64, i: Index) -> None:
    """Write the pose of a ball: ``R0 exp(sign [value])`` and ``t0 - R point``."""
    parent = np.uint64(rows[m, PARENT])
    node = np.uint64(rows[m, NODE])
    j = b + np.uint64(rows[m, VALUE])
    x = work[0, j]
    y = work[0, j + np.uint64(1)]
    z = work[0, j + np.uint64(2)]
    angle = math.sqrt(x * x + y * y + z * z)
    if angle > 0.0:
        x, y, z = x / angle, y / angle, z / angle
    elif angle == 0.0:
        x = 1.0
    angle *= rows[m, BALL_SIGN]
    s, c, h = math.nan, math.nan, math.nan
    if abs(angle) < math.inf:
        s = math.sin(angle)
        c = math.cos(angle)
        h = math.sin(0.5 * angle)
    w = 2.0 * h * h
    r00, r01, r02 = c + x * x * w, x * y * w - z * s, x * z * w + y * s
    r10, r11, r12 = x * y * w + z * s, c + y * y * w, y * z * w - x * s
    r20, r21, r22 = x * z * w - y * s, y * z * w + x * s, c + z * z * w
    f0, f1, f2 = rows[m, C], rows[m, C + 1], rows[m, C + 2]
    l0 = f0 * r00 + f1 * r10 + f2 * r20
    l1 = f0 * r01 + f1 * r11 + f2 * r21
    l2 = f0 * r02 + f1 * r12 + f2 * r22
    f0, f1, f2 = rows[m, C + 4], rows[m, C + 5], rows[m, C + 6]
    l4 = f0 * r00 + f1 * r10 + f2 * r20
    l5 = f0 * r01 + f1 * r11 + f2 * r21
    l6 = f0 * r02 + f1 * r12 + f2 * r22
    f0, f1, f2 = rows[m, C + 8], rows[m, C + 9], rows[m, C + 10]
    l8 = f0 * r00 + f1 * r10 + f2 * r20
    l9 = f0 * r01 + f1 * r11 + f2 * r21
    l10 = f0 * r02 + f1 * r12 + f2 * r22
    p0, p1, p2 = rows[m, BALL_POINT], rows[m, BALL_POINT + 1], rows[m, BALL_POINT + 2]
    l3 = rows[m, C + 3] - (l0 * p0 + l1 * p1 + l2 * p2)
    l7 = rows[m, C + 7] - (l4 * p0 + l5 * p1 + l6 * p2)
    l11 = rows[m, C + 11] - (l8 * p0 + l9 * p1 + l10 * p2)
    _compose(poses, i, parent, node, l0, l1, l2, l3, l4, l5, l6, l7, l8, l9, l10, l11)


def base_is_pose(base: F64_2) -> bool:
    """Do `is_pose` for callers outside: what kernels call is compiled for them."""
    return is_pose(base)


def multiply_poses(first: F64_2, second: F64_2, out: F64_2) -> int:
    """Write the product (4, 4) of two poses (4, 4); return DONE or WRONG_SHAPE."""
    if (
        first.shape[0] != 4
        or first.shape[1] != 4
        or second.shape[0] != 4
        or second.shape[1] != 4
        or out.shape[0] != 4
        or out.shape[1] != 4
    ):
        return WRONG_SHAPE
    if INTERPRETED:
        np.dot(first, second, out)
        return DONE
    for r in range(3):
        a0, a1, a2, a3 = first[r, 0], first[r, 1], first[r, 2], first[r, 3]
        for c in range(4):
            out[r, c] = a0 * second[0, c] + a1 * second[1, c] + a2 * second[2, c]
        out[r, 3] += a3
        out[3, r] = 0.0
    out[3, 3] = 1.0
    return DONE


def place_nodes(rows: F64_2, base: F64_2, values: F64_1, out: F64_3) -> int:
    """Write the pose of every node, (n, 4, 4), for one vector of values.

    Returns DONE, NOT_FINITE (`out` has NaN then), WRONG_SHAPE or NO_POSE, of the base
    (nothing is written).
    """
    n = values.shape[0]
    if (
        n != int(rows[0, VALUE])
        or out.shape[0] != rows.shape[0]
        or out.shape[1] != 4
        or out.shape[2] != 4
    ):
        return WRONG_SHAPE
    if not is_pose(base):
        return NO_POSE
    work = np.empty((3, padded(n)))
    for i in range(n):
        work[0, i] = values[i]
    status = sines_cosines(work, n)
    place_sets(rows, base, work, n, 1, out.reshape(1, rows.shape[0], 4, 4), 0)
    return status


def place_following(
    rows: F64_2, base: F64_2, q: F64_1, followers: F64_2, rest: F64_1, out: F64_3
) -> int:
    """Write node poses (n, 4, 4) where values follow others; see `place_nodes`.

    Parameters
    ----------
    q
        (d,) degrees of freedom, which are the first values.
    followers
        (m, SLOPES + d), a row for each value that follows them.
    rest
        (n_values,) of which those of all other values count.
    """
    n, d = rest.shape[0], q.shape[0]
    if (
        n != int(rows[0, VALUE])
        or d + SLOPES != followers.shape[1]
        or out.shape[0] != rows.shape[0]
        or out.shape[1] != 4
        or out.shape[2] != 4
    ):
        return WRONG_SHAPE
    if not is_pose(base):
        return NO_POSE
    work = np.empty((3, padded(n)))
    for i in range(d):
        work[0, i] = q[i]
    for i in range(d, n):
        work[0, i] = rest[i]
    # v_m = min(max(b_m + a_m . q, lower_m), upper_m)
    for m in range(followers.shape[0]):
        value = followers[m, OFFSET]
        for i in range(d):
            value += followers[m, SLOPES + i] * q[i]
        value = min(max(value, followers[m, LOWER]), followers[m, UPPER])
        work[0, int(followers[m, FOLLOWS])] = value
    status = sines_cosines(work, n)
    place_sets(rows, base, work, n, 1, out.reshape(1, rows.shape[0], 4, 4), 0)
    return status


def place_nodes_batch(rows: F64_2, base: F64_2, values: F64_2, out: F64_4) -> int:
    """Write node poses (m, n, 4, 4) for `values` (m, n_values); see `place_nodes`."""
    n = values.shape[1]
    if (
        n != int(rows[0, VALUE])
        or out.shape[0] != values.shape[0]
        or out.shape[1] != rows.shape[0]
        or out.shape[2] != 4
        or out.shape[3] != 4
    ):
        return WRONG_SHAPE
    if not is_pose(base):
        return NO_POSE
    work = np.empty((3, padded(BLOCK * n)))
    status = DONE
    for start in range(0, values.shape[0], BLOCK):
        count = min(BLOCK, values.shape[0] - start)
        for k in range(count):
            for i in range(n):
                work[0, k * n + i] = values[start + k, i]
        status = max(status, sines_cosines(work, count * n))
        place_sets(rows, base, work, n, count, out, start)
    return status


def _tool_columns(rows: F64, poses: F64, out: F64) -> None:
    """Write a Jacobian (6, n) from the poses (1, n + 1, 4, 4) of a chain.

    Geometric Jacobian, linear part at the tool (Lynch & Park, 5.1). The axis of row r
    is in the frame that the motions before it have reached.
    """
    last = rows.shape[0] - 1
    out[:] = 0.0
    x, y, z = poses[0, last, 0, 3], poses[0, last, 1, 3], poses[0, last, 2, 3]
    for r in range(1, last):
        if rows[r, COLUMN] < 0.0:
            continue
        column = np.uint64(rows[r, COLUMN])
        u0, u1, u2 = _turned(
            poses, r - 1, rows[r, AXIS], rows[r, AXIS + 1], rows[r, AXIS + 2]
        )
        if rows[r, KIND] == SLIDE:
            out[0, column] = u0
            out[1, column] = u1
            out[2, column] = u2
        else:
            d0, d1, d2 = _turned(
                poses, r - 1, rows[r, POINT], rows[r, POINT + 1], rows[r, POINT + 2]
            )
            d0 = x - (d0 + poses[0, r - 1, 0, 3])
            d1 = y - (d1 + poses[0, r - 1, 1, 3])
            d2 = z - (d2 + poses[0, r - 1, 2, 3])
            l0, l1, l2 = cross(u0, u1, u2, d0, d1, d2)
            out[0, column] = l0
            out[1, column] = l1
            out[2, column] = l2
            out[3, column] = u0
            out[4, column] = u1
            out[5, column] = u2


def _turned(
    poses: F64, n: int, x: float, y: float, z: float
) -> tuple[float, float, float]:
    """Return the rotation of pose n of the first set applied to a vector."""
    return (
        poses[0, n, 0, 0] * x + poses[0, n, 0, 1] * y + poses[0, n, 0, 2] * z,
        poses[0, n, 1, 0] * x + poses[0, n, 1, 1] * y + poses[0, n, 1, 2] * z,
        poses[0, n, 2, 0] * x + poses[0, n, 2, 1] * y + poses[0, n, 2, 2] * z,
    )


def tool_jacobian(rows: F64_2, base: F64_2, q: F64_1, out: F64_2) -> int:
    """Write the (6, n_columns) Jacobian of a tool for one configuration (n_dof,).

    `rows` (n, TOOL_WIDTH) are the motions from the base to the tool with all that is
    constant folded in; the last is fixed and leads to the tool. Their values are 0, 1,
    ... Returns as `place_nodes`.
    """
    if (
        q.shape[0] != int(rows[0, VALUE])
        or out.shape[0] != 6
        or out.shape[1] != int(rows[0, COLUMN])
    ):
        return WRONG_SHAPE
    if not is_pose(base):
        return NO_POSE
    n = rows.shape[0] - 2
    work = np.empty((3, padded(n)))
    poses = np.empty((1, n + 2, 4, 4))
    for r in range(n):
        work[0, r] = q[np.uint64(rows[r + 1, DOF])]
    status = sines_cosines(work, n)
    place_sets(rows, base, work, n, 1, poses, 0)
    _tool_columns(rows, poses, out)
    return status


def tool_jacobian_batch(rows: F64_2, base: F64_2, q: F64_2, out: F64_3) -> int:
    """Write Jacobians (m, 6, n_columns) for `q` (m, n_dof); see `tool_jacobian`."""
    if (
        q.shape[1] != int(rows[0, VALUE])
        or out.shape[0] != q.shape[0]
        or out.shape[1] != 6
        or out.shape[2] != int(rows[0, COLUMN])
    ):
        return WRONG_SHAPE
    if not is_pose(base):
        return NO_POSE
    n = rows.shape[0] - 2
    work = np.empty((3, padded(n)))
    poses = np.empty((1, n + 2, 4, 4))
    status = DONE
    for k in range(q.shape[0]):
        for r in range(n):
            work[0, r] = q[k, np.uint64(rows[r + 1, DOF])]
        status = max(status, sines_cosines(work, n))
        place_sets(rows, base, work, n, 1, poses, 0)
        _tool_columns(rows, poses, out[k])
    return status
