"""Dynamics of a body at its present state, and of many configurations at once."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave import kinematics
from pyrave.bodies.structure import Structure
from pyrave.spatial import Array, as_vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.bodies.link import Link
    from pyrave.interfaces.environment import EnvironmentProtocol

__all__ = ["Dynamics"]


class Dynamics(Structure):
    """The dynamics of `pyrave.KinBody`.

    Methods named ``compute_...`` take (n, dof) configurations. The body does not move,
    nothing is clamped, and the base is where it is now, at rest. Other arguments may
    be one row for all.
    """

    _values: Array

    @property
    @abstractmethod
    def env(self) -> EnvironmentProtocol:
        """The environment, which knows the gravity."""

    @property
    @abstractmethod
    def dof_velocities(self) -> Array:
        """(dof,) rad/s or m/s."""

    @property
    @abstractmethod
    def base_velocity(self) -> Array:
        """(6,) of the base link, linear first, world axes."""

    @abstractmethod
    def _base(self) -> Array:
        """Return T_world_body (4, 4) without a copy."""

    # -- at the present state ------------------------------------------------------

    @property
    def mass(self) -> float:
        """Total mass, kg."""
        return float(self.model.masses.sum())

    @property
    def center_of_mass(self) -> Array:
        """(3,) centre of mass in the world, metres."""
        return kinematics.center_of_mass(self.model, self._base(), self._values)

    def center_of_mass_jacobian(self) -> Array:
        """Return the (3, dof) derivative of `center_of_mass` by each joint value."""
        return kinematics.center_of_mass_jacobian(
            self.model, self._base(), self._values
        )

    @property
    def link_velocities(self) -> Array:
        """(n_links, 6) velocities: linear at the link's origin, angular, world axes."""
        return kinematics.link_velocities(
            self.model,
            self._base(),
            self._values,
            self.dof_velocities,
            self.base_velocity,
        )

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
        return kinematics.link_accelerations(
            self.model,
            self._base(),
            self._values,
            self.dof_velocities,
            self._accelerations(accelerations),
            self.base_velocity,
        )

    def inverse_dynamics(
        self,
        accelerations: ArrayLike | None = None,
        *,
        external: ArrayLike | None = None,
        components: bool = False,
    ) -> Any:
        """Return the joint efforts for accelerations at the present state.

        Parameters
        ----------
        accelerations
            (dof,) rad/s2 or m/s2; None is zero. The base does not accelerate.
        external
            (n_links, 6) force (N) and torque (N m) on each link at its centre of mass,
            world axes.
        components
            Return (inertial, due to velocities, gravity and external), three (dof,)
            arrays.

        Returns
        -------
        (dof,) float64
            N m or N, by the recursive Newton-Euler method, with inertia and friction
            of motors (``<actuator>``).
        """
        return kinematics.inverse_dynamics(
            self.model,
            self._base(),
            self._values,
            self.dof_velocities,
            self._accelerations(accelerations),
            self.env.gravity,
            external,
            components=components,
            base_velocity=self.base_velocity,
        )

    def mass_matrix(self) -> Array:
        """Return the (dof, dof) joint-space mass matrix."""
        return kinematics.mass_matrix(self.model, self._values)

    def forward_dynamics(
        self, torques: ArrayLike, *, external: ArrayLike | None = None
    ) -> Array:
        """Return the (dof,) accelerations that joint efforts (dof,) cause.

        Parameters
        ----------
        torques
            (dof,) N m or N.
        external
            (n_links, 6) as for `inverse_dynamics`.

        Raises
        ------
        ArgumentError
            A degree of freedom moves no inertia.
        """
        return kinematics.forward_dynamics(
            self.model,
            self._base(),
            self._values,
            self.dof_velocities,
            as_vector(torques, self.dof, "torques"),
            self.env.gravity,
            external,
            base_velocity=self.base_velocity,
        )

    def _accelerations(self, accelerations: ArrayLike | None) -> Array:
        if accelerations is None:
            return np.zeros(self.dof)
        return as_vector(accelerations, self.dof, "accelerations")

    # -- of many configurations ----------------------------------------------------

    def compute_jacobians(
        self,
        configurations: ArrayLike,
        link: Link | str | int,
        local_point: ArrayLike = (0.0, 0.0, 0.0),
    ) -> Array:
        """Return (n, 6, dof) Jacobians of a point that is fixed in a link.

        Parameters
        ----------
        local_point
            (3,) in the link's frame, metres.
        """
        index = self._link_index(link)
        return kinematics.jacobian_batch(
            self.model, self._base(), configurations, index, local_point
        )

    def compute_hessians(
        self,
        configurations: ArrayLike,
        link: Link | str | int,
        local_point: ArrayLike = (0.0, 0.0, 0.0),
    ) -> Array:
        """Return the (n, dof, 6, dof) derivatives of `compute_jacobians`."""
        index = self._link_index(link)
        return kinematics.hessian_batch(
            self.model, self._base(), configurations, index, local_point
        )

    def compute_link_velocities(
        self, configurations: ArrayLike, rates: ArrayLike
    ) -> Array:
        """Return (n, n_links, 6) velocities for (n, dof) rates."""
        return kinematics.link_velocities_batch(
            self.model, self._base(), configurations, rates
        )

    def compute_link_accelerations(
        self, configurations: ArrayLike, rates: ArrayLike, accelerations: ArrayLike
    ) -> Array:
        """Return (n, n_links, 6) accelerations, gravity left out."""
        return kinematics.link_accelerations_batch(
            self.model, self._base(), configurations, rates, accelerations
        )

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
        return kinematics.inverse_dynamics_batch(
            self.model,
            self._base(),
            configurations,
            rates,
            accelerations,
            self.env.gravity,
            external,
            components=components,
        )

    def compute_forward_dynamics(
        self,
        configurations: ArrayLike,
        rates: ArrayLike,
        torques: ArrayLike,
        *,
        external: ArrayLike | None = None,
    ) -> Array:
        """Return the (n, dof) accelerations that joint efforts (n, dof) cause."""
        return kinematics.forward_dynamics_batch(
            self.model,
            self._base(),
            configurations,
            rates,
            torques,
            self.env.gravity,
            external,
        )

    def compute_mass_matrices(self, configurations: ArrayLike) -> Array:
        """Return (n, dof, dof) joint-space mass matrices."""
        return kinematics.mass_matrix_batch(self.model, configurations)

    def compute_centers_of_mass(self, configurations: ArrayLike) -> Array:
        """Return (n, 3) centres of mass in the world, metres."""
        return kinematics.center_of_mass_batch(self.model, self._base(), configurations)

    def compute_center_of_mass_jacobians(self, configurations: ArrayLike) -> Array:
        """Return the (n, 3, dof) derivatives of `compute_centers_of_mass`."""
        return kinematics.center_of_mass_jacobian_batch(
            self.model, self._base(), configurations
        )
