"""Numerical inverse kinematics: damped least squares from many starts.

Starts are, in order: a given configuration, those of a table whose tools come nearest
to the goals, and random ones, every other with some of its joints on their limits. The
arrays are those of `damped_least_squares`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.jit import TakesLongError
from pyrave_ik.kernels.iteration.boundary_newton import NEARLY, refine
from pyrave_ik.kernels.iteration.damped_least_squares import (
    converge,
    minimise,
    settle,
)
from pyrave_ik.kernels.iteration.residuals import (
    ANGLE_WEIGHT,
    DISTANCE,
    ENDS,
    ERROR,
    KIND,
    LENGTH_WEIGHT,
    LIMITS,
    N_CHAINS,
    N_JOINTS,
    N_TABLE,
    OFF,
    POSE,
    TABLE,
    TARGET,
    TIP,
    TIPS,
    TOOL_POINT,
    TURNS,
    WORK,
    blank_goals,
    linearise,
    other_error,
)

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, F64_1, F64_2

JIT_OPTIONS = {"*": {"fastmath": {"nsz", "contract", "reassoc", "arcp"}}}
JIT_ENTRIES = ("solve",)
INTERPRETED = True
BEARABLE = 1000
"""Steps that the interpreter may take in one call, about half a second."""

STEPS = 20
"""Most steps of one of the first starts; later ones get more, up to five times."""
SETTLE = 30
APPROACH = 200
BESIDE = 12
"""Places around a configuration that nearly meets the goals."""
SAME = 1e-5
"""Configurations are the same whose joints differ by less."""
ROUNDING = 1e-12
"""Permitted deviation of the matrix of a rigid transform."""
WIDE = 1e4
"""Number in place of an infinite limit."""

# Entries of settings.
LENGTH_TOLERANCE = 0
ANGLE_TOLERANCE = 1
STARTS_ALLOWED = 2
NEAREST = 3
"""Not 0: joints that the goals leave free end where they are nearest to the start."""
NEAREST_MISS = 4
"""Not 0: where nothing is found, go on to where the goals are missed least."""
ALL = 5
"""Not 0: the distinct configurations that starts all over the range lead to."""
SETTINGS = 6

# Columns of results behind the n joint values.
DISTANCE_MISSED = 0
ANGLE_MISSED = 1
STARTS_USED = 2
STEPS_USED = 3
RESULT = 4


# -- from many starts ------------------------------------------------------------------


def place(problem: F64, near: F64, q: F64) -> None:
    """Add whole periods to joints: into their limits, and nearest to `near` (n,).

    Without `near` (0,), nearest to the middle of their range.
    """
    n, limits, turns = int(problem[N_JOINTS]), int(problem[LIMITS]), int(problem[TURNS])
    for j in range(n):
        period = problem[turns + j]
        if period != 0.0:
            low = max(problem[limits + j], -WIDE)
            high = min(problem[limits + n + j], WIDE)
            wanted = near[j] if near.shape[0] > 0 else 0.5 * (low + high)
            x = q[j] + period * math.floor((wanted - q[j]) / period + 0.5)
            if x < low:
                x += period * math.ceil((low - x) / period)
            if x > high:
                x -= period * math.ceil((x - high) / period)
            q[j] = min(max(x, low), high)


def rank(problem: F64, goals: F64, out: F64, work: F64) -> None:
    """Write the distance of the tools from the goals in each row of the table."""
    count = int(problem[N_CHAINS])
    tip = int(problem[TIPS])
    e = int(problem[ERROR])
    for k in range(out.shape[0]):
        total = 0.0
        for t in range(count):
            fl, fa = goals[t, LENGTH_WEIGHT], goals[t, ANGLE_WEIGHT]
            if goals[t, KIND] == POSE:
                x = goals[t, TARGET + 3] - problem[tip + 3]
                y = goals[t, TARGET + 7] - problem[tip + 7]
                z = goals[t, TARGET + 11] - problem[tip + 11]
                trace = 0.0
                for i in (0, 1, 2, 4, 5, 6, 8, 9, 10):
                    trace += goals[t, TARGET + i] * problem[tip + i]
                total += fl * fl * (x * x + y * y + z * z) + fa * fa * (3.0 - trace)
            else:
                for i in range(12):
                    work[TIP + i] = problem[tip + i]
                total += other_error(goals, t, e, work)
            tip += 12
        out[k] = total


def draw(problem: F64, state: np.uint64, q: F64) -> np.uint64:
    """Write a random configuration; return the generator's next state (xorshift)."""
    n, ends, turns = int(problem[N_JOINTS]), int(problem[ENDS]), int(problem[TURNS])
    for j in range(n):
        state ^= state << np.uint64(13)
        state ^= state >> np.uint64(7)
        state ^= state << np.uint64(17)
        f = (state >> np.uint64(11)) * (1.0 / 9007199254740992.0)
        low, high = max(problem[ends + j], -1e3), min(problem[ends + n + j], 1e3)
        period = problem[turns + j]
        if period != 0.0:
            low, high = -0.5 * period, 0.5 * period
        q[j] = low + f * (high - low)
    return state


