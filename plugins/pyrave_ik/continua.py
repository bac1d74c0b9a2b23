"""Parts of continua on which solutions lie, followed when they are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from pyrave.ik import IkAction, IkContinuum
from pyrave.jit import KernelModule, TypedKernel
from pyrave_ik.reasons import joints_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyrave.ik import IkParameterization, IkReturn
    from pyrave.spatial import Array
    from pyrave_ik.checks import Checks
    from pyrave_ik.plans import Candidates

__all__ = ["Continua", "in_order", "tried"]

_POINTS = 512
_COMPILE_AFTER = 3000.0
_path = TypedKernel(
    KernelModule("pyrave_ik.kernels.interval_path", _COMPILE_AFTER),
    "interval_path",
    (1, 2, 2, 2, 2, 1, 1, 2),
    lambda *_arrays: 150.0,
    whole=True,
    said="intervals of singular solutions",
    seconds=20.0,
)


@dataclass(frozen=True, eq=False)
class Continua(Sequence[IkContinuum | None]):
    """For each solution the part of a continuum on which it lies, None if isolated.

    Threads may share it: they may follow the same part twice.

    Parameters
    ----------
    end
        Arguments of the kernels: the plan, T_world_base, T_world_goal, virtual joints
        and samples.
    rows
        (k, 2 d + 8) as `kernels.solve` writes them.
    """

    end: tuple[Array, Array, Array, Array, Array]
    rows: Array
    _known: dict[int, IkContinuum | None] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> IkContinuum | None: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[IkContinuum | None]: ...

    def __getitem__(
        self, index: int | slice
    ) -> IkContinuum | Sequence[IkContinuum | None] | None:
        chosen = range(len(self.rows))[index]
        if isinstance(chosen, range):
            return tuple(self._one(k) for k in chosen)
        return self._one(chosen)

    def only(self, kept: Sequence[int]) -> Continua:
        """Return the parts of some of the solutions."""
        return Continua(self.end, self.rows[kept])

    def _one(self, k: int) -> IkContinuum | None:
        if k not in self._known:
            self._known[k] = self._followed(self.rows[k])
        return self._known[k]

    def _followed(self, row: Array) -> IkContinuum | None:
        d = (len(row) - 8) // 2
        if not row[d]:
            return None
        points, head = np.empty((_POINTS, d)), np.zeros(2)
        n = _path.call(*self.end, row, head, points)
        if n == 0:  # isolated after all, as far as numbers distinguish them
            return None
        return IkContinuum(
            joints_of(int(row[d])), int(head[0]), bool(head[1]), points[:n]
        )


def tried(
    checks: Checks, candidates: Candidates, goal: IkParameterization, near: Array
) -> Iterator[tuple[int, Array, IkReturn]]:
    """Check candidates in order, then other points of the continua of those refused.

    Yields the number of the candidate, the joint values that were checked, and the
    answer. Points of a continuum are tried until one passes.

    Parameters
    ----------
    near
        (n_arm,) joint values: the nearest points are tried first.
    """
    refused = []
    for k, (row, answer) in enumerate(checks.run(candidates.solutions, goal)):
        yield k, row, answer
        if answer.action & IkAction.QUIT:
            return
        if not answer:
            refused.append(k)
    for k in refused:
        part = candidates.intervals[k]
        if part is None:
            continue
        ways = ((part.points - near) ** 2).sum(axis=1)
        for row, answer in checks.run(part.points[ways.argsort()], goal):
            if answer:
                yield k, row, answer
                break
            if answer.action & IkAction.QUIT:
                yield k, row, answer
                return


def in_order(
    rows: Array, passed: list[int], named: list[dict[str, Any]], near: Array
) -> tuple[Array, list[int], list[dict[str, Any]]]:
    """Return what `tried` passed with the nearest first.

    Candidates come in this order, other points of continua after them.
    """
    if passed == sorted(passed):
        return rows, passed, named
    order = ((rows - near) ** 2).sum(axis=1).argsort(kind="stable").tolist()
    return rows[order], [passed[k] for k in order], [named[k] for k in order]
