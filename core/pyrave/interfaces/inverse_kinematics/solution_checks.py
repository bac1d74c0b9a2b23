"""Checking what inverse kinematics solvers of plugins return, by forward kinematics."""

from __future__ import annotations

import functools
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import PluginError, Problem, Severity, shown
from pyrave.ik.goal_residuals import residuals
from pyrave.ik.path import IkPath, IkPathEnd, as_targets
from pyrave.ik.results import (
    IkAction,
    IkBatch,
    IkFilterOptions,
    IkRejection,
    IkResult,
    IkReturn,
    as_filter_options,
    goal_of,
)
from pyrave.interfaces.base import author_code

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyrave.ik.parameterization import IkParameterization
    from pyrave.interfaces.iksolver import IkSolverBase
    from pyrave.spatial import Array

_LIMIT_SLACK = 1e-6
_MISSED = IkAction.REJECT | IkAction.REJECT_KINEMATICS_PRECISION
_OUTSIDE = IkAction.REJECT | IkAction.REJECT_JOINT_LIMITS


@dataclass(slots=True)
class Verified:
    """Solutions of a solver that need no check while one of its methods runs.

    Parameters
    ----------
    depth
        How many of its methods run inside of each other; the outermost is checked.
    known
        Solutions, as bytes, that were compared already or that a filter changed: what
        a filter makes of a solution need not reach the goal.
    is_told
        Whether a wrong solution of this solver was reported.
    """

    depth: int = 0
    known: set[bytes] = field(default_factory=set)
    is_told: bool = False

    def trust(self, solution: Array | None) -> None:
        """Note a solution that need not be compared until the method returns."""
        if self.depth and solution is not None:
            self.known.add(solution.tobytes())

    @contextmanager
    def running(self) -> Iterator[bool]:
        """Run a method; gives whether it is the outermost."""
        self.depth += 1
        try:
            yield self.depth == 1
        finally:
            self.depth -= 1
            if not self.depth:
                self.known.clear()


def verify_methods(cls: type[IkSolverBase]) -> None:
    """Have what a class's own methods return checked, unless it says it does that."""
    own = [name for name in _CHECKS if name in vars(cls)]
    if own and "verifies" not in vars(cls):
        cls.verifies = False
    for name in own if not cls.verifies else ():
        setattr(cls, name, _verified(name, vars(cls)[name]))


