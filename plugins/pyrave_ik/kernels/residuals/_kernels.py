"""What a tool misses of a task, and how that changes with the joints.

Every kind of task has a residual of its own with no more rows than it constrains, so
that no unknowns are added and every row is an angle or a length.

A problem is a bundle of arrays, the same for any robot:

frames
    (m + t, 12) constant displacements (rows of a (3, 4) matrix) before each of the m
    axes of t chains, one chain after the other, and one after the last axis of each.
axes
    (m, 2) factor from joint value to axis value, 1 for a sliding axis. Axes are the
    local z axes.
dofs
    (m,) the joint that moves each axis.
starts
    (t + 1,) the first axis of each chain.
kinds
    (t,) kind of each task: the constants below.
targets
    (t, 12) what to reach: a (3, 4) displacement; direction kinds have the direction in
    entries 0, 4, 8 and the position in 3, 7, 11.
tools
    (t, 6) direction of the tool, and the point of the tool that is to be placed.
weights
    (t, 2) factors of rows that are lengths, and of rows that are angles.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, I64

JIT_OPTIONS = {"*": {"fastmath": {"nsz", "contract", "reassoc", "arcp"}}}

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
"""To the x axis; the next two to y and z."""
SHADOW = 12
"""In the plane of x and y from x; the next two from y and z."""
NO_SHADOW = 1e-12
"""Square of the length of the shadow of a unit direction that has no angle."""


def rows_of(kind: int) -> int:
    """Return the number of rows of a task."""
    if kind == POSE:
        return 6
    if kind in (ROTATION, POINT, PLANE_POSE):
        return 3
    if kind in (DIRECTION, LOOKAT, PLANE_POINT):
        return 2
    return 5 if kind == POINT_DIRECTION else 4


def forward(
    frames: F64,
    axes: F64,
    dofs: I64,
    start: int,
    count: int,
    frame: int,
    q: F64,
    lines: F64,
    tip: F64,
) -> None:
    """Write the tool (12,) of one chain and the lines (m, 6) of its axes.

    A line is the direction of an axis and a point on it.
    """
    f = frames[frame]
    r0, r1, r2, r3 = f[0], f[1], f[2], f[3]
    s0, s1, s2, s3 = f[4], f[5], f[6], f[7]
    t0, t1, t2, t3 = f[8], f[9], f[10], f[11]
    for k in range(count):
        j = start + k
        line = lines[j]
        line[0] = r2
        line[1] = s2
        line[2] = t2
        line[3] = r3
        line[4] = s3
        line[5] = t3
        x = axes[j, 0] * q[dofs[j]]
        if axes[j, 1] != 0.0:
            r3 += r2 * x
            s3 += s2 * x
            t3 += t2 * x
        else:
            c = math.cos(x)
            s = math.sin(x)
            r0, r1 = r0 * c + r1 * s, r1 * c - r0 * s
            s0, s1 = s0 * c + s1 * s, s1 * c - s0 * s
            t0, t1 = t0 * c + t1 * s, t1 * c - t0 * s
        f = frames[frame + k + 1]
        r0, r1, r2, r3 = (
            r0 * f[0] + r1 * f[4] + r2 * f[8],
            r0 * f[1] + r1 * f[5] + r2 * f[9],
            r0 * f[2] + r1 * f[6] + r2 * f[10],
            r0 * f[3] + r1 * f[7] + r2 * f[11] + r3,
        )
        s0, s1, s2, s3 = (
            s0 * f[0] + s1 * f[4] + s2 * f[8],
            s0 * f[1] + s1 * f[5] + s2 * f[9],
            s0 * f[2] + s1 * f[6] + s2 * f[10],
            s0 * f[3] + s1 * f[7] + s2 * f[11] + s3,
        )
        t0, t1, t2, t3 = (
            t0 * f[0] + t1 * f[4] + t2 * f[8],
            t0 * f[1] + t1 * f[5] + t2 * f[9],
            t0 * f[2] + t1 * f[6] + t2 * f[10],
            t0 * f[3] + t1 * f[7] + t2 * f[11] + t3,
        )
    tip[0] = r0
    tip[1] = r1
    tip[2] = r2
    tip[3] = r3
    tip[4] = s0
    tip[5] = s1
    tip[6] = s2
    tip[7] = s3
    tip[8] = t0
    tip[9] = t1
    tip[10] = t2
    tip[11] = t3


def rotation_vector(target: F64, tip: F64, out: F64) -> None:
    """Write the rotation vector (3,) that takes the tool's axes to the target's."""
    m00 = target[0] * tip[0] + target[1] * tip[1] + target[2] * tip[2]
    m01 = target[0] * tip[4] + target[1] * tip[5] + target[2] * tip[6]
    m02 = target[0] * tip[8] + target[1] * tip[9] + target[2] * tip[10]
    m10 = target[4] * tip[0] + target[5] * tip[1] + target[6] * tip[2]
    m11 = target[4] * tip[4] + target[5] * tip[5] + target[6] * tip[6]
    m12 = target[4] * tip[8] + target[5] * tip[9] + target[6] * tip[10]
    m20 = target[8] * tip[0] + target[9] * tip[1] + target[10] * tip[2]
    m21 = target[8] * tip[4] + target[9] * tip[5] + target[10] * tip[6]
    m22 = target[8] * tip[8] + target[9] * tip[9] + target[10] * tip[10]
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
    out[0] = x * f
    out[1] = y * f
    out[2] = z * f


def normals(x: float, y: float, z: float, out: F64) -> None:
    """Write two unit vectors (6,) normal to a unit vector and to each other."""
    # Duff et al., "Building an orthonormal basis, revisited" (JCGT 2017)
    sign = -1.0 if z < 0.0 else 1.0
    a = -1.0 / (sign + z)
    b = x * y * a
    out[0] = 1.0 + sign * x * x * a
    out[1] = sign * b
    out[2] = -sign * x
    out[3] = b
    out[4] = sign + y * y * a
    out[5] = -y


def swing(
    x: float, y: float, z: float, vx: float, vy: float, vz: float, out: F64
) -> None:
    """Write the rotation vector (3,) that takes one unit vector to another."""
    c = x * vx + y * vy + z * vz
    a = y * vz - z * vy
    b = z * vx - x * vz
    d = x * vy - y * vx
    s = math.sqrt(a * a + b * b + d * d)
    if s < 1e-9 and c < 0.0:
        u = np.empty(6)
        normals(x, y, z, u)
        out[0] = math.pi * u[0]
        out[1] = math.pi * u[1]
        out[2] = math.pi * u[2]
        return
    f = math.atan2(s, c) / s if s > 1e-12 else 1.0
    out[0] = a * f
    out[1] = b * f
    out[2] = d * f


def task_rows(kind: int, target: F64, tool: F64, tip: F64, e: F64, rows: F64) -> None:
    """Write the residual (r,) of a task and its rows (r, 6).

    The rows map the velocity of the placed point and the angular velocity of the tool
    to that of the residual with the sign turned: ``de = -rows [v, w]``. For a pose they
    are the identity and not written; its point is the tool's origin.
    """
    if kind == POSE:
        e[0] = target[3] - tip[3]
        e[1] = target[7] - tip[7]
        e[2] = target[11] - tip[11]
        rotation_vector(target, tip, e[3:6])
        return
    for i in range(6):
        for k in range(6):
            rows[i, k] = 0.0
    dx = tip[0] * tool[0] + tip[1] * tool[1] + tip[2] * tool[2]
    dy = tip[4] * tool[0] + tip[5] * tool[1] + tip[6] * tool[2]
    dz = tip[8] * tool[0] + tip[9] * tool[1] + tip[10] * tool[2]
    px = tip[3] + tip[0] * tool[3] + tip[1] * tool[4] + tip[2] * tool[5]
    py = tip[7] + tip[4] * tool[3] + tip[5] * tool[4] + tip[6] * tool[5]
    pz = tip[11] + tip[8] * tool[3] + tip[9] * tool[4] + tip[10] * tool[5]
    gx, gy, gz = target[3] - px, target[7] - py, target[11] - pz
    n = 0
    if kind in (POINT, POINT_DIRECTION) or kind >= ANGLE:
        e[0] = gx
        e[1] = gy
        e[2] = gz
        for i in range(3):
            rows[i, i] = 1.0
        n = 3
    if kind == ROTATION:
        rotation_vector(target, tip, e)
        for i in range(3):
            rows[i, 3 + i] = 1.0
        return
    if kind in (PLANE_POINT, PLANE_POSE):
        e[0] = gx
        e[1] = gy
        rows[0, 0] = 1.0
        rows[1, 1] = 1.0
        if kind == PLANE_POSE:
            turn_about_z(target, tip, e, rows)
        return
    if kind >= SHADOW:
        angle_of_shadow(kind - SHADOW, target[0], dx, dy, dz, e, rows)
        return
    if kind >= ANGLE:
        angle_to_axis(kind - ANGLE, target[0], dx, dy, dz, e, rows)
        return
    if kind in (DIRECTION, RAY, POINT_DIRECTION, LOOKAT):
        vx, vy, vz = target[0], target[4], target[8]
        reach = 1.0
        if kind == LOOKAT:
            reach = max(math.sqrt(gx * gx + gy * gy + gz * gz), 1e-9)
            vx, vy, vz = gx / reach, gy / reach, gz / reach
        u = np.empty(6)
        w = np.empty(3)
        normals(vx, vy, vz, u)
        swing(dx, dy, dz, vx, vy, vz, w)
        for i in range(2):
            a, b, c = u[3 * i], u[3 * i + 1], u[3 * i + 2]
            e[n + i] = a * w[0] + b * w[1] + c * w[2]
            rows[n + i, 3] = a
            rows[n + i, 4] = b
            rows[n + i, 5] = c
            if kind == RAY:
                e[2 + i] = a * gx + b * gy + c * gz
                rows[2 + i, 0] = a
                rows[2 + i, 1] = b
                rows[2 + i, 2] = c
            elif kind == LOOKAT:
                # the line of sight turns as the tool moves: u . (v x dp) / reach
                rows[n + i, 0] = (b * vz - c * vy) / reach
                rows[n + i, 1] = (c * vx - a * vz) / reach
                rows[n + i, 2] = (a * vy - b * vx) / reach


def turn_about_z(target: F64, tip: F64, e: F64, rows: F64) -> None:
    """Write row 2: the turn about z of the rotation's quaternion (swing and twist)."""
    # w : z of the quaternion, from whichever of its components is largest
    w = 1.0 + tip[0] + tip[5] + tip[10]
    z = tip[4] - tip[1]
    x = tip[9] - tip[6]
    y = tip[2] - tip[8]
    other = 1.0 - tip[0] - tip[5] + tip[10]
    if other > w:
        w, x, y, z = z, tip[2] + tip[8], tip[6] + tip[9], other
    size = w * w + z * z
    turn = target[0] - 2.0 * math.atan2(z, w)
    e[2] = turn - 2.0 * math.pi * math.floor((turn + math.pi) / (2.0 * math.pi))
    if size < 1e-24:
        rows[2, 5] = 1.0
        return
    # q' = w_vector q / 2, so that the turn's rate is 2 (w z' - z w') / (w^2 + z^2)
    rows[2, 3] = (w * y + z * x) / size
    rows[2, 4] = (z * y - w * x) / size
    rows[2, 5] = 1.0


