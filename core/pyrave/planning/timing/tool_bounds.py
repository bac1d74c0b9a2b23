"""Limits of a tool's speed and acceleration along a path of joints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.planning.timing.bounded_paths import MARGIN
from pyrave.spatial import as_number

if TYPE_CHECKING:
    from pyrave.bodies.manipulator import Manipulator
    from pyrave.planning.timing.bounded_paths import Grid
    from pyrave.planning.timing.timed_path import TimedPath
    from pyrave.spatial import Array, Indices

_STEP = 1e-4


class ToolBounds:
    """Bounds of the speed and acceleration of a tool's origin in the world.

    Parameters
    ----------
    which
        (k,) degrees of freedom that move.
    speed, acceleration
        m/s and m/s2; None is no limit.
    """

    def __init__(
        self,
        tool: Manipulator,
        which: Indices,
        speed: float | None,
        acceleration: float | None,
    ) -> None:
        if speed is None and acceleration is None:
            raise ArgumentError("a tool needs tool_speed or tool_acceleration")
        self._tool, self._which = tool, which
        self._still = tool.robot.dof_values
        self._speed = _limit(speed, "tool_speed")
        self._acceleration = _limit(acceleration, "tool_acceleration")

    def _places(self, values: Array) -> Array:
        """Return places (n, 3) of the tool."""
        rows = np.tile(self._still, (len(values), 1))
        rows[:, self._which] = values
        link = self._tool.end_effector.index
        poses = self._tool.robot.compute_link_transforms(rows)[:, link]
        return np.asarray((poses @ self._tool.local_tool_transform[:, 3])[:, :3])

    def _derivatives(
        self, values: Array, first: Array, second: Array
    ) -> tuple[Array, Array]:
        """Return derivatives (n, 3) of places along a curve with these derivatives."""
        size = np.maximum(np.abs(first).max(axis=1, keepdims=True), 1e-9)
        step = _STEP / size
        bend = 0.5 * step**2 * second
        before, here, after = (
            self._places(values + way * step * first + bend * way**2)
            for way in (-1.0, 0.0, 1.0)
        )
        return (after - before) / (2.0 * step), (after - 2.0 * here + before) / step**2

    def sides(self, grid: Grid) -> Array:
        """Return a bound of speed at both ends of steps, and six of accelerations."""
        n = len(grid.steps)
        half = 0.5 / grid.steps[:, None]
        found = np.zeros((n, 2, 7, 2))
        for end in range(2):
            rate, change = self._derivatives(
                grid.points[end : n + end],
                grid.tangents[:, end],
                grid.curvatures[:, end],
            )
            square = (rate**2).sum(axis=1)
            found[:, end, 0, end] = square / self._speed**2
            # along the way of the tool, and across it
            across = np.linalg.svd(rate[:, None], full_matrices=True)[2]
            pull = half * np.einsum("nij,nj->ni", across, rate) / self._acceleration
            bend = np.einsum("nij,nj->ni", across, change) / self._acceleration
            p, r = (bend - pull, pull) if end == 0 else (-pull, bend + pull)
            found[:, end, 1:4, 0], found[:, end, 1:4, 1] = p, r
            found[:, end, 4:, 0], found[:, end, 4:, 1] = -p, -r
        return found.reshape(n, 14, 2)

    def parts(self, times: Array, timed: TimedPath) -> Array:
        """Return squares of speeds and accelerations in parts of their limits."""
        places, rates, changes = timed.at(times)
        rate, change = self._derivatives(places, rates, changes)
        fast = (rate**2).sum(axis=1) / self._speed**2
        hard = np.linalg.norm(change, axis=1) / self._acceleration
        return np.asarray(np.maximum(fast, hard))


def _limit(value: float | None, name: str) -> float:
    if value is None:
        return 1e9
    return (1.0 - MARGIN) * as_number(value, name, 1e-9)
