"""The tool that a controller moves with some joints of a robot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.spatial import Array, Indices, rotation_vector

if TYPE_CHECKING:
    from pyrave.bodies.robot import Robot
    from pyrave.bodies.views.link import Link

_DAMPING = 1e-3
"""Damping near singularities, by the largest singular value of the Jacobian."""


class Tool:
    """A frame fixed to a link of a robot as it is now.

    That of the first manipulator whose arm has all joints, or the most of them; the
    active manipulator goes first. A robot without one has the link of the last joint.

    Attributes
    ----------
    pose
        (4, 4) T_world_tool.
    jacobian
        (6, n) of the joints, linear rows first, world axes.
    """

    def __init__(self, robot: Robot, dofs: Indices) -> None:
        self._robot = robot
        self._dofs = dofs
        self.link, self._offset = _frame(robot, dofs)
        self.pose: Array = self.link.pose_view @ self._offset
        self.jacobian: Array = robot.jacobian(self.link, self.pose[:3, 3])[:, dofs]

    @property
    def velocity(self) -> Array:
        """(6,) linear, m/s, and angular, rad/s; world axes."""
        twist = self.link.velocity.copy()
        twist[:3] += np.cross(twist[3:], self.pose[:3, 3] - self.link.pose_view[:3, 3])
        return np.asarray(twist)

    def drift(self) -> Array:
        """Return (6,) the acceleration of the tool without acceleration of joints."""
        index, link = self.link.index, self.link
        found = self._robot.dynamics.link_accelerations()[index].copy()
        arm = self.pose[:3, 3] - link.pose_view[:3, 3]
        turn = link.velocity[3:]
        found[:3] += np.cross(found[3:], arm) + np.cross(turn, np.cross(turn, arm))
        return np.asarray(found)

    def pose_at(self, values: Array) -> Array:
        """Return T_world_tool (4, 4) where the joints have other values (n,)."""
        whole = self._robot.dof_values
        whole[self._dofs] = values
        poses = self._robot.compute_link_transforms(whole[None])
        return np.asarray(poses[0, self.link.index] @ self._offset)


def _frame(robot: Robot, dofs: Indices) -> tuple[Link, Array]:
    arms = list(robot.manipulators)
    if arms:
        active = robot.active_manipulator
        arms.sort(key=lambda arm: arm is not active)
    best, found = None, 0
    for arm in arms:
        common = len(np.intersect1d(arm.arm_indices, dofs))
        if common > found:
            best, found = arm, common
    if best is not None:
        return best.end_effector, best.local_tool_transform
    last = int(dofs[-1]) if len(dofs) else 0
    link = (
        robot.structure.joint_of_dof(last).child_link if robot.dof else robot.links[0]
    )
    return link, np.eye(4)


def pose_error(goal: Array, pose: Array) -> Array:
    """Return the motion (6,) from a pose to a goal: metres, rotation vector; world."""
    turn = rotation_vector(goal[:3, :3] @ pose[:3, :3].T)
    return np.concatenate((goal[:3, 3] - pose[:3, 3], turn))


def bounded_rates(jacobian: Array, twist: Array, lower: Array, upper: Array) -> Array:
    """Return the joint velocities (n,) within bounds that fit a twist (6,) best.

    Damped least squares with bounds, by active sets: joints that go beyond a bound
    stay there, and the others make up for them.
    """
    count = jacobian.shape[1]
    damping = (_DAMPING * max(float(np.linalg.norm(jacobian, 2)), 1e-9)) ** 2
    system = jacobian.T @ jacobian + damping * np.eye(count)
    right = jacobian.T @ twist
    rates, free = np.zeros(count), np.ones(count, np.bool_)
    for _ in range(count + 1):
        rest = right[free] - system[np.ix_(free, ~free)] @ rates[~free]
        rates[free] = np.linalg.solve(system[np.ix_(free, free)], rest)
        beyond = free & ((rates < lower) | (rates > upper))
        rates = np.clip(rates, lower, upper)
        if not beyond.any():
            break
        free &= ~beyond
    return rates
