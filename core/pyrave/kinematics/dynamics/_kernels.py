"""Kernels of velocities, accelerations, forces and inertia over an articulation.

`tree`, `places` and `inertias` are those of `pyrave.kinematics._articulation`. Twists
and wrenches have their linear part first. Every batch kernel takes the values, rates
and accelerations of m configurations and writes m results; it is what a single
configuration runs, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.kinematics._kernels import cross
from pyrave.kinematics.formula._kernels import run_tape
from pyrave.kinematics.twists._kernels import ball_bias, ball_rate, gather, put

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

TURN = 1
SLIDE = 2


# -- values ----------------------------------------------------------------------------


def expand(
    tape: Ints,
    constants: Floats,
    partials: Ints,
    seconds: Ints,
    registers: Floats,
    values: Floats,
    rates: Floats,
    accelerations: Floats,
) -> None:
    """Fill what follows the degrees of freedom: values, rates and accelerations.

    Chain rule along the partials, which are in the order of evaluation.
    """
    if tape.shape[0] == 0:
        return
    run_tape(tape, constants, 0, tape.shape[0], registers, values)
    for k in range(partials.shape[0]):
        slope = registers[partials[k, 2]]
        rates[partials[k, 0]] += slope * rates[partials[k, 1]]
    for k in range(seconds.shape[0]):
        curve = registers[seconds[k, 3]]
        bend = curve * rates[seconds[k, 1]] * rates[seconds[k, 2]]
        accelerations[seconds[k, 0]] += bend
    for k in range(partials.shape[0]):
        slope = registers[partials[k, 2]]
        accelerations[partials[k, 0]] += slope * accelerations[partials[k, 1]]


# -- recursive Newton-Euler in the nodes' own frames -----------------------------------


def outward(
    tree: Ints,
    places: Floats,
    values: Floats,
    rates: Floats,
    accelerations: Floats,
    base: Floats,
    work: Floats,
) -> None:
    """Write place (12), velocity (6) and acceleration (6) of every node.

    In the node's own frame; accelerations are spatial, that is of what passes through
    the origin. `base` (12,) has those of node 0. `work` is (n, 30). Outward part of
    recursive Newton-Euler (Featherstone, Rigid Body Dynamics Algorithms, table 5.1).
    """
    for i in range(12):
        work[0, 12 + i] = base[i]
    for k in range(1, tree.shape[0]):
        p, code, v = tree[k, 0], tree[k, 1], tree[k, 2]
        w = work[k]
        u = work[p]
        put(places[k], code, values, v, w)
        r0, r1, r2 = w[9], w[10], w[11]
        # velocity and acceleration of the parent at this origin, in these axes
        w0, w1, w2 = u[15], u[16], u[17]
        x, y, z = cross(w0, w1, w2, r0, r1, r2)
        x, y, z = x + u[12], y + u[13], z + u[14]
        v0 = w[0] * x + w[3] * y + w[6] * z
        v1 = w[1] * x + w[4] * y + w[7] * z
        v2 = w[2] * x + w[5] * y + w[8] * z
        o0 = w[0] * w0 + w[3] * w1 + w[6] * w2
        o1 = w[1] * w0 + w[4] * w1 + w[7] * w2
        o2 = w[2] * w0 + w[5] * w1 + w[8] * w2
        e0, e1, e2 = u[21], u[22], u[23]
        x, y, z = cross(e0, e1, e2, r0, r1, r2)
        x, y, z = x + u[18], y + u[19], z + u[20]
        a0 = w[0] * x + w[3] * y + w[6] * z
        a1 = w[1] * x + w[4] * y + w[7] * z
        a2 = w[2] * x + w[5] * y + w[8] * z
        g0 = w[0] * e0 + w[3] * e1 + w[6] * e2
        g1 = w[1] * e0 + w[4] * e1 + w[7] * e2
        g2 = w[2] * e0 + w[5] * e1 + w[8] * e2
        if code == TURN:
            q = rates[v]
            a0 += v1 * q
            a1 -= v0 * q
            g0 += o1 * q
            g1 -= o0 * q
            g2 += accelerations[v]
            o2 += q
        elif code == SLIDE:
            q = rates[v]
            a0 += o1 * q
            a1 -= o0 * q
            a2 += accelerations[v]
            v2 += q
        else:
            s = places[k, 12]
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
        w[12], w[13], w[14], w[15], w[16], w[17] = v0, v1, v2, o0, o1, o2
        w[18], w[19], w[20], w[21], w[22], w[23] = a0, a1, a2, g0, g1, g2


def inward(
    tree: Ints,
    places: Floats,
    inertias: Floats,
    wrenches: Floats,
    values: Floats,
    work: Floats,
    out: Floats,
) -> None:
    """Write the force on every value, given the motion that `outward` wrote.

    `wrenches` (n or 0, 6) act on the nodes, at their origins and in their axes.
    """
    n = tree.shape[0]
    for k in range(1, n):
        w = work[k]
        j = inertias[k]
        m, h0, h1, h2 = j[0], j[1], j[2], j[3]
        v0, v1, v2, o0, o1, o2 = w[12], w[13], w[14], w[15], w[16], w[17]
        a0, a1, a2, g0, g1, g2 = w[18], w[19], w[20], w[21], w[22], w[23]
        # momentum
        x, y, z = cross(o0, o1, o2, h0, h1, h2)
        l0, l1, l2 = m * v0 + x, m * v1 + y, m * v2 + z
        x, y, z = cross(h0, h1, h2, v0, v1, v2)
        n0 = j[4] * o0 + j[5] * o1 + j[6] * o2 + x
        n1 = j[5] * o0 + j[7] * o1 + j[8] * o2 + y
        n2 = j[6] * o0 + j[8] * o1 + j[9] * o2 + z
        # its change
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
        w[24], w[25], w[26], w[27], w[28], w[29] = f0, f1, f2, t0, t1, t2
    for k in range(1, wrenches.shape[0]):
        for i in range(6):
            work[k, 24 + i] -= wrenches[k, i]
    for k in range(n - 1, 0, -1):
        p, code, v = tree[k, 0], tree[k, 1], tree[k, 2]
        w = work[k]
        f0, f1, f2, t0, t1, t2 = w[24], w[25], w[26], w[27], w[28], w[29]
        if code == TURN:
            out[v] = t2
        elif code == SLIDE:
            out[v] = f2
        else:
            s = places[k, 12]
            x, y, z = s * values[v], s * values[v + 1], s * values[v + 2]
            x, y, z = ball_rate(x, y, z, t0, t1, t2, True)
            out[v], out[v + 1], out[v + 2] = s * x, s * y, s * z
        if p > 0:
            u = work[p]
            x = w[0] * f0 + w[1] * f1 + w[2] * f2
            y = w[3] * f0 + w[4] * f1 + w[5] * f2
            z = w[6] * f0 + w[7] * f1 + w[8] * f2
            c0, c1, c2 = cross(w[9], w[10], w[11], x, y, z)
            u[24] += x
            u[25] += y
            u[26] += z
            u[27] += w[0] * t0 + w[1] * t1 + w[2] * t2 + c0
            u[28] += w[3] * t0 + w[4] * t1 + w[5] * t2 + c1
            u[29] += w[6] * t0 + w[7] * t1 + w[8] * t2 + c2


def turns_of(tree: Ints, work: Floats, base_turn: Floats, out: Floats) -> None:
    """Write the rotations (n, 9) of all nodes in the world."""
    out[0] = base_turn
    for k in range(1, tree.shape[0]):
        u, w, r = out[tree[k, 0]], work[k], out[k]
        for i in range(0, 9, 3):
            for j in range(3):
                r[i + j] = u[i] * w[j] + u[i + 1] * w[3 + j] + u[i + 2] * w[6 + j]


def into_nodes(
    turns: Floats, link_nodes: Ints, link_coms: Floats, wrenches: Floats, out: Floats
) -> None:
    """Write wrenches on links as wrenches on nodes, (n, 6), as `inward` needs them."""
    out[:] = 0.0
    for i in range(wrenches.shape[0]):
        k = link_nodes[i]
        r, f, c, o = turns[k], wrenches[i], link_coms[i], out[k]
        f0 = r[0] * f[0] + r[3] * f[1] + r[6] * f[2]
        f1 = r[1] * f[0] + r[4] * f[1] + r[7] * f[2]
        f2 = r[2] * f[0] + r[5] * f[1] + r[8] * f[2]
        x, y, z = cross(c[0], c[1], c[2], f0, f1, f2)
        o[0] += f0
        o[1] += f1
        o[2] += f2
        o[3] += r[0] * f[3] + r[3] * f[4] + r[6] * f[5] + x
        o[4] += r[1] * f[3] + r[4] * f[4] + r[7] * f[5] + y
        o[5] += r[2] * f[3] + r[5] * f[4] + r[8] * f[5] + z


def inverse_dynamics_batch(
    tree: Ints,
    places: Floats,
    inertias: Floats,
    link_nodes: Ints,
    link_coms: Floats,
    tape: Ints,
    constants: Floats,
    partials: Ints,
    seconds: Ints,
    base_turn: Floats,
    base: Floats,
    wrenches: Floats,
    values: Floats,
    rates: Floats,
    accelerations: Floats,
    out: Floats,
) -> None:
    """Write the forces (m, parts, n_values), of which the first n_dof count.

    One part is the sum. Of three the first is inertial, the second due to velocities,
    the third due to gravity and wrenches. `base` (12,) is the motion of node 0,
    gravity included as an acceleration. `wrenches` (m or 0, n_links, 6) act at the
    links' centres of mass in world axes. Values that follow others are filled in
    `values`, `rates` and `accelerations`.
    """
    n = tree.shape[0]
    work = np.empty((n, 30))
    registers = np.empty(tape.shape[0])
    turns = np.empty((n, 9))
    acting = np.empty((n if wrenches.shape[0] > 0 else 0, 6))
    no_wrench = np.empty((0, 6))
    still = np.zeros(12)
    moving = base.copy()
    lifted = np.zeros(12)
    x, y, z = cross(base[3], base[4], base[5], base[0], base[1], base[2])
    moving[6], moving[7], moving[8] = -x, -y, -z
    lifted[6], lifted[7], lifted[8] = base[6] + x, base[7] + y, base[8] + z
    none = np.zeros(values.shape[1])
    bend = np.zeros(values.shape[1])
    parts = out.shape[1]
    last = parts - 1
    for i in range(values.shape[0]):
        q = values[i]
        bend[:] = 0.0
        for part in range(parts):
            rate, acceleration, start = rates[i], accelerations[i], base
            if parts == 3 and part == 0:
                rate, start = none, still
            elif parts == 3 and part == 1:
                acceleration, start = bend, moving
            elif parts == 3:
                rate, acceleration, start = none, none, lifted
            if part < 2:
                expand(
                    tape, constants, partials, seconds, registers, q, rate, acceleration
                )
            outward(tree, places, q, rate, acceleration, start, work)
            if part == last and wrenches.shape[0] > 0:
                turns_of(tree, work, base_turn, turns)
                into_nodes(turns, link_nodes, link_coms, wrenches[i], acting)
            push = acting if part == last else no_wrench
            inward(tree, places, inertias, push, q, work, out[i, part])
            gather(partials, registers, out[i, part])


def link_motion_batch(
    tree: Ints,
    places: Floats,
    link_nodes: Ints,
    link_places: Floats,
    tape: Ints,
    constants: Floats,
    partials: Ints,
    seconds: Ints,
    base_turn: Floats,
    base: Floats,
    values: Floats,
    rates: Floats,
    accelerations: Floats,
    out: Floats,
) -> None:
    """Write velocities and accelerations of link origins, (m, n_links, 12).

    In world axes; velocity and acceleration are linear first, and accelerations are
    those of the origins themselves.
    """
    n = tree.shape[0]
    work = np.empty((n, 30))
    registers = np.empty(tape.shape[0])
    turns = np.empty((n, 9))
    for i in range(values.shape[0]):
        q, qd, qdd = values[i], rates[i], accelerations[i]
        expand(tape, constants, partials, seconds, registers, q, qd, qdd)
        outward(tree, places, q, qd, qdd, base, work)
        turns_of(tree, work, base_turn, turns)
        for j in range(link_nodes.shape[0]):
            k = link_nodes[j]
            w, r, o, place = work[k], turns[k], out[i, j], link_places[j]
            p0, p1, p2 = place[9], place[10], place[11]
            x, y, z = cross(w[15], w[16], w[17], p0, p1, p2)
            v0, v1, v2 = w[12] + x, w[13] + y, w[14] + z
            a0, a1, a2 = cross(w[15], w[16], w[17], v0, v1, v2)
            x, y, z = cross(w[21], w[22], w[23], p0, p1, p2)
            a0, a1, a2 = w[18] + x + a0, w[19] + y + a1, w[20] + z + a2
            for c in range(3):
                r0, r1, r2 = r[3 * c], r[3 * c + 1], r[3 * c + 2]
                o[c] = r0 * v0 + r1 * v1 + r2 * v2
                o[3 + c] = r0 * w[15] + r1 * w[16] + r2 * w[17]
                o[6 + c] = r0 * a0 + r1 * a1 + r2 * a2
                o[9 + c] = r0 * w[21] + r1 * w[22] + r2 * w[23]
