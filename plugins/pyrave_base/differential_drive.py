"""A controller of robots that drive on two wheels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.interfaces.settings.declarations import setting
from pyrave.spatial import Array, IndicesLike
from pyrave_base.velocity_controller import IdealVelocityController

if TYPE_CHECKING:
    from pyrave import Environment
    from pyrave.bodies.robot import Robot

_WHEELS = 2


@dataclass(frozen=True)
class DriveSettings:
    """Settings of `DifferentialDrive`."""

    width: float = setting(
        0.0, "distance of the wheels; 0 is that of their axes", unit="m", least=0.0
    )
    radius: float = setting(
        1.0,
        "of the wheels; with 1 they turn by the metres that they go, as RobWork counts",
        unit="m",
        above=0.0,
    )


class DifferentialDrive(IdealVelocityController):
    """Turn two wheels with the velocities of `set_desired`, and drive the base.

    The first two degrees of freedom are the left and the right wheel; others just move.
    The base moves in its own xy plane, ahead along x, the left wheel at +y: along an
    arc while both velocities hold, without slip (Lynch & Park, Modern Robotics, 13.3).
    Wheels keep to their limits. A base that is not controlled stays.
    """

    contract = 2
    settings_type = DriveSettings
    word_settings = ("width", "radius")

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._width = self.settings.width

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
        self._width = self._distance(robot)

    def settings_changed(self, before: DriveSettings) -> None:
        """Drive on with other wheels, or another distance of them."""
        robot = self.get_robot()
        if robot is not None and self._control_transform:
            self._width = self._distance(robot)

    def _distance(self, robot: Robot) -> float:
        """Return the distance of the wheels, metres, not 0."""
        if self.settings.width:
            return float(self.settings.width)
        ends = [
            robot.structure.joint_of_dof(int(i)).anchor for i in self._indices[:_WHEELS]
        ]
        width = float(np.linalg.norm(ends[0] - ends[1]))
        if not width > 0.0:
            raise ArgumentError(
                f"the wheels of {robot.name!r} are in one place; give their distance: "
                "'DifferentialDrive 0.5'"
            )
        return width

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
        left, right = (self.settings.radius * turned).tolist()
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
        left, right = (self.settings.radius * robot.dof_velocities[self._indices])[
            :_WHEELS
        ]
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
