"""Searches for free configurations that meet the goals of a plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.bodies.manipulator import Manipulator
from pyrave.bodies.new_manipulator import how_to_add
from pyrave.errors import ArgumentError, NotSupportedError, shown
from pyrave.ik import (
    IkAction,
    IkParameterization,
    IkParameterizationType,
    IkResult,
)
from pyrave.planning.query.causes import (
    PlanFailure,
    PlanFailureCode,
    collision_cause,
    ik_cause,
    limits_cause,
)
from pyrave.planning.query.constraints import PathConstraints, TaskSpaceRegion
from pyrave.planning.query.goals import GoalFunction, Wanted
from pyrave.spatial import as_pose

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.planning.query.space import PlanningSpace
    from pyrave.spatial import Array

_MAX_GOALS = 24
"""Largest number of a goal's configurations for the planner: the nearest."""
_MET = 1e-6
_DRAWN = 64
"""Configurations that are drawn at once for a goal function."""
_ENOUGH = 8
"""Number of configurations of a goal function that are searched for."""
_DESCENTS = 50
_STEP = 1e-6
_FAR = 16
"""Largest number of goals that are named in a cause."""
_MOST_DRAWN = 512
"""Configurations that are tried where some are found, or a loop's tool is led."""
_TOOL_BOUNDS = {
    IkParameterizationType.Transform6D: 0.0,
    IkParameterizationType.Translation3D: 7.0,
}
"""Largest angles that the tool may turn from targets that steps lead to."""
_MAX_COMBINED = 2048
"""Combinations of solutions of several arms that are compared, the nearest."""
_ALWAYS = 24
"""Number of goals of several that are tried however long it takes."""


