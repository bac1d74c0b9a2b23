"""All joint values of arms with a spherical wrist and quadratic equations.

`plan` is what `pyrave_ik.packing.pack` returns, its FORM must be 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave_ik.kernels.delivery._kernels import deliver, turned_round
from pyrave_ik.kernels.direct._kernels import wrist

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
    n = wrist(plan, pose, out)
    if n < 0:
        return n
    turned_round(plan, n, out)
    return deliver(plan, n, out)


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
