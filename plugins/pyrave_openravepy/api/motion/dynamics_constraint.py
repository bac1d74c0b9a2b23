"""Constraints of motions: collisions, limits, and efforts of joints."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyrave_openravepy.api.enums import ConstraintFilterOptions
from pyrave_openravepy.api.foundation.guard import Guarded
from pyrave_openravepy.api.foundation.objects import as_native
from pyrave_openravepy.api.motion.path_constraints import Finding, PathConstraints
from pyrave_openravepy.api.motion.planner_parameters import PlannerParameters

__all__ = ["DynamicsCollisionConstraint"]

_ALL = 0xFFFFFFFF
_SLACK = 1e-6


class DynamicsCollisionConstraint(Guarded):
    """Checks motions of a planner's space.

    Parameters
    ----------
    plannerparameters
        The space.
    checkbodies
        Whose collisions count.
    filtermask
        Bits of `ConstraintFilterOptions` that are looked at.
    """

    def __init__(
        self, plannerparameters: Any, checkbodies: Any, filtermask: int = _ALL
    ) -> None:
        self._bodies = [as_native(body) for body in checkbodies]
        self._mask = int(filtermask)
        self._torque_mode = 0
        self._perturbation = 0.0
        self._report: Any = None
        self.SetPlannerParameters(plannerparameters)

    def SetPlannerParameters(self, parameters: Any) -> None:
        if not isinstance(parameters, PlannerParameters):
            raise TypeError(
                f"expected PlannerParameters, found {type(parameters).__name__}"
            )
        self._parameters = parameters

    def SetFilterMask(self, filtermask: int) -> None:
        self._mask = int(filtermask)

    def SetPerturbation(self, parameters: float) -> None:
        self._perturbation = float(parameters)

    def SetTorqueLimitMode(self, torquelimitmode: int) -> None:
        """Compare efforts of joints with their limits, unless the mode is 0."""
        self._torque_mode = int(torquelimitmode)

    def Check(
        self,
        q0: Any,
        q1: Any,
        dq0: Any,
        dq1: Any,
        timeelapsed: float,
        interval: int = 3,
        options: int = 0xFFFF,
        filterreturn: bool = False,
    ) -> Any:
        none = np.empty(0)
        return self.CheckWithAccelerations(
            q0, q1, dq0, dq1, none, none, timeelapsed, interval, options, filterreturn
        )

    def CheckWithAccelerations(
        self,
        q0: Any,
        q1: Any,
        dq0: Any,
        dq1: Any,
        ddq0: Any,
        ddq1: Any,
        timeelapsed: float,
        interval: int = 3,
        options: int = 0xFFFF,
        filterreturn: bool = False,
    ) -> Any:
        """Return 0 of a motion that is allowed, else bits of what it breaks."""
        wanted = int(options) & self._mask
        starts, ends = (
            [np.array(one, dtype=np.float64).ravel() for one in state]
            for state in ((q0, dq0, ddq0), (q1, dq1, ddq1))
        )
        found = self._moved(starts, ends, float(timeelapsed), int(interval), wanted)
        timed = wanted & ConstraintFilterOptions.CheckTimeBasedConstraints
        if not found.returncode and self._torque_mode and timed:
            broken = any(self._exceeds(state) for state in (starts, ends))
            found.returncode = int(timed) if broken else 0
        self._report = found.report
        return found.as_dictionary() if filterreturn else found.returncode

    def GetReport(self) -> Any:
        """Return the report of the last check, None if nothing collided."""
        return self._report

    def _moved(
        self, starts: Any, ends: Any, seconds: float, interval: int, options: int
    ) -> Finding:
        constraints = PathConstraints(self._parameters._native, self._bodies)
        steps = [0.0]
        if (
            self._perturbation
            and options & ConstraintFilterOptions.CheckWithPerturbation
        ):
            steps += [self._perturbation, -self._perturbation]
        rates = starts[1], ends[1]
        found = Finding(0, [], [])
        for step in steps:
            both = starts[0] + step, ends[0] + step
            found = constraints.checked(*both, rates, seconds, interval, options)
            if found.returncode:
                break
        return found

    def _exceeds(self, state: Any) -> bool:
        """Return True if joints need more than their limits of efforts."""
        values, rates, accelerations = state
        known = self._parameters._native
        if accelerations.size != known.dof:
            return False
        before = self._parameters.GetStateFn()
        try:
            self._parameters.SetStateValues(values)
            return any(
                self._body_exceeds(body, rates, accelerations) for body in self._bodies
            )
        finally:
            self._parameters.SetStateValues(before)

    def _body_exceeds(self, body: Any, rates: Any, accelerations: Any) -> bool:
        spec = self._parameters._native.specification
        velocities, wanted = np.array(body.dof_velocities), np.zeros(body.dof)
        for group in spec.groups:
            if group.kind == "joint_values" and group.body_name == body.name:
                wanted[group.joint_indices] = accelerations[group.columns]
                if rates.size == spec.dof:
                    velocities[group.joint_indices] = rates[group.columns]
        kept = np.array(body.dof_velocities)
        body.set_dof_velocities(velocities)
        efforts = np.abs(body.inverse_dynamics(wanted))
        body.set_dof_velocities(kept)
        limits = np.asarray(body.dof_torque_limits)
        return bool((efforts > limits * (1.0 + _SLACK))[limits > 0.0].any())
