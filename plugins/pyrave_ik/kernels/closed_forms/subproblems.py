"""Two equations, each linear in (1, cos, sin) of one joint and of another.

A sliding joint has (d, d^2) in the place of (cos, sin). Both the position problem of a
wrist and that of three parallel axes reduce to this intersection of two conics, at
most four pairs of values (Elias and Wen, IK-Geo, 2022, subproblems 3 to 6).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave_ik.kernels.linear import eigenvalues

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

EDGE = 1e-7
"""Gap beyond a tangency at which two equations still touch; verified later."""
ROUNDING = 1e-15
"""Error of a coefficient, in parts of the terms that it is the sum of."""
NOISE = 1e-13
"""Part of an equation's greatest coefficient that is rounding."""
ABSENT = 1e-10
"""Part of an equation that a joint has left in it below which it counts as absent.

Newton's method takes solutions without it to those of the true equations.
"""
FLAT = 1e-6
"""The same where neither joint has more.

The quartic finds them no longer: its roots would be double but for the square of this.
"""
REAL = 1e-5
"""Imaginary part of roots that are tried: a double root comes as a pair."""


def margin_of(error: float) -> float:
    """Return the discriminant below which the number of real roots is uncertain.

    Discriminants and errors of coefficients are relative. An error moves a root by its
    square root where the discriminant is as small.
    """
    return 2.0 * math.sqrt(error)


def line_and_circle(a: float, b: float, d: float, error: float, out: F64) -> int:
    """Write (c, s) with ``a + b c + d s = 0`` on the unit circle; 0, 1 or 2 rows.

    The foot of the line is ``-a (b, d) / (b^2 + d^2)``, the two points are
    ``sqrt((1 - a^2 / (b^2 + d^2)) / (b^2 + d^2)) (-d, b)`` from it.

    Returns their number k, or -1 - k where errors of the coefficients up to `error` may
    have changed it.
    """
    r2 = b * b + d * d
    if r2 <= 100.0 * error * error:
        return 0 if abs(a) > 1e3 * error else -1
    inv = 1.0 / r2
    x = -a * b * inv
    y = -a * d * inv
    rest = 1.0 - a * a * inv
    margin = margin_of(error * math.sqrt(inv))
    if rest < EDGE:
        if rest < -max(EDGE, margin):
            return 0
        if rest < 1e-15:
            n = math.sqrt(x * x + y * y)
            out[0, 0] = x / n
            out[0, 1] = y / n
            return -2
    h = math.sqrt(rest * inv)
    out[0, 0] = x - d * h
    out[0, 1] = y + b * h
    out[1, 0] = x + d * h
    out[1, 1] = y - b * h
    return -3 if rest < margin else 2


def line_and_parabola(a: float, b: float, d: float, error: float, out: F64) -> int:
    """Write (x, x^2) with ``a + b x + d x^2 = 0``; return as `line_and_circle`."""
    most = max(abs(b), abs(d))
    if most <= 10.0 * error:
        return 0 if abs(a) > 1e3 * error else -1
    if abs(d) <= 1e-12 * abs(b):
        out[0, 0] = -a / b
        out[0, 1] = out[0, 0] * out[0, 0]
        return 1
    h = b * b - 4.0 * a * d
    size = b * b + abs(4.0 * a * d)
    margin = margin_of(error * (2.0 * abs(b) + 4.0 * (abs(a) + abs(d))) / size)
    if h < 1e-15 * size:
        if h < -max(EDGE, margin) * size:
            return 0
        out[0, 0] = -0.5 * b / d
        out[0, 1] = out[0, 0] * out[0, 0]
        return -2
    root = math.sqrt(h)
    q = -0.5 * (b + (root if b >= 0.0 else -root))
    out[0, 0] = q / d
    out[1, 0] = a / q
    out[0, 1] = out[0, 0] * out[0, 0]
    out[1, 1] = out[1, 0] * out[1, 0]
    return -3 if h < margin * size else 2


def line(slides: bool, a: float, b: float, d: float, error: float, out: F64) -> int:
    """Write the solutions of a linear equation for a turning or a sliding joint."""
    if slides:
        return line_and_parabola(a, b, d, error, out)
    return line_and_circle(a, b, d, error, out)


def extent(a: F64, b: F64, k: int) -> float:
    """Return the sum of the terms of row k of both sides, without their signs."""
    total = 0.0
    for j in range(3):
        total += abs(a[k, j]) + abs(b[k, j])
    return total


def without_noise(mine: F64, other: F64, k: int) -> None:
    """Make a row's coefficients zero if they are no more than the equation's rounding.

    Axes that meet or are at right angles leave such rows, whose direction is chance.
    """
    size = abs(mine[k, 0])
    for j in range(3):
        size = max(size, abs(other[k, j]))
    if max(abs(mine[k, 1]), abs(mine[k, 2])) <= NOISE * size:
        mine[k, 1] = 0.0
        mine[k, 2] = 0.0


