"""Functions that kernels of kinematics share: motion trees, vectors, balls.

A *place* or *pose* is a vector whose first 12 numbers are a rotation (9, row-major) and
an origin (3). Twists and wrenches (6) have their linear part first. An inertia (10) is
mass, first moment (3), and xx xy xz yy yz zz.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

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

# Columns of `MotionTree.partials` and `seconds`. What an instruction of the tape left
# in its register is the derivative of FOLLOWER by LEADER, or by LEADER and OTHER.
FOLLOWER = 0
LEADER = 1
SLOPE = 2
OTHER = 2
CURVE = 3


class MotionTree(NamedTuple):
    """The tree of a body's motions; a node is all that one motion moves rigidly.

    Node 0 is the base: link 0 and what is fixed to it. The frame of any other node has
    its z axis on the axis of the motion, so that the motion is a turn about z, a slide
    along z, or a ball (a rotation vector, times a sign) about the origin. Parents come
    before children.

    Kernels that Python calls take a plain tuple of these arrays, whose type numba
    recognises much faster. Nothing writes to the arrays, but they are writable:
    numba tells writable arrays from others.

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
    rotor_inertias
        (n_values,): what motors add to the inertia of their values.
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
    rotor_inertias: F64
    tape: I64
    constants: F64
    partials: I64
    seconds: I64


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
