"""Kernels that place an articulation and turn its values into twists of links.

`tree` and `places` are those of `pyrave.kinematics._articulation`, `tape`, `constants`,
`partials` and `seconds` those of the compiled formulas. Twists have their linear part
first. Everything is in the axes of the base.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.kinematics._kernels import _ball_terms as ball_terms
from pyrave.kinematics._kernels import cross
from pyrave.kinematics.formula._kernels import run_tape

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

TURN = 1
SLIDE = 2
BALL = 3


def gather(partials: Ints, registers: Floats, forces: Floats) -> None:
    """Add the forces on followers to what they follow: the chain rule transposed."""
    for k in range(partials.shape[0] - 1, -1, -1):
        slope = registers[partials[k, 2]]
        forces[partials[k, 1]] += slope * forces[partials[k, 0]]


def project(partials: Ints, registers: Floats, matrix: Floats, out: Floats) -> None:
    """Write W^T matrix W (n_dof, n_dof), W how values move; overwrites `matrix`."""
    n = out.shape[0]
    if partials.shape[0] > 0:
        for j in range(matrix.shape[0]):
            gather(partials, registers, matrix[j])
        for j in range(n):
            gather(partials, registers, matrix[:, j])
    for i in range(n):
        for j in range(n):
            out[i, j] = matrix[i, j]


def ball_rate(
    x: float, y: float, z: float, d0: float, d1: float, d2: float, transposed: bool
) -> tuple[float, float, float]:
    """Return J d, or its transpose times d, for the rotation vector (x, y, z).

    J is the right Jacobian of rotations: J d is the angular velocity in the axes of the
    turned frame (Barfoot, State Estimation for Robotics, 7.1.5).
    """
    a, b, _, _ = ball_terms(x * x + y * y + z * z)
    if transposed:
        a = -a
    c0, c1, c2 = cross(x, y, z, d0, d1, d2)
    e0, e1, e2 = cross(x, y, z, c0, c1, c2)
    return d0 - a * c0 + b * e0, d1 - a * c1 + b * e1, d2 - a * c2 + b * e2


def ball_bias(
    x: float, y: float, z: float, d0: float, d1: float, d2: float
) -> tuple[float, float, float]:
    """Return the change of J along the rates d, times d."""
    _, b, da, db = ball_terms(x * x + y * y + z * z)
    p = x * d0 + y * d1 + z * d2
    c0, c1, c2 = cross(x, y, z, d0, d1, d2)
    e0, e1, e2 = cross(x, y, z, c0, c1, c2)
    g0, g1, g2 = cross(d0, d1, d2, c0, c1, c2)
    return (
        p * (db * e0 - da * c0) + b * g0,
        p * (db * e1 - da * c1) + b * g1,
        p * (db * e2 - da * c2) + b * g2,
    )


def _ball_turn(place: Floats, x: float, y: float, z: float, out: Floats) -> None:
    """Write the rest rotation of a place times the rotation by a vector, (9,)."""
    a, _, _, _ = ball_terms(x * x + y * y + z * z)
    square = x * x + y * y + z * z
    t = math.sqrt(square)
    s = 1.0 if t == 0.0 else math.sin(t) / t
    c = 1.0 - a * square
    r00, r01, r02 = c + a * x * x, a * x * y - s * z, a * x * z + s * y
    r10, r11, r12 = a * x * y + s * z, c + a * y * y, a * y * z - s * x
    r20, r21, r22 = a * x * z - s * y, a * y * z + s * x, c + a * z * z
    for i in range(3):
        p0, p1, p2 = place[3 * i], place[3 * i + 1], place[3 * i + 2]
        out[3 * i] = p0 * r00 + p1 * r10 + p2 * r20
        out[3 * i + 1] = p0 * r01 + p1 * r11 + p2 * r21
        out[3 * i + 2] = p0 * r02 + p1 * r12 + p2 * r22


def put(place: Floats, code: int, values: Floats, v: int, out: Floats) -> None:
    """Write rotation (9) and origin (3) of a node in its parent."""
    if code == TURN:
        c = math.cos(values[v])
        s = math.sin(values[v])
        for i in range(0, 9, 3):
            p0, p1 = place[i], place[i + 1]
            out[i] = c * p0 + s * p1
            out[i + 1] = c * p1 - s * p0
            out[i + 2] = place[i + 2]
        out[9], out[10], out[11] = place[9], place[10], place[11]
    elif code == SLIDE:
        d = values[v]
        for i in range(9):
            out[i] = place[i]
        out[9] = place[9] + d * place[2]
        out[10] = place[10] + d * place[5]
        out[11] = place[11] + d * place[8]
    else:
        s = place[12]
        _ball_turn(place, s * values[v], s * values[v + 1], s * values[v + 2], out)
        out[9], out[10], out[11] = place[9], place[10], place[11]


def turned(pose: Floats, d0: float, d1: float, d2: float, twist: Floats) -> None:
    """Write the twist of a turn about a node's origin by a vector in its axes."""
    w0 = pose[0] * d0 + pose[1] * d1 + pose[2] * d2
    w1 = pose[3] * d0 + pose[4] * d1 + pose[5] * d2
    w2 = pose[6] * d0 + pose[7] * d1 + pose[8] * d2
    twist[3], twist[4], twist[5] = w0, w1, w2
    twist[0], twist[1], twist[2] = cross(pose[9], pose[10], pose[11], w0, w1, w2)


