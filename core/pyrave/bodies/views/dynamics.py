"""Dynamics of a body beyond its equations of motion: energies, velocities, batches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from pyrave import kinematics
from pyrave.argument_names import methods_suggest
from pyrave.bodies.state.row_by_row import row_by_row
from pyrave.bodies.views.part import BodyPart
from pyrave.spatial import Array, as_vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.kinematics import Model


@methods_suggest
class BodyDynamics(BodyPart):
    """Energies, velocities and accelerations of links, and batches: `KinBody.dynamics`.

    The equations of motion are the body's own: `KinBody.inverse_dynamics`,
    `KinBody.forward_dynamics`, `KinBody.mass_matrix`.

    Methods named ``compute_...`` take (n, dof) configurations: nothing moves or is
    clamped, the base is where it is now, at rest, and so are passive joints, apart from
    those that keep loops closed: they go along from one configuration to the next.
    Other arguments may be one row for all.
    """

    _hot = "set_dof_torques"

    __slots__ = ()
    _unlisted = "along model"

    @property
    def model(self) -> Model:
        """The body's compiled model."""
        return self._body.model

    def along(self, configurations: Array) -> Iterator[int]:
        """Yield each row's number, as `KinBody.along` does."""
        return self._body.along(configurations)

    # -- at the present state ------------------------------------------------------

    @property
    def kinetic_energy(self) -> float:
        """Kinetic energy of the links and of the joints' motors, J."""
        body = self._body
        model, moving = body.model, self.link_velocities
        turns = body.transforms_view[:, :3, :3]
        arms = np.einsum("nij,nj->ni", turns, model.coms)
        linear = moving[:, :3] + np.cross(moving[:, 3:], arms)
        angular = np.einsum("nji,nj->ni", turns, moving[:, 3:])
        energy = np.einsum("n,ni,ni", model.masses, linear, linear)
        energy += np.einsum("ni,nij,nj", angular, model.inertias, angular)
        rotors = model.rotor_inertias[: body.dof]
        return 0.5 * float(energy + rotors @ body.dof_velocities**2)

    @property
    def potential_energy(self) -> float:
        """Potential energy of weight (0 at the world's origin) and springs, J."""
        body = self._body
        model = body.model
        masses = np.where(model.link_weighs, model.masses, 0.0)
        turns, origins = np.split(body.transforms_view[:, :3], (3,), axis=2)
        coms = origins[:, :, 0] + np.einsum("nij,nj->ni", turns, model.coms)
        energy = -float(masses @ coms @ body.env.gravity)
        if model.spring_stiffnesses.any():
            off = body.joint_values - model.spring_rests
            energy += 0.5 * float(model.spring_stiffnesses @ off**2)
        return energy

    def center_of_mass_jacobian(self) -> Array:
        """Return the (3, dof) derivative of `center_of_mass` by each joint value."""
        body = self._body
        return kinematics.center_of_mass_jacobian(
            body.state_model, body.transform, body.dof_values_view
        )

    @property
    def link_velocities(self) -> Array:
        """(n_links, 6) linear velocity of each link's origin, then angular; world axes.

        Assigned ones become those of base and joints that fit them best, see
        `dof_velocities_of`.
        """
        body = self._body
        model, base, rates = body.state_model, body.transform, body.dof_velocities
        return kinematics.link_velocities(
            model, base, body.dof_values_view, rates, body.base_velocity
        )

    @link_velocities.setter
    def link_velocities(self, velocities: ArrayLike) -> None:
        body = self._body
        rates = self.dof_velocities_of(velocities)
        body.base_velocity = np.asarray(velocities, dtype=np.float64)[0]
        body.dof_velocities = rates

    def link_accelerations(self, accelerations: ArrayLike | None = None) -> Array:
        """Return (n_links, 6) accelerations of the links' origins, gravity left out.

        Parameters
        ----------
        accelerations
            (dof,) rad/s2 or m/s2; None is zero. The base does not accelerate.

        Returns
        -------
        (n_links, 6) float64
            Linear, m/s2, then angular, rad/s2; world axes.
        """
        body = self._body
        model, base, rates = body.state_model, body.transform, body.dof_velocities
        given = np.zeros(body.dof)
        if accelerations is not None:
            given = as_vector(accelerations, body.dof, "accelerations")
        return kinematics.link_accelerations(
            model, base, body.dof_values_view, rates, given, body.base_velocity
        )

    def dof_velocities_of(self, link_velocities: ArrayLike) -> Array:
        """Return the (dof,) joint velocities that fit velocities of all links best.

        Parameters
        ----------
        link_velocities
            (n_links, 6) linear first, at the links' origins, world axes; that of the
            base counts as it is.
        """
        body = self._body
        return kinematics.rates_of_link_velocities(
            body.state_model,
            body.transforms_view,
            body.dof_values_view,
            link_velocities,
        )

    def set_dof_torques(self, torques: ArrayLike) -> None:
        """Push with joint efforts (dof,), N m or N, during the next step.

        Raises
        ------
        NotSupportedError
            The physics engine applies no joint torques.
        """
        wanted = as_vector(torques, self._body.dof, "torques")
        for joint in self._body.joints:
            joint.add_torques(wanted[joint.dof_indices])

    # -- of many configurations ----------------------------------------------------

    @row_by_row
    def compute_link_velocities(
        self, configurations: ArrayLike, rates: ArrayLike
    ) -> Array:
        """Return (n, n_links, 6) velocities for (n, dof) rates."""
        body = self._body
        return kinematics.link_velocities_batch(
            body.state_model, body.transform, configurations, rates
        )

    @row_by_row
    def compute_link_accelerations(
        self, configurations: ArrayLike, rates: ArrayLike, accelerations: ArrayLike
    ) -> Array:
        """Return (n, n_links, 6) accelerations, gravity left out."""
        body = self._body
        return kinematics.link_accelerations_batch(
            body.state_model, body.transform, configurations, rates, accelerations
        )

    @row_by_row
    def compute_mass_matrices(self, configurations: ArrayLike) -> Array:
        """Return (n, dof, dof) joint-space mass matrices."""
        body = self._body
        return kinematics.mass_matrix_batch(body.state_model, configurations)

    @row_by_row
    def compute_centers_of_mass(self, configurations: ArrayLike) -> Array:
        """Return (n, 3) centres of mass in the world, metres."""
        body = self._body
        return kinematics.center_of_mass_batch(
            body.state_model, body.transform, configurations
        )

    @row_by_row
    def compute_center_of_mass_jacobians(self, configurations: ArrayLike) -> Array:
        """Return the (n, 3, dof) derivatives of `compute_centers_of_mass`."""
        body = self._body
        return kinematics.center_of_mass_jacobian_batch(
            body.state_model, body.transform, configurations
        )

    @row_by_row
    def compute_inverse_dynamics(
        self,
        configurations: ArrayLike,
        rates: ArrayLike,
        accelerations: ArrayLike,
        *,
        external: ArrayLike | None = None,
        components: bool = False,
    ) -> Array:
        """Return the (n, dof) joint efforts of motions, or (n, 3, dof) components.

        Parameters
        ----------
        external
            (n, n_links, 6), or (n_links, 6) for all; as for `inverse_dynamics`.
        """
        body = self._body
        return kinematics.inverse_dynamics_batch(
            body.state_model,
            body.transform,
            configurations,
            rates,
            accelerations,
            body.env.gravity,
            external,
            components=components,
        )

    @row_by_row
    def compute_forward_dynamics(
        self,
        configurations: ArrayLike,
        rates: ArrayLike,
        torques: ArrayLike,
        *,
        external: ArrayLike | None = None,
    ) -> Array:
        """Return the (n, dof) accelerations that joint efforts (n, dof) cause."""
        body = self._body
        return kinematics.forward_dynamics_batch(
            body.state_model,
            body.transform,
            configurations,
            rates,
            torques,
            body.env.gravity,
            external,
        )
