"""Residuals of tools against their goals, and the derivatives by joint values.

Each kind of goal has a residual of its own, of up to six rows that are lengths or
angles; no unknowns are added. Everything is data in one array, the layout of
which follows: the geometry of the chains, one row of numbers per goal, results.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

JIT_OPTIONS = {"*": {"fastmath": {"nsz", "contract", "reassoc", "arcp"}}}
JIT_ENTRIES = ("linearise",)

POSE = 0
ROTATION = 1
POINT = 2
DIRECTION = 3
RAY = 4
LOOKAT = 5
POINT_DIRECTION = 6
PLANE_POINT = 7
PLANE_POSE = 8
ANGLE = 9
"""Angle to the x axis; the next two to y and z."""
SHADOW = 12
"""Angle in the plane of x and y from x; the next two from y and z."""
NO_SHADOW = 1e-12
"""Square of the length of the shadow of a unit direction that has no angle."""

ROWS = 6
"""Rows of a goal's residual; those that its kind does not use are zero."""

# Columns of goals (t, GOAL), one row per chain.
KIND = 0
TARGET = 1
"""12 numbers: (3, 4) displacement T_base_goal. Kinds with a direction have it in the
first column, kinds with an angle have that in the first entry."""
TOOL_DIRECTION = 13
TOOL_POINT = 16
"""The point of the tool, in its frame, that is placed."""
LENGTH_WEIGHT = 19
"""Factor of rows that are lengths."""
ANGLE_WEIGHT = 20
GOAL = 21

# A problem: sizes and places, then arrays one after the other at these places. There
# are t chains with m axes in all, n joints, and a table of k configurations.
N_JOINTS = 0
N_AXES = 1
N_CHAINS = 2
N_TABLE = 3
FRAMES = 4
"""(m + t, 12) constant displacements, (3, 4) row by row: for each chain those before
its axes, and one behind the last. Axes are the z axes of their frames."""
AXES = 5
"""(m, AXIS): factor from joint value to axis value, 1 for a sliding axis, the joint,
and 1 where that moves an axis before this one in the same chain."""
STARTS = 6
"""(t + 1,) the first axis of each chain."""
ENDS = 7
"""(2, n) limits of the search, infinite for joints that go all the way round."""
LIMITS = 8
"""(2, n) limits of the joints."""
TURNS = 9
"""(n,) periods of joints that can go all the way round, 0 for the others."""
GOALS = 10
"""(t, GOAL) goals whose kind, target and point are to be filled in."""
TABLE = 11
"""(k, n) configurations to start from."""
TIPS = 12
"""(k, t, 12) the tools there."""
# results: these are in `work`
ERROR = 13
"""(6 t,) weighted residuals."""
COLUMNS = 14
"""(n, 6 t) how much each joint reduces them per unit: the transposed Jacobian."""
MULTIPLIERS = 15
"""(6 t,) y of ``(J J' + d I) y = e``."""
CHANGE = 16
"""(n,) a step of the joints."""
MATRIX = 17
"""(6 t, 6 t) for several chains."""
LINES = 18
"""(m, 6) direction of each axis, and a point on it."""
WORK = 19
"""Length of the work array."""
SIZES = 20

FACTOR = 0
SLIDES = 1
JOINT = 2
AGAIN = 3
AXIS = 4

# What every work begins with.
DISTANCE = 0
"""The greatest distance by which a goal is missed, metres."""
OFF = 1
"""The greatest angle."""
TIP = 2
"""12 numbers: the tool of a chain."""
RATES = 14
"""(6, 6) rows of a goal, see `other_error`."""
FREE = 50

TURN = 2.0 * math.pi


def blank_goals(problem: F64) -> F64:
    """Return goals (t, GOAL) without kinds and targets."""
    goals = np.empty((int(problem[N_CHAINS]), GOAL))
    at = int(problem[GOALS])
    for t in range(goals.shape[0]):
        for i in range(GOAL):
            goals[t, i] = problem[at + GOAL * t + i]
    return goals


