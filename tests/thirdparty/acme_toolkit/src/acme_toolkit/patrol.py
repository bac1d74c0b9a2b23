"""A module that sends a robot through configurations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from pyrave import CommandError, ModuleBase, command

if TYPE_CHECKING:
    from pyrave import Environment, Robot


class Patrol(ModuleBase):
    """Sends a robot from one way point to the next, again and again."""

    contract = 1

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._robot = ""
        self._points: list[list[float]] = []
        self._next = 0
        self._order: Literal["loop", "once"] = "loop"

    def main(self, args: str) -> int:
        """Start with the name of a robot, or without."""
        self._robot = args.strip()
        return 0 if not self._robot or self._robot in self.env.robots else 1

    @command(name="SetRobot")
    def set_robot(self, name: str) -> bool:
        """Choose the robot by name."""
        if name not in self.env.robots:
            return False
        self._robot = name
        return True

    @command(name="AddPoint")
    def add_point(self, values: list[float]) -> int:
        """Add joint values, radians or metres; returns how many points there are."""
        robot = self._find()
        if len(values) != robot.dof:
            raise CommandError(
                f"AddPoint got {len(values)} values, {robot.name!r} has {robot.dof}"
            )
        self._points.append(values)
        return len(self._points)

    @command(name="SetOrder")
    def set_order(self, order: Literal["loop", "once"]) -> bool:
        """Go round (loop) or stop at the last point (once)."""
        self._order = order
        return True

    @command(name="GetNext")
    def get_next(self) -> int:
        """Return the number of the next point, from 0."""
        return self._next

    def reset(self) -> None:
        """Begin at the first point."""
        self._next = 0

    def destroy(self) -> None:
        """Forget the points."""
        self._points = []

    def simulation_step(self, dt: float) -> bool:
        """Command the next point when the last is reached."""
        if self._next >= len(self._points) or self._robot not in self.env.robots:
            return False
        controller = self._find().controller
        if not controller.is_done():
            return False
        controller.set_desired(np.array(self._points[self._next]))
        self._next += 1
        if self._order == "loop":
            self._next %= len(self._points)
        return True

    def get_own_state(self) -> Any:
        """Return what a clone needs."""
        points = [list(point) for point in self._points]
        return self._robot, points, self._next, self._order

    def set_own_state(self, state: Any) -> None:
        """Go on where a twin was."""
        self._robot, points, self._next, self._order = state
        self._points = [list(point) for point in points]

    def _find(self) -> Robot:
        if self._robot not in self.env.robots:
            known = ", ".join(self.env.robots.names) or "none"
            raise CommandError(f"SetRobot first; robots: {known}")
        return self.env.robots[self._robot]
