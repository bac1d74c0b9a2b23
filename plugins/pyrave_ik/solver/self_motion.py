"""Solutions for arms with joints to spare: the nearest, and all within a density.

The self-motions of a goal are searched along one held joint, adaptively (kernels of
`self_motion`), and numerically from many starts (`least_squares`). Other held
joints take the values of a grid.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.geometry.workers import core_count, deal
from pyrave.ik import IkAction, IkReturn
from pyrave.ik.results import first_solution
from pyrave.messages import ProgressLine
from pyrave.spatial import Array, Indices, as_poses, invert_pose
from pyrave_ik.arm.reach_bound import ReachBound
from pyrave_ik.kernels.packed_arm import ONE_TURN
from pyrave_ik.kernels.redundancy.self_motion import FINEST, INTERVALS, NEAREST
from pyrave_ik.methods.bounded_arm import NO_VIRTUAL
from pyrave_ik.methods.candidates import UNREACHED, Candidates
from pyrave_ik.methods.least_squares import STARTS, TOLERANCE, searched, settings_of
from pyrave_ik.solver.effort import Effort
from pyrave_ik.solver.held_joints import combinations_of
from pyrave_ik.solver.loop_method import LoopMethod

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    from pyrave.interfaces import IkChecks
    from pyrave_ik.methods.analytic import AnalyticSolver
    from pyrave_ik.solver.goal_method import Query
    from pyrave_ik.solver.held_joints import HeldJoints
    from pyrave_ik.solver.loop_method import End
    from pyrave_ik.solver.numeric_method import NumericMethod

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


class SelfMotion(LoopMethod):
    """Solves goals that leave joints to spare; these are searched over their ranges.

    Where `free` gives the values of the held joints, it is a `LoopMethod`.
    """

    def __init__(
        self,
        solver: AnalyticSolver,
        bounds: Array,
        held: HeldJoints,
        threshold: float,
        numeric: Callable[[], NumericMethod],
    ) -> None:
        super().__init__(solver, bounds, held, threshold, numeric)
        assert solver.line is not None  # noqa: S101 - there are joints to spare
        self._line = solver.line
        _ = held.steps  # refused where they do not fit
        self._d = len(bounds)
        self._dof = solver.free_dofs[self._line.index]
        """The joint that is searched adaptively."""
        self._scale = abs(float(solver.free_scale[self._line.index]))
        self.names = tuple(solver.chain.names[axis] for axis in solver.free)
        self._bound: tuple[ReachBound | None] | None = None

    # -- the nearest -------------------------------------------------------------

    def nearest(self, query: Query) -> Array | None:
        """Return the solution (d,) nearest to the start of those found, or None.

        With one joint to spare it is the nearest of all feasible intervals that the
        search meets. With more, or where loops take long, it is where the arm comes
        nearest while it keeps the goal, from where a numerical search ends.
        """
        if query.free is not None:
            return super().nearest(query)
        return self._nearest(query, self.end(query), Effort(self.names))

    def _nearest(self, query: Query, end: End, effort: Effort) -> Array | None:
        clock = query.clock
        one = len(self.names) == 1 and self.solver.loop_time < QUICK
        if one:
            for finer in (1, FINER):
                found = self._along_lines(query, end, finer, effort)
                if found is not None:
                    return found
        effort.proof = self.proof(end)
        if effort.proof:
            return None
        found = self._numerically(query, end, STARTS, effort)
        if found is None and not one:
            found = self._along_lines(query, end, 1, effort)
        if found is None and (effort.unsure or self._threshold):
            grid = next(self.held.blocks(query.near))
            found = self.bounded(turns=query.turns).nearest(query.near, *end, grid)
        finer, starts = FINER if one else 1, STARTS
        while found is None and clock.goes_on and not clock.is_over:
            finer, starts = 2 * finer, 2 * starts
            found = self._numerically(query, end, starts, effort)
            if found is None:
                found = self._along_lines(query, end, finer, effort)
        if found is None and clock.is_over:
            effort.seconds = clock.seconds
        return found

    def proof(self, end: End) -> str:
        """Return a proof that no joint values reach a goal, empty without one."""
        if self._bound is None:
            arm = self.solver.chain
            rows = self.bounds[list(arm.arm)]
            limits = np.where(rows[:, [2]] == ONE_TURN, (-np.inf, np.inf), rows[:, :2])
            limits = np.sort(arm.scale[:, None] * limits + arm.offset[:, None])
            self._bound = (ReachBound.from_chain(arm, self.solver.kind, limits),)
        bound = self._bound[0]
        if bound is None:
            return ""
        base, pose, _ = end
        return bound.proof(invert_pose(base) @ pose, self._threshold)

    def _along_lines(
        self, query: Query, end: End, finer: int, effort: Effort
    ) -> Array | None:
        """Return the nearest solution on lines through the grid of held joints.

        Parameters
        ----------
        finer
            By how much the first step of the line is divided.
        """
        ends, step = self._ends(query.near)
        step /= finer
        if len(self.names) == 1:
            return self._nearest_on(query, end, np.zeros(1), ends, step, _FAR, effort)
        best, found = _FAR, None
        for number, (other, way) in enumerate(self._lines(query.near)):
            if way > best or number == _LINES or (number and query.clock.is_over):
                break
            held = self.solver.held(other[None])[0]
            row = self._nearest_on(query, end, held, ends, step, best, effort)
            if row is not None:
                found, best = row, float(((row - query.near) ** 2).sum())
        return found

    def _nearest_on(
        self,
        query: Query,
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
        found = self._kernel(query, end, held, ends, setting, out, effort)
        return out[0] if found else None

    def _intervals_on(
        self, query: Query, end: End, other: Array, values: Array, effort: Effort
    ) -> Array:
        """Return values (k,) of the line's joint in intervals with none of others (m,).

        Parameters
        ----------
        other
            (f,) values of the held joints.
        """
        index = self._line.index
        scale, offset = self.solver.free_scale[index], self.solver.free_offset[index]
        given = scale * values + offset
        ends, _ = self._ends(query.near)
        gaps = given[:, None] - ends
        period = self.bounds[self._dof, 4]
        if period:
            gaps -= period * np.rint(gaps / period)
        known = np.abs(gaps).min(axis=0) < _AT_END
        first, last = np.where(known, (-_FAR, _FAR), ends)
        setting = np.array([index, INTERVALS, _FAR, 0.0, 0.0, first, last])
        out = np.empty((_EXTRAS, self._d))
        held = self.solver.held(other[None])[0]
        ascending = np.sort(np.concatenate([ends[~known], given]))
        n = self._kernel(query, end, held, ascending, setting, out, effort)
        found: Array = np.sort((out[:n, 0] - offset) / scale)
        # intervals of several curves may have the same middle
        return found[np.diff(found, prepend=-_FAR) > _SAME]

    def _kernel(
        self,
        query: Query,
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
        arm, near, reach = self.bounded(turns=query.turns), query.near, self._line.reach
        call, array = arm.kernels.search_in(arm.array)
        try:
            n = call(array, *end, held, values, near, reach, setting, out, report)
        except TypeError:  # as arrays of another layout have it
            whole = [np.array(one, dtype=np.float64, order="C") for one in end]
            n = call(array, *whole, held, values, near, reach, setting, out, report)
        solved, unsure, *_, finest = report.tolist()
        effort.values += int(solved)
        effort.unsure += int(unsure)
        effort.step = min(effort.step, finest / self._scale)
        return n

    def _numerically(
        self, query: Query, end: End, starts: int, effort: Effort
    ) -> Array | None:
        """Return the results of damped least squares from many starts."""
        base, pose, virtual = end
        problem, near = self._numeric().problem, query.near
        if not len(virtual):
            settings = settings_of(starts, TOLERANCE, nearest_miss=False)
            found = problem.solution(base, pose, near, settings)
            if found is not None:
                return found
        if starts > STARTS:
            result = problem.solve(query.goal, near, base=query.base, starts=starts)
        else:
            result = searched(problem, query.goal, near, query.base)
        effort.starts = result.starts
        if result:
            return result.q
        effort.position_error = result.position_error
        effort.rotation_error = result.rotation_error
        return None

    # -- all ---------------------------------------------------------------------

    def _all(self, query: Query, end: End) -> Found:
        """Return the solutions at the values of held joints, and others in between.

        There is at least one of each feasible interval that the search along the line
        meets; and one where a search for the nearest finds one and these do not.
        """
        clock, near = query.clock, query.near
        arm = self.bounded(turns=query.turns)
        effort = Effort(self.names)
        rows: list[Array] = []
        samples: list[Array] = []
        count = solved = 0
        for number, block in enumerate(self._blocks(query, end, effort)):
            if number and (clock.is_over or count > MOST_ROWS):
                effort.stopped = self.held.count(near)
                effort.seconds = clock.seconds if clock.is_over else 0.0
                break
            found = arm.all_rows(*end, block, near)
            found[:, self._d + 1] += solved
            solved += len(block)
            count += len(found)
            rows.append(found)
            samples.append(block)
        effort.values = solved
        whole = np.concatenate(rows)
        others = np.empty((0, self._d))
        if not _are_inside(whole, self._d).any():
            more = Effort(self.names)
            nearest = self._nearest(query, end, more)
            if nearest is not None:
                others = nearest[None]
            effort = replace(
                more,
                values=effort.values + more.values,
                seconds=effort.seconds or more.seconds,
                stopped=effort.stopped,
            )
        return Found(whole, np.concatenate(samples), others, effort)

    def rows(self, query: Query) -> Array:
        """Return all joint values (k, d) that were found."""
        if query.free is not None:
            return super().rows(query)
        return self._all(query, self.end(query)).inside

    def candidates(self, query: Query, *, turned: bool = False) -> Candidates:
        """Return joint values, and what limits leave out, with the effort spent."""
        if query.free is not None:
            return super().candidates(query, turned=turned)
        end = self.end(query)
        found = self._all(query, end)
        effort = found.effort
        given = self.bounded(turns=query.turns).sorted_out(
            found.rows, query.near, *end, found.samples, turned=turned
        )
        if len(found.others):
            given = given.with_others(found.others)
        none = not len(given.solutions)
        why = effort.reason(self.solver.kind.name) if none else effort.limit
        return replace(given, complete=bool(effort.proof), why=why)

    def many_rows(self, query: Query, poses: ArrayLike) -> tuple[Array, Indices] | None:
        """Return all joint values (k, d) of poses one behind the other, and counts."""
        if query.free is not None:
            return super().many_rows(query, poses)
        poses = as_poses(poses, "targets")
        found = _on_all_cores(lambda pose: self.rows(query.at(pose)), poses)
        counts = np.array([len(rows) for rows in found], dtype=np.int64)
        return np.concatenate([np.empty((0, self._d)), *found]), counts

    def many_nearest(self, query: Query, poses: ArrayLike) -> Array | None:
        """Return the joint values (n, d) nearest to the start, NaN without."""
        if query.free is not None:
            return super().many_nearest(query, poses)
        poses = as_poses(poses, "targets")
        none = np.full(self._d, np.nan)

        def searched(pose: Array) -> Array:
            row = self.nearest(query.at(pose))
            return none if row is None else row

        found = np.empty((len(poses), self._d))
        if len(self.names) > 1 or self.solver.loop_time >= QUICK:
            found[:] = _on_all_cores(searched, poses)
            return found
        # what `nearest` does first, with all that is the same for each pose done once
        near = query.near
        ends, step = self._ends(near)
        base, poses = (
            np.ascontiguousarray(one, np.float64) for one in (query.base, poses)
        )
        setting = np.array([self._line.index, NEAREST, _FAR, GAIN, step, -_FAR, _FAR])
        arm = self.bounded()
        call, array = arm.kernels.search_in(arm.array)
        reach = self._line.reach

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

    def answer(self, query: Query, checks: IkChecks) -> IkReturn:
        """Return the nearest solution that passes checks, or why there is none."""
        if query.free is not None:
            return super().answer(query, checks)
        end, effort = self.end(query), Effort(self.names)
        found = self._nearest(query, end, effort)
        if found is None:
            reason = effort.reason(self.solver.kind.name)
            return IkReturn(UNREACHED, failures=(reason,))
        if not checks.needed:
            return IkReturn(IkAction.SUCCESS, found)
        answers = [checks.first(found[None], query.goal)]
        for rows in self._further(query, end):
            if answers[-1] or answers[-1].action & IkAction.QUIT:
                return answers[-1]
            answers.append(checks.first(rows, query.goal))
            if not answers[-1] and query.clock.is_over:
                text = f"time ran out after {query.clock.seconds:.3g} s"
                answers.append(IkReturn(IkAction.REJECT, failures=(text,)))
                break
        return first_solution(answers)

    def _further(self, query: Query, end: End) -> Iterator[Array]:
        """Yield more solutions (k, d): all, and then those at values in between."""
        near, arm = query.near, self.bounded(turns=query.turns)
        finer = range(1, _HALVINGS[query.clock.goes_on] + 1)
        blocks = chain(
            self._blocks(query, end, Effort(self.names)),
            *(self.held.blocks(near, n) for n in finer),
        )
        for block in blocks:
            rows = arm.all_rows(*end, block, near)
            yield arm.sorted_rows(rows, near, turned=True)[0][:, : self._d]

    def _blocks(self, query: Query, end: End, effort: Effort) -> Iterator[Array]:
        """Yield samples (m, f) of the held axes, outward from the start.

        Where a timeout is given they begin small: kernels may be interpreted yet.
        """
        clock, index = query.clock, self._line.index
        size = 1 if clock.goes_on else _CHUNK
        column = self.held.columns(query.near)[index]
        pieces: list[Array] = []
        for number, (other, _) in enumerate(self._lines(query.near)):
            values = column
            if number < _LINES:
                more = self._intervals_on(query, end, other, column, effort)
                values = np.concatenate([column, more])
            rows = np.repeat(other[None], len(values), axis=0)
            rows[:, index] = values
            pieces.append(self.solver.held(rows))
            if sum(map(len, pieces)) >= size:
                before = clock.passed
                yield np.concatenate(pieces)
                pieces = []
                if clock.passed - before < _SMALL_PART * clock.seconds:
                    size = min(2 * size, _CHUNK)
        if pieces:
            yield np.concatenate(pieces)

    # -- lines -------------------------------------------------------------------

    def _lines(self, near: Array) -> Iterator[tuple[Array, float]]:
        """Yield values (f,) of the held joints, and their squared distance.

        That of the line's joint is its present one and does not count.
        """
        columns = self.held.columns(near)
        columns[self._line.index] = near[[self._dof]]
        start = near[list(self.solver.free_dofs)]
        for block in combinations_of(columns, start):
            ways = ((block - start) ** 2).sum(axis=1)
            yield from zip(block, ways.tolist(), strict=True)

    def _ends(self, near: Array) -> tuple[Array, float]:
        """Return the range (2,) of the line's axis, and the first step."""
        index, dof = self._line.index, self._dof
        span = np.array(self.held.span(dof, float(near[dof])))
        ends = self.solver.free_scale[index] * span + self.solver.free_offset[index]
        ends.sort()
        return ends, max(self._line.step, float(ends[1] - ends[0]) / _MAX_STEPS)


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
