"""Goals of plans: from what a user asks for to configurations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from numbers import Real
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.bodies.new_manipulator import how_to_add
from pyrave.errors import ArgumentError, NotFoundError, NotSupportedError, shown
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
from pyrave.spatial import as_numbers, as_pose

if TYPE_CHECKING:
    from pyrave.bodies.manipulator import Manipulator
    from pyrave.planning.query.space import PlanningSpace
    from pyrave.spatial import Array

GoalFunction = Callable[["Array"], Any]
_MAX_GOALS = 24
"""Largest number of a goal's configurations for the planner: the nearest."""
_MET = 1e-6
_DRAWN = 64
"""Configurations that are drawn at once for a goal function."""
_ENOUGH = 8
"""Number of configurations of a goal function that are searched for."""
_DESCENTS = 50
_STEP = 1e-6
_POSE = 7
"""Numbers of a pose qw qx qy qz x y z."""
_FAR = 16
"""Largest number of goals that are named in a cause."""
_MAX_LED = 512
"""Configurations from which a tool of a closed loop is led to its goal."""
_TOOL_BOUNDS = {
    IkParameterizationType.Transform6D: 0.0,
    IkParameterizationType.Translation3D: 7.0,
}
"""Largest angles that the tool may turn from targets that steps lead to."""
_ALWAYS = 24
"""Number of goals of several that are tried however long it takes."""


