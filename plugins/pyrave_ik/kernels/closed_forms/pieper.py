"""Loops with a spherical wrist, three parallel axes or three sliders, in closed form.

The decompositions are Pieper's (1968); their parts are the subproblems of Paden and
Kahan, as Elias and Wen (IK-Geo, 2022) extend them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave_ik.kernels.closed_forms.subproblems import ROUNDING, line_and_circle, pairs
from pyrave_ik.kernels.linear import dot, solve_many
from pyrave_ik.kernels.packed_arm import BACKWARD, FIRST, KIND, TILT, TOLERANCE
from pyrave_ik.kernels.singular.singular_poses import extent, judged
from pyrave_ik.kernels.six_joint_loop import (
    arranged,
    closest,
    copied,
    displacement,
    identity,
    keep,
    polish,
    span,
    times,
)

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

WRIST = 0
PARALLEL = 1
SLIDERS = 2

TOUCH = 1e-9
"""Axes that are nearer than this, in parts of the loop's size, meet."""


def swung(screw: F64, sign: float, p: F64, n: F64, out: F64, row: int) -> None:
    """Write coefficients of ``n . E(sign x) p`` in 1 and (cos, sin) or (d, d^2).

    With r = p - q from a point q of the axis w it is
    ``n.q + (w.r)(n.w) + cos x (n.r - (w.r)(n.w)) + sin x n.(w x r)``: the left side of
    subproblem 4 of Elias and Wen (circle and plane).
    """
    w = screw[0:3]
    if screw[6] != 0.0:
        out[row, 0] = dot(n, p)
        out[row, 1] = sign * dot(n, w)
        out[row, 2] = 0.0
        return
    r0 = p[0] - screw[3]
    r1 = p[1] - screw[4]
    r2 = p[2] - screw[5]
    along = w[0] * r0 + w[1] * r1 + w[2] * r2
    nw = dot(n, w)
    nr = n[0] * r0 + n[1] * r1 + n[2] * r2
    cross = (
        n[0] * (w[1] * r2 - w[2] * r1)
        + n[1] * (w[2] * r0 - w[0] * r2)
        + n[2] * (w[0] * r1 - w[1] * r0)
    )
    out[row, 0] = dot(n, screw[3:6]) + along * nw
    out[row, 1] = nr - along * nw
    out[row, 2] = sign * cross


def swung_square(screw: F64, sign: float, p: F64, o: F64, out: F64, row: int) -> None:
    """Write coefficients of ``|E(sign x) p - o|^2``.

    Of subproblem 3 of Paden and Kahan (circle and sphere): a turn leaves |r| as it is,
    so that ``|r|^2 + |q - o|^2 + 2 (q - o).R(x) r`` is linear in cos x and sin x.
    """
    w = screw[0:3]
    if screw[6] != 0.0:
        r0 = p[0] - o[0]
        r1 = p[1] - o[1]
        r2 = p[2] - o[2]
        out[row, 0] = r0 * r0 + r1 * r1 + r2 * r2
        out[row, 1] = 2.0 * sign * (w[0] * r0 + w[1] * r1 + w[2] * r2)
        out[row, 2] = 1.0
        return
    r0 = p[0] - screw[3]
    r1 = p[1] - screw[4]
    r2 = p[2] - screw[5]
    n = np.empty(3)
    n[0] = screw[3] - o[0]
    n[1] = screw[4] - o[1]
    n[2] = screw[5] - o[2]
    along = w[0] * r0 + w[1] * r1 + w[2] * r2
    nw = dot(n, w)
    nr = n[0] * r0 + n[1] * r1 + n[2] * r2
    cross = (
        n[0] * (w[1] * r2 - w[2] * r1)
        + n[1] * (w[2] * r0 - w[0] * r2)
        + n[2] * (w[0] * r1 - w[1] * r0)
    )
    out[row, 0] = r0 * r0 + r1 * r1 + r2 * r2 + dot(n, n) + 2.0 * along * nw
    out[row, 1] = 2.0 * (nr - along * nw)
    out[row, 2] = 2.0 * sign * cross


def turn_between(w: F64, a: F64, b: F64) -> float:
    """Return the angle about unit `w` that takes `a` nearest to `b`.

    ``atan2(w.(a x b), a.b - (w.a)(w.b))``: subproblem 1 of Paden and Kahan (Murray, Li
    and Sastry, A Mathematical Introduction to Robotic Manipulation, 1994, section 3.2).
    """
    wa = dot(w, a)
    wb = dot(w, b)
    c = dot(a, b) - wa * wb
    s = (
        w[0] * (a[1] * b[2] - a[2] * b[1])
        + w[1] * (a[2] * b[0] - a[0] * b[2])
        + w[2] * (a[0] * b[1] - a[1] * b[0])
    )
    if c == 0.0 and s == 0.0:
        return 0.0
    return math.atan2(s, c)


