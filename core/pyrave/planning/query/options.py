"""Options of a plan beside its goal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.bodies.manipulator import Manipulator
    from pyrave.interfaces import PlannerAction, PlannerBase, PlannerProgress
    from pyrave.spatial import IndicesLike


class PlanOptions(TypedDict, total=False):
    """Keywords of `Manipulator.plan`."""

    values: ArrayLike | None
    """(n,) joint values to reach, or (k, n) of which one is reached, and no goal."""
    planner: str | PlannerBase | None
    """An object or an id, None for the default; more keywords are its settings."""
    start: ArrayLike | None
    """(n,) where to start; where the robot is if left out."""
    seed: int
    """Seed of everything random, 0 by default: the same seed, the same result."""
    timeout: float
    """Seconds that the whole call may take, 5 by default; compiling is not counted."""
    constraints: Any
    """Constraints of the path: functions of values, or `Constraint` objects."""
    speed: float
    """Part of the velocity and acceleration limits that is used, above 0 to 1."""
    jerk_limits: ArrayLike | None
    """(n,) or one number, per second cubed; jerks are not limited without."""
    touching: float | None
    """Allowed penetration at the ends of the motion, metres, 0.001 by default."""
    limit_tolerance: float
    """Distance beyond a limit at which an end counts as on it, 1e-6 by default."""
    progress: Callable[[PlannerProgress], PlannerAction | None] | None
    """Called while the planner searches; its answer may end the search."""
    max_iterations: int | None
    """Samples that the search may take; as many as there is time for if left out."""
    step_length: float | None
    """Length of its steps, as distances are measured; 0.04 if left out."""


class RobotPlanOptions(PlanOptions, total=False):
    """Keywords of `Robot.plan` and `Environment.plan`."""

    dof_indices: IndicesLike | None
    """Joints to plan for instead of the active degrees of freedom."""
    manipulator: Manipulator | str | None
    """Whose tool is meant; the active one if left out."""


class TogetherPlanOptions(TypedDict, total=False):
    """Keywords of `pyrave.planning.plan_together`."""

    values: Mapping[Any, ArrayLike] | None
    """Joint values of those that have no other goal."""
    planner: str | None
    """An id, None for the default; more keywords are its settings."""
    start: Mapping[Any, ArrayLike] | None
    """Start values by robot; a robot that is not named starts at its present values."""
    seed: int
    """Seed of everything random, 0 by default: the same seed, the same result."""
    timeout: float
    """Seconds that the whole call may take, 5 by default; compiling is not counted."""
    constraints: Any
    """Constraints by robot or manipulator, or functions of the values of all."""
    speed: float
    """Part of the velocity and acceleration limits that is used, above 0 to 1."""
    jerk_limits: ArrayLike | None
    """(n,) or one number, per second cubed; jerks are not limited without."""
    touching: float | None
    """Allowed penetration at the ends of the motion, metres, 0.001 by default."""
    limit_tolerance: float
    """Distance beyond a limit at which an end counts as on it, 1e-6 by default."""
    progress: Callable[[PlannerProgress], PlannerAction | None] | None
    """Called while the planner searches; its answer may end the search."""
    max_iterations: int | None
    """Samples that the search may take; as many as there is time for if left out."""
    step_length: float | None
    """Length of its steps, as distances are measured; 0.04 if left out."""
