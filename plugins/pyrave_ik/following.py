"""Damped least squares for axes that follow joints by any formula.

The axes' part is that of the compiled solver: residuals and their derivatives by the
values of the axes. How these follow from the joints is asked of the robot's own model,
so that every formula that it can compute will do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.jit import KernelModule

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from pyrave.spatial import Array
    from pyrave_ik.chain import ArmChain

    Stacked = Callable[[Array], tuple[Array, Array, Array]]

__all__ = ["Descent", "Following", "bare"]

kernels = KernelModule("pyrave_ik.kernels.residuals._kernels")

_COST = 0.05
_LONGEST = 1.0
"""Most that a joint moves in a step."""
_STALE = 0.9
"""A start ends that has not brought the residual below this part in eight steps."""


def bare(chain: ArmChain) -> ArmChain:
    """Return a chain whose axes are its joints."""
    return replace(
        chain,
        arm=tuple(range(chain.n)),
        scale=np.ones(chain.n),
        offset=np.zeros(chain.n),
        couplings=None,
    )


class Following:
    """What chains of a problem miss of its goals, by their joints.

    Parameters
    ----------
    chains
        t chains whose joints are the same n.
    arrays
        Of the `bare` chains, as the kernels of residuals take them: frames, axes,
        dofs, starts.
    """

    def __init__(self, chains: Sequence[ArmChain], arrays: tuple[Any, ...]) -> None:
        self._chains = chains
        self._arrays = arrays
        self._m = sum(chain.n for chain in chains)

    def stacked(self, goals: tuple[Any, ...]) -> Stacked:
        """Return what gives residuals (r,), derivatives (r, n), misses (2,) at (n,).

        Parameters
        ----------
        goals
            Kinds, targets, tools and weights.
        """
        m, most = self._m, 6 * len(self._chains)
        lines, rows = np.empty((m, 6)), np.empty((8, 6))
        e, by_axes = np.empty(most), np.empty((most, m))

        def at(q: Array) -> tuple[Array, Array, Array]:
            parts = [chain.linearised(q) for chain in self._chains]
            values = np.concatenate([part[0] for part in parts])
            slopes = np.concatenate([part[1] for part in parts])
            miss = np.full(2, np.inf)
            if not (np.isfinite(values).all() and np.isfinite(slopes).all()):
                return np.full(1, np.inf), np.zeros((1, len(q))), miss
            r = kernels.auto(_COST).stacked(
                *self._arrays, *goals, values, lines, rows, e, by_axes, miss
            )
            return e[:r].copy(), by_axes[:r] @ slopes, miss

        return at

    def tools(self, q: Array) -> Array:
        """Return the poses (t, 4, 4) of the tools at joint values (n,)."""
        return np.array([chain.tool(q) for chain in self._chains])


@dataclass
class Descent:
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

    def met(self, miss: Array) -> bool:
        """Return whether the goals are met."""
        return bool((miss <= self.tolerance).all())

    def search(self, starts: Sequence[Array], steps: int) -> tuple[bool, Array, int]:
        """Return whether goals are met, where (n,) or where nearly, and starts taken.

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
        """Return whether goals are met from a start, where it ends, and e'e there."""
        mark = total = np.inf
        for step in range(steps):
            self.steps += 1
            e, jacobian, miss = self.stacked(q)
            total = float(e @ e)
            if self.met(miss):
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
        """Return where the goals stay met and joints are nearer to `wanted` (n,)."""
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

    def approach(self, q: Array, steps: int) -> tuple[Array, Array]:
        """Return where the sum of squares is least near `q`, and what it misses (2,).

        Damping follows the gain (Nielsen 1999), so that no step makes it worse.
        """
        e, jacobian, miss = self.stacked(q)
        damping, growth = 1e-3, 2.0
        for _ in range(steps):
            self.steps += 1
            change = self._step(q, e, jacobian, damping)
            new = np.clip(q + change, self.lower, self.upper)
            if np.abs(new - q).max() < 1e-12:
                break
            e_new, jacobian_new, miss_new = self.stacked(new)
            if e_new @ e_new < e @ e:
                q, e, jacobian, miss = new, e_new, jacobian_new, miss_new
                damping, growth = max(0.2 * damping, 1e-15), 2.0
            else:
                damping, growth = damping * growth, 2.0 * growth
                if damping > 1e12:
                    break
        return q, miss
