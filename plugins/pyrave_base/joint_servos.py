"""Controllers that push joints to positions and along trajectories."""

from __future__ import annotations

import logging
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pyrave.authoring import JointMotion
from pyrave.interfaces import settings_of
from pyrave.spatial import Array, Indices, IndicesLike
from pyrave_base.efforts import (
    CREEP,
    NEAR,
    Dynamics,
    drive,
    feedback,
    push,
)
from pyrave_base.gains import Gain, ServoSettings, joint_gain, of_joints
from pyrave_base.grabbing_path import GrabbingPath
from pyrave_base.ideal_controller import IdealController

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave import Environment
    from pyrave.bodies.robot import Robot
    from pyrave.interfaces.trajectory import TrajectoryBase

_log = logging.getLogger("pyrave.controllers")

_STANDING = 0.01
"""Slower than this a joint stands, rad/s or m/s."""
_CLOSE, _LEAST = 1e-4, 1e-9
"""Error, rad or m, from which on dry friction counts as a whole, and its effort."""
_SETTLED = 0.05
"""Time at rest before a command is done, or a gripper squeezes, seconds."""
_MAX_LEARNT = 0.5
"""Share of what is missing in the motion of a step that is made up for at most."""
_HELD_OFF = 1e-3
"""Error from which on a gripper joint that stands is held off, rad or m."""
_FAST = 0.1
"""Rate at which a gripper joint has lost what it squeezed, rad/s or m/s."""
_SQUEEZE = 0.05
"""Time in which a gripper joint squeezes with 1 - 1/e of its torque limit, seconds."""
_LONG = 0.1
"""Step in which a law that acts once cannot follow, seconds."""
_SHIFT, _SHARE = 0.1, 0.1
"""Offset of a joint, rad or m, or else share of its torque limit, for which an unknown
load is made up for at most."""


@dataclass(frozen=True)
class PIDSettings(ServoSettings):
    """Settings of `JointPIDController`."""

    kp: Gain = joint_gain(100.0, "spring", "N m/rad or N/m")
    kd: Gain = joint_gain(20.0, "damper", "N m s/rad or N s/m")
    ki: Gain = joint_gain(0.0, "integral", "N m/(rad s) or N/(m s)")
    gravity: Gain = joint_gain(
        0.0,
        "1 adds what holds the robot against gravity, and what dry friction of its "
        "joints takes",
    )


@dataclass(frozen=True)
class ComputedTorqueSettings(ServoSettings):
    """Settings of `ComputedTorqueController`."""

    kp: Gain = joint_gain(400.0, "spring of a unit mass", "1/s2")
    kd: Gain = joint_gain(40.0, "damper of a unit mass; 40 is critical", "1/s")
    ki: Gain = joint_gain(30.0, "how fast loads are found out; 0 for not", "1/s")


