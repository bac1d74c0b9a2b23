"""Degrees of freedom of a body: values and velocities."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyrave_openravepy.api.bodies.boxes import vector_of
from pyrave_openravepy.api.bodies.forces import push
from pyrave_openravepy.api.enums import CheckLimitsAction, ErrorCode
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.guard import Guarded
from pyrave_openravepy.api.foundation.poses import matrix_of

__all__ = ["BodyDofs", "chosen"]

Array = NDArray[np.float64]
_CHECK = int(CheckLimitsAction.CheckLimits)


def chosen(values: Any, indices: Any) -> Array:
    """Return a new array of values, or of some of them."""
    array = np.array(values, dtype=np.float64)
    return array if indices is None else array[as_indices(indices, len(array))]


def as_indices(indices: Any, size: int) -> NDArray[np.int64]:
    """Return indices of degrees of freedom, each of which there is."""
    found = np.asarray(indices, dtype=np.int64).reshape(-1)
    wrong = found[(found < 0) | (found >= size)]
    if wrong.size:
        raise openrave_exception(
            f"degree of freedom {int(wrong[0])} is asked for, there are {size}, "
            "counted from 0",
            ErrorCode.InvalidArguments,
        )
    return found


class BodyDofs(Guarded):
    """Values and velocities of the degrees of freedom; a part of `KinBody`."""

    _native: Any

    def GetDOF(self) -> int:
        return int(self._native.dof)

    # -- values --------------------------------------------------------------------

    def GetDOFValues(self, indices: Any = None) -> Array:
        values: Array = self._native.dof_values
        return values if indices is None else values[as_indices(indices, len(values))]

    def GetJointValues(self) -> Array:
        return self.GetDOFValues()

    def SetDOFValues(
        self, values: Any, dofindices: Any = None, checklimits: int = _CHECK
    ) -> None:
        native = self._native
        if dofindices is None:
            # of what is called most: pyrave's default is this one
            if checklimits is _CHECK and native.dof:
                native.set_dof_values(values)
            elif native.dof:
                native.set_dof_values(values, limits=checklimits)
            return
        indices = np.asarray(dofindices, dtype=np.int64).reshape(-1).tolist()
        if not indices:
            return
        if len(set(indices)) < len(indices):
            # of an index that comes twice the last value counts
            given = vector_of(values, len(indices), "values")
            last = dict(zip(indices, given.tolist(), strict=True))
            indices, values = list(last), list(last.values())
        native.set_dof_values(values, indices, limits=checklimits)

    def SetJointValues(
        self, values: Any, dofindices: Any = None, checklimits: int = _CHECK
    ) -> None:
        self.SetDOFValues(values, dofindices, checklimits)

    def SetTransformWithDOFValues(self, transform: Any, values: Any) -> None:
        native = self._native
        pose = matrix_of(transform)
        if native.dof:
            native.set_dof_values(values)
        native.transform = pose

    def SetTransformWithJointValues(self, transform: Any, values: Any) -> None:
        self.SetTransformWithDOFValues(transform, values)

    def SubtractDOFValues(
        self, values0: Any, values1: Any, indices: Any = None
    ) -> Array:
        given = None if indices is None else as_indices(indices, self._native.dof)
        return np.array(self._native.subtract_dof_values(values0, values1, given))

    def SubtractJointValues(
        self, values0: Any, values1: Any, indices: Any = None
    ) -> Array:
        return self.SubtractDOFValues(values0, values1, indices)

    # -- velocities ----------------------------------------------------------------

    def GetDOFVelocities(self, indices: Any = None) -> Array:
        return chosen(self._native.dof_velocities, indices)

    def GetJointVelocities(self) -> Array:
        return self.GetDOFVelocities()

    def SetDOFVelocities(self, dofvelocities: Any, *args: Any, **keywords: Any) -> None:
        """Set velocities.

        ``(dofvelocities)``, ``(dofvelocities, checklimits, indices)``,
        ``(dofvelocities, linear, angular)`` or ``(dofvelocities, linear, angular,
        checklimits)``; linear and angular are those of the base link.
        """
        given = dict(keywords)
        vectors = bool(args) and np.ndim(args[0]) == 1
        names = ["checklimits", "indices"]
        if vectors:
            names = ["linear", "angular", "checklimits"]
        if len(args) > len(names):
            raise TypeError(f"{len(args) + 1} arguments, expected {len(names) + 1}")
        given.update(zip(names, args, strict=False))
        self._set_velocities(dofvelocities, **given)

    def _set_velocities(
        self,
        dofvelocities: Any,
        linear: Any = None,
        angular: Any = None,
        checklimits: int = _CHECK,
        indices: Any = None,
    ) -> None:
        native = self._native
        if indices is None:
            velocities = vector_of(dofvelocities, native.dof, "dofvelocities")
            native.set_dof_velocities(velocities, limits=checklimits)
        else:
            which = as_indices(indices, native.dof)
            velocities = vector_of(dofvelocities, which.size, "dofvelocities")
            native.set_dof_velocities(velocities, which, limits=checklimits)
        if linear is not None or angular is not None:
            self.SetVelocity(
                np.zeros(3) if linear is None else linear,
                np.zeros(3) if angular is None else angular,
            )

    def SetVelocity(self, linear: Any, angular: Any) -> bool:
        """Set the velocity of the base link."""
        parts = vector_of(linear, 3, "linear"), vector_of(angular, 3, "angular")
        self._native.base_velocity = np.concatenate(parts)
        return True

    def SetDOFTorques(self, torques: Any, add: bool = True) -> None:
        """Push joints during the next step of physics."""
        push(self._native.dynamics.set_dof_torques, torques)

    def SetJointTorques(self, torques: Any, add: bool = True) -> None:
        self.SetDOFTorques(torques, add)

    # -- configuration -------------------------------------------------------------

    def GetConfigurationValues(self) -> Array:
        return np.array(self._native.configuration_values)

    def SetConfigurationValues(self, values: Any, checklimits: int = _CHECK) -> None:
        """Set joint values, position and quaternion, in this order."""
        native = self._native
        n = native.dof
        given = vector_of(values, n + 7, "values")
        pose = matrix_of(np.concatenate((given[n + 3 :], given[n : n + 3])))
        if n:
            native.set_dof_values(given[:n], limits=checklimits)
        native.transform = pose