def pose_goals(problem: F64, pose: F64) -> F64:
    """Return the goals (1, GOAL) of a pose (3 or 4, 4) in the frame of one chain."""
    goals = blank_goals(problem)
    goals[0, KIND] = POSE
    for i in range(3):
        for j in range(4):
            goals[0, TARGET + 4 * i + j] = pose[i, j]
    return goals


def forward(problem: F64, chain: int, q: F64, work: F64) -> None:
    """Write the tool of one chain, and the lines of its axes."""
    starts = int(problem[STARTS]) + chain
    first, end = int(problem[starts]), int(problem[starts + 1])
    axes, lines = int(problem[AXES]), int(problem[LINES])
    f = int(problem[FRAMES]) + 12 * (first + chain)
    r0, r1, r2, r3 = problem[f], problem[f + 1], problem[f + 2], problem[f + 3]
    s0, s1, s2, s3 = problem[f + 4], problem[f + 5], problem[f + 6], problem[f + 7]
    t0, t1, t2, t3 = problem[f + 8], problem[f + 9], problem[f + 10], problem[f + 11]
    for k in range(first, end):
        line, axis = lines + 6 * k, axes + AXIS * k
        work[line] = r2
        work[line + 1] = s2
        work[line + 2] = t2
        work[line + 3] = r3
        work[line + 4] = s3
        work[line + 5] = t3
        x = problem[axis + FACTOR] * q[int(problem[axis + JOINT])]
        if problem[axis + SLIDES] != 0.0:
            r3 += r2 * x
            s3 += s2 * x
            t3 += t2 * x
        else:
            s, c = math.sin(x), math.cos(x)
            r0, r1 = r0 * c + r1 * s, r1 * c - r0 * s
            s0, s1 = s0 * c + s1 * s, s1 * c - s0 * s
            t0, t1 = t0 * c + t1 * s, t1 * c - t0 * s
        f += 12
        f0, f1, f2, f3 = problem[f], problem[f + 1], problem[f + 2], problem[f + 3]
        g0, g1, g2, g3 = problem[f + 4], problem[f + 5], problem[f + 6], problem[f + 7]
        h0, h1, h2 = problem[f + 8], problem[f + 9], problem[f + 10]
        h3 = problem[f + 11]
        r0, r1, r2, r3 = (
            r0 * f0 + r1 * g0 + r2 * h0,
            r0 * f1 + r1 * g1 + r2 * h1,
            r0 * f2 + r1 * g2 + r2 * h2,
            r0 * f3 + r1 * g3 + r2 * h3 + r3,
        )
        s0, s1, s2, s3 = (
            s0 * f0 + s1 * g0 + s2 * h0,
            s0 * f1 + s1 * g1 + s2 * h1,
            s0 * f2 + s1 * g2 + s2 * h2,
            s0 * f3 + s1 * g3 + s2 * h3 + s3,
        )
        t0, t1, t2, t3 = (
            t0 * f0 + t1 * g0 + t2 * h0,
            t0 * f1 + t1 * g1 + t2 * h1,
            t0 * f2 + t1 * g2 + t2 * h2,
            t0 * f3 + t1 * g3 + t2 * h3 + t3,
        )
    work[TIP], work[TIP + 1], work[TIP + 2], work[TIP + 3] = r0, r1, r2, r3
    work[TIP + 4], work[TIP + 5], work[TIP + 6], work[TIP + 7] = s0, s1, s2, s3
    work[TIP + 8], work[TIP + 9], work[TIP + 10], work[TIP + 11] = t0, t1, t2, t3


