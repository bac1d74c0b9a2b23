"""Limits, weights and resolutions of a joint."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyrave_openravepy.api.bodies.body_limits import set_hard_limits
from pyrave_openravepy.api.bodies.boxes import vector_of
from pyrave_openravepy.api.bodies.infos.motor_info import motor_of
from pyrave_openravepy.api.enums import ErrorCode
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.interface import ReadableInterface

__all__ = ["WRAP_OFFSETS", "JointLimits"]

WRAP_OFFSETS = "chosen_wrap_offsets"
"""Attribute of joints: what scripts chose, by axis."""

Array = NDArray[np.float64]


class JointLimits(ReadableInterface):
    """Limits of the axes of a joint; a part of `Joint`."""

    def GetLimits(self) -> tuple[Array, Array]:
        lower, upper = self._native.limits
        return np.array(lower), np.array(upper)

    def SetLimits(self, lower: Any, upper: Any) -> None:
        n = self._native.dof
        low, high = vector_of(lower, n, "lower"), vector_of(upper, n, "upper")
        self._native.limits = low, high

    def GetVelocityLimits(self) -> tuple[Array, Array]:
        limits = np.array(self._native.velocity_limits)
        return -limits, limits

    def SetVelocityLimits(self, maxlimits: Any) -> None:
        self._native.velocity_limits = self._given(maxlimits)

    def GetAccelerationLimits(self) -> Array:
        return np.array(self._native.acceleration_limits)

    def SetAccelerationLimits(self, maxlimits: Any) -> None:
        self._native.acceleration_limits = self._given(maxlimits)

    def GetJerkLimits(self) -> Array:
        return np.array(self._native.jerk_limits)

    def SetJerkLimits(self, maxlimits: Any) -> None:
        self._native.jerk_limits = self._given(maxlimits)

    def GetTorqueLimits(self) -> Array:
        return np.array(self._native.torque_limits)

    def SetTorqueLimits(self, maxlimits: Any) -> None:
        self._native.torque_limits = self._given(maxlimits)

    def GetMaxVel(self, axis: int = 0) -> float:
        return float(self._native.velocity_limits[int(axis)])

    def GetMaxAccel(self, axis: int = 0) -> float:
        return float(self._native.acceleration_limits[int(axis)])

    def GetMaxJerk(self, axis: int = 0) -> float:
        return float(self._native.jerk_limits[int(axis)])

    def GetMaxTorque(self, axis: int = 0) -> float:
        return float(self._native.torque_limits[int(axis)])

    def GetMaxInertia(self, axis: int = 0) -> float:
        return float(self._native.description.axes[int(axis)].inertia_limit)

    def GetInstantaneousTorqueLimits(self, axis: int = 0) -> tuple[float, float]:
        """Return the least and the largest torque for a moment, from the motor."""
        return self._of_motor("max_instantaneous_torque", axis)

    def GetNominalTorqueLimits(self, axis: int = 0) -> tuple[float, float]:
        """Return the least and the largest torque for ever, from the motor."""
        return self._of_motor("nominal_torque", axis)

    def _of_motor(self, name: str, axis: int) -> tuple[float, float]:
        motor = motor_of(self._native.description.actuator)
        given = getattr(motor, name) if motor is not None else 0.0
        gear = motor.gear_ratio if motor is not None else 0.0
        limit = given * gear if given and gear else self.GetMaxTorque(axis)
        return -float(limit), float(limit)

    # -- of the mechanism ----------------------------------------------------------

    def GetHardVelocityLimits(self) -> tuple[Array, Array]:
        limits = self._hard("hard_velocity_limit")
        return -limits, limits

    def SetHardVelocityLimits(self, maxlimits: Any) -> None:
        self._set_hard("hard_velocity_limit", maxlimits)

    def GetHardAccelerationLimits(self) -> Array:
        return self._hard("hard_acceleration_limit")

    def SetHardAccelerationLimits(self, maxlimits: Any) -> None:
        self._set_hard("hard_acceleration_limit", maxlimits)

    def GetHardJerkLimits(self) -> Array:
        return self._hard("hard_jerk_limit")

    def SetHardJerkLimits(self, maxlimits: Any) -> None:
        self._set_hard("hard_jerk_limit", maxlimits)

    def _hard(self, field: str) -> Array:
        axes = self._native.description.axes
        return np.array([getattr(axis, field) for axis in axes])

    def _set_hard(self, field: str, maxlimits: Any) -> None:
        native = self._native
        body = native.body
        if not native.active:
            raise openrave_exception(
                f"hard limits of {native!r} cannot be set: it has no degrees of "
                "freedom",
                ErrorCode.InvalidArguments,
            )
        known = np.array(getattr(body.model, f"{field}s")[: body.dof])
        known[native.dof_indices] = self._given(maxlimits)
        set_hard_limits(body, field, known)

    # -- weights and resolutions ---------------------------------------------------

    def GetResolution(self, axis: int = 0) -> float:
        return float(self._native.resolutions[int(axis)])

    def GetResolutions(self) -> Array:
        return np.array(self._native.resolutions)

    def SetResolution(self, resolution: float) -> None:
        self._native.resolutions = np.full(self._native.dof, float(resolution))

    def GetWeight(self, axis: int = 0) -> float:
        return float(self._native.weights[int(axis)])

    def GetWeights(self) -> Array:
        return np.array(self._native.weights)

    def SetWeights(self, weights: Any) -> None:
        self._native.weights = self._given(weights)

    def _given(self, values: Any) -> Array:
        """Return one number for each axis, of one number for all or so many."""
        n = self._native.dof
        array = np.array(values, dtype=np.float64)
        return (
            np.full(n, float(array))
            if array.ndim == 0
            else vector_of(array, n, "limits")
        )

    # -- turns ---------------------------------------------------------------------

    def GetWrapOffset(self, axis: int = 0) -> float:
        known = vars(self).get(WRAP_OFFSETS, {})
        return float(known.get(int(axis), self._native.wrap_offsets[int(axis)]))

    def SetWrapOffset(self, offset: float, axis: int = 0) -> None:
        """Choose the value next to which link poses place those of the joint."""
        self.GetWrapOffset(axis)
        vars(self).setdefault(WRAP_OFFSETS, {})[int(axis)] = float(offset)
