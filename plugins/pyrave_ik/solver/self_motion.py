"""Solutions for arms with joints to spare: the nearest, and all within a density.

The self-motions of a goal are searched along one held joint, adaptively (kernels of
`self_motion`), and numerically from many starts (`least_squares`). Other held
joints take the values of a grid.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.geometry.workers import core_count, deal
from pyrave.ik import IkAction, IkParameterization, IkReturn
from pyrave.messages import ProgressLine
from pyrave.spatial import Array, Indices, invert_pose
from pyrave_ik.arm.reach_bound import ReachBound
from pyrave_ik.kernels.packed_arm import ONE_TURN, THRESHOLD
from pyrave_ik.kernels.redundancy.self_motion import (
    FINEST,
    INTERVALS,
    NEAREST,
)
from pyrave_ik.methods.bounded_arm import NO_VIRTUAL, Candidates
from pyrave_ik.methods.least_squares import (
    ENDLESS,
    STARTS,
    TOLERANCE,
    NumericProblem,
    searched,
    settings_of,
)
from pyrave_ik.solver.effort import ALL_SECONDS, NEAREST_SECONDS, Clock, Effort
from pyrave_ik.solver.free_joint_grid import combinations_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from pyrave.interfaces import IkChecks
    from pyrave_ik.methods.bounded_arm import BoundedArm
    from pyrave_ik.solver.goal_solver import GoalSolver
    from pyrave_ik.solver.redundancy import Redundancy

    End = tuple[Array, Array, Array]
    """T_world_base, T_world_goal and virtual joints, see `BoundedArm`."""
    Goal = Callable[[], IkParameterization]
    """Gives the goal in the arm's base frame."""

GAIN = 1e-7
"""Squared distance by which a solution must be nearer to be looked for."""
QUICK = 20.0
"""Microseconds of a loop above which numerical starts come first."""
FINER = 4
"""Divisor of steps where nothing is found."""
MOST_ROWS = 1_000_000
_MAX_STEPS = 48
_CHUNK = 4096
_TOGETHER = 16
"""Poses that a thread solves before it hears of others."""
_SMALL_PART = 0.05
"""Part of the time up to which blocks of samples may still grow."""
_LINES = 256
_EXTRAS = 64
_FAR = float("inf")
_SAME = 1e-6
_AT_END = 1e-3
"""Distance from an end of its range at which a value counts as the end."""
_HALVINGS = (2, 8)
"""Halvings of the steps of held joints for checks that refuse candidates: 2, or 8
where a timeout is given."""


@dataclass(frozen=True, eq=False)
class Found:
    """All solutions of a goal that were found.

    Parameters
    ----------
    rows
        As `BoundedArm.rows` writes them, the samples numbered through.
    samples
        (m, f) values of the held axes.
    others
        (k, d) joint values that no sample led to.
    effort
        What was tried.
    """

    rows: Array
    samples: Array
    others: Array
    effort: Effort

    @property
    def inside(self) -> Array:
        """(n, d) joint values within limits."""
        d = self.others.shape[1]
        rows = self.rows[_are_inside(self.rows, d), :d]
        return np.concatenate([rows, self.others]) if len(self.others) else rows