def rotation_vector(goals: F64, t: int, work: F64) -> tuple[float, float, float]:
    """Return the rotation vector that takes the tool's axes to the target's."""
    r0, r1, r2 = work[TIP], work[TIP + 1], work[TIP + 2]
    s0, s1, s2 = work[TIP + 4], work[TIP + 5], work[TIP + 6]
    t0, t1, t2 = work[TIP + 8], work[TIP + 9], work[TIP + 10]
    a, b, c = goals[t, TARGET], goals[t, TARGET + 1], goals[t, TARGET + 2]
    m00 = a * r0 + b * r1 + c * r2
    m01 = a * s0 + b * s1 + c * s2
    m02 = a * t0 + b * t1 + c * t2
    a, b, c = goals[t, TARGET + 4], goals[t, TARGET + 5], goals[t, TARGET + 6]
    m10 = a * r0 + b * r1 + c * r2
    m11 = a * s0 + b * s1 + c * s2
    m12 = a * t0 + b * t1 + c * t2
    a, b, c = goals[t, TARGET + 8], goals[t, TARGET + 9], goals[t, TARGET + 10]
    m20 = a * r0 + b * r1 + c * r2
    m21 = a * s0 + b * s1 + c * s2
    m22 = a * t0 + b * t1 + c * t2
    # M = exp [w]: [w] sin = (M - M') / 2, cos = (trace M - 1) / 2
    x = 0.5 * (m21 - m12)
    y = 0.5 * (m02 - m20)
    z = 0.5 * (m10 - m01)
    s = math.sqrt(x * x + y * y + z * z)
    c = 0.5 * (m00 + m11 + m22 - 1.0)
    if s < 1e-6 and c < 0.0:
        # half a turn: M + I is twice the projection on the axis
        if m00 >= m11 and m00 >= m22:
            x, y, z = m00 + 1.0, m10, m20
        elif m11 >= m22:
            x, y, z = m01, m11 + 1.0, m21
        else:
            x, y, z = m02, m12, m22 + 1.0
        f = math.pi / math.sqrt(x * x + y * y + z * z)
    elif s < 1e-9:
        f = 1.0
    else:
        f = math.atan2(s, c) / s
    return x * f, y * f, z * f


def normals(
    x: float, y: float, z: float
) -> tuple[float, float, float, float, float, float]:
    """Return two unit vectors normal to a unit vector and to each other."""
    # Duff et al., "Building an orthonormal basis, revisited" (JCGT 2017)
    sign = -1.0 if z < 0.0 else 1.0
    a = -1.0 / (sign + z)
    b = x * y * a
    return 1.0 + sign * x * x * a, sign * b, -sign * x, b, sign + y * y * a, -y


def swing(
    x: float, y: float, z: float, vx: float, vy: float, vz: float
) -> tuple[float, float, float]:
    """Return the rotation vector that takes one unit vector to another."""
    c = x * vx + y * vy + z * vz
    a = y * vz - z * vy
    b = z * vx - x * vz
    d = x * vy - y * vx
    s = math.sqrt(a * a + b * b + d * d)
    if s < 1e-9 and c < 0.0:
        a, b, d, _, _, _ = normals(x, y, z)
        return math.pi * a, math.pi * b, math.pi * d
    f = math.atan2(s, c) / s if s > 1e-12 else 1.0
    return a * f, b * f, d * f


def turned(goals: F64, t: int, at: int, work: F64) -> tuple[float, float, float]:
    """Return a vector of the tool frame, found in a goal, in the chain's frame."""
    x, y, z = goals[t, at], goals[t, at + 1], goals[t, at + 2]
    return (
        work[TIP] * x + work[TIP + 1] * y + work[TIP + 2] * z,
        work[TIP + 4] * x + work[TIP + 5] * y + work[TIP + 6] * z,
        work[TIP + 8] * x + work[TIP + 9] * y + work[TIP + 10] * z,
    )


def placed_point(goals: F64, t: int, work: F64) -> tuple[float, float, float]:
    """Return the point of the tool that a goal places, in the chain's frame."""
    x, y, z = turned(goals, t, int(TOOL_POINT), work)
    return work[TIP + 3] + x, work[TIP + 7] + y, work[TIP + 11] + z


