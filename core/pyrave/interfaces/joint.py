"""Joints as scripts see them: light views of a body's model and state."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import StateError
from pyrave.spatial import Array, matrix_from_axis_angle

if TYPE_CHECKING:
    from pyrave.interfaces.kinbody import KinBody, Link
    from pyrave.scene import JointDescription, MimicFormula

__all__ = ["Joint"]


class Joint:
    """One joint of a body, active or passive."""

    __slots__ = ("_body", "_index", "description")

    def __init__(
        self, body: KinBody, index: int, description: JointDescription
    ) -> None:
        self._body = weakref.ref(body)
        self._index = index
        self.description = description

    @property
    def body(self) -> KinBody:
        """The body it belongs to."""
        body = self._body()
        if body is None:
            raise StateError(f"the body of joint {self.name!r} is gone")
        return body

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
        """Whether its axes are degrees of freedom of the body."""
        return bool(self.body.model.joint_active[self._index])

    @property
    def dof_index(self) -> int:
        """Index of its first degree of freedom, -1 for passive and mimic joints."""
        return int(self.body.model.joint_dof_index[self._index])

    @property
    def static(self) -> bool:
        """Whether it can't move at all: a dummy joint that glues two links."""
        return bool(self.body.model.joint_static[self._index])

    @property
    def mimic(self) -> tuple[MimicFormula | None, ...]:
        """Per axis the formula that it follows, or None."""
        return tuple(axis.mimic for axis in self.description.axes)

    @property
    def is_mimic(self) -> bool:
        """Whether any axis follows other joints."""
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
    def limits(self) -> tuple[Array, Array]:
        """(lower, upper), two (dof,) arrays; radians or metres."""
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

    @property
    def values(self) -> Array:
        """(dof,) present values; those of mimic joints follow from their formulas."""
        return self.body.joint_values[self._span()].copy()

    def _limit(self, name: str) -> Array:
        """Return a limit by its name in the model, the body's own if it has one."""
        body = self.body
        values = body.limits.get(name) if self.active else getattr(body.model, name)
        return np.array(values[self._span()])

    @property
    def velocity_limits(self) -> Array:
        """(dof,) rad/s or m/s."""
        return self._limit("velocity_limits")

    @property
    def acceleration_limits(self) -> Array:
        """(dof,) rad/s2 or m/s2."""
        return self._limit("acceleration_limits")

    @property
    def torque_limits(self) -> Array:
        """(dof,) N m or N; 0 where not known."""
        return self._limit("torque_limits")

    @property
    def weights(self) -> Array:
        """(dof,) weights of the configuration distance."""
        return self._limit("weights")

    @property
    def resolutions(self) -> Array:
        """(dof,) radians or metres."""
        return self._limit("resolutions")

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
    def anchor(self) -> Array:
        """(3,) world position of the joint frame's origin, metres."""
        return self.T_world_joint[:3, 3].copy()

    @property
    def axes(self) -> Array:
        """(dof, 3) world directions; later axes turn with the earlier ones.

        Those of a spherical joint are the directions in which the components of its
        rotation vector count. The axis of a trajectory joint has no meaning.
        """
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
