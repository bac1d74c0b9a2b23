"""Solvers of goals that are no loop of six joints: reduced arms, numerical search."""

from __future__ import annotations

import logging
import math
from abc import abstractmethod
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pyrave.errors import ArgumentError, NotSupportedError
from pyrave.ik import IkAction, IkFilterOptions, IkReturn, residuals
from pyrave.ik.results import start_of
from pyrave.interfaces import IkChecks, IkSolverBase
from pyrave.kinematics import angle_difference
from pyrave.spatial import as_indices, invert_pose
from pyrave_ik.arm.chain import ORIGIN, ArmChain, dof_names, joint_periods
from pyrave_ik.arm.poses import tool_poses
from pyrave_ik.arm.turns import at_all_turns, at_nearest_turns, turning_periods
from pyrave_ik.coupled_joints.compound import Compound, compound_of
from pyrave_ik.methods.analytic import AnalyticSolver
from pyrave_ik.methods.least_squares import ENDLESS, NumericProblem
from pyrave_ik.solver.effort import ALL_SECONDS, Clock
from pyrave_ik.solver.free_joint_grid import (
    as_parts,
    axis_samples,
    combinations_of,
    step_of,
)
from pyrave_ik.solver.numerical_ik import NumericalIk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import ArrayLike

    from pyrave.bodies import Manipulator
    from pyrave.ik import IkParameterization, IkParameterizationType, IkResult
    from pyrave.spatial import Array, Indices

_log = logging.getLogger("pyrave.ik")
_NONE = IkFilterOptions.NONE
_NO_LIMITS = IkFilterOptions.IGNORE_JOINT_LIMITS
_NEAR = 1e-8
"""Metres and radians that the tool may miss a goal by."""
_SAME = 1e-6
_STARTS = 1000
"""Most starts of a search: goals that constrain more than an arm has joints are met at
single points, and most descents end beside them."""
_MANY_TURNS = 4.0 * math.pi


