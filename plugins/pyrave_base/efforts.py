"""Efforts of joints: whether an engine takes them, and how much moves what."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from pyrave.spatial import Array, Indices

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.robot import Robot


def takes_efforts(robot: Robot, dofs: Indices) -> bool:
    """Return whether efforts move degrees of freedom of a robot.

    The physics engine must apply them, and the links not go where they are put.
    """
    engine = robot.env.physics_engine
    if not engine.applies_efforts or engine.disabled or not len(dofs):
        return False
    joints = (robot.joint_of_dof(int(dof)) for dof in dofs)
    links = [joint.child_link for joint in joints]
    return not any(link.static or link.kinematic for link in links)


def push(robot: Robot, dofs: Indices, efforts: Array) -> Array:
    """Push joints during the next step of the engine, within their torque limits.

    Returns
    -------
    (n,) float64
        What they are pushed with, N m or N.
    """
    limits = robot.dof_torque_limits[dofs]
    limits[limits <= 0.0] = np.inf
    given = np.clip(efforts, -limits, limits)
    whole = np.zeros(robot.dof)
    whole[dofs] = given
    robot.set_dof_torques(whole)
    return given


class Dynamics:
    """The equations of motion of a robot as it is now, with what it holds.

    ``efforts = mass_matrix @ accelerations + bias``: of held bodies mass, inertia and
    weight count, but not what velocities do to them. The base does not accelerate.
    """

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self.mass_matrix = robot.mass_matrix()
        external = None
        for held, index in _held_by(robot):
            if not held.mass:
                continue
            if external is None:
                external = np.zeros((len(robot.links), 6))
            self._carry(held, index, external)
        self.bias: Array = robot.inverse_dynamics(external=external)
        self._external = external

    def gravity(self) -> Array:
        """Return (dof,) the efforts that hold the robot at rest."""
        parts = self._robot.inverse_dynamics(external=self._external, components=True)
        return np.asarray(parts[2])

    def efforts(self, accelerations: Array) -> Array:
        """Return (dof,) the efforts for accelerations (dof,)."""
        return np.asarray(self.mass_matrix @ accelerations + self.bias)

    def _carry(self, held: KinBody, index: int, external: Array) -> None:
        link, center = self._robot.links[index], held.center_of_mass
        weight = held.mass * self._robot.gravity
        external[index, :3] += weight
        external[index, 3:] += np.cross(center - link.global_com, weight)
        inertia = np.zeros((3, 3))
        for one in held.links:
            turn, arm = one.transform[:3, :3], one.global_com - center
            inertia += turn @ one.local_inertia @ turn.T
            inertia += one.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        rows = self._robot.jacobian(index, center)
        self.mass_matrix = (
            self.mass_matrix
            + held.mass * rows[:3].T @ rows[:3]
            + rows[3:].T @ inertia @ rows[3:]
        )


def _held_by(body: KinBody) -> Iterator[tuple[KinBody, int]]:
    """Yield (held body, link) of all that a body holds, and what those hold in turn."""
    for held in body.grabbed:
        link = body.grabbing_link(held)
        if link is not None:
            yield held, link.index
            yield from ((further, link.index) for further, _ in _held_by(held))


def feedback(
    inertia: Array,
    load: Array,
    stiffness: Array,
    damping: Array,
    errors: tuple[Array, Array],
    dt: float,
) -> Array:
    """Return efforts of springs and dampers that no step makes unstable.

    ``stiffness * position error + damping * velocity error`` as they are at the end of
    the step, which the efforts themselves change (Tan, Liu and Turk, Stable
    proportional-derivative controllers, IEEE Computer Graphics and Applications 31,
    2011, here with both errors at the end). For short steps it is the law as written.

    Parameters
    ----------
    inertia
        (n, n) mass matrix.
    load
        (n,) efforts that work against the motion (the bias), less other efforts.
    stiffness, damping
        (n,) N m/rad and N m s/rad, N/m and N s/m; what is negative acts as it is now.
    errors
        (n,) position errors and velocity errors: what is wanted at the end of the
        step, less what would be there if nothing accelerated.
    dt
        The step, seconds.
    """
    wanted = stiffness * errors[0] + damping * errors[1]
    change = dt * np.maximum(damping, 0.0) + dt * dt * np.maximum(stiffness, 0.0)
    system, right = inertia + np.diag(change), wanted - load
    try:
        accelerations = np.linalg.solve(system, right)
    except np.linalg.LinAlgError:  # joints without inertia and gains
        accelerations = np.linalg.lstsq(system, right, rcond=None)[0]
    return np.asarray(wanted - change * accelerations)
