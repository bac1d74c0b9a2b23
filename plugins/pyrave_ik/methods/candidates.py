"""Candidates: joint values that meet a goal, and the reasons against others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, overload

import numpy as np

from pyrave.ik import IkAction, IkRejection
from pyrave.spatial import Array
from pyrave_ik.kernels.packed_arm import ONE_TURN
from pyrave_ik.kernels.turns import SLACK

if TYPE_CHECKING:
    from pyrave.spatial import Indices

OUTSIDE = IkAction.REJECT | IkAction.REJECT_JOINT_LIMITS
UNREACHED = IkAction.REJECT | IkAction.REJECT_KINEMATICS


def _no_points(_number: int) -> Iterator[Array]:
    return iter(())


@dataclass(slots=True, eq=False)
class Candidates:
    """All solutions of a goal, and what limits leave out. Nobody changes it.

    Parameters
    ----------
    solutions
        (k, d) joint values, the nearest first.
    branches
        (k,) the number of the branch of each, -1 where that is not known.
    continua
        (k,) bits of the joints that move along the continuum that each is a point of;
        None where that is not known.
    refused
        (r, d) values that no whole turns bring inside the limits.
    outside
        (r, d) how far each joint is outside at its nearest turn, negative if below.
    bounds
        (d, 5) the limits, see `packed_arm.pack`.
    along
        Returns for the number of a solution on a continuum other points (m, d) of it,
        see `BoundedArm.along`.
    complete
        Whether these are proven to be all.
    why
        Why there are no others, empty if that is not to be said.
    """

    solutions: Array
    branches: Indices
    continua: Indices | None
    refused: Array
    outside: Array
    bounds: Array
    along: Callable[[int], Iterator[Array]] = _no_points
    complete: bool = False
    why: str = ""

    @classmethod
    def listed(
        cls,
        rows: Array,
        near: Array,
        bounds: Array,
        *,
        turned: bool = False,
        complete: bool = False,
        why: str = "",
    ) -> Candidates:
        """Return rows (k, d) of which nothing else is known, the nearest to (d,) first.

        Parameters
        ----------
        turned
            Whether joints that turn without end get the turn nearest to `near`.
        """
        off = rows - near
        joints, turns = unwind(off, bounds)
        order = np.einsum("ij,ij->i", off, off).argsort(kind="stable")
        rows = rows[order]
        if turned:
            rows[:, joints] -= turns[order]
        none, branches = np.empty((0, len(bounds))), np.full(len(rows), -1)
        return cls(rows, branches, None, none, none, bounds, complete=complete, why=why)

    def with_others(self, rows: Array) -> Candidates:
        """Return candidates whose solutions are (k, d) rows that no branch led to."""
        continua = np.zeros(len(rows), dtype=np.int64)
        branches = np.full(len(rows), -1)
        return replace(self, solutions=rows, branches=branches, continua=continua)

    @property
    def action(self) -> IkAction:
        """The reasons against a solution that are known before any check."""
        if len(self.refused):
            return OUTSIDE
        return IkAction.SUCCESS if len(self.solutions) else UNREACHED

    def moving(self) -> tuple[tuple[int, ...], ...]:
        """Return per solution the numbers of the joints that move on its continuum."""
        if self.continua is None:
            return ()
        bits = self.continua.tolist()
        return tuple(map(_set_bits, bits)) if any(bits) else ((),) * len(bits)

    def rejections(self, names: Sequence[str]) -> Sequence[IkRejection]:
        """Return the rejections of values outside limits, after one for all.

        Parameters
        ----------
        names
            Of the joints.
        """
        refused = OutsideLimits(self.refused, self.outside, self.bounds, names)
        if not self.why:
            return refused
        return (IkRejection(UNREACHED, np.empty(0), self.why), *refused)


def _set_bits(bits: int) -> tuple[int, ...]:
    return tuple(i for i in range(bits.bit_length()) if bits >> i & 1)


@dataclass(frozen=True, eq=False)
class OutsideLimits(Sequence[IkRejection]):
    """Candidates that limits leave out; their texts are made when they are looked at.

    Parameters
    ----------
    values
        (r, n) joint values.
    outside
        (r, n) how far each is above its limit, negative: below.
    bounds
        (n, 5) as `packed_arm.pack` takes them.
    names
        Of the joints.
    """

    values: Array
    outside: Array
    bounds: Array
    names: Sequence[str]

    def __len__(self) -> int:
        return len(self.values)

    @overload
    def __getitem__(self, index: int) -> IkRejection: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[IkRejection]: ...

    def __getitem__(self, index: int | slice) -> IkRejection | Sequence[IkRejection]:
        return self._rejections[index]

    @cached_property
    def _rejections(self) -> tuple[IkRejection, ...]:
        return tuple(
            IkRejection(OUTSIDE, row, limit_reason(off, self.bounds, self.names))
            for row, off in zip(self.values, self.outside, strict=True)
        )


def limit_reason(outside: Array, bounds: Array, names: Sequence[str]) -> str:
    """Return the joints that violate limits, and the amounts.

    Parameters
    ----------
    outside
        (n,) how far joint values are above their limits, negative: below.
    bounds
        (n, 5) as `packed_arm.pack` takes them.
    """
    said = []
    # a joint within limits is the reason only where it moves the tool
    least = SLACK if abs(outside).max() > SLACK else 0.0
    for over, row, name in zip(outside.tolist(), bounds.tolist(), names, strict=True):
        if abs(over) <= least:
            continue
        limit = row[1] if over > 0.0 else row[0]
        side = "above" if over > 0.0 else "below"
        unit = "rad" if row[4] else "m"
        said.append(
            f"joint {name!r} would be at {limit + over:.4g} {unit}, {abs(over):.3g} "
            f"{side} its limit {limit:.4g}"
        )
    return "; ".join(said)


def unwind(off: Array, bounds: Array) -> tuple[Indices, Array]:
    """Take whole turns of joints that turn without end out of differences (k, d).

    Returns the numbers (e,) of these joints, and the turns (k, e) that were taken out.
    """
    ends = (bounds[:, 2] == ONE_TURN) & (bounds[:, 4] > 0.0)
    joints, period = np.flatnonzero(ends), bounds[ends, 4]
    turns = period * np.rint(off[:, joints] / period)
    off[:, joints] -= turns
    return joints, turns


def squared_ways(rows: Array, near: Array, bounds: Array) -> Array:
    """Return the squared distances of (k, d) from (d,), joints the short way round."""
    off = rows - near
    unwind(off, bounds)
    return np.asarray(np.einsum("ij,ij->i", off, off))
