"""Base classes of controllers for the joints of a robot."""

from __future__ import annotations

import logging
import weakref
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pyrave.authoring.path_follower import (
    JointMotion,
    PathFollower,
    SavedPath,
    has_waypoints,
)
from pyrave.errors import ArgumentError, shown
from pyrave.interfaces.base import OwnState
from pyrave.interfaces.controller import ControllerBase
from pyrave.kinematics.limits import LimitCheck
from pyrave.spatial import Array, Indices, IndicesLike, as_indices, as_vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.bodies.robot import Robot
    from pyrave.environment import Environment
    from pyrave.interfaces.trajectory import TrajectoryBase

_log = logging.getLogger("pyrave.controllers")


class BoundController(ControllerBase):
    """A controller that keeps its robot, by a weak reference, and its joints."""

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._robot: weakref.ref[Robot] | None = None
        self._indices = as_indices((), "dof_indices")
        self._control_transform = False

    def init(
        self, robot: Robot, dof_indices: IndicesLike, control_transform: bool
    ) -> None:
        """Take over degrees of freedom of a robot.

        Raises
        ------
        ArgumentError
            One of them is none of the robot's.
        """
        indices = as_indices(dof_indices, "dof_indices")
        for index in indices.tolist():
            if not 0 <= index < robot.dof:
                raise ArgumentError(
                    f"dof index {index} of robot {robot.name!r} is out of range "
                    f"0..{robot.dof - 1}"
                )
        self._robot = weakref.ref(robot)
        self._indices = indices
        self._control_transform = bool(control_transform)

    def joint_goal(
        self, what: str, values: ArrayLike, transform: ArrayLike | None
    ) -> Array:
        """Return a copy (n,) of what `set_desired` got, for joints alone.

        Parameters
        ----------
        what
            What the numbers are, in messages.
        values
            (n,) radians or metres.
        transform
            (4, 4) T_world_base, or None.

        Raises
        ------
        ArgumentError
            Another number of values than of joints, or a transform is given.
        StateError
            There is no robot.
        """
        self.require_robot()
        if transform is not None:
            raise ArgumentError(
                f"{self.interface_id} drives joints only; leave out the transform"
            )
        return as_vector(values, len(self._indices), f"{what} of set_desired").copy()

    def takes_efforts(self) -> bool:
        """Return True if efforts move the joints.

        The physics engine must apply them, and the links not go where they are put.
        """
        robot, dofs = self.get_robot(), self._indices
        if robot is None or not len(dofs):
            return False
        engine = robot.env.physics_engine
        if not engine.applies_efforts or engine.disabled:
            return False
        model, links = robot.model, robot.description.links
        moved = model.joint_hierarchy[model.value_joint[dofs], 1].tolist()
        return not any(links[k].static or links[k].kinematic for k in moved)

    def get_control_dof_indices(self) -> Indices:
        """Return (n,) int64, the degrees of freedom given to `init`, in that order."""
        return self._indices

    def is_control_transformation(self) -> bool:
        """Return True if `init` gave it control of the base."""
        return self._control_transform

    def get_robot(self) -> Robot | None:
        """Return the robot given to `init`, None before or when it is gone."""
        return None if self._robot is None else self._robot()