@dataclass(frozen=True, slots=True, eq=False)
class GoalSearch:
    """Looks for configurations that meet goals and are free.

    Parameters
    ----------
    arm
        Whose tool poses are meant, None if there is no manipulator.
    start
        (n,) where the plan starts: the nearest goals come first.
    rng
        Draws configurations for functions.
    deadline
        Of `time.perf_counter`; until then functions are tried, and of many goals those
        after the first few.
    """

    space: PlanningSpace
    arm: Manipulator | None
    constraints: PathConstraints
    start: Array
    rng: np.random.Generator
    deadline: float

    def configurations(
        self, wanted: Sequence[Wanted]
    ) -> tuple[Array, PlanFailure | None]:
        """Return (k, n) free configurations, nearest first, or the cause of none."""
        found: list[Array] = []
        causes: list[PlanFailure] = []
        for one in wanted:
            if len(found) >= _ALWAYS and perf_counter() > self.deadline:
                break
            rows, cause = self._of(one)
            found.append(rows)
            if cause is not None:
                causes.append(cause)
        rows = np.concatenate(found)
        if len(rows):
            return self._nearest_first(rows)[:_MAX_GOALS], None
        return rows, _all_of(causes, len(wanted) - len(found))

    def _nearest_first(self, rows: Array) -> Array:
        order = np.argsort(self.space.distances(rows, self.start), kind="stable")
        return rows[order]

    def _of(self, wanted: Wanted) -> tuple[Array, PlanFailure | None]:
        goal = wanted.goal
        if isinstance(goal, np.ndarray):
            return self._free(wanted.what, goal[None])
        if isinstance(goal, IkParameterization):
            return self._reached(wanted.what, goal)
        if isinstance(goal, Mapping):
            return self._all_reached(wanted.what, goal)
        return self._met(wanted.what, goal)

    def _free(self, what: str, rows: Array) -> tuple[Array, PlanFailure | None]:
        """Return those of candidates (k, n) that keep everything, nearest first."""
        space = self.space
        rows = self._nearest_first(space.between_limits(rows))
        kept = ~space.beyond(rows).any(axis=1)
        inside = space.within(rows[kept], self.start)
        if not len(inside):
            cause = limits_cause(space, rows[0], PlanFailureCode.GOAL_LIMITS, what)
            return inside, cause
        free = inside[~space.hits(inside)]
        if not len(free):
            name = what
            if len(inside) > 1:
                name = f"{what}: all {len(inside)} configurations collide; the nearest"
            return free, collision_cause(
                space, inside[0], PlanFailureCode.GOAL_COLLISION, name
            )
        met = free[[self.constraints.are_met(row) for row in free]]
        if not len(met):
            text = self.constraints.text(free[0])
            code = PlanFailureCode.GOAL_CONSTRAINT
            return met, PlanFailure(code, f"{what} is off a constraint: {text}")
        return met, None

    # -- poses -----------------------------------------------------------------------

    def _reached(
        self, what: str, goal: IkParameterization
    ) -> tuple[Array, PlanFailure | None]:
        arm = self.arm
        if arm is None:
            raise ArgumentError(
                f"{what} is one of a tool, and {self.space.robot!r} has no "
                "manipulator; expected joint values, or "
                f"{how_to_add(self.space.robot)}"
            )
        try:
            return self._all_reached(what, {arm: goal})
        except NotSupportedError:
            if self.space.loops is not None and goal.type in _TOOL_BOUNDS:
                return self._led(what, goal)
            raise

    def _all_reached(
        self, what: str, targets: Mapping[Manipulator, IkParameterization]
    ) -> tuple[Array, PlanFailure | None]:
        """Return configurations in which each of some arms is at its target."""
        choices = []
        for arm, goal in targets.items():
            columns = self._columns(arm)
            self.space.place(self.start)
            try:
                solutions = arm.solve_ik(goal, all=True)
            except NotSupportedError as error:
                raise NotSupportedError(
                    f"{what}: {error}; {_kinds_for(arm)}, or give joint values"
                ) from error
            if solutions is None or not len(solutions):
                self.space.place(self.start)
                named = what if len(targets) == 1 else f"{what}: that of {arm.name!r}"
                none = np.empty((0, self.space.dof))
                return none, _no_solution(named, arm.find_ik(goal, nearest=True))
            choices.append((columns, np.asarray(solutions)))
        rows = nearest_combinations(self.space, self.start, choices)
        found, cause = self._free(what, rows)
        if cause is not None and cause.code is PlanFailureCode.GOAL_COLLISION:
            hint = "Try another orientation of the goal, or move what is in the way."
            cause = replace(cause, hint=hint)
        return found, cause

    def _led(
        self, what: str, goal: IkParameterization
    ) -> tuple[Array, PlanFailure | None]:
        """Look for configurations that bring a tool of a closed loop to a target.

        Solvers are for chains: Newton's method leads from random configurations.
        """
        space, angles = self.space, _TOOL_BOUNDS[goal.type]
        pose = as_pose(goal.array if not angles else (1, 0, 0, 0, *goal.array))
        bounds = np.zeros((6, 2))
        bounds[3:] = -angles, angles
        there = TaskSpaceRegion(pose, bounds, tolerance=_MET)
        region = PathConstraints(space, self.arm, there)
        found, cause, tried = self._drawn(what, region.projected, _MOST_DRAWN)
        if len(found):
            return found, None
        return found, cause or PlanFailure(
            PlanFailureCode.GOAL_OUT_OF_REACH,
            f"{what} was reached from none of {tried} configurations of "
            f"{space.robot!r}, whose loops move the tool",
            "Solvers of inverse kinematics are for chains; tools of loops are led to "
            "goals by steps. Start nearer, or give joint values.",
        )

    def _columns(self, arm: Manipulator) -> list[int]:
        """Return the columns of the arm's joints in a configuration."""
        planned = self.space.indices.tolist()
        missing = [k for k in arm.arm_indices.tolist() if k not in planned]
        if missing:
            names = ", ".join(repr(arm.robot.dof_names[k]) for k in missing)
            raise ArgumentError(
                f"a goal is a pose of {arm!r}, whose joints {names} are not among "
                "those that are planned; expected all of them in dof_indices"
            )
        return [planned.index(k) for k in arm.arm_indices.tolist()]

    # -- functions -------------------------------------------------------------------

    def _met(self, what: str, goal: GoalFunction) -> tuple[Array, PlanFailure | None]:
        """Look for configurations that meet a function, from random ones.

        Numbers are brought to zero by Newton's method along their gradient.
        """
        nearest = np.inf

        def lead(row: Array) -> Array | None:
            nonlocal nearest
            value, ending = self._descended(goal, row)
            nearest = min(nearest, value)
            return ending if value <= _MET else None

        found, cause, tried = self._drawn(what, lead, np.inf)
        if len(found):
            return found, None
        if cause is None:
            best = "" if not np.isfinite(nearest) else f", the best gives {nearest:.3g}"
            cause = PlanFailure(
                PlanFailureCode.GOAL_NOT_MET,
                f"{what} was met by none of {tried} configurations{best}",
                "Give it as a number that falls to 0 where the goal is met: then "
                "configurations are led to it.",
            )
        return found, cause

    def _drawn(
        self, what: str, lead: Callable[[Array], Array | None], most: float
    ) -> tuple[Array, PlanFailure | None, int]:
        """Lead random configurations, and the start, to a goal.

        Parameters
        ----------
        lead
            Returns the configuration at the goal that one leads to, or None.
        most
            How many are tried; fewer if some are found, or time is over.

        Returns
        -------
        tuple
            Those that are free, (k, n); why the first one is not; how many were tried.
        """
        found, tried = np.empty((0, self.space.dof)), 0
        cause: PlanFailure | None = None
        while tried < (_MOST_DRAWN if len(found) else most):
            rows = self.space.samples(self.rng, _DRAWN, self.start)
            if not tried:
                rows[0] = self.start
            for row in rows:
                if perf_counter() > self.deadline or len(found) >= _ENOUGH:
                    return found, cause, tried
                tried += 1
                ending = lead(row)
                if ending is not None:
                    free, refused = self._free(what, ending[None])
                    found = np.concatenate((found, free))
                    cause = cause or refused
        return found, cause, tried

    def _descended(self, goal: GoalFunction, row: Array) -> tuple[float, Array]:
        space = self.space
        value = self._asked(goal, row)
        if value <= _MET or not np.isfinite(value):
            return value, row
        for _ in range(_DESCENTS):
            if perf_counter() > self.deadline:
                break
            slope = np.array(
                [
                    self._asked(goal, row + _STEP * axis) - value
                    for axis in np.eye(space.dof)
                ]
            )
            slope /= _STEP
            steep = float(slope @ slope)
            if not 0.0 < steep < np.inf:
                break
            step = value / steep * slope
            step /= max(1.0, float(np.abs(step).max()) / 0.5)
            moved = space.clipped(row - step)
            there = self._asked(goal, moved)
            if not there < value:
                break
            row, value = moved, there
            if value <= _MET:
                break
        return value, row

    def _asked(self, goal: GoalFunction, row: Array) -> float:
        """Return the distance of a configuration from a function's goal, 0 there."""
        if not self.space.placed(row):
            return np.inf
        answer = goal(row.copy())
        if isinstance(answer, bool | np.bool_):
            return 0.0 if answer else np.inf
        if isinstance(answer, Real) and float(answer) == float(answer):
            return max(float(answer), 0.0)
        raise ArgumentError(
            f"the goal function {goal!r} returned {shown(answer)}, expected True or "
            "False, or a distance that is 0 where the goal is met"
        )