def stand(
    tree: Ints, places: Floats, values: Floats, poses: Floats, twists: Floats
) -> None:
    """Write node poses (n, 12) in the base, and the twist of each value's unit rate.

    Twists (n_values, 6) are of the point at the base's origin.
    """
    for i in range(12):
        poses[0, i] = 1.0 if i in (0, 4, 8) else 0.0
    step = np.empty(12)
    twists[:] = 0.0
    for k in range(1, tree.shape[0]):
        p, code, v = tree[k, 0], tree[k, 1], tree[k, 2]
        u, r = poses[p], poses[k]
        put(places[k], code, values, v, step)
        for i in range(0, 9, 3):
            for j in range(3):
                r[i + j] = (
                    u[i] * step[j] + u[i + 1] * step[3 + j] + u[i + 2] * step[6 + j]
                )
            r[9 + i // 3] = (
                u[i] * step[9]
                + u[i + 1] * step[10]
                + u[i + 2] * step[11]
                + u[9 + i // 3]
            )
        if code == TURN:
            t = twists[v]
            t[3], t[4], t[5] = r[2], r[5], r[8]
            t[0], t[1], t[2] = cross(r[9], r[10], r[11], r[2], r[5], r[8])
        elif code == SLIDE:
            t = twists[v]
            t[0], t[1], t[2] = r[2], r[5], r[8]
        else:
            s = places[k, 12]
            x, y, z = s * values[v], s * values[v + 1], s * values[v + 2]
            for i in range(3):
                d0 = s if i == 0 else 0.0
                d1 = s if i == 1 else 0.0
                d2 = s if i == 2 else 0.0
                d0, d1, d2 = ball_rate(x, y, z, d0, d1, d2, False)
                t = twists[v + i]
                turned(r, d0, d1, d2, t)


def columns(
    tree: Ints,
    twists: Floats,
    node: int,
    point: Floats,
    out: Floats,
) -> None:
    """Write the Jacobian (6, n_values) of a point (3,) that is rigid in a node."""
    out[:] = 0.0
    k = node
    while k > 0:
        v = tree[k, 2]
        for j in range(v, v + (3 if tree[k, 1] == BALL else 1)):
            t = twists[j]
            x, y, z = cross(t[3], t[4], t[5], point[0], point[1], point[2])
            out[0, j], out[1, j], out[2, j] = t[0] + x, t[1] + y, t[2] + z
            out[3, j], out[4, j], out[5, j] = t[3], t[4], t[5]
        k = tree[k, 0]


def _ball_curve(
    pose: Floats, x: float, y: float, z: float, i: int, j: int
) -> tuple[float, float, float]:
    """Return how column j of J changes with component i, turned into the base."""
    a, b, da, db = ball_terms(x * x + y * y + z * z)
    w = x if i == 0 else (y if i == 1 else z)
    i0, i1, i2 = 1.0 if i == 0 else 0.0, 1.0 if i == 1 else 0.0, 1.0 if i == 2 else 0.0
    j0, j1, j2 = 1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0
    c0, c1, c2 = cross(x, y, z, j0, j1, j2)
    d0, d1, d2 = cross(x, y, z, c0, c1, c2)
    g0, g1, g2 = cross(i0, i1, i2, j0, j1, j2)
    h0, h1, h2 = cross(i0, i1, i2, c0, c1, c2)
    m0, m1, m2 = cross(x, y, z, g0, g1, g2)
    r0 = w * (db * d0 - da * c0) - a * g0 + b * (h0 + m0)
    r1 = w * (db * d1 - da * c1) - a * g1 + b * (h1 + m1)
    r2 = w * (db * d2 - da * c2) - a * g2 + b * (h2 + m2)
    return (
        pose[0] * r0 + pose[1] * r1 + pose[2] * r2,
        pose[3] * r0 + pose[4] * r1 + pose[5] * r2,
        pose[6] * r0 + pose[7] * r1 + pose[8] * r2,
    )


def curvature(
    tree: Ints,
    places: Floats,
    poses: Floats,
    values: Floats,
    node: int,
    point: Floats,
    first: Floats,
    out: Floats,
) -> None:
    """Write (n_values, 6, n_values): derivative of `columns`, given as `first`.

    For a above b in the tree the linear part is w_a x J_b both ways, the angular part
    w_a x w_b only for d J_b / d a (Hourtash, The kinematic Hessian and higher
    derivatives, CIRA 2005).
    """
    out[:] = 0.0
    k = node
    while k > 0:
        v = tree[k, 2]
        ball = tree[k, 1] == BALL
        for b in range(v, v + (3 if ball else 1)):
            above = tree[k, 0] if ball else k
            while above > 0:
                u = tree[above, 2]
                for a in range(u, u + (3 if tree[above, 1] == BALL else 1)):
                    w0, w1, w2 = first[3, a], first[4, a], first[5, a]
                    x, y, z = cross(w0, w1, w2, first[0, b], first[1, b], first[2, b])
                    out[a, 0, b], out[a, 1, b], out[a, 2, b] = x, y, z
                    out[b, 0, a], out[b, 1, a], out[b, 2, a] = x, y, z
                    if a != b:
                        x, y, z = cross(
                            w0, w1, w2, first[3, b], first[4, b], first[5, b]
                        )
                        out[a, 3, b], out[a, 4, b], out[a, 5, b] = x, y, z
                above = tree[above, 0]
        if ball:
            s = places[k, 12]
            x, y, z = s * values[v], s * values[v + 1], s * values[v + 2]
            r0 = point[0] - poses[k, 9]
            r1 = point[1] - poses[k, 10]
            r2 = point[2] - poses[k, 11]
            for i in range(v, v + 3):
                for j in range(v, v + 3):
                    g0, g1, g2 = _ball_curve(poses[k], x, y, z, i - v, j - v)
                    w0, w1, w2 = first[3, j], first[4, j], first[5, j]
                    c0, c1, c2 = cross(
                        first[3, i], first[4, i], first[5, i], w0, w1, w2
                    )
                    g0, g1, g2 = g0 + c0, g1 + c1, g2 + c2
                    c0, c1, c2 = cross(g0, g1, g2, r0, r1, r2)
                    l0, l1, l2 = cross(
                        w0, w1, w2, first[0, i], first[1, i], first[2, i]
                    )
                    out[i, 0, j], out[i, 1, j], out[i, 2, j] = c0 + l0, c1 + l1, c2 + l2
                    out[i, 3, j], out[i, 4, j], out[i, 5, j] = g0, g1, g2
        k = tree[k, 0]


def derivatives_batch(
    tree: Ints,
    places: Floats,
    tape: Ints,
    constants: Floats,
    partials: Ints,
    seconds: Ints,
    node: int,
    local: Floats,
    values: Floats,
    first: Floats,
    second: Floats,
) -> None:
    """Write Jacobians (m, 6, n_values) and Hessians (m, n_dof, 6, n_dof) of a point.

    `local` (3,) is the point in its node. Of the Jacobians the first n_dof columns
    count. No Hessians are made if `second` has none, (0, n_dof, 6, n_dof).
    """
    n_values = values.shape[1]
    n_dof = second.shape[1]
    registers = np.empty(tape.shape[0])
    poses = np.empty((tree.shape[0], 12))
    twists = np.empty((n_values, 6))
    point = np.empty(3)
    curves = np.empty((n_values if second.shape[0] > 0 else 0, 6, n_values))
    matrix = np.empty((n_values, n_values))
    joint = np.empty((n_dof, n_dof))
    for i in range(values.shape[0]):
        q, jacobian = values[i], first[i]
        if tape.shape[0] > 0:
            run_tape(tape, constants, 0, tape.shape[0], registers, q)
        stand(tree, places, q, poses, twists)
        r = poses[node]
        for c in range(3):
            point[c] = (
                r[3 * c] * local[0]
                + r[3 * c + 1] * local[1]
                + r[3 * c + 2] * local[2]
                + r[9 + c]
            )
        columns(tree, twists, node, point, jacobian)
        if second.shape[0] > 0:
            curvature(tree, places, poses, q, node, point, jacobian, curves)
        for row in range(6):
            gather(partials, registers, jacobian[row])
            if second.shape[0] == 0:
                continue
            for a in range(n_values):
                for b in range(n_values):
                    matrix[a, b] = curves[a, row, b]
            # a follower's own curvature, along with what it moves
            for c in range(seconds.shape[0]):
                bend = registers[seconds[c, 3]] * jacobian[row, seconds[c, 0]]
                matrix[seconds[c, 1], seconds[c, 2]] += bend
            project(partials, registers, matrix, joint)
            for a in range(n_dof):
                for b in range(n_dof):
                    second[i, a, row, b] = joint[a, b]
