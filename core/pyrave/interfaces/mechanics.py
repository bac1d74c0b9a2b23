"""Mass, velocities, Jacobians and dynamics of a body at its present state."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave import kinematics
from pyrave.errors import ArgumentError
from pyrave.interfaces.affine import quat_product
from pyrave.interfaces.link import Link
from pyrave.interfaces.structure import Structure
from pyrave.spatial import Array, as_vector, quat_from_matrix

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.interfaces.environment import EnvironmentProtocol

__all__ = ["Mechanics"]


class Mechanics(Structure):
    """The mechanics half of `pyrave.KinBody`: a model evaluated at a state."""

    _values: Array

    @property
    @abstractmethod
    def env(self) -> EnvironmentProtocol:
        """The environment, which knows the gravity."""

    @property
    @abstractmethod
    def transforms_view(self) -> Array:
        """(n_links, 4, 4) world poses of all links."""

    @property
    @abstractmethod
    def dof_velocities(self) -> Array:
        """(dof,) rad/s or m/s."""

    @property
    @abstractmethod
    def base_velocity(self) -> Array:
        """(6,) of the base link, linear first, world axes."""

    @property
    def mass(self) -> float:
        """Total mass, kg."""
        return float(self.model.masses.sum())

    @property
    def center_of_mass(self) -> Array:
        """(3,) centre of mass in the world, metres."""
        return kinematics.center_of_mass(self.model, self.transforms_view)

    @property
    def link_velocities(self) -> Array:
        """(n_links, 6) velocities: linear at the link's origin, angular, world axes."""
        return kinematics.link_velocities(
            self.model,
            self.transforms_view,
            self._values,
            self.dof_velocities,
            self.base_velocity,
        )

    def jacobian(self, link: Link | str | int, point: ArrayLike | None = None) -> Array:
        """Return the (6, dof) Jacobian of a point fixed to a link, world axes.

        Parameters
        ----------
        point
            (3,) world position, metres; None is the link's origin.

        Returns
        -------
        (6, dof) float64
            Rows 0-2 linear, 3-5 angular (Lynch & Park, Modern Robotics, chapter 5).
        """
        index = self._link_index(link)
        where = (
            self.transforms_view[index, :3, 3]
            if point is None
            else as_vector(point, 3, "point")
        )
        return kinematics.jacobian(
            self.model, self.transforms_view, self._values, index, where
        )

    def quaternion_jacobian(self, link: Link | str | int) -> Array:
        """Return the (4, dof) derivative of a link's quaternion w x y z.

        Its w is not negative; half the quaternion product of angular velocity and
        orientation (Lynch & Park, Modern Robotics, appendix B).
        """
        index = self._link_index(link)
        angular = self.jacobian(index)[3:]
        quat = quat_from_matrix(self.transforms_view[index, :3, :3])
        rates = np.concatenate((np.zeros((1, angular.shape[1])), angular))
        return 0.5 * quat_product(rates.T, np.tile(quat, (rates.shape[1], 1))).T

    def hessian(self, link: Link | str | int, point: ArrayLike | None = None) -> Array:
        """Return the (dof, 6, dof) derivative of `jacobian` by each joint value."""
        index = self._link_index(link)
        where = (
            self.transforms_view[index, :3, 3]
            if point is None
            else as_vector(point, 3, "point")
        )
        return kinematics.hessian(
            self.model, self.transforms_view, self._values, index, where
        )

    def dof_velocities_of(self, link_velocities: ArrayLike) -> Array:
        """Return the (dof,) joint velocities that fit velocities of all links best.

        Parameters
        ----------
        link_velocities
            (n_links, 6) linear first, at the links' origins, world axes; that of the
            base counts as it is.
        """
        n = self.model.n_links
        given = np.array(link_velocities, dtype=np.float64)
        if given.shape != (n, 6) or not np.isfinite(given).all():
            raise ArgumentError(
                f"link_velocities has shape {given.shape}, expected finite ({n}, 6)"
            )
        arms = self.transforms_view[:, :3, 3] - self.transforms_view[0, :3, 3]
        given[1:, :3] -= given[0, :3] + np.cross(given[0, 3:], arms[1:])
        given[1:, 3:] -= given[0, 3:]
        if n == 1 or not self.dof:
            return np.zeros(self.dof)
        rows = np.concatenate([self.jacobian(i) for i in range(1, n)])
        found = np.linalg.lstsq(rows, given[1:].ravel(), rcond=None)
        return np.asarray(found[0])

    def set_link_velocities(self, velocities: ArrayLike) -> None:
        """Move as (n_links, 6) link velocities say; see `dof_velocities_of`."""
        rates = self.dof_velocities_of(velocities)
        body = self._myself()
        body.base_velocity = np.asarray(velocities, dtype=np.float64)[0]
        body.dof_velocities = rates

    def set_dof_torques(self, torques: ArrayLike) -> None:
        """Push with joint efforts (dof,), N m or N, during the next step.

        Raises
        ------
        NotSupportedError
            The physics engine applies no joint torques.
        """
        wanted = as_vector(torques, self.dof, "torques")
        for joint in self.joints:
            joint.add_torques(wanted[list(joint.dof_indices)])

    def inverse_dynamics(
        self, accelerations: ArrayLike | None = None, *, components: bool = False
    ) -> Any:
        """Return the joint efforts for accelerations at the present state.

        Parameters
        ----------
        accelerations
            (dof,) rad/s2 or m/s2; None is zero.
        components
            Return (inertial, Coriolis and centrifugal, gravity), three (dof,) arrays.

        Returns
        -------
        (dof,) float64
            N m or N, by the recursive Newton-Euler method.
        """
        qdd = (
            np.zeros(self.dof)
            if accelerations is None
            else as_vector(accelerations, self.dof, "accelerations")
        )
        return kinematics.inverse_dynamics(
            self.model,
            self.transforms_view,
            self._values,
            self.dof_velocities,
            qdd,
            self.env.gravity,
            components=components,
        )

    def mass_matrix(self) -> Array:
        """Return the (dof, dof) joint-space mass matrix."""
        return kinematics.mass_matrix(self.model, self.transforms_view, self._values)

    def forward_dynamics(self, torques: ArrayLike) -> Array:
        """Return the (dof,) accelerations that joint efforts (dof,) cause."""
        return kinematics.forward_dynamics(
            self.model,
            self.transforms_view,
            self._values,
            self.dof_velocities,
            as_vector(torques, self.dof, "torques"),
            self.env.gravity,
        )
