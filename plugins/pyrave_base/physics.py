"""The physics engine that is there when no other is: it keeps velocities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.interfaces.physicsengine import PhysicsEngineBase
from pyrave.spatial import Array, as_vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.link import Link


class GenericPhysicsEngine(PhysicsEngineBase):
    """Keep the velocities that bodies are given, and move nothing.

    Velocities live in the bodies (``base_velocity`` and ``dof_velocities``), so that
    states, clones and saved environments have them. Link velocities that the joints
    cannot produce are projected (least squares) to those that they can.
    """

    contract = 1

    def set_physics_options(self, options: int) -> None:
        """Accept 0 only: there are no options."""
        if options:
            raise ArgumentError(
                f"{self.interface_id} has no options, got {options:#x}; expected 0"
            )

    def get_physics_options(self) -> int:
        """Return 0."""
        return 0

    def init_environment(self) -> None:
        """Need nothing: the bodies hold their velocities."""

    def destroy_environment(self) -> None:
        """Need nothing: the bodies keep their velocities."""

    def init_kinbody(self, body: KinBody) -> None:
        """Need nothing: the body holds its velocities."""

    def remove_kinbody(self, body: KinBody) -> None:
        """Need nothing: the body keeps its velocities."""

    def set_link_velocity(
        self, link: Link, linear: ArrayLike, angular: ArrayLike
    ) -> None:
        """Move the whole body so that a link has a velocity; joint rates stay.

        Parameters
        ----------
        linear
            (3,) of the link's origin, m/s, world axes.
        angular
            (3,) rad/s, world axes.
        """
        v = as_vector(linear, 3, "linear")
        w = as_vector(angular, 3, "angular")
        body = link.body
        own = body.link_velocities
        base = own[0]
        # a rigid motion of the body adds (dv + dw x r, dw) to each link's twist
        turn = w - own[link.index, 3:]
        arm = body.transforms_view[link.index, :3, 3] - body.transforms_view[0, :3, 3]
        shift = v - own[link.index, :3] - np.cross(turn, arm)
        body.base_velocity = np.concatenate((base[:3] + shift, base[3:] + turn))

    def set_link_velocities(self, body: KinBody, velocities: ArrayLike) -> None:
        """Set base velocity and joint rates from all links' velocities.

        Parameters
        ----------
        velocities
            (n_links, 6), linear first, world axes. The base link's is taken exactly.
        """
        wanted = np.asarray(velocities, dtype=np.float64)
        n_links = len(body.links)
        if wanted.shape != (n_links, 6) or not np.isfinite(wanted).all():
            raise ArgumentError(
                f"velocities have shape {wanted.shape}, expected ({n_links}, 6) finite "
                f"numbers for the links of {body.name!r}"
            )
        body.base_velocity = wanted[0]
        if not body.dof:
            return
        body.dof_velocities = np.zeros(body.dof)
        rest = (wanted - body.link_velocities).reshape(-1)
        rows = np.concatenate([body.jacobian(i) for i in range(n_links)])
        body.dof_velocities = np.linalg.lstsq(rows, rest, rcond=None)[0]

    def get_link_velocity(self, link: Link) -> Array:
        """Return the velocity of a link, (6,), linear first, world axes."""
        return link.velocity

    def get_link_velocities(self, body: KinBody) -> Array:
        """Return all link velocities of a body, (n_links, 6), linear first."""
        return body.link_velocities

    def simulate_step(self, dt: float) -> None:
        """Move nothing."""
