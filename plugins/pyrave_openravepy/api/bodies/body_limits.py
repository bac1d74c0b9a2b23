"""Limits, weights and resolutions of the degrees of freedom of a body."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyrave import BodyChange
from pyrave_openravepy.api.bodies.body_dofs import as_indices, chosen
from pyrave_openravepy.api.bodies.boxes import vector_of
from pyrave_openravepy.api.foundation.guard import Guarded

__all__ = ["BodyLimits", "set_hard_limits"]

Array = NDArray[np.float64]


def set_hard_limits(body: Any, field: str, values: Any) -> None:
    """Give the axes of all degrees of freedom of pyrave's body other hard limits.

    Parameters
    ----------
    field
        Of `pyrave.scene.JointAxis`.
    values
        (dof,) one for each degree of freedom.
    """
    known = body.description
    joints = list(known.joints)
    for joint in body.joints:
        own = np.asarray(values)[joint.dof_indices].tolist()
        axes = zip(joint.description.axes, own, strict=True)
        made = tuple(replace(axis, **{field: value}) for axis, value in axes)
        joints[joint.index] = replace(joint.description, axes=made)
    made_body = replace(known, joints=tuple(joints))
    body.apply_edit(made_body, BodyChange.DYNAMICS | BodyChange.LIMITS)


class BodyLimits(Guarded):
    """Limits of the degrees of freedom; a part of `KinBody`."""

    _native: Any

    def GetDOFLimits(self, indices: Any = None) -> list[Array]:
        return [chosen(one, indices) for one in self._native.dof_limits]

    def SetDOFLimits(self, lower: Any, upper: Any, indices: Any = None) -> None:
        native = self._native
        low, high = (np.array(one, float) for one in native.dof_limits)
        which = np.arange(native.dof)
        if indices is not None:
            which = as_indices(indices, native.dof)
        low[which] = vector_of(lower, which.size, "lower")
        high[which] = vector_of(upper, which.size, "upper")
        native.dof_limits = low, high

    def GetDOFVelocityLimits(self, indices: Any = None) -> Array:
        return chosen(self._native.dof_velocity_limits, indices)

    def GetDOFMaxVel(self, indices: Any = None) -> Array:
        return self.GetDOFVelocityLimits(indices)

    def SetDOFVelocityLimits(self, limits: Any) -> None:
        self._native.dof_velocity_limits = limits

    def GetDOFAccelerationLimits(self, indices: Any = None) -> Array:
        return chosen(self._native.dof_acceleration_limits, indices)

    def GetDOFMaxAccel(self, indices: Any = None) -> Array:
        return self.GetDOFAccelerationLimits(indices)

    def SetDOFAccelerationLimits(self, limits: Any) -> None:
        self._native.dof_acceleration_limits = limits

    def GetDOFJerkLimits(self, indices: Any = None) -> Array:
        return chosen(self._native.limits.jerk, indices)

    def SetDOFJerkLimits(self, limits: Any) -> None:
        self._native.limits.jerk = limits

    def GetDOFTorqueLimits(self, indices: Any = None) -> Array:
        return chosen(self._native.dof_torque_limits, indices)

    def GetDOFMaxTorque(self, indices: Any = None) -> Array:
        return self.GetDOFTorqueLimits(indices)

    def SetDOFTorqueLimits(self, limits: Any) -> None:
        self._native.dof_torque_limits = limits

    # -- of the mechanism ----------------------------------------------------------

    def GetDOFHardVelocityLimits(self, indices: Any = None) -> Array:
        return self._hard("hard_velocity_limits", indices)

    def SetDOFHardVelocityLimits(self, limits: Any) -> None:
        self._set_hard("hard_velocity_limit", limits)

    def GetDOFHardAccelerationLimits(self, indices: Any = None) -> Array:
        return self._hard("hard_acceleration_limits", indices)

    def SetDOFHardAccelerationLimits(self, limits: Any) -> None:
        self._set_hard("hard_acceleration_limit", limits)

    def GetDOFHardJerkLimits(self, indices: Any = None) -> Array:
        return self._hard("hard_jerk_limits", indices)

    def SetDOFHardJerkLimits(self, limits: Any) -> None:
        self._set_hard("hard_jerk_limit", limits)

    def _hard(self, name: str, indices: Any) -> Array:
        native = self._native
        return chosen(getattr(native.model, name)[: native.dof], indices)

    def _set_hard(self, field: str, limits: Any) -> None:
        values = vector_of(limits, self._native.dof, "limits")
        set_hard_limits(self._native, field, values)

    def GetDOFDynamicAccelerationJerkLimits(
        self, dofPositions: Any, dofVelocities: Any
    ) -> tuple[Array, Array]:
        """Return the limits of accelerations and jerks at a state.

        They depend on it for robots with own tables of them only, which none has here:
        both are empty, as there.
        """
        vector_of(dofPositions, self._native.dof, "dofPositions")
        vector_of(dofVelocities, self._native.dof, "dofVelocities")
        return np.zeros(0), np.zeros(0)

    # -- weights and resolutions ---------------------------------------------------

    def GetDOFWeights(self, indices: Any = None) -> Array:
        return chosen(self._native.dof_weights, indices)

    def SetDOFWeights(self, weights: Any, indices: Any = None) -> None:
        self._native.dof_weights = self._among("dof_weights", weights, indices)

    def GetDOFResolutions(self, indices: Any = None) -> Array:
        return chosen(self._native.dof_resolutions, indices)

    def SetDOFResolutions(self, resolutions: Any, indices: Any = None) -> None:
        made = self._among("dof_resolutions", resolutions, indices)
        self._native.dof_resolutions = made

    def _among(self, name: str, given: Any, indices: Any) -> Array:
        native = self._native
        if indices is None:
            return vector_of(given, native.dof, name)
        values = np.array(getattr(native, name))
        which = as_indices(indices, native.dof)
        values[which] = vector_of(given, which.size, name)
        return values
