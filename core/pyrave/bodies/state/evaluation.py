"""A compiled model at a state, evaluated: Jacobians, masses and efforts of joints."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave import kinematics
from pyrave.argument_names import methods_suggest
from pyrave.bodies.state.model_state import ModelState
from pyrave.bodies.state.row_by_row import row_by_row
from pyrave.bodies.state.specification import body_specification
from pyrave.errors import ArgumentError
from pyrave.interfaces.base import InterfaceBase
from pyrave.kinematics.affine import Affine, quaternion_jacobian
from pyrave.spatial import (
    Array,
    IndicesLike,
    as_pose,
    as_vector,
    wxyz_xyz_from_pose,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.bodies.views.link import Link
    from pyrave.trajectories.specification import ConfigurationSpecification


@methods_suggest
class EvaluatedModel(InterfaceBase, ModelState):
    """An interface object with a model at a state: its kinematics and dynamics.

    Methods named ``compute_...`` take (n, dof) configurations: nothing moves or is
    clamped, the base is where it is now, at rest, and so are passive joints, apart from
    those that keep loops closed: they go along from one configuration to the next.
    Other arguments may be one row for all.
    """

    _hot = "hessian jacobian"
    _unlisted = "specification_of tool_jacobian"

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
        index, poses = self.link_index(link), self.transforms_view
        return kinematics.jacobian(self.state_model, poses, self._values, index, point)

    def hessian(self, link: Link | str | int, point: ArrayLike | None = None) -> Array:
        """Return the (dof, 6, dof) derivative of `jacobian` by each joint value."""
        index, poses = self.link_index(link), self.transforms_view
        return kinematics.hessian(self.state_model, poses, self._values, index, point)

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
            self._rates(),
            self._accelerations(accelerations),
            self.env.gravity,
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
            self._rates(),
            as_vector(torques, self.dof, "torques"),
            self.env.gravity,
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

    # -- configuration -------------------------------------------------------------

    def configuration_specification(
        self, interpolation: str = ""
    ) -> ConfigurationSpecification:
        """Return the groups of `configuration_values`: joint values, base pose."""
        return body_specification(
            self._name, range(self.dof), Affine.TRANSFORM, (0, 0, 1), interpolation
        )

    def specification_of(
        self,
        dof_indices: IndicesLike,
        affine: int = 0,
        axis: Iterable[float] = (0.0, 0.0, 1.0),
        interpolation: str = "",
    ) -> ConfigurationSpecification:
        """Return a group of joint values and one of base motions, those not empty."""
        return body_specification(self._name, dof_indices, affine, axis, interpolation)

    @property
    def configuration_values(self) -> Array:
        """(dof + 7,) joint values, x y z, qw qx qy qz; assignable."""
        pose = wxyz_xyz_from_pose(self.transform)
        return np.concatenate((self._values, pose[4:], pose[:4]))

    @configuration_values.setter
    def configuration_values(self, values: ArrayLike) -> None:
        n = self.dof
        wanted = as_vector(values, n + 7, "configuration_values")
        pose = as_pose(np.concatenate((wanted[n + 3 :], wanted[n : n + 3])))
        self.set_dof_values(wanted[:n])
        self.transform = pose
