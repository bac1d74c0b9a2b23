"""Joint paths by continuation: predictor and corrector along a path of goals.

From a configuration that meets a goal the way to the next one is followed in sub-steps:
a tangent step predicts the joint values, Newton steps correct them (Allgower & Georg,
"Introduction to Numerical Continuation Methods", SIAM 2003, chapter 6). A sub-step
counts only if the correction is much shorter than the prediction; otherwise it is
halved, so that a change of branch cannot pass for a step. Where the determinant of a
square Jacobian changes its sign, the singular configuration is crossed by a damped step
if the tool stays near the path, see `OFF_PATH`, while joints move by no more than
`SELF_MOTION`; otherwise it is passed at a distance, in steps as short as it takes.
Arms with joints to spare pass all singular configurations so.

What the goals leave free follows the gradient of a cost in the null space of the
Jacobian (Liegeois, "Automatic supervisory control of the configuration and behavior of
multibody mechanisms", IEEE T-SMC 1977): joints are drawn to wanted values and pushed
away from limits. Its speed is proportional to that of the joints, so that the path does
not depend on how finely the goals lie.

The arrays are those of `damped_least_squares`; joints end at the `ENDS` of the problem.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.jit import TakesLongError
from pyrave_ik.kernels.iteration.damped_least_squares import (
    LEAST_DAMPING,
    biased_step,
    converge,
    damped_step,
    move,
)
from pyrave_ik.kernels.iteration.residuals import (
    ANGLE,
    CHANGE,
    COLUMNS,
    DIRECTION,
    DISTANCE,
    ENDS,
    ERROR,
    GOAL,
    KIND,
    LOOKAT,
    N_JOINTS,
    OFF,
    PLANE_POINT,
    PLANE_POSE,
    POINT,
    POINT_DIRECTION,
    POSE,
    RAY,
    ROTATION,
    ROWS,
    SHADOW,
    TARGET,
    TURN,
    WORK,
    linearise,
    normals,
)

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, F64_1, F64_2

JIT_OPTIONS = {"*": {"fastmath": {"nsz", "contract", "reassoc", "arcp"}}}
JIT_ENTRIES = ("follow",)
INTERPRETED = True
BEARABLE = 300
"""Sub-steps that the interpreter may take in one call."""

CLOSE = 1e-10
"""Metres and radians that a correction may leave."""
SINGULAR_CLOSE = 1e-9
"""Metres and radians that it may leave where it converges slowly."""
CORRECTIONS = 12
LONGEST = 0.1
"""Radians or metres that a joint moves in a sub-step."""
FARTHEST = 0.5
"""`LONGEST` and `CURVED` for arms with fewer joints than the goals need."""
CURVED = 0.02
"""Radians or metres by which a correction may change a prediction."""
SHARE = 0.3
"""Part of the predicted step by which a correction may change it."""
ROUNDING = 1e-7
NARROW = 0.3
"""Radians of the tool, or lengths that count as one: sub-steps so short may cross a
singular configuration."""
OFF_PATH = 5e-4
"""Metres and radians that the tool may be off the way between two goals meanwhile."""
OFF_SHARE = 0.02
"""The same, as a part of that way."""
SELF_MOTION = 0.3
"""Radians or metres that joints may move while crossing, between two goals."""
BLUNT = 1e-4
"""Damping of a step across: it does without motions that hardly move the tool."""
RATE = 100.0
"""Radians of a joint per radian of the tool, or per length that counts as one."""
SHORTEST = 1e-7
"""Part of the way between two goals, or step of a joint: shorter ones are not tried."""
MOST = 500
"""Sub-steps between two goals."""
MARGIN = 0.25
"""Radians or metres before a limit, or that part of a smaller half range, in which it
pushes."""

# Entries of settings.
LENGTH_TOLERANCE = 0
ANGLE_TOLERANCE = 1
GAIN = 2
"""Slot of the gain towards wanted values, radians per radian of joint motion."""
SETTINGS = 3

# What a path is reported with, entries of `report`.
REACHED = 0
"""Number of goals that were reached."""
FRACTION = 1
"""Part of the way to the next goal."""
SUB_STEPS = 2
TRACED = 3
"""Number of rows of the trace."""
REPORT = 4


# -- goals between goals ---------------------------------------------------------------


def turned(
    x: float, y: float, z: float, angle: float, a: float, b: float, c: float
) -> tuple[float, float, float]:
    """Return a vector (a, b, c) turned about a unit axis (Rodrigues)."""
    s, v = math.sin(angle), 1.0 - math.cos(angle)
    p, q, r = y * c - z * b, z * a - x * c, x * b - y * a
    return (
        a + s * p + v * (y * r - z * q),
        b + s * q + v * (z * p - x * r),
        c + s * r + v * (x * q - y * p),
    )


def turn_between(first: F64, last: F64) -> tuple[float, float, float, float]:
    """Return axis and angle of the turn between the targets of two goals (GOAL,)."""
    kind = int(first[KIND])
    if kind in (POSE, ROTATION):
        # M = R_last R_first'
        m = np.zeros((3, 3))
        for i in range(3):
            for j in range(3):
                for k in range(3):
                    a = last[TARGET + 4 * i + k]
                    m[i, j] += a * first[TARGET + 4 * j + k]
        x = 0.5 * (m[2, 1] - m[1, 2])
        y = 0.5 * (m[0, 2] - m[2, 0])
        z = 0.5 * (m[1, 0] - m[0, 1])
        s = math.sqrt(x * x + y * y + z * z)
        angle = math.atan2(s, 0.5 * (m[0, 0] + m[1, 1] + m[2, 2] - 1.0))
        if s < 1e-6 and angle > 1.0:
            # half a turn: M + I is twice the projection on the axis
            k = 0
            for i in range(1, 3):
                if m[i, i] > m[k, k]:
                    k = i
            x, y, z = m[0, k], m[1, k], m[2, k]
            if k == 0:
                x += 1.0
            elif k == 1:
                y += 1.0
            else:
                z += 1.0
            s = math.sqrt(x * x + y * y + z * z)
    else:
        a, b, c = first[TARGET], first[TARGET + 4], first[TARGET + 8]
        d, e, f = last[TARGET], last[TARGET + 4], last[TARGET + 8]
        x, y, z = b * f - c * e, c * d - a * f, a * e - b * d
        s = math.sqrt(x * x + y * y + z * z)
        cosine = a * d + b * e + c * f
        angle = math.atan2(s, cosine)
        if s < 1e-9 and cosine < 0.0:
            x, y, z, _, _, _ = normals(a, b, c)
            s = 1.0
    if not s > 0.0:
        return 1.0, 0.0, 0.0, 0.0
    return x / s, y / s, z / s, angle


def goal_between(first: F64, last: F64, fraction: float, out: F64) -> None:
    """Write the goal (1, GOAL) at a fraction 0..1 of the way between two (GOAL,)."""
    kind = int(first[KIND])
    for i in range(GOAL):
        out[0, i] = first[i] + fraction * (last[i] - first[i])
    if kind == PLANE_POSE or kind >= SHADOW:
        way = last[TARGET] - first[TARGET]
        way -= TURN * math.floor(way / TURN + 0.5)
        out[0, TARGET] = first[TARGET] + fraction * way
        return
    columns = 0
    if kind in (POSE, ROTATION):
        columns = 3
    elif kind in (DIRECTION, RAY, POINT_DIRECTION):
        columns = 1
    if columns == 0:
        return
    x, y, z, angle = turn_between(first, last)
    for k in range(TARGET, TARGET + columns):
        out[0, k], out[0, k + 4], out[0, k + 8] = turned(
            x, y, z, fraction * angle, first[k], first[k + 4], first[k + 8]
        )


def n_rows(kind: int) -> int:
    """Return the number of rows of a goal's residual: those are its first ones."""
    if kind == POSE:
        return 6
    if kind == POINT_DIRECTION:
        return 5
    if kind == RAY or kind >= ANGLE:
        return 4
    if kind in (DIRECTION, LOOKAT, PLANE_POINT):
        return 2
    return 3 if kind in (ROTATION, POINT, PLANE_POSE) else 6


