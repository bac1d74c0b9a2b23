"""Kernels over a compiled body: poses, Jacobians, Hessians and dynamics.

A body is a list of *nodes*: one per link (node i is link i) and, behind them, one
massless node for each further axis of a joint with several. `nodes` is (n, 5) int64:
column 0 is the order in which nodes are visited (parents first), and row i has the
parent, the motion code, the index of the node's first value, and 1 if `point` is not
zero. `frames` is (n, 19) float64: rotation R0 (9, row-major), translation t0 (3),
unit axis (3) and a point on it (3), both in the node's own frame, and a sign.

A turning node is at ``R = R0 Rot(axis, value)``, ``t = t0 - R point`` in its parent, a
sliding one at ``R = R0``, ``t = t0 + R0 axis value``. So the axis and the anchor of
a node in the world follow from its own pose alone.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
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


def forward(
    nodes: Ints, frames: Floats, base: Floats, values: Floats, out: Floats
) -> None:
    """Write the pose of every node, (n, 4, 4), for one vector of values.

    Products of exponentials along the tree (Lynch & Park, Modern Robotics, 4.1).
    """
    for i in range(4):
        for j in range(4):
            out[0, i, j] = base[i, j]
    for n in range(1, nodes.shape[0]):
        k = nodes[n, 0]
        p = nodes[k, 1]
        code = nodes[k, 2]
        f = frames[k]
        l0, l1, l2 = f[0], f[1], f[2]
        l4, l5, l6 = f[3], f[4], f[5]
        l8, l9, l10 = f[6], f[7], f[8]
        l3, l7, l11 = f[9], f[10], f[11]
        if code == SLIDE:
            th = values[nodes[k, 3]]
            x, y, z = f[12] * th, f[13] * th, f[14] * th
            l3 += l0 * x + l1 * y + l2 * z
            l7 += l4 * x + l5 * y + l6 * z
            l11 += l8 * x + l9 * y + l10 * z
        elif code != FIXED:
            if code <= TURN_Z:
                th = values[nodes[k, 3]]
                s = math.sin(th) * f[18]
                c = math.cos(th)
                if code == TURN_Z:
                    l0, l1 = l0 * c + l1 * s, l1 * c - l0 * s
                    l4, l5 = l4 * c + l5 * s, l5 * c - l4 * s
                    l8, l9 = l8 * c + l9 * s, l9 * c - l8 * s
                elif code == TURN_Y:
                    l0, l2 = l0 * c - l2 * s, l2 * c + l0 * s
                    l4, l6 = l4 * c - l6 * s, l6 * c + l4 * s
                    l8, l10 = l8 * c - l10 * s, l10 * c + l8 * s
                else:
                    l1, l2 = l1 * c + l2 * s, l2 * c - l1 * s
                    l5, l6 = l5 * c + l6 * s, l6 * c - l5 * s
                    l9, l10 = l9 * c + l10 * s, l10 * c - l9 * s
            else:
                if code == TURN:
                    th = values[nodes[k, 3]]
                    x, y, z = f[12], f[13], f[14]
                else:
                    v = nodes[k, 3]
                    x, y, z = values[v], values[v + 1], values[v + 2]
                    th = math.sqrt(x * x + y * y + z * z)
                    if th > 0.0:
                        x, y, z = x / th, y / th, z / th
                    th *= f[18]
                s = math.sin(th)
                c = math.cos(th)
                h = math.sin(0.5 * th)
                w = 2.0 * h * h
                if code == BALL and th == 0.0:
                    x = 1.0
                r00, r01, r02 = c + x * x * w, x * y * w - z * s, x * z * w + y * s
                r10, r11, r12 = x * y * w + z * s, c + y * y * w, y * z * w - x * s
                r20, r21, r22 = x * z * w - y * s, y * z * w + x * s, c + z * z * w
                l0, l1, l2 = (
                    l0 * r00 + l1 * r10 + l2 * r20,
                    l0 * r01 + l1 * r11 + l2 * r21,
                    l0 * r02 + l1 * r12 + l2 * r22,
                )
                l4, l5, l6 = (
                    l4 * r00 + l5 * r10 + l6 * r20,
                    l4 * r01 + l5 * r11 + l6 * r21,
                    l4 * r02 + l5 * r12 + l6 * r22,
                )
                l8, l9, l10 = (
                    l8 * r00 + l9 * r10 + l10 * r20,
                    l8 * r01 + l9 * r11 + l10 * r21,
                    l8 * r02 + l9 * r12 + l10 * r22,
                )
            if nodes[k, 4] != 0:
                x, y, z = f[15], f[16], f[17]
                l3 -= l0 * x + l1 * y + l2 * z
                l7 -= l4 * x + l5 * y + l6 * z
                l11 -= l8 * x + l9 * y + l10 * z
        for i in range(3):
            a0, a1, a2 = out[p, i, 0], out[p, i, 1], out[p, i, 2]
            out[k, i, 0] = a0 * l0 + a1 * l4 + a2 * l8
            out[k, i, 1] = a0 * l1 + a1 * l5 + a2 * l9
            out[k, i, 2] = a0 * l2 + a1 * l6 + a2 * l10
            out[k, i, 3] = a0 * l3 + a1 * l7 + a2 * l11 + out[p, i, 3]
        out[k, 3, 0] = 0.0
        out[k, 3, 1] = 0.0
        out[k, 3, 2] = 0.0
        out[k, 3, 3] = 1.0


def forward_batch(
    nodes: Ints, frames: Floats, base: Floats, values: Floats, out: Floats
) -> None:
    """Write node poses (m, n, 4, 4) for `values` (m, n_values)."""
    for i in range(values.shape[0]):
        forward(nodes, frames, base, values[i], out[i])
