"""Rotations of spherical joints, which files say as turns about one axis after another.

With the joint's axes as x, y, z a rotation is ``Rx(a) Ry(b) Rz(c)``, which is the
transpose of ``Rz(-c) Ry(-b) Rx(-a)``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave.spatial import (
    matrix_from_axis_angle,
    matrix_from_rpy,
    rotation_vector,
    rpy_from_matrix,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


def turns_of(vector: Sequence[float]) -> list[float]:
    """Return turns (3,), radians, of a rotation vector (3,)."""
    if not any(vector):
        return list(vector)
    turns: list[float] = (-rpy_from_matrix(matrix_from_axis_angle(vector).T)).tolist()
    return turns


def vector_of(turns: Sequence[float]) -> list[float]:
    """Return the rotation vector (3,), radians, half a turn at most, of turns (3,)."""
    opposite = [-angle for angle in turns]
    vector: list[float] = rotation_vector(matrix_from_rpy(opposite).T).tolist()
    return vector
