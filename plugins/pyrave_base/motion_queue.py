"""RobWork's controller of serial devices: motions one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError, StateError
from pyrave.spatial import Array, as_number, as_vector
from pyrave.world.body_state import StateParts
from pyrave_base.device_controllers import DeviceController, DeviceSettings
from pyrave_base.gains import Gain, joint_gain

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave import Environment
    from pyrave.bodies.manipulator import Manipulator
    from pyrave.bodies.robot import Robot

_PEAK = 1.5
"""Largest rate of a cubic from rest to rest, by its mean."""
_LINE_STEPS = 100


@dataclass(frozen=True, slots=True, eq=False)
class _Move:
    """A motion from rest to rest: (k, n) values at equal parts of the way."""

    points: Array
    duration: float

    def at(self, time: float) -> tuple[Array, Array]:
        """Return values and rates (n,) at a time."""
        part = min(time / self.duration, 1.0) if self.duration > 0.0 else 1.0
        last = len(self.points) - 1
        way = last * part * part * (3.0 - 2.0 * part)
        first = min(int(way), last - 1)
        step = self.points[first + 1] - self.points[first]
        rates = np.zeros(len(step))
        if 0.0 < part < 1.0:
            rates = step * last * 6.0 * part * (1.0 - part) / self.duration
        return self.points[first] + (way - first) * step, rates


@dataclass(frozen=True)
class QueueSettings(DeviceSettings):
    """Settings of `SerialDeviceController`."""

    kp: Gain = joint_gain(20.0, "rate of an error", "1/s")


class SerialDeviceController(DeviceController):
    """Execute motions one after the other, as RobWork's controller of this name.

    `move` goes to joint values, `move_line` takes the tool along a straight line; each
    motion is a cubic in time, from rest to rest, as fast as the velocity limits and a
    speed in percent allow. `set_desired` and `set_path` drop the queue first; joints
    that a path leaves out go to where the queue ends. Joints are driven as by a
    `PDDeviceController`; RobWork's hybrid commands, which push, are
    ``OperationalSpaceController.set_wrench``.
    """

    contract = 2
    settings_type = QueueSettings

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._queue: list[_Move] = []
        self._clock = 0.0

    @property
    def n_waiting(self) -> int:
        """Number of motions that are not executed to their end."""
        return len(self._queue)

    def _forget(self) -> None:
        super()._forget()
        self._queue, self._clock = [], 0.0

    def set_desired(
        self, values: ArrayLike, transform: ArrayLike | None = None
    ) -> bool:
        """Drop all motions and go to joint values; see `move`."""
        super().set_desired(values, transform)
        goal = self._goal
        self._goal = None
        assert goal is not None  # noqa: S101 - it was set just now
        self.move(goal)
        return True

    def move(self, values: ArrayLike, speed: float = 100.0) -> None:
        """Go to joint values after the motions before.

        Parameters
        ----------
        values
            (n,) in the order of `get_control_dof_indices`, radians or metres.
        speed
            Percent of the velocity limits.

        Raises
        ------
        ArgumentError
            A wrong number of values, or a speed that is not above 0 and up to 100.
        StateError
            There is no robot.
        """
        robot = self.require_robot()
        goal = as_vector(values, len(self._indices), "values of a motion")
        start = self._end(robot)
        way = robot.subtract_dof_values(goal, start, self._indices)
        self._add(robot, np.stack((start, start + way)), speed)

    def move_line(
        self,
        pose: ArrayLike,
        speed: float = 100.0,
        manipulator: Manipulator | str | None = None,
    ) -> None:
        """Take the tool along a straight line after the motions before.

        Parameters
        ----------
        pose
            (4, 4) or 7-vector T_world_tool.
        speed
            Percent of the velocity limits.
        manipulator
            Whose tool; None is the robot's active one. It needs an inverse kinematics
            solver, and its joints must be those of the controller.

        Raises
        ------
        ArgumentError
            The manipulator has other joints, or a speed that is none.
        StateError
            There is no robot or manipulator, or no joint path along the line.
        """
        robot = self.require_robot()
        arm = self._arm(robot, manipulator)
        columns = [self._indices.tolist().index(int(i)) for i in arm.arm_indices]
        start = self._end(robot)
        with robot.preserve_state(StateParts.PLANNED):
            robot.set_dof_values(start, self._indices)
            path = arm.straight_line(pose, _LINE_STEPS)
        if not path:
            raise StateError(f"{self!r} finds no way along the line: {path.cause}")
        points = np.repeat(start[None], len(path), axis=0)
        points[:, columns] = path.values
        self._add(robot, points, speed)

    def _kept(self, robot: Robot) -> Array:
        return self._end(robot) if self._queue else super()._kept(robot)

    def _arm(self, robot: Robot, manipulator: Manipulator | str | None) -> Manipulator:
        arm = robot.active_manipulator if manipulator is None else manipulator
        if isinstance(arm, str):
            arm = robot.manipulators[arm]
        if not np.isin(arm.arm_indices, self._indices).all():
            raise ArgumentError(
                f"{arm!r} has the degrees of freedom {arm.arm_indices.tolist()}, the "
                f"controller {self._indices.tolist()}"
            )
        return arm

    def _end(self, robot: Robot) -> Array:
        """Return (n,) values after all motions."""
        if self._queue:
            return np.asarray(self._queue[-1].points[-1])
        return np.asarray(robot.dof_values[self._indices])

    def _add(self, robot: Robot, points: Array, speed: float) -> None:
        as_number(speed, "speed", 1e-3, 100.0)
        limits = robot.dof_velocity_limits[self._indices] * (0.01 * speed)
        steps = np.abs(np.diff(points, axis=0)).max(axis=0) * (len(points) - 1)
        slow = (steps > 0.0) & (limits <= 0.0)
        if slow.any():
            joint = robot.structure.joint_of_dof(int(self._indices[np.argmax(slow)]))
            raise ArgumentError(f"{joint!r} has the velocity limit 0 and cannot move")
        moving = steps > 0.0
        times = _PEAK * steps[moving] / limits[moving]
        self._goal = self._path = None
        self._queue.append(_Move(points, float(times.max(initial=0.0))))
        self._commanded, self._standing = True, 0.0

    def rates(self, robot: Robot, dt: float) -> Array:
        """Return (n,) velocities for a step."""
        error, wanted = self.aim(robot, dt)
        if self._queue:
            goal, wanted = self._next(dt)
            dofs = self._indices
            error = robot.subtract_dof_values(goal, robot.dof_values[dofs], dofs)
        kp = self.gain("kp")
        return (kp * error + wanted) / (1.0 + dt * kp)

    def _next(self, dt: float) -> tuple[Array, Array]:
        """Return values and rates (n,) of the queue `dt` seconds later, and go on."""
        self._clock += dt
        while self._clock >= self._queue[0].duration and len(self._queue) > 1:
            self._clock -= self._queue.pop(0).duration
        goal, rates = self._queue[0].at(self._clock)
        if self._clock >= self._queue[0].duration:
            self._queue.pop()
            self._goal, self._clock = goal, 0.0
        return goal, rates

    def is_done(self) -> bool:
        """Return True when all motions are over and the joints stand."""
        return not self._queue and super().is_done()

    def get_own_state(self) -> Any:
        """Return the state of a device controller, and the queue."""
        return super().get_own_state(), tuple(self._queue), self._clock

    def set_own_state(self, state: Any) -> None:
        """Go on where `get_own_state` of a twin was."""
        known, queue, self._clock = state
        super().set_own_state(known)
        self._queue = list(queue)
