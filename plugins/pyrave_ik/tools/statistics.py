"""Statistics of `solve_ik` on poses that the arm itself reaches."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.ik import IkParameterization, IkParameterizationType, residuals_of
from pyrave_ik.arm.poses import goal_values, tool_poses

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.bodies import Manipulator
    from pyrave.spatial import Array

WRONG = 1e-8
"""A solution whose tool is farther than this from the goal is wrong, metres and rad."""
_WARM_UP = 1.0
_STEP = 200
_PERCENTILES = (50, 99, 100)


def solve_statistics(
    arm: Manipulator,
    kind: IkParameterizationType,
    configurations: Array,
    starts: Array,
    *,
    seconds: float,
    progress: Callable[[int], None],
) -> dict[str, Any]:
    """Return what ``arm.solve_ik(goal)`` finds for the goals of configurations.

    How many goals were asked for, and of these which part is found; how many are lost,
    and how many answers are wrong: outside limits, or off the goal; the greatest
    deviations, metres and radians; percentiles of the processor time of a call. All as
    data for JSON.

    Parameters
    ----------
    configurations
        (n, n_arm) values of the arm, within limits, whose tools meet goals of the kind;
        see `pyrave_ik.arm.poses.meeting`.
    starts
        (n, n_arm) the current configuration of each call.
    seconds
        No goal is begun after so many.
    progress
        Called now and then with the number of goals that are done.
    """
    poses = tool_poses(arm, configurations)
    goals = goal_values(kind, poses, arm.direction)
    base = arm.base.transform
    targets: list[IkParameterization | Array] = list(base @ poses)
    if kind is not IkParameterizationType.Transform6D:
        targets = [
            IkParameterization(kind, tuple(goal)).transformed(base)
            for goal in goals.tolist()
        ]
    begin = time.perf_counter()
    for start, target in zip(starts, targets, strict=True):  # compiled meanwhile
        arm.arm_dof_values = start
        arm.solve_ik(target)
        if time.perf_counter() - begin > _WARM_UP:
            break
    rows, times = np.full(starts.shape, np.nan), []
    begin = time.perf_counter()
    for number, (start, target) in enumerate(zip(starts, targets, strict=True)):
        if number and time.perf_counter() - begin > seconds:
            break
        arm.arm_dof_values = start
        called = time.thread_time()
        row = arm.solve_ik(target)
        times.append(1e6 * (time.thread_time() - called))
        if row is not None:
            rows[number] = row
        if not len(times) % _STEP:
            progress(len(times))
    progress(len(times))
    found = np.flatnonzero(np.isfinite(rows).all(axis=1))
    rows = rows[found]
    off = np.array(
        residuals_of(kind, goals[found], tool_poses(arm, rows), arm.direction)
    )
    indices = arm.arm_indices
    lower, upper = (limit[indices] for limit in arm.robot.dof_limits)
    endless = arm.robot.state_model.circular[indices]
    inside = endless | ((rows >= lower - WRONG) & (rows <= upper + WRONG))
    wrong = ~inside.all(axis=1) | ~(off <= WRONG).all(axis=0)
    worst = off.max(axis=1, initial=0.0)
    percentiles = np.percentile(times, _PERCENTILES) if times else ()
    return {
        "poses": len(times),
        "found": len(found) / max(len(times), 1),
        "lost": len(times) - len(found),
        "wrong": int(wrong.sum()),
        "position_error": float(worst[0]),
        "rotation_error": float(worst[1]),
        "microseconds": {
            str(p): float(t) for p, t in zip(_PERCENTILES, percentiles, strict=False)
        },
    }
