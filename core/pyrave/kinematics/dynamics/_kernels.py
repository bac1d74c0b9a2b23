"""Kernels of velocities, accelerations, forces and inertia over a compiled body.

Arrays are those of `pyrave.kinematics._kernels`; `masses` is `Model.mass_table`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.kinematics._kernels import (
    BALL,
    FIXED,
    SLIDE,
    ball_axis,
    ball_curve,
    cross,
    rotate,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


def motion(
    nodes: Ints,
    frames: Floats,
    poses: Floats,
    values: Floats,
    rates: Floats,
    accelerations: Floats,
    base: Floats,
    velocity: Floats,
    acceleration: Floats,
) -> None:
    """Write velocities and accelerations of all nodes, (n, 6) each, in world axes.

    `base` is (2, 6): those of node 0. Linear parts are of the node's origin. Outward
    part of recursive Newton-Euler (Luh, Walker & Paul, J. Dyn. Sys. 102, 1980).
    """
    velocity[0] = base[0]
    acceleration[0] = base[1]
    for n in range(1, nodes.shape[0]):
        k = nodes[n, 0]
        p = nodes[k, 1]
        code = nodes[k, 2]
        f = frames[k]
        v = nodes[k, 3]
        w0, w1, w2 = velocity[p, 3], velocity[p, 4], velocity[p, 5]
        e0, e1, e2 = acceleration[p, 3], acceleration[p, 4], acceleration[p, 5]
        # of the point of the parent that now is at the anchor (turning) or the origin
        h0, h1, h2 = rotate(poses[k], f[15], f[16], f[17])
        r0 = poses[k, 0, 3] + h0 - poses[p, 0, 3]
        r1 = poses[k, 1, 3] + h1 - poses[p, 1, 3]
        r2 = poses[k, 2, 3] + h2 - poses[p, 2, 3]
        v0, v1, v2 = cross(w0, w1, w2, r0, r1, r2)
        c0, c1, c2 = cross(w0, w1, w2, v0, v1, v2)
        a0, a1, a2 = cross(e0, e1, e2, r0, r1, r2)
        v0 += velocity[p, 0]
        v1 += velocity[p, 1]
        v2 += velocity[p, 2]
        a0 += acceleration[p, 0] + c0
        a1 += acceleration[p, 1] + c1
        a2 += acceleration[p, 2] + c2
        if code == SLIDE:
            u0, u1, u2 = rotate(poses[k], f[12], f[13], f[14])
            q = rates[v]
            c0, c1, c2 = cross(w0, w1, w2, u0, u1, u2)
            v0 += u0 * q
            v1 += u1 * q
            v2 += u2 * q
            a0 += u0 * accelerations[v] + 2.0 * q * c0
            a1 += u1 * accelerations[v] + 2.0 * q * c1
            a2 += u2 * accelerations[v] + 2.0 * q * c2
        elif code != FIXED:
            s0, s1, s2 = 0.0, 0.0, 0.0
            g0, g1, g2 = 0.0, 0.0, 0.0
            if code == BALL:
                for i in range(3):
                    x, y, z = ball_axis(f, values, v, i)
                    s0 += x * rates[v + i]
                    s1 += y * rates[v + i]
                    s2 += z * rates[v + i]
                    g0 += x * accelerations[v + i]
                    g1 += y * accelerations[v + i]
                    g2 += z * accelerations[v + i]
                    for j in range(3):
                        x, y, z = ball_curve(f, values, v, i, j)
                        q = rates[v + i] * rates[v + j]
                        g0 += x * q
                        g1 += y * q
                        g2 += z * q
                s0, s1, s2 = rotate(poses[p], s0, s1, s2)
                g0, g1, g2 = rotate(poses[p], g0, g1, g2)
            else:
                u0, u1, u2 = rotate(poses[k], f[12], f[13], f[14])
                q = rates[v]
                s0, s1, s2 = u0 * q, u1 * q, u2 * q
                q = accelerations[v]
                g0, g1, g2 = u0 * q, u1 * q, u2 * q
            c0, c1, c2 = cross(w0, w1, w2, s0, s1, s2)
            e0 += g0 + c0
            e1 += g1 + c1
            e2 += g2 + c2
            w0 += s0
            w1 += s1
            w2 += s2
            # from the anchor back to the origin
            r0, r1, r2 = -h0, -h1, -h2
            c0, c1, c2 = cross(w0, w1, w2, r0, r1, r2)
            v0 += c0
            v1 += c1
            v2 += c2
            g0, g1, g2 = cross(w0, w1, w2, c0, c1, c2)
            c0, c1, c2 = cross(e0, e1, e2, r0, r1, r2)
            a0 += g0 + c0
            a1 += g1 + c1
            a2 += g2 + c2
        velocity[k, 0], velocity[k, 1], velocity[k, 2] = v0, v1, v2
        velocity[k, 3], velocity[k, 4], velocity[k, 5] = w0, w1, w2
        acceleration[k, 0], acceleration[k, 1], acceleration[k, 2] = a0, a1, a2
        acceleration[k, 3], acceleration[k, 4], acceleration[k, 5] = e0, e1, e2


def _world_inertia(mass: Floats, pose: Floats, out: Floats) -> None:
    """Write the inertia about the centre of mass in world axes, (3, 3)."""
    xx, xy, xz, yy, yz, zz = mass[4], mass[5], mass[6], mass[7], mass[8], mass[9]
    for i in range(3):
        a, b, c = pose[i, 0], pose[i, 1], pose[i, 2]
        m0 = a * xx + b * xy + c * xz
        m1 = a * xy + b * yy + c * yz
        m2 = a * xz + b * yz + c * zz
        for j in range(3):
            out[i, j] = m0 * pose[j, 0] + m1 * pose[j, 1] + m2 * pose[j, 2]


def newton_euler(
    nodes: Ints,
    axis: Floats,
    masses: Floats,
    poses: Floats,
    velocity: Floats,
    acceleration: Floats,
    wrenches: Floats,
    out: Floats,
) -> None:
    """Write the force or torque on every value, (n_values,), for a known motion.

    `wrenches` (n_links or 0, 6) act on the links at their centres of mass. Inward
    part of recursive Newton-Euler (Featherstone, Rigid Body Dynamics Algorithms, 5.3).
    """
    n = nodes.shape[0]
    force = np.zeros((n, 6))
    inertia = np.empty((3, 3))
    for k in range(n):
        m = masses[k]
        w0, w1, w2 = velocity[k, 3], velocity[k, 4], velocity[k, 5]
        e0, e1, e2 = acceleration[k, 3], acceleration[k, 4], acceleration[k, 5]
        c0, c1, c2 = rotate(poses[k], m[1], m[2], m[3])
        x, y, z = cross(w0, w1, w2, c0, c1, c2)
        f0, f1, f2 = cross(w0, w1, w2, x, y, z)
        x, y, z = cross(e0, e1, e2, c0, c1, c2)
        f0 = m[0] * (f0 + x + acceleration[k, 0])
        f1 = m[0] * (f1 + y + acceleration[k, 1])
        f2 = m[0] * (f2 + z + acceleration[k, 2])
        _world_inertia(m, poses[k], inertia)
        x = inertia[0, 0] * w0 + inertia[0, 1] * w1 + inertia[0, 2] * w2
        y = inertia[1, 0] * w0 + inertia[1, 1] * w1 + inertia[1, 2] * w2
        z = inertia[2, 0] * w0 + inertia[2, 1] * w1 + inertia[2, 2] * w2
        t0, t1, t2 = cross(w0, w1, w2, x, y, z)
        t0 += inertia[0, 0] * e0 + inertia[0, 1] * e1 + inertia[0, 2] * e2
        t1 += inertia[1, 0] * e0 + inertia[1, 1] * e1 + inertia[1, 2] * e2
        t2 += inertia[2, 0] * e0 + inertia[2, 1] * e1 + inertia[2, 2] * e2
        if k < wrenches.shape[0]:
            f0 -= wrenches[k, 0]
            f1 -= wrenches[k, 1]
            f2 -= wrenches[k, 2]
            t0 -= wrenches[k, 3]
            t1 -= wrenches[k, 4]
            t2 -= wrenches[k, 5]
        x, y, z = cross(c0, c1, c2, f0, f1, f2)
        force[k, 0], force[k, 1], force[k, 2] = f0, f1, f2
        force[k, 3], force[k, 4], force[k, 5] = t0 + x, t1 + y, t2 + z
    for i in range(n - 1, 0, -1):
        k = nodes[i, 0]
        p = nodes[k, 1]
        code = nodes[k, 2]
        f0, f1, f2 = force[k, 0], force[k, 1], force[k, 2]
        if code != FIXED:
            v = nodes[k, 3]
            rows = 3 if code == BALL else 1
            for j in range(v, v + rows):
                u0, u1, u2 = axis[j, 0], axis[j, 1], axis[j, 2]
                if code == SLIDE:
                    out[j] = u0 * f0 + u1 * f1 + u2 * f2
                else:
                    x, y, z = cross(
                        poses[k, 0, 3] - axis[j, 3],
                        poses[k, 1, 3] - axis[j, 4],
                        poses[k, 2, 3] - axis[j, 5],
                        f0,
                        f1,
                        f2,
                    )
                    out[j] = (
                        u0 * (force[k, 3] + x)
                        + u1 * (force[k, 4] + y)
                        + u2 * (force[k, 5] + z)
                    )
        x, y, z = cross(
            poses[k, 0, 3] - poses[p, 0, 3],
            poses[k, 1, 3] - poses[p, 1, 3],
            poses[k, 2, 3] - poses[p, 2, 3],
            f0,
            f1,
            f2,
        )
        force[p, 0] += f0
        force[p, 1] += f1
        force[p, 2] += f2
        force[p, 3] += force[k, 3] + x
        force[p, 4] += force[k, 4] + y
        force[p, 5] += force[k, 5] + z


def mass_matrix(
    nodes: Ints, axis: Floats, masses: Floats, poses: Floats, out: Floats
) -> None:
    """Write the (n_values, n_values) joint-space inertia.

    Composite rigid bodies (Featherstone, 6.2), all taken about the origin of node 0
    in world axes, so that composites add up without transforms.
    """
    n = nodes.shape[0]
    m = np.zeros(n)
    h = np.zeros((n, 3))
    about = np.zeros((n, 3, 3))
    o0, o1, o2 = poses[0, 0, 3], poses[0, 1, 3], poses[0, 2, 3]
    for k in range(n):
        m[k] = masses[k, 0]
        c0, c1, c2 = rotate(poses[k], masses[k, 1], masses[k, 2], masses[k, 3])
        c0 += poses[k, 0, 3] - o0
        c1 += poses[k, 1, 3] - o1
        c2 += poses[k, 2, 3] - o2
        h[k, 0], h[k, 1], h[k, 2] = m[k] * c0, m[k] * c1, m[k] * c2
        _world_inertia(masses[k], poses[k], about[k])
        square = c0 * c0 + c1 * c1 + c2 * c2
        about[k, 0, 0] += m[k] * (square - c0 * c0)
        about[k, 1, 1] += m[k] * (square - c1 * c1)
        about[k, 2, 2] += m[k] * (square - c2 * c2)
        about[k, 0, 1] -= m[k] * c0 * c1
        about[k, 1, 0] -= m[k] * c0 * c1
        about[k, 0, 2] -= m[k] * c0 * c2
        about[k, 2, 0] -= m[k] * c0 * c2
        about[k, 1, 2] -= m[k] * c1 * c2
        about[k, 2, 1] -= m[k] * c1 * c2
    out[:] = 0.0
    for i in range(n - 1, 0, -1):
        k = nodes[i, 0]
        p = nodes[k, 1]
        m[p] += m[k]
        for a in range(3):
            h[p, a] += h[k, a]
            for b in range(3):
                about[p, a, b] += about[k, a, b]
        code = nodes[k, 2]
        if code == FIXED:
            continue
        v = nodes[k, 3]
        rows = 3 if code == BALL else 1
        for j in range(v, v + rows):
            v0, v1, v2, w0, w1, w2 = _twist(axis[j], code, o0, o1, o2)
            x, y, z = cross(w0, w1, w2, h[k, 0], h[k, 1], h[k, 2])
            f0, f1, f2 = m[k] * v0 + x, m[k] * v1 + y, m[k] * v2 + z
            x, y, z = cross(h[k, 0], h[k, 1], h[k, 2], v0, v1, v2)
            inertia = about[k]
            t0 = x + inertia[0, 0] * w0 + inertia[0, 1] * w1 + inertia[0, 2] * w2
            t1 = y + inertia[1, 0] * w0 + inertia[1, 1] * w1 + inertia[1, 2] * w2
            t2 = z + inertia[2, 0] * w0 + inertia[2, 1] * w1 + inertia[2, 2] * w2
            above = k
            while above > 0:
                other = nodes[above, 2]
                if other != FIXED:
                    first = nodes[above, 3]
                    count = 3 if other == BALL else 1
                    for a in range(first, first + count):
                        v0, v1, v2, w0, w1, w2 = _twist(axis[a], other, o0, o1, o2)
                        value = v0 * f0 + v1 * f1 + v2 * f2
                        value += w0 * t0 + w1 * t1 + w2 * t2
                        out[j, a] = value
                        out[a, j] = value
                above = nodes[above, 1]


def _twist(
    axis: Floats, code: int, o0: float, o1: float, o2: float
) -> tuple[float, float, float, float, float, float]:
    """Return the twist of a unit rate: linear at point o, and angular."""
    u0, u1, u2 = axis[0], axis[1], axis[2]
    if code == SLIDE:
        return u0, u1, u2, 0.0, 0.0, 0.0
    l0, l1, l2 = cross(u0, u1, u2, o0 - axis[3], o1 - axis[4], o2 - axis[5])
    return l0, l1, l2, u0, u1, u2