class CommandedController(BoundController):
    """A controller with one command: a goal of joints, or a path.

    `set_desired` and `set_path` copy what they are given, after `_drop_command`; a
    subclass writes the steps. Joints that a path leaves out go on as they were told
    before, or stay where they are when it begins.
    """

    _can_grab: ClassVar[bool] = False
    """Whether trajectories that grab are followed."""

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._goal: Array | None = None
        self._path: PathFollower | None = None

    def set_desired(
        self, values: ArrayLike, transform: ArrayLike | None = None
    ) -> bool:
        """Go to joint values; see the class.

        Parameters
        ----------
        values
            (n,) in the order of `get_control_dof_indices`, radians or metres.
        transform
            None: the base is not driven.

        Raises
        ------
        ArgumentError
            A wrong number of values, or a transform is given.
        StateError
            There is no robot.
        """
        goal = self._as_goal(values, transform)
        self._drop_command()
        self._begin(goal, None)
        return True

    def set_path(self, trajectory: TrajectoryBase | None) -> bool:
        """Follow a copy of a timed trajectory from now on; None drops all commands.

        Returns
        -------
        bool
            False, with a warning in the log, if it has nothing for what is controlled,
            or grabs and the controller does not.

        Raises
        ------
        ArgumentError
            The trajectory has no times, or a grab group makes no sense.
        StateError
            There is no robot.
        """
        robot = self.require_robot()
        if trajectory is None or not has_waypoints(trajectory):
            self.reset()
            return True
        # nobody else changes a copy
        own = trajectory.copy_to(self.env)
        own.set_state(trajectory.get_state())
        path = self._follower(own, robot, self._kept(robot))
        if not path.concerns_robot:
            _log.warning(
                "%r refuses a trajectory without groups for joints %s of robot %r",
                self,
                self._indices,
                robot.name,
            )
            return False
        if path.grabs and not self._can_grab:
            _log.warning("%r refuses a trajectory that grabs", self)
            return False
        self._drop_command()
        self._begin(None, path)
        return True

    def get_time(self) -> float:
        """Return the time along the present trajectory, seconds; 0 without one."""
        return 0.0 if self._path is None else self._path.time

    # -- for subclasses ------------------------------------------------------------

    def _as_goal(self, values: ArrayLike, transform: ArrayLike | None) -> Array:
        """Return a checked copy (n,) of the values of a goal."""
        return self.joint_goal("values", values, transform)

    def _drop_command(self) -> None:
        """Forget what was commanded, for another command."""
        self.reset()

    def _begin(self, goal: Array | None, path: PathFollower | None) -> None:
        """Take over the goal, or the path, of a new command."""
        self._goal, self._path = goal, path

    def _follower(
        self, trajectory: TrajectoryBase, robot: Robot, kept: Array
    ) -> PathFollower:
        """Return the path of a trajectory that nobody else has."""
        return PathFollower(trajectory, robot, self._indices, False, kept)

    def _kept(self, robot: Robot) -> Array:
        """Return (n,) values that joints keep which the next path leaves out."""
        # where joints are placed, somebody else may have moved them when it is over
        if self._pushes() or not self.is_done():
            if self._path is not None:
                return self._path.commanded(self._path.sample(), robot)
            if self._goal is not None:
                return self._goal
        return robot.dof_values[self._indices]

    def _pushes(self) -> bool:
        """Return True if efforts move the joints, and not this controller itself."""
        return self.takes_efforts()


@dataclass(frozen=True, slots=True, eq=False)
class _State:
    """The command and its progress; it pickles."""

    goal: Array | None
    path: SavedPath | None
    efforts: Array
    done: bool
    own: OwnState | None


