"""Where a scanner was while it scanned."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

import numpy as np

from pyrave.spatial import Array, invert_pose, rotation_vector, skew

__all__ = ["PoseHistory"]

_MOST_POSES = 4096
_SMALL_ANGLE = 1e-6


class PoseHistory:
    """Poses at recent times; between two of them the motion is a screw.

    A screw is what a body does whose velocity, seen from itself, is constant: exact
    for a scanner on a link that turns evenly, and for one that moves straight. Before
    the first pose and after the last there is no motion.

    Parameters
    ----------
    items
        (time in microseconds, (4, 4) T_world_sensor), times increasing.
    """

    def __init__(self, items: Iterable[tuple[int, Array]] = ()) -> None:
        self._items: deque[tuple[int, Array]] = deque(items, maxlen=_MOST_POSES)

    @property
    def items(self) -> tuple[tuple[int, Array], ...]:
        """All poses, from the oldest."""
        return tuple(self._items)

    def clear(self) -> None:
        """Forget all poses."""
        self._items.clear()

    def record(self, time: int, pose: Array, duration: float) -> None:
        """Note a pose; those that end more than `duration` seconds before are dropped.

        A pose at the time of the last one replaces it; going back in time starts anew.
        """
        items = self._items
        if items and items[-1][0] > time:
            items.clear()
        if items and items[-1][0] == time:
            items.pop()
        items.append((time, pose.copy()))
        oldest = time - duration * 1e6
        while len(items) > 2 and items[1][0] <= oldest:
            items.popleft()

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
        items = self._items
        stamps = np.array([item[0] for item in items], np.float64)
        rotations = np.empty((len(times), 3, 3))
        positions = np.empty((len(times), 3))
        before = np.searchsorted(stamps, times, side="right") - 1
        for k in np.unique(before):
            rays = before == k
            start = items[max(k, 0)][1]
            if k < 0 or k == len(items) - 1:
                rotations[rays], positions[rays] = start[:3, :3], start[:3, 3]
                continue
            part = (times[rays] - stamps[k]) / (stamps[k + 1] - stamps[k])
            turn, shift = _screw(invert_pose(start) @ items[k + 1][1], part)
            rotations[rays] = start[:3, :3] @ turn
            positions[rays] = shift @ start[:3, :3].T + start[:3, 3]
        return rotations, positions


def _screw(motion: Array, part: Array) -> tuple[Array, Array]:
    """Return the powers of a motion: exp(s log T), by Rodrigues' formula on se(3).

    R. M. Murray, Z. Li, S. S. Sastry: A Mathematical Introduction to Robotic
    Manipulation, 1994, eq. 2.14 and 2.36.
    """
    omega = rotation_vector(motion[:3, :3])
    angle = float(np.sqrt(omega @ omega))
    eye = np.eye(3)
    if angle < _SMALL_ANGLE:
        # to first order: a turn this small moves nothing by more than 1e-12 of it
        turn = eye + part[:, None, None] * skew(omega)
        return turn, part[:, None] * motion[:3, 3]
    axis = skew(omega / angle)
    square = axis @ axis
    twist = np.linalg.solve(
        _translation(axis, square, np.array([angle]))[0], motion[:3, 3]
    )
    theta = part * angle
    turn = (
        eye
        + np.sin(theta)[:, None, None] * axis
        + (1.0 - np.cos(theta))[:, None, None] * square
    )
    return turn, _translation(axis, square, theta) @ twist


def _translation(axis: Array, square: Array, theta: Array) -> Array:
    angle = theta[:, None, None]
    return np.asarray(
        angle * np.eye(3)
        + (1.0 - np.cos(angle)) * axis
        + (angle - np.sin(angle)) * square
    )
