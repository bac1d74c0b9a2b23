"""Joint paths by repeated solving: what any inverse kinematics solver can do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from pyrave.ik.path import IkPath, IkPathEnd, as_targets, goal_between
from pyrave.ik.results import IkAction, IkFilterOptions, goal_of, start_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from pyrave.bodies.manipulator import Manipulator
    from pyrave.ik.parameterization import IkParameterization
    from pyrave.ik.results import IkReturn
    from pyrave.spatial import Array

_STARTS = 16
"""Most solutions of the first goal that are tried."""
_DEPTH = 10
"""Largest number of times that the interval between two goals is halved."""
_EVEN = 0.25
"""Part of a step by which its middle may be off the middle of the joints' way."""
_STILL = 1e-5
"""Radians or metres: steps so short need no look at their middle."""


class PathSolver(Protocol):
    """The methods of `IkSolverBase` that a path takes."""

    def require_manipulator(self) -> Manipulator:
        """Return the manipulator."""

    def solve(
        self,
        goal: IkParameterization,
        q0: ArrayLike | None = None,
        options: IkFilterOptions = IkFilterOptions.NONE,
    ) -> IkReturn:
        """Return the solution nearest to `q0` (n_arm,), or the reason for none."""

    def solve_all(
        self,
        goal: IkParameterization,
        options: IkFilterOptions = IkFilterOptions.NONE,
    ) -> list[IkReturn]:
        """Return all solutions."""


def cause_of(action: IkAction) -> IkPathEnd:
    """Return the cause of a solver's refusal."""
    if action & IkAction.REJECT_CUSTOM_FILTER:
        return IkPathEnd.FILTER
    hits = IkAction.REJECT_SELF_COLLISION | IkAction.REJECT_ENV_COLLISION
    if action & (hits | IkAction.QUIT_END_EFFECTOR_COLLISION):
        return IkPathEnd.COLLISION
    if action & IkAction.REJECT_JOINT_LIMITS:
        return IkPathEnd.JOINT_LIMIT
    return IkPathEnd.NOT_FOUND


def follow_by_solving(
    solver: PathSolver,
    targets: ArrayLike | Sequence[IkParameterization],
    q0: ArrayLike | None,
    options: IkFilterOptions,
) -> IkPath:
    """Return a joint path of nearest solutions, each from the one before.

    A step is accepted if the solution in its middle lies near the middle of the joints'
    way; otherwise it is halved, and after ten times the solver has changed its branch.
    """
    goals = [goal_of(one) for one in as_targets(targets)]
    walk = _Walk(solver, goals, options)
    near = start_of(solver.require_manipulator(), q0)
    first = walk.solve(goals[0], near)
    if not first:
        words = "; ".join(first.failures) or "the solver finds no solution"
        text = f"goal 0 is not reached: {words}"
        return IkPath(np.empty((0, len(near))), len(goals), IkPathEnd.NO_START, text)
    best = walk.from_start(np.asarray(first.solution))
    if (
        best
        or np.abs(walk.displacement(near, np.asarray(first.solution))).max() < _STILL
    ):
        return best
    others = [one.solution for one in solver.solve_all(goals[0], options) if one]
    rows = [near + walk.displacement(near, np.asarray(row)) for row in others]
    rows.sort(key=lambda row: float(((row - near) ** 2).sum()))
    for row in rows[:_STARTS]:
        path = walk.from_start(row)
        best = path if path.end > best.end else best
        if best:
            break
    return best


class _Walk:
    """Steps along goals, from several starts."""

    def __init__(
        self,
        solver: PathSolver,
        goals: list[IkParameterization],
        options: IkFilterOptions,
    ) -> None:
        self._solver = solver
        self._goals = goals
        self._options = options
        self._arm = solver.require_manipulator()
        self._why: IkReturn | None = None
        """The solver's answer where the last step failed; None if it jumped."""

    def solve(self, goal: IkParameterization, near: Array) -> IkReturn:
        """Return the solver's answer."""
        return self._solver.solve(goal, near, self._options)

    def displacement(self, first: Array, last: Array) -> Array:
        """Return the joint displacement, wrapped for circular joints."""
        robot = self._arm.robot
        return np.asarray(robot.subtract_dof_values(last, first, self._arm.arm_indices))

    def from_start(self, q: Array) -> IkPath:
        """Return the path from a solution of the first goal."""
        rows = [q]
        n = len(self._goals)
        for number in range(1, n):
            ends = self._goals[number - 1], self._goals[number]
            q_next, part = self._advance(*ends, rows[-1], _DEPTH)
            if q_next is None:
                cause, text = self._said()
                text = f"{text}, on the way from goal {number - 1} to {number} of {n}"
                return IkPath(np.array(rows), n, cause, text, number - 1 + part)
            rows.append(q_next)
        return IkPath(np.array(rows), n, IkPathEnd.COMPLETE, "", n - 1.0)

    def _said(self) -> tuple[IkPathEnd, str]:
        if self._why is None:
            return IkPathEnd.SINGULAR, (
                "singular: solutions go on only with a jump of the joints"
            )
        words = "; ".join(dict.fromkeys(self._why.failures))
        return cause_of(self._why.action), words or "the solver finds no solution"

    def _advance(
        self, first: IkParameterization, last: IkParameterization, q: Array, depth: int
    ) -> tuple[Array | None, float]:
        """Return the joint values after a step, or None and the part that was done."""
        answer = self.solve(last, q)
        if answer:
            way = self.displacement(q, np.asarray(answer.solution))
            if np.abs(way).max() < _STILL:
                return q + way, 1.0
        middle = goal_between(first, last, 0.5)
        if answer:
            half = self.solve(middle, q)
            off = np.inf
            if half:
                to_half = self.displacement(q, np.asarray(half.solution))
                off = float(np.abs(to_half - 0.5 * way).max())
            if off <= _EVEN * np.abs(way).max():
                return q + way, 1.0
        if not depth:
            self._why = None if answer else answer
            return None, 0.0
        q_half, part = self._advance(first, middle, q, depth - 1)
        if q_half is None:
            return None, 0.5 * part
        q_last, part = self._advance(middle, last, q_half, depth - 1)
        return q_last, 0.5 + 0.5 * part
