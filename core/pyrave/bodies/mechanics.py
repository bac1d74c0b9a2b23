"""Jacobians, Hessians and velocities of a body at its present state."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from pyrave import kinematics
from pyrave.bodies.dynamics import Dynamics
from pyrave.bodies.link import Link
from pyrave.errors import ArgumentError
from pyrave.kinematics.affine import quaternion_jacobian
from pyrave.spatial import Array, as_array, as_pose, as_vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["Mechanics"]


class Mechanics(Dynamics):
    """The mechanics half of `pyrave.KinBody`: a model evaluated at a state."""

    _base_pose: Array | None
    _placed: Array | None = None

    @abstractmethod
    def _moved(self, placed: Array | None = None) -> None:
        """Hear that poses are others."""

    @property
    @abstractmethod
    def transforms_view(self) -> Array:
        """(n_links, 4, 4) world poses of all links."""

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
        """Return the (4, dof) derivative of a link's quaternion w x y z, w >= 0."""
        index = self._link_index(link)
        rotation = self.transforms_view[index, :3, :3]
        return quaternion_jacobian(rotation, self.jacobian(index)[3:])

    def tool_jacobian(self, tool: kinematics.Tool) -> Array:
        """Return the (6, n) Jacobian of a compiled tool of this body's model.

        For many calls with one tool; see `pyrave.kinematics.compile_tool`.
        """
        if tool.model is not self.model:
            raise ArgumentError(
                f"the tool is not one of {self!r}: it has another model"
            )
        return kinematics.tool_jacobian(tool, self._base(), self._values)

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
        given = as_array(link_velocities, (n, 6), "link_velocities").copy()
        arms = self.transforms_view[:, :3, 3] - self.transforms_view[0, :3, 3]
        given[1:, :3] -= given[0, :3] + np.cross(given[0, 3:], arms[1:])
        given[1:, 3:] -= given[0, 3:]
        if n == 1 or not self.dof:
            return np.zeros(self.dof)
        rows = np.concatenate([self.jacobian(i) for i in range(1, n)])
        found = np.linalg.lstsq(rows, given[1:].ravel(), rcond=None)
        return np.asarray(found[0])

    def set_link_transforms(self, transforms: ArrayLike) -> None:
        """Place all links where somebody else says they are, as physics engines do.

        Joint values become those that the poses mean, without regard to limits. Where
        the poses contradict a joint, as springs and loops let them, they are as given
        all the same, until joint values or the base pose are set.

        Parameters
        ----------
        transforms
            (n_links, 4, 4) T_world_link.

        Raises
        ------
        ArgumentError
            A wrong number of poses, or one that is not rigid.
        """
        names = self.model.link_names
        given = as_array(transforms, (len(names), 4, 4), "transforms")
        poses = np.array(
            [
                as_pose(pose, f"pose of link {name!r}")
                for pose, name in zip(given, names, strict=True)
            ]
        )
        self._base_pose = poses[0].copy()
        kinematics.set_values_of_poses(self.model, poses, self._values)
        self._moved(poses)

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
            joint.add_torques(wanted[joint.dof_indices])
