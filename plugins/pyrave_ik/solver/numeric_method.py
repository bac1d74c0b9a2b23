"""Goals solved by damped least squares from many starts: any chain, any goal."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import chain as chained
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.ik import IkAction, IkNearest, IkParameterization, IkReturn
from pyrave.ik.results import first_solution
from pyrave.interfaces.settings.declarations import setting
from pyrave_ik.arm.chain import dof_names, joint_periods
from pyrave_ik.arm.turns import (
    ENDLESS,
    at_all_turns,
    at_nearest_turns,
    turning_periods,
)
from pyrave_ik.methods.candidates import UNREACHED, Candidates, squared_ways
from pyrave_ik.methods.least_squares import (
    TOLERANCE,
    NumericProblem,
    settings_of,
)
from pyrave_ik.methods.packed_arm import bounds_of
from pyrave_ik.solver.effort import ALL_SECONDS
from pyrave_ik.solver.goal_method import GoalMethod
from pyrave_ik.solver.held_joints import (
    as_parts,
    axis_samples,
    combinations_of,
    step_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import ArrayLike

    from pyrave.bodies import Manipulator
    from pyrave.interfaces import IkChecks
    from pyrave.spatial import Array
    from pyrave_ik.arm.chain import ArmChain
    from pyrave_ik.methods.least_squares import NumericResult
    from pyrave_ik.solver.goal_method import Query

_IGNORED = 1e4
"""Limits of joints that have none: they turn without end."""
_MANY_TURNS = 4.0 * math.pi


@dataclass(frozen=True)
class NumericalSettings:
    """Settings of numerical searches."""

    least_squares: bool = setting(
        False, "goals that ask for too much are met in the least-squares sense"
    )
    starts: int = setting(100, "most starts a solve may take", least=1, most=1e6)
    tolerance: float = setting(
        TOLERANCE, "that may be missed", unit="m and rad", least=1e-12, most=1.0
    )


class NumericMethod(GoalMethod):
    """Searches from many starts; there may be more solutions than it finds.

    Parameters
    ----------
    chain
        The arm's chain.
    settings
        How far it searches.
    owner
        The solver in words.
    ignored
        Whether joint limits do not count.
    """

    def __init__(
        self,
        arm: Manipulator,
        chain: ArmChain,
        settings: NumericalSettings,
        owner: str,
        *,
        ignored: bool,
    ) -> None:
        indices = arm.arm_indices
        self.chain = chain
        self.owner = owner
        self.ignored = ignored
        self.settings = settings
        self.circular = arm.robot.model.circular[indices]
        lower, upper = (bound[indices] for bound in arm.robot.limit_store.bounds)
        if ignored:
            upper = np.full(len(indices), _IGNORED)
            lower = -upper
        self.lower, self.upper = lower, upper
        self._direction = arm.direction[None]
        self.problem = self.within(lower, upper)
        """The arm within its limits, for one goal."""
        self.numbers = settings_of(settings.starts, settings.tolerance)
        """The settings as the kernel takes them."""
        self._bounds: Array | None = None

    def within(self, lower: Array, upper: Array) -> NumericProblem:
        """Return the arm within limits (n_arm,)."""
        return NumericProblem([self.chain], lower, upper, directions=self._direction)

    @property
    def bounds(self) -> Array:
        """(n_arm, 5) limits, see `bounds_of`."""
        if self._bounds is None:
            ends = self.lower, self.upper, self.circular
            self._bounds = bounds_of(self.chain, *ends, ignored=self.ignored)
        return self._bounds

    @property
    def periods(self) -> Array:
        """(n_arm,) one turn of each joint, infinite where no value comes back."""
        turns = self.bounds[:, 4]
        return np.where(turns > 0.0, turns, np.inf)

    # -- one solution ------------------------------------------------------------

    def nearest(self, query: Query) -> Array | None:
        """Return where a search from the start ends (n_arm,), or None."""
        self._refuse(query.free)
        target, quick = query.target, not query.clock.goes_on
        quick &= not self.settings.least_squares
        if quick and not isinstance(target, IkParameterization):
            return self.problem.solution(query.base, target, query.near, self.numbers)
        result = self._found(query)
        return result.q if result else None

    def answer(self, query: Query, checks: IkChecks) -> IkReturn:
        """Return a solution near the start that passes checks, or how near it came."""
        self._refuse(query.free)
        result = self._found(query)
        if not result:
            return failure_of(result, dof_names(query.arm))
        if not checks.needed:
            return IkReturn(IkAction.SUCCESS, result.q, errors_of(result))
        answer = checks.first(result.q[None], query.goal)
        if answer or answer.action & IkAction.QUIT:
            return answer
        rows = self._several(replace(query, near=result.q))
        others = rows[squared_ways(rows, result.q, self.bounds).argsort()]
        return first_solution([answer, checks.first(others, query.goal)])

    def miss(self, query: Query) -> IkNearest:
        """Return the nearest result to a goal of a search from the start."""
        goal, arm = query.goal, query.arm
        best = self._solved(query)
        pose = query.base @ self.problem.tools(best.q)[0]
        local = goal.type.name.startswith("TranslationLocal")
        point = goal.array[:3] if local else np.zeros(3)
        reached = IkParameterization.from_pose(goal.type, pose, arm.direction, point)
        return IkNearest(best.q, pose, math.sqrt(abs(goal.distance2(reached))))

    def _solved(
        self, query: Query, starts: int = 0, problem: NumericProblem | None = None
    ) -> NumericResult:
        settings = self.settings
        return (problem or self.problem).solve(
            query.goal,
            query.near,
            base=query.base,
            least_squares=settings.least_squares,
            starts=starts or settings.starts,
            tolerance=settings.tolerance,
        )

    def _found(self, query: Query) -> NumericResult:
        """Return the result of a search, with a timeout from ever more starts."""
        result, starts = self._solved(query), self.settings.starts
        while query.clock.goes_on and not result and not query.clock.is_over:
            starts *= 2
            result = self._solved(query, starts)
        return result

    # -- several -----------------------------------------------------------------

    def candidates(self, query: Query, *, turned: bool = False) -> Candidates:
        """Return what starts all over the range lead to, or how near the arm came."""
        self._refuse(query.free)
        rows = self._turned(self._several(query), query)
        why = ""
        if not len(rows):
            result = self._found(query)
            rows = result.q[None] if result else rows
            why = "" if result else result.reason(dof_names(query.arm))
        return Candidates.listed(rows, query.near, self.bounds, turned=turned, why=why)

    def _several(self, query: Query, problem: NumericProblem | None = None) -> Array:
        """Return the distinct configurations (k, n_arm) that were found."""
        return (problem or self.problem).solve_several(
            query.goal, self.settings.starts, self.settings.tolerance, base=query.base
        )

    def _turned(self, rows: Array, query: Query) -> Array:
        """Return rows (k, n_arm) at the turns that are wanted, each once."""
        ends, every = (self.lower, self.upper), query.turns
        periods = turning_periods(query.arm, self.periods, *ends, every=every)
        if every:
            return at_all_turns(rows, *ends, periods)
        return at_nearest_turns(rows, query.near, *ends, periods)

    def _refuse(self, free: ArrayLike | None) -> None:
        if free is not None and np.size(free):
            raise ArgumentError(
                f"{self.owner} has no free parameters, found {np.size(free)}; expected "
                "none"
            )


class HeldSearch(NumericMethod):
    """Searches with some joints held at values in steps.

    Parameters
    ----------
    held
        Numbers of the arm's joints that are held.
    steps
        In which steps: none, one for all, or one for each.
    """

    seconds = ALL_SECONDS

    def __init__(
        self,
        arm: Manipulator,
        chain: ArmChain,
        settings: NumericalSettings,
        owner: str,
        *,
        ignored: bool,
        held: Sequence[int],
        steps: Sequence[float],
    ) -> None:
        if len(steps) > 1 and len(steps) != len(held):
            raise ArgumentError(
                f"{owner} was given {len(steps)} steps and has {len(held)} free "
                "joints; give one for all or one for each"
            )
        super().__init__(arm, chain, settings, owner, ignored=ignored)
        self.held = list(held)
        self._steps = steps
        # held joints always have limits
        ends = (bound[arm.arm_indices] for bound in arm.robot.limit_store.bounds)
        self._one_turn = one_turn(arm, chain, *ends, ignored=False)

    @property
    def held_dofs(self) -> tuple[int, ...]:
        """Numbers of the arm's joints that are held."""
        return tuple(self.held)

    def free_range(self, dof: int) -> tuple[float, float]:
        """Return the range of a held joint that its free parameter covers."""
        lower, upper = self._one_turn
        return float(lower[dof]), float(upper[dof])

    nearest = GoalMethod.nearest
    answer = GoalMethod.answer

    def candidates(self, query: Query, *, turned: bool = False) -> Candidates:
        """Return what starts lead to with the held joints at each of their values.

        Values that time leaves out are the farthest.
        """
        found: list[Array] = []
        for problem in self._problems(query):
            if found and query.clock.is_over:
                break
            found.append(self._several(query, problem))
        rows = self._turned(np.concatenate(found), query)
        why = "" if len(rows) else self._why_none(query)
        return Candidates.listed(rows, query.near, self.bounds, turned=turned, why=why)

    def _turned(self, rows: Array, query: Query) -> Array:
        if not query.turns:
            return super()._turned(rows, query)
        if self.ignored:
            return rows
        ends = self._one_turn
        periods = turning_periods(query.arm, self.periods, *ends, every=True)
        return at_all_turns(rows, *ends, periods)

    def _problems(self, query: Query) -> Iterator[NumericProblem]:
        """Yield a problem for every combination of values of held joints."""
        for values in chained.from_iterable(self._samples(query)):
            low, high = self.lower.copy(), self.upper.copy()
            low[self.held] = high[self.held] = values
            yield self.within(low, high)

    def _samples(self, query: Query) -> Iterator[Array]:
        """Return blocks (m, f) of values of held joints, outward from the start."""
        lower, upper = (end[self.held] for end in self._one_turn)
        if (upper - lower > ENDLESS).any():
            number = self.held[int(np.argmax(upper - lower))]
            raise ArgumentError(
                f"joint {dof_names(query.arm)[number]!r} is free and has no limits: "
                "give some, or make another joint free"
            )
        if query.free is not None:
            parts = as_parts(query.free, len(self.held))
            return iter([(lower + parts * (upper - lower))[None]])
        periods = self.bounds[self.held, 4]
        start = np.clip(query.near[self.held], lower, upper)
        steps: list[float | None] = [*self._steps] or [None]
        steps *= len(self.held) if len(steps) == 1 else 1
        columns = [
            axis_samples(value, low, high, step_of(step, low, high, period), period)
            for value, low, high, step, period in zip(
                start.tolist(), lower, upper, steps, periods.tolist(), strict=True
            )
        ]
        return combinations_of(columns, start)

    def _why_none(self, query: Query) -> str:
        problem = next(self._problems(query))
        near = np.clip(query.near, problem.lower, problem.upper)
        names = dof_names(query.arm)
        result = self._solved(replace(query, near=near), problem=problem)
        text = result.reason(names)
        if query.free is not None:
            return text
        held = ", ".join(f"{names[i]} at {problem.lower[i]:.4g}" for i in self.held)
        return (
            f"with {held} {text}; no start met it at other values, which is no proof: "
            "give a smaller step, free= or a longer timeout="
        )