class Fallback(NumericalIk):
    """Solves with the filters and finish callbacks of another solver.

    Parameters
    ----------
    solver
        The solver that it serves.
    arm
        The manipulator of that solver.
    note
        What the solver's users ought to know.
    """

    contract: ClassVar[int] = 2
    verifies: ClassVar[bool] = True
    solution = IkSolverBase.solution

    def __init__(self, solver: IkSolverBase, arm: Manipulator, note: str) -> None:
        super().__init__(solver.env)
        self._filters = solver._filters  # noqa: SLF001 - the same lists
        self._finish_callbacks = solver._finish_callbacks  # noqa: SLF001
        self.note = note
        self._known_periods: tuple[ArmChain, Array] | None = None
        self.init(arm)

    @abstractmethod
    def rows(
        self,
        goal: IkParameterization,
        options: IkFilterOptions,
        free: ArrayLike | None,
        clock: Clock | None = None,
        near: Array | None = None,
    ) -> Array:
        """Return joint values (k, n) that meet a goal given in the world.

        Each comes once, at the turns nearest to (n,), or at all turns if that is None.
        """

    def solve(
        self,
        goal: IkParameterization,
        q0: ArrayLike | None = None,
        options: IkFilterOptions = _NONE,
        free: ArrayLike | None = None,
        *,
        timeout: float | None = None,
    ) -> IkReturn:
        """Return the solution nearest to `q0` (n_arm,), or why there is none."""
        arm = self.require_manipulator()
        near = start_of(arm, q0)
        circular = arm.robot.model.circular[arm.arm_indices]
        periods = np.where(circular, self._periods, np.inf)
        rows = self.rows(goal, options, free, Clock(timeout, ALL_SECONDS))
        ways = angle_difference(rows - near, periods)
        rows = rows - (rows - near - ways)  # whole turns, so that the rest is kept
        order = np.argsort((ways**2).sum(axis=1), kind="stable")
        action = IkAction.REJECT
        failures: list[str] = []
        for answer in IkChecks(self, arm, options).answers(rows[order], goal):
            if answer:
                self.call_finish_callbacks(answer, goal)
                return answer
            action |= answer.action
            failures += answer.failures
        if len(rows):
            return IkReturn(action, failures=tuple(failures))
        return self._nothing(goal, options, free)

    def solve_all(
        self,
        goal: IkParameterization,
        options: IkFilterOptions = _NONE,
        free: ArrayLike | None = None,
        *,
        timeout: float | None = None,
        turns: bool = False,
    ) -> list[IkReturn]:
        """Return the solutions, or why there is none."""
        arm = self.require_manipulator()
        near = None if turns else arm.arm_dof_values
        rows = self.rows(goal, options, free, Clock(timeout, ALL_SECONDS), near)
        if not len(rows):
            return [self._nothing(goal, options, free)]
        return IkChecks(self, arm, options).finish_all(rows, goal)

    @abstractmethod
    def _nothing(
        self, goal: IkParameterization, options: IkFilterOptions, free: ArrayLike | None
    ) -> IkReturn:
        """Return the reason for having no rows."""

    def find(
        self,
        target: IkParameterization | Array,
        q0: ArrayLike | None = None,
        options: IkFilterOptions = _NONE,
        free: ArrayLike | None = None,
        *,
        nearest: bool = False,
        timeout: float | None = None,
        turns: bool = False,
    ) -> IkResult:
        """Return the solutions found, the nearest to `q0` first; see the base class."""
        result = super().find(
            target, q0, options, free, nearest=nearest, timeout=timeout, turns=turns
        )
        return replace(result, complete=self._proves(result.goal))

    def _limits(self, options: IkFilterOptions) -> tuple[Array, Array]:
        """Return the limits (n,), one period where joints turn on and on."""
        arm = self.require_manipulator()
        chain = self._joints()
        lower, upper = (bound[arm.arm_indices] for bound in arm.robot.dof_limits)
        n = len(lower)
        slides = chain.follows(n)[chain.screws[:, 6] != 0.0].any(axis=0)
        periods = self._periods
        ignored = bool(options & _NO_LIMITS)
        endless = (arm.robot.model.circular[arm.arm_indices] | ignored) & ~slides
        wide = (upper - lower > np.maximum(_MANY_TURNS, periods)) & ~endless
        # joints that never repeat have infinitely many solutions
        half = 0.5 * np.where(np.isfinite(periods), periods, _MANY_TURNS)
        middle = np.where(wide, np.clip(0.0, lower + half, upper - half), 0.0)
        low = np.where(ignored, -1e4, lower)
        high = np.where(ignored, 1e4, upper)
        one = endless | wide
        return np.where(one, middle - half, low), np.where(one, middle + half, high)

    def _proves(self, _goal: IkParameterization) -> bool:
        """Return True if a goal is proven to have no solutions but those found."""
        return False

    def _joints(self) -> ArmChain:
        assert self._chain is not None  # noqa: S101 - set with the manipulator
        return self._chain

    @property
    def _periods(self) -> Array:
        """(n,) periods of the joints."""
        chain = self._joints()
        if self._known_periods is None or self._known_periods[0] is not chain:
            arm = self.require_manipulator()
            model = arm.robot.state_model
            limits = model.dof_lower[arm.arm_indices], model.dof_upper[arm.arm_indices]
            self._known_periods = chain, joint_periods([chain], *limits)
        return self._known_periods[1]


