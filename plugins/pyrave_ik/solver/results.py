"""Results of solvers from candidates, with the reasons for rejections."""

from __future__ import annotations

from itertools import takewhile
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.ik import IkAction, IkRejection, IkResult, IkReturn
from pyrave.ik.results import goal_of
from pyrave_ik.solver.reasons import UNREACHED, OutsideLimits, reasons_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import ArrayLike

    from pyrave.ik import IkParameterization
    from pyrave.interfaces import IkChecks
    from pyrave.spatial import Array
    from pyrave_ik.methods.analytic import AnalyticSolver
    from pyrave_ik.methods.bounded_arm import Candidates

_SECONDS = 1.0
"""Seconds in which other points of continua are tried."""
_SAME = 1e-6
"""Largest difference of joint values that are one solution."""


def why_none(
    candidates: Candidates,
    solver: AnalyticSolver,
    free: ArrayLike | None,
    *,
    complete: bool,
) -> str:
    """Return the reason for which a loop has no solutions, empty if it has some.

    Parameters
    ----------
    free
        Values of the held joints, 0..1 each.
    complete
        Whether the method finds all.
    """
    if len(candidates.solutions) or len(candidates.refused):
        return ""
    name = solver.kind.name
    if not complete:
        return (
            f"no joint values were found that reach this {name}; that is no proof, as "
            "solutions may be lost near singular poses and where axes are in special "
            "positions"
        )
    held = ", ".join(solver.chain.names[axis] for axis in solver.free)
    where = f" with {held} held at free={np.asarray(free).tolist()}" if held else ""
    return f"no joint values reach this {name}{where}, even without limits"


def rejections_of(
    candidates: Candidates, bounds: Array, names: tuple[str, ...], why: str
) -> Sequence[IkRejection]:
    """Return the rejections of candidates outside limits, after one for all.

    Parameters
    ----------
    bounds
        (d, 5) as `packed_arm.pack` takes them.
    names
        Of the joints.
    why
        Why there are no others, empty if that is not to be said.
    """
    refused = OutsideLimits(candidates.refused, candidates.outside, bounds, names)
    if not why:
        return refused
    return (IkRejection(UNREACHED, np.empty(0), why), *refused)


def result_of(
    target: IkParameterization | Array,
    candidates: Candidates,
    rejections: Sequence[IkRejection],
    checks: IkChecks | None,
    near: Array,
) -> IkResult:
    """Return the candidates that pass the checks, and what was rejected.

    Parameters
    ----------
    checks
        None if nothing but limits counts.
    near
        (n_arm,) joint values: the nearest come first.
    """
    rows, marks = candidates.solutions, candidates.branches
    bits = candidates.continua.tolist()
    continua = tuple(map(_joints_of, bits)) if any(bits) else ((),) * len(bits)
    action = reasons_of(candidates)
    values: tuple[dict[str, Any], ...] = tuple([{} for _ in bits])
    if checks is not None:
        goal = goal_of(target)
        kept: list[Array] = []
        passed: list[int] = []
        named = []
        refused = list(rejections)
        for k, row, answer in tried(checks, candidates, goal):
            if answer and answer.solution is not None:
                kept.append(answer.solution)
                passed.append(k)
                named.append(answer.values)
            else:
                action |= answer.action
                refused += [
                    IkRejection(answer.action, row, text) for text in answer.failures
                ]
        rows = np.array(kept).reshape(-1, rows.shape[1])
        rows, passed, named = in_order(rows, passed, named, near)
        marks = marks[passed]
        continua = tuple(continua[k] for k in passed)
        values = tuple(named)
        rejections = tuple(refused)
        for row, some in zip(rows, values, strict=True):
            checks.finish(IkReturn(IkAction.SUCCESS, row, some), goal)
    return IkResult(
        target,
        rows,
        marks,
        rejections,
        IkAction.SUCCESS if len(rows) else IkAction.REJECT | action,
        values,
        continua=continua,
    )


def tried(
    checks: IkChecks, candidates: Candidates, goal: IkParameterization
) -> Iterator[tuple[int, Array, IkReturn]]:
    """Check candidates in order, then other points of the continua of those refused.

    Yields the number of the candidate, the joint values that were checked, and the
    answer. Some points of each continuum are tried, from the candidate outward, until
    one passes or a second is over: no proof that none does.
    """
    refused: list[int] = []
    passed: list[Array] = []
    for k, (row, answer) in enumerate(checks.run(candidates.solutions, goal)):
        yield k, row, answer
        if answer.action & IkAction.QUIT:
            return
        if not answer:
            refused.append(k)
        elif candidates.continua[k]:
            passed.append(row)
    end = perf_counter() + _SECONDS
    for k in refused:
        if not candidates.continua[k]:
            continue
        points = takewhile(lambda _: perf_counter() < end, candidates.along(k))
        for row, answer in checks.run(points, goal):
            if answer.action & IkAction.QUIT:
                yield k, row, answer
                return
            if answer:
                if all(np.abs(row - one).max() > _SAME for one in passed):
                    yield k, row, answer
                    passed.append(row)
                break


def in_order(
    rows: Array, passed: list[int], named: list[dict[str, Any]], near: Array
) -> tuple[Array, list[int], list[dict[str, Any]]]:
    """Return the candidates that `tried` passed, the nearest first.

    Candidates come in this order, other points of continua behind them.
    """
    order = ((rows - near) ** 2).sum(axis=1).argsort(kind="stable").tolist()
    return rows[order], [passed[k] for k in order], [named[k] for k in order]


def _joints_of(bits: int) -> tuple[int, ...]:
    """Return the numbers of the bits that are set."""
    return tuple(i for i in range(bits.bit_length()) if bits >> i & 1)
