"""Limits of the motions of a robot's base."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import pyrave
from pyrave_openravepy.api.enums import ErrorCode
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.guard import Guarded

__all__ = ["RobotAffine"]

Array = NDArray[np.float64]
_TRANSLATION = pyrave.Affine.X | pyrave.Affine.Y | pyrave.Affine.Z
_AXIS = pyrave.Affine.ROTATION_AXIS
_VECTOR = pyrave.Affine.ROTATION_3D
_QUAT = pyrave.Affine.ROTATION_QUAT
_SIZES = {_TRANSLATION: 3, _AXIS: 1, _VECTOR: 3}
_NAMES = {_TRANSLATION: "translation", _AXIS: "rotation_axis", _VECTOR: "rotation_3d"}


class RobotAffine(Guarded):
    """Limits, velocities, resolutions and weights of motions of the base.

    Numbers of the turn about an axis are vectors of four, of which the first counts.
    """

    _native: pyrave.Robot

    # -- setting -------------------------------------------------------------------

    def SetAffineTranslationLimits(self, lower: Any, upper: Any) -> None:
        self._limit(_TRANSLATION, lower=lower, upper=upper)

    def SetAffineRotationAxisLimits(self, lower: Any, upper: Any) -> None:
        self._limit(_AXIS, lower=lower, upper=upper)

    def SetAffineRotation3DLimits(self, lower: Any, upper: Any) -> None:
        self._limit(_VECTOR, lower=lower, upper=upper)

    def SetAffineRotationQuatLimits(self, quatangle: Any) -> None:
        """Set a quaternion w x y z to turn from, times the largest angle."""
        given = np.ravel(np.asarray(quatangle, dtype=np.float64))
        if given.shape != (4,):
            raise openrave_exception(
                f"quatangle has shape {given.shape}, expected 4 numbers: a quaternion "
                "times the largest angle",
                ErrorCode.InvalidArguments,
            )
        angle = float(np.sqrt(given @ given))
        self._native.active.set_affine_limits(_QUAT, max_angle=min(angle, np.pi))
        self._quat_limits = given

    def SetAffineTranslationMaxVels(self, vels: Any) -> None:
        self._limit(_TRANSLATION, velocity=vels)

    def SetAffineRotationAxisMaxVels(self, velocity: Any) -> None:
        self._limit(_AXIS, velocity=velocity)

    def SetAffineRotation3DMaxVels(self, velocity: Any) -> None:
        self._limit(_VECTOR, velocity=velocity)

    def SetAffineRotationQuatMaxVels(self, velocity: Any) -> None:
        self._limit_quat(velocity=velocity)

    def SetAffineTranslationResolution(self, resolution: Any) -> None:
        self._limit(_TRANSLATION, resolution=resolution)

    def SetAffineRotationAxisResolution(self, resolution: Any) -> None:
        self._limit(_AXIS, resolution=resolution)

    def SetAffineRotation3DResolution(self, resolution: Any) -> None:
        self._limit(_VECTOR, resolution=resolution)

    def SetAffineRotationQuatResolution(self, resolution: Any) -> None:
        self._limit_quat(resolution=resolution)

    def SetAffineTranslationWeights(self, weights: Any) -> None:
        self._limit(_TRANSLATION, weight=weights)

    def SetAffineRotationAxisWeights(self, weights: Any) -> None:
        self._limit(_AXIS, weight=weights)

    def SetAffineRotation3DWeights(self, weights: Any) -> None:
        self._limit(_VECTOR, weight=weights)

    def SetAffineRotationQuatWeights(self, weights: Any) -> None:
        self._limit_quat(weight=weights)

    def _limit(self, kind: Any, **values: Any) -> None:
        size, kept = _SIZES[kind], {}
        for name, given in values.items():
            numbers = np.ravel(np.asarray(given, dtype=np.float64))
            if numbers.size != size and not (kind is _AXIS and numbers.size in {3, 4}):
                raise openrave_exception(
                    f"{name} has {numbers.size} numbers, expected {size}",
                    ErrorCode.InvalidArguments,
                )
            kept[name] = numbers[:size]
            if kind is _AXIS:
                self._axis_vectors()[name] = numbers
        self._native.active.set_affine_limits(kind, **kept)

    def _limit_quat(self, **values: Any) -> None:
        numbers = {
            name: float(np.ravel(np.asarray(given, dtype=np.float64))[0])
            for name, given in values.items()
        }
        self._native.active.set_affine_limits(_QUAT, **numbers)

    # -- getting -------------------------------------------------------------------

    def GetAffineTranslationLimits(self) -> tuple[Array, Array]:
        return self._of(_TRANSLATION, "lower"), self._of(_TRANSLATION, "upper")

    def GetAffineRotationAxisLimits(self) -> tuple[Array, Array]:
        return self._of(_AXIS, "lower"), self._of(_AXIS, "upper")

    def GetAffineRotation3DLimits(self) -> tuple[Array, Array]:
        return self._of(_VECTOR, "lower"), self._of(_VECTOR, "upper")

    def GetAffineRotationQuatLimits(self) -> Array:
        angle = self._native.active.affine_limits.max_angle
        given = vars(self).get("_quat_limits", np.array((np.pi, 0.0, 0.0, 0.0)))
        length = float(np.sqrt(given @ given))
        # native limits that were set otherwise count
        if abs(min(length, np.pi) - angle) > 1e-12:
            return np.array((angle, 0.0, 0.0, 0.0))
        return np.array(given)

    def GetAffineTranslationMaxVels(self) -> Array:
        return self._of(_TRANSLATION, "velocity")

    def GetAffineRotationAxisMaxVels(self) -> Array:
        return self._of(_AXIS, "velocity")

    def GetAffineRotation3DMaxVels(self) -> Array:
        return self._of(_VECTOR, "velocity")

    def GetAffineRotationQuatMaxVels(self) -> float:
        return self._native.active.affine_limits.rotation_quat.velocity[0]

    def GetAffineTranslationResolution(self) -> Array:
        return self._of(_TRANSLATION, "resolution")

    def GetAffineRotationAxisResolution(self) -> Array:
        return self._of(_AXIS, "resolution")

    def GetAffineRotation3DResolution(self) -> Array:
        return self._of(_VECTOR, "resolution")

    def GetAffineRotationQuatResolution(self) -> float:
        return self._native.active.affine_limits.rotation_quat.resolution[0]

    def GetAffineTranslationWeights(self) -> Array:
        return self._of(_TRANSLATION, "weight")

    def GetAffineRotationAxisWeights(self) -> Array:
        return self._of(_AXIS, "weight")

    def GetAffineRotation3DWeights(self) -> Array:
        return self._of(_VECTOR, "weight")

    def GetAffineRotationQuatWeights(self) -> float:
        return self._native.active.affine_limits.rotation_quat.weight[0]

    def _of(self, kind: Any, name: str) -> Array:
        limits = getattr(self._native.active.affine_limits, _NAMES[kind])
        values = np.array(getattr(limits, name))
        if kind is not _AXIS:
            return values
        given = self._axis_vectors().get(name)
        made = np.full(4, values[0])
        if given is not None and given[0] == values[0]:
            made[: given.size] = given
        return made

    def _axis_vectors(self) -> dict[str, Array]:
        """Return the vectors that scripts have set for the turn about an axis."""
        known: dict[str, Array] = vars(self).setdefault("_axis_numbers", {})
        return known
