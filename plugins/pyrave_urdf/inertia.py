"""Inertias as bodies can have them, and in other axes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyrave.scene.pose import Matrix3

__all__ = ["check_inertia", "turned"]

_EYE = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
_TOLERANCE = 1e-6
_NOTHING = 1e-18  # kg m2; exporters write rounding errors for zero


def check_inertia(
    xx: float, xy: float, xz: float, yy: float, yz: float, zz: float
) -> str | None:
    """Return what is wrong with an inertia about a centre of mass, or None.

    A rigid body's principal moments a <= b <= c are not negative and fulfil
    a + b >= c: then tr(I)/2 E - I, the second moments of its mass, has no negative
    eigenvalue. That is judged by principal minors, up to a millionth of the trace.
    """
    trace = xx + yy + zz
    half, slack = 0.5 * trace, _TOLERANCE * abs(trace) + _NOTHING
    if not math.isfinite(trace * trace * trace):
        return "is absurdly large"
    a, b, c = half - xx + slack, half - yy + slack, half - zz + slack
    right = (
        min(a, b, c) >= 0.0
        and a * b - xy * xy >= 0.0
        and a * c - xz * xz >= 0.0
        and b * c - yz * yz >= 0.0
        and a * (b * c - yz * yz) - xy * (xy * c + yz * xz) - xz * (xy * yz + b * xz)
        >= 0.0
    )
    if right:
        return None
    import numpy as np

    matrix = np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
    low, middle, high = np.linalg.eigvalsh(matrix).tolist()
    moments = f"{low:.4g}, {middle:.4g} and {high:.4g} kg m2"
    if low < 0.0:
        return f"has a negative principal moment: {moments}"
    return (
        f"breaks the triangle inequality: its principal moments are {moments}, and "
        "the largest exceeds the sum of the others"
    )


def turned(inertia: Matrix3, rotation: Matrix3) -> Matrix3:
    """Return R I R^T, row-major."""
    if rotation == _EYE:
        return inertia
    i, r = inertia, rotation
    half = [
        sum(r[3 * row + k] * i[3 * k + column] for k in range(3))
        for row in range(3)
        for column in range(3)
    ]
    full = [
        sum(half[3 * row + k] * r[3 * column + k] for k in range(3))
        for row in range(3)
        for column in range(3)
    ]
    # exactly symmetric, whatever the sums were rounded to
    xy, xz = 0.5 * (full[1] + full[3]), 0.5 * (full[2] + full[6])
    yz = 0.5 * (full[5] + full[7])
    return (full[0], xy, xz, xy, full[4], yz, xz, yz, full[8])