def moved(d: F64, p: F64, out: F64) -> None:
    """Write a (3, 4) displacement applied to a point."""
    for i in range(3):
        out[i] = d[i, 0] * p[0] + d[i, 1] * p[1] + d[i, 2] * p[2] + d[i, 3]


def rotated(d: F64, p: F64, out: F64) -> None:
    """Write the rotation of a displacement applied to a vector."""
    for i in range(3):
        out[i] = d[i, 0] * p[0] + d[i, 1] * p[1] + d[i, 2] * p[2]


def unrotated(d: F64, p: F64, out: F64) -> None:
    """Write the inverse rotation of a displacement applied to a vector."""
    for i in range(3):
        out[i] = d[0, i] * p[0] + d[1, i] * p[1] + d[2, i] * p[2]


def normals(w: F64, u: F64, v: F64) -> None:
    """Write two unit vectors that are normal to `w` and to each other."""
    k = 0
    for i in range(3):
        if abs(w[i]) < abs(w[k]):
            k = i
    e = np.zeros(3)
    e[k] = 1.0
    u[0] = w[1] * e[2] - w[2] * e[1]
    u[1] = w[2] * e[0] - w[0] * e[2]
    u[2] = w[0] * e[1] - w[1] * e[0]
    n = math.sqrt(dot(u, u))
    for i in range(3):
        u[i] /= n
    v[0] = w[1] * u[2] - w[2] * u[1]
    v[1] = w[2] * u[0] - w[0] * u[2]
    v[2] = w[0] * u[1] - w[1] * u[0]


def value_of(slides: bool, c: float, s: float) -> float:
    """Return the joint value of (cos, sin) or (d, d^2)."""
    return c if slides else math.atan2(s, c)


def point(
    screws: F64, on_1: F64, start: F64, target: F64, tilt: float, out: F64
) -> int:
    """Write (x0, x1, x2) that take a point to another: ``E0 E1 E2 start = target``.

    Joint 1 changes neither the height of ``E2 start`` along its axis nor its distance
    from a point o of that: ``w1.(E2 start) = w1.(E0' target)`` and
    ``|E2 start - o| = |E0' target - o|``, two equations in joints 0 and 2 (Pieper; in
    Craig, Introduction to Robotics, 2005, section 4.6, they are those of z and r).

    `on_1` is a point on joint 1's axis: where it meets a neighbour's axis, if it does.
    Returns the number of rows k, at most 8, or -1 - k if rows may be missing.
    """
    left = np.empty((2, 3))
    right = np.empty((2, 3))
    middle = screws[1]
    if middle[6] != 0.0:
        u = np.empty(3)
        v = np.empty(3)
        normals(middle[0:3], u, v)
        swung(screws[2], 1.0, start, u, left, 0)
        swung(screws[2], 1.0, start, v, left, 1)
        swung(screws[0], -1.0, target, u, right, 0)
        swung(screws[0], -1.0, target, v, right, 1)
    else:
        swung(screws[2], 1.0, start, middle[0:3], left, 0)
        swung_square(screws[2], 1.0, start, on_1, left, 1)
        swung(screws[0], -1.0, target, middle[0:3], right, 0)
        swung_square(screws[0], -1.0, target, on_1, right, 1)
    slides0 = screws[0, 6] != 0.0
    slides2 = screws[2, 6] != 0.0
    found = np.empty((8, 4))
    n = pairs(left, right, slides2, slides0, tilt, found)
    d = np.empty((3, 4))
    a = np.empty(3)
    b = np.empty(3)
    for k in range(n if n >= 0 else -1 - n):
        x2 = value_of(slides2, found[k, 0], found[k, 1])
        x0 = value_of(slides0, found[k, 2], found[k, 3])
        displacement(screws[2], x2, d)
        moved(d, start, a)
        displacement(screws[0], -x0, d)
        moved(d, target, b)
        if middle[6] != 0.0:
            x1 = 0.0
            for i in range(3):
                x1 += middle[i] * (b[i] - a[i])
        else:
            for i in range(3):
                a[i] -= middle[3 + i]
                b[i] -= middle[3 + i]
            x1 = turn_between(middle[0:3], a, b)
        out[k, 0] = x0
        out[k, 1] = x1
        out[k, 2] = x2
    return n


