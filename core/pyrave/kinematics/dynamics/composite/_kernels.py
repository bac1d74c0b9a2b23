"""Kernels of inertia, in the axes and about the origin of the base.

There composites add up without transforms. Arrays are those of
`pyrave.kinematics.dynamics._kernels`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.kinematics._kernels import cross
from pyrave.kinematics.formula._kernels import run_tape
from pyrave.kinematics.twists._kernels import gather, project, stand

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

BALL = 3


def inertia_at_base(inertia: Floats, pose: Floats, out: Floats) -> None:
    """Write a node's inertia (10,) about the origin and in the axes of the base."""
    m = inertia[0]
    p0, p1, p2 = pose[9], pose[10], pose[11]
    h0 = pose[0] * inertia[1] + pose[1] * inertia[2] + pose[2] * inertia[3]
    h1 = pose[3] * inertia[1] + pose[4] * inertia[2] + pose[5] * inertia[3]
    h2 = pose[6] * inertia[1] + pose[7] * inertia[2] + pose[8] * inertia[3]
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


def momentum_of(inertia: Floats, t: Floats, out: Floats) -> None:
    """Write the momentum (6,) of an inertia (10,) that moves with a twist."""
    x, y, z = cross(t[3], t[4], t[5], inertia[1], inertia[2], inertia[3])
    m = inertia[0]
    out[0], out[1], out[2] = m * t[0] + x, m * t[1] + y, m * t[2] + z
    x, y, z = cross(inertia[1], inertia[2], inertia[3], t[0], t[1], t[2])
    out[3] = inertia[4] * t[3] + inertia[5] * t[4] + inertia[6] * t[5] + x
    out[4] = inertia[5] * t[3] + inertia[7] * t[4] + inertia[8] * t[5] + y
    out[5] = inertia[6] * t[3] + inertia[8] * t[4] + inertia[9] * t[5] + z


def composites(tree: Ints, inertias: Floats, poses: Floats, out: Floats) -> None:
    """Write the inertia (n, 10) of each node and all below it, at the base."""
    for k in range(tree.shape[0]):
        inertia_at_base(inertias[k], poses[k], out[k])
    for k in range(tree.shape[0] - 1, 0, -1):
        for i in range(10):
            out[tree[k, 0], i] += out[k, i]


def inertia_of_values(
    tree: Ints, twists: Floats, composite: Floats, out: Floats
) -> None:
    """Write the (n_values, n_values) inertia (Featherstone, table 6.2)."""
    out[:] = 0.0
    momentum = np.empty(6)
    for k in range(tree.shape[0] - 1, 0, -1):
        v = tree[k, 2]
        for j in range(v, v + (3 if tree[k, 1] == BALL else 1)):
            momentum_of(composite[k], twists[j], momentum)
            above = k
            while above > 0:
                first = tree[above, 2]
                for a in range(first, first + (3 if tree[above, 1] == BALL else 1)):
                    t = twists[a]
                    value = t[0] * momentum[0] + t[1] * momentum[1] + t[2] * momentum[2]
                    value += (
                        t[3] * momentum[3] + t[4] * momentum[4] + t[5] * momentum[5]
                    )
                    out[j, a] = value
                    out[a, j] = value
                above = tree[above, 0]


def mass_matrix_batch(
    tree: Ints,
    places: Floats,
    inertias: Floats,
    tape: Ints,
    constants: Floats,
    partials: Ints,
    values: Floats,
    out: Floats,
) -> None:
    """Write the joint-space inertias (m, n_dof, n_dof)."""
    n = tree.shape[0]
    n_values = values.shape[1]
    registers = np.empty(tape.shape[0])
    poses = np.empty((n, 12))
    twists = np.empty((n_values, 6))
    composite = np.empty((n, 10))
    matrix = np.empty((n_values, n_values))
    for i in range(values.shape[0]):
        if tape.shape[0] > 0:
            run_tape(tape, constants, 0, tape.shape[0], registers, values[i])
        stand(tree, places, values[i], poses, twists)
        composites(tree, inertias, poses, composite)
        inertia_of_values(tree, twists, composite, matrix)
        project(partials, registers, matrix, out[i])


def center_of_mass_batch(
    tree: Ints,
    places: Floats,
    inertias: Floats,
    tape: Ints,
    constants: Floats,
    partials: Ints,
    values: Floats,
    out: Floats,
) -> None:
    """Write centre of mass and its Jacobian in the base, (m, 3, 1 + n_values).

    Column 0 is the centre; of the others the first n_dof count.
    """
    n = tree.shape[0]
    registers = np.empty(tape.shape[0])
    poses = np.empty((n, 12))
    twists = np.empty((values.shape[1], 6))
    composite = np.empty((n, 10))
    momentum = np.empty(6)
    for i in range(values.shape[0]):
        if tape.shape[0] > 0:
            run_tape(tape, constants, 0, tape.shape[0], registers, values[i])
        stand(tree, places, values[i], poses, twists)
        composites(tree, inertias, poses, composite)
        out[i] = 0.0
        mass = composite[0, 0]
        for c in range(3):
            out[i, c, 0] = composite[0, 1 + c] / mass
        for k in range(1, n):
            v = tree[k, 2]
            for j in range(v, v + (3 if tree[k, 1] == BALL else 1)):
                momentum_of(composite[k], twists[j], momentum)
                for c in range(3):
                    out[i, c, 1 + j] = momentum[c] / mass
        for c in range(3):
            gather(partials, registers, out[i, c, 1:])