def pairs(
    left: F64,
    right: F64,
    left_slides: bool,
    right_slides: bool,
    tilt: float,
    out: F64,
) -> int:
    """Write (x, x', y, y') that solve ``left (1, x, x') = right (1, y, y')``.

    `left` and `right` are (2, 3); (x, x') and (y, y') are (cos, sin) or (d, d^2).
    Returns the number of rows k, at most 8, or -1 - k if solutions may be missing.
    Coefficients that are rounding alone become zeros in `left` and `right`.

    Parameters
    ----------
    tilt
        How far the axes are from the geometry that the equations assume. Rows that are
        proportional but for that count as proportional.
    """
    for k in range(2):
        without_noise(left, right, k)
        without_noise(right, left, k)
    l00, l01, l10, l11 = left[0, 1], left[0, 2], left[1, 1], left[1, 2]
    r00, r01, r10, r11 = right[0, 1], right[0, 2], right[1, 1], right[1, 2]
    det_l = l00 * l11 - l01 * l10
    det_r = r00 * r11 - r01 * r10
    left_over = leftover(right, left, det_l)
    right_over = leftover(left, right, det_r)
    least = min(left_over, right_over)
    # the second set of values is found from the first, whichever that is; numba
    # compiles a function again for each literal truth value
    if least <= max(ABSENT, 10.0 * tilt) or max(left_over, right_over) <= FLAT:
        swap = left_over < right_over
        a, b = (right, left) if swap else (left, right)
        a_slides = right_slides if swap else left_slides
        b_slides = left_slides if swap else right_slides
        error = max(ROUNDING, tilt, least - NOISE)
        return _separated(a, b, a_slides, b_slides, swap, error, out)
    swap = right_over < left_over
    a, b = (right, left) if swap else (left, right)
    a_slides = right_slides if swap else left_slides
    b_slides = left_slides if swap else right_slides
    det = det_l if swap else det_r
    return _crossed(a, b, a_slides, b_slides, det, swap, tilt, out)


def without(b: F64) -> tuple[float, float]:
    """Return the factors of two rows in whose sum their joint occurs least.

    That of the row which has less of it is 1.
    """
    b0 = b[0, 1] * b[0, 1] + b[0, 2] * b[0, 2]
    b1 = b[1, 1] * b[1, 1] + b[1, 2] * b[1, 2]
    most = max(b0, b1)
    other = -(b[0, 1] * b[1, 1] + b[0, 2] * b[1, 2]) / most if most > 0.0 else 0.0
    return (other, 1.0) if b0 >= b1 else (1.0, other)


def leftover(a: F64, b: F64, det: float) -> float:
    """Return the remainder of a joint's rows `b` in that sum, in parts of its terms."""
    b0 = b[0, 1] * b[0, 1] + b[0, 2] * b[0, 2]
    b1 = b[1, 1] * b[1, 1] + b[1, 2] * b[1, 2]
    f0, f1 = without(b)
    size = abs(f0) * extent(a, b, 0) + abs(f1) * extent(a, b, 1)
    size *= math.sqrt(max(b0, b1))
    return abs(det) / size if size > 0.0 else 0.0


def _separated(
    a: F64,
    b: F64,
    a_slides: bool,
    b_slides: bool,
    swap: bool,
    error: float,
    out: F64,
) -> int:
    """Solve where the rows of `b` are proportional: first the one, then the other."""
    f0, f1 = without(b)
    k = 0 if f1 == 1.0 else 1
    first = np.empty((2, 2))
    second = np.empty((2, 2))
    size = abs(f0) * extent(a, b, 0) + abs(f1) * extent(a, b, 1)
    n = line(
        a_slides,
        f0 * (a[0, 0] - b[0, 0]) + f1 * (a[1, 0] - b[1, 0]),
        f0 * a[0, 1] + f1 * a[1, 1],
        f0 * a[0, 2] + f1 * a[1, 2],
        error * size,
        first,
    )
    sure = n >= 0
    count = 0
    for i in range(n if sure else -1 - n):
        x, xx = first[i, 0], first[i, 1]
        rest = b[k, 0] - a[k, 0] - a[k, 1] * x - a[k, 2] * xx
        m = line(b_slides, rest, b[k, 1], b[k, 2], error * extent(a, b, k), second)
        sure = sure and m >= 0
        for j in range(m if m >= 0 else -1 - m):
            o = 2 if swap else 0
            out[count, o] = x
            out[count, o + 1] = xx
            out[count, 2 - o] = second[j, 0]
            out[count, 3 - o] = second[j, 1]
            count += 1
    return count if sure else -1 - count