@dataclass(frozen=True, slots=True, eq=False)
class Wanted:
    """One goal as it was given: values, a target of the tool, or a function."""

    what: str
    goal: Array | IkParameterization | GoalFunction


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
        return self._met(wanted.what, goal)

    def _free(self, what: str, rows: Array) -> tuple[Array, PlanFailure | None]:
        """Return those of candidates (k, n) that keep everything, nearest first."""
        space = self.space
        rows = self._nearest_first(rows)
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
        columns = self._columns(arm)
        self.space.place(self.start)
        try:
            solutions = arm.solve_ik(goal, all=True)
        except NotSupportedError as error:
            if self.space.loops is not None and goal.type in _TOOL_BOUNDS:
                return self._led(what, goal)
            raise NotSupportedError(
                f"{what}: {error}; {_kinds_for(arm)}, or give joint values"
            ) from error
        if solutions is None or not len(solutions):
            self.space.place(self.start)
            return np.empty((0, self.space.dof)), _no_solution(
                what, arm.find_ik(goal, nearest=True)
            )
        rows = np.tile(self.start, (len(solutions), 1))
        rows[:, columns] = solutions
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
        found: list[Array] = []
        cause: PlanFailure | None = None
        tried = 0
        while len(found) < _ENOUGH and tried < _MAX_LED:
            rows = space.samples(self.rng, _DRAWN, self.start)
            if not tried:
                rows[0] = self.start
            for row in rows:
                if perf_counter() > self.deadline or len(found) >= _ENOUGH:
                    break
                tried += 1
                ending = region.projected(row)
                if ending is not None:
                    free, refused = self._free(what, ending[None])
                    found += list(free)
                    cause = cause or refused
            else:
                continue
            break
        if found:
            return np.array(found), None
        none = np.empty((0, space.dof))
        return none, cause or PlanFailure(
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
        space, tried, nearest = self.space, 0, np.inf
        found: list[Array] = []
        free = np.empty((0, space.dof))
        cause: PlanFailure | None = None
        while len(found) < _ENOUGH:
            rows = space.samples(self.rng, _DRAWN, self.start)
            if not tried:
                rows[0] = self.start
            for row in rows:
                late = perf_counter() > self.deadline
                if late or len(found) >= _ENOUGH:
                    break
                tried += 1
                value, ending = self._descended(goal, row)
                nearest = min(nearest, value)
                if value <= _MET:
                    free, refused = self._free(what, ending[None])
                    found += list(free)
                    cause = cause or refused
            if late or (found and tried >= 8 * _DRAWN):
                break
        if found:
            return np.array(found), None
        if cause is None:
            best = "" if not np.isfinite(nearest) else f", the best gives {nearest:.3g}"
            cause = PlanFailure(
                PlanFailureCode.GOAL_NOT_MET,
                f"{what} was met by none of {tried} configurations{best}",
                "Give it as a number that falls to 0 where the goal is met: then "
                "configurations are led to it.",
            )
        return free[:0], cause

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


def read_goals(goal: Any, space: PlanningSpace) -> list[Wanted]:
    """Return the goals that a user gave, checked.

    Raises
    ------
    ArgumentError
        There is none, a wrong number of values, values that are not finite, or
        something that is no goal.
    """
    several = isinstance(goal, (list, tuple)) and not _is_numbers(goal)
    entries = list(goal) if several else _rows(goal, space)
    if not len(entries):
        raise ArgumentError("the goal is empty, expected one goal at least")
    count = len(entries)
    return [
        _wanted(one, space, "the goal" if count == 1 else f"goal {k} of {count}")
        for k, one in enumerate(entries)
    ]


def _rows(goal: Any, space: PlanningSpace) -> list[Any]:
    """Return the goals of an array of several: rows of values, or poses."""
    if callable(goal) or isinstance(goal, (IkParameterization, Mapping, str)):
        return [goal]
    array = _numbers(goal, space)
    if array.ndim == 3:
        return list(array)
    if array.ndim == 2 and not _is_pose(array, space):
        return list(array)
    return [array]


def _wanted(one: Any, space: PlanningSpace, what: str) -> Wanted:
    if isinstance(one, IkParameterization):
        return Wanted(f"{what} ({one.type.name})", one)
    if isinstance(one, Mapping):
        return Wanted(f"{what} (joint values)", _named_values(one, space))
    if isinstance(one, str) and space.robot.configurations:
        return Wanted(f"{what} ({one})", _configuration(one, space))
    if callable(one):
        return Wanted(f"{what} (a function)", one)
    array = _numbers(one, space, what)
    if array.shape == (4, 4):
        pose = as_pose(array, what)
        place = " ".join(f"{x:.4g}" for x in pose[:3, 3])
        return Wanted(
            f"{what} (pose at {place})", IkParameterization.transform_6d(pose)
        )
    if array.shape == (_POSE,) and space.dof != _POSE:
        return _wanted(as_pose(array, what), space, what)
    if array.shape == (_POSE,):
        raise ArgumentError(
            f"{what} has 7 numbers, which may be joint values or a pose: write "
            f"plan(values=...) for values of {', '.join(space.names)}, or "
            "plan(pyrave.spatial.pose_from_wxyz_xyz(...)) for a pose of the tool, "
            "qw qx qy qz x y z"
        )
    return _values(array, one, space, what)


def read_values(values: Any, space: PlanningSpace) -> list[Wanted]:
    """Return goals given as joint values, (n,) or (k, n) for several."""
    array = _numbers(values, space, "values")
    rows = [array] if array.ndim < 2 else list(array)
    if not rows:
        raise ArgumentError("values are empty, expected one row at least")
    names = [f"values {k} of {len(rows)}" for k in range(len(rows))]
    named = zip(names if len(rows) > 1 else ["values"], rows, strict=True)
    return [_values(row, values, space, what) for what, row in named]


def _values(array: Array, one: Any, space: PlanningSpace, what: str) -> Wanted:
    if array.shape != (space.dof,):
        raise _no_goal(one, space, what)
    if not np.isfinite(array).all():
        wrong = space.named(~np.isfinite(array))
        raise ArgumentError(f"{what} has {array} for {wrong}, expected finite numbers")
    return Wanted(f"{what} (joint values)", array)


def _numbers(goal: Any, space: PlanningSpace, what: str = "the goal") -> Array:
    try:
        return np.array(as_numbers(goal, what))
    except ArgumentError:
        raise _no_goal(goal, space, what) from None


def _named_values(values: Mapping[Any, Any], space: PlanningSpace) -> Array:
    """Return a configuration: where the robot is, but for named values."""
    row = space.values
    for name, value in values.items():
        if name not in space.names:
            raise NotFoundError("planned degree of freedom", name, space.names)
        if not (isinstance(value, Real) and isfinite(value)):
            raise ArgumentError(
                f"the goal of {name!r} is {shown(value)}, expected a finite number"
            )
        row[space.names.index(name)] = value
    return row


def _configuration(name: str, space: PlanningSpace) -> Array:
    """Return a named configuration; joints that are not planned for stay."""
    joints = space.robot.configurations[name]
    row = space.values
    found = space.robot.values_with(joints)[space.indices]
    given = [
        space.robot.structure.joint_of_dof(i).name in joints
        for i in space.indices.tolist()
    ]
    if not any(given):
        raise ArgumentError(
            f"the configuration {name!r} has no joint of these: "
            f"{', '.join(space.names)}"
        )
    row[: len(given)][given] = found[given]
    return row


def _is_numbers(items: Sequence[Any]) -> bool:
    """Return True if a sequence is one vector or matrix of numbers, not several."""
    if all(isinstance(one, Real) for one in items):
        return True
    rows = all(
        isinstance(one, (list, tuple)) and all(isinstance(x, Real) for x in one)
        for one in items
    )
    return rows and len(items) == 4 and all(len(one) == 4 for one in items)


def _is_pose(array: Array, space: PlanningSpace) -> bool:
    """Return True if an array is meant as a pose, and not as rows of four values."""
    if array.shape != (4, 4):
        return False
    return space.dof != 4 or bool((array[3] == (0.0, 0.0, 0.0, 1.0)).all())


def _no_goal(goal: Any, space: PlanningSpace, what: str = "the goal") -> ArgumentError:
    found = shown(goal)
    if isinstance(goal, np.ndarray) and goal.ndim:
        found = f"{goal.tolist()} ({' x '.join(map(str, goal.shape))} values)"
    return ArgumentError(
        f"{what} is {found}, expected {space.dof} values ({', '.join(space.names)}), "
        "a (4, 4) pose of the tool, an IkParameterization, a function of values, a "
        "mapping of names to values, the name of a configuration, or a list of these"
    )


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
