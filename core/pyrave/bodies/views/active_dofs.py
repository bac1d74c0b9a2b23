"""Active degrees of freedom: the joints and base motions that planners work on."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from pyrave.argument_names import methods_suggest
from pyrave.bodies.views.affine_limits import AffineLimits
from pyrave.bodies.views.part import BodyPart
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
    as_indices,
    as_vector,
    quat_from_matrix,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

    from pyrave.bodies.robot import Robot
    from pyrave.bodies.views.affine_limits import Quantity
    from pyrave.bodies.views.joint import Joint
    from pyrave.bodies.views.link import Link
    from pyrave.trajectories.specification import ConfigurationSpecification

_AXIS_NAMES = {
    Affine.X: ("x",),
    Affine.Y: ("y",),
    Affine.Z: ("z",),
    Affine.ROTATION_AXIS: ("angle",),
    Affine.ROTATION_3D: ("rx", "ry", "rz"),
    Affine.ROTATION_QUAT: ("qw", "qx", "qy", "qz"),
}


@dataclass(frozen=True, slots=True)
class ActiveChoice:
    """The active degrees of freedom: joints, then motions of the base.

    Parameters
    ----------
    dof_indices
        Of the joints; None is all.
    affine
        Mask of the base's motions.
    rotation_axis
        (3,) unit vector for `Affine.ROTATION_AXIS`, world axes.
    """

    dof_indices: tuple[int, ...] | None = None
    affine: Affine = Affine.NONE
    rotation_axis: tuple[float, float, float] = (0.0, 0.0, 1.0)

    def changed(
        self, indices: Indices, affine: Affine, rotation_axis: ArrayLike | None
    ) -> ActiveChoice:
        """Return a choice of other joints and motions; no axis leaves the one before.

        Raises
        ------
        ArgumentError
            More than one kind of rotation, or an axis without direction.
        """
        affine = Affine(affine)
        affine.check()
        axis = np.array(self.rotation_axis)
        if rotation_axis is not None:
            axis = as_vector(rotation_axis, 3, "rotation_axis")
            largest = np.abs(axis).max()
            if not largest > 0:
                raise ArgumentError("rotation_axis has no direction")
            # squares of very long or short ones are beyond the range of numbers
            axis = axis / largest
            axis = axis / np.sqrt(axis @ axis)
        x, y, z = axis.tolist()
        return ActiveChoice(tuple(indices.tolist()), affine, (x, y, z))


@dataclass(frozen=True, slots=True, eq=False)
class ActiveTable:
    """The active degrees of freedom as read-only arrays, (dof,) each.

    A robot makes it when it is asked for, and again when its choice or limits are
    others.

    Parameters
    ----------
    choice, base_limits, bounds
        Of which it was made.
    indices
        (k,) int64, of the joints.
    names
        Those of `ActiveDofs.names`.
    periods
        Of values that turn without end, infinite for others: a base that may go less
        than a turn about its axis has limits like a joint.
    """

    choice: ActiveChoice
    base_limits: AffineLimits
    bounds: tuple[Array, Array]
    indices: Indices
    affine: Affine
    names: tuple[str, ...]
    lower: Array
    upper: Array
    velocity_limits: Array
    acceleration_limits: Array
    jerk_limits: Array
    resolutions: Array
    weights: Array
    periods: Array

    @property
    def dof(self) -> int:
        """Number of active values: joints and base motions."""
        return len(self.names)

    @classmethod
    def of(cls, robot: Robot, kept: dict[ActiveChoice, ActiveTable]) -> ActiveTable:
        """Return the table of a robot as it is now, and keep it beside few others."""
        choice, base, store = robot.active_choice, robot.base_limits, robot.limit_store
        indices, affine = np.arange(robot.dof), choice.affine
        if choice.dof_indices is not None:
            indices = as_indices(choice.dof_indices, "active_dof_indices")
        every = robot.dof_names
        motions = [_AXIS_NAMES[bit] for bit in _AXIS_NAMES if affine & bit]
        names = (*(every[i] for i in indices.tolist()), *chain.from_iterable(motions))
        lower, upper = store.bounds
        joined: list[tuple[Array, Quantity]] = [(lower, "lower"), (upper, "upper")]
        joined += [(store.view(name), quantity) for name, quantity in _BASE.items()]
        arrays = [
            np.concatenate((joints[indices], base.of(affine, quantity)))
            for joints, quantity in joined
        ]
        turns = np.full(affine.size, np.inf)
        if affine & Affine.ROTATION_AXIS and arrays[1][-1] - arrays[0][-1] >= _TURN:
            turns[-1] = _TURN
        arrays.append(np.concatenate((robot.model.circular_periods[indices], turns)))
        for array in (indices, *arrays):
            array.flags.writeable = False
        made = cls(choice, base, store.bounds, indices, affine, names, *arrays)
        if len(kept) >= _MOST_TABLES:
            kept.clear()
        kept[choice] = made
        return made


_MOST_TABLES = 16
_TURN = 2.0 * np.pi
_BASE: Mapping[str, Quantity] = {
    "velocity_limits": "velocity",
    "acceleration_limits": "velocity",  # the base's are as its velocities
    "jerk_limits": "velocity",
    "resolutions": "resolution",
    "weights": "weight",
}


@methods_suggest
class ActiveDofs(BodyPart):
    """Active degrees of freedom: chosen joints, then the base (`Robot.active`).

    Values are those of the joints, then those of the base: x, y, z and one kind of
    rotation. Everything here is in this order; `Robot.set_active_dofs` chooses.
    """

    _hot = "includes jacobian set_values set_velocities subtract_values"

    __slots__ = ()

    _body: Robot

    @property
    def indices(self) -> Indices:
        """(k,) int64, the joints' degrees of freedom: `Robot.active_dof_indices`."""
        return self._body.active_dof_indices

    @property
    def affine(self) -> Affine:
        """Mask of the base motions among the active degrees of freedom."""
        return self._body.active_choice.affine

    @property
    def affine_rotation_axis(self) -> Array:
        """(3,) axis of `Affine.ROTATION_AXIS`."""
        return np.array(self._body.active_choice.rotation_axis)

    @property
    def dof(self) -> int:
        """Number of active values: joints and base motions."""
        return self._body.active_table.dof

    @property
    def names(self) -> tuple[str, ...]:
        """Names of joints, then ``x y z`` and ``angle``, ``rx ...`` or ``qw ...``."""
        return self._body.active_table.names

    @property
    def table(self) -> ActiveTable:
        """Indices, names, limits and weights of all that is active, read-only."""
        return self._body.active_table

    def includes(self, joint: Joint) -> bool:
        """Return True if any axis of a joint is active."""
        first = joint.dof_index
        mine = range(first, first + joint.dof) if first >= 0 else ()
        return any(i in mine for i in self.indices.tolist())

    # -- values --------------------------------------------------------------------

    @property
    def values(self) -> Array:
        """(dof,) joint values, then base values; assignable."""
        table = self._body.active_table
        joints = self._body.dof_values_view[table.indices]
        if not table.affine:
            return joints
        base = table.affine.values_of(self._body.transform, self.affine_rotation_axis)
        return np.concatenate((joints, base))

    @values.setter
    def values(self, values: ArrayLike) -> None:
        self.set_values(values)

    def set_values(
        self, values: ArrayLike, limits: LimitCheck = LimitCheck.CLAMP_AND_WARN
    ) -> None:
        """Set the active values; limits of joints as in `KinBody.set_dof_values`.

        Base values are taken as they are, a quaternion of any length but 0.
        """
        indices, affine = self.indices, self.affine
        n = len(indices)
        wanted = as_vector(values, n + affine.size, "active.values")
        if not affine:
            self._body.set_dof_values(wanted, indices, limits)
            return
        base = affine.applied(
            self._body.transform, wanted[n:], self.affine_rotation_axis
        )
        self._body.set_dof_values(wanted[:n], indices, limits)
        self._body.transform = base

    def subtract_values(self, a: ArrayLike, b: ArrayLike) -> Array:
        """Return a - b, (dof,); angles the short way round if they have no limits.

        Quaternions are subtracted with the sign of `a` that is nearer to `b`.
        """
        table = self._body.active_table
        n = len(table.indices)
        first = as_vector(a, table.dof, "a")
        second = as_vector(b, table.dof, "b")
        joints = self._body.subtract_dof_values(first[:n], second[:n], table.indices)
        base = affine_difference(first[n:], second[n:], int(table.affine))
        if table.affine & Affine.ROTATION_AXIS and np.isinf(table.periods[-1]):
            base[-1] = first[-1] - second[-1]
        return np.concatenate((joints, base))

    @property
    def velocities(self) -> Array:
        """(dof,) rates of `values`; assignable."""
        joints = self._body.dof_velocities[self.indices]
        if not self.affine:
            return joints
        base = affine_rates(
            self._body.base_velocity,
            quat_from_matrix(self._body.transform[:3, :3]),
            int(self.affine),
            self._body.active_choice.rotation_axis,
        )
        return np.concatenate((joints, base))

    @velocities.setter
    def velocities(self, velocities: ArrayLike) -> None:
        self.set_velocities(velocities)

    def set_velocities(
        self, velocities: ArrayLike, limits: LimitCheck = LimitCheck.CLAMP_AND_WARN
    ) -> None:
        """Set the active rates; limits of joints as in `KinBody.set_dof_velocities`.

        Motions of the base that are not active keep their velocity.
        """
        indices = self.indices
        n = len(indices)
        wanted = as_vector(velocities, n + self.affine.size, "active.velocities")
        self._body.set_dof_velocities(wanted[:n], indices, limits)
        if not self.affine:
            return
        quat = quat_from_matrix(self._body.transform[:3, :3])
        linear, angular = angular_from_rates(
            wanted[None, n:],
            int(self.affine),
            self._body.active_choice.rotation_axis,
            quat[None],
        )
        twist = self._body.base_velocity
        for i in range(3):
            if self.affine & (1 << i):
                twist[i] = linear[0, i]
        if self.affine & ~Affine(7):
            twist[3:] = angular[0]
        self._body.base_velocity = twist

    # -- limits --------------------------------------------------------------------

    @property
    def affine_limits(self) -> AffineLimits:
        """Limits of the base's motions; assignable, see `set_affine_limits`."""
        return self._body.base_limits

    @affine_limits.setter
    def affine_limits(self, limits: AffineLimits) -> None:
        if not isinstance(limits, AffineLimits):
            raise ArgumentError(f"affine_limits is {limits!r}, expected AffineLimits")
        self._body.limit_base(limits)

    def set_affine_limits(self, kind: Affine, **values: object) -> None:
        """Replace limits of one kind of base motion; see `AffineLimits.changed`.

        Parameters
        ----------
        **values
            Limits by name, as for `AffineLimits.changed`.
        """
        self.affine_limits = self._body.base_limits.changed(Affine(kind), **values)

    @property
    def limits(self) -> tuple[Array, Array]:
        """(lower, upper), two (dof,) arrays."""
        table = self._body.active_table
        return table.lower.copy(), table.upper.copy()

    @property
    def velocity_limits(self) -> Array:
        """(dof,) per second."""
        return self._body.active_table.velocity_limits.copy()

    @property
    def acceleration_limits(self) -> Array:
        """(dof,) per second squared; the base's are as its velocities."""
        return self._body.active_table.acceleration_limits.copy()

    @property
    def jerk_limits(self) -> Array:
        """(dof,) per second cubed; the base's are as its velocities."""
        return self._body.active_table.jerk_limits.copy()

    @property
    def resolutions(self) -> Array:
        """(dof,) steps of path checks, radians or metres."""
        return self._body.active_table.resolutions.copy()

    @property
    def weights(self) -> Array:
        """(dof,) weights of the configuration distance."""
        return self._body.active_table.weights.copy()

    # -- derivatives and specification -----------------------------------------------

    def jacobian(self, link: Link | str | int, point: ArrayLike | None = None) -> Array:
        """Return the (6, dof) derivative of a link's point by active values.

        Parameters
        ----------
        point
            (3,) world position, metres; None is the link's origin.

        Returns
        -------
        (6, dof) float64
            Rows 0-2 velocity of the point, 3-5 angular velocity, world axes, per unit
            rate of each active value.
        """
        index = self._body.link_index(link)
        if point is None:
            where = self._body.transforms_view[index, :3, 3]
        else:
            where = as_vector(point, 3, "point")
        joints = self._body.jacobian(index, where)[:, self.indices]
        base = affine_jacobian(
            self._body.transform,
            where,
            int(self.affine),
            self._body.active_choice.rotation_axis,
        )
        return np.concatenate((joints, base), axis=1)

    def quaternion_jacobian(self, link: Link | str | int) -> Array:
        """Return the (4, dof) derivative of a link's quaternion, w >= 0."""
        index = self._body.link_index(link)
        rotation = self._body.transforms_view[index, :3, :3]
        return quaternion_jacobian(rotation, self.jacobian(index)[3:])

    def configuration_specification(
        self, interpolation: str = ""
    ) -> ConfigurationSpecification:
        """Return the groups of `values`."""
        table = self._body.active_table
        return self._body.specification_of(
            table.indices,
            int(table.affine),
            table.choice.rotation_axis,
            interpolation,
        )
