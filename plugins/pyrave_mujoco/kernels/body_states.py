"""Kernels that take the state of bodies out of the arrays of MuJoCo."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pyrave.jit.bundles import f64_1, f64_2, f64_3, i32_2

if TYPE_CHECKING:
    from pyrave.jit.arrays import I64_2


def pull(arrays: I64_2) -> None:
    """Write poses, joint values and velocities of a group of bodies.

    Parameters
    ----------
    arrays
        Bundle of MuJoCo's `qpos`, `qvel`, `xpos` and `xmat`; of a group `poses`,
        `values`, `rates` and `velocities`; and of the tables

        * (n, 2): a row of `xpos`, and of `poses`;
        * (m, 3): a row of `qpos`, of `qvel`, and of `values`;
        * (m, 2): the range of a value that goes round, infinite for others;
        * (k, 3): a row of `qvel`, of the poses and of the velocities of a free body.
    """
    qpos, qvel = f64_1(arrays, 0), f64_1(arrays, 1)
    xpos, xmat = f64_2(arrays, 2), f64_2(arrays, 3)
    poses, values, rates = f64_3(arrays, 4), f64_1(arrays, 5), f64_1(arrays, 6)
    velocities = f64_2(arrays, 7)
    links, dofs, ranges = i32_2(arrays, 8), i32_2(arrays, 9), f64_2(arrays, 10)
    free = i32_2(arrays, 11)
    for k in range(len(links)):
        source, row = links[k, 0], links[k, 1]
        for i in range(3):
            for j in range(3):
                poses[row, i, j] = xmat[source, 3 * i + j]
            poses[row, i, 3] = xpos[source, i]
    for k in range(len(dofs)):
        value, low, high = qpos[dofs[k, 0]], ranges[k, 0], ranges[k, 1]
        if math.isfinite(low) and math.isfinite(high):
            value -= (high - low) * math.floor((value - low) / (high - low))
        values[dofs[k, 2]] = value
        rates[dofs[k, 2]] = qvel[dofs[k, 1]]
    for k in range(len(free)):
        start, row, own = free[k, 0], free[k, 1], free[k, 2]
        x, y, z = qvel[start + 3], qvel[start + 4], qvel[start + 5]
        for i in range(3):
            velocities[own, i] = qvel[start + i]
            velocities[own, 3 + i] = (
                poses[row, i, 0] * x + poses[row, i, 1] * y + poses[row, i, 2] * z
            )
