"""Statistics of `solve_ik` on poses that the arm itself reaches."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.ik import IkParameterization, IkParameterizationType, residuals_of
from pyrave.records import Record
from pyrave_ik.arm.poses import goal_values, tool_poses

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.bodies import Manipulator
    from pyrave.spatial import Array

WRONG = 1e-8
"""A solution whose tool is farther than this from the goal is wrong, metres and rad."""
_WARM_UP = 1.0
_STEP = 200


@dataclass(frozen=True)
class CallStatistics(Record):
    """Statistics of `solve_ik` on goals that the arm reaches within its limits.

    Parameters
    ----------
    poses
        How many goals were measured; fewer than given if time ran out.
    found, wrong
        How many got joint values, and how many of these values are outside limits or
        miss the goal.
    position_error, rotation_error
        Greatest of all, metres and radians.
    microseconds
        (poses,) processor time of each call.
    """

    poses: int
    found: int
    wrong: int
    position_error: float
    rotation_error: float
    microseconds: Array


def measure_calls(
    arm: Manipulator,
    kind: IkParameterizationType,
    configurations: Array,
    starts: Array,
    *,
    seconds: float,
    progress: Callable[[int], None],
) -> CallStatistics:
    """Call ``arm.solve_ik(goal)`` for the goals of configurations, from other ones.

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
    return CallStatistics(
        len(times),
        len(found),
        int(wrong.sum()),
        float(worst[0]),
        float(worst[1]),
        np.array(times),
    )
