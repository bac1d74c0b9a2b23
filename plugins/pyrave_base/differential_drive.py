"""A controller of robots that drive on two wheels."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.spatial import Array, IndicesLike
from pyrave_base.velocity_controller import IdealVelocityController

if TYPE_CHECKING:
    from pyrave.bodies.robot import Robot
    from pyrave.interfaces.environment import EnvironmentProtocol

_WHEELS = 2


class DifferentialDrive(IdealVelocityController):
    """Turn two wheels with the velocities of `set_desired`, and drive the base.

    The first two degrees of freedom are the left and the right wheel; others just move.
    The base moves in its own xy plane, ahead along x, the left wheel at +y: along an
    arc while both velocities hold, without slip (Lynch & Park, Modern Robotics, 13.3).
    Wheels keep to their limits. A base that is not controlled stays.

    Parameters
    ----------
    args
        Distance of the wheels, metres; without it that of their axes. Their radius,
        metres; 1 without it, as RobWork counts: wheels turn by the metres that they go.

    Raises
    ------
    ArgumentError
        Other arguments.
    """

    contract = 2

    def __init__(self, env: EnvironmentProtocol, *args: str) -> None:
        super().__init__(env, *args)
        try:
            numbers = [float(word) for word in args]
        except ValueError:
            numbers = [math.nan]
        if len(args) > _WHEELS or not all(
            0.0 < number < math.inf for number in numbers
        ):
            raise ArgumentError(
                f"DifferentialDrive has the arguments {' '.join(args)!r}, expected the "
                "distance of the wheels and their radius, metres, or less"
            )
        self._width = numbers[0] if numbers else 0.0
        self._radius = numbers[1] if len(numbers) > 1 else 1.0
        self._known_width = bool(numbers)

    def init(
        self, robot: Robot, dof_indices: IndicesLike, control_transform: bool
    ) -> None:
        """Take over wheels of a robot, at rest, and its base if that is controlled.

        Raises
        ------
        ArgumentError
            The base is controlled, and there are not two wheels apart from each other.
        """
        super().init(robot, dof_indices, control_transform)
        if not control_transform:
            return
        if len(self._indices) < _WHEELS:
            raise ArgumentError(
                f"DifferentialDrive needs a left and a right wheel, it got the degrees "
                f"of freedom {self._indices.tolist()} of robot {robot.name!r}"
            )
        if not self._known_width:
            ends = [robot.joint_of_dof(int(i)).anchor for i in self._indices[:_WHEELS]]
            self._width = float(np.linalg.norm(ends[0] - ends[1]))
        if not self._width > 0.0:
            raise ArgumentError(
                f"the wheels of {robot.name!r} are in one place; give their distance: "
                "'DifferentialDrive 0.5'"
            )

    def simulation_step(self, dt: float) -> None:
        """Turn the wheels on by `dt` seconds, and move the base along an arc."""
        robot = self.get_robot()
        if robot is None or not self._control_transform:
            super().simulation_step(dt)
            return
        before, was_moving = robot.dof_values, self._moving
        super().simulation_step(dt)
        if not was_moving:
            return
        wheels = self._indices[:_WHEELS]
        turned = robot.subtract_dof_values(robot.dof_values, before)[wheels]
        left, right = (self._radius * turned).tolist()
        robot.transform = robot.transform @ arc(
            0.5 * (left + right), (right - left) / self._width
        )
        self._set_base_velocity(robot)

    def _stop(self) -> None:
        super()._stop()
        robot = self.get_robot()
        if robot is not None and self._control_transform:
            self._set_base_velocity(robot)

    def _set_base_velocity(self, robot: Robot) -> None:
        left, right = (self._radius * robot.dof_velocities[self._indices])[:_WHEELS]
        axes, twist = robot.transform[:3, :3], np.zeros(6)
        twist[:3] = 0.5 * (left + right) * axes[:, 0]
        twist[3:] = (right - left) / self._width * axes[:, 2]
        robot.base_velocity = twist


def arc(length: float, angle: float) -> Array:
    """Return the pose (4, 4) at the end of an arc that begins ahead along x."""
    # the chord is shorter than the arc by sin(a/2) / (a/2)
    half = 0.5 * angle
    chord = length * float(np.sinc(half / math.pi))
    c, s = math.cos(angle), math.sin(angle)
    pose = np.eye(4)
    pose[:2, :2] = (c, -s), (s, c)
    pose[:2, 3] = chord * math.cos(half), chord * math.sin(half)
    return pose
