"""Kernels of forward dynamics: articulated bodies, or the mass matrix.

Everything is in the axes and about the origin of the base. A body is a `MotionTree`,
see `pyrave.kinematics.kernels.motion`; Python gives its table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pyrave.kinematics.kernels.cholesky import factorise, solve
from pyrave.kinematics.kernels.crba import (
    composites,
    inertia_at_base,
    inertia_of_values,
    momentum_of,
)
from pyrave.kinematics.kernels.jacobians import (
    ball_bias,
    gather,
    node_poses,
    project,
    turn_twist,
    value_twists,
)
from pyrave.kinematics.kernels.motion import (
    BALL,
    MOTION,
    NO_POSE,
    PARENT,
    ROTOR,
    SIGN,
    VALUE,
    WRONG_SHAPE,
    MotionTree,
    base_motion,
    check_rows,
    cross,
    friction,
    n_values_of,
    pull,
    take_row,
    take_values,
    tree_of,
    turned,
    turned_back,
)
from pyrave.kinematics.kernels.rnea import (
    evaluate_motion,
    inward,
    outward,
    room_for_motion,
    world_rotations,
    wrenches_on_nodes,
)

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, F64_1, F64_2, F64_3, I64, I64_2

NO_INERTIA = 4
"""The code of accelerations that are not defined, beside those of all kernels."""
SINGULAR = 1e-13
"""Share of what is added up below which an inertia counts as zero."""


class Bodies(NamedTuple):
    """Scratch arrays that the passes over articulated bodies share.

    Parameters
    ----------
    poses
        (n, 12): of the nodes in the base.
    twists
        (n_values, 6): of each value's unit rate.
    velocities
        (n, 6): twists of the nodes; room for accelerations in the last pass.
    biases
        (n, 6): accelerations due to rates.
    inertias
        (n, 6, 6): of the rigid nodes, then of the articulated bodies.
    forces
        (n, 6): due to velocities and wrenches, then over the joints.
    reach
        (n_values, 6): inertia times twist (U in the book).
    spread
        (n, 3, 3): inverse of the inertia that a joint feels (of D in the book).
    """

    poses: F64
    twists: F64
    velocities: F64
    biases: F64
    inertias: F64
    forces: F64
    reach: F64
    spread: F64


def subtract_wrenches(
    link_nodes: I64,
    link_coms: F64,
    poses: F64,
    base_turn: F64,
    wrenches: F64,
    out: F64,
) -> None:
    """Take wrenches on links off the forces `out` (n, 6) on nodes."""
    for i in range(wrenches.shape[0]):
        k = link_nodes[i]
        r, c, f, o = poses[k], link_coms[i], wrenches[i], out[k]
        x0, x1, x2 = turned(r, c[0], c[1], c[2])
        f0, f1, f2 = turned_back(base_turn, f[0], f[1], f[2])
        t0, t1, t2 = turned_back(base_turn, f[3], f[4], f[5])
        x, y, z = cross(x0 + r[9], x1 + r[10], x2 + r[11], f0, f1, f2)
        o[0] -= f0
        o[1] -= f1
        o[2] -= f2
        o[3] -= t0 + x
        o[4] -= t1 + y
        o[5] -= t2 + z


def bias_terms(
    tree: I64,
    places: F64,
    inertias: F64,
    n_dof: int,
    values: F64,
    rates: F64,
    base: F64,
    bodies: Bodies,
) -> None:
    """Write velocities, biases, rigid inertias and forces: the first pass."""
    twists, biases, forces, poses = (
        bodies.twists,
        bodies.biases,
        bodies.forces,
        bodies.poses,
    )
    velocities, rigid = bodies.velocities, bodies.inertias
    row = np.empty(10)
    momentum = np.empty(6)
    s = np.empty(6)
    for k in range(tree.shape[0]):
        p, kind, v = tree[k, PARENT], tree[k, MOTION], tree[k, VALUE]
        u, c = velocities[k], biases[k]
        c[:] = 0.0
        if k == 0:
            for i in range(6):
                u[i] = base[i]
        else:
            for i in range(6):
                u[i] = velocities[p, i]
        if 0 <= v < n_dof:
            for i in range(6):
                s[i] = twists[v, i] * rates[v]
            if kind == BALL:
                sign = places[k, SIGN]
                for i in range(6):
                    s[i] += twists[v + 1, i] * rates[v + 1]
                    s[i] += twists[v + 2, i] * rates[v + 2]
                x, y, z = ball_bias(
                    sign * values[v],
                    sign * values[v + 1],
                    sign * values[v + 2],
                    sign * rates[v],
                    sign * rates[v + 1],
                    sign * rates[v + 2],
                )
                turn_twist(poses[k], x, y, z, c)
            # c = v x s q', and the change of s by itself, which only a ball has
            x, y, z = cross(u[3], u[4], u[5], s[0], s[1], s[2])
            c[0], c[1], c[2] = c[0] + x, c[1] + y, c[2] + z
            x, y, z = cross(u[0], u[1], u[2], s[3], s[4], s[5])
            c[0], c[1], c[2] = c[0] + x, c[1] + y, c[2] + z
            x, y, z = cross(u[3], u[4], u[5], s[3], s[4], s[5])
            c[3], c[4], c[5] = c[3] + x, c[4] + y, c[5] + z
            for i in range(6):
                u[i] += s[i]
        inertia_at_base(inertias[k], poses[k], row)
        momentum_of(row, u, momentum)
        # p = v x* I v
        f = forces[k]
        f[0], f[1], f[2] = cross(
            u[3], u[4], u[5], momentum[0], momentum[1], momentum[2]
        )
        x, y, z = cross(u[0], u[1], u[2], momentum[0], momentum[1], momentum[2])
        f[3], f[4], f[5] = cross(
            u[3], u[4], u[5], momentum[3], momentum[4], momentum[5]
        )
        f[3], f[4], f[5] = f[3] + x, f[4] + y, f[5] + z
        b = rigid[k]
        b[:] = 0.0
        b[0, 0] = b[1, 1] = b[2, 2] = row[0]
        b[0, 4] = b[4, 0] = row[3]
        b[0, 5] = b[5, 0] = -row[2]
        b[1, 3] = b[3, 1] = -row[3]
        b[1, 5] = b[5, 1] = row[1]
        b[2, 3] = b[3, 2] = row[2]
        b[2, 4] = b[4, 2] = -row[1]
        b[3, 3], b[4, 4], b[5, 5] = row[4], row[7], row[9]
        b[3, 4] = b[4, 3] = row[5]
        b[3, 5] = b[5, 3] = row[6]
        b[4, 5] = b[5, 4] = row[8]


def articulated_bodies(
    tree: I64,
    axes: F64,
    base: F64,
    torques: F64,
    bodies: Bodies,
    out: F64,
) -> bool:
    """Write accelerations (n_dof,) by articulated bodies; False if not defined.

    Second and third pass (Featherstone, table 7.1). The rotors of `axes` add to the
    inertia that a joint of one value feels.
    """
    biases, forces, inertias = bodies.biases, bodies.forces, bodies.inertias
    n_dof = out.shape[0]
    twists, reach, spread = bodies.twists, bodies.reach, bodies.spread
    n = tree.shape[0]
    need = out
    gain = np.empty((3, 6))
    for k in range(n - 1, 0, -1):
        p, v = tree[k, PARENT], tree[k, VALUE]
        b, f, c = inertias[k], forces[k], biases[k]
        count = 0 if v >= n_dof else n_values_of(tree[k, MOTION])
        for j in range(count):
            # U = I s, and need = tau - s' p
            t, u = twists[v + j], reach[v + j]
            for i in range(6):
                u[i] = (
                    b[i, 0] * t[0]
                    + b[i, 1] * t[1]
                    + b[i, 2] * t[2]
                    + b[i, 3] * t[3]
                    + b[i, 4] * t[4]
                    + b[i, 5] * t[5]
                )
            need[v + j] = torques[v + j]
            for i in range(6):
                need[v + j] -= t[i] * f[i]
        if count == 1:
            t, u = twists[v], reach[v]
            # D = s' U
            own, whole = axes[v, ROTOR], axes[v, ROTOR]
            for i in range(6):
                own += t[i] * u[i]
                whole += t[i] * t[i] * b[i, i]
            if not own > SINGULAR * whole:
                return False
            spread[k, 0, 0] = 1.0 / own
        elif count == 3 and not invert_ball(twists, reach, b, v, spread[k]):
            return False
        if p == 0:
            continue
        # gain = (U D^-1)', then I_a = I - U D^-1 U', p_a = p + U D^-1 need
        for j in range(count):
            for i in range(6):
                gain[j, i] = 0.0
                for a in range(count):
                    gain[j, i] += spread[k, j, a] * reach[v + a, i]
        for j in range(count):
            for i in range(6):
                f[i] += gain[j, i] * need[v + j]
                for a in range(6):
                    b[i, a] -= reach[v + j, i] * gain[j, a]
        # for the parent: I_p += I_a, p_p += p_a + I_a c
        above, pushed = inertias[p], forces[p]
        for i in range(6):
            total = f[i]
            for a in range(6):
                total += b[i, a] * c[a]
                above[i, a] += b[i, a]
            pushed[i] += total
    acceleration = bodies.velocities
    for i in range(6):
        acceleration[0, i] = base[6 + i]
    # a = a_p + c, q'' = D^-1 (need - U' a), then a += s q''
    rest = np.empty(3)
    for k in range(1, n):
        p, v = tree[k, PARENT], tree[k, VALUE]
        a = acceleration[k]
        for i in range(6):
            a[i] = acceleration[p, i] + biases[k, i]
        count = 0 if v >= n_dof else n_values_of(tree[k, MOTION])
        for j in range(count):
            rest[j] = need[v + j]
            for i in range(6):
                rest[j] -= reach[v + j, i] * a[i]
        for j in range(count):
            total = 0.0
            for i in range(count):
                total += spread[k, j, i] * rest[i]
            out[v + j] = total
        for j in range(count):
            for i in range(6):
                a[i] += twists[v + j, i] * out[v + j]
    return True


def invert_ball(twists: F64, reach: F64, inertia: F64, v: int, out: F64) -> bool:
    """Write the inverse of the inertia (3, 3) that a ball feels; False if singular."""
    d = np.zeros((3, 3))
    whole = 1.0
    for i in range(3):
        scale = 0.0
        for a in range(6):
            scale += twists[v + i, a] * twists[v + i, a] * inertia[a, a]
        whole *= scale
        for j in range(3):
            for a in range(6):
                d[i, j] += twists[v + i, a] * reach[v + j, a]
    for i in range(3):
        a, b = (i + 1) % 3, (i + 2) % 3
        for j in range(3):
            c, e = (j + 1) % 3, (j + 2) % 3
            out[j, i] = d[a, c] * d[b, e] - d[a, e] * d[b, c]
    determinant = d[0, 0] * out[0, 0] + d[0, 1] * out[1, 0] + d[0, 2] * out[2, 0]
    if not determinant > SINGULAR * whole:
        return False
    for i in range(3):
        for j in range(3):
            out[i, j] /= determinant
    return True


def forward_dynamics(
    table: I64_2,
    base: F64_2,
    velocity: F64_1,
    gravity: F64_1,
    wrenches: F64_3,
    values: F64_1,
    rates: F64_1,
    torques: F64_1,
    out: F64_2,
) -> int:
    """Write the accelerations (m, n_dof); a row of NaN where no inertia is moved.

    By articulated bodies; where joints follow others, by the mass matrix. Takes and
    returns what `pyrave.kinematics.kernels.rnea.inverse_dynamics` does, or NO_INERTIA.
    """
    body = tree_of(table)
    axes = body.axes
    m, n_dof = out.shape
    turn, start = np.empty(9), np.empty(12)
    status = check_rows(
        base_motion(base, velocity, gravity, turn, start),
        (values, rates, torques), m * n_dof,
    )  # fmt: skip
    if status in (WRONG_SHAPE, NO_POSE):
        return status
    given = np.empty((m, n_dof))
    for i in range(m):
        for j in range(n_dof):
            at = i * n_dof + j
            given[i, j] = torques[at] - friction(axes, j, rates[at])
            given[i, j] += pull(axes, j, values[at])
            out[i, j] = np.nan  # which stays for joints outside of the tree
    if body.tape.shape[0] == 0:
        by_bodies(body, turn, start, wrenches, values, rates, given, out)
    else:
        by_mass_matrix(body, turn, start, wrenches, values, rates, given, out)
    return NO_INERTIA if np.isnan(out).any() else status


def by_bodies(
    body: MotionTree,
    base_turn: F64,
    base: F64,
    wrenches: F64,
    values: F64,
    rates: F64,
    torques: F64,
    out: F64,
) -> None:
    """Write the accelerations (m, n_dof) where no joint follows another."""
    n = body.tree.shape[0]
    n_values = body.axes.shape[0]
    q, qd = np.empty(n_values), np.empty(n_values)
    bodies = Bodies(
        np.empty((n, 12)),
        np.empty((n_values, 6)),
        np.empty((n, 6)),
        np.empty((n, 6)),
        np.empty((n, 6, 6)),
        np.empty((n, 6)),
        np.empty((n_values, 6)),
        np.empty((n, 3, 3)),
    )
    for i in range(out.shape[0]):
        take_values(values, i, out.shape[1], body.axes, q)
        take_row(rates, i, out.shape[1], qd)
        node_poses(body.tree, body.places, q, bodies.poses)
        value_twists(body.tree, body.places, bodies.poses, q, bodies.twists)
        bias_terms(
            body.tree,
            body.places,
            body.inertias,
            out.shape[1],
            q,
            qd,
            base,
            bodies,
        )
        if wrenches.shape[0] > 0:
            subtract_wrenches(
                body.link_nodes,
                body.link_coms,
                bodies.poses,
                base_turn,
                wrenches[i],
                bodies.forces,
            )
        if not articulated_bodies(
            body.tree, body.axes, base, torques[i], bodies, out[i]
        ):
            out[i] = np.nan


def by_mass_matrix(
    body: MotionTree,
    base_turn: F64,
    base: F64,
    wrenches: F64,
    values: F64,
    rates: F64,
    torques: F64,
    out: F64,
) -> None:
    """Write the accelerations (m, n_dof) of any body."""
    n = body.tree.shape[0]
    n_values = body.axes.shape[0]
    q, qd = np.empty(n_values), np.empty(n_values)
    n_dof = out.shape[1]
    poses = np.empty((n, 12))
    twists = np.empty((n_values, 6))
    registers = np.empty(body.tape.shape[0])
    composite = np.empty((n, 10))
    matrix = np.empty((n_values, n_values))
    joint = np.empty((n_dof, n_dof))
    bend = np.empty(n_values)
    needed = np.empty(n_values)
    motion = room_for_motion(n)
    turns = np.empty((n, 9))
    acting = np.empty((n if wrenches.shape[0] > 0 else 0, 6))
    for i in range(out.shape[0]):
        take_values(values, i, n_dof, body.axes, q)
        take_row(rates, i, n_dof, qd)
        bend[:] = 0.0
        needed[:] = 0.0
        evaluate_motion(body, registers, q, qd, bend)
        outward(body.tree, body.places, q, qd, bend, base, motion)
        if wrenches.shape[0] > 0:
            world_rotations(body.tree, motion, base_turn, turns)
            wrenches_on_nodes(
                body.link_nodes, body.link_coms, turns, wrenches[i], acting
            )
        inward(body.tree, body.places, body.inertias, acting, q, motion, needed)
        gather(body.partials, registers, needed)
        node_poses(body.tree, body.places, q, poses)
        value_twists(body.tree, body.places, poses, q, twists)
        composites(body.tree, body.inertias, poses, composite)
        inertia_of_values(body.tree, twists, composite, matrix)
        project(body.partials, registers, matrix, joint)
        for j in range(n_dof):
            joint[j, j] += body.axes[j, ROTOR]
            out[i, j] = torques[i, j] - needed[j]
        if factorise(joint, SINGULAR):
            solve(joint, out[i])
        else:
            out[i] = np.nan
