"""Damped least squares for axes that follow joints by any formula.

Residuals and their derivatives by the values of the axes are those of the compiled
solver. How these follow from the joints is the robot's own model to say, so that every
formula that it can compute will do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.jit import KernelModule
from pyrave.records import Record
from pyrave.spatial import invert_pose
from pyrave_ik.arm.chain import WORLD
from pyrave_ik.arm.numeric_arrays import frames_of, packed
from pyrave_ik.kernels.iteration import numerical as to
from pyrave_ik.kernels.iteration import residuals as at

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from pyrave.spatial import Array
    from pyrave_ik.arm.chain import ArmChain

    Stacked = Callable[[Array], tuple[Array, Array, Array]]

_kernels = KernelModule("pyrave_ik.kernels.iteration.residuals")

_COST = 0.3
"""Milliseconds of a residual in the interpreter."""
_LONGEST = 1.0
"""Most that a joint moves in a step."""
_STALE = 0.9
"""A start ends that has not brought the residual below this part in eight steps."""
_STEPS = 60
"""Formulas bend the way of a start; it takes more steps."""


class Following:
    """A problem whose axes follow joints by formulas.

    Parameters
    ----------
    chains
        t chains whose joints are the same n.
    limits
        (2, n) of the joints.
    turns
        (n,) periods of joints that can go all the way round, 0 for the others.
    goals
        (t, GOAL) see `goals_of`.
    table
        (k, n) configurations to start from.
    """

    def __init__(
        self,
        chains: Sequence[ArmChain],
        limits: Array,
        turns: Array,
        goals: Array,
        table: Array,
    ) -> None:
        self._chains = chains
        self._limits = limits
        self._turns = turns != 0.0
        self._periods = np.where(self._turns, turns, 1.0)
        self._goals = goals
        self._table = table
        # the axes of all chains are the joints of this problem
        m = sum(chain.n for chain in chains)
        bare, first = [], 0
        for chain in chains:
            bare.append(chain.bare(first))
            first += chain.n
        endless = np.full((2, m), ((-np.inf,), (np.inf,)))
        none = np.empty((0, m))
        frames = [frames_of(chain) for chain in bare]
        self._axes = packed(bare, frames, endless, np.zeros(m), goals, none)

    def solve(
        self, base: Array, target: Array, near: Array, settings: Array, out: Array
    ) -> int:
        """Do `numerical.solve` where the arguments are what they should be."""
        descent = Descent(
            self.stacked(self._local(base, target)),
            np.where(self._turns, -np.inf, self._limits[0]),
            np.where(self._turns, np.inf, self._limits[1]),
            settings[: to.ANGLE_TOLERANCE + 1],
        )
        most = int(settings[to.STARTS_ALLOWED])
        if settings[to.ALL]:
            return self._several(descent, self._table[:most], out)
        starts = [*near.reshape(-1, len(self._turns)), *self._table][:most]
        found, q, taken = descent.search(starts, _STEPS)
        if found and len(near) and settings[to.NEAREST]:
            q = descent.settle(self._placed(q, near), near, to.SETTLE)
        if not found and settings[to.NEAREST_MISS]:
            q = descent.approach(q, to.APPROACH)
        q = self._placed(q, near)
        miss = descent.stacked(q)[2]
        out[0] = (*q, *miss, taken, descent.steps)
        return int(descent.are_met(miss))

    def _several(self, descent: Descent, starts: Array, out: Array) -> int:
        n, count = len(self._turns), 0
        for row in starts:
            met, q, _ = descent.attempt(row, _STEPS)
            q = self._placed(q, row)
            way = out[:count, :n] - q
            periods = self._periods[self._turns]
            way[:, self._turns] -= periods * np.round(way[:, self._turns] / periods)
            if met and (np.abs(way).max(axis=1) > to.SAME).all():
                out[count, :n] = q
                count += 1
        return count

    def _placed(self, q: Array, near: Array) -> Array:
        """Return joint values as `kernels.iteration.numerical.place` makes them."""
        low, high = np.clip(self._limits, -to.WIDE, to.WIDE)
        wanted = near if len(near) else 0.5 * (low + high)
        turn = self._periods
        moved = q + turn * np.round((wanted - q) / turn)
        moved += turn * np.ceil((low - moved) / turn) * (moved < low)
        moved -= turn * np.ceil((moved - high) / turn) * (moved > high)
        return np.where(self._turns, np.clip(moved, low, high), q)

    def _local(self, base: Array, target: Array) -> Array:
        """Return goals (t, GOAL) in the frame of the chains."""
        back = invert_pose(base)
        rows = self._goals.copy()
        if target.shape[1] == len(base):
            rows[0, at.KIND] = at.POSE
            rows[0, at.TARGET : at.TARGET + 12] = (back @ target)[:3].ravel()
            return rows
        for row, goal in zip(rows, target, strict=True):
            row[: at.TOOL_DIRECTION] = goal[: at.TOOL_DIRECTION]
            row[at.TOOL_POINT : at.LENGTH_WEIGHT] = goal[
                at.TOOL_POINT : at.LENGTH_WEIGHT
            ]
            if base is not WORLD:
                pose = row[at.TARGET : at.TARGET + 12].reshape(3, 4)
                pose[:] = back[:3, :3] @ pose
                pose[:, 3] += back[:3, 3]
        return rows

    def stacked(self, goals: Array) -> Stacked:
        """Return a function of (n,): residuals (6 t,), derivatives and misses (2,).

        Parameters
        ----------
        goals
            (t, GOAL) in the frame of the chains.
        """
        problem = self._axes
        work = np.zeros(int(problem[at.WORK]))
        e, columns = int(problem[at.ERROR]), int(problem[at.COLUMNS])
        r = at.ROWS * len(goals)

        def at_values(q: Array) -> tuple[Array, Array, Array]:
            parts = [chain.linearised(q) for chain in self._chains]
            values = np.concatenate([part[0] for part in parts])
            slopes = np.concatenate([part[1] for part in parts])
            if not (np.isfinite(values).all() and np.isfinite(slopes).all()):
                return np.full(1, np.inf), np.zeros((1, len(q))), np.full(2, np.inf)
            _kernels.auto(_COST).linearise(problem, goals, values, work)
            by_axes = work[columns : columns + r * len(values)].reshape(-1, r)
            return work[e : e + r].copy(), by_axes.T @ slopes, work[:2].copy()

        return at_values


@dataclass
class Descent(Record):
    """A search of one problem within limits.

    Parameters
    ----------
    stacked
        See `Following.stacked`.
    lower, upper
        (n,) limits, infinite where there are none.
    tolerance
        (2,) metres and radians that may be missed.
    """

    stacked: Stacked
    lower: Array
    upper: Array
    tolerance: Array
    steps: int = 0
    """Steps that were taken."""

    def are_met(self, miss: Array) -> bool:
        """Return True if the goals are met."""
        return bool((miss <= self.tolerance).all())

    def search(self, starts: Sequence[Array], steps: int) -> tuple[bool, Array, int]:
        """Return success, the solution (n,) or nearest values, and the starts taken.

        Starts follow each other in the order of what they miss, after the first.
        """
        best, least = np.clip(starts[0], self.lower, self.upper), np.inf
        ranked = [0, *(1 + self._ranked(starts[1:]))]
        for count, number in enumerate(ranked):
            q = np.clip(starts[number], self.lower, self.upper)
            done, q, total = self.attempt(q, steps)
            if done:
                return True, q, count + 1
            if total < least:
                best, least = q, total
        return False, best, len(ranked)

    def _ranked(self, starts: Sequence[Array]) -> NDArray[np.int64]:
        totals = [float((self.stacked(q)[0] ** 2).sum()) for q in starts]
        return np.argsort(totals, kind="stable")

    def attempt(self, q: Array, steps: int) -> tuple[bool, Array, float]:
        """Return success from a start, the end of the descent, and e'e there."""
        mark = total = np.inf
        for step in range(steps):
            self.steps += 1
            e, jacobian, miss = self.stacked(q)
            total = float(e @ e)
            if self.are_met(miss):
                return True, q, total
            if not total < np.inf:
                break
            if step % 8 == 7:
                if total > _STALE * mark:
                    break
                mark = total
            change = self._step(q, e, jacobian, 5e-3 * min(total, 1.0) + 1e-12)
            new = np.clip(q + change, self.lower, self.upper)
            if np.abs(new - q).max() < 1e-14:
                break
            q = new
        return False, q, total

    def _step(self, q: Array, e: Array, jacobian: Array, damping: float) -> Array:
        """Return the damped step; joints at limits that it would cross are held."""
        g = jacobian.T @ e
        free = ~(((q >= self.upper) & (g > 0.0)) | ((q <= self.lower) & (g < 0.0)))
        change = np.zeros(len(q))
        if free.any():
            a = jacobian[:, free].T @ jacobian[:, free]
            a[np.diag_indices(len(a))] += damping
            change[free] = np.linalg.solve(a, g[free])
        longest = float(np.abs(change).max(initial=0.0))
        return change * (_LONGEST / longest if longest > _LONGEST else 1.0)

    def settle(self, q: Array, wanted: Array, steps: int) -> Array:
        """Return joint values nearer to `wanted` (n,) that still meet the goals."""
        away = float(((q - wanted) ** 2).sum())
        for _ in range(steps):
            _, jacobian, _ = self.stacked(q)
            # what changes nothing that the goals see
            _, size, rows = np.linalg.svd(jacobian)
            idle = rows[int((size > 1e-9 * size.max(initial=1e-300)).sum()) :]
            change = idle.T @ (idle @ (wanted - q))
            longest = float(np.abs(change).max(initial=0.0))
            if longest < 1e-9:
                break
            moved = q + change * min(1.0, 0.3 / longest)
            done, new, _ = self.attempt(np.clip(moved, self.lower, self.upper), 12)
            now = float(((new - wanted) ** 2).sum())
            if not done or now >= away:
                break
            q, away = new, now
        return q

    def approach(self, q: Array, steps: int) -> Array:
        """Return the joint values with the least sum of squares near `q`.

        Damping follows the gain (Nielsen 1999), so that no step makes it worse.
        """
        e, jacobian, _ = self.stacked(q)
        damping, growth = 1e-3, 2.0
        for _ in range(steps):
            self.steps += 1
            change = self._step(q, e, jacobian, damping)
            new = np.clip(q + change, self.lower, self.upper)
            if np.abs(new - q).max() < 1e-12:
                break
            e_new, jacobian_new, _ = self.stacked(new)
            if e_new @ e_new < e @ e:
                q, e, jacobian = new, e_new, jacobian_new
                damping, growth = max(0.2 * damping, 1e-15), 2.0
            else:
                damping, growth = damping * growth, 2.0 * growth
                if damping > 1e12:
                    break
        return q
