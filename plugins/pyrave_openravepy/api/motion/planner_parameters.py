"""`Planner.PlannerParameters`: a configuration space and the ends of a motion."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyrave.interfaces import PlannerParameters as NativeParameters
from pyrave_openravepy.api.foundation.guard import Guarded
from pyrave_openravepy.api.foundation.objects import as_native
from pyrave_openravepy.api.motion.configuration_space import fill_space
from pyrave_openravepy.api.motion.path_constraints import PathConstraints
from pyrave_openravepy.api.motion.specification import (
    ConfigurationSpecification,
    native_specification,
)

__all__ = ["PlannerParameters"]

Array = NDArray[np.float64]
_ROOT = "PlannerParameters"
_DEFAULT_POST = (("ParabolicSmoother", "<_nmaxiterations>100</_nmaxiterations>"),)
"""OpenRAVE smooths and times what planners find, unless it is told not to."""


class PlannerParameters(Guarded):
    """The problem of a planner: a space, limits, and where to begin and end.

    Parameters
    ----------
    *given
        Nothing, or parameters that are copied.
    """

    def __init__(self, *given: Any) -> None:
        (other,) = given or (None,)
        self._native = NativeParameters()
        self._extra = ""
        self._robot: Any = None
        self._placed: list[Any] = []
        self._post: tuple[tuple[str, str], ...] | None = None
        if other is not None:
            self._copy(other)

    @classmethod
    def _of(cls, native: NativeParameters) -> PlannerParameters:
        made = cls()
        made._native, made._post = native, native.post_processing
        return made

    def _copy(self, other: Any) -> None:
        if not isinstance(other, PlannerParameters):
            raise TypeError(f"expected PlannerParameters, found {type(other).__name__}")
        self._native = copy.copy(other._native)
        self._extra, self._post = other._extra, other._post
        self._robot, self._placed = other._robot, other._placed
        # functions of the space look at the limits of the parameters they were made for
        self._kept = other

    def _problem(self, *, finds_paths: bool) -> NativeParameters:
        """Return a copy for a planner, with what the extra parameters say."""
        made = copy.copy(self._native)
        made.extra = dict(made.extra)
        made.post_processing = self._post or ()
        if self._post is None and finds_paths:
            made.post_processing = _DEFAULT_POST
        if self._extra:
            made.read_xml(f"<{_ROOT}>{self._extra}</{_ROOT}>")
        # "" asks for none
        made.post_processing = tuple(one for one in made.post_processing if one[0])
        return made

    # -- the space -----------------------------------------------------------

    def SetRobotActiveJoints(self, robot: Any) -> None:
        self._robot = as_native(robot)
        self._native.set_robot_active_joints(self._robot)

    def SetConfigurationSpecification(self, env: Any, spec: Any) -> None:
        native, wanted = as_native(env), native_specification(spec)
        self._robot = None
        self._placed = wanted.extract_used_bodies(native)
        fill_space(self._native, native, wanted)

    def GetConfigurationSpecification(self) -> ConfigurationSpecification:
        return ConfigurationSpecification._of(self._native.specification)

    # -- data ----------------------------------------------------------------

    def SetExtraParameters(self, extra: str) -> None:
        text = str(extra)
        NativeParameters().read_xml(f"<{_ROOT}>{text}</{_ROOT}>")
        self._extra = text

    def SetRandomGeneratorSeed(self, seed: int) -> None:
        self._native.random_seed = int(seed)

    def SetGoalConfig(self, values: Any) -> None:
        self._native.goal_configuration = _numbers(values)

    def SetInitialConfig(self, values: Any) -> None:
        self._native.initial_configuration = _numbers(values)

    def SetInitialConfigVelocities(self, velocities: Any) -> None:
        self._native.initial_velocities = _numbers(velocities)

    def SetGoalConfigVelocities(self, velocities: Any) -> None:
        self._native.goal_velocities = _numbers(velocities)

    def SetConfigVelocityLimit(self, velocities: Any) -> None:
        self._native.velocity_limits = _numbers(velocities)

    def SetConfigAccelerationLimit(self, accelerations: Any) -> None:
        self._native.acceleration_limits = _numbers(accelerations)

    def SetConfigJerkLimit(self, jerks: Any) -> None:
        self._native.jerk_limits = _numbers(jerks)

    def SetConfigResolution(self, resolutions: Any) -> None:
        self._native.resolutions = _numbers(resolutions)

    def SetMaxIterations(self, maxiterations: int) -> None:
        self._native.max_iterations = int(maxiterations)

    def SetPostProcessing(self, plannername: str, plannerparameters: str) -> None:
        name, text = str(plannername or ""), str(plannerparameters or "")
        NativeParameters().read_xml(f"<{_ROOT}>{text}</{_ROOT}>")
        self._post = ((name, text),) if name else ()

    def GetConfigVelocityLimit(self) -> Array:
        return np.array(self._native.velocity_limits)

    def GetConfigAccelerationLimit(self) -> Array:
        return np.array(self._native.acceleration_limits)

    def GetConfigJerkLimit(self) -> Array:
        return np.array(self._native.jerk_limits)

    def GetConfigResolution(self) -> Array:
        return np.array(self._native.resolutions)

    # -- functions -----------------------------------------------------------

    def CheckPathAllConstraints(
        self,
        q0: Any,
        q1: Any,
        dq0: Any,
        dq1: Any,
        timeelapsed: float,
        interval: int,
        options: int = 0xFFFF,
        filterreturn: bool = False,
    ) -> Any:
        """Return 0 of a motion that is allowed, else what it breaks.

        With `filterreturn` that and what was looked at, as a dictionary.
        """
        constraints = PathConstraints(self._native, self._bodies())
        rates = _numbers(dq0), _numbers(dq1)
        found = constraints.checked(
            _numbers(q0), _numbers(q1), rates, float(timeelapsed), int(interval),
            int(options),
        )  # fmt: skip
        return found.as_dictionary() if filterreturn else found.returncode

    def _bodies(self) -> list[Any]:
        """Return pyrave's bodies whose collisions count."""
        return self._placed if self._robot is None else [self._robot]

    def HasNeighStateFn(self) -> bool:
        return self._native.neighbour_state is not None

    def NeighStateFn(self, q: Any, dq: Any, options: int = 0) -> Any:
        step = _needed(self._native.neighbour_state)
        found = step(_numbers(q), _numbers(dq))
        return None if found is None else np.array(found)

    def DistMetricFn(self, q0: Any, q1: Any) -> float:
        return float(_needed(self._native.distance_metric)(_numbers(q0), _numbers(q1)))

    def DiffStateFn(self, q0: Any, q1: Any) -> Array:
        return np.array(_needed(self._native.difference)(_numbers(q0), _numbers(q1)))

    def SetStateValues(self, q: Any, options: int = 0) -> int:
        """Place the bodies; 0 if that can be."""
        return 1 if _needed(self._native.set_state)(_numbers(q)) is False else 0

    def GetStateFn(self) -> Array:
        return np.array(_needed(self._native.get_state)())

    # -- text ----------------------------------------------------------------

    def __repr__(self) -> str:
        # scripts cut the XML out of it, change it, and give it to InitPlan
        made = copy.copy(self._native)
        made.post_processing = _DEFAULT_POST if self._post is None else self._post
        text = made.to_xml().removesuffix(f"</{_ROOT}>") + self._extra
        return f'Planner.PlannerParameters("""{text}\n</{_ROOT}>""")'

    def __str__(self) -> str:
        return f"<PlannerParameters, dof={self._native.dof}>"

    def __unicode__(self) -> str:
        return str(self)

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, PlannerParameters):
            return NotImplemented
        return self._native is other._native

    def __hash__(self) -> int:
        return hash(id(self._native))


def _numbers(given: Any) -> Array:
    return np.array(given, dtype=np.float64).ravel()


def _needed(function: Any) -> Any:
    if function is None:
        raise ValueError(
            "the parameters have no space: call SetRobotActiveJoints(robot) first"
        )
    return function
