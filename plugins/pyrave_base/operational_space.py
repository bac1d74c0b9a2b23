"""Control of the tool in the operational space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.authoring import JointMotion
from pyrave.errors import ArgumentError
from pyrave.kinematics.limits import LimitCheck
from pyrave.spatial import Array, as_pose, as_vector
from pyrave_base.efforts import Dynamics
from pyrave_base.gains import Gain, ServoSettings, joint_gain
from pyrave_base.joint_servos import AccelerationServo, tracking
from pyrave_base.tool import Tool, pose_error

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from pyrave import Environment
    from pyrave.bodies.robot import Robot

_SINGULAR = 1e-6
"""Share of the largest mobility below which the tool cannot accelerate."""


@dataclass(frozen=True)
class OperationalSpaceSettings(ServoSettings):
    """Settings of `OperationalSpaceController`."""

    kp: Gain = joint_gain(
        400.0, "spring of the tool, and of joints that do not move it", "1/s2"
    )
    kd: Gain = joint_gain(40.0, "damper of these", "1/s")
    posture_kp: Gain = joint_gain(
        100.0, "spring of the joints that move the tool", "1/s2"
    )
    posture_kd: Gain = joint_gain(20.0, "damper of these", "1/s")
    ki: Gain = joint_gain(
        30.0, "how fast loads are found out on the way to joint values", "1/s"
    )


class OperationalSpaceController(AccelerationServo):
    """Push joints so that the tool behaves as a free mass on a spring.

    ``effort = J^T L (a - dJ/dt dq/dt) + N^T M b + h``, where L is the inertia of the
    tool, a the acceleration that its error asks for, b that of the joints towards their
    posture, and N what moves joints but not the tool (Khatib, A unified approach for
    motion and force control of robot manipulators: the operational space formulation,
    IEEE Journal on Robotics and Automation 3, 1987). Directions in which the tool
    cannot move are left out. Held bodies count.

    Joint values and trajectories are goals of the tool, by where they have it, and of
    the posture; `set_pose` is a goal of the tool alone. With `set_wrench` the tool
    pushes in some directions, ``J^T f``, where it only damps its motion, and keeps to
    its goal in the others: hybrid control. Without a physics engine that applies
    efforts the joints accelerate as they would with it. The tool is that of the
    manipulator whose arm has these joints, else the link of the last joint.

    With `set_pose` and `set_wrench` the tool is as soft as its gains say.
    """

    contract = 2
    settings_type = OperationalSpaceSettings

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._pose: Array | None = None
        self._twist: Array = np.zeros(6)
        self._wrench: Array = np.zeros(6)
        self._gives_way: Array = np.zeros(6)

    def _drop_command(self) -> None:
        super()._drop_command()
        self._pose, self._twist = None, np.zeros(6)
        self._wrench, self._gives_way = np.zeros(6), np.zeros(6)

    def set_wrench(
        self, wrench: ArrayLike, directions: ArrayLike | None = None
    ) -> None:
        """Push with the tool in some directions from the next step on.

        It acts along with `set_pose`, until another goal or `reset`. With nothing in
        its way the tool accelerates as a free mass that ``kd`` damps. Without a physics
        engine that applies efforts it does not push, and stands in these directions.

        Parameters
        ----------
        wrench
            (6,) N and N m at the tool, world axes, on what it touches.
        directions
            (6,) 1 for those in which it gives way in place of keeping to its goal, 0
            for the others; None: where the wrench is not 0.

        Raises
        ------
        ArgumentError
            Not six numbers, or directions that are neither 0 nor 1.
        StateError
            There is no robot.
        """
        robot = self.require_robot()
        pushing = as_vector(wrench, 6, "wrench").copy()
        chosen = 1.0 * (pushing != 0.0) if directions is None else directions
        free = as_vector(chosen, 6, "directions").copy()
        if not np.isin(free, (0.0, 1.0)).all():
            raise ArgumentError(f"directions are {free}, expected six of 0 and 1")
        if not self._commanded and self._pose is None:
            self.set_pose(Tool(robot, self._indices).pose)
        self._wrench, self._gives_way = pushing, free

    def set_pose(
        self,
        pose: ArrayLike,
        twist: ArrayLike | None = None,
        posture: ArrayLike | None = None,
    ) -> None:
        """Take the tool to a pose of the world from the next step on.

        Parameters
        ----------
        pose
            (4, 4) or 7-vector T_world_tool.
        twist
            (6,) velocity that it should have there, m/s and rad/s, world axes; None is
            rest. Moving goals are set in each step.
        posture
            (n,) values that the joints should have as far as the tool allows; None are
            those before, or the present ones. Joints that do not move the tool then go
            on as they were told.

        Raises
        ------
        ArgumentError
            No pose, or not as many numbers.
        StateError
            There is no robot.
        """
        robot = self.require_robot()
        wanted = as_pose(pose, "pose")
        moving = np.zeros(6) if twist is None else as_vector(twist, 6, "twist").copy()
        rest = self._goal if self._pose is not None else None
        if posture is not None:
            rest = as_vector(posture, len(self._indices), "posture").copy()
        elif rest is None:
            told = self._kept(robot)
            free = np.isnan(told) | self._moves_tool(robot)
            rest = np.where(free, robot.dof_values[self._indices], told)
        if self._pose is None:
            kept = self._wrench, self._gives_way
            self._drop_command()
            self._wrench, self._gives_way = kept
        self._goal = rest
        self._pose, self._twist = wanted, moving
        self._done = True

    def law(self, robot: Robot, wanted: JointMotion, dt: float) -> Array:
        """Return (n,) efforts for a step."""
        efforts = super().law(robot, wanted, dt)
        if self._wrench.any():
            efforts = efforts + Tool(robot, self._indices).jacobian.T @ self._wrench
        return np.asarray(efforts)

    @property
    def learns(self) -> bool:
        """True on the way to joint values, False on the way to a pose."""
        return self._pose is None

    def simulation_step(self, dt: float) -> None:
        """Go on along the path; accelerate the joints if nothing pushes them."""
        robot = self.get_robot()
        pushed = robot is None or self.takes_efforts()
        if not pushed and robot is not None and self._pose is not None:
            wanted = self._wanted(robot, dt)
            if wanted is not None and not self._paused:
                self._accelerate(robot, wanted, dt)
            return
        super().simulation_step(dt)

    def is_done(self) -> bool:
        """Return True when the path is over and the joints stand; see the class."""
        robot = self.get_robot()
        if robot is None or self._pose is None:
            return super().is_done()
        tool = Tool(robot, self._indices)
        error = np.abs(pose_error(self._pose, tool.pose))[self._gives_way == 0.0]
        error = error.max(initial=0.0)
        return bool(error < 1e-3 and np.abs(tool.velocity).max() < 1e-2)

    # -- inside --------------------------------------------------------------------

    def _told(self, robot: Robot) -> Array:
        told = super()._told(robot)
        if self._pose is None:
            return told
        # they were told where to take the tool
        return np.where(self._moves_tool(robot), np.nan, told)

    def _moves_tool(self, robot: Robot) -> NDArray[np.bool_]:
        """Return (n,) whether joints move the tool."""
        return np.asarray(Tool(robot, self._indices).jacobian.any(axis=0))

    def _accelerate(self, robot: Robot, wanted: JointMotion, dt: float) -> None:
        dofs = self._indices
        found = self.accelerations(robot, Dynamics(robot, dofs), wanted, dt)
        rates = robot.dof_velocities
        rates[dofs] += dt * found
        before = robot.dof_values[dofs]
        robot.set_dof_values(before + dt * rates[dofs], dofs, LimitCheck.CLAMP)
        moved = robot.subtract_dof_values(robot.dof_values[dofs], before, dofs)
        rates[dofs] = moved / dt  # a limit stops a joint
        robot.dof_velocities = rates

    def accelerations(
        self, robot: Robot, dynamics: Dynamics, wanted: JointMotion, dt: float
    ) -> Array:
        """Return (n,) accelerations for a step."""
        dofs, gains = self._indices, self._gains
        tool = Tool(robot, dofs)
        goal = self._goal_of_tool(tool, wanted, dt)
        spatial = [np.full(6, gains[name].max(initial=0.0)) for name in ("kp", "kd")]
        velocity = tool.velocity
        errors = (pose_error(goal[0], tool.pose), goal[1] - velocity, goal[2])
        task = tracking(spatial[0], spatial[1], errors, velocity, dt) - tool.drift()
        values, rates = self.present(robot)
        towards = robot.subtract_dof_values(wanted.values, values, dofs)
        own = (towards, wanted.rates - rates, wanted.accelerations)
        j = tool.jacobian
        moves_tool = j.any(axis=0)
        kp, kd = (
            np.where(moves_tool, gains[f"posture_{name}"], gains[name])
            for name in ("kp", "kd")
        )
        posture = tracking(kp, kd, own, rates, dt)
        inertia = dynamics.inertia
        if not (np.diagonal(inertia) > 0.0).all():
            inertia = np.eye(len(dofs))  # without masses all joints count alike
        by_force = np.linalg.solve(inertia, j.T)
        # J^+ = M^-1 J^T (J M^-1 J^T)^-1, Khatib's equations 46 and 60
        felt = np.linalg.pinv(j @ by_force, _SINGULAR, hermitian=True)
        onto = by_force @ felt
        free = self._gives_way > 0.0
        if free.any():
            # no force there, also none that motion in the other directions would take
            slowed = -spatial[1] * velocity / (1.0 + dt * spatial[1])
            rest = felt[np.ix_(free, ~free)] @ task[~free]
            share = np.linalg.pinv(felt[np.ix_(free, free)], _SINGULAR, hermitian=True)
            task[free] = slowed[free] - share @ rest
        return np.asarray(posture + onto @ (task - j @ posture))

    def _goal_of_tool(
        self, tool: Tool, wanted: JointMotion, dt: float
    ) -> tuple[Array, Array, Array]:
        """Return pose, velocity (6,) and acceleration (6,) for the end of the step."""
        if self._pose is not None:
            return self._pose, self._twist, np.zeros(6)
        pose = tool.pose_at(wanted.values)
        if not wanted.rates.any() and not wanted.accelerations.any():
            return pose, np.zeros(6), np.zeros(6)
        curve = 0.5 * dt * dt * wanted.accelerations
        after = tool.pose_at(wanted.values + dt * wanted.rates + curve)
        before = tool.pose_at(wanted.values - dt * wanted.rates + curve)
        forth, back = pose_error(after, pose), pose_error(pose, before)
        return pose, (forth + back) / (2.0 * dt), (forth - back) / (dt * dt)

    # -- state ---------------------------------------------------------------------

    def get_own_state(self) -> Any:
        """Return the state of a servo, and the goal of the tool."""
        hybrid = self._wrench.copy(), self._gives_way.copy()
        return super().get_own_state(), self._pose, self._twist, hybrid

    def set_own_state(self, state: Any) -> None:
        """Go on where `get_own_state` of a twin was."""
        if isinstance(state, tuple):
            known, self._pose, self._twist, hybrid = state
            self._wrench, self._gives_way = (one.copy() for one in hybrid)
            super().set_own_state(known)
