"""Active degrees of freedom: the joints and base motions that planners work on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.bodies.affine_limits import AffineLimits
from pyrave.bodies.kinbody import KinBody
from pyrave.errors import ArgumentError
from pyrave.kinematics.affine import (
    Affine,
    affine_difference,
    affine_jacobian,
    affine_rates,
    angular_from_rates,
    quaternion_jacobian,
)
from pyrave.kinematics.limits import LimitCheck
from pyrave.spatial import (
    Array,
    Indices,
    IndicesLike,
    as_vector,
    quat_from_matrix,
)
from pyrave.world.body_state import BodyChange

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.bodies.affine_limits import Quantity
    from pyrave.bodies.joint import Joint
    from pyrave.bodies.link import Link
    from pyrave.trajectories.specification import ConfigurationSpecification

_AXIS_NAMES = {
    Affine.X: ("x",),
    Affine.Y: ("y",),
    Affine.Z: ("z",),
    Affine.ROTATION_AXIS: ("angle",),
    Affine.ROTATION_3D: ("rx", "ry", "rz"),
    Affine.ROTATION_QUAT: ("qw", "qx", "qy", "qz"),
}


class ActiveDofs(KinBody):
    """The part of `pyrave.Robot` about active degrees of freedom.

    Values are those of chosen joints, then those of chosen motions of the base: x, y,
    z and one kind of rotation. Everything named ``active_...`` is in this order.
    """

    _active_dofs: Indices | None
    _affine: Affine
    _rotation_axis: Array
    _affine_limits: AffineLimits

    # -- choice --------------------------------------------------------------------

    @property
    def active_dof_indices(self) -> Indices:
        """(k,) int64, degrees of freedom that planners work on; all unless set."""
        return np.arange(self.dof) if self._active_dofs is None else self._active_dofs

    @active_dof_indices.setter
    def active_dof_indices(self, dof_indices: IndicesLike) -> None:
        self.set_active_dofs(dof_indices)

    def set_active_dofs(
        self,
        dof_indices: IndicesLike,
        affine: Affine = Affine.NONE,
        rotation_axis: ArrayLike | None = None,
    ) -> None:
        """Choose joints, and affine degrees of freedom of the base behind them.

        Parameters
        ----------
        affine
            Mask of base motions; at most one kind of rotation.
        rotation_axis
            (3,) for `Affine.ROTATION_AXIS`, world axes.
        """
        indices = self._different_indices(dof_indices)
        affine = Affine(affine)
        affine.check()
        if rotation_axis is not None:
            axis = as_vector(rotation_axis, 3, "rotation_axis")
            largest = np.abs(axis).max()
            if not largest > 0:
                raise ArgumentError("rotation_axis has no direction")
            # squares of very long or short ones are beyond the range of numbers
            axis = axis / largest
            self._rotation_axis = axis / np.sqrt(axis @ axis)
        self._active_dofs, self._affine = indices, affine
        self.notify(BodyChange.ACTIVE_DOFS)

    @property
    def affine(self) -> Affine:
        """Mask of the base motions among the active degrees of freedom."""
        return self._affine

    @property
    def affine_rotation_axis(self) -> Array:
        """(3,) axis of `Affine.ROTATION_AXIS`."""
        return self._rotation_axis.copy()

    @property
    def active_dof(self) -> int:
        """Number of active values: joints and base motions."""
        return len(self.active_dof_indices) + self._affine.size

    @property
    def active_dof_names(self) -> tuple[str, ...]:
        """Names of joints, then ``x y z`` and ``angle``, ``rx ...`` or ``qw ...``."""
        names = self.dof_names
        return (
            *(names[i] for i in self.active_dof_indices.tolist()),
            *(
                n
                for bit, known in _AXIS_NAMES.items()
                if self._affine & bit
                for n in known
            ),
        )

    def is_active(self, joint: Joint) -> bool:
        """Return whether any axis of a joint is active."""
        first = joint.dof_index
        mine = range(first, first + joint.dof) if first >= 0 else ()
        return any(i in mine for i in self.active_dof_indices.tolist())

    # -- values --------------------------------------------------------------------

    @property
    def active_dof_values(self) -> Array:
        """(active_dof,) joint values, then base values; assignable."""
        joints = self._values[self.active_dof_indices]
        if not self._affine:
            return joints
        base = self._affine.values_of(self.transform, self._rotation_axis)
        return np.concatenate((joints, base))

    @active_dof_values.setter
    def active_dof_values(self, values: ArrayLike) -> None:
        self.set_active_dof_values(values)

    def set_active_dof_values(
        self, values: ArrayLike, limits: LimitCheck = LimitCheck.CLAMP_AND_WARN
    ) -> None:
        """Set the active values; limits of joints as in `set_dof_values`.

        Base values are taken as they are, a quaternion of any length but 0.
        """
        wanted = as_vector(values, self.active_dof, "active_dof_values")
        n = len(self.active_dof_indices)
        if not self._affine:
            self.set_dof_values(wanted, self.active_dof_indices, limits)
            return
        base = self._affine.applied(self.transform, wanted[n:], self._rotation_axis)
        self.set_dof_values(wanted[:n], self.active_dof_indices, limits)
        self.transform = base

    def subtract_active_dof_values(self, a: ArrayLike, b: ArrayLike) -> Array:
        """Return a - b, (active_dof,); angles the short way round.

        Quaternions are subtracted with the sign of `a` that is nearer to `b`.
        """
        first = as_vector(a, self.active_dof, "a")
        second = as_vector(b, self.active_dof, "b")
        indices = self.active_dof_indices
        n = len(indices)
        joints = self.subtract_dof_values(first[:n], second[:n], indices)
        base = affine_difference(first[n:], second[n:], int(self._affine))
        return np.concatenate((joints, base))

    @property
    def active_dof_velocities(self) -> Array:
        """(active_dof,) rates of `active_dof_values`; assignable."""
        base = affine_rates(
            self.base_velocity,
            quat_from_matrix(self.transform[:3, :3]),
            int(self._affine),
            self._axis(),
        )
        return np.concatenate((self.dof_velocities[self.active_dof_indices], base))

    @active_dof_velocities.setter
    def active_dof_velocities(self, velocities: ArrayLike) -> None:
        self.set_active_dof_velocities(velocities)

    def set_active_dof_velocities(
        self, velocities: ArrayLike, limits: LimitCheck = LimitCheck.CLAMP_AND_WARN
    ) -> None:
        """Set the active rates; limits of joints as in `set_dof_velocities`.

        Motions of the base that are not active keep their velocity.
        """
        wanted = as_vector(velocities, self.active_dof, "active_dof_velocities")
        indices = self.active_dof_indices
        n = len(indices)
        self.set_dof_velocities(wanted[:n], indices, limits)
        if not self._affine:
            return
        quat = quat_from_matrix(self.transform[:3, :3])
        linear, angular = angular_from_rates(
            wanted[None, n:], int(self._affine), self._axis(), quat[None]
        )
        twist = self.base_velocity
        for i in range(3):
            if self._affine & (1 << i):
                twist[i] = linear[0, i]
        if self._affine & ~Affine(7):
            twist[3:] = angular[0]
        self.base_velocity = twist

    # -- limits --------------------------------------------------------------------

    @property
    def affine_limits(self) -> AffineLimits:
        """Limits of the base's motions; assignable, see `set_affine_limits`."""
        return self._affine_limits

    @affine_limits.setter
    def affine_limits(self, limits: AffineLimits) -> None:
        if not isinstance(limits, AffineLimits):
            raise ArgumentError(f"affine_limits is {limits!r}, expected AffineLimits")
        self._affine_limits = limits
        self.notify(BodyChange.LIMITS)

    def set_affine_limits(self, kind: Affine, **values: object) -> None:
        """Replace limits of one kind of base motion; see `AffineLimits.changed`."""
        self.affine_limits = self._affine_limits.changed(Affine(kind), **values)

    @property
    def active_dof_limits(self) -> tuple[Array, Array]:
        """(lower, upper), two (active_dof,) arrays."""
        lower, upper = self.limits.bounds
        chosen = self.active_dof_indices
        return (
            np.concatenate((lower[chosen], self._base_limit("lower"))),
            np.concatenate((upper[chosen], self._base_limit("upper"))),
        )

    @property
    def active_dof_velocity_limits(self) -> Array:
        """(active_dof,) per second."""
        return self._active_limit("velocity_limits", "velocity")

    @property
    def active_dof_acceleration_limits(self) -> Array:
        """(active_dof,) per second squared; the base's are as its velocities."""
        return self._active_limit("acceleration_limits", "velocity")

    @property
    def active_dof_jerk_limits(self) -> Array:
        """(active_dof,) per second cubed; the base's are as its velocities."""
        return self._active_limit("jerk_limits", "velocity")

    @property
    def active_dof_resolutions(self) -> Array:
        """(active_dof,) steps of path checks, radians or metres."""
        return self._active_limit("resolutions", "resolution")

    @property
    def active_dof_weights(self) -> Array:
        """(active_dof,) weights of the configuration distance."""
        return self._active_limit("weights", "weight")

    def _active_limit(self, name: str, quantity: Quantity) -> Array:
        joints = self.limits.get(name)[self.active_dof_indices]
        return np.concatenate((joints, self._base_limit(quantity)))

    def _base_limit(self, quantity: Quantity) -> Array:
        return self._affine_limits.of(self._affine, quantity)

    def _axis(self) -> tuple[float, float, float]:
        x, y, z = self._rotation_axis.tolist()
        return x, y, z

    # -- derivatives and specification -----------------------------------------------

    def active_jacobian(
        self, link: Link | str | int, point: ArrayLike | None = None
    ) -> Array:
        """Return the (6, active_dof) derivative of a link's point by active values.

        Parameters
        ----------
        point
            (3,) world position, metres; None is the link's origin.

        Returns
        -------
        (6, active_dof) float64
            Rows 0-2 velocity of the point, 3-5 angular velocity, world axes, per unit
            rate of each active value.
        """
        index = self.link_index(link)
        where = (
            self.transforms_view[index, :3, 3].copy()
            if point is None
            else as_vector(point, 3, "point")
        )
        joints = self.jacobian(index, where)[:, self.active_dof_indices]
        base = affine_jacobian(self.transform, where, int(self._affine), self._axis())
        return np.concatenate((joints, base), axis=1)

    def active_quaternion_jacobian(self, link: Link | str | int) -> Array:
        """Return the (4, active_dof) derivative of a link's quaternion, w >= 0."""
        index = self.link_index(link)
        rotation = self.transforms_view[index, :3, :3]
        return quaternion_jacobian(rotation, self.active_jacobian(index)[3:])

    def active_configuration_specification(
        self, interpolation: str = ""
    ) -> ConfigurationSpecification:
        """Return the groups of `active_dof_values`."""
        return self.specification_of(
            self.active_dof_indices,
            int(self._affine),
            self._axis(),
            interpolation,
        )
