"""The robot KeptRobot."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyrave import Environment
from pyrave.bodies import Robot
from pyrave.interfaces import command


class KeptRobot(Robot):
    """Adds up how far each joint travelled while the simulation ran."""

    contract = 2

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._travel = np.zeros(self.dof)
        self._last = self.dof_values

    def simulation_step(self, dt: float) -> None:
        """Advance by `dt` seconds; subclasses override it."""
        super().simulation_step(dt)
        now = self.dof_values
        if self._travel.size == now.size:
            self._travel += np.abs(self.subtract_dof_values(now, self._last))
        else:
            # the first step after the description gave the robot its joints
            self._travel = np.zeros(now.size)
        self._last = now

    def get_own_state(self) -> Any:
        """Return the part that this class adds to the state of the object.

        Plain data that pickles: numbers, texts, arrays, lists, dataclasses. The caller
        copies it, so it may be what the object itself goes on with.
        """
        return self._travel, self._last

    def set_own_state(self, state: Any) -> None:
        """Take over what `get_own_state` of it or a copy returned, copied."""
        self._travel, self._last = state

    @command
    def travel(self) -> list[float]:
        """Return the distance that each joint travelled, radians or metres."""
        return [float(value) for value in self._travel]