# -- one sub-step ----------------------------------------------------------------------


def orientation(problem: F64, kind: int, matrix: F64, work: F64) -> int:
    """Return the sign of a square Jacobian's determinant; 0 if it is not square.

    Gaussian elimination with partial pivoting.

    Parameters
    ----------
    matrix
        (6, 6) scratch.
    work
        Linearised at the configuration.
    """
    n, columns = int(problem[N_JOINTS]), int(problem[COLUMNS])
    if n_rows(kind) != n:
        return 0
    for j in range(n):
        for i in range(n):
            matrix[j, i] = work[columns + ROWS * j + i]
    sign = 1
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(matrix[i, k]) > abs(matrix[p, k]):
                p = i
        if matrix[p, k] == 0.0:
            return 0
        if p != k:
            sign = -sign
            for j in range(k, n):
                matrix[k, j], matrix[p, j] = matrix[p, j], matrix[k, j]
        if matrix[k, k] < 0.0:
            sign = -sign
        for i in range(k + 1, n):
            f = matrix[i, k] / matrix[k, k]
            for j in range(k + 1, n):
                matrix[i, j] -= f * matrix[k, j]
    return sign


def pull(problem: F64, wanted: F64, gain: float, q: F64, bias: F64) -> None:
    """Write the direction (n,) in which joints are drawn, per radian of joint motion.

    Minus the gradient of ``gain / 2 |q - wanted|^2 + sum f(u)`` with ``f' = u^2`` for
    the depth u = 0..1 in the `MARGIN` before a limit.
    """
    n, ends = int(problem[N_JOINTS]), int(problem[ENDS])
    for j in range(n):
        low, high = problem[ends + j], problem[ends + n + j]
        margin = min(MARGIN, 0.25 * (high - low))
        pulled = min(max(gain * (wanted[j] - q[j]), -1.0), 1.0)
        if margin > 0.0:
            u = max(low + margin - q[j], 0.0) / margin
            v = max(q[j] - high + margin, 0.0) / margin
            pulled += u * u - v * v
        bias[j] = pulled


