"""Results of solvers from candidates: checks, order, and the reasons for rejections."""

from __future__ import annotations

from itertools import takewhile
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.ik import IkAction, IkRejection, IkResult, IkReturn
from pyrave.ik.results import first_solution, goal_of
from pyrave_ik.arm.chain import dof_names
from pyrave_ik.methods.candidates import squared_ways

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyrave.bodies import Manipulator
    from pyrave.ik import IkParameterization
    from pyrave.interfaces import IkChecks
    from pyrave.spatial import Array
    from pyrave_ik.methods.candidates import Candidates

_SECONDS = 1.0
"""Seconds in which other points of continua are tried."""
_SAME = 1e-6
"""Largest difference of joint values that are one solution."""


def first_of(
    candidates: Candidates,
    arm: Manipulator,
    checks: IkChecks,
    goal: IkParameterization,
    near: Array,
) -> IkReturn:
    """Return the nearest of the candidates that passes checks, or why none does."""
    if not checks.needed and len(candidates.solutions):
        return IkReturn(IkAction.SUCCESS, candidates.solutions[0])
    every = tried(checks, candidates, goal, near)
    answer = first_solution(answer for _, _, answer in every)
    if answer or answer.failures:
        return answer
    texts = [one.reason for one in candidates.rejections(dof_names(arm))]
    return IkReturn(answer.action | candidates.action, failures=tuple(texts))


def result_of(
    target: IkParameterization | Array,
    candidates: Candidates,
    names: Sequence[str],
    checks: IkChecks | None,
    near: Array,
) -> IkResult:
    """Return the candidates that pass the checks, and what was rejected.

    Parameters
    ----------
    names
        Of the joints.
    checks
        None if nothing but limits counts.
    near
        (n_arm,) joint values: the nearest come first.
    """
    rows, marks = candidates.solutions, candidates.branches
    continua, complete = candidates.moving(), candidates.complete
    rejections, action = candidates.rejections(names), candidates.action
    values: tuple[dict[str, Any], ...] = tuple([{} for _ in rows])
    if checks is not None:
        goal = goal_of(target)
        passed: list[tuple[int, IkReturn]] = []
        refused = list(rejections)
        for k, row, answer in tried(checks, candidates, goal):
            if answer:
                passed.append((k, answer))
            else:
                action |= answer.action
                refused += [
                    IkRejection(answer.action, row, text) for text in answer.failures
                ]
        rejections = refused
        # of continua that checks refused some points alone were tried
        tried_in_part = sum(map(bool, continua)) > sum(
            bool(continua[k]) for k, _ in passed if continua
        )
        complete &= not tried_in_part
        rows = np.array([answer.solution for _, answer in passed], dtype=np.float64)
        rows = rows.reshape(len(passed), len(near))
        # points of continua come behind the others
        order = squared_ways(rows, near, candidates.bounds).argsort(kind="stable")
        passed = [passed[k] for k in order]
        rows, kept = rows[order], [k for k, _ in passed]
        marks = marks[kept]
        continua = tuple(continua[k] for k in kept) if continua else ()
        values = tuple(answer.values for _, answer in passed)
        for _, answer in passed:
            checks.finish(answer, goal)
    return IkResult(
        target,
        rows,
        marks,
        rejections,
        IkAction.SUCCESS if len(rows) else IkAction.REJECT | action,
        values,
        complete=complete,
        continua=continua,
    )


def tried(
    checks: IkChecks,
    candidates: Candidates,
    goal: IkParameterization,
    near: Array | None = None,
) -> Iterator[tuple[int, Array, IkReturn]]:
    """Check candidates in order, then other points of the continua of those refused.

    Yields the number of the candidate, the joint values that were checked, and the
    answer. Some points of each continuum are tried, from the candidate outward, until
    one passes or a second is over: no proof that none does.

    Parameters
    ----------
    near
        (n_arm,) joint values, where the nearest of all that passes is enough.
    """
    refused: list[int] = []
    passed: list[tuple[int, Array, IkReturn]] = []
    for k, (row, answer) in enumerate(checks.run(candidates.solutions, goal)):
        if answer:
            passed.append((k, row, answer))
            if near is not None:
                break
        else:
            refused.append(k)
        yield k, row, answer
        if answer.action & IkAction.QUIT:
            return
    continua = candidates.continua
    refused = [] if continua is None else [k for k in refused if continua[k]]
    if near is not None and passed and not refused:
        yield passed[0]
        return
    points = _points_on_continua(checks, candidates, goal, refused, passed, near)
    if near is None:
        yield from points
        return
    every = [*passed, *points]
    every = [one for one in every if one[2]] or every[-1:]
    rows = np.array([row for _, row, _ in every]).reshape(len(every), len(near))
    for best in squared_ways(rows, near, candidates.bounds).argsort()[:1]:
        yield every[best]


def _points_on_continua(
    checks: IkChecks,
    candidates: Candidates,
    goal: IkParameterization,
    refused: Sequence[int],
    passed: Sequence[tuple[int, Array, IkReturn]],
    near: Array | None,
) -> Iterator[tuple[int, Array, IkReturn]]:
    """Yield a point that passes of each continuum of which a candidate was refused.

    Only those nearer to `near` than what passed already, if it is given.
    """
    continua = candidates.continua
    known = [row for k, row, _ in passed if continua is None or continua[k]]
    end, most = perf_counter() + _SECONDS, np.inf
    if near is not None and passed:
        most = squared_ways(passed[0][1][None], near, candidates.bounds)[0]
    for k in refused:
        points: Iterator[Array] = candidates.along(k)
        points = takewhile(lambda _: perf_counter() < end, points)
        if near is not None:
            points = (
                row
                for row in points
                if squared_ways(row[None], near, candidates.bounds)[0] < most
            )
        for row, answer in checks.run(points, goal):
            if answer.action & IkAction.QUIT:
                yield k, row, answer
                return
            if answer:
                if all(np.abs(row - one).max() > _SAME for one in known):
                    yield k, row, answer
                    known.append(row)
                break