class JointServo(IdealController):
    """Base of controllers that push joints with efforts to where they should be.

    With a physics engine that applies efforts, joints are pushed in each step, within
    their torque limits, and a command is done when its path is over and all joints
    stand for 0.05 s. Without one, and for kinematic links, this is an
    `IdealController`: the joints are at once where they should be. So is what a
    trajectory grabs. The base is not driven. Joints that a path leaves out go on as
    they were told before: a gripper goes on squeezing.

    Without a command joints are held where they are in the next step; ``hold=0`` leaves
    them to gravity until there is one.
    """

    settings_type: ClassVar[type] = ServoSettings

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._gains: dict[str, Array] = {}
        self._efforts: Array = np.zeros(0)
        self._standing = 0.0
        self._drives = self._warned = False

    # -- for subclasses ------------------------------------------------------------

    @abstractmethod
    def law(self, robot: Robot, wanted: JointMotion, dt: float) -> Array:
        """Return (n,) efforts for a step.

        Parameters
        ----------
        wanted
            Where the joints should be at the end of the step.
        dt
            Its length, seconds.
        """

    def drive(self, robot: Robot, wanted: JointMotion, dt: float) -> bool:
        """Let the engine apply the law in each of its own steps; False if it cannot."""
        return False

    def present(self, robot: Robot) -> tuple[Array, Array]:
        """Return (n,) values and rates of the joints."""
        return robot.dof_values[self._indices], robot.dof_velocities[self._indices]

    # -- commands ------------------------------------------------------------------

    def init(
        self, robot: Robot, dof_indices: IndicesLike, control_transform: bool
    ) -> None:
        """Take over degrees of freedom of a robot, which are held from the next step.

        Raises
        ------
        ArgumentError
            An index that is none, or another number of gains than of joints.
        """
        super().init(robot, dof_indices, control_transform)
        self._take_gains()

    def settings_changed(self, before: Any) -> None:
        """Push by other gains from the next step on."""
        if self.get_robot() is not None:
            self._take_gains()

    def _take_gains(self) -> None:
        count, owner = len(self._indices), self.interface_id
        self._gains = {
            name: of_joints(self.settings, name, count, owner)
            for name in settings_of(self.settings_type)
        }

    def reset(self, options: int = 0) -> None:
        """Drop all commands: the joints are held where they are in the next step."""
        super().reset(options)
        self._efforts = np.zeros(len(self._indices))

    def _drop_command(self) -> None:
        super()._drop_command()
        self._standing = 0.0

    def _as_goal(self, values: ArrayLike, transform: ArrayLike | None) -> Array:
        return self.joint_goal("values", values, transform)

    def _follower(
        self, trajectory: TrajectoryBase, robot: Robot, kept: Array
    ) -> GrabbingPath:
        return GrabbingPath(trajectory, robot, self._indices, False, kept)

    def _kept(self, robot: Robot) -> Array:
        if not self.takes_efforts():
            return super()._kept(robot)
        told = self._told(robot)
        return np.where(np.isnan(told), robot.dof_values[self._indices], told)

    # -- steps ---------------------------------------------------------------------

    def before_physics(self, dt: float) -> None:
        """Push the joints for the step that follows."""
        robot = self.get_robot()
        if robot is None or not self.takes_efforts():
            return
        if not self._commanded and self._gains["hold"].any():
            self._goal = robot.dof_values[self._indices]
        wanted = self._wanted(robot, dt)
        if wanted is None:
            return
        self._drives = self.drive(robot, wanted, dt)
        if not self._drives:
            self._warn_of_long(dt)
            efforts = self.law(robot, wanted, dt)
            self._efforts = push(robot, self._indices, efforts)

    def _warn_of_long(self, dt: float) -> None:
        """Warn once that the law acts once in a step that is long."""
        if dt > _LONG and not self._warned:
            self._warned = True
            _log.warning(
                "%r pushes with the same efforts during a whole step of %g s, in which "
                "joints go anywhere; make steps of 0.01 s or so",
                self,
                dt,
            )

    def simulation_step(self, dt: float) -> None:
        """Go on along the path; place the joints if nothing pushes them."""
        super().simulation_step(dt)
        robot = self.get_robot()
        if robot is None:
            return
        if self._drives:
            efforts = robot.env.physics_engine.get_joint_efforts(robot)
            self._efforts, self._drives = efforts[self._indices], False
        rates = np.abs(robot.dof_velocities[self._indices])
        still = not len(rates) or rates.max() < _STANDING
        self._standing = self._standing + dt if still and self._done else 0.0

    def is_done(self) -> bool:
        """Return True when the path is over and the joints stand; see the class."""
        robot = self.get_robot()
        pushed = robot is not None and self.takes_efforts()
        if self._done and pushed and self._commanded:
            return self._standing > _SETTLED
        return self._done

    def get_torque(self) -> Array:
        """Return the efforts of the last step, (n,), N m or N."""
        return self._efforts.copy()

    def get_velocity(self) -> Array:
        """Return the wanted rates, (n,), rad/s or m/s; 0 without a path."""
        robot = self.get_robot()
        wanted = None if robot is None else self._wanted(robot, 0.0)
        return np.zeros(len(self._indices)) if wanted is None else wanted.rates

    @property
    def _commanded(self) -> bool:
        return self._path is not None or self._goal is not None

    def _place(
        self,
        robot: Robot,
        values: Array,
        indices: Indices,
        pose: Array | None,
        dt: float,
    ) -> None:
        if not self.takes_efforts():
            super()._place(robot, values, indices, pose, dt)

    def _wanted(self, robot: Robot, dt: float) -> JointMotion | None:
        """Return the desired joint motion after `dt`, None without a command."""
        still = np.zeros(len(self._indices))
        if self._path is None:
            goal = self._goal
            return None if goal is None else JointMotion(goal, still, still)
        return self._path.motion(robot, dt, paused=self._paused)

    # -- state ---------------------------------------------------------------------

    def get_own_state(self) -> Any:
        """Return the command, the progress, the options and the last efforts."""
        return super().get_own_state(), self._efforts.copy(), self._standing

    def set_own_state(self, state: Any) -> None:
        """Go on where `get_own_state` of a twin was."""
        if isinstance(state, tuple):
            known, efforts, self._standing = state
            super().set_own_state(known)
            self._efforts = efforts.copy()