def orientation(w0: F64, w1: F64, w2: F64, r: F64, tilt: float, out: F64) -> int:
    """Write (x0, x1, x2) with ``R0 R1 R2 = r``, at most two rows.

    ``w0.(R1 w2) = w0.(r w2)`` holds joint 1 alone; then subproblem 1, twice.

    Returns their number k, or -1 - k if rows may be missing. Where the first and the
    last axis are parallel the first is given as 0.
    """
    s = np.zeros(7)
    for i in range(3):
        s[i] = w1[i]
    a = np.empty((1, 3))
    target = np.empty(3)
    rotated(r, w2, target)
    swung(s, 1.0, w2, w0, a, 0)
    found = np.empty((2, 2))
    error = max(ROUNDING, tilt)
    n = line_and_circle(a[0, 0] - dot(w0, target), a[0, 1], a[0, 2], error, found)
    d = np.empty((3, 4))
    b = np.empty(3)
    back = np.empty(3)
    other = np.empty(3)
    for k in range(n if n >= 0 else -1 - n):
        x1 = math.atan2(found[k, 1], found[k, 0])
        displacement(s, x1, d)
        rotated(d, w2, b)
        size = 0.0
        along = dot(w0, b)
        for i in range(3):
            size += (b[i] - along * w0[i]) ** 2
        if size < 1e-14:
            x0 = 0.0
            # R2 = R1' r: turn a normal of the last axis
            normals(w2, back, other)
            rotated(r, back, other)
            unrotated(d, other, b)
            x2 = turn_between(w2, back, b)
        else:
            x0 = turn_between(w0, b, target)
            unrotated(d, w0, b)
            unrotated(r, w0, back)
            # R2' (R1' w0) = r' w0
            x2 = -turn_between(w2, b, back)
        out[k, 0] = x0
        out[k, 1] = x1
        out[k, 2] = x2
    return n


def product3(screws: F64, x: F64, out: F64) -> None:
    """Write the (3, 4) product of three displacements."""
    span(screws, x, 0, 3, out)


def wrist(
    screws: F64, goal: F64, points: F64, tilt: float, tolerance: float, out: F64
) -> int:
    """Write all solutions of a loop whose joints 3, 4, 5 turn about one point.

    `points` is (2, 3): a point on joint 1's axis, see `point`, and the wrist's centre.
    """
    center = points[1]
    target = np.empty(3)
    moved(goal, center, target)
    arms = np.empty((8, 3))
    n = point(screws, points[0], center, target, tilt, arms)
    sure = n >= 0
    hands = np.empty((2, 3))
    d = np.empty((3, 4))
    r = np.empty((3, 3))
    x = np.empty(6)
    tried = 0
    count = 0
    for k in range(n if sure else -1 - n):
        product3(screws, arms[k], d)
        for i in range(3):
            for j in range(3):
                r[i, j] = (
                    d[0, i] * goal[0, j] + d[1, i] * goal[1, j] + d[2, i] * goal[2, j]
                )
        m = orientation(screws[3, 0:3], screws[4, 0:3], screws[5, 0:3], r, tilt, hands)
        sure = sure and m >= 0
        for h in range(m if m >= 0 else -1 - m):
            for i in range(3):
                x[i] = arms[k, i]
                x[3 + i] = hands[h, i]
            tried += 1
            if polish(screws, goal, x, 12, 1e-13) <= tolerance:
                count = keep(screws, x, out, count)
    return count if sure and count == tried else -1 - count


