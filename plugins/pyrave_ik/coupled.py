"""Arms that are no loop of six joints: their richest goals, in words and measured."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import NotSupportedError
from pyrave.interfaces import IkFilterOptions, IkParameterization
from pyrave_ik.chain import ArmChain
from pyrave_ik.explain import Explanation, explain, relations_of_neighbours
from pyrave_ik.poses import tool_poses
from pyrave_ik.residuals import residuals
from pyrave_ik.richest import KINDS, reached
from pyrave_ik.searching import ClosedCompound, Search, stand_in
from pyrave_ik.statistics import SAME, WRONG, Statistics

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyrave.interfaces import IkParameterizationType, Manipulator
    from pyrave.spatial import Array
    from pyrave_ik.solver import AnalyticIk

__all__ = ["explain_stand_in", "measure_stand_in", "richest_stand_in"]


def richest_stand_in(
    solver: AnalyticIk, arm: Manipulator, kind: IkParameterizationType | None = None
) -> tuple[
    IkParameterizationType,
    ClosedCompound | Search,
    dict[IkParameterizationType, str],
]:
    """Return a kind of goals, what solves them, and why other kinds do not fit.

    What has a closed form goes before what is searched for.

    Parameters
    ----------
    kind
        The kind that is wanted; None: the one that constrains most.

    Raises
    ------
    NotSupportedError
        No kind fits; the message has the reasons.
    """
    chain = ArmChain.of(arm)
    n = chain.n_joints
    if kind is not None:
        one = solver.search(kind)
        assert one is not None  # noqa: S101 - such arms have no loop
        return kind, one, {}
    refused: dict[IkParameterizationType, str] = {}
    searched: tuple[IkParameterizationType, Search] | None = None
    for wanted in KINDS:
        if wanted.dof > n or (n >= 6 and wanted.dof < 6):
            continue
        if not reached(chain, wanted, arm.direction):
            refused[wanted] = "the arm's own poses do not meet such goals"
            continue
        reason = "there is no closed form of it"
        one = stand_in(solver, arm, wanted, reason, (), ())
        if isinstance(one, ClosedCompound):
            return wanted, one, refused
        searched = searched or (wanted, one)
    if searched is None:
        reasons = "; ".join(f"{kind.name}: {why}" for kind, why in refused.items())
        raise NotSupportedError(f"no kind of goal fits the arm: {reasons}")
    found, one = searched
    return found, one, {k: why for k, why in refused.items() if k.dof > found.dof}


def explain_stand_in(
    kind: IkParameterizationType,
    one: ClosedCompound | Search,
    arm: Manipulator,
    refused: Mapping[IkParameterizationType, str],
) -> Explanation:
    """Return how goals of a kind are solved, and why so."""
    chain = ArmChain.of(arm)
    axes = tuple(
        (name, ("slides" if row[6] else "turns") + _after(chain, axis))
        for axis, (name, row) in enumerate(zip(chain.names, chain.screws, strict=True))
    )
    between = relations_of_neighbours(chain)
    if isinstance(one, ClosedCompound):
        told = explain(one.closed)
        simple = ", ".join(one.compound.chain.names)
        why = f"joints move several axes, as a simpler arm has them: {simple}"
        return Explanation(
            kind.name,
            axes,
            between,
            told.decomposition,
            told.loop,
            f"{why}; there {told.reason}",
            (),
            tuple((one.name, reason) for one, reason in refused.items()),
        )
    return Explanation(
        kind.name,
        axes,
        between,
        "search",
        (),
        one.note,
        (),
        tuple((one.name, reason) for one, reason in refused.items()),
    )


def _after(chain: ArmChain, axis: int) -> str:
    """Return what an axis follows, in words."""
    dof = chain.arm[axis]
    if dof < 0:
        return " by a formula"
    first = chain.arm.index(dof)
    return f" with {chain.names[first]}" if first != axis else ""


def measure_stand_in(
    kind: IkParameterizationType,
    one: ClosedCompound | Search,
    arm: Manipulator,
    configurations: Array,
    progress: Callable[[int], None] | None = None,
) -> Statistics:
    """Solve for poses that the arm reaches, with its limits; see `measure`."""
    base = arm.base.transform
    chain = ArmChain.of(arm)
    unsolved, missed, wrong_at = [], [], []
    found = solutions = wrong = repeated = 0
    worst = np.zeros(2)
    times = []
    for number, (q, pose) in enumerate(
        zip(configurations, tool_poses(arm, configurations), strict=True)
    ):
        local = IkParameterization.from_pose(
            kind, np.linalg.inv(base) @ pose, arm.direction
        )
        goal = local.transformed(base)
        start = time.perf_counter()
        rows = one.rows(goal, IkFilterOptions.NONE, None)
        times.append(1e6 * (time.perf_counter() - start))
        solutions += len(rows)
        if len(rows):
            tools = np.array([chain.tool(row) for row in rows])
            off = np.array(residuals(local, tools, arm.direction))
            bad = int((off.max(axis=0) > WRONG).sum())
            wrong += bad
            if bad:
                wrong_at.append(q)
            worst = np.maximum(worst, off.max(axis=1))
            apart = np.abs(rows[:, None] - rows).max(axis=2)
            repeated += int((np.triu(apart < SAME, 1)).any(axis=0).sum())
        else:
            unsolved.append(q)
        if len(rows) and np.abs(rows - q).max(axis=1).min() < 10.0 * SAME:
            found += 1
        else:
            missed.append(q)
        if progress is not None:
            progress(number + 1)
    n = configurations.shape[1]
    return Statistics(
        poses=len(configurations),
        unsolved=np.array(unsolved).reshape(-1, n),
        found=found,
        missed=np.array(missed).reshape(-1, n),
        solutions=solutions,
        wrong=wrong,
        wrong_at=np.array(wrong_at).reshape(-1, n),
        repeated=repeated,
        position_error=float(worst[0]),
        rotation_error=float(worst[1]),
        compared=0,
        fewer=0,
        more=0,
        microseconds=np.array(times),
    )
