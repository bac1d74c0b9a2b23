"""Residuals of poses with respect to goals of every kind, metres and radians."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import NotSupportedError
from pyrave.ik.parameterization import IkParameterizationType as Kind
from pyrave.spatial import Array, quat_from_matrix

if TYPE_CHECKING:
    from pyrave.ik.parameterization import IkParameterization

_NO_SHADOW = 1e-6
"""Length of the shadow of a unit direction below which it has no angle."""


def residuals(
    goal: IkParameterization, poses: Array, direction: Array
) -> tuple[Array, Array]:
    """Return the distance (k,) and the angle (k,) between tools and a goal.

    Parameters
    ----------
    goal
        In the frame of the poses.
    poses
        (k, 4, 4) of the tool.
    direction
        (3,) the tool's direction in the tool frame.

    Raises
    ------
    NotSupportedError
        The goal is a velocity.
    """
    return residuals_of(goal.type, goal.array[None], poses, direction)


def residuals_of(
    kind: Kind, goals: Array, poses: Array, direction: Array
) -> tuple[Array, Array]:
    """Return the distances (k,) and angles (k,) between tools and goals of one kind.

    What a goal leaves free does not count. This is written from the definitions of the
    goals alone and knows nothing of how they are solved.

    Parameters
    ----------
    goals
        (k, n_values) as goals store them, in the frame of the poses; one row for all
        poses, or one for each.
    poses
        (k, 4, 4) of the tool.
    direction
        (3,) the tool's direction in the tool frame.

    Raises
    ------
    NotSupportedError
        The goals are velocities.
    """
    if kind.is_velocity:
        raise NotSupportedError(f"no pose meets {kind.name}, which is a velocity")
    v = goals
    rotation, position = poses[:, :3, :3], poses[:, :3, 3]
    pointing = rotation @ direction
    none = np.zeros(len(poses))
    name = kind.name
    if name.endswith(("AxisAngle4D", "Norm4D")):
        return _norms(position - v[:, 1:]), _off_axis(name, v[:, 0], pointing)
    match kind:
        case Kind.Transform6D:
            return _norms(position - v[:, 4:]), _turns(rotation, v[:, :4])
        case Kind.Rotation3D:
            return none, _turns(rotation, v)
        case Kind.Translation3D:
            return _norms(position - v), none
        case Kind.TranslationLocalGlobal6D:
            point = np.einsum("kij,kj->ki", rotation, _each(v[:, :3], len(poses)))
            return _norms(point + position - v[:, 3:]), none
        case Kind.Direction3D:
            return none, _between(pointing, v)
        case Kind.TranslationDirection5D:
            return _norms(position - v[:, 3:]), _between(pointing, v[:, :3])
        case Kind.Ray4D:
            away = _norms(np.cross(position - v[:, 3:], v[:, :3]))
            return away, _between(pointing, v[:, :3])
        case Kind.Lookat3D:
            there = v - position
            ahead = np.sum(there * pointing, axis=1) >= 0.0
            away = _norms(np.cross(there, pointing))
            return np.where(ahead, away, _norms(there)), none
        case Kind.TranslationXY2D:
            return _norms(position[:, :2] - v), none
        case Kind.TranslationXYOrientation3D:
            quats = np.array([quat_from_matrix(one) for one in rotation])
            turn = 2.0 * np.arctan2(quats.reshape(-1, 4)[:, 3], quats[..., 0].ravel())
            return _norms(position[:, :2] - v[:, :2]), _wrapped(turn - v[:, 2])
        case _:
            raise NotSupportedError(f"{name} is not a task of one arm")


def _each(rows: Array, count: int) -> Array:
    """Return one row for each of so many poses."""
    return np.broadcast_to(rows, (count, rows.shape[1]))


def _norms(vectors: Array) -> Array:
    return np.asarray(np.linalg.norm(vectors, axis=1))


def _turns(rotation: Array, quats: Array) -> Array:
    """Return the angles (k,) between rotations and others; exact for small angles."""
    off = rotation @ _rotations(quats).transpose(0, 2, 1)
    skew = np.stack(
        [
            off[:, 2, 1] - off[:, 1, 2],
            off[:, 0, 2] - off[:, 2, 0],
            off[:, 1, 0] - off[:, 0, 1],
        ],
        axis=1,
    )
    return np.asarray(np.arctan2(_norms(skew), np.trace(off, axis1=1, axis2=2) - 1.0))


def _rotations(quats: Array) -> Array:
    """Return the (k, 3, 3) rotations of unit quaternions w x y z."""
    w, x, y, z = quats.T / _norms(quats)
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    return np.moveaxis(np.array(rows), 2, 0)


def _between(directions: Array, wanted: Array) -> Array:
    sine = _norms(np.cross(directions, wanted))
    return np.asarray(np.arctan2(sine, np.sum(directions * wanted, axis=1)))


def _off_axis(name: str, angle: Array, pointing: Array) -> Array:
    axis = "XYZ".index(name[len("Translation")])
    along, across = pointing[:, axis], pointing[:, (axis + 1) % 3]
    if name.endswith("Norm4D"):
        # that of the direction's shadow, which there is none of along the normal
        turn = _wrapped(np.arctan2(across, along) - angle)
        return np.where(np.hypot(across, along) > _NO_SHADOW, turn, np.pi)
    other = np.hypot(across, pointing[:, (axis + 2) % 3])
    return np.asarray(np.abs(np.arctan2(other, along) - angle))


def _wrapped(angle: Array) -> Array:
    return np.abs((angle + np.pi) % (2.0 * np.pi) - np.pi)
