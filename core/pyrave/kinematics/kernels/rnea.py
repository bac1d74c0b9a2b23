"""Kernels of velocities, accelerations, torques and forces over a motion tree.

A body is a `MotionTree`, see `pyrave.kinematics.kernels.motion`. Kernels that Python
calls take its table, and the values, rates and accelerations of m configurations; they
write m results. A single configuration runs them, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pyrave.kinematics.kernels.jacobians import (
    ball_bias,
    ball_rate,
    evaluate,
    gather,
    place_node,
)
from pyrave.kinematics.kernels.motion import (
    CURVE,
    FOLLOWER,
    LEADER,
    MOTION,
    NO_POSE,
    OTHER,
    PARENT,
    ROTOR,
    SIGN,
    SLIDE,
    SLOPE,
    TURN,
    VALUE,
    WRONG_SHAPE,
    MotionTree,
    base_motion,
    check_rows,
    cross,
    friction,
    pull,
    take_row,
    take_values,
    tree_of,
    turned,
    turned_back,
)

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, F64_1, F64_2, F64_3, I64, I64_2


class Motion(NamedTuple):
    """Motions of the nodes of a body, each in its own frame; kernels write to it.

    Parameters
    ----------
    poses
        (n, 12): pose in the parent.
    velocities
        (n, 6): twist.
    accelerations
        (n, 6): spatial ones, that is of what passes through the origin.
    forces
        (n, 6): wrench over the joint to the parent.
    """

    poses: F64
    velocities: F64
    accelerations: F64
    forces: F64


def room_for_motion(n: int) -> Motion:
    """Return arrays for n nodes."""
    return Motion(
        np.empty((n, 12)), np.empty((n, 6)), np.empty((n, 6)), np.empty((n, 6))
    )


# -- values ----------------------------------------------------------------------------


def evaluate_motion(
    body: MotionTree,
    registers: F64,
    values: F64,
    rates: F64,
    accelerations: F64,
) -> None:
    """Fill what follows the degrees of freedom: values, rates and accelerations.

    Chain rule along the partials, which are in the order of evaluation.
    """
    partials, seconds = body.partials, body.seconds
    evaluate(body, registers, values)
    for k in range(partials.shape[0]):
        slope = registers[partials[k, SLOPE]]
        rates[partials[k, FOLLOWER]] += slope * rates[partials[k, LEADER]]
    for k in range(seconds.shape[0]):
        curve = registers[seconds[k, CURVE]]
        bend = curve * rates[seconds[k, LEADER]] * rates[seconds[k, OTHER]]
        accelerations[seconds[k, FOLLOWER]] += bend
    for k in range(partials.shape[0]):
        slope = registers[partials[k, SLOPE]]
        accelerations[partials[k, FOLLOWER]] += (
            slope * accelerations[partials[k, LEADER]]
        )


# -- recursive Newton-Euler in the nodes' own frames -----------------------------------


def outward(
    tree: I64,
    places: F64,
    values: F64,
    rates: F64,
    accelerations: F64,
    base: F64,
    motion: Motion,
) -> None:
    """Write pose, velocity and acceleration of every node.

    `base` (12,) has velocity and acceleration of node 0. Outward part of recursive
    Newton-Euler (Featherstone, Rigid Body Dynamics Algorithms, table 5.1).
    """
    poses, velocities = motion.poses, motion.velocities
    spatial = motion.accelerations
    for i in range(6):
        velocities[0, i] = base[i]
        spatial[0, i] = base[6 + i]
    for k in range(1, tree.shape[0]):
        p, kind, v = tree[k, PARENT], tree[k, MOTION], tree[k, VALUE]
        pose = poses[k]
        place_node(places[k], kind, values, v, pose)
        r0, r1, r2 = pose[9], pose[10], pose[11]
        # velocity and acceleration of the parent at this origin, in these axes
        u = velocities[p]
        x, y, z = cross(u[3], u[4], u[5], r0, r1, r2)
        v0, v1, v2 = turned_back(pose, x + u[0], y + u[1], z + u[2])
        o0, o1, o2 = turned_back(pose, u[3], u[4], u[5])
        u = spatial[p]
        x, y, z = cross(u[3], u[4], u[5], r0, r1, r2)
        a0, a1, a2 = turned_back(pose, x + u[0], y + u[1], z + u[2])
        g0, g1, g2 = turned_back(pose, u[3], u[4], u[5])
        # with its unit twist s: v = v_p + s q', a = a_p + s q'' + v x s q'
        if kind == TURN:
            q = rates[v]
            a0 += v1 * q
            a1 -= v0 * q
            g0 += o1 * q
            g1 -= o0 * q
            g2 += accelerations[v]
            o2 += q
        elif kind == SLIDE:
            q = rates[v]
            a0 += o1 * q
            a1 -= o0 * q
            a2 += accelerations[v]
            v2 += q
        else:
            s = places[k, SIGN]
            f0, f1, f2 = s * values[v], s * values[v + 1], s * values[v + 2]
            d0, d1, d2 = s * rates[v], s * rates[v + 1], s * rates[v + 2]
            b0, b1, b2 = ball_bias(f0, f1, f2, d0, d1, d2)
            h0, h1, h2 = ball_rate(
                f0,
                f1,
                f2,
                s * accelerations[v],
                s * accelerations[v + 1],
                s * accelerations[v + 2],
                False,
            )
            d0, d1, d2 = ball_rate(f0, f1, f2, d0, d1, d2, False)
            x, y, z = cross(v0, v1, v2, d0, d1, d2)
            a0, a1, a2 = a0 + x, a1 + y, a2 + z
            x, y, z = cross(o0, o1, o2, d0, d1, d2)
            g0, g1, g2 = g0 + x + b0 + h0, g1 + y + b1 + h1, g2 + z + b2 + h2
            o0, o1, o2 = o0 + d0, o1 + d1, o2 + d2
        t = velocities[k]
        t[0], t[1], t[2], t[3], t[4], t[5] = v0, v1, v2, o0, o1, o2
        t = spatial[k]
        t[0], t[1], t[2], t[3], t[4], t[5] = a0, a1, a2, g0, g1, g2


def inward(
    tree: I64,
    places: F64,
    inertias: F64,
    wrenches: F64,
    values: F64,
    motion: Motion,
    out: F64,
) -> None:
    """Write the torque of every value, given the motion that `outward` wrote.

    `wrenches` (n or 0, 6) act on the nodes, at their origins and in their axes.
    """
    poses, velocities, accelerations, forces = (
        motion.poses,
        motion.velocities,
        motion.accelerations,
        motion.forces,
    )
    n = tree.shape[0]
    for k in range(1, n):
        j = inertias[k]
        m, h0, h1, h2 = j[0], j[1], j[2], j[3]
        t = velocities[k]
        v0, v1, v2, o0, o1, o2 = t[0], t[1], t[2], t[3], t[4], t[5]
        t = accelerations[k]
        a0, a1, a2, g0, g1, g2 = t[0], t[1], t[2], t[3], t[4], t[5]
        # momentum: h = I v
        x, y, z = cross(o0, o1, o2, h0, h1, h2)
        l0, l1, l2 = m * v0 + x, m * v1 + y, m * v2 + z
        x, y, z = cross(h0, h1, h2, v0, v1, v2)
        n0 = j[4] * o0 + j[5] * o1 + j[6] * o2 + x
        n1 = j[5] * o0 + j[7] * o1 + j[8] * o2 + y
        n2 = j[6] * o0 + j[8] * o1 + j[9] * o2 + z
        # its change: f = I a + v x* h (Featherstone, table 5.1)
        x, y, z = cross(g0, g1, g2, h0, h1, h2)
        f0, f1, f2 = m * a0 + x, m * a1 + y, m * a2 + z
        x, y, z = cross(o0, o1, o2, l0, l1, l2)
        f0, f1, f2 = f0 + x, f1 + y, f2 + z
        x, y, z = cross(h0, h1, h2, a0, a1, a2)
        t0 = j[4] * g0 + j[5] * g1 + j[6] * g2 + x
        t1 = j[5] * g0 + j[7] * g1 + j[8] * g2 + y
        t2 = j[6] * g0 + j[8] * g1 + j[9] * g2 + z
        x, y, z = cross(o0, o1, o2, n0, n1, n2)
        t0, t1, t2 = t0 + x, t1 + y, t2 + z
        x, y, z = cross(v0, v1, v2, l0, l1, l2)
        t0, t1, t2 = t0 + x, t1 + y, t2 + z
        f = forces[k]
        f[0], f[1], f[2], f[3], f[4], f[5] = f0, f1, f2, t0, t1, t2
    for k in range(1, wrenches.shape[0]):
        for i in range(6):
            forces[k, i] -= wrenches[k, i]
    for k in range(n - 1, 0, -1):
        p, kind, v = tree[k, PARENT], tree[k, MOTION], tree[k, VALUE]
        # its torque is f along s; f_p += f, seen from the parent
        f = forces[k]
        if kind == TURN:
            out[v] = f[5]
        elif kind == SLIDE:
            out[v] = f[2]
        else:
            s = places[k, SIGN]
            x, y, z = s * values[v], s * values[v + 1], s * values[v + 2]
            x, y, z = ball_rate(x, y, z, f[3], f[4], f[5], True)
            out[v], out[v + 1], out[v + 2] = s * x, s * y, s * z
        if p > 0:
            pose, u = poses[k], forces[p]
            x, y, z = turned(pose, f[0], f[1], f[2])
            c0, c1, c2 = cross(pose[9], pose[10], pose[11], x, y, z)
            u[0] += x
            u[1] += y
            u[2] += z
            x, y, z = turned(pose, f[3], f[4], f[5])
            u[3] += x + c0
            u[4] += y + c1
            u[5] += z + c2


def world_rotations(tree: I64, motion: Motion, base_turn: F64, out: F64) -> None:
    """Write the rotations (n, 9) of all nodes in the world."""
    poses = motion.poses
    out[0] = base_turn
    for k in range(1, tree.shape[0]):
        u, w, r = out[tree[k, PARENT]], poses[k], out[k]
        for i in range(0, 9, 3):
            for j in range(3):
                r[i + j] = u[i] * w[j] + u[i + 1] * w[3 + j] + u[i + 2] * w[6 + j]


def wrenches_on_nodes(
    link_nodes: I64, link_coms: F64, turns: F64, wrenches: F64, out: F64
) -> None:
    """Write wrenches on links as wrenches on nodes, (n, 6), as `inward` needs them."""
    out[:] = 0.0
    for i in range(wrenches.shape[0]):
        k = link_nodes[i]
        r, f, c, o = turns[k], wrenches[i], link_coms[i], out[k]
        f0, f1, f2 = turned_back(r, f[0], f[1], f[2])
        t0, t1, t2 = turned_back(r, f[3], f[4], f[5])
        x, y, z = cross(c[0], c[1], c[2], f0, f1, f2)
        o[0] += f0
        o[1] += f1
        o[2] += f2
        o[3] += t0 + x
        o[4] += t1 + y
        o[5] += t2 + z


def inverse_dynamics(
    table: I64_2,
    base: F64_2,
    velocity: F64_1,
    gravity: F64_1,
    wrenches: F64_3,
    values: F64_1,
    rates: F64_1,
    accelerations: F64_1,
    out: F64_3,
) -> int:
    """Write the torques (m, parts, n_dof), with friction and springs of joints.

    One part is the sum. Of three the first is inertial, the second due to velocities,
    the third due to gravity, springs and wrenches. The base is as `base_motion` takes
    it. `wrenches` (m or 0, n_links, 6) act at the links' centres of mass in world axes.
    Values, rates and accelerations are (m * n_dof,). Returns as `base_motion`; NO_POSE
    and WRONG_SHAPE write nothing.
    """
    body = tree_of(table)
    axes = body.axes
    m, parts, n_dof = out.shape
    turn, start = np.empty(9), np.empty(12)
    status = check_rows(
        base_motion(base, velocity, gravity, turn, start),
        (values, rates, accelerations), m * n_dof,
    )  # fmt: skip
    if status in (WRONG_SHAPE, NO_POSE):
        return status
    n, n_values = body.tree.shape[0], axes.shape[0]
    motion = room_for_motion(n)
    registers = np.empty(body.tape.shape[0])
    turns = np.empty((n if wrenches.shape[0] > 0 else 0, 9))
    acting = np.empty((n if wrenches.shape[0] > 0 else 0, 6))
    no_wrench = np.empty((0, 6))
    still, moving, lifted = np.zeros(12), start.copy(), np.zeros(12)
    x, y, z = cross(start[3], start[4], start[5], start[0], start[1], start[2])
    moving[6], moving[7], moving[8] = -x, -y, -z
    lifted[6], lifted[7], lifted[8] = start[6] + x, start[7] + y, start[8] + z
    work = np.zeros((6, n_values))
    q, qd, qdd = work[0], work[1], work[2]
    none, bend, torques = work[3], work[4], work[5]
    last = parts - 1
    for i in range(m):
        take_values(values, i, n_dof, axes, q)
        take_row(rates, i, n_dof, qd)
        take_row(accelerations, i, n_dof, qdd)
        bend[:] = 0.0
        for part in range(parts):
            rate, acceleration, begin = qd, qdd, start
            if parts == 3 and part == 0:
                rate, begin = none, still
            elif parts == 3 and part == 1:
                acceleration, begin = bend, moving
            elif parts == 3:
                rate, acceleration, begin = none, none, lifted
            if part < 2:
                evaluate_motion(body, registers, q, rate, acceleration)
            outward(body.tree, body.places, q, rate, acceleration, begin, motion)
            if part == last and wrenches.shape[0] > 0:
                world_rotations(body.tree, motion, turn, turns)
                wrenches_on_nodes(
                    body.link_nodes, body.link_coms, turns, wrenches[i], acting
                )
            push = acting if part == last else no_wrench
            torques[:] = 0.0
            inward(body.tree, body.places, body.inertias, push, q, motion, torques)
            gather(body.partials, registers, torques)
            for j in range(n_dof):
                out[i, part, j] = torques[j] + axes[j, ROTOR] * acceleration[j]
        for j in range(n_dof):
            # of three parts the second is due to velocities
            out[i, parts // 2, j] += friction(axes, j, qd[j])
            out[i, last, j] -= pull(axes, j, q[j])
    return status


def link_motions(
    table: I64_2,
    base: F64_2,
    velocity: F64_1,
    values: F64_1,
    rates: F64_1,
    accelerations: F64_1,
    out: F64_3,
) -> int:
    """Write velocities and accelerations of link origins, (m, n_links, 12).

    In world axes; velocity and acceleration are linear first, and accelerations are
    those of the origins themselves, gravity left out. Takes and returns what
    `inverse_dynamics` does, but what it is given is checked.
    """
    body = tree_of(table)
    m, n, n_values = out.shape[0], body.tree.shape[0], body.axes.shape[0]
    turn, start = np.empty(9), np.empty(12)
    status = base_motion(base, velocity, np.zeros(3), turn, start)
    n_dof = values.shape[0] // max(m, 1)
    motion = room_for_motion(n)
    registers = np.empty(body.tape.shape[0])
    turns = np.empty((n, 9))
    work = np.empty((3, n_values))
    q, qd, qdd = work[0], work[1], work[2]
    velocities, accelerating = motion.velocities, motion.accelerations
    link_nodes, link_places = body.link_nodes, body.link_places
    for i in range(m):
        take_values(values, i, n_dof, body.axes, q)
        take_row(rates, i, n_dof, qd)
        take_row(accelerations, i, n_dof, qdd)
        evaluate_motion(body, registers, q, qd, qdd)
        outward(body.tree, body.places, q, qd, qdd, start, motion)
        world_rotations(body.tree, motion, turn, turns)
        for j in range(link_nodes.shape[0]):
            k = link_nodes[j]
            u, w, r = velocities[k], accelerating[k], turns[k]
            o, place = out[i, j], link_places[j]
            p0, p1, p2 = place[9], place[10], place[11]
            x, y, z = cross(u[3], u[4], u[5], p0, p1, p2)
            v0, v1, v2 = u[0] + x, u[1] + y, u[2] + z
            a0, a1, a2 = cross(u[3], u[4], u[5], v0, v1, v2)
            x, y, z = cross(w[3], w[4], w[5], p0, p1, p2)
            o[0], o[1], o[2] = turned(r, v0, v1, v2)
            o[3], o[4], o[5] = turned(r, u[3], u[4], u[5])
            o[6], o[7], o[8] = turned(r, w[0] + x + a0, w[1] + y + a1, w[2] + z + a2)
            o[9], o[10], o[11] = turned(r, w[3], w[4], w[5])
    return status