class Search(Fallback):
    """Searches numerically; there may be more solutions than it finds.

    Parameters
    ----------
    free
        Numbers of the arm's joints that are held at values in `steps`: none, one for
        all, or one for each.
    """

    def __init__(
        self,
        solver: IkSolverBase,
        arm: Manipulator,
        reason: str,
        free: Sequence[int] = (),
        steps: Sequence[float] = (),
    ) -> None:
        note = (
            f"{reason}; solutions are searched for numerically, and there may be more "
            "than are found"
        )
        self._free = tuple(free)
        self._steps = steps
        if len(steps) > 1 and len(steps) != len(self._free):
            raise ArgumentError(
                f"{solver!r} was given {len(steps)} steps and has {len(self._free)} "
                "free joints; give one for all or one for each"
            )
        super().__init__(solver, arm, note)
        self._part_settings = replace(self.settings, starts=_STARTS)
        self.settings_changed(None)
        _log.info("%s: %s", arm.name, note)

    def get_free_indices(self) -> Indices:
        """Return (k,) int64, the indices into the arm's joints of those held."""
        return as_indices(self._free, "free indices")

    def get_num_free_parameters(self) -> int:
        """Return the number of joints that are held."""
        return len(self._free)

    def get_free_parameters(self) -> Array:
        """Return the present values of the held joints, 0..1 over their range."""
        held = list(self._free)
        lower, upper = (one[held] for one in self._limits(_NONE))
        values = self.require_manipulator().arm_dof_values[held]
        width = np.where(upper > lower, upper - lower, 1.0)
        return np.asarray(np.clip((values - lower) / width, 0.0, 1.0))

    def solve(
        self,
        goal: IkParameterization,
        q0: ArrayLike | None = None,
        options: IkFilterOptions = _NONE,
        free: ArrayLike | None = None,
        *,
        timeout: float | None = None,
    ) -> IkReturn:
        """Return a solution near `q0` (n_arm,), or how near the arm came."""
        if not self._free:
            return NumericalIk.solve(self, goal, q0, options, free, timeout=timeout)
        return super().solve(goal, q0, options, free, timeout=timeout)

    def rows(
        self,
        goal: IkParameterization,
        options: IkFilterOptions,
        free: ArrayLike | None,
        clock: Clock | None = None,
        near: Array | None = None,
    ) -> Array:
        """Return the results of starts all over the range, held joints at each value.

        Values of the held joints that time leaves out are the farthest.
        """
        local = goal.transformed(invert_pose(self.require_manipulator().base.transform))
        clock = clock or Clock(None, ALL_SECONDS)
        found: list[Array] = []
        for problem in self._problems(options, free):
            if found and clock.is_over:
                break
            found.append(problem.solve_several(local, self.starts, self.tolerance))
        rows = np.concatenate(found)
        arm = self.require_manipulator()
        if not len(rows) and not self._free:
            one = self.problem(options).solve(
                local, arm.arm_dof_values, starts=self.starts, tolerance=self.tolerance
            )
            rows = one.q[None] if one else rows
        ignored = bool(options & _NO_LIMITS)
        if near is None or ignored:
            lower, upper = self._limits(options)
        else:
            lower, upper = (bound[arm.arm_indices] for bound in arm.robot.dof_limits)
        periods = np.inf if ignored else self._periods
        periods = turning_periods(
            arm, periods + 0.0 * lower, lower, upper, every=near is None
        )
        if near is None:
            return at_all_turns(rows, lower, upper, periods)
        return at_nearest_turns(rows, near, lower, upper, periods)

    def _problems(
        self, options: IkFilterOptions, free: ArrayLike | None
    ) -> Iterator[NumericProblem]:
        """Yield a problem for every combination of values of held joints."""
        if not self._free:
            self._checked(free, options)  # there is nothing to give
            yield self.problem(options)
            return
        arm = self.require_manipulator()
        assert self._chain is not None  # noqa: S101 - set with the manipulator
        indices = arm.arm_indices
        lower, upper = (bound[indices] for bound in arm.robot.dof_limits)
        for values in chain.from_iterable(self._samples(options, free)):
            low, high = lower.copy(), upper.copy()
            if options & _NO_LIMITS:
                low[:], high[:] = -1e4, 1e4
            low[list(self._free)] = high[list(self._free)] = values
            yield NumericProblem(
                [self._chain], low, high, directions=arm.direction[None]
            )

    def _samples(
        self, options: IkFilterOptions, free: ArrayLike | None
    ) -> Iterator[Array]:
        """Return blocks (m, f) of values of held joints, outward from the present."""
        arm = self.require_manipulator()
        assert self._chain is not None  # noqa: S101 - set with the manipulator
        held = list(self._free)
        # held joints always have limits
        lower, upper = (one[held] for one in self._limits(options & ~_NO_LIMITS))
        if (upper - lower > ENDLESS).any():
            number = held[int(np.argmax(upper - lower))]
            raise ArgumentError(
                f"joint {dof_names(arm)[number]!r} is free and has no limits: give "
                "some, or make another joint free"
            )
        if free is not None:
            parts = as_parts(free, len(held))
            return iter([(lower + parts * (upper - lower))[None]])
        periods = np.where(np.isfinite(self._periods), self._periods, 0.0)[held]
        start = np.clip(arm.arm_dof_values[held], lower, upper)
        steps: list[float | None] = [*self._steps] or [None]
        steps *= len(held) if len(steps) == 1 else 1
        columns = []
        for value, low, high, step, period in zip(
            start.tolist(), lower, upper, steps, periods.tolist(), strict=True
        ):
            width = step_of(step, low, high, period)
            columns.append(axis_samples(value, low, high, width, period))
        return combinations_of(columns, start)

    def _nothing(
        self, goal: IkParameterization, options: IkFilterOptions, free: ArrayLike | None
    ) -> IkReturn:
        arm = self.require_manipulator()
        local = goal.transformed(invert_pose(arm.base.transform))
        problem = next(self._problems(options, free))
        start = np.clip(arm.arm_dof_values, problem.lower, problem.upper)
        names = dof_names(arm)
        answer = self._failure(self._solved(problem, local, start), names)
        if not self._free or free is not None:
            return answer
        held = ", ".join(f"{names[i]} at {problem.lower[i]:.4g}" for i in self._free)
        text = (
            f"with {held} {answer.failures[0]}; no start met it at other values, "
            "which is no proof: give a smaller step, free= or a longer timeout="
        )
        return replace(answer, failures=(text,))


