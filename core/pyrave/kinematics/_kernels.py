"""Kernels over a compiled body: Jacobians and Hessians.

A body is a list of *nodes*: one per link (node i is link i) and, behind them, one
massless node for each further axis of a joint with several. `nodes` is (n, 5) int64:
column 0 is the order in which nodes are visited (parents first), and row i has the
parent, the motion code, the index of the node's first value, and 1 if `point` is not
zero. `frames` is (n, 19) float64: rotation R0 (9, row-major), translation t0 (3),
unit axis (3) and a point on it (3), both in the node's own frame, and a sign.

A turning node is at ``R = R0 Rot(axis, value)``, ``t = t0 - R point`` in its parent, a
sliding one at ``R = R0``, ``t = t0 + R0 axis value``. So the axis and the anchor of
a node in the world follow from its own pose alone.
Poses come from another form of the same, see `pyrave.kinematics.placement._kernels`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

FIXED = 0
TURN_X = 1
TURN_Y = 2
TURN_Z = 3
TURN = 4
SLIDE = 5
BALL = 6


def _ball_terms(square: float) -> tuple[float, float, float, float]:
    """Return a, b, a'/theta, b'/theta of ``a = (1 - cos t)/t^2, b = (t - sin t)/t^3``.

    Taylor series below 0.05 rad^2, where the closed forms lose digits.
    """
    if square < 0.05:
        a = 1 / 2 - square * (1 / 24 - square * (1 / 720 - square * (1 / 40320)))
        b = 1 / 6 - square * (1 / 120 - square * (1 / 5040 - square * (1 / 362880)))
        a += square**4 / 3628800
        b += square**4 / 39916800
        da = -1 / 12 + square * (1 / 180 - square * (1 / 6720 - square * (1 / 453600)))
        db = -1 / 60 + square * (
            1 / 1260 - square * (1 / 60480 - square * (1 / 4989600))
        )
        return a, b, da, db
    t = math.sqrt(square)
    s = math.sin(t)
    c = math.cos(t)
    a = (1.0 - c) / square
    b = (t - s) / (square * t)
    da = (t * s - 2.0 * (1.0 - c)) / (square * square)
    db = (3.0 * s - 2.0 * t - t * c) / (square * square * t)
    return a, b, da, db


def cross(
    a0: float, a1: float, a2: float, b0: float, b1: float, b2: float
) -> tuple[float, float, float]:
    """Return a x b."""
    return a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0


def rotate(pose: Floats, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Return the rotation of a pose applied to a vector."""
    return (
        pose[0, 0] * x + pose[0, 1] * y + pose[0, 2] * z,
        pose[1, 0] * x + pose[1, 1] * y + pose[1, 2] * z,
        pose[2, 0] * x + pose[2, 1] * y + pose[2, 2] * z,
    )