def one_turn(
    arm: Manipulator, chain: ArmChain, lower: Array, upper: Array, *, ignored: bool
) -> tuple[Array, Array]:
    """Return the limits (n_arm,), one period where joints turn on and on.

    Joints that never repeat have infinitely many solutions.

    Parameters
    ----------
    ignored
        Whether limits do not count.
    """
    indices, model = arm.arm_indices, arm.robot.state_model
    slides = chain.follows(len(lower))[chain.screws[:, 6] != 0.0].any(axis=0)
    limits = model.dof_lower[indices], model.dof_upper[indices]
    periods = joint_periods([chain], *limits)
    endless = (arm.robot.model.circular[indices] | ignored) & ~slides
    wide = (upper - lower > np.maximum(_MANY_TURNS, periods)) & ~endless
    half = 0.5 * np.where(np.isfinite(periods), periods, _MANY_TURNS)
    middle = np.where(wide, np.clip(0.0, lower + half, upper - half), 0.0)
    low = np.where(ignored, -_IGNORED, lower)
    high = np.where(ignored, _IGNORED, upper)
    one = endless | wide
    return np.where(one, middle - half, low), np.where(one, middle + half, high)


def errors_of(result: NumericResult) -> dict[str, object]:
    """Return how far a result misses its goals, as values of an answer."""
    return {
        "position_error": result.position_error,
        "rotation_error": result.rotation_error,
    }


def failure_of(result: NumericResult, names: Sequence[str]) -> IkReturn:
    """Return the answer of a search that met no goal: how near it came, and why."""
    limits = tuple(names[i] for i in (*result.at_lower, *result.at_upper))
    values = {**errors_of(result), "nearest": result.q, "limits": limits}
    return IkReturn(UNREACHED, None, values, (result.reason(names),))
