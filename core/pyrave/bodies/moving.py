"""Velocities of a model at a state, and what an engine does that moves it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.bodies.posed import PosedModel
from pyrave.kinematics.limits import LimitCheck
from pyrave.spatial import Array, as_vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.spatial import IndicesLike
    from pyrave.world.motion import MotionGroup


class MovingModel(PosedModel):
    """A model with velocities, set by users or by the engine that moves it."""

    @property
    def dof_velocities(self) -> Array:
        """(dof,) rad/s or m/s, a copy. Assigned values are taken as they are."""
        velocities = self._velocities
        return np.zeros(self.dof) if velocities is None else velocities.copy()

    @dof_velocities.setter
    def dof_velocities(self, velocities: ArrayLike) -> None:
        self._velocities = as_vector(velocities, self.dof, "dof_velocities").copy()
        self._accelerated()

    def set_dof_velocities(
        self,
        velocities: ArrayLike,
        dof_indices: IndicesLike | None = None,
        limits: LimitCheck = LimitCheck.CLAMP_AND_WARN,
    ) -> None:
        """Set velocities, (dof,) or one per index; limits as in `set_dof_values`."""
        limits = LimitCheck.of(limits)
        indices = None if dof_indices is None else self._different_indices(dof_indices)
        size = self.dof if indices is None else len(indices)
        wanted = as_vector(velocities, size, f"dof_velocities of {self._name!r}")
        if limits is not LimitCheck.NONE:
            wanted = self.limits.applied_rates(wanted, indices, limits, self._name)
        present = self.dof_velocities
        present[slice(None) if indices is None else indices] = wanted
        self._velocities = present
        self._accelerated()

    def _accelerated(self) -> None:
        """Let an engine that moves the body know of another velocity."""
        if self._motion is not None:
            self._motion.changed.add(self)

    @property
    def base_velocity(self) -> Array:
        """(6,) velocity of the base link, linear first, world axes; assignable."""
        return self._own_velocity()

    @base_velocity.setter
    def base_velocity(self, velocity: ArrayLike) -> None:
        self._set_base_velocity(velocity)

    def _own_velocity(self) -> Array:
        velocity = self._base_velocity
        return np.zeros(6) if velocity is None else velocity.copy()

    def _set_base_velocity(self, velocity: ArrayLike) -> None:
        self._base_velocity = as_vector(velocity, 6, "base_velocity").copy()
        self._accelerated()

    @property
    def velocity_views(self) -> tuple[Array | None, Array | None]:
        """Base velocity (6,) and joint velocities (dof,), None for rest; no copies.

        Who sets a velocity puts another array in its place; an engine that moves the
        body together with others writes to these. Do not write to them.
        """
        return self._base_velocity, self._velocities

    def take_motion(
        self,
        base_pose: Array,
        values: Array,
        base_velocity: Array,
        rates: Array,
        transforms: Array | None = None,
    ) -> None:
        """Take over a state that a physics engine computed; the arrays are kept.

        Nothing is checked or clamped.

        Parameters
        ----------
        base_pose
            (4, 4) T_world_body.
        values, rates
            (dof,) joint values, and their velocities.
        base_velocity
            (6,) of the base link, linear first, world axes.
        transforms
            (n_links, 4, 4) T_world_link, which the joint values give up to rounding;
            None where the engine does not know them, or they contradict a joint.
        """
        self._base_pose, self._values = base_pose, values
        self._base_velocity, self._velocities = base_velocity, rates
        self._moved(known=transforms)

    @property
    def motion(self) -> MotionGroup | None:
        """The bodies with which an engine moves it, if one does."""
        return self._motion

    def join_motion(
        self,
        group: MotionGroup,
        poses: Array | None = None,
        values: Array | None = None,
        rates: Array | None = None,
        base_velocity: Array | None = None,
    ) -> None:
        """Let an engine move it together with others; `MotionGroup` calls this.

        Parameters
        ----------
        group
            Where it is noted if somebody else moves it.
        poses, values, rates, base_velocity
            Arrays with the present state, which the engine writes from now on; None
            for a body that keeps its own.
        """
        before = self._motion
        if before is not group:
            if before is not None:
                self.leave_motion(before)
                before.changed.add(self)  # two engines take turns
            self._motion = group
            self._stamp -= group.steps
        if poses is not None and values is not None:
            self._base_pose, self._transforms, self._values = poses[0], poses, values
            self._velocities, self._base_velocity = rates, base_velocity

    def leave_motion(self, group: MotionGroup | None) -> None:
        """Keep the state as it is: the engine writes its arrays no longer."""
        if group is not None and self._motion is group:
            self._stamp += group.steps
            del self._motion
