"""Motions of a base as joints: slides along the world's axes, then a turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.kinematics._pose_rows import pose_screws
from pyrave.kinematics.affine import Affine
from pyrave.kinematics.kernels import forward_kinematics as to
from pyrave.kinematics.kernels import motion as k
from pyrave.spatial import skew

if TYPE_CHECKING:
    from pyrave.spatial import Array

_AXES = (Affine.X, Affine.Y, Affine.Z)


def moved_base(
    rows: Array, pose: Array, affine: Affine, axis: Array
) -> tuple[Array, Array, Array]:
    """Return rows and screws of a body behind joints of its base, and their root.

    Poses count from the root then: it is pose 0, link 0 is pose 1, and what is between
    them comes behind all others. The values of the new joints are behind those of the
    body, in the order of `Affine`.

    Parameters
    ----------
    rows
        (n, WIDTH) of the body, see `pyrave.kinematics.kernels.forward_kinematics`.
    pose
        (4, 4) T_world_body, which says what does not move.
    affine
        Motions of X, Y, Z and ROTATION_AXIS.
    axis
        (3,) unit vector of ROTATION_AXIS, world axes.

    Returns
    -------
    (n + m, WIDTH) rows, their screws (`pyrave.kinematics.kernels.link_motions`), and
    (4, 4) T_world_root.
    """
    root = np.eye(4)
    root[:3, 3] = pose[:3, 3]
    value, free = int(rows[0, to.VALUE]), len(rows) + 1
    joints = [_row(-1, 0, value + affine.size)]
    parent = 0
    for i, motion in enumerate(_AXES):
        if not affine & motion:
            continue
        root[i, 3] = 0.0
        slide = _row(parent, free, value)
        slide[to.KIND] = k.SLIDE
        slide[[to.C, to.C + 5, to.C + 10]] = 1.0  # p = C + value e_i
        slide[to.V + 4 * i + 3] = 1.0
        joints.append(slide)
        parent, free, value = free, free + 1, value + 1
    last = _row(parent, 1, -1)
    if affine & Affine.ROTATION_AXIS:
        # R = a a^T + cos (I - a a^T) + sin [a], Rodrigues' formula
        last[to.KIND], last[to.VALUE] = k.TURN, value
        along = np.outer(axis, axis)
        for first, matrix in (
            (to.C, along),
            (to.U, np.eye(3) - along),
            (to.V, skew(axis)),
        ):
            last[first : first + 12].reshape(3, 4)[:, :3] = matrix
    else:
        last[to.C : to.C + 12].reshape(3, 4)[:, :3] = pose[:3, :3]
        last[to.KIND] = k.FIXED
    body = rows[1:].copy()
    body[:, [to.PARENT, to.NODE]] += 1
    rows = np.vstack((*joints, last, body))
    return rows, pose_screws(rows), root


def _row(parent: int, node: int, value: int) -> Array:
    row = np.zeros(to.WIDTH)
    row[to.KIND] = k.FIXED
    row[[to.PARENT, to.NODE, to.VALUE]] = parent, node, value
    return row
