"""The general elimination as a second opinion on a loop of six joints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.jit import KernelModule
from pyrave.spatial import invert_pose
from pyrave_ik.classify import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyrave.spatial import Array

__all__ = ["SecondOpinion"]

kernels = KernelModule("pyrave_ik.kernels.solve._kernels")

CAPACITY = 64
TOLERANCE = 1e-9
PROBES = 8
SAME = 1e-6
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
        self._period = np.where(screws[:, 6] != 0.0, np.inf, 2.0 * np.pi)
        self._cuts: Sequence[int] = range(12)
        self._totals = np.zeros(12, dtype=int)
        self._union = 0
        self._probes = 0

    def solve(self, goal: Array, *, every_cut: bool = False) -> Array:
        """Return the solutions (k, 6) of ``E_0 ... E_5 = goal`` (4, 4)."""
        cuts = range(12) if every_cut else self._cuts
        found = [self._cut(cut, goal) for cut in cuts]
        together = np.empty((0, 6))
        for rows in found:
            for row in rows:
                if not self._among(row, together):
                    together = np.vstack([together, row])
        if self._probes < PROBES:
            self._learn([len(rows) for rows in found], len(together))
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
        out = np.empty((CAPACITY, 6))
        n = kernels.jit.solve_loop(
            int(Kind.GENERAL),
            first,
            False,
            self._ways[backward],
            np.ascontiguousarray((invert_pose(goal) if backward else goal)[:3]),
            _TURN,
            TOLERANCE,
            out,
        )
        rows = out[:n, ::-1] if backward else out[:n]
        return np.asarray(rows[np.isfinite(rows).all(axis=1)])

    def _among(self, row: Array, rows: Array) -> bool:
        if not len(rows):
            return False
        off = np.abs(rows - row)
        turning = np.isfinite(self._period)
        off[:, turning] %= 2.0 * np.pi
        off[:, turning] = np.minimum(off[:, turning], 2.0 * np.pi - off[:, turning])
        return bool(off.max(axis=1).min() < SAME)
