"""All joint values of arms with three parallel axes and quadratic equations.

`plan` is what `pyrave_ik.packing.pack` returns, its FORM must be 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave_ik.kernels.delivery._kernels import (
    SCREWS,
    deliver,
    target,
    turned_round,
)
from pyrave_ik.kernels.direct._kernels import parallel
from pyrave_ik.kernels.singular._kernels import (
    ATTEMPTS,
    BLURRED,
    EXACT,
    extent,
    gathered,
    goes_on,
    nudged,
    sorted_out,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


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
    n = parallel(plan, pose, out)
    if n < 0:
        n = singular(plan, pose, out)
    else:
        turned_round(plan, n, out)
    return deliver(plan, n, out)


def singular(plan: Floats, pose: Floats, out: Floats) -> int:
    """Write the rows (7,) of axes' values at a pose where `parallel` gives up."""
    screws = plan[SCREWS : SCREWS + 42].reshape(6, 7)
    goal = np.empty((3, 4))
    target(plan, pose, goal)
    near = np.empty((4, 4))
    found = np.empty((16, 7))
    length = max(1.0, extent(screws, goal))
    n = 0
    for exact in (EXACT, BLURRED):
        for attempt in range(ATTEMPTS):
            before = n
            nudged(pose, length, attempt, near)
            k = parallel(plan, near, found)
            if k > 0:
                turned_round(plan, k, found)
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
