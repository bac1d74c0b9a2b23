"""Kernels of inertia, in the axes and about the origin of the base.

There composites add up without transforms. A body is a `MotionTree`, see
`pyrave.kinematics.kernels.motion`; kernels that Python calls take its table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.kinematics.kernels.jacobians import (
    evaluate,
    gather,
    node_poses,
    project,
    value_twists,
)
from pyrave.kinematics.kernels.motion import (
    DONE,
    MOTION,
    NOT_FINITE,
    PARENT,
    ROTOR,
    VALUE,
    WRONG_SHAPE,
    cross,
    is_finite,
    n_values_of,
    take_values,
    tree_of,
    turned,
)

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, F64_1, F64_3, I64, I64_2


def inertia_at_base(inertia: F64, pose: F64, out: F64) -> None:
    """Write a node's inertia (10,) about the origin and in the axes of the base."""
    # R J R' + (2 p.h + m p.p) 1 - p h' - (h + m p) p', with h turned by R
    m = inertia[0]
    p0, p1, p2 = pose[9], pose[10], pose[11]
    h0, h1, h2 = turned(pose, inertia[1], inertia[2], inertia[3])
    xx, xy, xz = inertia[4], inertia[5], inertia[6]
    yy, yz, zz = inertia[7], inertia[8], inertia[9]
    a, b, c = pose[0], pose[1], pose[2]
    m00, m01, m02 = a * xx + b * xy + c * xz, a * xy + b * yy + c * yz, 0.0
    m02 = a * xz + b * yz + c * zz
    a, b, c = pose[3], pose[4], pose[5]
    m10, m11, m12 = a * xx + b * xy + c * xz, a * xy + b * yy + c * yz, 0.0
    m12 = a * xz + b * yz + c * zz
    d, e, f = pose[6], pose[7], pose[8]
    m20, m21, m22 = d * xx + e * xy + f * xz, d * xy + e * yy + f * yz, 0.0
    m22 = d * xz + e * yz + f * zz
    # from the node's origin to the base's
    both = 2.0 * (p0 * h0 + p1 * h1 + p2 * h2) + m * (p0 * p0 + p1 * p1 + p2 * p2)
    g0, g1, g2 = h0 + m * p0, h1 + m * p1, h2 + m * p2
    out[0], out[1], out[2], out[3] = m, g0, g1, g2
    out[4] = m00 * pose[0] + m01 * pose[1] + m02 * pose[2] + both - p0 * h0 - g0 * p0
    out[5] = m00 * a + m01 * b + m02 * c - p0 * h1 - g0 * p1
    out[6] = m00 * d + m01 * e + m02 * f - p0 * h2 - g0 * p2
    out[7] = m10 * a + m11 * b + m12 * c + both - p1 * h1 - g1 * p1
    out[8] = m10 * d + m11 * e + m12 * f - p1 * h2 - g1 * p2
    out[9] = m20 * d + m21 * e + m22 * f + both - p2 * h2 - g2 * p2


def momentum_of(inertia: F64, t: F64, out: F64) -> None:
    """Write the momentum (6,) of an inertia (10,) that moves with a twist."""
    x, y, z = cross(t[3], t[4], t[5], inertia[1], inertia[2], inertia[3])
    m = inertia[0]
    out[0], out[1], out[2] = m * t[0] + x, m * t[1] + y, m * t[2] + z
    x, y, z = cross(inertia[1], inertia[2], inertia[3], t[0], t[1], t[2])
    out[3] = inertia[4] * t[3] + inertia[5] * t[4] + inertia[6] * t[5] + x
    out[4] = inertia[5] * t[3] + inertia[7] * t[4] + inertia[8] * t[5] + y
    out[5] = inertia[6] * t[3] + inertia[8] * t[4] + inertia[9] * t[5] + z


def composites(tree: I64, inertias: F64, poses: F64, out: F64) -> None:
    """Write the inertia (n, 10) of each node and all below it, at the base."""
    for k in range(tree.shape[0]):
        inertia_at_base(inertias[k], poses[k], out[k])
    for k in range(tree.shape[0] - 1, 0, -1):
        for i in range(10):
            out[tree[k, PARENT], i] += out[k, i]