def pose_error(goals: F64, t: int, e: int, work: F64) -> float:
    """Write the six weighted rows of a pose at `e`; return the sum of their squares."""
    x = goals[t, TARGET + 3] - work[TIP + 3]
    y = goals[t, TARGET + 7] - work[TIP + 7]
    z = goals[t, TARGET + 11] - work[TIP + 11]
    u, v, w = rotation_vector(goals, t, work)
    fl, fa = goals[t, LENGTH_WEIGHT], goals[t, ANGLE_WEIGHT]
    work[e] = fl * x
    work[e + 1] = fl * y
    work[e + 2] = fl * z
    work[e + 3] = fa * u
    work[e + 4] = fa * v
    work[e + 5] = fa * w
    length = x * x + y * y + z * z
    angle = u * u + v * v + w * w
    work[DISTANCE] = max(work[DISTANCE], math.sqrt(length))
    work[OFF] = max(work[OFF], math.sqrt(angle))
    return float(fl * fl * length + fa * fa * angle)


def other_error(goals: F64, t: int, e: int, work: F64) -> float:
    """Do `pose_error` for any other kind; rows that it does not use become zero.

    Also write its weighted rows (6, 6) at `RATES`. They map the velocity of the placed
    point and the angular velocity of the tool to that of the residual with the sign
    turned: ``de = -rows [v, w]``.
    """
    for i in range(36):
        work[RATES + i] = 0.0
    for i in range(6):
        work[e + i] = 0.0
    goal_rows(goals, t, e, work)
    first, end = lengths_of(int(goals[t, KIND]))
    length = 0.0
    angle = 0.0
    for i in range(ROWS):
        square = work[e + i] * work[e + i]
        f = goals[t, ANGLE_WEIGHT]
        if first <= i < end:
            length += square
            f = goals[t, LENGTH_WEIGHT]
        else:
            angle += square
        work[e + i] *= f
        for k in range(RATES + 6 * i, RATES + 6 * i + 6):
            work[k] *= f
    work[DISTANCE] = max(work[DISTANCE], math.sqrt(length))
    work[OFF] = max(work[OFF], math.sqrt(angle))
    fl, fa = goals[t, LENGTH_WEIGHT], goals[t, ANGLE_WEIGHT]
    return float(fl * fl * length + fa * fa * angle)


def lengths_of(kind: int) -> tuple[int, int]:
    """Return the first row of a goal's residual that is a length, and the one after."""
    if kind in (ROTATION, DIRECTION, LOOKAT):
        return 0, 0
    if kind == RAY:
        return 2, 4
    return 0, 2 if kind in (PLANE_POINT, PLANE_POSE) else 3


def goal_rows(goals: F64, t: int, e: int, work: F64) -> None:
    """Write the residual of a goal that is no pose, and its rows, without weights."""
    kind = int(goals[t, KIND])
    if kind == ROTATION:
        work[e], work[e + 1], work[e + 2] = rotation_vector(goals, t, work)
        for i in range(3):
            work[RATES + 7 * i + 3] = 1.0
        return
    px, py, pz = placed_point(goals, t, work)
    gx = goals[t, TARGET + 3] - px
    gy = goals[t, TARGET + 7] - py
    gz = goals[t, TARGET + 11] - pz
    if kind in (PLANE_POINT, PLANE_POSE):
        work[e], work[e + 1] = gx, gy
        work[RATES] = work[RATES + 7] = 1.0
        if kind == PLANE_POSE:
            turn_about_z(goals[t, TARGET], e, work)
        return
    if kind in (POINT, POINT_DIRECTION) or kind >= ANGLE:
        work[e], work[e + 1], work[e + 2] = gx, gy, gz
        for i in range(3):
            work[RATES + 7 * i] = 1.0
    if kind == POINT:
        return
    dx, dy, dz = turned(goals, t, int(TOOL_DIRECTION), work)
    if kind >= SHADOW:
        angle_of_shadow(kind - SHADOW, goals[t, TARGET], dx, dy, dz, e, work)
    elif kind >= ANGLE:
        angle_to_axis(kind - ANGLE, goals[t, TARGET], dx, dy, dz, e, work)
    else:
        top = 3 if kind == POINT_DIRECTION else 0
        vx, vy, vz = goals[t, TARGET], goals[t, TARGET + 4], goals[t, TARGET + 8]
        reach = math.sqrt(gx * gx + gy * gy + gz * gz)
        if kind == LOOKAT:
            reach = max(reach, 1e-9)
            vx, vy, vz = gx / reach, gy / reach, gz / reach
        along(dx, dy, dz, vx, vy, vz, top, e, work)
        if kind == RAY:
            across(vx, vy, vz, gx, gy, gz, e, work)
        elif kind == LOOKAT:
            for row in (RATES, RATES + 6):
                # the line of sight turns as the tool moves: u . (v x dp) / reach
                a, b, c = work[row + 3], work[row + 4], work[row + 5]
                work[row] = (b * vz - c * vy) / reach
                work[row + 1] = (c * vx - a * vz) / reach
                work[row + 2] = (a * vy - b * vx) / reach


