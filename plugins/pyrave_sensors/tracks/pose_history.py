"""Poses of a sensor during a measurement."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from pyrave.spatial import Array, invert_pose, rotation_vector, skew
from pyrave_sensors.tracks.history import History

MOST_POSES = 4096
"""Largest number of poses that are kept."""
_SMALL_ANGLE = 1e-6


class PoseHistory(History[Array]):
    """Poses at recent times; between two of them the motion is a screw.

    A screw is what a body does whose velocity, seen from itself, is constant: exact
    for a sensor on a link that turns evenly, and for one that moves straight. Before
    the first pose and after the last there is no motion.

    Parameters
    ----------
    items
        (time in microseconds, (4, 4) T_world_sensor), times increasing.
    """

    def __init__(self, items: Iterable[tuple[int, Array]] = ()) -> None:
        super().__init__(items, most=MOST_POSES)

    def moved_since(self, time: float) -> bool:
        """Return True unless there is one pose from `time` (microseconds) on."""
        items = self._items
        last = items[-1][1]
        return any(
            (items[i][1] != last).any()
            for i in range(len(items) - 1)
            if items[i + 1][0] > time
        )

    def at(self, times: Array) -> tuple[Array, Array]:
        """Return rotations (n, 3, 3), positions (n, 3) at times (n,), microseconds."""
        n = len(times)
        axes = np.broadcast_to(np.eye(3), (n, 3, 3)).reshape(-1, 3)
        columns, positions = self.place(np.repeat(times, 3), axes)
        return columns.reshape(n, 3, 3).transpose(0, 2, 1), positions[::3]

    def place(
        self, times: Array, directions: Array, points: Array | None = None
    ) -> tuple[Array, Array]:
        """Return directions and points of the sensor in the world at n times.

        Parameters
        ----------
        times
            (n,) microseconds.
        directions
            (n, 3), the sensor's frame.
        points
            (n, 3), the sensor's frame, metres; None: its origin.

        Returns
        -------
        tuple of ndarray
            Directions (n, 3) and points (n, 3), world.
        """
        items = self._items
        stamps = np.array([item[0] for item in items], np.float64)
        order = np.argsort(times, kind="stable")
        ends = np.searchsorted(times[order], stamps, side="left")
        bounds = [0, *ends.tolist(), len(times)]
        turned, moved = np.empty_like(directions), np.empty_like(directions)
        for k in range(-1, len(items)):
            rays = order[bounds[k + 1] : bounds[k + 2]]
            if not len(rays):
                continue
            start = items[max(k, 0)][1]
            local = directions[rays]
            offset = np.zeros((1, 3)) if points is None else points[rays]
            if 0 <= k < len(items) - 1:
                screw = _Screw.from_motion(invert_pose(start) @ items[k + 1][1])
                part = (times[rays] - stamps[k]) / (stamps[k + 1] - stamps[k])
                local = screw.turn(part, local)
                offset = screw.shift(part) + (
                    offset if points is None else screw.turn(part, offset)
                )
            turned[rays] = local @ start[:3, :3].T
            moved[rays] = offset @ start[:3, :3].T + start[:3, 3]
        return turned, moved


@dataclass(frozen=True, slots=True, eq=False)
class _Screw:
    """The powers of a motion, exp(s log T), by Rodrigues' formula on se(3).

    R. M. Murray, Z. Li, S. S. Sastry: A Mathematical Introduction to Robotic
    Manipulation, 1994, eq. 2.14 and 2.36.

    Parameters
    ----------
    angle
        Of the whole motion, radians.
    axis
        (3, 3) cross product with the unit axis.
    twist
        (3,) linear part of the unit twist: metres a radian; of a motion that does not
        turn the whole shift, metres.
    """

    angle: float
    axis: Array
    twist: Array

    @classmethod
    def from_motion(cls, motion: Array) -> _Screw:
        omega = rotation_vector(motion[:3, :3])
        angle = float(np.sqrt(omega @ omega))
        shift = motion[:3, 3]
        if angle < _SMALL_ANGLE:
            return cls(0.0, skew(omega), shift)
        axis = skew(omega / angle)
        whole = (
            angle * np.eye(3)
            + (1.0 - math.cos(angle)) * axis
            + (angle - math.sin(angle)) * axis @ axis
        )
        return cls(angle, axis, np.asarray(np.linalg.solve(whole, shift), np.float64))

    def turn(self, part: Array, vectors: Array) -> Array:
        """Return vectors (n, 3) turned by parts (n,) of the motion."""
        across = vectors @ self.axis.T
        if self.angle == 0:
            # to first order: a turn this small moves nothing by more than 1e-12 of it
            return np.asarray(vectors + part[:, None] * across)
        theta = (part * self.angle)[:, None]
        return np.asarray(
            vectors
            + np.sin(theta) * across
            + (1.0 - np.cos(theta)) * (across @ self.axis.T)
        )

    def shift(self, part: Array) -> Array:
        """Return positions of the origin after parts (n,) of the motion, (n, 3)."""
        if self.angle == 0:
            return part[:, None] * self.twist
        theta = (part * self.angle)[:, None]
        across = self.axis @ self.twist
        return np.asarray(
            theta * self.twist
            + (1.0 - np.cos(theta)) * across
            + (theta - np.sin(theta)) * (self.axis @ across)
        )