def nearest_combinations(
    space: PlanningSpace, start: Array, choices: Iterable[tuple[Any, Array]]
) -> Array:
    """Return the nearest configurations (k, n) that combine choices for some values.

    What is not among the nearest of the first choices is in none of all: squares of
    distances add up.

    Parameters
    ----------
    choices
        Columns of a configuration, and rows (m, len(columns)) of which they have one.
    """
    nearest, squares = start[None], np.zeros(1)
    for columns, rows in choices:
        own = np.tile(start, (len(rows), 1))
        own[:, columns] = rows
        squares = (squares[:, None] + space.distances(own, start) ** 2).ravel()
        order = np.argsort(squares, kind="stable")[:_MAX_COMBINED]
        squares = squares[order]
        first, last = np.divmod(order, len(rows))
        nearest = nearest[first]
        nearest[:, columns] = rows[last]
    return nearest


def _kinds_for(arm: Manipulator) -> str:
    """Return the kinds of goals for which an arm has a solver, in words."""
    solver = arm.own_ik_solver
    kinds = [
        kind.name
        for kind in IkParameterizationType
        if solver is not None and not kind.is_velocity and solver.supports(kind)
    ]
    if not kinds:
        return f"no kind of goals of {arm!r} is solved"
    return f"give an IkParameterization that {arm!r} has a solver for: " + ", ".join(
        kinds
    )


def _no_solution(what: str, result: IkResult) -> PlanFailure:
    reasons = list(result.reasons)
    limited = any(
        one.action & IkAction.REJECT_JOINT_LIMITS for one in result.rejections
    )
    filtered = any(
        one.action & IkAction.REJECT_CUSTOM_FILTER for one in result.rejections
    )
    code = PlanFailureCode.GOAL_OUT_OF_REACH
    if filtered:
        code = PlanFailureCode.GOAL_REFUSED
    elif limited:
        code = PlanFailureCode.GOAL_LIMITS
    if result.nearest is not None and code is PlanFailureCode.GOAL_OUT_OF_REACH:
        reasons.append(f"the arm comes within {result.nearest.distance:.3g} of it")
    return ik_cause(what, tuple(reasons), code)


def _all_of(causes: Sequence[PlanFailure], untried: int) -> PlanFailure:
    """Return the cause of several goals: the one that came farthest, and all texts."""
    order = (
        PlanFailureCode.GOAL_CONSTRAINT,
        PlanFailureCode.GOAL_COLLISION,
        PlanFailureCode.GOAL_LOOPS,
        PlanFailureCode.GOAL_REFUSED,
        PlanFailureCode.GOAL_LIMITS,
        PlanFailureCode.GOAL_OUT_OF_REACH,
        PlanFailureCode.GOAL_NOT_MET,
    )
    chosen = min(causes, key=lambda one: order.index(one.code))
    if len(causes) == 1:
        return chosen
    lines = [one.text for one in causes[:_FAR]]
    if len(causes) > _FAR:
        lines.append(f"and {len(causes) - _FAR} more goals")
    if untried:
        lines.append(f"there was no time to try {untried} more goals")
    return replace(chosen, text="no goal is free:\n" + "\n".join(lines))
