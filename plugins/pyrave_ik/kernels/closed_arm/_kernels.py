"""All joint values of arms in closed form, whatever equations it takes.

`plan` is what `pyrave_ik.packing.pack` returns for any decomposition but GENERAL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave_ik.kernels.closed._kernels import closed_loop
from pyrave_ik.kernels.delivery._kernels import (
    BACKWARD,
    FIRST,
    KIND,
    SCREWS,
    TOLERANCE,
    deliver,
    target,
)
from pyrave_ik.kernels.singular._kernels import (
    ATTEMPTS,
    BLURRED,
    EXACT,
    extent,
    gathered,
    goes_on,
    is_near,
    nudged,
    sorted_out,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


def solve_goal(
    plan: Floats, screws: Floats, goal: Floats, tolerance: float, out: Floats
) -> int:
    """Write all solutions of a loop at a regular goal by the plan's decomposition."""
    return closed_loop(
        int(plan[KIND]),
        int(plan[FIRST]),
        plan[BACKWARD] != 0.0,
        screws,
        goal,
        tolerance,
        out,
    )


def solve_pose(plan: Floats, pose: Floats, out: Floats) -> int:
    """Write all solutions of a pose; return how many.

    Parameters
    ----------
    pose
        (4, 4) T_base_tool.
    out
        (m, 7) six joint values, and bits of the joints that are free on a continuum
        of which the row is one point, 0 elsewhere. The last row is scratch; m >= 17.
    """
    screws = plan[SCREWS : SCREWS + 42].reshape(6, 7)
    goal = np.empty((3, 4))
    target(plan, pose, goal)
    n = solve_goal(plan, screws, goal, plan[TOLERANCE], out)
    regular = n > 0
    for r in range(n):
        out[r, 6] = 0.0
        regular = regular and not is_near(screws, out[r])
    if not regular:
        n = singular(plan, screws, goal, out, n)
    return deliver(plan, n, out)


def singular(plan: Floats, screws: Floats, goal: Floats, out: Floats, n: int) -> int:
    """Add to n rows at a goal with singular solutions what its neighbours lead to."""
    near = np.empty((3, 4))
    found = np.empty((out.shape[0], 7))
    length = max(1.0, extent(screws, goal))
    for exact in (EXACT, BLURRED):
        for attempt in range(ATTEMPTS):
            before = n
            nudged(goal, length, attempt, near)
            k = solve_goal(plan, screws, near, plan[TOLERANCE], found)
            n = gathered(screws, goal, found, k, exact * length, out, n)
            if not goes_on(attempt, before, n):
                break
        if n > 0:
            break
    return sorted_out(screws, goal, out, n)


def solve_poses(plan: Floats, poses: Floats, out: Floats, counts: Ints) -> None:
    """Write solutions (n, m, 7) and how many (n,) of poses (n, 4, 4)."""
    for i in range(poses.shape[0]):
        counts[i] = solve_pose(plan, poses[i], out[i])


def solve_plans(plans: Floats, pose: Floats, out: Floats, counts: Ints) -> None:
    """Write solutions (n, m, 7) and how many (n,) of one pose for plans (n, size).

    For arms with a free joint: one plan for each of its values.
    """
    for i in range(plans.shape[0]):
        counts[i] = solve_pose(plans[i], pose, out[i])