def angle_to_axis(
    axis: int, wanted: float, dx: float, dy: float, dz: float, e: F64, rows: F64
) -> None:
    """Write row 3: the angle between the tool's direction and a base axis."""
    ax = 1.0 if axis == 0 else 0.0
    ay = 1.0 if axis == 1 else 0.0
    az = 1.0 if axis == 2 else 0.0
    # the angle grows by turning about a x d
    x = ay * dz - az * dy
    y = az * dx - ax * dz
    z = ax * dy - ay * dx
    s = math.sqrt(x * x + y * y + z * z)
    e[3] = wanted - math.atan2(s, ax * dx + ay * dy + az * dz)
    if s < 1e-9:
        u = np.empty(6)
        normals(dx, dy, dz, u)
        x, y, z, s = u[0], u[1], u[2], 1.0
    rows[3, 3] = x / s
    rows[3, 4] = y / s
    rows[3, 5] = z / s


def angle_of_shadow(
    axis: int, wanted: float, dx: float, dy: float, dz: float, e: F64, rows: F64
) -> None:
    """Write row 3: the angle of the direction's shadow in a plane of base axes."""
    d = np.empty(3)
    d[0] = dx
    d[1] = dy
    d[2] = dz
    a = axis
    b = (axis + 1) % 3
    c = (axis + 2) % 3
    angle = wanted - math.atan2(d[b], d[a])
    e[3] = angle - 2.0 * math.pi * math.floor((angle + math.pi) / (2.0 * math.pi))
    size = max(d[a] * d[a] + d[b] * d[b], NO_SHADOW)
    rows[3, 3 + a] = -d[a] * d[c] / size
    rows[3, 3 + b] = -d[b] * d[c] / size
    rows[3, 3 + c] = 1.0
    if size <= NO_SHADOW:
        e[3] = math.pi  # along the normal there is no angle that could be met


