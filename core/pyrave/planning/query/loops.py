"""Robots with closed loops at configurations of their independent joints."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.kinematics.limits import LimitCheck

if TYPE_CHECKING:
    from pyrave.bodies.robot import Robot
    from pyrave.spatial import Array

_APART = 2.0
"""Steps of path checks between configurations that are remembered."""
_MOST = 4096


class ClosedLoops:
    """Takes a robot to configurations in which passive joints keep its loops closed.

    The same independent values may close a loop in several ways, and passive joints
    move on from where they are. So each configuration is gone to from the nearest one
    that is known, which leads back to where the robot was in small steps: the mechanism
    stays assembled as it is.

    Parameters
    ----------
    robot
        Where it is now, its loops are closed.
    steps
        (n,) steps of path checks of the active degrees of freedom.
    """

    def __init__(self, robot: Robot, steps: Array) -> None:
        self._robot = robot
        self._steps = steps
        self._rows = np.empty((_MOST, len(steps)))
        self._states: list[tuple[Array, Array | None]] = []
        self._remember(robot.active.values)

    def _remember(self, values: Array) -> None:
        if len(self._states) < _MOST:
            self._rows[len(self._states)] = values
            state = self._robot.basic_state()
            self._states.append((state.dof_values, state.passive_values))

    def _go_back(self, known: tuple[Array, Array | None]) -> None:
        state = self._robot.basic_state()
        self._robot.set_state(
            replace(
                state,
                dof_values=known[0],
                passive_values=known[1],
                link_transforms=None,
            )
        )

    def placed(self, values: Array) -> bool:
        """Take the robot there; False, and it stays, if the loops do not close."""
        robot = self._robot
        before = robot.basic_state()
        rows = self._rows[: len(self._states)]
        away = np.abs((rows - values) / self._steps).max(axis=1)
        nearest = int(np.argmin(away))
        self._go_back(self._states[nearest])
        try:
            robot.active.set_values(values, LimitCheck.NONE)
        except ArgumentError:
            robot.set_state(before)
            return False
        if away[nearest] > _APART:
            self._remember(values)
        return True
