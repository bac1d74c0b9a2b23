"""Kernels that compare joint values with their limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64_1, F64_2

# to let go of the interpreter takes a tenth of the call
JIT_OPTIONS = {
    "take_within": {"nogil": False},
    "bring_within": {"nogil": False},
}

DONE = 0
WRONG_SHAPE = 1
OUTSIDE = 2

SLACK = 1e-10
"""Distance beyond a limit that is taken for rounding."""
WRAPPED_LOWER, WRAPPED_UPPER, LOWER, UPPER = 0, 1, 2, 3
"""Rows of the ranges of `bring_within`."""
WRAPPED, BROUGHT = 0, 1
"""Rows of what it writes."""


def take_within(values: F64_1, bounds: F64_2, out: F64_1) -> int:
    """Copy values (n,) to `out` if all are within `bounds`, (2, n): lower, upper.

    Otherwise nothing is written and it returns WRONG_SHAPE or OUTSIDE.
    """
    n = values.shape[0]
    if bounds.shape[0] != 2 or bounds.shape[1] != n or out.shape[0] != n:
        return WRONG_SHAPE
    for i in range(n):
        if not bounds[0, i] <= values[i] <= bounds[1, i]:
            return OUTSIDE
    for i in range(n):
        out[i] = values[i]
    return DONE


def bring_within(values: F64_1, ranges: F64_2, out: F64_2) -> int:
    """Wrap values into the ranges in which they report, and clamp them to limits.

    Parameters
    ----------
    values
        (n,) finite.
    ranges
        (4, n) the range of each that is wrapped, infinite for others, and limits.
    out
        Output, (2, n): wrapped, and clamped as well.

    Returns
    -------
    int
        The first value that is beyond its limits by more than `SLACK`, or -1.
    """
    first = -1
    for i in range(values.shape[0]):
        value, low = values[i], ranges[WRAPPED_LOWER, i]
        if not low <= value <= ranges[WRAPPED_UPPER, i]:
            span = ranges[WRAPPED_UPPER, i] - low
            value = low + (value - low) % span
        out[WRAPPED, i] = value
        lower, upper = ranges[LOWER, i], ranges[UPPER, i]
        if first < 0 and (value < lower - SLACK or value > upper + SLACK):
            first = i
        out[BROUGHT, i] = min(max(value, lower), upper)
    return first