class ClosedCompound(Fallback):
    """Solves arms whose joints move several axes each through a simpler arm.

    Parameters
    ----------
    compound
        The arm as that simpler one.
    closed
        What solves the simpler arm.
    """

    def __init__(
        self,
        solver: IkSolverBase,
        arm: Manipulator,
        compound: Compound,
        closed: AnalyticSolver,
    ) -> None:
        super().__init__(solver, arm, "")
        self.compound = compound
        self.closed = closed

    def rows(
        self,
        goal: IkParameterization,
        options: IkFilterOptions,
        free: ArrayLike | None,
        clock: Clock | None = None,
        near: Array | None = None,
    ) -> Array:
        """Return all joint values that meet a goal; each is verified."""
        if free is not None and np.size(free):
            raise ArgumentError(f"{self!r} has no free joints for such goals")
        arm = self.require_manipulator()
        local = goal.transformed(invert_pose(arm.base.transform))
        lower, upper = self._limits(options)
        rows = np.concatenate(
            [
                np.empty((0, len(lower))),
                *(
                    self.compound.lifted(values, lower, upper, near)
                    for values in self.closed.solve(local)
                ),
            ]
        )
        off = residuals(local, tool_poses(arm, rows), arm.direction)
        found: list[Array] = []
        for q in rows[np.max(off, axis=0) < _NEAR]:
            if not any(np.abs(q - other).max() < _SAME for other in found):
                found.append(q)
        if not found and not self.closed.decides(local):
            result = self.problem(options).solve(local, near, starts=self.starts)
            found += [result.q] if result else []
        return np.array(found).reshape(len(found), len(lower))

    def _proves(self, goal: IkParameterization) -> bool:
        """Return True if a goal is proven to have no solutions but those found.

        There may be more where the method for the simpler arm decides nothing, or where
        a joint turns on and on without ever being back.
        """
        arm = self.require_manipulator()
        circular = arm.robot.model.circular[arm.arm_indices]
        ends = bool(np.isfinite(self._periods[circular]).all())
        local = goal.transformed(invert_pose(arm.base.transform))
        return ends and self.closed.decides(local)

    def _nothing(
        self, goal: IkParameterization, options: IkFilterOptions, free: ArrayLike | None
    ) -> IkReturn:
        name = goal.type.name
        if not options & _NO_LIMITS and len(self.rows(goal, _NO_LIMITS, free)):
            action = IkAction.REJECT | IkAction.REJECT_JOINT_LIMITS
            text = f"joint values reach this {name} only outside of the limits"
        else:
            action = IkAction.REJECT | IkAction.REJECT_KINEMATICS
            text = f"no joint values reach this {name}, even without limits"
        if not self._proves(goal):
            text += ", as far as the method finds them all, which it cannot promise"
        return IkReturn(action, failures=(text,))


def closed_compound(
    chain: ArmChain,
    n: int,
    kind: IkParameterizationType,
    direction: Array,
    point: Array,
) -> tuple[Compound, AnalyticSolver] | None:
    """Return a coupled arm of n joints as a simpler one and what solves that.

    None if there is no such arm, or one that has not just as many joints as goals of
    that kind need.
    """
    compound = compound_of(chain, n)
    if compound is None:
        return None
    try:
        closed = AnalyticSolver(compound.chain, kind, direction, point=point)
    except NotSupportedError:
        return None
    return None if closed.free else (compound, closed)


def fallback_solver(
    solver: IkSolverBase,
    arm: Manipulator,
    kind: IkParameterizationType,
    reason: str,
    free: Sequence[str] = (),
    steps: Sequence[float] = (),
    point: Array = ORIGIN,
) -> ClosedCompound | Search:
    """Return the solver of goals for an arm that `AnalyticSolver` refuses.

    Parameters
    ----------
    reason
        Why it does.
    free, steps
        Names of joints that are to be held, and in which steps.
    point
        See `AnalyticSolver`.
    """
    chain = ArmChain.from_manipulator(arm)
    names = dof_names(arm)
    if not free:
        known = closed_compound(chain, len(names), kind, arm.direction, point)
        if known is not None:
            return ClosedCompound(solver, arm, *known)
    return Search(solver, arm, reason, [names.index(name) for name in free], steps)
