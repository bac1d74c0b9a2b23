"""Kernels from the values of a motion tree to twists, Jacobians and Hessians.

A body is a `MotionTree`, see `pyrave.kinematics.kernels.motion`; `registers` are
what its formulas left. Kernels that Python calls take its table.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.kinematics.kernels.expressions import run_tape
from pyrave.kinematics.kernels.motion import (
    BALL,
    CURVE,
    DONE,
    FOLLOWER,
    LEADER,
    MOTION,
    NOT_FINITE,
    OTHER,
    PARENT,
    SIGN,
    SLIDE,
    SLOPE,
    TURN,
    VALUE,
    WRONG_SHAPE,
    MotionTree,
    ball_terms,
    compose,
    cross,
    is_finite,
    n_values_of,
    take_values,
    tree_of,
    turned,
)

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, F64_1, F64_2, F64_3, F64_4, I64, I64_2

# -- joints that follow others ---------------------------------------------------------


def evaluate(body: MotionTree, registers: F64, values: F64) -> None:
    """Fill the values that follow others, and the registers of their derivatives."""
    n = body.tape.shape[0]
    if n > 0:
        run_tape(body.tape, body.constants, 0, n, registers, values)


def gather(partials: I64, registers: F64, row: F64) -> None:
    """Add what acts on followers to what they follow: the chain rule transposed."""
    for k in range(partials.shape[0] - 1, -1, -1):
        slope = registers[partials[k, SLOPE]]
        row[partials[k, LEADER]] += slope * row[partials[k, FOLLOWER]]


def project(partials: I64, registers: F64, matrix: F64, out: F64) -> None:
    """Write W^T `matrix` W (n_dof, n_dof), W = d(values)/dq; overwrites `matrix`."""
    n = out.shape[0]
    if partials.shape[0] > 0:
        for j in range(matrix.shape[0]):
            gather(partials, registers, matrix[j])
        for j in range(n):
            gather(partials, registers, matrix[:, j])
    for i in range(n):
        for j in range(n):
            out[i, j] = matrix[i, j]


# -- motions ---------------------------------------------------------------------------


def ball_rate(
    x: float, y: float, z: float, d0: float, d1: float, d2: float, transposed: bool
) -> tuple[float, float, float]:
    """Return J d, or its transpose times d, for the rotation vector (x, y, z).

    J is the right Jacobian of rotations: J d is the angular velocity in the axes of the
    turned frame (Barfoot, State Estimation for Robotics, 7.1.5).
    """
    # J = 1 - a [x] + b [x]^2
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
    # a and b change by (x.d) da and (x.d) db; [d] d = 0
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


def _ball_turn(place: F64, x: float, y: float, z: float, out: F64) -> None:
    """Write the rest rotation of a place times the rotation by a vector, (9,)."""
    a, _, _, _ = ball_terms(x * x + y * y + z * z)
    square = x * x + y * y + z * z
    t = math.sqrt(square)
    s = 1.0 if t == 0.0 else math.sin(t) / t
    # R = cos t + sin t / t [x] + (1 - cos t) / t^2 x x' (Rodrigues)
    c = 1.0 - a * square
    r00, r01, r02 = c + a * x * x, a * x * y - s * z, a * x * z + s * y
    r10, r11, r12 = a * x * y + s * z, c + a * y * y, a * y * z - s * x
    r20, r21, r22 = a * x * z - s * y, a * y * z + s * x, c + a * z * z
    for i in range(3):
        p0, p1, p2 = place[3 * i], place[3 * i + 1], place[3 * i + 2]
        out[3 * i] = p0 * r00 + p1 * r10 + p2 * r20
        out[3 * i + 1] = p0 * r01 + p1 * r11 + p2 * r21
        out[3 * i + 2] = p0 * r02 + p1 * r12 + p2 * r22


def place_node(place: F64, motion: int, values: F64, v: int, out: F64) -> None:
    """Write the pose (12,) of a node in its parent."""
    if motion == TURN:
        c = math.cos(values[v])
        s = math.sin(values[v])
        for i in range(0, 9, 3):
            p0, p1 = place[i], place[i + 1]
            out[i] = c * p0 + s * p1
            out[i + 1] = c * p1 - s * p0
            out[i + 2] = place[i + 2]
        out[9], out[10], out[11] = place[9], place[10], place[11]
    elif motion == SLIDE:
        d = values[v]
        for i in range(9):
            out[i] = place[i]
        out[9] = place[9] + d * place[2]
        out[10] = place[10] + d * place[5]
        out[11] = place[11] + d * place[8]
    else:
        s = place[SIGN]
        _ball_turn(place, s * values[v], s * values[v + 1], s * values[v + 2], out)
        out[9], out[10], out[11] = place[9], place[10], place[11]


def turn_twist(pose: F64, x: float, y: float, z: float, out: F64) -> None:
    """Write the twist of a turn about a node's origin by a vector in its axes."""
    x, y, z = turned(pose, x, y, z)
    out[3], out[4], out[5] = x, y, z
    out[0], out[1], out[2] = cross(pose[9], pose[10], pose[11], x, y, z)


