"""Joints as scripts see them: light views of a body's model and state."""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

import numpy as np

from pyrave import kinematics
from pyrave.argument_names import methods_suggest
from pyrave.attributes import ClosedView, answers_other_names
from pyrave.bodies.views.limits import replace_limit
from pyrave.errors import ArgumentError, shown
from pyrave.spatial import Array, Indices, as_numbers, as_vector, matrix_from_axis_angle

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.views.link import Link
    from pyrave.scene import JointDescription, MimicFormula


class _JointLimit:
    """A limit of a joint's axes, assignable for active joints."""

    def __init__(self, name: str, doc: str) -> None:
        self._name = name
        self.__doc__ = f"{doc} Assignable for active joints."

    @overload
    def __get__(self, joint: None, owner: type[Joint]) -> _JointLimit: ...
    @overload
    def __get__(self, joint: Joint, owner: type[Joint]) -> Array: ...
    def __get__(self, joint: Joint | None, owner: type[Joint]) -> _JointLimit | Array:
        return self if joint is None else joint._limit(self._name)  # noqa: SLF001

    def __set__(self, joint: Joint, values: ArrayLike) -> None:
        joint._set_limit(self._name, values)  # noqa: SLF001 - part of the class


@methods_suggest
@answers_other_names
class Joint(ClosedView):
    """One joint of a body, active or passive."""

    _hot = "add_torques affects subtract_values"

    __slots__ = ("__weakref__", "_body", "_index", "description")

    def __init__(
        self, body: KinBody, index: int, description: JointDescription
    ) -> None:
        self._body = body
        self._index = index
        self.description = description
        """The description it was made from, with later edits; frozen."""

    @property
    def body(self) -> KinBody:
        """The body it belongs to."""
        return self._body

    @property
    def name(self) -> str:
        """Name, unique in the body."""
        return self.description.name

    @property
    def index(self) -> int:
        """Position among all joints of the body, passive ones included."""
        return self._index

    @property
    def type(self) -> str:
        """One of the types that `JointDescription.type` lists, lower case."""
        return self.description.type

    @property
    def dof(self) -> int:
        """Number of axes."""
        return len(self.description.axes)

    @property
    def active(self) -> bool:
        """True if its axes are degrees of freedom of the body."""
        return bool(self.body.model.joint_active[self._index])

    @property
    def dof_index(self) -> int:
        """Index of its first degree of freedom, -1 for passive and mimic joints."""
        return int(self.body.model.joint_dof_index[self._index])

    @property
    def static(self) -> bool:
        """True if it cannot move at all: a dummy joint that glues two links."""
        return bool(self.body.model.joint_static[self._index])

    @property
    def closes_loop(self) -> bool:
        """True if it closes a loop: passive joints satisfy it; it carries no link."""
        return self.description.closes_loop

    @property
    def mimic(self) -> tuple[MimicFormula | None, ...]:
        """Per axis the formula that it follows, or None."""
        return tuple(axis.mimic for axis in self.description.axes)

    @property
    def is_mimic(self) -> bool:
        """True if any axis follows other joints."""
        return any(axis.mimic is not None for axis in self.description.axes)

    @property
    def circular(self) -> tuple[bool, ...]:
        """Per axis whether it turns without limits."""
        return tuple(axis.circular for axis in self.description.axes)

    @property
    def prismatic(self) -> tuple[bool, ...]:
        """Per axis whether it slides."""
        return tuple(axis.prismatic for axis in self.description.axes)

    def _span(self) -> slice:
        first, count = self.body.model.joint_values[self._index].tolist()
        return slice(first, first + count)

    @property
    def dof_indices(self) -> Indices:
        """(dof,) int64 indices of its axes, none for passive and mimic joints."""
        first = self.dof_index
        return np.arange(first, first + self.dof if first >= 0 else first)

    @property
    def mimic_dof_indices(self) -> Indices:
        """(k,) int64, degrees of freedom that any of its axes follows."""
        follows = self.body.model.follows[self._span()]
        following = [formula is not None for formula in self.mimic]
        found = follows[np.array(following, dtype=bool)].any(axis=0)
        return np.flatnonzero(found)

    # -- limits and values ---------------------------------------------------------

    @property
    def limits(self) -> tuple[Array, Array]:
        """(lower, upper), two (dof,) arrays, radians or metres; assignable."""
        body = self.body
        if self.active:
            lower, upper = body.dof_limits
            span = self._span()
            return lower[span], upper[span]
        model, span = body.model, self._span()
        wide = model.circular[span]
        return (
            np.where(wide, -10000.0, model.value_lower[span]),
            np.where(wide, 10000.0, model.value_upper[span]),
        )

    @limits.setter
    def limits(self, limits: tuple[ArrayLike, ArrayLike]) -> None:
        body, span = self._active_body("limits"), self._span()
        try:
            low, high = limits
        except (TypeError, ValueError):
            raise ArgumentError(
                f"limits of {self!r} are {shown(limits)}, expected two arrays: lower, "
                "upper"
            ) from None
        lower, upper = body.dof_limits
        lower[span] = self._of_axes(low, "lower limits")
        upper[span] = self._of_axes(high, "upper limits")
        body.dof_limits = (lower, upper)

    @property
    def values(self) -> Array:
        """(dof,) present values, assignable; those of mimic joints follow formulas.

        Values of passive joints are set whatever their limits are. A joint that closes
        a loop has the values that the poses of its links mean.
        """
        return self.body.joint_values[self._span()].copy()

    @values.setter
    def values(self, values: ArrayLike) -> None:
        if self.active:
            self.body.set_dof_values(values, self.dof_indices)
            return
        span = self._span()
        if not self.body.model.passive_values[span].all():
            raise ArgumentError(
                f"values of {self!r} cannot be set: it is static, follows others, or "
                "closes a loop"
            )
        self.body.set_passive_values(values, range(span.start, span.stop))

    @property
    def velocities(self) -> Array:
        """(dof,) present velocities, rad/s or m/s; assignable like `values`."""
        if self.active:
            return self.body.dof_velocities[self._span()]
        if not self.is_mimic:
            return np.zeros(self.dof)
        return self._rates_of_links()

    @velocities.setter
    def velocities(self, velocities: ArrayLike) -> None:
        body = self._active_body("velocities")
        body.set_dof_velocities(velocities, self.dof_indices)

    def _rates_of_links(self) -> Array:
        """Return the velocities that fit those of the joint's two links."""
        body = self.body
        first, second = body.model.joint_links[self._index].tolist()
        twists, poses = body.dynamics.link_velocities, body.transforms_view
        reach = poses[second, :3, 3] - poses[first, :3, 3]
        relative = twists[second] - twists[first]
        relative[:3] -= np.cross(twists[first, 3:], reach)
        columns = np.empty((6, self.dof))
        point = self.T_world_joint[:3, 3].copy()
        for i, axis in enumerate(self._axes_as_described()):
            if self.prismatic[i]:
                columns[:, i] = (*axis, 0.0, 0.0, 0.0)
                # axes behind it slide with it
                point = point + self.values[i] * axis
            else:
                arm = poses[second, :3, 3] - point
                columns[:, i] = (*np.cross(axis, arm), *axis)
        return np.asarray(np.linalg.lstsq(columns, relative, rcond=None)[0])

    def subtract_values(self, a: ArrayLike, b: ArrayLike) -> Array:
        """Return a - b, (dof,), the short way round for circular axes."""
        first = as_vector(a, self.dof, "a")
        if self.active:
            periods = self.body.model.circular_periods[self._span()]
        else:
            circular = np.array(self.circular) & ~np.array(self.prismatic)
            periods = np.where(circular, 2.0 * np.pi, np.inf)
        difference = first - as_vector(b, self.dof, "b")
        return kinematics.angle_difference(difference, periods)

    def add_torques(self, torques: ArrayLike) -> None:
        """Push with efforts (dof,), N m or N, during the next step.

        Raises
        ------
        NotSupportedError
            The physics engine applies no joint torques.
        """
        wanted = as_vector(torques, self.dof, f"torques of {self!r}")
        self.body.env.physics_engine.add_joint_torque(self, wanted)

    def affects(self, link: Link) -> bool:
        """Return True if it is on the way from the base to a link."""
        return bool(self.body.model.joint_affects[self._index, link.index])

    def _active_body(self, what: str) -> KinBody:
        if not self.active:
            raise ArgumentError(
                f"{what} of {self!r} cannot be set: it is passive or follows others"
            )
        return self.body

    def _limit(self, name: str) -> Array:
        """Return a limit by its name in the model, the body's own if it has one."""
        body = self.body
        values = (
            body.limit_store.get(name) if self.active else getattr(body.model, name)
        )
        return np.array(values[self._span()])

    def _set_limit(self, name: str, given: ArrayLike) -> None:
        body = self._active_body(name)
        values = body.limit_store.get(name)
        values[self._span()] = self._of_axes(given, name)
        replace_limit(body, name, values)

    def _of_axes(self, given: ArrayLike, what: str) -> Array:
        """Return one number per axis, which may be infinite, or one for all."""
        array = as_numbers(given, f"{what} of {self!r}")
        if array.shape not in {(), (self.dof,)} or np.isnan(array).any():
            raise ArgumentError(
                f"{what} of {self!r} are {shown(given)}, expected {self.dof} numbers"
            )
        return array

    velocity_limits = _JointLimit("velocity_limits", "(dof,) rad/s or m/s.")
    acceleration_limits = _JointLimit("acceleration_limits", "(dof,) rad/s2 or m/s2.")
    jerk_limits = _JointLimit("jerk_limits", "(dof,) rad/s3 or m/s3.")
    torque_limits = _JointLimit("torque_limits", "(dof,) N m or N; 0 where not known.")
    weights = _JointLimit("weights", "(dof,) weights of the configuration distance.")
    resolutions = _JointLimit("resolutions", "(dof,) radians or metres.")

    @property
    def wrap_offsets(self) -> Array:
        """(dof,) centre of the range in which a turning axis reports its value."""
        return self.body.model.wrap_offsets[self._span()].copy()

    @property
    def parent_link(self) -> Link:
        """The link nearer to the base (as described if the joint closes a loop)."""
        return self.body.links[self._link(0)]

    @property
    def child_link(self) -> Link:
        """The link that it moves (as described if it closes a loop)."""
        return self.body.links[self._link(1)]

    def _link(self, side: int) -> int:
        model = self.body.model
        found = int(model.joint_hierarchy[self._index, side])
        return found if found >= 0 else int(model.joint_links[self._index, side])

    @property
    def T_world_joint(self) -> Array:  # noqa: N802 - a frame name
        """(4, 4) the joint frame fixed in its first link."""
        body = self.body
        first = int(body.model.joint_links[self._index, 0])
        transforms = body.transforms_view
        return np.asarray(transforms[first] @ body.model.T_parent_joint[self._index])

    @property
    def _is_reversed(self) -> bool:
        """True if the kinematic tree enters it through its described child link.

        That link is then `parent_link`.
        """
        model = self.body.model
        return bool(
            model.joint_hierarchy[self._index, 0] == model.joint_links[self._index, 1]
        )

    @property
    def anchor(self) -> Array:
        """(3,) world position of the joint's origin in `parent_link`, metres."""
        if not self._is_reversed:
            return self.T_world_joint[:3, 3].copy()
        body = self.body
        near = int(body.model.joint_links[self._index, 1])
        T_world_link = body.transforms_view[near]  # noqa: N806 - a frame name
        return np.asarray((T_world_link @ body.model.T_child_joint[self._index])[:3, 3])

    @property
    def axes(self) -> Array:
        """(dof, 3) world directions about or along which `child_link` moves.

        Against `parent_link`, and positive with the values. Later axes turn with the
        earlier ones. Those of a spherical joint are the directions in which the
        components of its rotation vector count. The axis of a trajectory joint has no
        meaning.
        """
        axes = self._axes_as_described()
        return 0.0 - axes if self._is_reversed else axes

    def _axes_as_described(self) -> Array:
        """Return (dof, 3) world directions in which the second link moves."""
        rotation = self.T_world_joint[:3, :3]
        if self.type == "spherical":
            directions = [axis.direction for axis in self.description.axes]
            return np.asarray(np.array(directions) @ rotation.T)
        result = np.empty((self.dof, 3))
        values = self.values
        for i, axis in enumerate(self.description.axes):
            result[i] = rotation @ np.asarray(axis.direction)
            if not axis.prismatic:
                turn = matrix_from_axis_angle(axis.direction, float(values[i]))
                rotation = rotation @ turn
        return result

    def __repr__(self) -> str:
        return f"<{self.type} joint {self.name!r}>"
