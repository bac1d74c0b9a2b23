"""Joint efforts: their transfer to engines, and those that accelerations need."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from pyrave.interfaces import JointDrive
from pyrave.kinematics import joint_friction
from pyrave.spatial import Array, Indices

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.robot import Robot

_LEAST = 1e-6
CREEP = 1e-3
"""Rate from which on dry friction counts as a whole, rad/s or m/s."""
NEAR = 1.0 - 1e-9
"""Part of a torque limit above which a torque is at the limit."""


def drive(
    robot: Robot,
    dofs: Indices,
    goal: tuple[Array, Array],
    gains: tuple[Array, Array],
    efforts: Array,
) -> bool:
    """Push joints by springs and dampers of the engine during its next step.

    Parameters
    ----------
    goal
        (n,) values and rates at the end of the step.
    gains
        (n,) stiffness and damping: N m/rad and N m s/rad, N/m and N s/m.
    efforts
        (n,) that are added, N m or N.

    Returns
    -------
    bool
        False where the engine has no springs and dampers; nothing pushes then.
    """
    engine = robot.env.physics_engine
    if not engine.can_drive(robot, dofs):
        return False
    engine.drive_joints(robot, JointDrive(dofs, *goal, *gains, efforts))
    return True


def largest_inertias(robot: Robot, dofs: Indices) -> Array:
    """Return (n,) no less than the whole robot's inertia about its joints, kg m2 or kg.

    With what it holds: no joint of it ever feels more, whatever the others do. They are
    powers of two, so that last digits of poses do not count.
    """
    bodies = [robot, *(held for held, _ in _held_by(robot))]
    masses = np.concatenate([body.model.masses for body in bodies])
    centers = np.concatenate([_centers(body) for body in bodies])
    own = sum(float(np.trace(body.model.inertias.sum(axis=0))) for body in bodies)
    anchors, axes = _axes_of(robot, dofs)
    arms = np.cross(centers - anchors[:, None], axes[:, None])
    turning = (arms * arms).sum(axis=2) @ masses + own
    slides = robot.model.prismatic[: robot.dof][dofs]
    found = np.where(slides, masses.sum(), turning)
    return np.asarray(np.exp2(np.ceil(np.log2(np.maximum(found, _LEAST)))))


def _axes_of(robot: Robot, dofs: Indices) -> tuple[Array, Array]:
    """Return (n, 3) points of the world on axes of joints, and their directions."""
    model = robot.model
    joints = model.value_joint[dofs]
    links = robot.transforms_view[model.joint_links[joints, 0]]
    frames = links @ model.T_parent_joint[joints]
    axes = np.einsum("nij,nj->ni", frames[:, :3, :3], model.axis_directions[dofs])
    for k in np.flatnonzero(model.value_axis[dofs]).tolist():
        # the axes before it turn it
        joint = robot.structure.joint_of_dof(int(dofs[k]))
        axes[k] = joint.axes[int(model.value_axis[dofs[k]])]
    return frames[:, :3, 3], axes


def _centers(body: KinBody) -> Array:
    """Return (n_links, 3) the centres of mass of links, world axes."""
    poses = body.transforms_view
    turned = np.einsum("nij,nj->ni", poses[:, :3, :3], body.model.coms)
    return np.asarray(turned + poses[:, :3, 3])


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
    robot.dynamics.set_dof_torques(whole)
    return given


class Dynamics:
    """Efforts that move some joints of a robot as it is now, with its grabs.

    Of held bodies mass, inertia and weight count, but not what velocities do to them.

    Parameters
    ----------
    robot
        Whose joints.
    dofs
        (n,) its degrees of freedom that are pushed.

    Attributes
    ----------
    inertia
        (n, n) with the others, and a base that is not static, free to give way
        (Featherstone, Rigid Body Dynamics Algorithms, section 9.6): what feels less
        than it has never goes too far.
    load
        (n,) efforts at which nothing accelerates, N m or N.
    """

    def __init__(self, robot: Robot, dofs: Indices) -> None:
        self._robot = robot
        self._dofs = dofs
        self._held = [one for one in _held_by(robot) if one[0].mass]
        whole = robot.mass_matrix()
        for held, index in self._held:
            center = held.center_of_mass
            rows = robot.jacobian(index, center)
            whole = whole + _momenta(rows, held.mass, _inertia_about(held, center))
        self._external = self._weights()
        self.load: Array = robot.inverse_dynamics(external=self._external)[dofs]
        self.inertia: Array = self._with_others_free(whole)

    def gravity(self) -> Array:
        """Return (n,) the efforts that hold the robot at rest."""
        parts = self._robot.inverse_dynamics(external=self._external, components=True)
        return np.asarray(parts[2][self._dofs])

    def efforts(self, accelerations: Array, dt: float) -> Array:
        """Return (n,) the efforts for accelerations (n,) during `dt` seconds.

        Friction is that at the end of the step: so that a joint which friction brakes
        within the step goes as fast as wanted, and one that stands comes free.
        """
        given = self.inertia @ accelerations + self.load
        robot, dofs, model = self._robot, self._dofs, self._robot.model
        if model.has_friction:
            rates = robot.dof_velocities
            given -= joint_friction(model, rates)[dofs]
            ahead = rates[dofs] + dt * accelerations
            given += model.coulomb_frictions[dofs] * np.clip(ahead / CREEP, -1.0, 1.0)
            given += model.viscous_frictions[dofs] * ahead
        return np.asarray(given)

    def _weights(self) -> Array | None:
        """Return (n_links, 6) what held bodies weigh on links, None for nothing."""
        if not self._held:
            return None
        external = np.zeros((len(self._robot.links), 6))
        for held, index in self._held:
            weight = held.mass * self._robot.env.gravity
            arm = held.center_of_mass - self._robot.links[index].global_com
            external[index, :3] += weight
            external[index, 3:] += np.cross(arm, weight)
        return external

    def _with_others_free(self, whole: Array) -> Array:
        robot, dofs = self._robot, self._dofs
        if not robot.links[0].static:
            whole = _with_base(robot, whole)
        free = np.setdiff1d(np.arange(len(whole)), dofs)
        own = whole[np.ix_(dofs, dofs)]
        if not len(free):
            return np.asarray(own)
        cross = whole[np.ix_(free, dofs)]
        inner = np.linalg.pinv(whole[np.ix_(free, free)], hermitian=True)
        return np.asarray(own - cross.T @ inner @ cross)


def _momenta(rows: Array, mass: float, inertia: Array) -> Array:
    """Return (n, n) the share of a body in a mass matrix.

    Parameters
    ----------
    rows
        (6, n) Jacobian of its centre of mass.
    inertia
        (3, 3) about it, world axes.
    """
    return np.asarray(mass * rows[:3].T @ rows[:3] + rows[3:].T @ inertia @ rows[3:])


def _with_base(robot: Robot, whole: Array) -> Array:
    """Return (dof + 6, dof + 6) the mass matrix of a robot with a free base."""
    n = robot.dof
    full = np.zeros((n + 6, n + 6))
    origin = robot.transform[:3, 3]
    for link in robot.links:
        if not link.mass:
            continue
        x, y, z = link.global_com - origin
        rows = np.zeros((6, n + 6))
        rows[:, :n] = robot.jacobian(link, link.global_com)
        rows[:, n:] = np.eye(6)
        rows[:3, n + 3 :] = (0.0, z, -y), (-z, 0.0, x), (y, -x, 0.0)
        turn = link.transform[:3, :3]
        full += _momenta(rows, link.mass, turn @ link.local_inertia @ turn.T)
    full[:n, :n] = whole  # has rotors, and what is held
    return full


def _inertia_about(body: KinBody, center: Array) -> Array:
    """Return (3, 3) the inertia of a body about a point, world axes."""
    inertia = np.zeros((3, 3))
    for one in body.links:
        turn, arm = one.transform[:3, :3], one.global_com - center
        inertia += turn @ one.local_inertia @ turn.T
        inertia += one.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return inertia


def _held_by(body: KinBody) -> Iterator[tuple[KinBody, int]]:
    """Yield (held body, link) of all that a body holds, and what those hold in turn."""
    for held in body.grabbed:
        link = body.grabs.link_of(held)
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
