"""A compiled model at a state, evaluated: Jacobians, velocities and forces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave import kinematics
from pyrave.bodies.moving import MovingModel
from pyrave.bodies.row_by_row import row_by_row
from pyrave.errors import ArgumentError
from pyrave.kinematics.affine import quaternion_jacobian
from pyrave.spatial import Array, as_vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.bodies.link import Link


class DynamicModel(MovingModel):
    """The kinematics and dynamics of a model at a state.

    Methods named ``compute_...`` take (n, dof) configurations: nothing moves or is
    clamped, the base is where it is now, at rest, and so are passive joints, apart from
    those that keep loops closed: they go along from one configuration to the next.
    Other arguments may be one row for all.
    """

    @property
    def gravity(self) -> Array:
        """(3,) acceleration of free fall, m/s2, world axes; zero unless overridden."""
        return np.zeros(3)

    def _point(self, index: int, point: ArrayLike | None) -> Array:
        if point is None:
            return self.transforms_view[index, :3, 3]
        return as_vector(point, 3, "point")

    # -- at the present state ------------------------------------------------------

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
        index = self.link_index(link)
        where, poses = self._point(index, point), self.transforms_view
        return kinematics.jacobian(self.state_model, poses, self._values, index, where)

    def hessian(self, link: Link | str | int, point: ArrayLike | None = None) -> Array:
        """Return the (dof, 6, dof) derivative of `jacobian` by each joint value."""
        index = self.link_index(link)
        where, poses = self._point(index, point), self.transforms_view
        return kinematics.hessian(self.state_model, poses, self._values, index, where)

    def quaternion_jacobian(self, link: Link | str | int) -> Array:
        """Return the (4, dof) derivative of a link's quaternion w x y z, w >= 0."""
        index = self.link_index(link)
        rotation = self.transforms_view[index, :3, :3]
        return quaternion_jacobian(rotation, self.jacobian(index)[3:])

    def tool_jacobian(self, tool: kinematics.Tool) -> Array:
        """Return the (6, n) Jacobian of a tool compiled for `state_model`.

        For many calls with one tool; see `pyrave.kinematics.compile_tool`.
        """
        if tool.model is not self.state_model:
            raise ArgumentError(
                f"the tool is not one of {self!r}: it has another model"
            )
        return kinematics.tool_jacobian(tool, self._base(), self._values)

    @property
    def mass(self) -> float:
        """Total mass, kg."""
        return float(self._model.masses.sum())

    @property
    def center_of_mass(self) -> Array:
        """(3,) centre of mass in the world, metres."""
        return kinematics.center_of_mass(self.state_model, self._base(), self._values)

    @property
    def kinetic_energy(self) -> float:
        """Kinetic energy of the links and of the joints' motors, J."""
        model, moving = self._model, self.link_velocities
        turns = self.transforms_view[:, :3, :3]
        arms = np.einsum("nij,nj->ni", turns, model.coms)
        linear = moving[:, :3] + np.cross(moving[:, 3:], arms)
        angular = np.einsum("nji,nj->ni", turns, moving[:, 3:])
        energy = np.einsum("n,ni,ni", model.masses, linear, linear)
        energy += np.einsum("ni,nij,nj", angular, model.inertias, angular)
        rotors = model.rotor_inertias[: self.dof]
        return 0.5 * float(energy + rotors @ self.dof_velocities**2)

    @property
    def potential_energy(self) -> float:
        """Potential energy of weight (0 at the world's origin) and springs, J."""
        model = self._model
        masses = np.where(model.link_weighs, model.masses, 0.0)
        turns, origins = np.split(self.transforms_view[:, :3], (3,), axis=2)
        coms = origins[:, :, 0] + np.einsum("nij,nj->ni", turns, model.coms)
        energy = -float(masses @ coms @ self.gravity)
        if model.spring_stiffnesses.any():
            off = self.joint_values - model.spring_rests
            energy += 0.5 * float(model.spring_stiffnesses @ off**2)
        return energy

    def center_of_mass_jacobian(self) -> Array:
        """Return the (3, dof) derivative of `center_of_mass` by each joint value."""
        return kinematics.center_of_mass_jacobian(
            self.state_model, self._base(), self._values
        )

    @property
    def link_velocities(self) -> Array:
        """(n_links, 6) velocities: linear at the link's origin, angular, world axes."""
        model, base, rates = self.state_model, self._base(), self.dof_velocities
        return kinematics.link_velocities(
            model, base, self._values, rates, self.base_velocity
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
        model, base, rates = self.state_model, self._base(), self.dof_velocities
        given = self._accelerations(accelerations)
        return kinematics.link_accelerations(
            model, base, self._values, rates, given, self.base_velocity
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
            Return (inertial, due to velocities, gravity with springs and external),
            three (dof,) arrays.

        Returns
        -------
        (dof,) float64
            N m or N, by the recursive Newton-Euler method, with friction and springs
            of joints, and inertia and friction of motors (``<actuator>``).
        """
        return kinematics.inverse_dynamics(
            self.state_model,
            self._base(),
            self._values,
            self.dof_velocities,
            self._accelerations(accelerations),
            self.gravity,
            external,
            components=components,
            base_velocity=self.base_velocity,
        )

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
            self.state_model,
            self._base(),
            self._values,
            self.dof_velocities,
            as_vector(torques, self.dof, "torques"),
            self.gravity,
            external,
            base_velocity=self.base_velocity,
        )

    def mass_matrix(self) -> Array:
        """Return the (dof, dof) joint-space mass matrix."""
        return kinematics.mass_matrix(self.state_model, self._values)

    def _accelerations(self, accelerations: ArrayLike | None) -> Array:
        if accelerations is None:
            return np.zeros(self.dof)
        return as_vector(accelerations, self.dof, "accelerations")

    def dof_velocities_of(self, link_velocities: ArrayLike) -> Array:
        """Return the (dof,) joint velocities that fit velocities of all links best.

        Parameters
        ----------
        link_velocities
            (n_links, 6) linear first, at the links' origins, world axes; that of the
            base counts as it is.
        """
        return kinematics.rates_of_link_velocities(
            self.state_model, self.transforms_view, self._values, link_velocities
        )

    def set_link_velocities(self, velocities: ArrayLike) -> None:
        """Move as (n_links, 6) link velocities say; see `dof_velocities_of`."""
        rates = self.dof_velocities_of(velocities)
        self.base_velocity = np.asarray(velocities, dtype=np.float64)[0]
        self.dof_velocities = rates

    # -- of many configurations ----------------------------------------------------

    @row_by_row
    def compute_link_transforms(
        self, configurations: ArrayLike, *, out: Array | None = None
    ) -> Array:
        """Return (n, n_links, 4, 4) link poses.

        Parameters
        ----------
        out
            An array of that shape to write to: a new one of many megabytes can take
            longer to get than to fill.
        """
        return kinematics.link_transforms_batch(
            self.state_model, self._base(), configurations, out
        )

    @row_by_row
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
        index, model = self.link_index(link), self.state_model
        return kinematics.jacobian_batch(
            model, self._base(), configurations, index, local_point
        )

    @row_by_row
    def compute_hessians(
        self,
        configurations: ArrayLike,
        link: Link | str | int,
        local_point: ArrayLike = (0.0, 0.0, 0.0),
    ) -> Array:
        """Return the (n, dof, 6, dof) derivatives of `compute_jacobians`."""
        index, model = self.link_index(link), self.state_model
        return kinematics.hessian_batch(
            model, self._base(), configurations, index, local_point
        )

    @row_by_row
    def compute_link_velocities(
        self, configurations: ArrayLike, rates: ArrayLike
    ) -> Array:
        """Return (n, n_links, 6) velocities for (n, dof) rates."""
        return kinematics.link_velocities_batch(
            self.state_model, self._base(), configurations, rates
        )

    @row_by_row
    def compute_link_accelerations(
        self, configurations: ArrayLike, rates: ArrayLike, accelerations: ArrayLike
    ) -> Array:
        """Return (n, n_links, 6) accelerations, gravity left out."""
        return kinematics.link_accelerations_batch(
            self.state_model, self._base(), configurations, rates, accelerations
        )

    @row_by_row
    def compute_mass_matrices(self, configurations: ArrayLike) -> Array:
        """Return (n, dof, dof) joint-space mass matrices."""
        return kinematics.mass_matrix_batch(self.state_model, configurations)

    @row_by_row
    def compute_centers_of_mass(self, configurations: ArrayLike) -> Array:
        """Return (n, 3) centres of mass in the world, metres."""
        return kinematics.center_of_mass_batch(
            self.state_model, self._base(), configurations
        )

    @row_by_row
    def compute_center_of_mass_jacobians(self, configurations: ArrayLike) -> Array:
        """Return the (n, 3, dof) derivatives of `compute_centers_of_mass`."""
        return kinematics.center_of_mass_jacobian_batch(
            self.state_model, self._base(), configurations
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
        return kinematics.inverse_dynamics_batch(
            self.state_model,
            self._base(),
            configurations,
            rates,
            accelerations,
            self.gravity,
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
        return kinematics.forward_dynamics_batch(
            self.state_model,
            self._base(),
            configurations,
            rates,
            torques,
            self.gravity,
            external,
        )