def along(
    dx: float,
    dy: float,
    dz: float,
    vx: float,
    vy: float,
    vz: float,
    top: int,
    e: int,
    work: F64,
) -> None:
    """Write two rows from `top` on: the turn from one unit vector, d, to another."""
    u = normals(vx, vy, vz)
    wx, wy, wz = swing(dx, dy, dz, vx, vy, vz)
    for i in range(2):
        a, b, c = u[3 * i], u[3 * i + 1], u[3 * i + 2]
        work[e + top + i] = a * wx + b * wy + c * wz
        row = RATES + 6 * (top + i)
        work[row + 3] = a
        work[row + 4] = b
        work[row + 5] = c


def across(
    vx: float, vy: float, vz: float, gx: float, gy: float, gz: float, e: int, work: F64
) -> None:
    """Write rows 2 and 3: the part of the way g that is normal to a unit vector v."""
    u = normals(vx, vy, vz)
    for i in range(2):
        a, b, c = u[3 * i], u[3 * i + 1], u[3 * i + 2]
        work[e + 2 + i] = a * gx + b * gy + c * gz
        row = RATES + 6 * (2 + i)
        work[row] = a
        work[row + 1] = b
        work[row + 2] = c


def turn_about_z(wanted: float, e: int, work: F64) -> None:
    """Write row 2: the turn about z of the rotation's quaternion (swing and twist)."""
    r0, r1, r2 = work[TIP], work[TIP + 1], work[TIP + 2]
    s0, s1, s2 = work[TIP + 4], work[TIP + 5], work[TIP + 6]
    t0, t1, t2 = work[TIP + 8], work[TIP + 9], work[TIP + 10]
    # w : z of the quaternion, from whichever of its components is largest
    w = 1.0 + r0 + s1 + t2
    x, y, z = t1 - s2, r2 - t0, s0 - r1
    other = 1.0 - r0 - s1 + t2
    if other > w:
        w, x, y, z = z, r2 + t0, s2 + t1, other
    size = w * w + z * z
    turn = wanted - 2.0 * math.atan2(z, w)
    work[e + 2] = turn - TURN * math.floor((turn + math.pi) / TURN)
    row = RATES + 12
    work[row + 5] = 1.0
    if size >= 1e-24:
        # q' = w_vector q / 2, so that the turn's rate is 2 (w z' - z w') / (w^2 + z^2)
        work[row + 3] = (w * y + z * x) / size
        work[row + 4] = (z * y - w * x) / size


def angle_to_axis(
    axis: int, wanted: float, dx: float, dy: float, dz: float, e: int, work: F64
) -> None:
    """Write row 3: the angle between the tool's direction and an axis of the frame."""
    ax = 1.0 if axis == 0 else 0.0
    ay = 1.0 if axis == 1 else 0.0
    az = 1.0 if axis == 2 else 0.0
    # the angle grows by turning about a x d
    x = ay * dz - az * dy
    y = az * dx - ax * dz
    z = ax * dy - ay * dx
    s = math.sqrt(x * x + y * y + z * z)
    work[e + 3] = wanted - math.atan2(s, ax * dx + ay * dy + az * dz)
    if s < 1e-9:
        x, y, z, _, _, _ = normals(dx, dy, dz)
        s = 1.0
    row = RATES + 18
    work[row + 3] = x / s
    work[row + 4] = y / s
    work[row + 5] = z / s