def draw_on_limits(problem: F64, state: np.uint64, q: F64) -> np.uint64:
    """Put joints of (n,) on a limit, or at a right angle; return the next state.

    Where goals are met with several joints on their limits and nowhere beside them, few
    of the descents that begin inside end there. At right angles most arms are singular.
    """
    n, ends, turns = int(problem[N_JOINTS]), int(problem[ENDS]), int(problem[TURNS])
    for j in range(n):
        state ^= state << np.uint64(13)
        state ^= state >> np.uint64(7)
        state ^= state << np.uint64(17)
        low, high = problem[ends + j], problem[ends + n + j]
        ended = problem[turns + j] == 0.0 and low > -WIDE and high < WIDE
        chance = (state >> np.uint64(11)) * (1.0 / 9007199254740992.0)
        if chance < 0.25:
            angle = 0.5 * math.pi * math.floor(q[j] / (0.5 * math.pi) + 0.5)
            q[j] = min(max(angle, low), high)
        elif ended and chance < 0.5:
            q[j] = low
        elif ended and chance < 0.75:
            q[j] = high
    return state


def refine_beside(
    problem: F64, goals: F64, settings: F64, state: np.uint64, q: F64, work: F64
) -> tuple[int, float, np.uint64]:
    """Refine what nearly meets the goals, from there and from places around it.

    Where a joint on its limit meets a singular value, descents to one side of it end at
    a minimum that misses by the square of the way to the solution on the other side.
    Returns what `converge` does, and the generator's next state.

    Parameters
    ----------
    q
        (n,) joint values; gets the best that is found.
    """
    n, ends = q.shape[0], int(problem[ENDS])
    used, least = refine(problem, goals, settings, q, work)
    total = abs(used)
    x = np.empty(n)
    if used < 0:
        # along nearly flat valleys damping that follows the gain leads on
        least = minimise(problem, goals, int(APPROACH), q, x, work)
        if work[DISTANCE] <= settings[0] and work[OFF] <= settings[1]:
            used = 0
    for number in range(BESIDE):
        if used >= 0:
            break
        # a quarter of the power of the sum of squares: the root of what is missed
        size = least**0.25 * (1.0, 10.0, 0.1, 100.0)[number % 4]
        for j in range(n):
            state ^= state << np.uint64(13)
            state ^= state >> np.uint64(7)
            state ^= state << np.uint64(17)
            f = (state >> np.uint64(11)) * (2.0 / 9007199254740992.0) - 1.0
            low, high = problem[ends + j], problem[ends + n + j]
            x[j] = min(max(q[j] + f * min(size, 0.1), low), high)
        taken, left = converge(problem, goals, settings, 2 * STEPS, x, work)
        total += abs(taken)
        if taken < 0 and left < 0.25 * least:
            taken, left = refine(problem, goals, settings, x, work)
            total += 4 * n * abs(taken)
        if left < least or taken >= 0:
            used, least = taken, left
            for j in range(n):
                q[j] = x[j]
    return total if used >= 0 else -1 - total, least, state


