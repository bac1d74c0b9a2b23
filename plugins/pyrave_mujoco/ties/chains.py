"""Joints one after another through a common point: the motions that a tie leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from pyrave.spatial import (
    Array,
    matrix_from_axis_angle,
    matrix_from_quat,
    quat_from_matrix,
    rotation_vector,
)

ChainKind = Literal["slide", "hinge", "ball"]
_ROUNDS, _CLOSE = 30, 1e-14


@dataclass(frozen=True, slots=True, eq=False)
class PoseJointChain:
    """Several joints of one body as MuJoCo moves them, with coordinates of poses.

    Coordinates are as in `qpos` (a ball has a quaternion, the identity at zero), rates
    as in `qvel` (a ball has its angular velocity in the last frame).

    Parameters
    ----------
    kinds
        Of the joints in their order; only slides may be before a ball, nothing after.
    axes
        (n, 3) unit directions in the frame that the joints before have moved; those of
        slides before a ball are orthogonal. A ball's has no meaning.
    """

    kinds: tuple[ChainKind, ...]
    axes: Array

    @property
    def has_ball(self) -> bool:
        """True if the last joint is a ball."""
        return self.kinds[-1] == "ball"

    @property
    def zero(self) -> Array:
        """Coordinates of the identity."""
        zero = np.zeros(len(self.kinds) + 3 * self.has_ball)
        if self.has_ball:
            zero[-4] = 1.0
        return zero

    def pose(self, q: Array) -> Array:
        """Return the (4, 4) pose of the last frame in the first."""
        pose = np.eye(4)
        for k, (kind, axis) in enumerate(zip(self.kinds, self.axes, strict=True)):
            if kind == "slide":
                pose[:3, 3] += pose[:3, :3] @ axis * q[k]
            elif kind == "hinge":
                pose[:3, :3] = pose[:3, :3] @ matrix_from_axis_angle(axis, q[k])
            else:
                pose[:3, :3] = matrix_from_quat(q[k : k + 4])
        return pose

    def jacobian(self, q: Array) -> Array:
        """Return the matrix from rates to the twist of the last frame, in the first.

        Returns
        -------
        (6, n) float64
            Velocity of the origin, then angular velocity.
        """
        end, now = self.pose(q), np.eye(4)
        columns = []
        for k, (kind, axis) in enumerate(zip(self.kinds, self.axes, strict=True)):
            way = now[:3, :3] @ axis
            if kind == "slide":
                columns.append((*way, 0.0, 0.0, 0.0))
                now[:3, 3] += way * q[k]
            elif kind == "hinge":
                columns.append((*np.cross(way, end[:3, 3] - now[:3, 3]), *way))
                now[:3, :3] = now[:3, :3] @ matrix_from_axis_angle(axis, q[k])
            else:
                columns += [(0.0, 0.0, 0.0, *turn) for turn in end[:3, :3].T]
        return np.array(columns).T

    def coordinates(self, pose: Array, near: Array) -> Array:
        """Return the coordinates whose pose is the nearest to one.

        Parameters
        ----------
        near
            Coordinates from which Gauss and Newton's method starts: angles come out
            less than a turn from these.
        """
        if self.has_ball:
            shift = self.axes[:-1] @ pose[:3, 3]
            return np.concatenate((shift, quat_from_matrix(pose[:3, :3])))
        q = near.copy()
        for _ in range(_ROUNDS):
            now = self.pose(q)
            turn = rotation_vector(pose[:3, :3] @ now[:3, :3].T)
            error = np.concatenate((pose[:3, 3] - now[:3, 3], turn))
            change = np.linalg.lstsq(self.jacobian(q), error, rcond=None)[0]
            q += change
            if np.abs(change).max() < _CLOSE:
                break
        return q

    def rates(self, q: Array, twist: Array) -> Array:
        """Return the rates whose twist (6,), in the first frame, is nearest to one."""
        return np.asarray(np.linalg.lstsq(self.jacobian(q), twist, rcond=None)[0])