class JointPIDController(JointServo):
    """Push joints by springs, dampers and integrals of their errors.

    ``effort = kp e + kd de/dt + ki integral of e``, with the errors at the end of the
    step, so that large gains are stable, too. Engines that drive joints take the law in
    each of their own steps, along with contacts: what stands or grips gets what the
    gains say. For others it is that of a robot that touches nothing (see
    `efforts.feedback`). An integral rests while its joint is pushed with its torque
    limit. ``gravity=1``: Takegaki and Arimoto, Journal of Dynamic Systems, Measurement,
    and Control 103, 1981.
    """

    contract = 2
    settings_type = PIDSettings

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._integral: Array = np.zeros(0)

    def reset(self, options: int = 0) -> None:
        """Drop all commands, as `JointServo.reset`, and what was found out."""
        super().reset(options)
        self._integral = np.zeros(len(self._indices))

    def law(self, robot: Robot, wanted: JointMotion, dt: float) -> Array:
        """Return (n,) efforts for a step."""
        gains = self._gains
        error, rates = self._error(robot, wanted), self.present(robot)[1]
        added = self._added(robot, error, wanted.rates, dt)
        dynamics = Dynamics(robot, self._indices)
        load = dynamics.load - added
        errors = (error - dt * rates, wanted.rates - rates)
        springs = feedback(dynamics.inertia, load, gains["kp"], gains["kd"], errors, dt)
        return springs + added

    def drive(self, robot: Robot, wanted: JointMotion, dt: float) -> bool:
        """Let the engine apply the law in each of its own steps; False if it cannot."""
        if not robot.env.physics_engine.can_drive(robot, self._indices):
            return False
        error = self._error(robot, wanted)
        goal = robot.dof_values[self._indices] + error, wanted.rates
        gains = self._gains["kp"], self._gains["kd"]
        added = self._added(robot, error, wanted.rates, dt)
        return drive(robot, self._indices, goal, gains, added)

    def _error(self, robot: Robot, wanted: JointMotion) -> Array:
        """Return (n,) how far values are from where they should be after the step."""
        return robot.subtract_dof_values(
            wanted.values, self.present(robot)[0], self._indices
        )

    def _added(self, robot: Robot, error: Array, rates: Array, dt: float) -> Array:
        """Return (n,) efforts of the integrals, which go on, and of loads."""
        gains, dofs = self._gains, self._indices
        limits = robot.dof_torque_limits[dofs]
        free = (limits <= 0.0) | (np.abs(self._efforts) < limits * NEAR)
        self._integral = self._integral + dt * np.where(free, error, 0.0)
        added = gains["ki"] * self._integral
        if gains["gravity"].any():
            added += gains["gravity"] * Dynamics(robot, dofs).gravity()
            springs = gains["kp"] * error + gains["kd"] * rates
            least = gains["kp"] * _CLOSE + gains["kd"] * CREEP
            share = np.clip(springs / np.maximum(least, _LEAST), -1.0, 1.0)
            added += gains["gravity"] * share * robot.model.coulomb_frictions[dofs]
        return np.asarray(added)

    def get_own_state(self) -> Any:
        """Return the state of a servo, and the integrals."""
        return super().get_own_state(), self._integral.copy()

    def set_own_state(self, state: Any) -> None:
        """Go on where `get_own_state` of a twin was."""
        if isinstance(state, tuple):
            super().set_own_state(state[0])
            self._integral = state[1].copy()