def leaves(problem: F64, q: F64, work: F64) -> bool:
    """Zero the columns of joints at a limit that the step would cross; say if any."""
    n, ends = int(problem[N_JOINTS]), int(problem[ENDS])
    columns, change = int(problem[COLUMNS]), int(problem[CHANGE])
    found = False
    for j in range(n):
        x = work[change + j]
        if (q[j] >= problem[ends + n + j] and x > 0.0) or (
            q[j] <= problem[ends + j] and x < 0.0
        ):
            for i in range(columns + ROWS * j, columns + ROWS * (j + 1)):
                found = found or work[i] != 0.0
                work[i] = 0.0
    return found


def predict(
    problem: F64, kind: int, drawn: F64, q: F64, x: F64, bias: F64, work: F64
) -> float:
    """Write the joint values (n,) that the tangent leads to; return the longest way.

    Parameters
    ----------
    drawn
        (n,) see `pull`.
    work
        Linearised at `q` for the goal at the end of the sub-step.
    """
    n, e = int(problem[N_JOINTS]), int(problem[ERROR])
    redundant = n_rows(kind) < n
    error = np.empty(ROWS)
    for i in range(ROWS):
        error[i] = work[e + i]
    longest = 0.0
    for _ in range(n + 1):
        longest = damped_step(problem, LEAST_DAMPING, work)
        if redundant:
            for j in range(n):
                c = int(problem[COLUMNS]) + ROWS * j
                still = True
                for i in range(c, c + ROWS):
                    still = still and work[i] == 0.0
                bias[j] = 0.0 if still else longest * drawn[j]
            longest = biased_step(problem, LEAST_DAMPING, bias, work)
            for i in range(ROWS):
                work[e + i] = error[i]
        if not leaves(problem, q, work):
            break
    return move(problem, q, 1.0, longest, x, work)


