"""Free configurations near one that collides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.planning.moving_links import checks_of
from pyrave.spatial import as_number, matrix_from_axis_angle
from pyrave.world.body_state import StateParts

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.robot import Robot
    from pyrave.spatial import Array

_AT_ONCE = 50
_AROUND = 1e-5
"""Radians or metres around free values that are free, too."""


def free_values_near(
    robot: Robot, *, jitter: float = 0.03, tries: int = 5000, seed: int = 0
) -> Array | None:
    """Return values of the active joints near the present ones that do not collide.

    Neither at the values nor a little around them, so that rounding does not decide.
    Links that these joints do not move may touch what they stand on.

    Parameters
    ----------
    jitter
        Radians or metres by which a value may change; first tries change less.
    tries
        How many random values are asked for.

    Returns
    -------
    (k,) of `Robot.active_dof_indices`, the present values if these are free; None if
    nothing free was found. The robot stays where it is.
    """
    most = as_number(jitter, "jitter", 1e-9)
    count = int(as_number(tries, "tries", 1))
    which = robot.active_dof_indices
    if not len(which):
        raise ArgumentError(f"{robot.name!r} has no active joints to change")
    lower, upper = (bound[which] for bound in robot.dof_limits)
    present = robot.dof_values[which]
    around = np.vstack((np.zeros(len(which)), _AROUND * np.eye(len(which))))
    around = np.vstack((around, -around[1:]))
    rng = np.random.default_rng(seed)
    done, candidates = 0, present[None]
    with checks_of(robot, which) as collide:
        while True:
            for row in candidates[~collide(candidates)]:
                if not collide(np.clip(row + around, lower, upper)).any():
                    return np.array(row)
            if done >= count:
                return None
            size = min(_AT_ONCE, count - done)
            reach = most * (done + np.arange(1, size + 1)) / count
            step = rng.uniform(-1.0, 1.0, (size, len(which))) * reach[:, None]
            candidates = np.clip(present + step, lower, upper)
            done += size


def free_transform_near(
    body: KinBody, *, jitter: float = 0.03, tries: int = 1000, seed: int = 0
) -> Array | None:
    """Return a pose (4, 4) of a body near its present one that does not collide.

    Parameters
    ----------
    jitter
        Metres by which the body may be moved along each axis, and radians by which it
        may be turned; first tries change less.
    tries
        How many random poses are asked for.

    Returns
    -------
    The present pose if it is free; None if no free one was found. The body stays where
    it is.
    """
    most = as_number(jitter, "jitter", 1e-9)
    count = int(as_number(tries, "tries", 1))
    rng = np.random.default_rng(seed)
    present = body.transform
    with body.preserve_state(StateParts.TRANSFORMS):
        for k in range(count + 1):
            pose = present.copy()
            if k:
                reach = most * k / count
                pose[:3, 3] += rng.uniform(-reach, reach, 3)
                axis = rng.normal(size=3)
                turn = matrix_from_axis_angle(axis, rng.uniform(-reach, reach))
                pose[:3, :3] = turn @ present[:3, :3]
                body.transform = pose
            if not body.env.check_collision(body):
                return pose
    return None
