"""RobWork's controllers of devices that give motors velocities."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pyrave.authoring import CommandedController
from pyrave.interfaces import settings_of
from pyrave.spatial import (
    Array,
    IndicesLike,
    as_pose,
    as_vector,
    matrix_from_axis_angle,
)
from pyrave_base.gains import Gain, joint_gain, of_joints, update_period
from pyrave_base.joint_drives import JointVelocityController
from pyrave_base.tool import Tool, bounded_rates, pose_error

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave import Environment
    from pyrave.authoring import PathFollower
    from pyrave.bodies.robot import Robot

_STANDING = 0.01
"""Slower than this a joint stands, rad/s or m/s."""
_SETTLED = 0.05
"""Time at rest after which a command counts as done, seconds."""
_JOINT_GAIN = 5.0
"""Gain of joints that a controller of poses moves by their own errors, 1/s."""


@dataclass(frozen=True)
class DeviceSettings:
    """Settings of controllers that give motors velocities."""

    period: Gain = update_period()


@dataclass(frozen=True)
class PDSettings(DeviceSettings):
    """Settings of `PDDeviceController`."""

    kp: Gain = joint_gain(5.0, "rate of an error", "1/s")
    kd: Gain = joint_gain(0.001, "damping of the error")


@dataclass(frozen=True)
class PoseSettings(DeviceSettings):
    """Settings of `PoseDeviceController`."""

    gain: Gain = joint_gain(0.8, "rate of the tool's error", "1/s")
    speed: Gain = joint_gain(1.5, "fastest of the tool", "m/s and rad/s")


class DeviceController(CommandedController, JointVelocityController):
    """Base of controllers that give the motors of joints velocities.

    They act from the first step on; without a command the joints are held where they
    are then. A command is done when its path is over and all joints stand. Joints that
    a path leaves out go on as they were told before. Trajectories that grab are
    refused.
    """

    settings_type: ClassVar[type] = DeviceSettings

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._commanded = False
        self._waited = self._standing = 0.0

    @abstractmethod
    def rates(self, robot: Robot, dt: float) -> Array:
        """Return (n,) velocities for a step of `dt` seconds; limits clip them."""

    def gain(self, name: str) -> Array:
        """Return (n,) values of a setting."""
        return of_joints(self.settings, name, len(self._indices), self.interface_id)

    def settings_changed(self, before: Any) -> None:
        """Check that there is one number, or one for each joint."""
        if self.get_robot() is not None:
            self._check_gains()

    def _check_gains(self) -> None:
        for name in settings_of(self.settings_type):
            self.gain(name)

    def aim(self, robot: Robot, dt: float) -> tuple[Array, Array]:
        """Return (n,) how far joints are from where they should be, and wanted rates.

        Both as they should be at the end of a step of `dt` seconds.
        """
        dofs, goal, rates = self._indices, self._goal, np.zeros(len(self._indices))
        motion = None if self._path is None else self._path.motion(robot, dt)
        if motion is not None:
            goal, rates = motion.values, motion.rates
        if goal is None:
            return np.zeros(len(dofs)), rates
        return robot.subtract_dof_values(goal, robot.dof_values[dofs], dofs), rates

    # -- commands ------------------------------------------------------------------

    def init(
        self, robot: Robot, dof_indices: IndicesLike, control_transform: bool
    ) -> None:
        """Take over degrees of freedom of a robot.

        Raises
        ------
        ArgumentError
            An index that is none, or another number of gains than of joints.
        """
        super().init(robot, dof_indices, control_transform)
        self._check_gains()
        self._forget()

    def reset(self, options: int = 0) -> None:
        """Drop all commands: the joints are held where they are in the next step."""
        super().reset(options)
        self._forget()

    def _drop_command(self) -> None:
        """Forget what was commanded, for another command: motors go on as they are."""
        if not self.takes_efforts():
            super().reset()
        self._forget()

    def _forget(self) -> None:
        """Drop all commands, and leave the robot's motion alone."""
        self._path = self._goal = None
        self._commanded = False
        self._waited = self._standing = 0.0

    def _begin(self, goal: Array | None, path: PathFollower | None) -> None:
        super()._begin(goal, path)
        self._commanded = True

    # -- steps ---------------------------------------------------------------------

    def before_physics(self, dt: float) -> None:
        """Push the joints for the step that follows."""
        robot = self.get_robot()
        if robot is not None and self.takes_efforts():
            self._choose(robot, dt)
            super().before_physics(dt)

    def simulation_step(self, dt: float) -> None:
        """Move the joints on by `dt` seconds if nothing pushes them."""
        robot = self.get_robot()
        if robot is None:
            return
        if not self.takes_efforts():
            self._choose(robot, dt)
            super().simulation_step(dt)
        if self._path is not None:
            self._path.advance(dt)
        still = np.abs(robot.dof_velocities[self._indices]) < _STANDING
        self._standing = self._standing + dt if still.all() else 0.0

    def _choose(self, robot: Robot, dt: float) -> None:
        """Take other velocities if the last ones were long enough."""
        period = float(self.gain("period").max(initial=0.0))
        self._waited -= dt
        if self._driven and self._waited > -0.5 * dt:
            return
        self._waited = period
        if self._goal is None and self._path is None:
            self._goal = robot.dof_values[self._indices]
        limits = robot.dof_velocity_limits[self._indices]
        rates = self.rates(robot, max(period, dt))
        self._velocities = np.clip(rates, -limits, limits)
        self._moving = bool(self._velocities.any())
        self._driven = True

    def is_done(self) -> bool:
        """Return True when the path is over and the joints stand."""
        if not self._commanded:
            return True
        over = self._path is None or self._path.finished
        return over and self._standing > _SETTLED

    # -- state ---------------------------------------------------------------------

    def get_own_state(self) -> Any:
        """Return the command, the progress and the state of the motors."""
        path = None if self._path is None else self._path.saved()
        clocks = self._commanded, self._waited, self._standing
        return super().get_own_state(), self._goal, path, clocks

    def set_own_state(self, state: Any) -> None:
        """Go on where `get_own_state` of a twin was."""
        known, goal, path, clocks = state
        robot = self.require_robot()
        super().set_own_state(known)
        self._goal = None if goal is None else goal.copy()
        self._path = None if path is None else path.resumed(robot, self._indices)
        self._commanded, self._waited, self._standing = clocks