def corrected(problem: F64, goal: F64, tolerance: F64, x: F64, work: F64) -> bool:
    """Bring a prediction (n,) to its goal; say whether it gets there."""
    used, _ = converge(problem, goal, tolerance, int(CORRECTIONS), x, work)
    return used >= 0 or (
        work[DISTANCE] <= SINGULAR_CLOSE and work[OFF] <= SINGULAR_CLOSE
    )


def across(
    problem: F64,
    goal: F64,
    q: F64,
    x: F64,
    middle: F64,
    allowed: float,
    stray: float,
    matrix: F64,
    work: F64,
) -> int:
    """Write the end of a damped step that may cross a singular configuration.

    Returns the sign of the Jacobian's determinant there; 0 if the goal (1, GOAL) is not
    met, or the step is longer than allowed, or takes the tool astray.

    Parameters
    ----------
    q, x
        (n,) where it begins and ends.
    middle, matrix
        (n,) and (6, 6) scratch.
    stray
        Metres and radians by which the tool may be off the goal half way, less what it
        is at the beginning.
    """
    n = q.shape[0]
    tolerance = np.empty(2)
    tolerance[0] = tolerance[1] = CLOSE
    linearise(problem, goal, q, work)
    far = 0.5 * max(work[DISTANCE], work[OFF])
    longest = damped_step(problem, BLUNT, work)
    move(problem, q, 1.0, longest, x, work)
    if not corrected(problem, goal, tolerance, x, work):
        return 0
    if longest_way(q, x) > allowed:
        return 0
    for j in range(n):
        middle[j] = 0.5 * (q[j] + x[j])
    linearise(problem, goal, middle, work)
    if max(work[DISTANCE], work[OFF]) > far + stray:
        return 0
    linearise(problem, goal, x, work)
    return orientation(problem, int(goal[0, KIND]), matrix, work)


def longest_way(q: F64, x: F64) -> float:
    """Return the greatest difference of two configurations (n,)."""
    longest = 0.0
    for j in range(q.shape[0]):
        longest = max(longest, abs(x[j] - q[j]))
    return longest


# -- the way between two goals ---------------------------------------------------------


