"""Motors of joints that are as stiff as a step allows."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import NotSupportedError
from pyrave.interfaces import JointDrive
from pyrave.spatial import Array, Indices
from pyrave_base.efforts import NEAR, Dynamics, largest_inertias, push

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.bodies.robot import Robot

_LEAD = 0.05
"""Largest lead of a motor's goal over its joint, radians or metres."""
_JUMP = 2.0
"""Times the velocity limit: what has to move faster than that jumps."""
_STIFFNESS, _DAMPING = 1.0, 4.0
"""Stiffness and damping of a motor, by the square of the step and by the step."""


class VelocityMotors:
    """Motors that give joints velocities, as stiff as the step allows.

    Engines that drive joints get springs and dampers for the whole robot's inertia, so
    that light links push what they meet as hard as heavy ones. For others it is what
    the equations of motion ask for so that the velocity is there at the end of the
    step, and for what was missed before: a load, as a dry friction, slows nothing down
    for long.

    Parameters
    ----------
    count
        Number of joints.
    """

    def __init__(self, count: int) -> None:
        self.missed: Array = np.zeros(count)
        self.efforts: Array = np.zeros(count)
        self._drives = False

    def push(self, robot: Robot, dofs: Indices, rates: Array, dt: float) -> None:
        """Push joints so that they have rates (n,) at the end of a step of `dt`."""
        error = rates - robot.dof_velocities[dofs]
        free = _below_limits(robot, dofs, self.efforts)
        missed = self.missed + dt * np.where(free, error, 0.0)
        self.missed = np.clip(missed, -_LEAD, _LEAD)
        goal = robot.dof_values[dofs] + self.missed + dt * rates, rates
        self._drives = _drive(robot, dofs, goal, dt)
        if self._drives:
            return
        gain = 1.0 + _STIFFNESS + _DAMPING
        wanted = (_DAMPING * error + _STIFFNESS * self.missed / dt) / (gain * dt)
        self.efforts = push(robot, dofs, Dynamics(robot, dofs).efforts(wanted, dt))

    def note(self, robot: Robot, dofs: Indices) -> None:
        """Record the efforts of the engine in its step."""
        if self._drives:
            efforts = robot.env.physics_engine.get_joint_efforts(robot)
            self.efforts, self._drives = efforts[dofs], False


class PositionMotors:
    """Motors that move joints to values within a step, where an engine drives joints.

    They push as hard as moves the whole robot, within the torque limits. What a load
    makes them miss is made up for in the next steps.

    Parameters
    ----------
    count
        Number of joints.
    """

    def __init__(self, count: int) -> None:
        self.missed: Array = np.zeros(count)
        self._order: tuple[Array, NDArray[np.bool_]] | None = None

    def push(
        self,
        robot: Robot,
        dofs: Indices,
        goal: Array,
        stands: NDArray[np.bool_],
        dt: float,
    ) -> None:
        """Push joints so that they have values (n,) at the end of a step of `dt`.

        Parameters
        ----------
        stands
            (n,) whether they are there already, and are to stay.
        """
        now, limits = robot.dof_values[dofs], robot.dof_velocity_limits[dofs]
        rates = robot.subtract_dof_values(goal, now, dofs) / dt
        most = np.where(limits > 0.0, _JUMP * limits, np.inf)
        rates = np.clip(rates, -most, most)
        ahead = now + dt * rates + self.missed, rates
        driven = _drive(robot, dofs, ahead, dt)
        self._order = (goal, stands) if driven else None

    def note(self, robot: Robot, dofs: Indices) -> NDArray[np.bool_]:
        """Record the joint values after the step.

        Returns
        -------
        (n,) bool
            Which of those that were to stay squeeze something: they push with their
            torque limits, and what they touch holds them off.
        """
        if self._order is None:
            return np.zeros(len(dofs), np.bool_)
        goal, stands = self._order
        efforts = robot.env.physics_engine.get_joint_efforts(robot)[dofs]
        off = robot.subtract_dof_values(goal, robot.dof_values[dofs], dofs)
        free = _below_limits(robot, dofs, efforts)
        missed = self.missed + np.where(free, off, 0.0)
        self.missed, self._order = np.clip(missed, -_LEAD, _LEAD), None
        pressed = stands & ~free
        return pressed & _touching(robot, dofs) if pressed.any() else pressed


def _touching(robot: Robot, dofs: Indices) -> NDArray[np.bool_]:
    """Return (n,) whether what joints move touches anything."""
    links: set[int] = set()
    with suppress(NotSupportedError):
        for contact in robot.env.physics_engine.contacts():
            ends = (contact.first, contact.second)
            links |= {link.index for link in ends if link.body is robot}
    return np.asarray(robot.model.dof_affects[dofs][:, sorted(links)].any(axis=1))


def _below_limits(robot: Robot, dofs: Indices, efforts: Array) -> NDArray[np.bool_]:
    """Return (n,) whether joints are pushed with less than their torque limits."""
    limits = robot.dof_torque_limits[dofs]
    return np.asarray((limits <= 0.0) | (np.abs(efforts) < limits * NEAR))


def _drive(robot: Robot, dofs: Indices, goal: tuple[Array, Array], dt: float) -> bool:
    """Let the engine take joints to values and rates; False if it cannot."""
    if not robot.env.physics_engine.can_drive(robot, dofs):
        return False
    # what a joint's damper takes in a step counts as inertia
    inertias = largest_inertias(robot, dofs)
    inertias = inertias + dt * robot.model.viscous_frictions[dofs]
    gains = _STIFFNESS / dt**2 * inertias, _DAMPING / dt * inertias
    order = JointDrive(dofs, *goal, *gains, np.zeros(len(dofs)))
    robot.env.physics_engine.drive_joints(robot, order)
    return True
