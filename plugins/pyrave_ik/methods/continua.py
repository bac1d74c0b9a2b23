"""Parts of continua on which solutions lie, followed when they are read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, overload

import numpy as np

from pyrave.ik import IkContinuum
from pyrave.jit import KernelModule, TypedKernel

if TYPE_CHECKING:
    from pyrave.spatial import Array

_POINTS = 512
_COMPILE_AFTER = 3000.0
kernel = TypedKernel(
    KernelModule("pyrave_ik.kernels.singular.interval_path", _COMPILE_AFTER),
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
        Arguments of the kernels: the packed arm, T_world_base, T_world_goal, virtual
        joints and samples.
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
        n = kernel.call(*self.end, row, head, points)
        if n == 0:  # isolated after all, as far as numbers distinguish them
            return None
        return IkContinuum(
            joints_of(int(row[d])), int(head[0]), bool(head[1]), points[:n]
        )


def joints_of(bits: int) -> tuple[int, ...]:
    """Return the numbers of the bits that are set."""
    return tuple(i for i in range(bits.bit_length()) if bits >> i & 1)