def lengths_of(kind: int, row: int) -> bool:
    """Return whether a row of a task is a length (else an angle)."""
    if kind in (ROTATION, DIRECTION, LOOKAT):
        return False
    if kind == RAY:
        return row >= 2
    if kind in (PLANE_POINT, PLANE_POSE):
        return row < 2
    return row < 3


def stacked(
    frames: F64,
    axes: F64,
    dofs: I64,
    starts: I64,
    kinds: I64,
    targets: F64,
    tools: F64,
    weights: F64,
    q: F64,
    lines: F64,
    rows: F64,
    e: F64,
    jacobian: F64,
    miss: F64,
) -> int:
    """Write the weighted residuals (r,) and their Jacobian (r, n); return r.

    `miss` (2,): the greatest distance and the greatest angle that a task misses.
    `lines` (m, 6) and `rows` (8, 6) are scratch.
    """
    n = q.shape[0]
    miss[0] = 0.0
    miss[1] = 0.0
    tip = rows[6:8].reshape(12)
    top = 0
    for t in range(kinds.shape[0]):
        kind = kinds[t]
        start = starts[t]
        count = starts[t + 1] - start
        forward(frames, axes, dofs, start, count, start + t, q, lines, tip)
        r = rows_of(kind)
        part = e[top : top + r]
        task_rows(kind, targets[t], tools[t], tip, part, rows)
        length = 0.0
        angle = 0.0
        for i in range(r):
            if lengths_of(kind, i):
                length += part[i] * part[i]
                f = weights[t, 0]
            else:
                angle += part[i] * part[i]
                f = weights[t, 1]
            part[i] *= f
            if kind != POSE:
                for k in range(6):
                    rows[i, k] *= f
        miss[0] = max(miss[0], math.sqrt(length))
        miss[1] = max(miss[1], math.sqrt(angle))
        tool = tools[t]
        px = tip[3] + tip[0] * tool[3] + tip[1] * tool[4] + tip[2] * tool[5]
        py = tip[7] + tip[4] * tool[3] + tip[5] * tool[4] + tip[6] * tool[5]
        pz = tip[11] + tip[8] * tool[3] + tip[9] * tool[4] + tip[10] * tool[5]
        for i in range(top, top + r):
            for j in range(n):
                jacobian[i, j] = 0.0
        plain = kind == POSE
        fl = weights[t, 0]
        fa = weights[t, 1]
        for k in range(count):
            line = lines[start + k]
            j = dofs[start + k]
            f = axes[start + k, 0]
            wx, wy, wz = f * line[0], f * line[1], f * line[2]
            if axes[start + k, 1] != 0.0:
                vx, vy, vz = wx, wy, wz
                wx = wy = wz = 0.0
            else:
                x, y, z = px - line[3], py - line[4], pz - line[5]
                vx = wy * z - wz * y
                vy = wz * x - wx * z
                vz = wx * y - wy * x
            if plain:
                jacobian[top, j] += fl * vx
                jacobian[top + 1, j] += fl * vy
                jacobian[top + 2, j] += fl * vz
                jacobian[top + 3, j] += fa * wx
                jacobian[top + 4, j] += fa * wy
                jacobian[top + 5, j] += fa * wz
            else:
                for i in range(r):
                    a = rows[i]
                    jacobian[top + i, j] += (
                        a[0] * vx
                        + a[1] * vy
                        + a[2] * vz
                        + a[3] * wx
                        + a[4] * wy
                        + a[5] * wz
                    )
        top += r
    return top
