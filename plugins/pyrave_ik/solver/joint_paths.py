"""Joint paths through goals: starts, fallbacks and causes of their ends."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pyrave.ik import IkFilterOptions, IkPath, IkPathEnd
from pyrave.ik.path import as_targets
from pyrave.ik.results import as_filter_options, start_of
from pyrave.interfaces import IkChecks
from pyrave_ik.arm.chain import dof_names
from pyrave_ik.kernels.iteration.continuation import RATE
from pyrave_ik.methods.least_squares import NumericProblem, searched
from pyrave_ik.solver.continuation import MEETS, Continuation, Run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from pyrave.ik import IkParameterization
    from pyrave.interfaces import IkSolverBase
    from pyrave.spatial import Array

_STARTS = 64
"""Most solutions of the first goal that are tried."""
_STAGES = 12
"""Parts of a path between which a search looks for other configurations."""
_WIDEST, _NARROWEST = 12, 3
"""Configurations that it keeps at each, and samples of the next stage to which each of
them is drawn: the more, the fewer goals there are."""
_EFFORT = 15_000
"""Goals that are followed in all."""
_PULL = 2.0
_APART = 0.05
"""Radians or metres by which configurations differ that are both kept."""
_AT_LIMIT = 1e-4
_ENDLESS = 1e4
_REACH_STARTS = 20


def follow_by_continuation(
    solver: IkSolverBase,
    problem: NumericProblem,
    targets: ArrayLike | Sequence[IkParameterization],
    q0: ArrayLike | None,
    options: IkFilterOptions,
) -> IkPath:
    """Return a joint path through goals; see `Manipulator.follow`.

    Where all paths from the starts end, an arm with joints to spare is led through
    configurations farther on: at some stages of the path a few are kept (beam search),
    and from each of them the joints that the goals leave free are drawn to samples of
    those that meet the goal of the next stage, and both ways along the null space.

    Parameters
    ----------
    solver
        Gives solutions of single goals.
    problem
        The arm within the limits that count.
    """
    arm = solver.require_manipulator()
    options = as_filter_options(options)
    path = Continuation(
        arm, problem, as_targets(targets), IkChecks(solver, arm, options)
    )
    return _Search(solver, path, start_of(arm, q0), options).path()


@dataclass(frozen=True, eq=False)
class _State:
    """A configuration at a stage, with the joint values of all goals up to it."""

    q: Array
    rows: Array


class _Search:
    def __init__(
        self,
        solver: IkSolverBase,
        path: Continuation,
        near: Array,
        options: IkFilterOptions,
    ) -> None:
        self._solver = solver
        self._path = path
        self._near = near
        self._options = options
        self._runs = 0
        width = int((_EFFORT / path.n_targets) ** 0.5)
        self._width = min(max(width, _NARROWEST), _WIDEST)

    def path(self) -> IkPath:
        """Return the first complete path, or the farthest and why it ends."""
        n = self._path.n_targets
        starts, missing = self._starts()
        if not starts:
            rows = np.empty((0, len(self._near)))
            return IkPath(rows, n, IkPathEnd.NO_START, missing)
        best: Run | None = None
        for start in starts:
            run = self._path.run(start)
            if run.complete:
                return IkPath(run.values, n, IkPathEnd.COMPLETE, "", n - 1.0)
            best = run if best is None or run.end > best.end else best
        assert best is not None  # noqa: S101 - there are starts
        ending = _Ending(self._path)
        cause, text = ending.cause_of(best)
        unmet = ""
        if self._path.redundant and cause is not IkPathEnd.OUT_OF_REACH:
            unmet = ending.unmet(best)
        if unmet:
            text = f"{text}; {unmet}"
        elif self._path.redundant and cause is not IkPathEnd.OUT_OF_REACH:
            found = self._led(starts[: self._width], best)
            if found.complete:
                return IkPath(found.values, n, IkPathEnd.COMPLETE, "", n - 1.0)
            if found is not best:
                best = found
                cause, text = ending.cause_of(best)
        tried = f"from {len(starts)} start{'s' if len(starts) > 1 else ''}"
        if self._runs:
            tried += f" and in {self._runs} other motions of the joints to spare"
        return IkPath(best.values, n, cause, f"{text}; farthest {tried}", best.end)

    def _starts(self) -> tuple[list[Array], str]:
        """Return configurations that meet the first goal, the nearest first."""
        path, near = self._path, self._near
        within = (near >= path.lower - MEETS) & (near <= path.upper + MEETS)
        if within.all() and path.meets(near) and path.refusal(near) is None:
            return [near], ""
        result = self._solver.find(path.targets[0], near, self._options)
        rows = result.solutions[:_STARTS]
        reasons = "; ".join(result.reasons[:4]) or "no solution was found"
        return [
            self._unwrapped(row) for row in rows
        ], f"goal 0 is not reached: {reasons}"

    def _unwrapped(self, row: Array) -> Array:
        """Return joint values in the turn nearest to the first ones."""
        arm = self._path.arm
        way = arm.robot.subtract_dof_values(row, self._near, arm.arm_indices)
        return np.asarray(self._near + way)

    # -- joints to spare -------------------------------------------------------

    def _led(self, starts: list[Array], best: Run) -> Run:
        """Return a complete path or the farthest, led through solutions farther on."""
        last = self._path.n_targets - 1
        stages = np.unique(np.linspace(0, last, _STAGES + 1).round().astype(int))
        states = [_State(start, start[None][:0]) for start in starts]
        for a, b in zip(stages[:-1].tolist(), stages[1:].tolist(), strict=True):
            aims = self._path.samples(b)
            reached: list[_State] = []
            for state in states:
                for run in self._onward(state, aims, a, b):
                    rows = np.concatenate([state.rows, run.values])
                    if run.complete:
                        if b == last:
                            return replace(run, values=rows)
                        reached.append(_State(run.last, rows[:-1]))
                    elif a + run.end > best.end and run.end >= 0.0:
                        best = replace(run, values=rows, end=a + run.end)
            states = _spread(reached, self._width)
            if not states:
                break
        return best

    def _onward(self, state: _State, aims: Array, a: int, b: int) -> list[Run]:
        away = ((aims - state.q) ** 2).sum(axis=1)
        idle = self._path.null_space(state.q, a)
        nearest = [
            *aims[np.argsort(away)[: self._width]],
            *(state.q + idle),
            *(state.q - idle),
        ]
        runs = [self._path.run(state.q, first=a, last=b)]
        runs += [
            self._path.run(state.q, aim, gain=_PULL, first=a, last=b) for aim in nearest
        ]
        self._runs += len(runs)
        return runs


def _spread(states: list[_State], count: int) -> list[_State]:
    """Return a few states as far from each other as can be (Gonzalez, 1985)."""
    if not states:
        return []
    rows = np.array([state.q for state in states])
    kept = [0]
    gap = np.abs(rows - rows[0]).max(axis=1)
    while len(kept) < count and gap.max() > _APART:
        kept.append(int(np.argmax(gap)))
        gap = np.minimum(gap, np.abs(rows - rows[kept[-1]]).max(axis=1))
    return [states[k] for k in kept]


class _Ending:
    """Finds out why a path ends."""

    def __init__(self, path: Continuation) -> None:
        self._path = path
        self._names = dof_names(path.arm)

    def cause_of(self, run: Run) -> tuple[IkPathEnd, str]:
        """Return the cause, and the reason in words."""
        path = self._path
        number = min(int(run.end) + 1, path.n_targets - 1)
        where = f"on the way from goal {number - 1} to {number} of {path.n_targets}"
        if run.end < 0.0:
            number, where = 0, f"at goal 0 of {path.n_targets}"
        if run.refusal is not None:
            return run.refusal.cause, f"{run.refusal.reason} {where}"
        limit = self._limit(run, number)
        if limit:
            return IkPathEnd.JOINT_LIMIT, f"{limit} {where}"
        miss = self._miss(run, number)
        if miss:
            return IkPathEnd.OUT_OF_REACH, f"{miss}; the path ends {where}"
        return IkPathEnd.SINGULAR, f"{self._singular(run, number)} {where}"

    def unmet(self, run: Run) -> str:
        """Return a goal that no configuration within limits meets, as far as is known.

        The last goal and the first that is not reached are looked at: where one of them
        is out of reach no way leads through all goals.
        """
        path = self._path
        last = path.n_targets - 1
        base = path.arm.robot.transforms_view[path.arm.base.index]
        for number in sorted({last, min(int(run.end) + 1, last)}, reverse=True):
            goal = path.goal(number)
            result = searched(path.problem, goal, run.last, base)
            if not result:
                return (
                    f"goal {number} is out of reach within limits: missed by "
                    f"{result.position_error:.3g} m and {result.rotation_error:.3g} "
                    f"rad at best, searched from {result.starts} starts"
                )
        return ""

    def _limit(self, run: Run, number: int) -> str:
        """Return the joints at a limit beyond which the path would go on."""
        path, q = self._path, run.last
        at_lower = np.flatnonzero(q <= path.lower + _AT_LIMIT).tolist()
        at_upper = np.flatnonzero(q >= path.upper - _AT_LIMIT).tolist()
        if not (at_lower or at_upper):
            return ""
        beyond = path.run(run.values[-1], first=number - 1, last=number, limits=False)
        if number - 1 + beyond.end < run.end + 1e-4 * (number - run.end):
            return ""
        x = beyond.last
        words = [
            f"{self._names[j]} reaches its lower limit {path.lower[j]:.6g}"
            for j in at_lower
            if x[j] < path.lower[j] or path.redundant
        ]
        words += [
            f"{self._names[j]} reaches its upper limit {path.upper[j]:.6g}"
            for j in at_upper
            if x[j] > path.upper[j] or path.redundant
        ]
        return ", ".join(words)

    def _miss(self, run: Run, number: int) -> str:
        """Return the distance of a goal from the reach, as far as a search knows."""
        path = self._path
        free = np.full(path.problem.n, _ENDLESS)
        problem = NumericProblem(
            path.problem.chains, -free, free, directions=path.arm.direction[None]
        )
        base = path.arm.robot.transforms_view[path.arm.base.index]
        result = problem.solve(
            path.goal(number), run.last, base=base, starts=_REACH_STARTS
        )
        if result:
            return ""
        return (
            f"out of reach: goal {number} is missed by {result.position_error:.3g} m "
            f"and {result.rotation_error:.3g} rad at best, searched from "
            f"{result.starts} starts without joint limits"
        )

    def _singular(self, run: Run, number: int) -> str:
        idle = np.abs(self._path.slowest(run.last, number))
        fast = np.flatnonzero(idle > 0.3 * idle.max()).tolist()
        names = " and ".join(self._names[j] for j in fast)
        return (
            f"singular: {names} would have to move by more than {RATE:g} radians per "
            "radian of the tool, or to jump,"
        )