class PDDeviceController(DeviceController):
    """Drive the motors of joints to values, as RobWork's controller of this name.

    ``velocity = wanted velocity + kp e + kd de/dt``, within the velocity limits, with
    the error e as it is at the end of the step, so that large gains are stable, too.
    """

    contract = 2
    settings_type = PDSettings

    def rates(self, robot: Robot, dt: float) -> Array:
        """Return (n,) velocities for a step."""
        error, wanted = self.aim(robot, dt)
        kp, kd = self.gain("kp"), self.gain("kd")
        return (kp * error + (1.0 + kd) * wanted) / (1.0 + kd + dt * kp)


class PoseDeviceController(DeviceController):
    """Drive the motors of joints so that the tool goes to a pose.

    The tool moves with ``gain`` times its error, and with the velocity of its goal, at
    most with ``speed`` m/s and rad/s. The joints' velocities are those that fit this
    best within the limits of velocities, accelerations and values. The tool is that of
    the manipulator whose arm has these joints, else the link of the last joint. Joints
    that do not move it go on as they were told.

    Joint values and trajectories are goals of the joints, which follow them as those of
    a `PDDeviceController`, and keep to the limits of accelerations, too.
    """

    contract = 2
    settings_type = PoseSettings

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._pose: Array | None = None
        self._twist: Array = np.zeros(6)

    def _forget(self) -> None:
        super()._forget()
        self._pose, self._twist = None, np.zeros(6)

    def set_pose(self, pose: ArrayLike, twist: ArrayLike | None = None) -> None:
        """Take the tool to a pose of the world.

        Parameters
        ----------
        pose
            (4, 4) or 7-vector T_world_tool.
        twist
            (6,) velocity of the goal, m/s and rad/s, world axes; None is rest.

        Raises
        ------
        ArgumentError
            No pose, or no six numbers.
        StateError
            There is no robot.
        """
        robot = self.require_robot()
        wanted = as_pose(pose, "pose")
        moving = np.zeros(6) if twist is None else as_vector(twist, 6, "twist").copy()
        kept = self._kept(robot)
        self._drop_command()
        self._begin(kept, None)
        self._pose, self._twist = wanted, moving

    def _kept(self, robot: Robot) -> Array:
        kept = super()._kept(robot)
        if self._pose is None:
            return kept
        moves_tool = Tool(robot, self._indices).jacobian.any(axis=0)
        return np.where(moves_tool, robot.dof_values[self._indices], kept)

    def rates(self, robot: Robot, dt: float) -> Array:
        """Return (n,) velocities for a step."""
        lower, upper = self._bounds(robot, robot.dof_values[self._indices], dt)
        gain, speed = (float(self.gain(name)[0]) for name in ("gain", "speed"))
        error, wanted = self.aim(robot, dt)
        own = (_JOINT_GAIN * error + wanted) / (1.0 + dt * _JOINT_GAIN)
        own = np.clip(own, lower, upper)
        goal, moving = self._pose, self._twist
        if goal is None:
            return own
        tool = Tool(robot, self._indices)
        self._pose = moved(goal, moving, dt) if moving.any() else goal
        twist = pose_error(goal, tool.pose) * gain / (1.0 + dt * gain) + moving
        for rows in (slice(0, 3), slice(3, 6)):
            size = float(np.linalg.norm(twist[rows]))
            twist[rows] *= min(1.0, speed / max(size, 1e-12))
        rates = bounded_rates(tool.jacobian, twist, lower, upper)
        return np.where(tool.jacobian.any(axis=0), rates, own)

    def _bounds(self, robot: Robot, values: Array, dt: float) -> tuple[Array, Array]:
        dofs = self._indices
        fast = robot.dof_velocity_limits[dofs]
        change = robot.dof_acceleration_limits[dofs] * dt
        now = robot.dof_velocities[dofs]
        low, high = (bound[dofs] for bound in robot.dof_limits)
        circular = robot.model.circular[: robot.dof][dofs]
        lower = np.maximum(-fast, np.where(circular, -np.inf, (low - values) / dt))
        upper = np.minimum(fast, np.where(circular, np.inf, (high - values) / dt))
        # what no acceleration can reach does not count
        begin, end = now - change, now + change
        lower = np.where(begin <= upper, np.maximum(lower, begin), upper)
        upper = np.where(end >= lower, np.minimum(upper, end), lower)
        return lower, upper

    def get_own_state(self) -> Any:
        """Return the state of a device controller, and the goal of the tool."""
        return super().get_own_state(), self._pose, self._twist

    def set_own_state(self, state: Any) -> None:
        """Go on where `get_own_state` of a twin was."""
        known, self._pose, self._twist = state
        super().set_own_state(known)


def moved(pose: Array, twist: Array, dt: float) -> Array:
    """Return a pose that moves with a twist (6,), world axes, after `dt` seconds."""
    made = pose.copy()
    made[:3, :3] = matrix_from_axis_angle(dt * twist[3:]) @ pose[:3, :3]
    made[:3, 3] += dt * twist[:3]
    return made
