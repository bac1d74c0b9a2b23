"""A configuration of a plan: the poses of its robot and its tool."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pyrave.bodies.new_manipulator import how_to_add
from pyrave.errors import NotSupportedError
from pyrave.kinematics import compile_tool, link_transforms, tool_jacobian
from pyrave.kinematics.affine import affine_jacobian
from pyrave.spatial import Array, skew

if TYPE_CHECKING:
    from pyrave.bodies.manipulator import Manipulator
    from pyrave.bodies.robot import Robot
    from pyrave.kinematics import Tool
    from pyrave.planning.query.space import PlanningSpace


class ToolKinematics:
    """The tool of a manipulator as a function of planned values; nothing is moved.

    Raises
    ------
    NotSupportedError
        There is no manipulator.
    """

    def __init__(self, space: PlanningSpace, arm: Manipulator | None) -> None:
        if arm is None:
            raise NotSupportedError(
                "a constraint is about a tool, and the robot has no manipulator; "
                + how_to_add(space.robot)
            )
        self._space = space
        self._arm = arm
        # closed loops are closed by the robot alone
        self._loops = space.robot.model.closing_joints.size > 0
        self._compiled: Tool = compile_tool(
            space.robot.state_model,
            arm.description.end_effector,
            arm.local_tool_transform,
            space.indices,
        )

    def pose(self, values: Array) -> Array:
        """Return T_world_tool (4, 4)."""
        space, tool = self._space, self._compiled
        if self._loops:
            space.place(values)
            return self._arm.transform
        base, joints = space.split(values)
        return np.asarray(
            link_transforms(tool.model, base, joints)[tool.link] @ tool.T_link_tool
        )

    def jacobian(self, values: Array, pose: Array, point: Array) -> Array:
        """Return the (6, n) derivative of a point that is fixed to the tool."""
        space = self._space
        if self._loops:
            space.place(values)
            return space.robot.active.jacobian(self._arm.end_effector, point)
        base, joints = space.split(values)
        own = tool_jacobian(self._compiled, base, joints)
        own[:3] -= skew(point - pose[:3, 3]) @ own[3:]
        if not space.affine:
            return own
        x, y, z = space.robot.active.affine_rotation_axis.tolist()
        moved = affine_jacobian(base, point, int(space.affine), (x, y, z))
        return np.concatenate((own, moved), axis=1)


class PlannedConfiguration:
    """A configuration that constraints are asked about.

    Parameters
    ----------
    space
        The active degrees of freedom that are planned.
    tool
        Kinematics of the arm whose tool is asked about, None without an arm.
    values
        (dof,) values in the order of `space`.

    Attributes
    ----------
    values
        (n,) of the planned degrees of freedom.
    """

    def __init__(
        self, space: PlanningSpace, tool: ToolKinematics | None, values: Array
    ) -> None:
        self.values = values
        self._space = space
        self._tool = tool

    @property
    def robot(self) -> Robot:
        """The robot, taken there."""
        self._space.place(self.values)
        return self._space.robot

    def moved(self, by: Array) -> PlannedConfiguration:
        """Return a configuration nearby, (n,) away."""
        return PlannedConfiguration(self._space, self._tool, self.values + by)

    @cached_property
    def tool_pose(self) -> Array:
        """(4, 4) T_world_tool; the robot need not be there."""
        return self._kinematics.pose(self.values)

    def tool_jacobian(self, point: Array | None = None) -> Array:
        """Return the (6, n) derivative of a point of the tool by the values.

        Parameters
        ----------
        point
            (3,) world, fixed to the tool; its origin if left out.
        """
        pose = self.tool_pose
        where = pose[:3, 3] if point is None else point
        return self._kinematics.jacobian(self.values, pose, where)

    @property
    def _kinematics(self) -> ToolKinematics:
        return self._tool or ToolKinematics(self._space, None)
