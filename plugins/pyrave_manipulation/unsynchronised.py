"""Motions of a hand that need not be in step with those of the arm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.kinematics.limits import LimitCheck
from pyrave.manipulation import Step
from pyrave.manipulation.joined_steps import joined
from pyrave.planning import retime
from pyrave.planning.moving_links import checks_of
from pyrave.world.body_state import StateParts
from pyrave_manipulation.free_ends import FreeMotion, JointQuery

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyrave.bodies import Robot
    from pyrave.spatial import Array, Indices


def hand_way(
    robot: Robot,
    which: Indices,
    values: Array,
    *,
    divisions: int,
    tries: int,
    options: Mapping[str, Any],
) -> FreeMotion:
    """Return a motion of joints of the hand, before it one of the active joints.

    The active joints move to where the straight way of the hand is free; they stay if
    it is free where they are.

    Parameters
    ----------
    which, values
        (k,) degrees of freedom of the hand, and their values at the end.
    divisions
        Steps of the way of the hand at least; the resolutions of its joints may ask for
        more.
    tries
        Searches, each with the next seed.
    options
        Of `Robot.plan`.
    """
    lower, upper = (bound[which] for bound in robot.dof_limits)
    if ((values < lower - 1e-9) | (values > upper + 1e-9)).any():
        k = int(np.argmax((values < lower - 1e-9) | (values > upper + 1e-9)))
        raise ArgumentError(
            f"jointvalues[{k}] is {values[k]:g}, expected a value of "
            f"{robot.dof_names[which[k]]!r} from {lower[k]:g} to {upper[k]:g}"
        )
    speed = options.get("speed", 1.0)
    parts = StateParts.TRANSFORMS | StateParts.ACTIVE_DOFS
    with robot.env.lock(), robot.preserve_state(parts):
        start = robot.dof_values[which]
        active = np.setdiff1d(robot.active_dof_indices, which)
        coarse = np.abs(values - start) / robot.dof_resolutions[which]
        count = max(divisions, int(np.ceil(coarse.max(initial=0.0))), 1)
        rows = start + np.linspace(0.0, 1.0, count + 1)[:, None] * (values - start)

        def is_free() -> bool:
            with checks_of(robot, which) as collide:
                return not collide(rows).any()

        steps = []
        if not is_free():
            if not len(active):
                return FreeMotion(
                    None,
                    "something is in the way of the hand, and there are no active "
                    "joints that could move out of it",
                )
            query = JointQuery(robot, active, 0.0, tries, options)
            found = query.to_goal(lambda _: is_free())
            if found.timed is None:
                return found
            steps.append(Step("arm", found.timed))
            ends = found.timed.spec.extract_joint_values(
                found.timed.get_waypoint(-1), robot, active
            )
            assert ends is not None  # noqa: S101 - plans have joint values
            robot.set_dof_values(ends, active, limits=LimitCheck.NONE)
        steps.append(
            Step(
                "hand",
                retime(
                    robot,
                    np.stack((start, values)),
                    which,
                    velocity_scale=speed,
                    acceleration_scale=speed,
                ),
            )
        )
    return FreeMotion(joined(robot, steps), goal=0)