def parallel(
    screws: F64, goal: F64, end: F64, tilt: float, tolerance: float, out: F64
) -> int:
    """Write all solutions of a loop whose joints 1, 2, 3 are parallel.

    `end` is a point on joint 5's axis: where it meets that of joint 4, if it does.
    """
    h = screws[1, 0:3]
    left = np.empty((2, 3))
    right = np.empty((2, 3))
    free = np.zeros(7)
    for i in range(3):
        free[i] = screws[4, i]
    # w5 . R4' h = w5 . G' R0 h, and h . E4 p5 = h . E0' G p5
    w5 = screws[5, 0:3]
    gw = np.empty(3)
    gp = np.empty(3)
    rotated(goal, w5, gw)
    moved(goal, end, gp)
    if screws[4, 6] != 0.0:
        left[0, 0] = dot(w5, h)
        left[0, 1] = 0.0
        left[0, 2] = 0.0
    else:
        swung(free, -1.0, h, w5, left, 0)
    swung(screws[4], 1.0, end, h, left, 1)
    for i in range(3):
        free[i] = screws[0, i]
    if screws[0, 6] != 0.0:
        right[0, 0] = dot(gw, h)
        right[0, 1] = 0.0
        right[0, 2] = 0.0
    else:
        swung(free, 1.0, h, gw, right, 0)
    swung(screws[0], -1.0, gp, h, right, 1)
    slides4 = screws[4, 6] != 0.0
    slides0 = screws[0, 6] != 0.0
    found = np.empty((8, 4))
    n = pairs(left, right, slides4, slides0, tilt, found)
    sure = n >= 0
    error = max(ROUNDING, tilt)
    d = np.empty((3, 4))
    e = np.empty((3, 4))
    a = np.empty(3)
    b = np.empty(3)
    c = np.empty(3)
    x = np.empty(6)
    knees = np.empty((2, 2))
    one = np.empty((1, 3))
    tried = 0
    count = 0
    for k in range(n if sure else -1 - n):
        x[4] = value_of(slides4, found[k, 0], found[k, 1])
        x[0] = value_of(slides0, found[k, 2], found[k, 3])
        # R5 (G' R0 h) = R4' h
        displacement(screws[0], x[0], d)
        rotated(d, h, a)
        unrotated(goal, a, b)
        displacement(screws[4], x[4], e)
        unrotated(e, h, c)
        x[5] = turn_between(w5, b, c)
        # what joints 1 to 3 must do: A = E0' G E5' E4', seen at a point q3 of axis 3
        q = screws[3, 3:6]
        displacement(screws[4], -x[4], e)
        moved(e, q, a)
        displacement(screws[5], -x[5], e)
        moved(e, a, b)
        moved(goal, b, a)
        displacement(screws[0], -x[0], d)
        moved(d, a, b)
        swung_square(screws[2], 1.0, q, screws[1, 3:6], one, 0)
        for i in range(3):
            c[i] = b[i] - screws[1, 3 + i]
        # distance in the plane; the rest along h agrees by the equations above
        lift = dot(h, c)
        for i in range(3):
            a[i] = q[i] - screws[1, 3 + i]
        along = dot(h, a)
        size = dot(c, c) - lift * lift + along * along
        away = error * (abs(one[0, 0]) + abs(one[0, 1]) + abs(one[0, 2]) + abs(size))
        m = line_and_circle(one[0, 0] - size, one[0, 1], one[0, 2], away, knees)
        sure = sure and m >= 0
        for i in range(m if m >= 0 else -1 - m):
            x[2] = math.atan2(knees[i, 1], knees[i, 0])
            displacement(screws[2], x[2], e)
            moved(e, q, a)
            for j in range(3):
                a[j] -= screws[1, 3 + j]
            x[1] = turn_between(h, a, c)
            # the sum of the three angles from a direction normal to h
            normals(h, a, b)
            _planar_direction(screws, goal, x, a, b)
            x[3] = turn_between(h, a, b) - x[1] - x[2]
            # axes 2 and 3 may point against that of joint 1
            if dot(h, screws[2, 0:3]) < 0.0:
                x[3] += 2.0 * x[2]
            if dot(h, screws[3, 0:3]) < 0.0:
                x[3] = -x[3]
            tried += 1
            if polish(screws, goal, x, 12, 1e-13) <= tolerance:
                count = keep(screws, x, out, count)
    return count if sure and count == tried else -1 - count


def _planar_direction(screws: F64, goal: F64, x: F64, a: F64, out: F64) -> None:
    """Write the rotation of ``E0' G E5' E4'`` applied to `a`."""
    d = np.empty((3, 4))
    b = np.empty(3)
    displacement(screws[4], -x[4], d)
    rotated(d, a, out)
    displacement(screws[5], -x[5], d)
    rotated(d, out, b)
    rotated(goal, b, out)
    displacement(screws[0], -x[0], d)
    for i in range(3):
        b[i] = out[i]
    rotated(d, b, out)


