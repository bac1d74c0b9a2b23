"""Poses of arms with six joints: one call of a compiled function."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.interfaces import IkParameterizationType
from pyrave.jit import KernelModule
from pyrave.spatial import Array
from pyrave_ik.packing import JointMap, kernels_of, pack

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave_ik.analytic import AnalyticSolver

    Indices = NDArray[np.int64]

__all__ = ["QuickPoses", "quick_poses"]

answers = KernelModule("pyrave_ik.kernels.answers._kernels")
branches = KernelModule("pyrave_ik.kernels.branches._kernels")

_ENDLESS = 1e4
_ROWS = 16
_SPARE = 2
"""The kernels use the last row for themselves."""
_MOST = 2048


class QuickPoses:
    """Solves poses of one arm within given bounds. Threads may share it.

    Parameters
    ----------
    plan
        What `pack` returned.
    rows
        Most solutions that a pose has, and room for the kernels.
    solver
        Knows the arm and its decomposition.
    bounds
        (6, 5) as the kernels of `answers` take them.
    """

    def __init__(
        self, plan: Array, rows: int, solver: AnalyticSolver, bounds: Array
    ) -> None:
        self._plan = plan
        self._rows = rows
        self._kernels = kernels_of(plan)
        self._solver = solver
        self._round = np.flatnonzero((bounds[:, 2] > 0.0) & (bounds[:, 4] > 0.0))
        self._turn = bounds[self._round, 4]

    def goal(self, goal: Array) -> Array:
        """Return all joint values (k, 6) for T_base_tool, (3, 4) or (4, 4)."""
        out = np.empty((self._rows, 7))
        n = self._kernels.jit.solve_pose(self._plan, goal, out)
        return out[:n, :6]

    def pose(self, base: Array, pose: Array) -> Array:
        """Return all joint values (k, 6) for T_world_base and T_world_tool."""
        goal = np.empty((3, 4))
        answers.jit.relative(base, pose, goal)
        return self.goal(goal)

    def ranked(self, rows: Array, near: Array) -> Array:
        """Return the rows of (k, 6) joint values, the one nearest to (6,) first.

        Joints that turn without end come in the turn that is nearest.
        """
        off = rows - near
        ends = self._round
        if len(ends):
            turns = self._turn * np.rint(off[:, ends] / self._turn)
            rows[:, ends] -= turns
            off[:, ends] -= turns
        ranked: Array = rows[np.einsum("ij,ij->i", off, off).argsort(kind="stable")]
        return ranked

    def branches(self, rows: Array, goal: Array) -> Indices:
        """Return the number of the branch of each row, for T_base_goal (3, 4)."""
        chain, how = self._solver.chain, self._solver.decomposition
        kind, first = np.int64(how.kind), np.int64(how.first)
        marks = np.empty(len(rows), dtype=np.int64)
        for i, row in enumerate(rows):
            values = chain.values(row)
            marks[i] = branches.jit.branch(
                kind, first, how.backward, chain.screws, goal, values
            )
        return marks

    def poses(self, base: Array, poses: Array) -> tuple[Array, Indices]:
        """Return joint values one behind the other, and counts, of (n, 4, 4) poses."""
        goals = np.empty((len(poses), 3, 4))
        answers.jit.relatives(base, poses, goals)
        out = np.empty((len(poses), self._rows, 7))
        counts = np.empty(len(poses), dtype=np.int64)
        self._kernels.jit.solve_poses(self._plan, goals, out, counts)
        return out[np.arange(self._rows) < counts[:, None], :6], counts


def quick_poses(solver: AnalyticSolver, bounds: Array) -> QuickPoses | None:
    """Return what solves poses within bounds, None if only the general way does.

    Parameters
    ----------
    bounds
        (6, 5) as the kernels of `answers` take them.
    """
    chain = solver.chain
    if solver.kind is not IkParameterizationType.Transform6D or solver.free:
        return None
    modes, references, periods = bounds[:, 2], bounds[:, 3], bounds[:, 4]
    if (modes > 1.0).any() or references[modes > 0.0].any():
        return None
    endless = modes > 0.0
    if (~endless & (np.abs(bounds[:, :2]).max(axis=1) > 1e3)).any():
        return None
    lower = np.where(endless, -_ENDLESS, bounds[:, 0])
    upper = np.where(endless, _ENDLESS, bounds[:, 1])
    turns = ~endless & (periods > 0.0)
    copies = np.floor((upper - lower)[turns] / periods[turns]) + 1.0
    rows = _ROWS * float(np.prod(copies)) + _SPARE
    if rows > _MOST:
        return None
    order = list(chain.arm)
    joints = JointMap(
        order, chain.scale, chain.offset, lower[order], upper[order], copies=True
    )
    plan = pack(
        solver.decomposition, chain.screws, chain.home, joints, tuple(solver.turns)
    )
    return QuickPoses(plan, int(rows), solver, bounds)
