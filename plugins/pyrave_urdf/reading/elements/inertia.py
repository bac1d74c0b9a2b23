"""Inertias as bodies can have them, and in other axes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyrave.scene.pose import Matrix3

_EYE = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
_TOLERANCE = 1e-6
_NOTHING = 1e-15  # kg m2; exporters write rounding errors for zero


def check_inertia(
    xx: float, xy: float, xz: float, yy: float, yz: float, zz: float
) -> str | None:
    """Return the fault of an inertia about a centre of mass, or None.

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
    if low < -slack:
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
    a, b, c, d, e, f, g, h, k = (
        r[row] * i[column] + r[row + 1] * i[3 + column] + r[row + 2] * i[6 + column]
        for row in (0, 3, 6)
        for column in (0, 1, 2)
    )
    # exactly symmetric, whatever the sums are rounded to
    xy = 0.5 * ((a * r[3] + b * r[4] + c * r[5]) + (d * r[0] + e * r[1] + f * r[2]))
    xz = 0.5 * ((a * r[6] + b * r[7] + c * r[8]) + (g * r[0] + h * r[1] + k * r[2]))
    yz = 0.5 * ((d * r[6] + e * r[7] + f * r[8]) + (g * r[3] + h * r[4] + k * r[5]))
    return (
        *(a * r[0] + b * r[1] + c * r[2], xy, xz),
        *(xy, d * r[3] + e * r[4] + f * r[5], yz),
        *(xz, yz, g * r[6] + h * r[7] + k * r[8]),
    )
