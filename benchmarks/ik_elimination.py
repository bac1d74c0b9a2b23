"""The general elimination as a second opinion on a loop of six joints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.spatial import invert_pose, skew
from pyrave_ik.arm.turns import separation
from pyrave_ik.methods.analytic import AnalyticSolver, solve_cut

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyrave.ik import IkParameterization
    from pyrave.spatial import Array

CAPACITY = 64
PROBES = 8
SAME = 1e-6
CUTS = 12
REGULAR = 1e-3
"""Least singular value of the tool's Jacobian at poses whose solutions are counted."""
_TURN = np.array([-0.4, 1.2, 2.7])


class SecondOpinion:
    """All solutions of loops with the same joints, by elimination alone.

    Where axes meet or are parallel, some of the cuts of a loop, six each way round, are
    singular and others lose some of the solutions. The cuts that are used are learned
    from the first loops: one, if it finds all that all cuts together find.

    Parameters
    ----------
    screws
        (6, 7): unit axis, a point on it, 1 for a sliding joint.
    """

    def __init__(self, screws: Array) -> None:
        back = screws[::-1].copy()
        back[:, :3] *= -1.0
        self._ways = (np.ascontiguousarray(screws), back)
        self._turns = np.where(screws[:, 6] != 0.0, 0.0, 2.0 * np.pi)
        self._cuts: Sequence[int] = range(CUTS)
        self._totals = np.zeros(CUTS, dtype=int)
        self._union = 0
        self._probes = 0

    def solve(self, goal: Array, *, every_cut: bool = False) -> Array:
        """Return the solutions (k, 6) of ``E_0 ... E_5 = goal`` (4, 4)."""
        cuts = range(CUTS) if every_cut else self._cuts
        ends = [np.ascontiguousarray(end[:3]) for end in (goal, invert_pose(goal))]
        found = [self._cut(cut, ends[cut // 6]) for cut in cuts]
        together = self._distinct(np.concatenate(found))
        if self._probes < PROBES:
            self._learn([len(self._distinct(rows)) for rows in found], len(together))
        return together

    def _learn(self, counts: list[int], union: int) -> None:
        self._probes += 1
        self._totals += counts
        self._union += union
        if self._probes == PROBES and self._union:
            complete = np.flatnonzero(self._totals == self._union)
            self._cuts = (
                [int(complete[0])]
                if len(complete)
                else np.flatnonzero(self._totals).tolist()
            )

    def _cut(self, cut: int, goal: Array) -> Array:
        backward, first = divmod(cut, 6)
        screws = self._ways[backward]
        out = np.empty((CAPACITY, 6))
        n = solve_cut(screws, goal, first, _TURN, out)
        # -1: the cut has no answer; -2 - k: it may have lost some
        rows = out[: n if n >= 0 else -2 - min(n, -2)]
        rows = rows[:, ::-1] if backward else rows
        return np.asarray(rows[np.isfinite(rows).all(axis=1)])

    def _distinct(self, rows: Array) -> Array:
        """Return the rows that are not near an earlier one."""
        off = separation(rows[:, None], rows[None], self._turns)
        repeated = np.tril(off < SAME, -1).any(axis=1)
        return rows[~repeated]


class Comparison:
    """Compares the number of solutions of a six-joint arm with the elimination's.

    Only where all of them are away from singularities: elsewhere solutions meet, and
    how many there are is a matter of rounding. And only where the elimination has an
    answer: with three sliders it has none.

    Parameters
    ----------
    solver
        Without free or virtual joints.
    """

    def __init__(self, solver: AnalyticSolver) -> None:
        self._solver = solver
        self._back = invert_pose(solver.chain.home)
        self._opinion = SecondOpinion(solver.chain.screws)
        self.compared = self.fewer = self.more = 0

    @staticmethod
    def fits(solver: AnalyticSolver) -> bool:
        """Return True if a solver's loops are those of its six joints alone."""
        return solver.chain.n == 6 and not solver.free and not solver.virtual_names

    def add(self, goal: IkParameterization, solutions: Array) -> None:
        """Compare the solutions (k, 6) of a goal, as values of the axes."""
        if not self._regular(solutions):
            return
        target = self._solver.task(goal).goal @ self._back
        others = self._opinion.solve(target)
        if len(others) != len(solutions):
            others = self._opinion.solve(target, every_cut=True)
        # no answer at all: every cut of such a loop is singular
        if not len(others) or not self._regular(others):
            return
        self.compared += 1
        self.fewer += len(solutions) < len(others)
        self.more += len(solutions) > len(others)

    def _regular(self, values: Array) -> bool:
        if not np.isfinite(values).all():
            return False
        columns = _columns(self._solver.chain.screws, values)
        least = np.linalg.svd(columns, compute_uv=False)[:, -1]
        return bool((least > REGULAR).all())


def _columns(screws: Array, values: Array) -> Array:
    """Return the twists (k, 6, n) of the axes where the arm is at values (k, n)."""
    pose = np.tile(np.eye(4), (len(values), 1, 1))
    columns = np.zeros((len(values), 6, len(screws)))
    for i, row in enumerate(screws):
        axis = pose[:, :3, :3] @ row[:3]
        if row[6]:
            columns[:, :3, i] = axis
        else:
            point = pose[:, :3, :3] @ row[3:6] + pose[:, :3, 3]
            columns[:, :3, i] = np.cross(point, axis)
            columns[:, 3:, i] = axis
        pose = pose @ _displaced(row, values[:, i])
    return columns


def _displaced(row: Array, values: Array) -> Array:
    """Return the (k, 4, 4) displacements of a joint with a screw (7,)."""
    poses = np.tile(np.eye(4), (len(values), 1, 1))
    if row[6]:
        poses[:, :3, 3] = row[:3] * values[:, None]
        return poses
    # Rodrigues' formula
    cross = skew(row[:3])
    sine, versine = np.sin(values), 1.0 - np.cos(values)
    poses[:, :3, :3] += sine[:, None, None] * cross
    poses[:, :3, :3] += versine[:, None, None] * (cross @ cross)
    poses[:, :3, 3] = row[3:6] - poses[:, :3, :3] @ row[3:6]
    return poses