def _out_of_rest(f: Floats, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Return R0 applied to a vector."""
    return (
        f[0] * x + f[1] * y + f[2] * z,
        f[3] * x + f[4] * y + f[5] * z,
        f[6] * x + f[7] * y + f[8] * z,
    )


def ball_axis(f: Floats, values: Floats, v: int, i: int) -> tuple[float, float, float]:
    """Return ``R0 s J_l(s w) e_i`` in the parent node."""
    s = f[18]
    x, y, z = s * values[v], s * values[v + 1], s * values[v + 2]
    a, b, _, _ = _ball_terms(x * x + y * y + z * z)
    e0, e1, e2 = 1.0 if i == 0 else 0.0, 1.0 if i == 1 else 0.0, 1.0 if i == 2 else 0.0
    c0, c1, c2 = cross(x, y, z, e0, e1, e2)
    d0, d1, d2 = cross(x, y, z, c0, c1, c2)
    e0 = s * (e0 + a * c0 + b * d0)
    e1 = s * (e1 + a * c1 + b * d1)
    e2 = s * (e2 + a * c2 + b * d2)
    return _out_of_rest(f, e0, e1, e2)


def ball_curve(
    f: Floats, values: Floats, v: int, i: int, j: int
) -> tuple[float, float, float]:
    """Return ``R0 d(J_l(w) e_j)/dw_i`` in the parent node; s squared is 1."""
    s = f[18]
    x, y, z = s * values[v], s * values[v + 1], s * values[v + 2]
    a, b, da, db = _ball_terms(x * x + y * y + z * z)
    w = x if i == 0 else (y if i == 1 else z)
    i0, i1, i2 = 1.0 if i == 0 else 0.0, 1.0 if i == 1 else 0.0, 1.0 if i == 2 else 0.0
    j0, j1, j2 = 1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0
    c0, c1, c2 = cross(x, y, z, j0, j1, j2)
    d0, d1, d2 = cross(x, y, z, c0, c1, c2)
    g0, g1, g2 = cross(i0, i1, i2, j0, j1, j2)
    h0, h1, h2 = cross(i0, i1, i2, c0, c1, c2)
    m0, m1, m2 = cross(x, y, z, g0, g1, g2)
    r0 = da * w * c0 + a * g0 + db * w * d0 + b * (h0 + m0)
    r1 = da * w * c1 + a * g1 + db * w * d1 + b * (h1 + m1)
    r2 = da * w * c2 + a * g2 + db * w * d2 + b * (h2 + m2)
    return _out_of_rest(f, r0, r1, r2)


def jacobian(
    nodes: Ints,
    frames: Floats,
    poses: Floats,
    values: Floats,
    node: int,
    point: Floats,
    out: Floats,
) -> None:
    """Write the (6, n_values) Jacobian of a point (3,) in world axes, rigid in a node.

    Geometric Jacobian, linear part at the point (Lynch & Park, 5.1).
    """
    out[:] = 0.0
    k = node
    while k > 0:
        code = nodes[k, 2]
        if code != FIXED:
            f = frames[k]
            v = nodes[k, 3]
            pose = poses[k]
            r0, r1, r2 = rotate(pose, f[15], f[16], f[17])
            r0 = point[0] - r0 - pose[0, 3]
            r1 = point[1] - r1 - pose[1, 3]
            r2 = point[2] - r2 - pose[2, 3]
            n = 3 if code == BALL else 1
            for i in range(n):
                if code == BALL:
                    x, y, z = ball_axis(f, values, v, i)
                    u0, u1, u2 = rotate(poses[nodes[k, 1]], x, y, z)
                else:
                    u0, u1, u2 = rotate(pose, f[12], f[13], f[14])
                if code == SLIDE:
                    out[0, v] = u0
                    out[1, v] = u1
                    out[2, v] = u2
                else:
                    l0, l1, l2 = cross(u0, u1, u2, r0, r1, r2)
                    out[0, v + i] = l0
                    out[1, v + i] = l1
                    out[2, v + i] = l2
                    out[3, v + i] = u0
                    out[4, v + i] = u1
                    out[5, v + i] = u2
        k = nodes[k, 1]


def hessian(
    nodes: Ints,
    frames: Floats,
    poses: Floats,
    values: Floats,
    node: int,
    point: Floats,
    columns: Floats,
    out: Floats,
) -> None:
    """Write (n_values, 6, n_values): derivative of `jacobian` by each value.

    `columns` (6, n_values) is that Jacobian. For a above b in the tree the linear
    part is w_a x J_b both ways, the angular part w_a x w_b only for d J_b / d a
    (Hourtash, The kinematic Hessian and higher derivatives, CIRA 2005).
    """
    out[:] = 0.0
    k = node
    while k > 0:
        code = nodes[k, 2]
        if code != FIXED:
            b = nodes[k, 3]
            n = 3 if code == BALL else 1
            for j in range(b, b + n):
                _hessian_above(nodes, k, j, columns, out)
            if code == BALL:
                f = frames[k]
                pose = poses[k]
                r0, r1, r2 = rotate(pose, f[15], f[16], f[17])
                r0 = point[0] - r0 - pose[0, 3]
                r1 = point[1] - r1 - pose[1, 3]
                r2 = point[2] - r2 - pose[2, 3]
                for i in range(3):
                    for j in range(3):
                        x, y, z = ball_curve(f, values, b, i, j)
                        g0, g1, g2 = rotate(poses[nodes[k, 1]], x, y, z)
                        l0, l1, l2 = cross(g0, g1, g2, r0, r1, r2)
                        c = columns[:, b + i]
                        m0, m1, m2 = cross(
                            columns[3, b + j],
                            columns[4, b + j],
                            columns[5, b + j],
                            c[0],
                            c[1],
                            c[2],
                        )
                        out[b + i, 0, b + j] = l0 + m0
                        out[b + i, 1, b + j] = l1 + m1
                        out[b + i, 2, b + j] = l2 + m2
                        out[b + i, 3, b + j] = g0
                        out[b + i, 4, b + j] = g1
                        out[b + i, 5, b + j] = g2
            elif code != SLIDE:
                c = columns[:, b]
                l0, l1, l2 = cross(c[3], c[4], c[5], c[0], c[1], c[2])
                out[b, 0, b] = l0
                out[b, 1, b] = l1
                out[b, 2, b] = l2
        k = nodes[k, 1]


def _hessian_above(
    nodes: Ints, node: int, b: int, columns: Floats, out: Floats
) -> None:
    """Fill the pairs of value b of a node with all values above that node."""
    k = nodes[node, 1]
    while k > 0:
        code = nodes[k, 2]
        if code not in (FIXED, SLIDE):
            first = nodes[k, 3]
            n = 3 if code == BALL else 1
            for a in range(first, first + n):
                w0, w1, w2 = columns[3, a], columns[4, a], columns[5, a]
                l0, l1, l2 = cross(
                    w0, w1, w2, columns[0, b], columns[1, b], columns[2, b]
                )
                out[a, 0, b] = l0
                out[a, 1, b] = l1
                out[a, 2, b] = l2
                out[b, 0, a] = l0
                out[b, 1, a] = l1
                out[b, 2, a] = l2
                g0, g1, g2 = cross(
                    w0, w1, w2, columns[3, b], columns[4, b], columns[5, b]
                )
                out[a, 3, b] = g0
                out[a, 4, b] = g1
                out[a, 5, b] = g2
        k = nodes[k, 1]