def _verified(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of an author whose answers are checked."""
    check = _CHECKS[name]

    @functools.wraps(function)
    def method(self: IkSolverBase, target: Any, *args: Any, **named: Any) -> Any:
        with self.verified.running() as outermost:
            if not outermost:
                return function(self, target, *args, **named)
            with author_code(self, name):
                found = function(self, target, *args, **named)
            # options come behind the start, in methods that have one
            place = 1 if name in _WITH_START else 0
            given = args[place] if len(args) > place else named.get("options")
            options = IkFilterOptions.NONE if given is None else given
            return check(self, found, target, as_filter_options(options))

    return method


def faults(
    solver: IkSolverBase,
    rows: Array,
    goal: IkParameterization,
    options: IkFilterOptions,
) -> list[IkReturn | None]:
    """Return for each of (k, n_arm) joint values why they are no solution, or None.

    They are compared with the goal by forward kinematics, within `solver.tolerance`,
    and with the limits of joints. The first fault of a solver is a problem of the
    environment.
    """
    arm = solver.require_manipulator()
    robot, indices = arm.robot, arm.arm_indices
    asked = [
        row.tobytes() not in solver.verified.known for row in np.ascontiguousarray(rows)
    ]
    found: list[IkReturn | None] = [None] * len(rows)
    if not any(asked) or goal.type.is_velocity:
        return found
    configurations = np.repeat(robot.dof_values[None], len(rows), axis=0)
    configurations[:, indices] = rows
    links = robot.compute_link_transforms(configurations)[:, arm.end_effector.index]
    away, turn = residuals(goal, links @ arm.local_tool_transform, arm.direction)
    lower, upper = (bound[indices] for bound in robot.dof_limits)
    free = robot.model.circular[: robot.dof][indices]
    low, high = rows < lower - _LIMIT_SLACK, rows > upper + _LIMIT_SLACK
    outside = ~free & (low | high)
    if IkFilterOptions.IGNORE_JOINT_LIMITS in options:
        outside[:] = False
    for k, values in enumerate(rows):
        if not asked[k]:
            continue
        if not (away[k] <= solver.tolerance and turn[k] <= solver.tolerance):
            text = (
                f"a solution of {_named(solver)} misses its goal by {away[k]:.3g} m "
                f"and {turn[k]:.3g} rad"
            )
            found[k] = IkReturn(_MISSED, failures=(text,))
        elif outside[k].any():
            j = int(np.argmax(outside[k]))
            joint = robot.structure.joint_of_dof(int(indices[j]))
            text = (
                f"a solution of {_named(solver)} has joint {joint.name!r} at "
                f"{values[j]:.4g}, outside of its limits {lower[j]:.4g}..{upper[j]:.4g}"
            )
            found[k] = IkReturn(_OUTSIDE, failures=(text,))
    first = next((one for one in found if one is not None), None)
    if first is not None and not solver.verified.is_told:
        solver.verified.is_told = True
        solver.env.report_problem(
            Problem(
                Severity.WARNING,
                f"{first.failures[0]}; it is dropped",
                hint="later ones of this solver are dropped without a word; the plugin "
                "is wrong, or the `tolerance` of the solver too small",
                code="wrong-ik-solution",
            )
        )
    return found


def _named(solver: IkSolverBase) -> str:
    return f"{shown(solver)}{_origin(solver)}"


def _origin(solver: IkSolverBase) -> str:
    return f" of plugin {solver.plugin!r}" if solver.plugin else ""


def _rows(solver: IkSolverBase, name: str, found: Any) -> Array:
    """Return (k, n_arm) joint values, or raise a PluginError that names the method."""
    n = len(solver.require_manipulator().arm_indices)
    try:
        rows = np.asarray(found, dtype=np.float64)
    except (TypeError, ValueError):
        rows = np.full((1, 1), np.nan)
    if rows.ndim != 2 or rows.shape[1] != n or not np.isfinite(rows).all():
        raise _misfit(solver, name, found, f"(k, {n}) finite joint values")
    return rows


def _misfit(solver: IkSolverBase, name: str, found: Any, what: str) -> PluginError:
    return PluginError(
        f"{name}() of {_named(solver)} returned {shown(found)}, expected {what}"
    )


def _one_return(
    solver: IkSolverBase, found: Any, target: Any, options: IkFilterOptions
) -> Any:
    return _returns(solver, [found], target, options)[0]


def _returns(
    solver: IkSolverBase, found: Any, target: Any, options: IkFilterOptions
) -> Any:
    """Return answers, those that are wrong as rejections; others are judged later."""
    if not isinstance(found, (list, tuple)):
        return found
    answers: list[Any] = list(found)
    n = len(solver.require_manipulator().arm_indices)
    solved = [k for k, one in enumerate(answers) if _has_values(one, n)]
    if solved:
        rows = np.array([answers[k].solution for k in solved], dtype=np.float64)
        if np.isfinite(rows).all():
            wrong = faults(solver, rows, goal_of(target), options)
            for k, fault in zip(solved, wrong, strict=True):
                answers[k] = answers[k] if fault is None else fault
    return answers


def _has_values(answer: Any, n: int) -> bool:
    values: Any = answer.solution if isinstance(answer, IkReturn) and answer else None
    return bool(np.shape(values) == (n,))


def _one_row(
    solver: IkSolverBase, found: Any, target: Any, options: IkFilterOptions
) -> Any:
    if found is None:
        return None
    rows = _rows(solver, "solution", [found])
    (wrong,) = faults(solver, rows, goal_of(target), options)
    return rows[0] if wrong is None else None


def _all_rows(
    solver: IkSolverBase, found: Any, target: Any, options: IkFilterOptions
) -> Array:
    rows = _rows(solver, "solutions", found)
    wrong = faults(solver, rows, goal_of(target), options)
    return np.asarray(rows[[one is None for one in wrong]])


def _result(
    solver: IkSolverBase, found: Any, target: Any, options: IkFilterOptions
) -> IkResult:
    if not isinstance(found, IkResult):
        raise _misfit(solver, "find", found, "an IkResult")
    rows = _rows(solver, "find", found.solutions)
    wrong = faults(solver, rows, goal_of(target), options)
    kept = [k for k, one in enumerate(wrong) if one is None]
    if len(kept) == len(rows):
        return found
    rejected = [
        IkRejection(one.action, row, one.failures[0])
        for one, row in zip(wrong, rows, strict=True)
        if one is not None
    ]
    action = found.action
    if not kept:
        for one in rejected:
            action |= one.action
    return replace(
        found,
        solutions=rows[kept],
        branches=found.branches[kept],
        rejections=(*found.rejections, *rejected),
        action=action,
        values=tuple(found.values[k] for k in kept) if found.values else (),
        complete=False,
        continua=tuple(found.continua[k] for k in kept) if found.continua else (),
    )


def _batch(
    solver: IkSolverBase, found: Any, target: Any, options: IkFilterOptions
) -> IkBatch:
    poses = as_targets(target)
    if not isinstance(found, IkBatch) or len(found.counts) != len(poses):
        what = f"an IkBatch of {len(poses)} goals"
        raise _misfit(solver, "solve_batch", found, what)
    _rows(solver, "solve_batch", found.solutions)
    kept = [_all_rows(solver, found[k], one, options) for k, one in enumerate(poses)]
    counts = np.array([len(rows) for rows in kept], dtype=np.int64)
    return IkBatch(np.concatenate(kept), counts)


def _nearest_batch(
    solver: IkSolverBase, found: Any, target: Any, options: IkFilterOptions
) -> Array:
    poses = as_targets(target)
    width = len(solver.require_manipulator().arm_indices)
    if np.shape(found) != (len(poses), width):
        what = f"an array of {len(poses)} rows of {width} joint values, or of NaN"
        raise _misfit(solver, "nearest_batch", found, what)
    rows = np.array(found, dtype=np.float64)
    for row, one in zip(rows, poses, strict=True):
        if not np.isnan(row).all() and not len(
            _all_rows(solver, row[None], one, options)
        ):
            row[:] = np.nan
    return rows


def _path(
    solver: IkSolverBase, found: Any, target: Any, options: IkFilterOptions
) -> IkPath:
    """Return a path up to the first goal that it misses."""
    goals = as_targets(target)
    if not isinstance(found, IkPath) or len(found.values) > len(goals):
        raise _misfit(solver, "follow", found, f"an IkPath of {len(goals)} goals")
    rows = _rows(solver, "follow", found.values)
    for k, (row, goal) in enumerate(zip(rows, goals, strict=False)):
        (wrong,) = faults(solver, row[None], goal_of(goal), options)
        if wrong is not None:
            text = f"goal {k}: {wrong.failures[0]}"
            values = rows[:k]
            return IkPath(values, len(goals), IkPathEnd.NOT_FOUND, text, float(k - 1))
    return found


_WITH_START = frozenset({"solve", "solution", "find", "follow", "nearest_batch"})
_CHECKS: dict[str, Callable[[IkSolverBase, Any, Any, IkFilterOptions], Any]] = {
    "solve": _one_return,
    "solve_all": _returns,
    "solution": _one_row,
    "solutions": _all_rows,
    "find": _result,
    "nearest_batch": _nearest_batch,
    "solve_batch": _batch,
    "follow": _path,
}
"""Methods that return joint values, and what checks what they return."""
