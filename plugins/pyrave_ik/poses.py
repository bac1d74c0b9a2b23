"""Where a tool is at many values of an arm, and values to try."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.spatial import invert_pose

if TYPE_CHECKING:
    from pyrave.interfaces import Manipulator
    from pyrave.spatial import Array

__all__ = ["random_configurations", "singular_configurations", "tool_poses"]

_CHUNK = 5000
_ENDLESS = 100.0


def random_configurations(arm: Manipulator, n: int, rng: np.random.Generator) -> Array:
    """Return (n, n_arm) values within the limits; one turn where there are none."""
    lower, upper = _limits(arm)
    return np.asarray(rng.uniform(lower, upper, (n, len(lower))))


def singular_configurations(
    arm: Manipulator, n: int, rng: np.random.Generator, *, beside: bool = False
) -> Array:
    """Return (n, n_arm) values that are multiples of a right angle, within the limits.

    Sliding joints, and turning ones whose limits hold no multiple, are anywhere.

    Parameters
    ----------
    beside
        Move every value by 1e-9 to 1e-3, another size for each row.
    """
    lower, upper = _limits(arm)
    slides = arm.robot.model.prismatic[arm.arm_indices]
    quarter = 0.5 * np.pi
    first, last = np.ceil(lower / quarter), np.floor(upper / quarter)
    held = ~slides & (last >= first)
    values = rng.uniform(lower, upper, (n, len(lower)))
    steps = first + np.floor(rng.uniform(size=values.shape) * (last - first + 1.0))
    values = np.where(held, steps * quarter, values)
    if beside:
        size = 10.0 ** rng.uniform(-9.0, -3.0, (n, 1))
        values = values + size * rng.uniform(-1.0, 1.0, values.shape)
    return np.asarray(values)


def _limits(arm: Manipulator) -> tuple[Array, Array]:
    indices = arm.arm_indices
    lower, upper = (limit[indices] for limit in arm.robot.dof_limits)
    endless = upper - lower > _ENDLESS
    return np.where(endless, -np.pi, lower), np.where(endless, np.pi, upper)


def tool_poses(arm: Manipulator, values: Array) -> Array:
    """Return T_base_tool (n, 4, 4) at (n, n_arm) values, by the robot's kinematics."""
    robot = arm.robot
    columns = arm.arm_indices
    base, end = arm.base.index, arm.end_effector.index
    found = np.empty((len(values), 4, 4))
    for start in range(0, len(values), _CHUNK):
        some = values[start : start + _CHUNK]
        full = np.tile(robot.dof_values, (len(some), 1))
        full[:, columns] = some
        links = robot.compute_link_transforms(full)
        # no joint of the arm moves its base
        to_base = invert_pose(links[0, base])
        tools = to_base @ links[:, end] @ arm.local_tool_transform
        found[start : start + len(some)] = tools
    return found
