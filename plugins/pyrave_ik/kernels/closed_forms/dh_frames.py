"""Loops in the frames of their axes, for closed forms without a root of an equation.

A loop is a chain of turns about z with a fixed link after each (Denavit and
Hartenberg): ``Z0 A0 Z1 A1 ... A4 Z5 = M``, A = Tz(d) Tx(a) Rx(twist). Two families of
loops need nothing but quadratic equations, see `wrist` and `parallel`.
Cosines and sines are carried, the angles come at the end, and the product of all joints
is compared with M for each solution. All solutions are worked out side by side, see
`simd_angles`.

Where anything is near a singularity, a double solution or the edge of the workspace,
or does not verify, these kernels give up: they are not sure.

A loop may deviate from the geometry of its family by `TILT`. Surplus parameters are
left out, and all margins are as wide as the solutions may have moved: to the root of it
where they are about to merge. Newton's method takes rows to the loop as it is, see
`kernels.elimination.calibrated`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave_ik.kernels.linear import cross
from pyrave_ik.kernels.packed_arm import (
    BACKWARD,
    LEFT,
    LINKS,
    RIGHT,
    SCREWS,
    SIGN,
    TILT,
    ZERO,
)

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

EDGE = 1e-10
"""Squared sines below which solutions are about to merge."""
CLEAR = 1e-6
"""Negative of the squared sine below which there is certainly no solution.

Errors of the angles before count with the lever of what comes behind.
"""
SLIM = 2e-2
"""Sine of a twist by the square of which a closed form can be divided."""
STRAIGHT = 1e-19
"""Squared sines below which two axes of a wrist are one; folds leave less of zero."""
LINKED = 1e-12
"""The same for the axis behind parallel ones: with less their reach is noise."""
CANCELS = 1e-9
"""Part of a difference of squares below which rounding rules."""
FLAT = 1e-9
PRECISE = 1e-12
"""Sines and lengths that are rounding."""
GOOD = 1e-11
"""Greatest deviation of an entry of the displacement."""
ROUNDING = 1e-13
SKEW = 1e-3
"""Sine of a twist below which common normals are too far away."""

JIT_OPTIONS = {"behind": {"forceinline": True}}


def margin(packed: F64) -> float:
    """Return by how much squared sines may be off in the packed arm's loop."""
    return 2.0 * math.sqrt(packed[TILT])


def reach(screws: F64) -> float:
    """Return the distance of points of a loop's axes from that of the first."""
    most = 1e-3
    for i in range(1, 6):
        for k in range(3):
            most = max(most, abs(screws[i, 3 + k] - screws[0, 3 + k]))
    return most


def links(packed: F64, aligned: bool) -> bool:
    """Write the links of the packed arm's loop; False if there are none.

    That is where a joint slides, and where axes are one or nearly parallel.

    Frames have z along an axis; link i takes that of axis i, x along the common normal,
    to axis i + 1: length, offset along the axis, cosine and sine of the twist.

    Parameters
    ----------
    aligned
        Whether axes 1, 2, 3 are parallel, and are to have one direction.
    """
    screws = packed[SCREWS : SCREWS + 42].reshape(6, 7)
    for i in range(6):
        if screws[i, 6] != 0.0:
            return False
    backward = packed[BACKWARD] != 0.0
    flat = max(PRECISE, 4.0 * packed[TILT])
    short = max(PRECISE, 4.0 * packed[TILT] * reach(screws))
    v = np.zeros((9, 3))  # one allocation is much faster than nine
    z, p, w, q, x = v[0], v[1], v[2], v[3], v[4]
    old_x, foot, origin, old = v[5], v[6], v[7], v[8]
    axis_of(screws, 0, backward, z, p)
    packed[SIGN] = 1.0
    for i in range(5):
        axis_of(screws, i + 1, backward, w, q)
        sign = 1.0
        along = z[0] * w[0] + z[1] * w[1] + z[2] * w[2]
        # axes 2 and 3 point where axis 1 does
        if aligned and (i == 1 or i == 2) and along < 0.0:  # noqa: PLR1714
            sign = -1.0
            along = -along
            for k in range(3):
                w[k] = -w[k]
        packed[SIGN + i + 1] = sign
        cross(z, w, x)
        sine = math.sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2])
        if flat <= sine < SKEW:
            return False
        if sine < flat:
            total = 0.0
            for k in range(3):
                origin[k] = old[k] if i > 0 else p[k]
                x[k] = q[k] - origin[k]
                total += x[k] * z[k]
            length = 0.0
            for k in range(3):
                x[k] -= total * z[k]
                length += x[k] * x[k]
            length = math.sqrt(length)
            # the tilt turns what is no longer than it
            if length < FLAT or length * length < packed[TILT]:
                return False
            for k in range(3):
                foot[k] = origin[k] + x[k]
                x[k] /= length
            along = 1.0 if along > 0.0 else -1.0
            sine = 0.0
        else:
            length = 0.0
            for k in range(3):
                x[k] /= sine
                length += (q[k] - p[k]) * x[k]
            # where the common normal meets axis i
            total = 0.0
            for k in range(3):
                a, b = (k + 1) % 3, (k + 2) % 3
                total += ((q[a] - p[a]) * w[b] - (q[b] - p[b]) * w[a]) * x[k]
            total /= sine
            if abs(length) < short:
                length = 0.0
            for k in range(3):
                origin[k] = p[k] + total * z[k]
                foot[k] = origin[k] + length * x[k]
        at = LINKS + 4 * i
        if i == 0:
            write_inverse(z, x, origin, packed[LEFT : LEFT + 12])
            packed[ZERO] = 0.0
            packed[at + 1] = 0.0
        else:
            c = 0.0
            s = 0.0
            offset = 0.0
            for k in range(3):
                a, b = (k + 1) % 3, (k + 2) % 3
                c += old_x[k] * x[k]
                s += (z[a] * old_x[b] - z[b] * old_x[a]) * x[k]
                offset += (origin[k] - old[k]) * z[k]
            packed[ZERO + i] = math.atan2(s, c)
            packed[at + 1] = offset if abs(offset) > ROUNDING else 0.0
        packed[at] = length if abs(length) > ROUNDING else 0.0
        packed[at + 2] = along if abs(along) > ROUNDING else 0.0
        packed[at + 3] = sine if abs(sine) > ROUNDING else 0.0
        for k in range(3):
            z[k], p[k] = w[k], q[k]
            old[k], old_x[k] = foot[k], x[k]
    packed[ZERO + 5] = 0.0
    cross(z, x, w)
    for k in range(3):
        at = RIGHT + 4 * k
        packed[at] = x[k]
        packed[at + 1] = w[k]
        packed[at + 2] = z[k]
        packed[at + 3] = foot[k]
    return True


