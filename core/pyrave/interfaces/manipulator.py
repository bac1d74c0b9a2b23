"""Manipulators: a chain of a robot with a tool frame and a gripper."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError, NotSupportedError, StateError
from pyrave.interfaces.iksolver import IkFilterOptions, IkSolverBase
from pyrave.spatial import Array, as_pose

if TYPE_CHECKING:
    from pyrave.interfaces.kinbody import Joint, Link
    from pyrave.interfaces.robot import Robot
    from pyrave.scene import ManipulatorDescription

__all__ = ["Manipulator"]


class Manipulator:
    """One manipulator of a robot."""

    def __init__(self, robot: Robot, description: ManipulatorDescription) -> None:
        self._robot = weakref.ref(robot)
        self._ik_solver: IkSolverBase | None = None
        self._arm: tuple[int, ...] | None = None
        self.description = description

    @property
    def robot(self) -> Robot:
        """The robot it belongs to."""
        robot = self._robot()
        if robot is None:
            raise StateError(f"the robot of manipulator {self.name!r} is gone")
        return robot

    @property
    def name(self) -> str:
        """Name, unique in the robot."""
        return self.description.name

    @property
    def base(self) -> Link:
        """The link where the chain begins."""
        return self.robot.links[self.description.base]

    @property
    def end_effector(self) -> Link:
        """The link where the chain ends."""
        return self.robot.links[self.description.end_effector]

    @property
    def local_tool_transform(self) -> Array:
        """(4, 4) T_end_effector_tool."""
        return self.description.tool.matrix

    @property
    def direction(self) -> Array:
        """(3,) approach direction in the tool frame."""
        return np.array(self.description.direction)

    @property
    def arm_indices(self) -> tuple[int, ...]:
        """Degrees of freedom of the chain from base to end effector, in its order.

        A mimic joint in the chain counts as the joint that it follows.
        """
        if self._arm is None:
            chain = self.robot.model.chain(
                self.description.base, self.description.end_effector
            )
            self._arm = tuple(int(i) for i in chain.dof_indices)
        return self._arm

    @property
    def gripper_indices(self) -> tuple[int, ...]:
        """Degrees of freedom of the gripper joints."""
        indices: list[int] = []
        model = self.robot.model
        for name in self.description.gripper_joints:
            first, count = model.joint_values[model.joint_number(name)].tolist()
            indices += [i for i in range(first, first + count) if i < model.n_dof]
        return tuple(indices)

    @property
    def gripper_joints(self) -> tuple[Joint, ...]:
        """The gripper joints."""
        robot = self.robot
        return tuple(
            robot.all_joints[robot.model.joint_number(name)]
            for name in self.description.gripper_joints
        )

    @property
    def chucking_direction(self) -> Array:
        """Per gripper degree of freedom the sign that closes it, -1, 0 or 1."""
        given = np.sign(np.array(self.description.chucking_direction, dtype=np.float64))
        n = len(self.gripper_indices)
        return given if given.size == n else np.zeros(n)

    @property
    def transform(self) -> Array:
        """(4, 4) T_world_tool."""
        return np.asarray(self.end_effector.pose_view @ self.local_tool_transform)

    def jacobian(self) -> Array:
        """Return the (6, n_arm) Jacobian of the tool, linear rows first, world axes."""
        full = self.robot.jacobian(self.end_effector, self.transform[:3, 3])
        return full[:, list(self.arm_indices)]

    @property
    def ik_solver(self) -> IkSolverBase | None:
        """The inverse kinematics solver, None without one; assignable."""
        return self._ik_solver

    @ik_solver.setter
    def ik_solver(self, solver: IkSolverBase | None) -> None:
        if solver is not None:
            env = self.robot.env
            if not isinstance(solver, IkSolverBase) or solver.env is not env:
                raise ArgumentError(
                    f"{solver!r} is not a solver made for the environment of {self!r}"
                )
            if not solver.init(self):
                raise NotSupportedError(f"{solver!r} does not fit {self!r}")
        self._ik_solver = solver

    def solve_ik(
        self,
        target: Any,
        *,
        all: bool = False,  # noqa: A002 - a promised name
        options: IkFilterOptions = IkFilterOptions.NONE,
    ) -> Array | None:
        """Return joint values that bring the tool to a pose.

        Parameters
        ----------
        target
            (4, 4) or 7-vector T_world_tool, or an `IkParameterization` in the world.
        all
            True: (k, n_arm) all solutions, k may be 0. False: (n_arm,) the one nearest
            to the present values, or None.

        Raises
        ------
        NotSupportedError
            The manipulator has no solver.
        """
        from pyrave.interfaces.ik_parameterization import (
            IkParameterization,
            IkParameterizationType,
        )

        solver = self._ik_solver
        if solver is None:
            wanted = self.description.ik_solver
            asked = f" (its file asks for {wanted!r})" if wanted else ""
            raise NotSupportedError(
                f"{self!r} has no inverse kinematics solver{asked}; assign one: "
                "arm.ik_solver = env.create('iksolver', 'Id')"
            )
        goal = (
            target
            if isinstance(target, IkParameterization)
            else IkParameterization.from_pose(
                IkParameterizationType.Transform6D, as_pose(target, "target")
            )
        )
        if all:
            found = [r.solution for r in solver.solve_all(goal, options) if r]
            n = len(self.arm_indices)
            return np.array(found, dtype=np.float64).reshape(len(found), n)
        q0 = self.robot.dof_values[list(self.arm_indices)]
        answer = solver.solve(goal, q0, options)
        return answer.solution if answer else None

    def __repr__(self) -> str:
        robot = self._robot()
        return f"<manipulator {robot.name if robot else '?'}/{self.name}>"