class JointController(CommandedController):
    """Drives joints to goals and along trajectories: a subclass writes one step.

    `next_values` puts the joints somewhere; `efforts`, if there is one, pushes them
    where a physics engine moves the robot. Goals are copied and brought into the
    limits; of paths a copy is followed. Both are held when they are reached, until the
    next command, and are parts of the state with what `get_own_state` adds. Joints that
    a path leaves out go on as they were told before, or stay where they are when it
    begins. The base of the robot is not driven, and trajectories that grab are refused.

    A command is done when its path is over and all joints are within `tolerance` of its
    end and slower than `standing`.
    """

    tolerance: ClassVar[float] = 1e-3
    """Distance at which a goal counts as reached, radians or metres."""
    standing: ClassVar[float] = 1e-2
    """Slower than this a joint stands, rad/s or m/s."""

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._efforts = np.zeros(0)
        self._done = True

    # -- for subclasses ------------------------------------------------------------

    @abstractmethod
    def next_values(self, wanted: JointMotion, dt: float) -> ArrayLike:
        """Return joint values after a step, (n,) radians or metres.

        Called in each step while there is a command and nothing pushes the joints. What
        is outside of the limits is clamped.

        Parameters
        ----------
        wanted
            Where the joints should be at the end of the step.
        dt
            Length of the step, seconds.
        """

    def efforts(self, wanted: JointMotion, dt: float) -> ArrayLike:
        """Return the joint efforts during a step: (n,) N m or N.

        Called in its place where a subclass has it and a physics engine applies
        efforts, before the engine's step. Torque limits clip them.

        Parameters
        ----------
        wanted
            Values, velocities and accelerations that are wanted.
        """
        raise NotImplementedError

    @property
    def values(self) -> Array:
        """(n,) present values of the joints, radians or metres."""
        return np.asarray(self.require_robot().dof_values[self._indices])

    def error(self, wanted: JointMotion) -> Array:
        """Return (n,) wanted less present values, the short way round."""
        robot = self.require_robot()
        return robot.subtract_dof_values(wanted.values, self.values, self._indices)

    # -- commands ------------------------------------------------------------------

    def init(
        self, robot: Robot, dof_indices: IndicesLike, control_transform: bool
    ) -> None:
        """Take over degrees of freedom of a robot, and drop all commands.

        Parameters
        ----------
        control_transform
            Whether the base is controlled, too.
        """
        super().init(robot, dof_indices, control_transform)
        self.reset()

    def reset(self, options: int = 0) -> None:
        """Drop all commands; each new one begins with it.

        A subclass that remembers something forgets it here, and calls it of
        ``super()``.
        """
        self._goal = self._path = None
        self._efforts = np.zeros(len(self._indices))
        self._done = True

    def _as_goal(self, values: ArrayLike, transform: ArrayLike | None) -> Array:
        goal, robot = super()._as_goal(values, transform), self.require_robot()
        lower, upper = (bound[self._indices] for bound in robot.dof_limits)
        circular = robot.model.circular[: robot.dof][self._indices]
        return np.where(circular, goal, np.clip(goal, lower, upper))

    def _begin(self, goal: Array | None, path: PathFollower | None) -> None:
        super()._begin(goal, path)
        self._done = False

    # -- steps ---------------------------------------------------------------------

    def before_physics(self, dt: float) -> None:
        """Push the joints for the step that follows."""
        wanted = self.wanted(dt)
        if wanted is None or not self._pushes():
            return
        robot = self.require_robot()
        n, limits = len(self._indices), robot.dof_torque_limits[self._indices]
        limits[limits <= 0.0] = np.inf
        asked = as_vector(self.efforts(wanted, dt), n, f"efforts() of {self!r}")
        self._efforts = np.clip(asked, -limits, limits)
        whole = np.zeros(robot.dof)
        whole[self._indices] = self._efforts
        robot.dynamics.set_dof_torques(whole)

    def simulation_step(self, dt: float) -> None:
        """Move the joints if nothing pushes them, and go on along the path."""
        wanted = self.wanted(dt)
        if wanted is None:
            return
        robot, n = self.require_robot(), len(self._indices)
        if self._pushes():
            moved = robot.dof_velocities[self._indices] * dt
        else:
            before = self.values
            after = self.next_values(wanted, dt)
            values = as_vector(after, n, f"next_values() of {self!r}")
            robot.set_dof_values(values, self._indices, LimitCheck.CLAMP)
            moved = robot.subtract_dof_values(self.values, before, self._indices)
        if self._path is not None:
            self._path.advance(dt)
        self._done = self._done or (
            (self._path is None or self._path.finished)
            and bool((np.abs(self.error(wanted)) <= self.tolerance).all())
            and bool((np.abs(moved) <= self.standing * dt).all())
        )

    def wanted(self, dt: float) -> JointMotion | None:
        """Return the desired joint motion after `dt`, None without a command."""
        robot = self.get_robot()
        if robot is None:
            return None
        if self._path is not None:
            return self._path.motion(robot, dt)
        if self._goal is None:
            return None
        still = np.zeros(len(self._indices))
        return JointMotion(self._goal.copy(), still, still.copy())

    def _pushes(self) -> bool:
        return type(self).efforts is not JointController.efforts and super()._pushes()

    def is_done(self) -> bool:
        """Return True when the last command is finished (or there was none)."""
        return self._done

    def get_velocity(self) -> Array:
        """Return the wanted rates, (n,), rad/s or m/s; 0 without a path."""
        wanted = self.wanted(0.0)
        return np.zeros(len(self._indices)) if wanted is None else wanted.rates

    def get_torque(self) -> Array:
        """Return the efforts of the last step, (n,), N m or N."""
        return self._efforts.copy()

    # -- state ---------------------------------------------------------------------

    def get_state(self) -> Any:
        """Return the command, the progress, and the class's own state."""
        path = None if self._path is None else self._path.saved()
        own = super().get_state()
        return _State(self._goal, path, self._efforts, self._done, own)

    def set_state(self, state: Any) -> None:
        """Go on where a twin was; ArgumentError for what is no state."""
        if state is None:
            return
        if not isinstance(state, _State):
            raise ArgumentError(f"state is {shown(state)}, expected a controller's")
        path = None
        if state.path is not None:
            path = state.path.resumed(self.require_robot(), self._indices)
        self._goal = None if state.goal is None else state.goal.copy()
        self._path, self._done = path, state.done
        self._efforts = state.efforts.copy()
        super().set_state(state.own)
