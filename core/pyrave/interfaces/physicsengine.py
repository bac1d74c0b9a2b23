"""Base of physics engines, which move bodies that nobody controls."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pyrave.attributes import answers_other_names
from pyrave.errors import ArgumentError, NotSupportedError
from pyrave.interfaces.engine import WorldEngine
from pyrave.scene import DEFAULT_GRAVITY
from pyrave.spatial import Array, Indices, IndicesLike, as_indices, as_vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.views.joint import Joint
    from pyrave.bodies.views.link import Link
    from pyrave.environment import Environment


@dataclass(frozen=True, slots=True, eq=False)
class PhysicsContact:
    """A point where two links touch.

    Parameters
    ----------
    first, second
        The links.
    position
        (3,) in the world, metres.
    normal
        (3,) out of the first link, world axes.
    force
        (3,) on the second link, newtons, world axes; the first gets its opposite.
    depth
        Penetration, metres; negative while they are apart.
    """

    first: Link
    second: Link
    position: Array
    normal: Array
    force: Array
    depth: float


@dataclass(frozen=True, slots=True, eq=False)
class JointDrive:
    """Springs, dampers and efforts that push degrees of freedom during one step.

    ``stiffness (position - q) + damping (rate - dq/dt) + effort``, within the torque
    limits. An engine takes q and dq/dt at the end of each step of its own, with
    contacts: gains of any size are stable, and what is held still gets what they say.

    Parameters
    ----------
    dofs
        (n,) degrees of freedom, each once.
    positions, rates
        (n,) where they shall be at the end of the environment's step, and how fast
        they move there: rad and rad/s, m and m/s. During the step the goal moves with
        that rate. Angles count as they are, not the short way round.
    stiffness, damping
        (n,) N m/rad and N m s/rad, N/m and N s/m; not negative.
    efforts
        (n,) N m or N.

    Raises
    ------
    ArgumentError
        A wrong number of numbers, a negative gain, what is no finite number, a degree
        of freedom twice.
    """

    dofs: Indices
    positions: Array
    rates: Array
    stiffness: Array
    damping: Array
    efforts: Array

    def __post_init__(self) -> None:
        dofs = as_indices(self.dofs, "dofs")
        if len(np.unique(dofs)) < len(dofs):
            raise ArgumentError(f"dofs of a drive are {dofs}, expected each once")
        object.__setattr__(self, "dofs", dofs)
        for name in ("positions", "rates", "stiffness", "damping", "efforts"):
            given = as_vector(getattr(self, name), len(dofs), f"{name} of a drive")
            object.__setattr__(self, name, given.copy())
            if name in {"stiffness", "damping"} and (given < 0.0).any():
                raise ArgumentError(
                    f"{name} of a drive is {given}, expected no negative numbers"
                )


@answers_other_names
class PhysicsEngineBase(WorldEngine):
    """Moves bodies; one per environment. A subclass writes `simulate_step`.

    Velocities live in the bodies, so that states, clones and files have them; an engine
    that keeps them itself overrides the methods of velocities.

    The environment calls `init_environment` when the engine is installed,
    `init_kinbody` and `remove_kinbody` per body, `update` if anything changed and
    `simulate_step` first in each step, and `destroy_environment` when another engine
    takes over.
    """

    interface_type: ClassVar[str] = "physicsengine"
    contract: ClassVar[int] = 1

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._gravity = np.array(DEFAULT_GRAVITY)

    @property
    def applies_efforts(self) -> bool:
        """True if `add_joint_torque` moves joints; controllers ask this."""
        own = type(self).add_joint_torque
        return own is not PhysicsEngineBase.add_joint_torque

    def set_physics_options(self, options: int) -> None:
        """Set the engine's option bits; ArgumentError for bits it does not know."""
        if options:
            raise ArgumentError(
                f"{self.interface_id} has no option bits, got {options:#x}; expected 0"
            )

    def get_physics_options(self) -> int:
        """Return the option bits."""
        return 0

    def init_environment(self) -> None:
        """Set up for every body of the environment; here there is nothing to do."""

    def destroy_environment(self) -> None:
        """Forget every body; they keep their velocities."""

    def init_kinbody(self, body: KinBody) -> None:
        """Set up for a body that was added; here there is nothing to do."""

    def remove_kinbody(self, body: KinBody) -> None:
        """Forget a body that was removed."""

    def set_link_velocity(
        self, link: Link, linear: ArrayLike, angular: ArrayLike
    ) -> None:
        """Set a link's velocity: (3,) m/s at its origin, (3,) rad/s; world axes.

        The whole body moves so, and joint rates stay.

        Parameters
        ----------
        linear
            (3,) m/s of the link's origin, world axes.
        angular
            (3,) rad/s, world axes.
        """
        v, w = as_vector(linear, 3, "linear"), as_vector(angular, 3, "angular")
        body = link.body
        own, poses = body.dynamics.link_velocities, body.transforms_view
        # a rigid motion of the body adds (dv + dw x r, dw) to each link's twist
        turn = w - own[link.index, 3:]
        arm = poses[link.index, :3, 3] - poses[0, :3, 3]
        shift = v - own[link.index, :3] - np.cross(turn, arm)
        body.base_velocity = own[0] + np.concatenate((shift, turn))

    def set_link_velocities(self, body: KinBody, velocities: ArrayLike) -> None:
        """Set all link velocities of a body, (n_links, 6), linear first.

        Parameters
        ----------
        velocities
            (n_links, 6), linear then angular, world axes, m/s and rad/s.
        """
        body.dynamics.link_velocities = velocities

    def get_link_velocity(self, link: Link) -> Array:
        """Return the velocity of a link, (6,), linear first, world axes."""
        return link.velocity

    def get_link_velocities(self, body: KinBody) -> Array:
        """Return all link velocities of a body, (n_links, 6), linear first."""
        return body.dynamics.link_velocities

    @abstractmethod
    def simulate_step(self, dt: float) -> None:
        """Advance all bodies by `dt` seconds."""

    def set_gravity(self, gravity: ArrayLike) -> None:
        """Set the world's gravity, (3,), m/s2."""
        self._gravity = as_vector(gravity, 3, "gravity").copy()

    def get_gravity(self) -> Array:
        """Return the world's gravity, (3,), m/s2."""
        return self._gravity.copy()

    def set_body_force(
        self, link: Link, force: ArrayLike, position: ArrayLike, add: bool
    ) -> None:
        """Apply a force (3,) N at a world point (3,) of a link for the next step.

        Parameters
        ----------
        add
            Add to what was set before, instead of replacing it.
        """
        raise NotSupportedError(f"{self!r} applies no forces")

    def set_body_torque(self, link: Link, torque: ArrayLike, add: bool) -> None:
        """Apply a torque (3,) N m to a link for the next step.

        Parameters
        ----------
        add
            Add to what was set before, instead of replacing it.
        """
        raise NotSupportedError(f"{self!r} applies no torques")

    def add_joint_torque(self, joint: Joint, torques: ArrayLike) -> None:
        """Apply efforts (joint.dof,) to a joint for the next step."""
        raise NotSupportedError(f"{self!r} applies no joint torques")

    def can_drive(self, body: KinBody, dofs: IndicesLike) -> bool:
        """Return True if `drive_joints` pushes degrees of freedom of a body.

        Parameters
        ----------
        dofs
            Numbers of joints' degrees of freedom.
        """
        return False

    def drive_joints(self, body: KinBody, drive: JointDrive) -> None:
        """Push joints by springs and dampers during the next step.

        With what `add_joint_torque` adds they are clipped to the torque limits. Of
        several drives of a degree of freedom the last one counts.

        Parameters
        ----------
        drive
            Springs, dampers and efforts of joints.
        """
        raise NotSupportedError(f"{self!r} drives no joints")

    def get_joint_efforts(self, body: KinBody) -> Array:
        """Return the joint efforts of the last step, (dof,), N m or N.

        The mean over the step of drives and `add_joint_torque`, within the limits.
        """
        raise NotSupportedError(f"{self!r} does not know efforts of joints")

    def get_joint_force_torque(self, joint: Joint) -> Array:
        """Return the wrench of a joint's parent link on its child link, (6,).

        Force (N), then torque (N m) about the joint's anchor, world axes.
        """
        raise NotSupportedError(f"{self!r} does not know constraint forces")

    def get_link_force_torque(self, link: Link) -> Array:
        """Return the wrench of contacts and constraints on a link, (6,).

        Force (N), then torque (N m) about the link's origin, world axes. Joints of its
        body, its weight and what users push with are not in it.
        """
        raise NotSupportedError(f"{self!r} does not know forces on links")

    def contacts(self) -> tuple[PhysicsContact, ...]:
        """Return the present contacts between links, with their forces."""
        raise NotSupportedError(f"{self!r} knows no contacts")
