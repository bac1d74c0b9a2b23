"""Reasons for rejecting candidates, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, overload

from pyrave.ik import IkAction, IkRejection
from pyrave_ik.kernels.turns import SLACK

if TYPE_CHECKING:
    from pyrave.spatial import Array
    from pyrave_ik.methods.bounded_arm import Candidates

OUTSIDE = IkAction.REJECT | IkAction.REJECT_JOINT_LIMITS
UNREACHED = IkAction.REJECT | IkAction.REJECT_KINEMATICS


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
    names: tuple[str, ...]

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


def reasons_of(candidates: Candidates) -> IkAction:
    """Return reasons against a solution that are known before any check."""
    if len(candidates.refused):
        return OUTSIDE
    return IkAction.SUCCESS if len(candidates.solutions) else UNREACHED