class AccelerationServo(JointServo):
    """Base of servos that push joints with what accelerations of them take.

    ``effort = M(q) (a + d) + h(q, dq/dt)``, with what a subclass asks for, a. What it
    finds missing in the motion, d, is what the model does not know, such as a load that
    the gripper squeezes: ``dd/dt = ki (a - d2q/dt2)``. It is 0 for an exact model, and
    at most what shifts a joint by 0.1 rad or m without it, or takes a tenth of its
    torque limit.

    Gripper joints of manipulators that something holds off from where they were told to
    stand squeeze it with their torque limits.
    """

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._missing: Array = np.zeros(0)
        self._squeezing: Array = np.zeros(0)
        self._stalled: Array = np.zeros(0)
        self._asked: tuple[Array, Array, Array] | None = None

    @abstractmethod
    def accelerations(
        self, robot: Robot, dynamics: Dynamics, wanted: JointMotion, dt: float
    ) -> Array:
        """Return (n,) accelerations for a step, as `law` efforts."""

    @property
    def learns(self) -> bool:
        """True if errors of the motion are being compensated."""
        return True

    def reset(self, options: int = 0) -> None:
        """Drop all commands, as `JointServo.reset`, and what was found out."""
        super().reset(options)
        self._missing, self._asked = np.zeros(len(self._indices)), None
        self._squeezing = self._stalled = np.zeros(len(self._indices))

    def law(self, robot: Robot, wanted: JointMotion, dt: float) -> Array:
        """Return (n,) efforts for a step."""
        dynamics = Dynamics(robot, self._indices)
        asked = self.accelerations(robot, dynamics, wanted, dt)
        inertias = np.diagonal(dynamics.inertia)
        self._asked = asked, robot.dof_velocities[self._indices], inertias
        self._squeezing = self._squeeze(robot, wanted, dt)
        return dynamics.efforts(asked + self._missing, dt) + self._squeezing

    def _squeeze(self, robot: Robot, wanted: JointMotion, dt: float) -> Array:
        """Return the efforts (n,) of gripper joints that are held off, beside the law.

        What they squeeze pushes back on the other fingers, so no joint of the arm feels
        it.
        """
        values, rates = self.present(robot)
        off = robot.subtract_dof_values(wanted.values, values, self._indices)
        speed = np.where(off * self._squeezing > 0.0, _FAST, _STANDING)
        held = (np.abs(off) > _HELD_OFF) & (np.abs(rates) < speed)
        held &= np.abs(wanted.rates) < _STANDING
        self._stalled = np.where(held, self._stalled + dt, 0.0)
        held = self._stalled > _SETTLED
        none = np.zeros(len(self._indices))
        if not held.any():
            return none
        fingers = [one.gripper_indices for one in robot.manipulators]
        held &= np.isin(self._indices, np.concatenate(fingers)) if fingers else False
        most = np.sign(off) * np.maximum(robot.dof_torque_limits[self._indices], 0.0)
        share = min(dt / _SQUEEZE, 1.0)
        more = self._squeezing + share * (most - self._squeezing)
        return np.where(held, more, none)

    def simulation_step(self, dt: float) -> None:
        """Go on along the path; note what was missing in the motion."""
        super().simulation_step(dt)
        robot, asked = self.get_robot(), self._asked
        self._asked = None
        if robot is None or asked is None or not self.learns or dt <= 0.0:
            return
        accelerations, before, inertias = asked
        moved = (robot.dof_velocities[self._indices] - before) / dt
        limits = robot.dof_torque_limits[self._indices]
        free = (limits <= 0.0) | (np.abs(self._efforts) < limits * NEAR)
        free &= self._squeezing == 0.0
        share = np.minimum(_MAX_LEARNT, self._gains["ki"] * dt)
        missing = self._missing + share * np.where(free, accelerations - moved, 0.0)
        strongest = _SHARE * np.maximum(limits, 0.0) / np.maximum(inertias, _LEAST)
        most = np.maximum(_SHIFT * self._gains["kp"].max(initial=0.0), strongest)
        self._missing = np.clip(missing, -most, most)

    def get_own_state(self) -> Any:
        """Return the state of a servo, what it found missing, and what it squeezes."""
        found = self._missing, self._squeezing, self._stalled
        return super().get_own_state(), tuple(one.copy() for one in found)

    def set_own_state(self, state: Any) -> None:
        """Go on where `get_own_state` of a twin was."""
        if isinstance(state, tuple):
            super().set_own_state(state[0])
            found = (one.copy() for one in state[1])
            self._missing, self._squeezing, self._stalled = found


class ComputedTorqueController(AccelerationServo):
    """Push joints with what the equations of motion ask for.

    ``effort = M(q) (a + kd (v - dq/dt) + kp (r - q)) + h(q, dq/dt)`` with the wanted
    value r, rate v and acceleration a: errors behave as those of free masses on
    springs, the same for all joints and poses (Craig, Introduction to Robotics, section
    10.5; Lynch and Park, Modern Robotics, section 11.4). Held bodies count; what else
    loads the robot is found out (see `AccelerationServo`).
    """

    contract = 2
    settings_type = ComputedTorqueSettings

    def accelerations(
        self, robot: Robot, dynamics: Dynamics, wanted: JointMotion, dt: float
    ) -> Array:
        """Return (n,) accelerations for a step."""
        values, rates = self.present(robot)
        error = robot.subtract_dof_values(wanted.values, values, self._indices)
        return tracking(
            self._gains["kp"],
            self._gains["kd"],
            (error, wanted.rates - rates, wanted.accelerations),
            rates,
            dt,
        )


def tracking(
    kp: Array, kd: Array, errors: tuple[Array, Array, Array], rates: Array, dt: float
) -> Array:
    """Return accelerations that bring errors of position and velocity to zero.

    As `efforts.feedback` with unit masses, and exact on constant acceleration.

    Parameters
    ----------
    errors
        Position, velocity (wanted at the end of the step, present at its begin), and
        the wanted acceleration.
    rates
        Present velocities.
    """
    position, velocity, wanted = errors
    ahead = position - dt * rates + 0.5 * dt * dt * wanted
    return (wanted + kd * velocity + kp * ahead) / (1.0 + dt * kd + dt * dt * kp)