def search(
    problem: F64, goals: F64, near: F64, settings: F64, out: F64, work: F64
) -> int:
    """Write a configuration that meets the goals, or the best, to row 0; see `solve`.

    Starts are, in order: `near`, those of the table whose tools come nearest to the
    goals, and random ones.
    """
    n, k = int(problem[N_JOINTS]), int(problem[N_TABLE])
    ends, table = int(problem[ENDS]), int(problem[TABLE])
    q, x, distance = np.empty(n), np.empty(n), np.empty(k)
    given = 1 if near.shape[0] > 0 else 0
    state = np.uint64(88172645463325252)
    best = refined = math.inf
    found = False
    nearly = 0
    total = 0
    starts = 0
    while starts < settings[STARTS_ALLOWED] and not found:
        if starts < given:
            for j in range(n):
                x[j] = min(max(near[j], problem[ends + j]), problem[ends + n + j])
        elif starts < given + k:
            if starts == given:
                rank(problem, goals, distance, work)
            row = 0
            for i in range(k):
                if distance[i] < distance[row]:
                    row = i
            distance[row] = math.inf
            for j in range(n):
                x[j] = problem[table + n * row + j]
        else:
            state = draw(problem, state, x)
            if starts % 2 == 1:
                state = draw_on_limits(problem, state, x)
        # near a singular pose the last steps shorten slowly
        steps = STEPS * min(1 + starts // 8, 5)
        used, left = converge(problem, goals, settings, steps, x, work)
        total += abs(used)
        if used < 0 and left < NEARLY:
            # the same miss is refined ever more seldom
            nearly += 1
            if left < 0.25 * refined or nearly & (nearly - 1) == 0:
                used, left, state = refine_beside(
                    problem, goals, settings, state, x, work
                )
                refined = min(left, refined)
                total += 4 * n * abs(used)
        found = used >= 0
        starts += 1
        if INTERPRETED and total > BEARABLE:
            raise TakesLongError
        if found or left < best:
            best = left
            for j in range(n):
                q[j] = x[j]
    place(problem, near, q)
    if found and given and settings[NEAREST] != 0.0:
        settle(problem, goals, settings, near, int(SETTLE), q, work)
        # joints that can go all the way round may have left their limits on the way
        place(problem, near, q)
    if not found:
        if settings[NEAREST_MISS] != 0.0:
            minimise(problem, goals, int(APPROACH), q, x, work)
            place(problem, near, q)
        linearise(problem, goals, q, work)
        found = work[DISTANCE] <= settings[0] and work[OFF] <= settings[1]
    for j in range(n):
        out[0, j] = q[j]
    out[0, n + DISTANCE_MISSED], out[0, n + ANGLE_MISSED] = work[DISTANCE], work[OFF]
    out[0, n + STARTS_USED], out[0, n + STEPS_USED] = starts, total
    return 1 if found else 0


def several(problem: F64, goals: F64, settings: F64, out: F64, work: F64) -> int:
    """Write the distinct configurations that starts from the table lead to."""
    n, turns, table = int(problem[N_JOINTS]), int(problem[TURNS]), int(problem[TABLE])
    x, near = np.empty(n), np.empty(n)
    count = 0
    total = 0
    for row in range(min(int(settings[STARTS_ALLOWED]), int(problem[N_TABLE]))):
        for j in range(n):
            x[j] = near[j] = problem[table + n * row + j]
        used, left = converge(problem, goals, settings, int(STEPS), x, work)
        total += abs(used)
        if used < 0 and left < NEARLY:
            used, _ = refine(problem, goals, settings, x, work)
            total += 4 * n * abs(used)
        if INTERPRETED and total > BEARABLE:
            raise TakesLongError
        if used < 0:
            continue
        place(problem, near, x)
        known = False
        for i in range(count):
            off = 0.0
            for j in range(n):
                way = abs(x[j] - out[i, j])
                period = problem[turns + j]
                if period != 0.0:
                    way = abs(way - period * math.floor(way / period + 0.5))
                off = max(off, way)
            known = known or off < SAME
        if not known:
            for j in range(n):
                out[count, j] = x[j]
            count += 1
    return count


# -- what Python calls -----------------------------------------------------------------


def is_rigid(pose: F64) -> bool:
    """Return True if a matrix (4, 4) is a rigid transform up to rounding, and finite.

    The third row of a rotation is the product of the others. What is no number fails.
    """
    off = 0.0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        cross = pose[0, j] * pose[1, k] - pose[0, k] * pose[1, j] - pose[2, i]
        off += abs(cross) + abs(pose[3, i]) + 0.0 * pose[i, 3]
    a = b = c = 0.0
    for i in range(3):
        a += pose[0, i] * pose[0, i]
        b += pose[1, i] * pose[1, i]
        c += pose[0, i] * pose[1, i]
    off += abs(a - 1.0) + abs(b - 1.0) + abs(c) + abs(pose[3, 3] - 1.0)
    return bool(off < ROUNDING)


def solve(
    problem: F64_1, base: F64_2, target: F64_2, near: F64_1, settings: F64_1, out: F64_2
) -> int:
    """Write configurations that meet goals; return how many.

    -1 where `target` is no pose or has another shape, or `near` has another shape or is
    not finite.

    Parameters
    ----------
    base
        (4, 4) T_world_base of the frame of all chains.
    target
        T_world_tool (4, 4) for one chain, or goals (t, GOAL) whose targets are in the
        world. Those of kinds with an angle must be in the frame of the chains, which
        then is the world.
    near
        (n,) where to begin, or nothing (0,).
    settings
        (SETTINGS,) see the constants.
    out
        (rows, n + RESULT) joint values and, in the first row, what is missed and how
        much was tried. Where nothing is found the first row has the nearest.
    """
    goals = blank_goals(problem)
    pose = target.shape[0] == 4 and target.shape[1] == 4 and goals.shape[0] == 1
    if not (is_rigid(target) if pose else target.shape == goals.shape):
        return -1
    if near.shape[0] != 0 and near.shape[0] != problem[N_JOINTS]:
        return -1
    for j in range(near.shape[0]):
        if not math.isfinite(near[j]):
            return -1
    for t in range(goals.shape[0]):
        if pose:
            goals[t, KIND] = POSE
        else:
            goals[t, KIND] = target[t, KIND]
            for i in range(TOOL_POINT, TOOL_POINT + 3):
                goals[t, i] = target[t, i]
        for i in range(3):
            for j in range(4):
                total = 0.0
                for k in range(3):
                    x = target[k, j] if pose else target[t, TARGET + 4 * k + j]
                    if j == 3:
                        x -= base[k, 3]
                    total += base[k, i] * x
                goals[t, TARGET + 4 * i + j] = total
    work = np.zeros(int(problem[WORK]))
    if settings[ALL] != 0.0:
        return several(problem, goals, settings, out, work)
    return search(problem, goals, near, settings, out, work)
