"""Distance of matrices from rigid transforms, on plain numbers, for speed."""

from __future__ import annotations

import math

_LAST_ROW = [0.0, 0.0, 0.0, 1.0]
ROUNDING = 1e-12
"""Error of products of rotations that is taken for rounding."""


def is_rigid(rows: list[list[float]]) -> bool:
    """Return True if four rows are surely a rigid transform up to rounding, and finite.

    The third row of a rotation is the product of the others. What is no number fails.
    """
    (a, b, c, x), (d, e, f, y), (g, h, i, z), last = rows
    return (
        -ROUNDING < a * a + b * b + c * c - 1.0 < ROUNDING
        and -ROUNDING < d * d + e * e + f * f - 1.0 < ROUNDING
        and -ROUNDING < a * d + b * e + c * f < ROUNDING
        and -ROUNDING < b * f - c * e - g < ROUNDING
        and -ROUNDING < c * d - a * f - h < ROUNDING
        and -ROUNDING < a * e - b * d - i < ROUNDING
        and (x + y + z) * 0.0 == 0.0
        and last == _LAST_ROW
    )


def rigid_error(rows: list[list[float]]) -> float:
    """Return the deviation of rows from a rigid transform, inf for a reflection."""
    (a, b, c, _), (d, e, f, _), (g, h, i, _), (p, q, r, one) = rows
    error = max(
        abs(a * a + b * b + c * c - 1.0),
        abs(d * d + e * e + f * f - 1.0),
        abs(g * g + h * h + i * i - 1.0),
        abs(a * d + b * e + c * f),
        abs(a * g + b * h + c * i),
        abs(d * g + e * h + f * i),
        abs(p),
        abs(q),
        abs(r),
        abs(one - 1.0),
    )
    turned = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    return error if turned > 0.0 else math.inf
