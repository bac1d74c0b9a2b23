"""Arms whose joints move several axes each, solved through a simpler arm."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError, NotSupportedError
from pyrave.ik import residuals
from pyrave_ik.arm.poses import tool_poses
from pyrave_ik.coupled_joints.compound import Compound, compound_of
from pyrave_ik.methods.analytic import planned_solver
from pyrave_ik.methods.candidates import Candidates
from pyrave_ik.solver.effort import ALL_SECONDS
from pyrave_ik.solver.goal_method import GoalMethod
from pyrave_ik.solver.numeric_method import one_turn

if TYPE_CHECKING:
    from pyrave.bodies import Manipulator
    from pyrave.ik import IkParameterization, IkParameterizationType
    from pyrave.spatial import Array
    from pyrave_ik.arm.chain import ArmChain
    from pyrave_ik.methods.analytic import AnalyticSolver
    from pyrave_ik.solver.goal_method import Query
    from pyrave_ik.solver.numeric_method import NumericMethod

_NEAR = 1e-8
"""Metres and radians that the tool may miss a goal by."""
_SAME = 1e-6


class CompoundMethod(GoalMethod):
    """Solves goals by the loops of a simpler arm, whose joints follow linearly.

    Parameters
    ----------
    compound
        The arm as that simpler one.
    closed
        What solves the simpler arm.
    numeric
        Searches where that decides nothing; it has the limits.
    """

    seconds = ALL_SECONDS

    def __init__(
        self,
        arm: Manipulator,
        compound: Compound,
        closed: AnalyticSolver,
        numeric: NumericMethod,
    ) -> None:
        self.compound = compound
        self.closed = closed
        self._numeric = numeric
        ends = (bound[arm.arm_indices] for bound in arm.robot.limit_store.bounds)
        self._ends = tuple(ends)
        periods = numeric.bounds[numeric.circular, 4]
        self._repeats = bool((periods > 0.0).all())
        """Whether all joints that turn without end come back to where they were."""

    def candidates(self, query: Query, *, turned: bool = False) -> Candidates:
        """Return joint values, and what limits leave out; each is verified."""
        if query.free is not None and np.size(query.free):
            raise ArgumentError(
                f"{self._numeric.owner} has no free joints for such goals"
            )
        local, near, bounds = query.local, query.near, self._numeric.bounds
        ignored = self._numeric.ignored
        rows = self._rows(query, local, ignored=ignored)
        decided = self.closed.decides(local)
        if not len(rows) and not decided:
            found = self._numeric.nearest(replace(query, free=None))
            rows = rows if found is None else found[None]
        complete = decided and self._repeats
        given = Candidates.listed(rows, near, bounds, turned=turned, complete=complete)
        if len(rows):
            return given
        if not ignored:
            refused = self._rows(replace(query, turns=False), local, ignored=True)
            lower, upper = bounds[:, 0], bounds[:, 1]
            outside = refused - np.clip(refused, lower, upper)
            given = replace(given, refused=refused, outside=outside)
        if not len(given.refused):
            name = query.goal.type.name
            why = f"no joint values reach this {name}, even without limits"
            if not complete:
                why += ", as far as the method finds them all, which it cannot promise"
            given = replace(given, why=why)
        return given

    def _rows(self, query: Query, local: IkParameterization, *, ignored: bool) -> Array:
        """Return all joint values (k, n_arm) that meet a goal in the base's frame."""
        arm, near = query.arm, None if query.turns else query.near
        lower, upper = one_turn(arm, self._numeric.chain, *self._ends, ignored=ignored)
        lifted = [
            self.compound.lifted(values, lower, upper, near)
            for values in self.closed.solve(local)
        ]
        rows = np.concatenate([np.empty((0, len(lower))), *lifted])
        off = residuals(local, tool_poses(arm, rows), arm.direction)
        found: list[Array] = []
        for q in rows[np.max(off, axis=0) < _NEAR]:
            if not any(np.abs(q - other).max() < _SAME for other in found):
                found.append(q)
        return np.array(found).reshape(len(found), len(lower))


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
        closed = planned_solver(compound.chain, kind, direction, None, point)
    except NotSupportedError:
        return None
    return None if closed.free else (compound, closed)