def angle_of_shadow(
    axis: int, wanted: float, dx: float, dy: float, dz: float, e: int, work: F64
) -> None:
    """Write row 3: the angle of the direction's shadow in a plane of the frame."""
    d = (dx, dy, dz)
    b = (axis + 1) % 3
    c = (axis + 2) % 3
    ahead, aside, off = d[axis], d[b], d[c]
    angle = wanted - math.atan2(aside, ahead)
    work[e + 3] = angle - TURN * math.floor((angle + math.pi) / TURN)
    size = max(ahead * ahead + aside * aside, NO_SHADOW)
    if size <= NO_SHADOW:
        work[e + 3] = math.pi  # along the normal there is no angle that could be met
    row = RATES + 18
    work[row + 3 + axis] = -ahead * off / size
    work[row + 3 + b] = -aside * off / size
    work[row + 3 + c] = 1.0


def linearise(problem: F64, goals: F64, q: F64, work: F64) -> float:
    """Write residuals at joint values (n,), their derivatives, and what is missed.

    Returns the sum of their weighted squares.

    Parameters
    ----------
    goals
        (t, GOAL) one for each chain, in the chains' frame.
    work
        Zeros at first. Gets what is at `ERROR`, `COLUMNS`, `DISTANCE` and `OFF`.
    """
    count = int(problem[N_CHAINS])
    axes, lines = int(problem[AXES]), int(problem[LINES])
    work[DISTANCE] = 0.0
    work[OFF] = 0.0
    total = 0.0
    for t in range(count):
        forward(problem, t, q, work)
        e = int(problem[ERROR]) + ROWS * t
        plain = goals[t, KIND] == POSE
        px, py, pz = work[TIP + 3], work[TIP + 7], work[TIP + 11]
        if plain:
            total += pose_error(goals, t, e, work)
        else:
            total += other_error(goals, t, e, work)
            px, py, pz = placed_point(goals, t, work)
        fl, fa = goals[t, LENGTH_WEIGHT], goals[t, ANGLE_WEIGHT]
        starts = int(problem[STARTS]) + t
        for k in range(int(problem[starts]), int(problem[starts + 1])):
            axis, line = axes + AXIS * k, lines + 6 * k
            f = problem[axis + FACTOR]
            wx, wy, wz = f * work[line], f * work[line + 1], f * work[line + 2]
            if problem[axis + SLIDES] != 0.0:
                vx, vy, vz = wx, wy, wz
                wx = wy = wz = 0.0
            else:
                x = px - work[line + 3]
                y = py - work[line + 4]
                z = pz - work[line + 5]
                vx = wy * z - wz * y
                vy = wz * x - wx * z
                vz = wx * y - wy * x
            if plain:
                a, b, c = fl * vx, fl * vy, fl * vz
                u, v, w = fa * wx, fa * wy, fa * wz
            else:
                a = b = c = u = v = w = 0.0
                for i in range(6):
                    x = (vx, vy, vz, wx, wy, wz)[i]
                    a += work[RATES + i] * x
                    b += work[RATES + 6 + i] * x
                    c += work[RATES + 12 + i] * x
                    u += work[RATES + 18 + i] * x
                    v += work[RATES + 24 + i] * x
                    w += work[RATES + 30 + i] * x
            at = int(problem[COLUMNS]) + ROWS * (count * int(problem[axis + JOINT]) + t)
            if problem[axis + AGAIN] != 0.0:
                a += work[at]
                b += work[at + 1]
                c += work[at + 2]
                u += work[at + 3]
                v += work[at + 4]
                w += work[at + 5]
            work[at] = a
            work[at + 1] = b
            work[at + 2] = c
            work[at + 3] = u
            work[at + 4] = v
            work[at + 5] = w
    return total