def axis_of(screws: F64, i: int, backward: bool, direction: F64, point: F64) -> None:
    """Write axis i of the loop, or of the loop run backward."""
    for k in range(3):
        if backward:
            direction[k] = -screws[5 - i, k]
            point[k] = screws[5 - i, 3 + k]
        else:
            direction[k] = screws[i, k]
            point[k] = screws[i, 3 + k]


def write_inverse(z: F64, x: F64, origin: F64, out: F64) -> None:
    """Write the (12,) inverse of the frame with these axes."""
    y0 = z[1] * x[2] - z[2] * x[1]
    y1 = z[2] * x[0] - z[0] * x[2]
    y2 = z[0] * x[1] - z[1] * x[0]
    for k in range(3):
        out[k] = x[k]
        out[8 + k] = z[k]
    out[4], out[5], out[6] = y0, y1, y2
    for i in range(3):
        out[4 * i + 3] = -(
            out[4 * i] * origin[0]
            + out[4 * i + 1] * origin[1]
            + out[4 * i + 2] * origin[2]
        )


def closing(packed: F64, pose: F64, out: F64) -> None:
    """Write M as 12 numbers: rotation row by row, then translation."""
    for i in range(3):
        if packed[BACKWARD] != 0.0:
            r0, r1, r2 = pose[0, i], pose[1, i], pose[2, i]
            t = -(r0 * pose[0, 3] + r1 * pose[1, 3] + r2 * pose[2, 3])
        else:
            r0, r1, r2, t = pose[i, 0], pose[i, 1], pose[i, 2], pose[i, 3]
        for j in range(3):
            out[12 + 3 * i + j] = (
                r0 * packed[RIGHT + j]
                + r1 * packed[RIGHT + 4 + j]
                + r2 * packed[RIGHT + 8 + j]
            )
        out[21 + i] = (
            r0 * packed[RIGHT + 3]
            + r1 * packed[RIGHT + 7]
            + r2 * packed[RIGHT + 11]
            + t
        )
    for i in range(3):
        a, b, c = (
            packed[LEFT + 4 * i],
            packed[LEFT + 4 * i + 1],
            packed[LEFT + 4 * i + 2],
        )
        for j in range(3):
            out[3 * i + j] = a * out[12 + j] + b * out[15 + j] + c * out[18 + j]
        out[9 + i] = a * out[21] + b * out[22] + c * out[23] + packed[LEFT + 4 * i + 3]


def crossing(
    a: float, b: float, d: float, size: float, off: float
) -> tuple[int, float, float]:
    """Return (count, u, v) of the solutions of ``a + b c + d s = 0``: -1, 0 or 2.

    The solutions are ``(-b u - d v, -d u + b v)`` and the same with -v. -1: too near to
    a tangent to tell, or no condition at all.

    Parameters
    ----------
    size
        Square of what the coefficients are compared with.
    off
        See `margin`.
    """
    r2 = b * b + d * d
    if r2 < (FLAT + off) * size:
        return -1, 0.0, 0.0
    inv = 1.0 / r2
    u = a * inv
    rest = 1.0 - a * u
    if rest < EDGE + off:
        return (0 if rest < -CLEAR - off else -1), 0.0, 0.0
    return 2, u, math.sqrt(rest * inv)


def behind(
    c: float, s: float, ca: float, sa: float, x: float, y: float, z: float
) -> tuple[float, float, float]:
    """Return a direction seen from behind a joint and the link after it."""
    y, x = c * y - s * x, c * x + s * y
    return x, ca * y + sa * z, ca * z - sa * y