def node_poses(tree: I64, places: F64, values: F64, out: F64) -> None:
    """Write the pose of every node in the base, (n, 12)."""
    for i in range(12):
        out[0, i] = 1.0 if i in (0, 4, 8) else 0.0
    step = np.empty(12)
    for k in range(1, tree.shape[0]):
        place_node(places[k], tree[k, MOTION], values, tree[k, VALUE], step)
        compose(out[tree[k, PARENT]], step, out[k])


def node_poses_of_links(
    tree: I64,
    places: F64,
    node_links: I64,
    link_places: F64,
    links: F64,
    values: F64,
    point: F64,
    out: F64,
) -> None:
    """Write node poses (n, 12) that fit poses of links (n_links, 4, 4).

    Origins are taken from `point` (3,). Nodes without a link are placed by values.
    """
    step = np.empty(12)
    for k in range(tree.shape[0]):
        pose, link = out[k], node_links[k]
        if link < 0:
            place_node(places[k], tree[k, MOTION], values, tree[k, VALUE], step)
            compose(out[tree[k, PARENT]], step, pose)
            continue
        place = link_places[link]
        for i in range(3):
            a, b, c = links[link, i, 0], links[link, i, 1], links[link, i, 2]
            # the rotation times the transposed one of the link in its node
            for j in range(3):
                pose[3 * i + j] = (
                    a * place[3 * j] + b * place[3 * j + 1] + c * place[3 * j + 2]
                )
        x, y, z = turned(pose, place[9], place[10], place[11])
        pose[9] = links[link, 0, 3] - point[0] - x
        pose[10] = links[link, 1, 3] - point[1] - y
        pose[11] = links[link, 2, 3] - point[2] - z


def value_twists(tree: I64, places: F64, poses: F64, values: F64, out: F64) -> None:
    """Write the twist of each value's unit rate, (n_values, 6), from node poses.

    They are in the axes and of the point at the origin that the poses have: (p x w, w)
    of a turn about w through p, (w, 0) of a slide (Lynch & Park, 3.3.2).
    """
    out[:] = 0.0
    for k in range(1, tree.shape[0]):
        motion, v = tree[k, MOTION], tree[k, VALUE]
        r = poses[k]
        if motion == TURN:
            t = out[v]
            t[3], t[4], t[5] = r[2], r[5], r[8]
            t[0], t[1], t[2] = cross(r[9], r[10], r[11], r[2], r[5], r[8])
        elif motion == SLIDE:
            t = out[v]
            t[0], t[1], t[2] = r[2], r[5], r[8]
        else:
            s = places[k, SIGN]
            x, y, z = s * values[v], s * values[v + 1], s * values[v + 2]
            for i in range(3):
                d0 = s if i == 0 else 0.0
                d1 = s if i == 1 else 0.0
                d2 = s if i == 2 else 0.0
                d0, d1, d2 = ball_rate(x, y, z, d0, d1, d2, False)
                turn_twist(r, d0, d1, d2, out[v + i])


# -- Jacobians and Hessians ------------------------------------------------------------


def jacobian(tree: I64, twists: F64, node: int, point: F64, out: F64) -> None:
    """Write the Jacobian (6, n_values) of a point (3,) that is rigid in a node.

    Geometric Jacobian, linear part at the point (Lynch & Park, 5.1).
    """
    out[:] = 0.0
    k = node
    while k > 0:
        v = tree[k, VALUE]
        for j in range(v, v + n_values_of(tree[k, MOTION])):
            t = twists[j]
            x, y, z = cross(t[3], t[4], t[5], point[0], point[1], point[2])
            out[0, j], out[1, j], out[2, j] = t[0] + x, t[1] + y, t[2] + z
            out[3, j], out[4, j], out[5, j] = t[3], t[4], t[5]
        k = tree[k, PARENT]


def _ball_curve(
    pose: F64, x: float, y: float, z: float, i: int, j: int
) -> tuple[float, float, float]:
    """Return the derivative of column j of J by component i, turned as a pose is."""
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
    return turned(pose, r0, r1, r2)


def hessian(
    tree: I64,
    places: F64,
    poses: F64,
    values: F64,
    node: int,
    point: F64,
    first: F64,
    out: F64,
) -> None:
    """Write (n_values, 6, n_values): derivative of `jacobian`, given as `first`.

    For a above b in the tree the linear part is w_a x J_b both ways, the angular part
    w_a x w_b only for d J_b / d a (Hourtash, The kinematic Hessian and higher
    derivatives, CIRA 2005).
    """
    out[:] = 0.0
    k = node
    while k > 0:
        v = tree[k, VALUE]
        ball = tree[k, MOTION] == BALL
        for b in range(v, v + (3 if ball else 1)):
            above = tree[k, PARENT] if ball else k
            while above > 0:
                u = tree[above, VALUE]
                for a in range(u, u + n_values_of(tree[above, MOTION])):
                    w0, w1, w2 = first[3, a], first[4, a], first[5, a]
                    x, y, z = cross(w0, w1, w2, first[0, b], first[1, b], first[2, b])
                    out[a, 0, b], out[a, 1, b], out[a, 2, b] = x, y, z
                    out[b, 0, a], out[b, 1, a], out[b, 2, a] = x, y, z
                    if a != b:
                        x, y, z = cross(
                            w0, w1, w2, first[3, b], first[4, b], first[5, b]
                        )
                        out[a, 3, b], out[a, 4, b], out[a, 5, b] = x, y, z
                above = tree[above, PARENT]
        if ball:
            s = places[k, SIGN]
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
        k = tree[k, PARENT]


