"""Functions that kernels of kinematics share: motion trees, vectors, balls.

A *place* or *pose* is a vector whose first 12 numbers are a rotation (9, row-major) and
an origin (3). Twists and wrenches (6) have their linear part first. An inertia (10) is
mass, first moment (3), and xx xy xz yy yz zz.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from pyrave.jit.bundles import f64_1, f64_2, i64_1, i64_2

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, I64

# Kinds of motion.
FIXED = 0
TURN = 1
SLIDE = 2
BALL = 3

# Columns of `MotionTree.tree`.
PARENT = 0
MOTION = 1
VALUE = 2

# Columns of `MotionTree.places`: a pose, and this.
SIGN = 12

# Columns of `MotionTree.axes`.
ROTOR = 0
COULOMB = 1
VISCOUS = 2
STIFFNESS = 3
SPRING_REST = 4
REST = 5

# Columns of `MotionTree.partials` and `seconds`. What an instruction of the tape left
# in its register is the derivative of FOLLOWER by LEADER, or by LEADER and OTHER.
FOLLOWER = 0
LEADER = 1
SLOPE = 2
OTHER = 2
CURVE = 3

# What kernels return that check their arguments.
DONE = 0
WRONG_SHAPE = 1
NOT_FINITE = 2
NO_POSE = 3

_RIGID = 1e-9
"""Tolerance of the axes of a base against a rotation."""
STILL = 1e-7  # OpenRAVE's
"""Largest rate of a joint that stands still."""


class MotionTree(NamedTuple):
    """The tree of a body's motions; a node is all that one motion moves rigidly.

    Node 0 is the base: link 0 and what is fixed to it. The frame of any other node has
    its z axis on the axis of the motion, so that the motion is a turn about z, a slide
    along z, or a ball (a rotation vector, times a sign) about the origin. Parents come
    before children.

    Kernels that Python calls take its table (`Model.motion_table`), and `tree_of` that.
    Nothing writes to the arrays.

    Parameters
    ----------
    tree
        (n, 3): parent, kind of motion, index of the (first) value.
    places
        (n, 13): pose of the node in its parent where the value is zero, and the sign
        of a ball.
    inertias
        (n, 10): about the node's origin, in the node's axes.
    node_links
        (n,): a link of the node, -1 between the axes of one joint.
    link_nodes
        (n_links,): the node that a link is part of.
    link_places
        (n_links, 12): pose of the link in its node.
    link_coms
        (n_links, 3): centre of mass of the link in its node.
    axes
        (n_values, 6): what motors add to the inertia of a value, its frictions (N m or
        N, and per rate), the stiffness of its spring and where that rests, and the
        value that it has where none is given.
    tape, constants, partials, seconds
        What the model has of formulas, see `pyrave.kinematics.model.Model`.
    """

    tree: I64
    places: F64
    inertias: F64
    node_links: I64
    link_nodes: I64
    link_places: F64
    link_coms: F64
    axes: F64
    tape: I64
    constants: F64
    partials: I64
    seconds: I64


def tree_of(table: I64) -> MotionTree:
    """Return the tree of a table (`pyrave.jit.bundles`) of its arrays."""
    return MotionTree(
        i64_2(table, 0),
        f64_2(table, 1),
        f64_2(table, 2),
        i64_1(table, 3),
        i64_1(table, 4),
        f64_2(table, 5),
        f64_2(table, 6),
        f64_2(table, 7),
        i64_2(table, 8),
        f64_1(table, 9),
        i64_2(table, 10),
        i64_2(table, 11),
    )


def take_row(rows: F64, i: int, n_dof: int, out: F64) -> None:
    """Copy row i of (m * n_dof,) numbers to `out` (n_values,), with zeros behind it."""
    for j in range(out.shape[0]):
        out[j] = rows[i * n_dof + j] if j < n_dof else 0.0


def take_values(rows: F64, i: int, n_dof: int, axes: F64, out: F64) -> None:
    """Copy row i of (m * n_dof,) values to `out`, with those at rest behind it."""
    for j in range(out.shape[0]):
        out[j] = rows[i * n_dof + j] if j < n_dof else axes[j, REST]


def is_finite(numbers: F64) -> bool:
    """Return True if the sum of numbers is finite, and so are they."""
    total = 0.0
    for i in range(numbers.shape[0]):
        total += numbers[i]
    return abs(total) < math.inf


def is_pose(base: F64) -> bool:
    """Return True if a matrix is (4, 4), finite, and rigid up to `_RIGID`."""
    if base.shape[0] != 4 or base.shape[1] != 4:
        return False
    a, b, c = base[0, 0], base[0, 1], base[0, 2]
    d, e, f = base[1, 0], base[1, 1], base[1, 2]
    x, y, z = cross(a, b, c, d, e, f)
    off = (
        (a * a + b * b + c * c - 1.0) ** 2
        + (d * d + e * e + f * f - 1.0) ** 2
        + (a * d + b * e + c * f) ** 2
        + (x - base[2, 0]) ** 2
        + (y - base[2, 1]) ** 2
        + (z - base[2, 2]) ** 2
        + base[3, 0] ** 2
        + base[3, 1] ** 2
        + base[3, 2] ** 2
        + (base[3, 3] - 1.0) ** 2
    )
    place = base[0, 3] + base[1, 3] + base[2, 3]
    return bool(off < _RIGID * _RIGID and abs(place) < math.inf)


def base_motion(base: F64, velocity: F64, gravity: F64, turn: F64, out: F64) -> int:
    """Write the rotation (9,) of a base (4, 4), and its motion (12,) in its own axes.

    That is twist and spatial acceleration. Gravity (3,) counts as an acceleration of
    the base against it, so that every node feels it; the base's origin itself does not
    accelerate. `velocity` (6,) is linear first, world axes. Returns DONE, NO_POSE,
    WRONG_SHAPE or NOT_FINITE.
    """
    if velocity.shape[0] != 6 or gravity.shape[0] != 3:
        return WRONG_SHAPE
    if not is_pose(base):
        return NO_POSE
    for i in range(3):
        for j in range(3):
            turn[3 * i + j] = base[i, j]
    v0, v1, v2 = turned_back(turn, velocity[0], velocity[1], velocity[2])
    w0, w1, w2 = turned_back(turn, velocity[3], velocity[4], velocity[5])
    x, y, z = cross(w0, w1, w2, v0, v1, v2)
    g0, g1, g2 = turned_back(turn, gravity[0], gravity[1], gravity[2])
    out[0], out[1], out[2], out[3], out[4], out[5] = v0, v1, v2, w0, w1, w2
    out[6], out[7], out[8] = -x - g0, -y - g1, -z - g2
    out[9], out[10], out[11] = 0.0, 0.0, 0.0
    return DONE if is_finite(velocity) and is_finite(gravity) else NOT_FINITE


def check_rows(status: int, rows: tuple[F64, F64, F64], count: int) -> int:
    """Return a status, or WRONG_SHAPE or NOT_FINITE of rows that are to be (count,)."""
    for row in rows:
        if row.shape[0] != count:
            status = WRONG_SHAPE
        elif status == DONE and not is_finite(row):
            status = NOT_FINITE
    return status


def friction(axes: F64, j: int, rate: float) -> float:
    """Return the torque that overcomes the friction of value j; at rest it has none."""
    way = 0.0
    if abs(rate) > STILL:
        way = 1.0 if rate > 0.0 else -1.0
    return float(axes[j, COULOMB] * way + axes[j, VISCOUS] * rate)


def pull(axes: F64, j: int, value: float) -> float:
    """Return the torque of the spring of value j."""
    return float(axes[j, STIFFNESS] * (axes[j, SPRING_REST] - value))


def cross(
    a0: float, a1: float, a2: float, b0: float, b1: float, b2: float
) -> tuple[float, float, float]:
    """Return a x b."""
    return a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0


def turned(pose: F64, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Return the rotation of a pose applied to a vector."""
    return (
        pose[0] * x + pose[1] * y + pose[2] * z,
        pose[3] * x + pose[4] * y + pose[5] * z,
        pose[6] * x + pose[7] * y + pose[8] * z,
    )


def turned_back(pose: F64, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Return the inverse rotation of a pose applied to a vector."""
    return (
        pose[0] * x + pose[3] * y + pose[6] * z,
        pose[1] * x + pose[4] * y + pose[7] * z,
        pose[2] * x + pose[5] * y + pose[8] * z,
    )


def compose(parent: F64, place: F64, out: F64) -> None:
    """Write the pose (12,) of a place in a parent whose pose is given."""
    for i in range(0, 9, 3):
        a, b, c = parent[i], parent[i + 1], parent[i + 2]
        for j in range(3):
            out[i + j] = a * place[j] + b * place[3 + j] + c * place[6 + j]
        out[9 + i // 3] = (
            a * place[9] + b * place[10] + c * place[11] + parent[9 + i // 3]
        )


def n_values_of(motion: int) -> int:
    """Return the number of values of a motion."""
    if motion == FIXED:
        return 0
    return 3 if motion == BALL else 1


def ball_terms(square: float) -> tuple[float, float, float, float]:
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