def inertia_of_values(tree: I64, twists: F64, composite: F64, out: F64) -> None:
    """Write the (n_values, n_values) inertia (Featherstone, table 6.2)."""
    out[:] = 0.0
    momentum = np.empty(6)
    for k in range(tree.shape[0] - 1, 0, -1):
        v = tree[k, VALUE]
        for j in range(v, v + n_values_of(tree[k, MOTION])):
            # F = I_k s_j of the composite, and H_ja = s_a' F for all a above
            momentum_of(composite[k], twists[j], momentum)
            above = k
            while above > 0:
                first = tree[above, VALUE]
                for a in range(first, first + n_values_of(tree[above, MOTION])):
                    t = twists[a]
                    value = t[0] * momentum[0] + t[1] * momentum[1] + t[2] * momentum[2]
                    value += (
                        t[3] * momentum[3] + t[4] * momentum[4] + t[5] * momentum[5]
                    )
                    out[j, a] = value
                    out[a, j] = value
                above = tree[above, PARENT]


def mass_matrix(table: I64_2, values: F64_1, out: F64_3) -> int:
    """Write the joint-space inertias (m, n_dof, n_dof) at values (m * n_dof,).

    Returns DONE, NOT_FINITE, or WRONG_SHAPE (nothing is written).
    """
    body = tree_of(table)
    m, n_dof = out.shape[0], out.shape[1]
    if values.shape[0] != m * n_dof:
        return WRONG_SHAPE
    n, n_values = body.tree.shape[0], body.axes.shape[0]
    q = np.empty(n_values)
    registers = np.empty(body.tape.shape[0])
    poses = np.empty((n, 12))
    twists = np.empty((n_values, 6))
    composite = np.empty((n, 10))
    matrix = np.empty((n_values, n_values))
    for i in range(m):
        take_values(values, i, n_dof, body.axes, q)
        evaluate(body, registers, q)
        node_poses(body.tree, body.places, q, poses)
        value_twists(body.tree, body.places, poses, q, twists)
        composites(body.tree, body.inertias, poses, composite)
        inertia_of_values(body.tree, twists, composite, matrix)
        project(body.partials, registers, matrix, out[i])
        for j in range(n_dof):
            out[i, j, j] += body.axes[j, ROTOR]
    return DONE if is_finite(values) else NOT_FINITE


def center_of_mass(table: I64_2, values: F64_1, out: F64_3) -> int:
    """Write centre of mass and its Jacobian in the base, (m, 3, 1 + n_values).

    Column 0 is the centre; of the others the first n_dof count. Values are (m * n_dof,)
    and finite.
    """
    body = tree_of(table)
    tree = body.tree
    m, n, n_values = out.shape[0], tree.shape[0], body.axes.shape[0]
    n_dof = values.shape[0] // max(m, 1)
    q = np.empty(n_values)
    registers = np.empty(body.tape.shape[0])
    poses = np.empty((n, 12))
    twists = np.empty((n_values, 6))
    composite = np.empty((n, 10))
    momentum = np.empty(6)
    for i in range(m):
        take_values(values, i, n_dof, body.axes, q)
        evaluate(body, registers, q)
        node_poses(body.tree, body.places, q, poses)
        value_twists(body.tree, body.places, poses, q, twists)
        composites(body.tree, body.inertias, poses, composite)
        out[i] = 0.0
        mass = composite[0, 0]
        for c in range(3):
            out[i, c, 0] = composite[0, 1 + c] / mass
        for k in range(1, n):
            v = tree[k, VALUE]
            for j in range(v, v + n_values_of(tree[k, MOTION])):
                # what joint j moves at unit rate has this momentum, m d(centre)/dq_j
                momentum_of(composite[k], twists[j], momentum)
                for c in range(3):
                    out[i, c, 1 + j] = momentum[c] / mass
        for c in range(3):
            gather(body.partials, registers, out[i, c, 1:])
    return DONE