def combine(
    partials: I64,
    seconds: I64,
    registers: F64,
    first: F64,
    curves: F64,
    out: F64,
) -> None:
    """Write the Hessian by degrees of freedom, (n_dof, 6, n_dof), from that by values.

    The latter is `curves` (n_values, 6, n_values), `first` is the Jacobian by values;
    both are overwritten.
    """
    for row in range(6):
        matrix = curves[:, row, :]
        gather(partials, registers, first[row])
        # a follower's own curvature, along with what it moves
        for k in range(seconds.shape[0]):
            bend = registers[seconds[k, CURVE]] * first[row, seconds[k, FOLLOWER]]
            matrix[seconds[k, LEADER], seconds[k, OTHER]] += bend
        project(partials, registers, matrix, out[:, row, :])


def derivatives(
    table: I64_2,
    link: int,
    point: F64_1,
    links: F64_3,
    values: F64_1,
    first: F64_2,
    second: F64_3,
) -> int:
    """Write Jacobian (6, n_dof) and Hessian (n_dof, 6, n_dof) in world axes.

    `point` (3,), if none (0,) the link's origin, and the poses of links (n_links, 4, 4)
    are in the world. No Hessian is made if `second` is empty. Returns DONE, NOT_FINITE,
    or WRONG_SHAPE (nothing is written).
    """
    body = tree_of(table)
    n_dof, n_values = first.shape[1], body.axes.shape[0]
    if (
        values.shape[0] != n_dof
        or links.shape[0] != body.link_nodes.shape[0]
        or links.shape[1] != 4
        or links.shape[2] != 4
        or point.shape[0] not in (0, 3)
    ):
        return WRONG_SHAPE
    node = body.link_nodes[link]
    place = np.empty(3)
    for i in range(3):
        place[i] = point[i] if point.shape[0] > 0 else links[link, i, 3]
    q = np.empty(n_values)
    take_values(values, 0, n_dof, body.axes, q)
    registers = np.empty(body.tape.shape[0])
    poses = np.empty((body.tree.shape[0], 12))
    twists = np.empty((n_values, 6))
    columns = np.empty((6, n_values))
    origin = np.zeros(3)
    evaluate(body, registers, q)
    node_poses_of_links(
        body.tree,
        body.places,
        body.node_links,
        body.link_places,
        links,
        q,
        place,
        poses,
    )
    value_twists(body.tree, body.places, poses, q, twists)
    jacobian(body.tree, twists, node, origin, columns)
    if second.size > 0:
        curves = np.empty((n_values, 6, n_values))
        hessian(body.tree, body.places, poses, q, node, origin, columns, curves)
        combine(body.partials, body.seconds, registers, columns, curves, second)
    else:
        for row in range(6):
            gather(body.partials, registers, columns[row])
    for row in range(6):
        for j in range(n_dof):
            first[row, j] = columns[row, j]
    finite = is_finite(values) and is_finite(place)
    return DONE if finite else NOT_FINITE


def derivatives_batch(
    table: I64_2,
    node: int,
    local: F64_1,
    values: F64_1,
    first: F64_3,
    second: F64_4,
) -> int:
    """Write Jacobians (m, 6, n_dof) and Hessians (m, n_dof, 6, n_dof) of a point.

    They are in the axes of the base; `local` (3,) is the point in its node. Values are
    (m * n_dof,) and finite. No Hessians are made if `second` has none,
    (0, n_dof, 6, n_dof).
    """
    body = tree_of(table)
    n_dof, n_values = first.shape[2], body.axes.shape[0]
    q = np.empty(n_values)
    registers = np.empty(body.tape.shape[0])
    poses = np.empty((body.tree.shape[0], 12))
    twists = np.empty((n_values, 6))
    point = np.empty(3)
    columns = np.empty((6, n_values))
    curves = np.empty((n_values if second.shape[0] > 0 else 0, 6, n_values))
    for i in range(first.shape[0]):
        take_values(values, i, n_dof, body.axes, q)
        evaluate(body, registers, q)
        node_poses(body.tree, body.places, q, poses)
        value_twists(body.tree, body.places, poses, q, twists)
        r = poses[node]
        x, y, z = turned(r, local[0], local[1], local[2])
        point[0], point[1], point[2] = x + r[9], y + r[10], z + r[11]
        jacobian(body.tree, twists, node, point, columns)
        if second.shape[0] > 0:
            hessian(body.tree, body.places, poses, q, node, point, columns, curves)
            combine(body.partials, body.seconds, registers, columns, curves, second[i])
        else:
            for row in range(6):
                gather(body.partials, registers, columns[row])
        for row in range(6):
            for j in range(n_dof):
                first[i, row, j] = columns[row, j]
    return DONE