def between(
    problem: F64,
    first: F64,
    last: F64,
    settings: F64,
    wanted: F64,
    part: float,
    q: F64,
    trace: F64,
    report: F64,
    work: F64,
) -> float:
    """Follow the way between two goals (GOAL,); return the fraction that is reached.

    Parameters
    ----------
    settings, wanted, trace, report
        See `follow`.
    part
        Fraction of the way with which to begin.
    q
        (n,) meets the first goal, and is moved along.
    """
    n, kind = q.shape[0], int(first[KIND])
    goal, tolerance, matrix = np.empty((1, GOAL)), np.empty(2), np.empty((6, 6))
    x, guess, drawn, bias = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    tolerance[0] = tolerance[1] = CLOSE
    longest, curved = LONGEST, CURVED
    if n_rows(kind) > n:
        # such an arm meets the goals that it was given, not those on straight lines
        longest, curved = FARTHEST, FARTHEST
    isolated = n_rows(kind) >= n
    at = crossed = 0.0
    goal_between(first, last, 1.0, goal)
    stray = min(OFF_PATH, OFF_SHARE * math.sqrt(linearise(problem, goal, q, work)))
    goal_between(first, last, 0.0, goal)
    linearise(problem, goal, q, work)
    side = orientation(problem, kind, matrix, work)
    if isolated:
        part = 1.0  # a singular configuration is best crossed from goal to goal
    for _ in range(MOST):
        part = min(part, 1.0 - at)
        to = 1.0 if part > 1.0 - at - 1e-12 else at + part
        goal_between(first, last, to, goal)
        task = math.sqrt(linearise(problem, goal, q, work))
        pull(problem, wanted, settings[GAIN], q, drawn)
        step = predict(problem, kind, drawn, q, guess, bias, work)
        steep = step > longest and part > SHORTEST
        good = False
        moved = step
        off = 0.0
        report[SUB_STEPS] += 1.0
        if INTERPRETED and report[SUB_STEPS] > BEARABLE:
            raise TakesLongError
        if not steep:
            for j in range(n):
                x[j] = guess[j]
            good = corrected(problem, goal, tolerance, x, work)
            moved = longest_way(q, x)
            off = longest_way(guess, x)
            good = good and off <= min(curved, SHARE * step + ROUNDING)
            good = good and moved <= RATE * task + ROUNDING
            if good:
                linearise(problem, goal, x, work)
                good = orientation(problem, kind, matrix, work) == side
        if not good and isolated and task <= NARROW:
            allowed = SELF_MOTION - crossed
            other = across(problem, goal, q, x, guess, allowed, stray, matrix, work)
            good = other not in (0, side)
            if good:
                side = other
                crossed += longest_way(q, x)
        if not good:
            if part <= SHORTEST or (moved < SHORTEST and step < SHORTEST):
                return at
            part *= max(0.9 * longest / step, 0.1) if steep else 0.5
            continue
        for j in range(n):
            q[j] = x[j]
        at = to
        if int(report[TRACED]) < trace.shape[0]:
            row = int(report[TRACED])
            for j in range(n):
                trace[row, j] = q[j]
            trace[row, n] = report[REACHED] - 1.0 + at
            report[TRACED] += 1.0
        if at == 1.0:
            break
        if off <= 0.25 * min(curved, SHARE * step + ROUNDING):
            part *= 2.0
    return at


# -- what Python calls -----------------------------------------------------------------


def follow(
    problem: F64_1,
    goals: F64_2,
    start: F64_1,
    wanted: F64_1,
    settings: F64_1,
    out: F64_2,
    trace: F64_2,
    report: F64_1,
) -> int:
    """Follow a path of goals from a configuration; return how many are reached.

    Parameters
    ----------
    problem
        Of one chain.
    goals
        (k, GOAL) in the frame of the chain, all of one kind.
    start
        (n,) near a configuration that meets the first goal.
    wanted
        (n,) where joints are drawn that the goals leave free.
    settings
        (SETTINGS,) see the constants.
    out
        (k, n) joint values for the goals; in the row after the last that is reached,
        where the path ends on the way to it.
    trace
        (rows, n + 1) the configurations of all sub-steps, each with its place, the
        number of the goal before it and the fraction of the way to the next. The number
        of rows may be 0, and then nothing is written.
    report
        (REPORT,) see the constants.
    """
    k, n = goals.shape[0], start.shape[0]
    work = np.zeros(int(problem[WORK]))
    q = np.empty(n)
    ends = int(problem[ENDS])
    for i in range(REPORT):
        report[i] = 0.0
    for j in range(n):
        q[j] = min(max(start[j], problem[ends + j]), problem[ends + n + j])
    used, _ = converge(problem, goals[:1], settings, int(CORRECTIONS), q, work)
    for j in range(n):
        out[0, j] = q[j]
    if used < 0:
        return 0
    report[REACHED] = 1.0
    if trace.shape[0] > 0:
        for j in range(n):
            trace[0, j] = q[j]
        trace[0, n] = 0.0
        report[TRACED] = 1.0
    part = 1.0
    for i in range(1, k):
        steps = report[SUB_STEPS]
        at = between(
            problem,
            goals[i - 1],
            goals[i],
            settings,
            wanted,
            part,
            q,
            trace,
            report,
            work,
        )
        for j in range(n):
            out[i, j] = q[j]
        if at < 1.0:
            report[FRACTION] = at
            break
        report[REACHED] += 1.0
        # goals mostly lie evenly: begin with the sub-steps that the last way took
        part = 2.0 / max(report[SUB_STEPS] - steps, 1.0)
    return int(report[REACHED])