def sliders(screws: F64, goal: F64, tolerance: float, out: F64) -> int:
    """Write all solutions of a loop with three sliding joints in any places.

    A loop with more or fewer of them has none in this form.
    """
    turning = np.empty(6, np.int64)
    sliding = np.empty(6, np.int64)
    n_t = 0
    n_s = 0
    for k in range(6):
        if screws[k, 6] != 0.0:
            sliding[n_s] = k
            n_s += 1
        else:
            turning[n_t] = k
            n_t += 1
    if n_s != 3:
        return 0
    angles = np.empty((2, 3))
    n = orientation(
        screws[turning[0], 0:3],
        screws[turning[1], 0:3],
        screws[turning[2], 0:3],
        goal,
        0.0,
        angles,
    )
    sure = n >= 0
    x = np.zeros(6)
    d = np.empty((3, 4))
    now = np.empty((3, 4))
    new = np.empty((3, 4))
    a = np.empty((3, 3))
    b = np.empty((3, 1))
    tried = 0
    count = 0
    for k in range(n if sure else -1 - n):
        for i in range(3):
            x[turning[i]] = angles[k, i]
            x[sliding[i]] = 0.0
        identity(now)
        column = 0
        for j in range(6):
            if screws[j, 6] != 0.0:
                for i in range(3):
                    a[i, column] = dot(now[i, 0:3], screws[j, 0:3])
                column += 1
            else:
                displacement(screws[j], x[j], d)
                times(now, d, new)
                copied(new, now)
        for i in range(3):
            b[i, 0] = goal[i, 3] - now[i, 3]
        tried += 1
        if solve_many(a, b) < 1e-12:
            continue
        for i in range(3):
            x[sliding[i]] = b[i, 0]
        if polish(screws, goal, x, 12, 1e-13) <= tolerance:
            count = keep(screws, x, out, count)
    return count if sure and count == tried else -1 - count


def meet(a: F64, b: F64, tilt: float, size: float, out: F64) -> bool:
    """Write the point of axis `a` nearest to axis `b` if they meet there."""
    if a[6] != 0.0 or b[6] != 0.0:
        return False
    d = dot(a, b)
    if 1.0 - d * d < max(1e-12, 100.0 * tilt * tilt):
        return False
    p = np.empty(3)
    if closest(a, b, p) > max(TOUCH, 2.0 * tilt) * size:
        return False
    for i in range(3):
        out[i] = p[i]
    return True


def meeting_points(kind: int, screws: F64, size: float, tilt: float, out: F64) -> None:
    """Write the (2, 3) points that the closed forms need of an arranged loop."""
    if kind == WRIST:
        closest(screws[3], screws[4], out[1])
        for i in range(3):
            out[0, i] = screws[1, 3 + i]
        if not meet(screws[1], screws[0], tilt, size, out[0]):
            meet(screws[1], screws[2], tilt, size, out[0])
    else:
        for i in range(3):
            out[0, i] = screws[5, 3 + i]
            out[1, i] = 0.0
        meet(screws[5], screws[4], tilt, size, out[0])


def closed_loop(
    kind: int,
    first: int,
    backward: bool,
    screws: F64,
    goal: F64,
    tilt: float,
    tolerance: float,
    out: F64,
) -> int:
    """Write all solutions (k, 6) of a loop in closed form.

    Returns k, or -1 - k where some may be missing: a discriminant is too small to tell
    the number of its roots, or a candidate leads to no solution or to that of another.

    Parameters
    ----------
    kind
        WRIST: of the loop begun at `first` and perhaps run backward joints 3, 4, 5 turn
        about one point; PARALLEL: joints 1, 2, 3 about one direction; SLIDERS: three
        slide.
    goal
        (3, 4).
    tilt
        How far the loop's axes are from such geometry, radians and parts of its size.
    tolerance
        Greatest deviation of an entry of the displacement. Every row is verified.
    """
    if kind == SLIDERS:
        return sliders(screws, goal, tolerance, out)
    mine = np.empty((6, 7))
    target = np.empty((3, 4))
    arranged(screws, goal, first, backward, mine, target)
    points = np.empty((2, 3))
    meeting_points(kind, mine, extent(screws, goal), tilt, points)
    if kind == WRIST:
        n = wrist(mine, target, points, tilt, tolerance, out)
    else:
        n = parallel(mine, target, points[0], tilt, tolerance, out)
    if first != 0 or backward:
        row = np.empty(6)
        for k in range(n if n >= 0 else -1 - n):
            for i in range(6):
                j = 5 - i if backward else i
                row[(first + i) % 6] = out[k, j]
            for i in range(6):
                out[k, i] = row[i]
    return n


def prepare(_packed: F64) -> bool:
    """Do nothing: the screws are enough."""
    return True


def solutions(packed: F64, screws: F64, goal: F64, out: F64) -> int:
    """Write the rows (k, 7) of the loop; return k, or -1 - k if not sure."""
    n = closed_loop(
        int(packed[KIND]),
        int(packed[FIRST]),
        packed[BACKWARD] != 0.0,
        screws,
        goal,
        packed[TILT],
        packed[TOLERANCE],
        out,
    )
    return judged(screws, n, out)
