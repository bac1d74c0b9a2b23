"""Damped least squares with joint limits, from one start.

A start takes Levenberg-Marquardt steps whose damping falls with the residual, which
needs no line search (Sugihara, "Solvability-unconcerned inverse kinematics by the
Levenberg-Marquardt method", IEEE T-RO 2011). Joints at a limit that the step would
cross are held, and steps end at the limits: the projected method of Kanzow, Yamashita
and Fukushima (J. Comp. Appl. Math. 2004), which keeps its quadratic convergence.
Where a goal is only to be approached, damping follows the gain instead (Nielsen,
"Damping parameter in Marquardt's method", 1999), so that each step reduces the weighted
sum of squares.

Kernels of other modules call these functions. All take the same flat arrays:

problem
    The chains and their limits; `residuals` has the layout,
    `pyrave_ik.methods.least_squares.NumericProblem.array` is one.
goals
    (t, GOAL) a goal for each chain, in the chains' frame, see `pose_goals`.
q
    (n,) joint values.
work
    ``np.zeros(int(problem[WORK]))``, made once and used again. It has what `linearise`
    (of `residuals`) found at the joint values that it was called with last: residuals,
    columns of the Jacobian, what is missed; and the change of the joints that a step
    makes.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave_ik.kernels.iteration.residuals import (
    CHANGE,
    COLUMNS,
    DISTANCE,
    ENDS,
    ERROR,
    MATRIX,
    MULTIPLIERS,
    N_CHAINS,
    N_JOINTS,
    OFF,
    ROWS,
    linearise,
)

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

JIT_OPTIONS = {"*": {"fastmath": {"nsz", "contract", "reassoc", "arcp"}}}
JIT_ENTRIES = ()

LONGEST = 1.0
"""Most that one joint moves in a step: linear models reach no further."""
DAMPING = 0.1
"""Damping per squared residual, where that is small."""
LEAST_DAMPING = 1e-12
SLOW = 0.7
"""A step is slow that leaves more than this part of the squared residual."""
PATIENCE = 2
"""A start ends after more slow steps in a row."""
STILL = 1e-14
SETTLED = 3e-5
"""Radians or metres of a joint: shorter ways along a self-motion are not gone."""
LOOSE = 1e-5
"""Metres and radians that may be missed on the way there."""
CORRECTIONS = 8
LAST_CORRECTIONS = 20


# -- one step --------------------------------------------------------------------------


def multipliers_of_six(problem: F64, damping: float, work: F64) -> None:
    """Write y of ``(J J' + damping I) y = e`` for one chain, by LDL' factorisation.

    Written out, so that all numbers stay in registers: a third of the time of loops.
    """
    at, e, y = int(problem[COLUMNS]), int(problem[ERROR]), int(problem[MULTIPLIERS])
    a00 = a11 = a22 = a33 = a44 = a55 = damping
    a10 = a20 = a21 = a30 = a31 = a32 = a40 = a41 = 0.0
    a42 = a43 = a50 = a51 = a52 = a53 = a54 = 0.0
    for c in range(at, at + ROWS * int(problem[N_JOINTS]), ROWS):
        c0, c1, c2 = work[c], work[c + 1], work[c + 2]
        c3, c4, c5 = work[c + 3], work[c + 4], work[c + 5]
        a00 += c0 * c0
        a10 += c1 * c0
        a11 += c1 * c1
        a20 += c2 * c0
        a21 += c2 * c1
        a22 += c2 * c2
        a30 += c3 * c0
        a31 += c3 * c1
        a32 += c3 * c2
        a33 += c3 * c3
        a40 += c4 * c0
        a41 += c4 * c1
        a42 += c4 * c2
        a43 += c4 * c3
        a44 += c4 * c4
        a50 += c5 * c0
        a51 += c5 * c1
        a52 += c5 * c2
        a53 += c5 * c3
        a54 += c5 * c4
        a55 += c5 * c5
    y0, y1, y2 = work[e], work[e + 1], work[e + 2]
    y3, y4, y5 = work[e + 3], work[e + 4], work[e + 5]
    d0 = 1.0 / max(a00, 1e-30)
    l10, l20, l30, l40, l50 = a10 * d0, a20 * d0, a30 * d0, a40 * d0, a50 * d0
    a11 -= l10 * a10
    a21 -= l20 * a10
    a22 -= l20 * a20
    a31 -= l30 * a10
    a32 -= l30 * a20
    a33 -= l30 * a30
    a41 -= l40 * a10
    a42 -= l40 * a20
    a43 -= l40 * a30
    a44 -= l40 * a40
    a51 -= l50 * a10
    a52 -= l50 * a20
    a53 -= l50 * a30
    a54 -= l50 * a40
    a55 -= l50 * a50
    d1 = 1.0 / max(a11, 1e-30)
    l21, l31, l41, l51 = a21 * d1, a31 * d1, a41 * d1, a51 * d1
    a22 -= l21 * a21
    a32 -= l31 * a21
    a33 -= l31 * a31
    a42 -= l41 * a21
    a43 -= l41 * a31
    a44 -= l41 * a41
    a52 -= l51 * a21
    a53 -= l51 * a31
    a54 -= l51 * a41
    a55 -= l51 * a51
    d2 = 1.0 / max(a22, 1e-30)
    l32, l42, l52 = a32 * d2, a42 * d2, a52 * d2
    a33 -= l32 * a32
    a43 -= l42 * a32
    a44 -= l42 * a42
    a53 -= l52 * a32
    a54 -= l52 * a42
    a55 -= l52 * a52
    d3 = 1.0 / max(a33, 1e-30)
    l43, l53 = a43 * d3, a53 * d3
    a44 -= l43 * a43
    a54 -= l53 * a43
    a55 -= l53 * a53
    d4 = 1.0 / max(a44, 1e-30)
    l54 = a54 * d4
    a55 -= l54 * a54
    y1 -= l10 * y0
    y2 -= l20 * y0 + l21 * y1
    y3 -= l30 * y0 + l31 * y1 + l32 * y2
    y4 -= l40 * y0 + l41 * y1 + l42 * y2 + l43 * y3
    y5 -= l50 * y0 + l51 * y1 + l52 * y2 + l53 * y3 + l54 * y4
    y5 /= max(a55, 1e-30)
    y4 = y4 * d4 - l54 * y5
    y3 = y3 * d3 - l43 * y4 - l53 * y5
    y2 = y2 * d2 - l32 * y3 - l42 * y4 - l52 * y5
    y1 = y1 * d1 - l21 * y2 - l31 * y3 - l41 * y4 - l51 * y5
    y0 = y0 * d0 - l10 * y1 - l20 * y2 - l30 * y3 - l40 * y4 - l50 * y5
    work[y], work[y + 1], work[y + 2] = y0, y1, y2
    work[y + 3], work[y + 4], work[y + 5] = y3, y4, y5


def multipliers_of_many(problem: F64, damping: float, work: F64) -> None:
    """Write y of ``(J J' + damping I) y = e`` for any number of chains."""
    n, r = int(problem[N_JOINTS]), ROWS * int(problem[N_CHAINS])
    columns, a = int(problem[COLUMNS]), int(problem[MATRIX])
    e, y = int(problem[ERROR]), int(problem[MULTIPLIERS])
    for i in range(r):
        work[y + i] = work[e + i]
        for k in range(i + 1):
            work[a + r * i + k] = damping if i == k else 0.0
    for c in range(columns, columns + n * r, r):
        for i in range(r):
            f = work[c + i]
            if f != 0.0:
                for k in range(i + 1):
                    work[a + r * i + k] += f * work[c + k]
    # LDL': the inverse of D on the diagonal, L D below it
    for k in range(r):
        d = 1.0 / max(work[a + r * k + k], 1e-30)
        work[a + r * k + k] = d
        for i in range(k + 1, r):
            f = work[a + r * i + k] * d
            work[y + i] -= f * work[y + k]
            for j in range(k + 1, i + 1):
                work[a + r * i + j] -= f * work[a + r * j + k]
    for k in range(r - 1, -1, -1):
        total = work[y + k]
        for i in range(k + 1, r):
            total -= work[a + r * i + k] * work[y + i]
        work[y + k] = total * work[a + r * k + k]


def damped_step(problem: F64, damping: float, work: F64) -> float:
    """Write the step that `linearise` has prepared; return the longest of a joint.

    ``J' (J J' + d I)^-1 e``, which is ``(J' J + d I)^-1 J' e``. Joints whose columns
    are zero stay.
    """
    n, r = int(problem[N_JOINTS]), ROWS * int(problem[N_CHAINS])
    columns, y, change = (
        int(problem[COLUMNS]),
        int(problem[MULTIPLIERS]),
        int(problem[CHANGE]),
    )
    if r == ROWS:
        multipliers_of_six(problem, damping, work)
    else:
        multipliers_of_many(problem, damping, work)
    longest = 0.0
    for j in range(n):
        total = 0.0
        for i in range(r):
            total += work[columns + r * j + i] * work[y + i]
        work[change + j] = total
        longest = max(longest, abs(total))
    return longest


def biased_step(problem: F64, damping: float, bias: F64, work: F64) -> float:
    """Do `damped_step` where another step would be best but for the goals.

    ``b + J' (J J' + d I)^-1 (e - J b)``: with hardly any damping (1e-12 of the trace of
    ``J J'``) the goals come first, and what they leave free follows the bias.

    Parameters
    ----------
    bias
        (n,) b, zero for joints whose columns are zero.
    work
        The residuals in it are changed.
    """
    n, r = int(problem[N_JOINTS]), ROWS * int(problem[N_CHAINS])
    columns, e, change = (
        int(problem[COLUMNS]),
        int(problem[ERROR]),
        int(problem[CHANGE]),
    )
    for j in range(n):
        for i in range(r):
            work[e + i] -= work[columns + r * j + i] * bias[j]
    damped_step(problem, damping, work)
    longest = 0.0
    for j in range(n):
        total = work[change + j] + bias[j]
        work[change + j] = total
        longest = max(longest, abs(total))
    return longest


def hold(problem: F64, q: F64, work: F64) -> None:
    """Zero the columns of joints at a limit that reducing the residual would cross."""
    n, r = int(problem[N_JOINTS]), ROWS * int(problem[N_CHAINS])
    ends, columns, e = int(problem[ENDS]), int(problem[COLUMNS]), int(problem[ERROR])
    for j in range(n):
        at_lower = q[j] <= problem[ends + j]
        at_upper = q[j] >= problem[ends + n + j]
        if at_lower or at_upper:
            c = columns + r * j
            g = 0.0
            for i in range(r):
                g += work[c + i] * work[e + i]
            if (at_upper and g > 0.0) or (at_lower and g < 0.0):
                for i in range(r):
                    work[c + i] = 0.0


def move(
    problem: F64, start: F64, part: float, longest: float, q: F64, work: F64
) -> float:
    """Write joint values behind a step from others; return how far it went.

    No joint moves by more than `LONGEST` or beyond its limits.

    Parameters
    ----------
    part
        Of the step that is to be gone.
    longest
        Longest way of a joint.
    """
    n = int(problem[N_JOINTS])
    change, ends = int(problem[CHANGE]), int(problem[ENDS])
    if part * longest > LONGEST:
        part = LONGEST / longest
    moved = 0.0
    for j in range(n):
        x = start[j] + part * work[change + j]
        x = min(max(x, problem[ends + j]), problem[ends + n + j])
        moved = max(moved, abs(x - start[j]))
        q[j] = x
    return moved


# -- from one start --------------------------------------------------------------------


def converge(
    problem: F64, goals: F64, tolerance: F64, steps: int, q: F64, work: F64
) -> tuple[int, float]:
    """Descend to where the goals are met; return the steps, and the sum of squares.

    The steps are -1 - steps where they are not met: after the last step, where steps
    gain little, or where joints stand still. `work` is linearised at `q` in any case,
    with what is missed.

    Parameters
    ----------
    tolerance
        (2,) metres and radians that may be missed.
    steps
        Most steps.
    """
    least = math.inf
    slow = 0
    taken = 0
    while True:
        before = least
        least = linearise(problem, goals, q, work)
        if work[DISTANCE] <= tolerance[0] and work[OFF] <= tolerance[1]:
            return taken, least
        slow = slow + 1 if least > SLOW * before else 0
        if taken == steps or slow > PATIENCE:
            return -1 - taken, least
        hold(problem, q, work)
        damping = DAMPING * least / (1.0 + least) + LEAST_DAMPING
        longest = damped_step(problem, damping, work)
        if not move(problem, q, 1.0, longest, q, work) > STILL:
            return -1 - taken, least
        taken += 1


def minimise(problem: F64, goals: F64, steps: int, q: F64, x: F64, work: F64) -> float:
    """Bring the weighted sum of squares to a minimum near `q`; return it.

    Parameters
    ----------
    x
        (n,) scratch.
    """
    n = int(problem[N_JOINTS])
    damping = 1e-3
    growth = 2.0
    least = linearise(problem, goals, q, work)
    for _ in range(steps):
        hold(problem, q, work)
        longest = damped_step(problem, damping, work)
        moved = move(problem, q, 1.0, longest, x, work)
        if not moved > 1e-15:
            break
        total = linearise(problem, goals, x, work)
        if total < least:
            done = moved < 1e-12 or (least - total < 1e-16 * total and moved < 1e-9)
            for j in range(n):
                q[j] = x[j]
            least = total
            if done:
                break
            damping = max(damping * 0.2, 1e-10)
            growth = 2.0
        else:
            damping *= growth
            growth *= 2.0
            if damping > 1e12:
                break
            linearise(problem, goals, q, work)
    return linearise(problem, goals, q, work)


def squared_distance(q: F64, other: F64) -> float:
    """Return the squared distance of two configurations."""
    total = 0.0
    for j in range(q.shape[0]):
        total += (other[j] - q[j]) ** 2
    return total


def self_motion(problem: F64, q: F64, wanted: F64, bias: F64, work: F64) -> float:
    """Write the part of the way to `wanted` (n,) that changes no residual.

    Joints at limits do not leave them. Returns the longest way of a joint.

    Parameters
    ----------
    bias
        (n,) scratch.
    """
    n, r = int(problem[N_JOINTS]), ROWS * int(problem[N_CHAINS])
    ends, columns, change = (
        int(problem[ENDS]),
        int(problem[COLUMNS]),
        int(problem[CHANGE]),
    )
    damping = LEAST_DAMPING
    for i in range(columns, columns + n * r):
        damping += LEAST_DAMPING * work[i] * work[i]
    for j in range(n):
        bias[j] = wanted[j] - q[j]
    longest = 0.0
    for _ in range(n):
        for i in range(int(problem[ERROR]), int(problem[ERROR]) + r):
            work[i] = 0.0
        longest = biased_step(problem, damping, bias, work)
        more = False
        for j in range(n):
            x = work[change + j]
            if (q[j] >= problem[ends + n + j] and x > 0.0) or (
                q[j] <= problem[ends + j] and x < 0.0
            ):
                more = True
                bias[j] = 0.0
                for i in range(columns + r * j, columns + r * (j + 1)):
                    work[i] = 0.0
        if not more:
            break
    return longest


def settle(
    problem: F64,
    goals: F64,
    tolerance: F64,
    wanted: F64,
    steps: int,
    q: F64,
    work: F64,
) -> int:
    """Move along the self-motion of the chains to where `wanted` (n,) is nearest.

    `q` meets the goals, before and after, and `work` is linearised there. Gradient
    projection on the configurations that meet the goals, with the step lengths of
    Barzilai and Borwein ("Two-point step size gradient methods", IMA J. Numer. Anal.
    1988): for one redundant joint they are those of the secant method. A step that does
    not come nearer is shortened. Returns the number of steps.
    """
    n = q.shape[0]
    change = int(problem[CHANGE])
    first, x, bias, loose = np.empty(n), np.empty(n), np.empty(n), np.empty(2)
    way, gone = np.zeros(n), np.zeros(n)
    for i in range(2):
        loose[i] = max(tolerance[i], LOOSE)
    for j in range(n):
        first[j] = q[j]
    away = squared_distance(q, wanted)
    step = 0
    while step < steps:
        longest = self_motion(problem, q, wanted, bias, work)
        if not longest > SETTLED:
            break
        part = 1.0
        square = 0.0
        turned = 0.0
        for j in range(n):
            square += gone[j] * gone[j]
            turned += gone[j] * (way[j] - work[change + j])
            way[j] = work[change + j]
        if square > 0.0:
            part = square / max(turned, 0.1 * square)
        there = away
        while part * longest > 0.1 * SETTLED:
            for j in range(n):
                work[change + j] = way[j]
            move(problem, q, part, longest, x, work)
            used, _ = converge(problem, goals, loose, int(CORRECTIONS), x, work)
            if used >= 0:
                there = squared_distance(x, wanted)
                if there < away:
                    break
            part *= 0.25
        if not there < away:
            break
        for j in range(n):
            gone[j] = x[j] - q[j]
            q[j] = x[j]
        away = there
        step += 1
    used, _ = converge(problem, goals, tolerance, int(LAST_CORRECTIONS), q, work)
    if used < 0:
        for j in range(n):
            q[j] = first[j]
        linearise(problem, goals, q, work)
    return step