class SelfMotion:
    """Searches solutions of one kind of goals within limits. Threads may share it.

    Parameters
    ----------
    goal_solver
        Of an arm with joints to spare.
    bounds
        (d, 5) limits, see `goal_solver.bounds_of`.
    held
        Gives the values of held joints.
    turns
        Whether solutions are listed in all turns within limits.
    """

    def __init__(
        self,
        goal_solver: GoalSolver,
        bounds: Array,
        held: Redundancy,
        *,
        turns: bool = False,
    ) -> None:
        solver = goal_solver.solver
        assert solver.line is not None  # noqa: S101 - there are joints to spare
        self._goal_solver = goal_solver
        self._bounds = bounds
        self._turns = turns
        self._held = held
        held.steps(len(goal_solver.free_dofs))  # refused where they do not fit
        self._line = solver.line
        self.bounded: BoundedArm = goal_solver.bounded(bounds, turns=turns)
        self._d = len(bounds)
        self._dof = goal_solver.free_dofs[self._line.index]
        """The joint that is searched adaptively."""
        self._scale = abs(float(goal_solver.free_scale[self._line.index]))
        names = solver.chain.names
        self.names = tuple(names[axis] for axis in solver.free)
        self._numeric: NumericProblem | None = None
        self._bound: tuple[ReachBound | None] | None = None

    def serves(self, goal_solver: GoalSolver, bounds: Array, *, turns: bool) -> bool:
        """Return True if it was made for these arguments."""
        return (
            self._goal_solver is goal_solver
            and self._bounds is bounds
            and self._turns is turns
        )

    # -- the nearest -------------------------------------------------------------

    def nearest(
        self, near: Array, end: End, goal: Goal, clock: Clock
    ) -> tuple[Array | None, Effort]:
        """Return the solution (d,) nearest to (d,) of those found, or None.

        With one joint to spare it is the nearest of all feasible intervals that the
        search meets. With more, or where loops take long, it is where the arm comes
        nearest while it keeps the goal, from where a numerical search ends.
        """
        effort = Effort(self.names)
        one = len(self.names) == 1 and self._goal_solver.solver.loop_time < QUICK
        if one:
            for finer in (1, FINER):
                found = self._along_lines(near, end, finer, effort, clock)
                if found is not None:
                    return found, effort
        effort.proof = self.proof(end)
        if effort.proof:
            return None, effort
        found = self._searched(near, end, goal, STARTS, effort)
        if found is None and not one:
            found = self._along_lines(near, end, 1, effort, clock)
        if found is None and (effort.unsure or self.bounded.array[THRESHOLD]):
            found = self.bounded.nearest(near, *end, self._grid(near))
        finer, starts = FINER if one else 1, STARTS
        while found is None and clock.goes_on and not clock.is_over:
            finer, starts = 2 * finer, 2 * starts
            found = self._searched(near, end, goal, starts, effort)
            if found is None:
                found = self._along_lines(near, end, finer, effort, clock)
        if found is None and clock.is_over:
            effort.seconds = clock.seconds
        return found, effort

    def proof(self, end: End) -> str:
        """Return a proof that no joint values reach a goal, empty without one."""
        if self._bound is None:
            arm = self._goal_solver.solver.chain
            rows = self._bounds[list(arm.arm)]
            limits = np.where(rows[:, [2]] == ONE_TURN, (-np.inf, np.inf), rows[:, :2])
            limits = np.sort(arm.scale[:, None] * limits + arm.offset[:, None])
            self._bound = (
                ReachBound.from_chain(arm, self._goal_solver.solver.kind, limits),
            )
        bound = self._bound[0]
        if bound is None:
            return ""
        base, pose, _ = end
        return bound.proof(
            invert_pose(base) @ pose, float(self.bounded.array[THRESHOLD])
        )

    def _along_lines(
        self, near: Array, end: End, finer: int, effort: Effort, clock: Clock
    ) -> Array | None:
        """Return the nearest solution on lines through the grid of held joints.

        Parameters
        ----------
        finer
            By how much the first step of the line is divided.
        """
        ends, step = self._ends(near)
        if len(self.names) == 1:
            held = np.zeros(1)
            return self._nearest_on(near, end, held, ends, step / finer, _FAR, effort)
        best, found = _FAR, None
        for number, (other, way) in enumerate(self._lines(near)):
            if way > best or number == _LINES or (number and clock.is_over):
                break
            held = self._goal_solver.held(other[None])[0]
            row = self._nearest_on(near, end, held, ends, step / finer, best, effort)
            if row is not None:
                found, best = row, float(((row - near) ** 2).sum())
        return found

    def _nearest_on(
        self,
        near: Array,
        end: End,
        held: Array,
        ends: Array,
        step: float,
        best: float,
        effort: Effort,
    ) -> Array | None:
        """Return the solution (d,) on a line nearest to (d,), None if none is nearer.

        Parameters
        ----------
        held
            (f,) values of the held axes.
        ends, step
            (2,) of the line's axis.
        best
            Squared distance that is to be beaten.
        """
        setting = np.array([self._line.index, NEAREST, best, GAIN, step, -_FAR, _FAR])
        out = np.empty((1, self._d))
        found = self._kernel(near, end, held, ends, setting, out, effort)
        return out[0] if found else None

    def _intervals_on(
        self, near: Array, end: End, other: Array, values: Array, effort: Effort
    ) -> Array:
        """Return values (k,) of the line's joint in intervals with none of others (m,).

        Parameters
        ----------
        other
            (f,) values of the held joints.
        """
        index = self._line.index
        scale = self._goal_solver.free_scale[index]
        offset = self._goal_solver.free_offset[index]
        given = scale * values + offset
        ends, _ = self._ends(near)
        gaps = given[:, None] - ends
        period = self._bounds[self._dof, 4]
        if period:
            gaps -= period * np.rint(gaps / period)
        known = np.abs(gaps).min(axis=0) < _AT_END
        first, last = np.where(known, (-_FAR, _FAR), ends)
        setting = np.array([index, INTERVALS, _FAR, 0.0, 0.0, first, last])
        out = np.empty((_EXTRAS, self._d))
        held = self._goal_solver.held(other[None])[0]
        ascending = np.sort(np.concatenate([ends[~known], given]))
        n = self._kernel(near, end, held, ascending, setting, out, effort)
        found: Array = np.sort((out[:n, 0] - offset) / scale)
        # intervals of several curves may have the same middle
        return found[np.diff(found, prepend=-_FAR) > _SAME]

    def _kernel(
        self,
        near: Array,
        end: End,
        held: Array,
        values: Array,
        setting: Array,
        out: Array,
        effort: Effort,
    ) -> int:
        """Run the kernel `search`, and add its counts to the effort."""
        report = np.zeros(6)
        report[FINEST] = _FAR
        call = self.bounded.kernels.regular.search.call
        bounded, reach = self.bounded.array, self._line.reach
        try:
            n = call(bounded, *end, held, values, near, reach, setting, out, report)
        except TypeError:  # as arrays of another layout have it
            whole = [np.array(one, dtype=np.float64, order="C") for one in end]
            n = call(bounded, *whole, held, values, near, reach, setting, out, report)
        solved, unsure, *_, finest = report.tolist()
        effort.values += int(solved)
        effort.unsure += int(unsure)
        effort.step = min(effort.step, finest / self._scale)
        return n

    def _searched(
        self, near: Array, end: End, goal: Goal, starts: int, effort: Effort
    ) -> Array | None:
        """Return the results of damped least squares from many starts."""
        base, pose, virtual = end
        if not len(virtual):
            settings = settings_of(starts, TOLERANCE, nearest_miss=False)
            found = self._problem.solution(base, pose, near, settings)
            if found is not None:
                return found
        if starts > STARTS:
            result = self._problem.solve(goal(), near, starts=starts)
        else:
            result = searched(self._problem, goal(), near)
        effort.starts = result.starts
        if result:
            return result.q
        effort.position_error = result.position_error
        effort.rotation_error = result.rotation_error
        return None

    @property
    def _problem(self) -> NumericProblem:
        if self._numeric is None:
            solver = self._goal_solver.solver
            ends = self._bounds[:, :2].copy()
            ends[self._bounds[:, 2] == ONE_TURN] = -2.0 * ENDLESS, 2.0 * ENDLESS
            self._numeric = NumericProblem(
                [solver.chain], *ends.T, directions=solver.direction[None]
            )
        return self._numeric

    # -- all ---------------------------------------------------------------------

    def all(self, near: Array, end: End, goal: Goal, clock: Clock) -> Found:
        """Return the solutions at the values of held joints, and others in between.

        There is at least one of each feasible interval that the search along the line
        meets; and one where a search for the nearest finds one and these do not.
        """
        effort = Effort(self.names)
        rows: list[Array] = []
        samples: list[Array] = []
        count = solved = 0
        for number, block in enumerate(self._blocks(near, end, effort, clock)):
            if number and (clock.is_over or count > MOST_ROWS):
                effort.stopped = self._held.count(self._goal_solver, near, self._bounds)
                effort.seconds = clock.seconds if clock.is_over else 0.0
                break
            found = self.bounded.all_rows(*end, block, near)
            found[:, self._d + 1] += solved
            solved += len(block)
            count += len(found)
            rows.append(found)
            samples.append(block)
        effort.values = solved
        whole = np.concatenate(rows)
        others = np.empty((0, self._d))
        if not _are_inside(whole, self._d).any():
            nearest, more = self.nearest(near, end, goal, clock)
            if nearest is not None:
                others = nearest[None]
            effort = replace(
                more,
                values=effort.values + more.values,
                seconds=effort.seconds or more.seconds,
                stopped=effort.stopped,
            )
        return Found(whole, np.concatenate(samples), others, effort)

    def candidates(
        self, near: Array, end: End, goal: Goal, clock: Clock
    ) -> tuple[Candidates, Effort]:
        """Return all candidates, the nearest to (d,) first, and the effort spent."""
        found = self.all(near, end, goal, clock)
        given = self.bounded.sorted_out(found.rows, near, *end, found.samples)
        if len(found.others):
            given = given.with_others(found.others)
        return given, found.effort

    def many(
        self, near: Array, base: Array, poses: Array, timeout: float | None
    ) -> tuple[Array, Indices]:
        """Return all solutions of poses (n, 4, 4), one behind the other, and counts.

        Parameters
        ----------
        timeout
            Seconds for each pose.
        """

        def solved(pose: Array) -> Array:
            end = (base, pose, NO_VIRTUAL)
            goal = partial(IkParameterization.transform_6d, invert_pose(base) @ pose)
            return self.all(near, end, goal, Clock(timeout, ALL_SECONDS)).inside

        found = _on_all_cores(solved, poses)
        counts = np.array([len(rows) for rows in found], dtype=np.int64)
        return np.concatenate([np.empty((0, self._d)), *found]), counts

    def many_nearest(
        self, near: Array, base: Array, poses: Array, timeout: float | None
    ) -> Array:
        """Return the solutions (n, d) nearest to (d,) of poses (n, 4, 4), else NaN.

        Parameters
        ----------
        timeout
            Seconds for each pose.
        """
        none = np.full(self._d, np.nan)

        def searched(pose: Array) -> Array:
            end = (base, pose, NO_VIRTUAL)

            def goal() -> IkParameterization:
                return IkParameterization.transform_6d(invert_pose(base) @ pose)

            row, _ = self.nearest(near, end, goal, Clock(timeout, NEAREST_SECONDS))
            return none if row is None else row

        found = np.empty((len(poses), self._d))
        if len(self.names) > 1 or self._goal_solver.solver.loop_time >= QUICK:
            found[:] = _on_all_cores(searched, poses)
            return found
        # what `nearest` does first, with all that is the same for each pose done once
        ends, step = self._ends(near)
        base, poses = (np.ascontiguousarray(one, np.float64) for one in (base, poses))
        setting = np.array([self._line.index, NEAREST, _FAR, GAIN, step, -_FAR, _FAR])
        call = self.bounded.kernels.regular.search.call
        array, reach = self.bounded.array, self._line.reach

        def solved(k: int) -> None:
            report, held = np.zeros(6), np.zeros(1)  # which the kernel writes to
            report[FINEST], mine = _FAR, found[k : k + 1]
            if not call(
                array, base, poses[k], NO_VIRTUAL, held, ends, near, reach, setting,
                mine, report,
            ):  # fmt: skip
                found[k] = searched(poses[k])

        _on_all_cores(solved, range(len(poses)))
        return found

    def answer(
        self,
        near: Array,
        end: End,
        local: Goal,
        clock: Clock,
        checks: IkChecks,
        goal: IkParameterization,
    ) -> IkReturn:
        """Return the nearest solution that passes checks, or why there is none.

        Parameters
        ----------
        local
            Gives the goal in the arm's base frame.
        goal
            The goal in the world.
        """
        found, effort = self.nearest(near, end, local, clock)
        if found is None:
            reason = effort.reason(goal.type.name)
            action = IkAction.REJECT | IkAction.REJECT_KINEMATICS
            return IkReturn(action, failures=(reason,))
        if not checks.needed:
            return IkReturn(IkAction.SUCCESS, found)
        answer = checks.first(found[None], goal)
        action, failures = answer.action, [*answer.failures]
        for rows in self._further(near, end, clock):
            if answer or answer.action & IkAction.QUIT:
                return answer
            answer = checks.first(rows, goal)
            action |= answer.action
            failures += answer.failures
            if not answer and clock.is_over:
                failures.append(f"time ran out after {clock.seconds:.3g} s")
                break
        if answer:
            return answer
        return IkReturn(action, failures=tuple(failures))

    def _further(self, near: Array, end: End, clock: Clock) -> Iterator[Array]:
        """Yield more solutions (k, d): all, and then those at values in between."""
        finer = range(1, _HALVINGS[clock.goes_on] + 1)
        blocks = chain(
            self._blocks(near, end, Effort(self.names), clock),
            *(
                self._held.blocks(self._goal_solver, near, self._bounds, n)
                for n in finer
            ),
        )
        for block in blocks:
            rows = self.bounded.all_rows(*end, block, near)
            yield self.bounded.sorted_rows(rows, near, turned=True)[0][:, : self._d]

    def _blocks(
        self, near: Array, end: End, effort: Effort, clock: Clock
    ) -> Iterator[Array]:
        """Yield samples (m, f) of the held axes, outward from (d,) joint values.

        Where a timeout is given they begin small: kernels may be interpreted yet.
        """
        size = 1 if clock.goes_on else _CHUNK
        column = self._held.columns(self._goal_solver, near, self._bounds)[
            self._line.index
        ]
        pieces: list[Array] = []
        for number, (other, _) in enumerate(self._lines(near)):
            values = column
            if number < _LINES:
                more = self._intervals_on(near, end, other, column, effort)
                values = np.concatenate([column, more])
            rows = np.repeat(other[None], len(values), axis=0)
            rows[:, self._line.index] = values
            pieces.append(self._goal_solver.held(rows))
            if sum(map(len, pieces)) >= size:
                before = clock.passed
                yield np.concatenate(pieces)
                pieces = []
                if clock.passed - before < _SMALL_PART * clock.seconds:
                    size = min(2 * size, _CHUNK)
        if pieces:
            yield np.concatenate(pieces)

    # -- lines -------------------------------------------------------------------

    def _grid(self, near: Array) -> Array:
        return next(self._held.blocks(self._goal_solver, near, self._bounds))

    def _lines(self, near: Array) -> Iterator[tuple[Array, float]]:
        """Yield values (f,) of the held joints, and their squared distance.

        That of the line's joint is its present one and does not count.
        """
        index = self._line.index
        columns = self._held.columns(self._goal_solver, near, self._bounds)
        columns[index] = near[[self._dof]]
        start = near[list(self._goal_solver.free_dofs)]
        for block in combinations_of(columns, start):
            ways = ((block - start) ** 2).sum(axis=1)
            yield from zip(block, ways.tolist(), strict=True)

    def _ends(self, near: Array) -> tuple[Array, float]:
        """Return the range (2,) of the line's axis, and the first step."""
        index, dof = self._line.index, self._dof
        lower, upper = self._held.span(dof, float(near[dof]), self._bounds)
        scale, offset = (
            self._goal_solver.free_scale[index],
            self._goal_solver.free_offset[index],
        )
        a, b = scale * lower + offset, scale * upper + offset
        step = max(self._line.step, abs(b - a) / _MAX_STEPS)
        return np.array([min(a, b), max(a, b)]), step


def _on_all_cores(solve: Callable[[Any], Any], poses: Sequence[Any] | Array) -> Any:
    """Return the results of poses; the first one compiles before there are threads."""
    found: list[Any] = [solve(pose) for pose in poses[:1]] + [None] * (len(poses) - 1)

    if len(poses) < 2:
        return found
    with ProgressLine("solving", len(poses), "poses") as line:

        def some(first: int, last: int) -> int:
            for k in range(first + 1, last + 1):
                line.done = k
                found[k] = solve(poses[k])
            return 0

        deal(some, len(poses) - 1, core_count(), _TOGETHER)
    return found


def _are_inside(rows: Array, d: int) -> NDArray[np.bool_]:
    """Return the mask of rows within the limits."""
    return np.asarray(~rows[:, d + 8 :].any(axis=1))