def _crossed(
    a: F64,
    b: F64,
    a_slides: bool,
    b_slides: bool,
    det: float,
    swap: bool,
    tilt: float,
    out: F64,
) -> int:
    """Solve the general case: a quartic in the first joint.

    The linear system for (y, y') gives ``y = u (1, x, x')`` and ``y' = v (1, x, x')``;
    ``y^2 + y'^2 = 1``, or ``y^2 = y'`` of a slider, is of degree four in x, or in the
    half-tangent t with ``(x, x') = (1 - t^2, 2 t) / (1 + t^2)``.
    """
    inv = 1.0 / det
    u = np.empty(3)
    v = np.empty(3)
    for i in range(3):
        e0 = a[0, i] - (b[0, 0] if i == 0 else 0.0)
        e1 = a[1, i] - (b[1, 0] if i == 0 else 0.0)
        u[i] = (b[1, 2] * e0 - b[0, 2] * e1) * inv
        v[i] = (b[0, 1] * e1 - b[1, 1] * e0) * inv
    # the conic of the second joint in monomials of the first
    x = np.empty(3)
    y = np.empty(3)
    if a_slides:
        for i in range(3):
            x[i] = u[i]
            y[i] = v[i]
    else:
        x[0], x[1], x[2] = u[0] + u[1], 2.0 * u[2], u[0] - u[1]
        y[0], y[1], y[2] = v[0] + v[1], 2.0 * v[2], v[0] - v[1]
    p = np.zeros(5)
    for i in range(3):
        for j in range(3):
            p[i + j] += x[i] * x[j]
            if not b_slides:
                p[i + j] += y[i] * y[j]
    if b_slides:
        if a_slides:
            for i in range(3):
                p[i] -= y[i]
        else:
            for i in range(3):
                p[i] -= y[i]
                p[i + 2] -= y[i]
    elif a_slides:
        p[0] -= 1.0
    else:
        p[0] -= 1.0
        p[2] -= 2.0
        p[4] -= 1.0
    roots = np.empty(4)
    count = 0
    n = quartic(p, not a_slides, math.sqrt(max(margin_of(tilt), NOISE)), roots)
    for k in range(n if n >= 0 else -1 - n):
        t = roots[k]
        if a_slides:
            c, s = t, t * t
        else:
            # an angle, see quartic
            c, s = math.cos(t), math.sin(t)
        o = 2 if swap else 0
        out[count, o] = c
        out[count, o + 1] = s
        p0 = u[0] + u[1] * c + u[2] * s
        p1 = v[0] + v[1] * c + v[2] * s
        if b_slides:
            p1 = p0 * p0
        else:
            h = math.sqrt(p0 * p0 + p1 * p1)
            if h > 0.0:
                p0 /= h
                p1 /= h
        out[count, 2 - o] = p0
        out[count, 3 - o] = p1
        count += 1
    return count if n >= 0 else -1 - count


def quartic(p: F64, angles: bool, close: float, out: F64) -> int:
    """Write the real roots of ``p0 + p1 t + ... + p4 t^4``, near ones included.

    Returns their number k, or -1 - k where it is uncertain: of a pair of complex roots
    with an imaginary part of less than `close` the real part is written.

    With `angles`, t is the tangent of half an angle, and that angle is written; t may
    be infinite. Eigenvalues of the companion matrix of the polynomial turned so that
    no root is far out.
    """
    q = p.copy()
    size = 0.0
    for i in range(5):
        size = max(size, abs(q[i]))
    if size == 0.0:
        return -1
    shift = 0.0
    turn = 0.0
    if angles:
        # turn the zero of the angle to where the polynomial is greatest: that is then
        # at infinity, and no root is near
        best = -1.0
        for k in range(8):
            a = 0.25 * math.pi * k + 0.1
            c = math.cos(0.5 * a)
            s = math.sin(0.5 * a)
            value = 0.0
            for i in range(5):
                value += p[i] * s**i * c ** (4 - i)
            if abs(value) > best:
                best = abs(value)
                turn = a
        # t = (s + c/w ...): substitute t = tan((b + turn)/2 + pi/2 ...)
        shift = turn - math.pi
        c = math.cos(0.5 * shift)
        s = math.sin(0.5 * shift)
        # numerator (w c + s), denominator (c - w s)
        for i in range(5):
            q[i] = 0.0
        term = np.empty(5)
        for i in range(5):
            for j in range(5):
                term[j] = 0.0
            term[0] = p[i]
            degree = 0
            for _ in range(i):
                for j in range(degree, -1, -1):
                    term[j + 1] += term[j] * c
                    term[j] *= s
                degree += 1
            for _ in range(4 - i):
                for j in range(degree, -1, -1):
                    term[j + 1] -= term[j] * s
                    term[j] *= c
                degree += 1
            for j in range(5):
                q[j] += term[j]
    degree = 4
    while degree > 0 and abs(q[degree]) <= 1e-14 * size:
        degree -= 1
    if degree == 0:
        return 0
    h = np.zeros((degree, degree))
    for j in range(degree):
        h[0, j] = -q[degree - 1 - j] / q[degree]
        if j > 0:
            h[j, j - 1] = 1.0
    re = np.empty(degree)
    im = np.empty(degree)
    if not eigenvalues(h, re, im):
        return -1
    n = 0
    sure = True
    for k in range(degree):
        # a double root comes as a pair, off by the root of the rounding error
        if im[k] < 0.0 or im[k] > max(REAL, close) * (1.0 + abs(re[k])):
            continue
        sure = sure and im[k] == 0.0
        for j in range(k):
            apart = abs(re[k] - re[j]) > close * (1.0 + abs(re[k]))
            sure = sure and (apart or im[j] != 0.0)
        if angles:
            out[n] = 2.0 * math.atan(re[k]) + shift
        else:
            out[n] = re[k]
        n += 1
    return n if sure else -1 - n
