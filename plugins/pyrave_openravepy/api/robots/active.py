"""Active degrees of freedom of robots."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import pyrave
from pyrave_openravepy.api.enums import CheckLimitsAction, ErrorCode
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.guard import Guarded

__all__ = ["RobotActive"]

Array = NDArray[np.float64]
_CHECK = int(CheckLimitsAction.CheckLimits)


class RobotActive(Guarded):
    """The degrees of freedom that planners work on: joints, then the base."""

    _native: pyrave.Robot

    # -- which ---------------------------------------------------------------------

    def SetActiveDOFs(
        self, dofindices: Any, affine: Any = 0, rotationaxis: Any = None
    ) -> None:
        indices = np.array(dofindices, dtype=np.float64).ravel()
        axis = None if rotationaxis is None else np.ravel(rotationaxis)[:3]
        if not np.isfinite(indices).all() or (np.rint(indices) != indices).any():
            raise openrave_exception(
                f"dofindices are {dofindices!r}, expected whole numbers",
                ErrorCode.InvalidArguments,
            )
        whole = indices.astype(np.int64)
        self._native.set_active_dofs(whole, pyrave.Affine(int(affine)), axis)

    def GetActiveDOF(self) -> int:
        return self._native.active_table.dof

    def GetActiveDOFIndices(self) -> NDArray[np.int64]:
        return self._native.active_dof_indices

    def GetActiveJointIndices(self) -> NDArray[np.int64]:
        return self._native.active_dof_indices

    def GetActiveJointIndex(self, index: int) -> int:
        return int(self._native.active_dof_indices[index])

    def GetAffineDOF(self) -> int:
        return int(self._native.active.affine)

    def GetAffineDOFIndex(self, index: Any) -> int:
        """Return the place of a motion of the base among the active values."""
        wanted, known = int(index), int(self._native.active.affine)
        if wanted.bit_count() != 1 or not known & wanted:
            raise openrave_exception(
                f"the base's motion {wanted} is not active, which are {known}; "
                "expected one of DOFAffine that SetActiveDOFs was given",
                ErrorCode.InvalidArguments,
            )
        before = pyrave.Affine(known & (wanted - 1)).size
        return len(self._native.active_dof_indices) + before

    def GetAffineRotationAxis(self) -> Array:
        return self._native.active.affine_rotation_axis

    # -- values --------------------------------------------------------------------

    def SetActiveDOFValues(self, values: Any, checklimits: Any = _CHECK) -> None:
        self._native.active.set_values(values, pyrave.LimitCheck(int(checklimits)))

    def GetActiveDOFValues(self) -> Array:
        return self._native.active.values

    def SetActiveDOFVelocities(
        self, velocities: Any, checklimits: Any = _CHECK
    ) -> None:
        self._native.active.set_velocities(
            velocities, pyrave.LimitCheck(int(checklimits))
        )

    def GetActiveDOFVelocities(self) -> Array:
        return self._native.active.velocities

    def SubtractActiveDOFValues(self, values0: Any, values1: Any) -> Array:
        return self._native.active.subtract_values(values0, values1)

    # -- limits --------------------------------------------------------------------

    def GetActiveDOFLimits(self) -> tuple[Array, Array]:
        return self._native.active.limits

    def GetActiveDOFWeights(self) -> Array:
        return self._native.active.weights

    def GetActiveDOFResolutions(self) -> Array:
        return self._native.active.resolutions

    def GetActiveDOFMaxVel(self) -> Array:
        return self._native.active.velocity_limits

    def GetActiveDOFVelocityLimits(self) -> Array:
        return self._native.active.velocity_limits

    def GetActiveDOFMaxAccel(self) -> Array:
        return self._native.active.acceleration_limits

    def GetActiveDOFAccelerationLimits(self) -> Array:
        return self._native.active.acceleration_limits

    def GetActiveDOFMaxJerk(self) -> Array:
        return self._native.active.jerk_limits

    def GetActiveDOFHardMaxVel(self) -> Array:
        return self._hard("hard_velocity_limits", self.GetActiveDOFMaxVel())

    def GetActiveDOFHardMaxAccel(self) -> Array:
        return self._hard("hard_acceleration_limits", self.GetActiveDOFMaxAccel())

    def GetActiveDOFHardMaxJerk(self) -> Array:
        return self._hard("hard_jerk_limits", self.GetActiveDOFMaxJerk())

    def _hard(self, name: str, known: Array) -> Array:
        """Return limits of which those of joints are the hard ones."""
        robot = self._native
        indices = robot.active_dof_indices
        known[: len(indices)] = getattr(robot.model, name)[indices]
        return known

    # -- derivatives and specification ---------------------------------------------

    def CalculateActiveJacobian(self, linkindex: int, offset: Any) -> Array:
        return self._native.active.jacobian(int(linkindex), offset)[:3]

    def CalculateActiveAngularVelocityJacobian(self, linkindex: int) -> Array:
        return self._native.active.jacobian(int(linkindex))[3:]

    def CalculateActiveRotationJacobian(self, linkindex: int, quat: Any) -> Array:
        """Return the derivative of a quaternion w x y z that turns with a link."""
        w, x, y, z = np.asarray(quat, dtype=np.float64).ravel()
        turning = self._native.active.jacobian(int(linkindex))[3:]
        rates = np.array(((-x, -y, -z), (w, z, -y), (-z, w, x), (y, -x, w)))
        return np.asarray(0.5 * rates @ turning)

    def GetActiveConfigurationSpecification(self, interpolation: str = "") -> Any:
        from pyrave_openravepy.api.motion.specification import (
            ConfigurationSpecification,
        )

        native = self._native.active.configuration_specification(str(interpolation))
        return ConfigurationSpecification._of(native)
