"""The default controller, which moves the robot to its goal exactly."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.authoring import CommandedController
from pyrave.errors import ArgumentError, Error, StateError
from pyrave.interfaces.commands import command
from pyrave.interfaces.state_copies import Immutable
from pyrave.interfaces.trajectory import TrajectoryBase
from pyrave.kinematics.limits import LimitCheck
from pyrave.records import Record
from pyrave.spatial import (
    Array,
    Indices,
    IndicesLike,
    as_pose,
    as_vector,
)
from pyrave_base.grabbing_path import GrabbingPath
from pyrave_base.motors import PositionMotors

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from pyrave import Environment
    from pyrave.authoring import PathFollower
    from pyrave.bodies.robot import Robot
    from pyrave.trajectories import GrabRule

_log = logging.getLogger("pyrave.controllers")

_NEAR, _THERE = 1e-4, 1e-6
"""Permitted deviation of simulated joints, in motion and at rest, rad or m."""
_LIMIT_SLACK = 5e-5
_VELOCITY_SLACK = 1e-6


@dataclass(frozen=True, slots=True)
class _State(Immutable, Record):
    """Everything that a twin needs; it pickles."""

    desired: Array | None
    desired_pose: Array | None
    trajectory_id: str
    trajectory: Any
    time: float
    kept: Array
    missed: Array
    squeezes: NDArray[np.bool_]
    done: bool
    paused: bool
    options: tuple[bool, bool, bool]


class IdealController(CommandedController):
    """Play back positions and trajectories exactly, whatever pushes the robot.

    `set_desired` moves the robot at once and is done after the next step. `set_path`
    copies a timed trajectory and follows it by simulated time: after steps that sum up
    to t seconds the robot is where ``trajectory.sample(t)`` says. A goal, and the last
    point of a path, are held in every following step until `reset` or another command.
    So are joints and a base that were commanded before, and that a path leaves out; in
    a physics engine all other joints stay where they are when the path begins.

    An engine that drives joints holds them during its step, within their torque limits,
    against what they carry and squeeze. If a joint is off by more than 1e-4 rad or m
    then, 1e-6 at rest, all are put where they should be, but for those that squeeze
    something with their torque limits. In other engines joints give way until the step
    is over.

    Joints outside of the limits are clamped; that, speeds above the velocity limits and
    (if asked for) collisions are logged as warnings, or raised after the command
    ``SetThrowExceptions 1`` (in a simulation step this ends the robot's part in the
    simulation, and is found in ``env.problems``).

    Groups ``grab ROBOT LINK ...`` and ``grabbody BODY [ROBOT [LINK [qw qx qy qz x y
    z]]]`` of a trajectory make the robot grab and release.
    """

    contract = 2
    state_version = 2
    _can_grab = True
    _path: GrabbingPath | None

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._desired_pose: Array | None = None
        self._done = True
        self._paused = False
        self._check_collisions = False
        self._throw = False
        self._logging = False
        self._motors = PositionMotors(0)
        self._squeezes: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self._holding: dict[str, int] = {}
        self._reported: set[str] = set()

    # -- commands ------------------------------------------------------------------

    @command(name="Pause")
    def pause(self, paused: bool = True) -> bool:
        """Stop the clock and hold the robot where it is (1), or go on (0)."""
        self._paused = paused
        return True

    @command(name="SetCheckCollisions")
    def set_check_collisions(self, check: bool = True) -> bool:
        """Check every new configuration for collisions (1) or not (0, the default)."""
        self._check_collisions = check
        return True

    @command(name="SetThrowExceptions")
    def set_throw_exceptions(self, throw: bool = True) -> bool:
        """Raise on limits, speeds and collisions (1), or only warn (0, the default)."""
        self._throw = throw
        return True

    @command(name="SetEnableLogging")
    def set_enable_logging(self, enable: bool = True) -> bool:
        """Log every configuration to logger ``pyrave.controllers`` (1) or not (0)."""
        self._logging = enable
        return True

    # -- life ----------------------------------------------------------------------

    def init(
        self, robot: Robot, dof_indices: IndicesLike, control_transform: bool
    ) -> None:
        """Take over degrees of freedom of a robot, and drop all commands."""
        super().init(robot, dof_indices, control_transform)
        self.reset()

    def reset(self, options: int = 0) -> None:
        """Drop all commands; the robot stays where it is."""
        self._drop_command()
        self._motors = PositionMotors(len(self._indices))
        self._squeezes = np.zeros(len(self._indices), np.bool_)

    def _drop_command(self) -> None:
        """Forget what was commanded: all of it, or for another command."""
        self._goal = self._desired_pose = self._path = None
        self._done = True
        self._holding.clear()
        self._reported.clear()

    def set_desired(
        self, values: ArrayLike, transform: ArrayLike | None = None
    ) -> bool:
        """Put the robot at joint values now, and hold it there.

        Parameters
        ----------
        values
            (n,) in the order of `get_control_dof_indices`, radians or metres.
        transform
            (4, 4) pose of the base, if the controller drives it; None leaves it free.

        Raises
        ------
        ArgumentError
            A wrong number of values, or a pose for a base that is not driven.
        StateError
            There is no robot, or ``SetThrowExceptions`` is on and limits are violated.
        """
        goal = self._as_goal(values, transform)
        pose = None
        if transform is not None:
            pose = as_pose(transform, "transform of set_desired")
        self._drop_command()
        self._begin(goal, None)
        self._desired_pose = pose
        if not self._paused:
            self._place(self.require_robot(), goal, self._indices, pose, 0.0)
        return True

    def _as_goal(self, values: ArrayLike, transform: ArrayLike | None) -> Array:
        robot = self.require_robot()
        goal = as_vector(values, len(self._indices), "values of set_desired").copy()
        if transform is not None and not self._control_transform:
            raise ArgumentError(
                f"the controller of {robot.name!r} does not drive its base; leave "
                "out the transform or initialise with control_transform=True"
            )
        return goal

    def _begin(self, goal: Array | None, path: PathFollower | None) -> None:
        super()._begin(goal, path)
        if self._path is not None:
            self._desired_pose = self._path.kept_pose
        # done in the next step only, goals the same as paths
        self._done = False

    def before_physics(self, dt: float) -> None:
        """Hold the joints on their way during the step that follows.

        An engine that drives joints holds them against all that pushes, contacts too,
        within their torque limits. In others they give way until the step is over.
        """
        robot = self.get_robot()
        if robot is None or not self.takes_efforts():
            return
        path, goal = self._path, self._goal
        stands = np.ones(len(self._indices), np.bool_)
        if path is not None:
            stands = ~path.moves | path.finished
            ahead = path.time if self._paused else min(path.time + dt, path.duration)
            goal = path.joint_values(path.trajectory.sample(ahead), robot)
        if goal is not None:
            self._motors.push(robot, self._indices, goal, stands, dt)

    def simulation_step(self, dt: float) -> None:
        """Move the robot to where it should be `dt` seconds later."""
        robot = self.get_robot()
        if robot is None:
            return
        self._squeezes = self._motors.note(robot, self._indices)
        if self._paused:
            return
        if self._path is not None:
            self._follow(robot, self._path, dt)
        elif self._goal is not None:
            self._done = True
            put, pose = ~self._squeezes, self._desired_pose
            self._place(robot, self._goal[put], self._indices[put], pose, 0.0)

    def is_done(self) -> bool:
        """Return True when the last command is finished (or there was none)."""
        return self._done

    # -- state ---------------------------------------------------------------------

    def get_own_state(self) -> Any:
        """Return the command, the progress and the options."""
        path = self._path
        return _State(
            None if self._goal is None else self._goal.copy(),
            None if self._desired_pose is None else self._desired_pose.copy(),
            "" if path is None else path.trajectory.interface_id,
            None if path is None else path.state,
            0.0 if path is None else path.time,
            np.empty(0) if path is None else path.kept,
            self._motors.missed.copy(),
            self._squeezes.copy(),
            self._done,
            self._paused,
            (self._check_collisions, self._throw, self._logging),
        )

    def set_own_state(self, state: Any) -> None:
        """Go on where `get_own_state` of a twin was."""
        if not isinstance(state, _State):
            return
        robot = self.require_robot()
        self._holding.clear()
        self._goal, self._desired_pose = state.desired, state.desired_pose
        if state.trajectory is None:
            self._path = None
        elif self._path is None or self._path.state is not state.trajectory:
            twin = self.env.create("trajectory", state.trajectory_id)
            twin.set_state(state.trajectory)
            self._path = self._follower(twin, robot, state.kept)
            # the next get_state gives the same object, so that this is done once
            self._path.state = state.trajectory
        if self._path is not None:
            self._path.time, self._path.kept = state.time, state.kept
        self._motors.missed = state.missed.copy()
        self._squeezes = state.squeezes.copy()
        self._done, self._paused = state.done, state.paused
        self._check_collisions, self._throw, self._logging = state.options

    # -- inside --------------------------------------------------------------------

    def _follower(
        self, trajectory: TrajectoryBase, robot: Robot, kept: Array
    ) -> GrabbingPath:
        moves_base, pose = self._control_transform, self._kept_pose(robot)
        return GrabbingPath(trajectory, robot, self._indices, moves_base, kept, pose)

    def _told(self, robot: Robot) -> Array:
        """Return (n,) what the joints are told now, NaN for nothing."""
        if self._path is not None:
            return self._path.commanded(self._path.sample(), robot)
        if self._goal is not None:
            return self._goal
        return np.full(len(self._indices), np.nan)

    def _kept(self, robot: Robot) -> Array:
        """Return (n,) what joints keep that the next path leaves out, NaN for nothing.

        Joints that were told something are where they were put, unless somebody else
        moved them since. Without physics others are left alone.
        """
        told, now = self._told(robot), robot.dof_values[self._indices]
        now = np.where(self._squeezes, told, now)
        if self._paused:
            now = np.where(np.isnan(told), now, told)
        return now if self.takes_efforts() else np.where(np.isnan(told), told, now)

    def _kept_pose(self, robot: Robot) -> Array | None:
        """Return the base pose for paths that leave it out, None for no pose.

        It is where it was put, unless somebody else moved it since.
        """
        moved = self._path is not None and self._path.moves_base
        if self._desired_pose is None and not moved:
            return None
        return self._desired_pose if self._paused else robot.transform

    def _follow(self, robot: Robot, path: GrabbingPath, dt: float) -> None:
        before = path.time
        path.advance(dt)
        sample = path.sample()
        # before anything can raise: a failing path must still end
        self._done = path.finished
        orders = self._orders(path.rules, sample)
        for _rule, name, hold in orders:
            if not hold:
                self._release(robot, name)
        values, told = path.commanded(sample, robot), path.tells & ~self._squeezes
        pose = path.base_pose(sample, robot) if path.moves_base else self._desired_pose
        taken = path.time - before
        self._place(robot, values[told], self._indices[told], pose, taken)
        for rule, name, hold in orders:
            if hold:
                self._grab(robot, rule, name)

    def _orders(
        self, rules: tuple[GrabRule, ...], sample: Array
    ) -> list[tuple[GrabRule, str, bool]]:
        orders = []
        for rule in rules:
            try:
                found = rule.wanted(self.env, float(sample[rule.column]))
            except Error as error:
                self._report("grab", f"the trajectory's grab group is wrong: {error}")
                continue
            if found is not None:
                orders.append((rule, *found))
        return orders

    def _release(self, robot: Robot, name: str) -> None:
        self._holding.pop(name, None)
        body = self.env.bodies.get(name)
        if body is not None and robot.is_grabbing(body):
            robot.release(body)

    def _grab(self, robot: Robot, rule: GrabRule, name: str) -> None:
        link = rule.link_of(robot)
        body = self.env.bodies.get(name)
        if body is None:
            self._report(f"grab {name}", f"there is no body {name!r} to grab")
            return
        if robot.is_grabbing(body):
            if self._holding.get(name, link.index) == link.index:
                return
            robot.release(body)
        if rule.T_link_body is not None:
            body.transform = link.transform @ rule.T_link_body
        try:
            robot.grab(body, link)
        except Error as error:
            self._report(f"grab {name}", str(error))
            return
        self._holding[name] = link.index

    def _place(
        self,
        robot: Robot,
        values: Array,
        indices: Indices,
        pose: Array | None,
        dt: float,
    ) -> None:
        """Move joints and base; `dt` is what the motion takes, 0 for a jump."""
        if pose is not None:
            robot.transform = pose
        if len(indices) and not self._is_held(robot, values, indices):
            before = robot.dof_values
            problem = self._limit_problem(robot, values, indices)
            robot.set_dof_values(values, indices, LimitCheck.CLAMP)
            problem = problem or self._speed_problem(robot, before, dt)
            if problem:
                self._report(*problem)
        if self._logging:
            _log.info(
                "robot %s at %.6f s: %s",
                robot.name,
                self.get_time(),
                robot.dof_values[self._indices].tolist(),
            )
        if self._check_collisions:
            self._report_collisions(robot)

    def _is_held(self, robot: Robot, values: Array, indices: Indices) -> bool:
        """Return True if an engine has joints where they should be.

        Putting them there once more would tear them off what they touch.
        """
        if not self.takes_efforts():
            return False
        off = robot.subtract_dof_values(values, robot.dof_values[indices], indices)
        moves = self._path is not None and not self._path.finished
        return bool((np.abs(off) <= (_NEAR if moves else _THERE)).all())

    def _limit_problem(
        self, robot: Robot, values: Array, indices: Indices
    ) -> tuple[str, str] | None:
        lower, upper = (bound[indices] for bound in robot.dof_limits)
        circular = robot.model.circular[: robot.dof][indices]
        outside = (values < lower - _LIMIT_SLACK) | (values > upper + _LIMIT_SLACK)
        wrong = np.flatnonzero(outside & ~circular)
        if not wrong.size:
            return None
        k = int(wrong[0])
        joint = robot.structure.joint_of_dof(int(indices[k])).name
        return f"limit {joint}", (
            f"value {values[k]:g} of joint {joint!r} is outside of its limits "
            f"{lower[k]:g}..{upper[k]:g}; it is clamped"
        )

    def _speed_problem(
        self, robot: Robot, before: Array, dt: float
    ) -> tuple[str, str] | None:
        if dt <= 0 or self._path is None:
            return None
        moved = np.abs(robot.subtract_dof_values(robot.dof_values, before))
        allowed = robot.dof_velocity_limits
        wrong = [
            i
            for i in self._indices[self._path.moves].tolist()
            if allowed[i] > 0 and moved[i] > allowed[i] * dt + _VELOCITY_SLACK
        ]
        if not wrong:
            return None
        k = wrong[0]
        joint = robot.structure.joint_of_dof(k).name
        return f"speed {joint}", (
            f"joint {joint!r} moves by {moved[k]:g} in {dt:g} s, faster than its "
            f"velocity limit {allowed[k]:g} allows"
        )

    def _report_collisions(self, robot: Robot) -> None:
        if self.env.check_collision(robot):
            self._report("collision", "it collides with its environment")
        if self.env.collision_checker.check_self_collision(robot):
            self._report("self collision", "it collides with itself")

    def _report(self, kind: str, text: str) -> None:
        robot = self.get_robot()
        message = f"controller of robot {robot.name if robot else '?'!r}: {text}"
        if self._throw:
            raise StateError(message)
        # once per command and kind: a path would repeat it in every step
        if kind not in self._reported:
            self._reported.add(kind)
            _log.warning("%s", message)
