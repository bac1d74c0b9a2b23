"""Joint paths that begin or end where something touches."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pyrave.ik.path import IkPath, IkPathEnd
from pyrave.ik.results import IkFilterOptions
from pyrave.interfaces.collision.touching_links import (
    as_touching,
    touches_of,
    touches_of_ends,
    touches_of_held,
)
from pyrave.kinematics.limits import LimitCheck
from pyrave.world.body_state import StateParts

if TYPE_CHECKING:
    from pyrave.bodies.manipulator import Manipulator
    from pyrave.spatial import Array


_COLLISIONS = (
    IkFilterOptions.CHECK_ENV_COLLISIONS | IkFilterOptions.CHECK_SELF_COLLISIONS
)


def leaving_contact(
    arm: Manipulator,
    start: Array,
    options: IkFilterOptions,
    touching: float | None,
    follow: Callable[[], IkPath],
) -> IkPath:
    """Return a path on which what touches at its start may part, or slide.

    What the robot holds may touch at the end as deep as it does there. Nowhere is a
    pair deeper than at the ends.

    Parameters
    ----------
    start
        (n_arm,) values.
    options
        Whether the path asks what collides.
    touching
        Metres that pairs of links may be deep in each other at the ends; None: not.
    follow
        Finds a path, and asks the environment's checker.
    """
    most = as_touching(touching)
    if most is None or not options & _COLLISIONS:
        return follow()
    robot, checker = arm.robot, arm.robot.env.collision_checker

    def place(values: Array) -> None:
        robot.set_dof_values(values, arm.arm_indices, limits=LimitCheck.NONE)

    path = follow()
    if path or path.status not in {IkPathEnd.COLLISION, IkPathEnd.NO_START}:
        return path
    with robot.preserve_state(StateParts.TRANSFORMS):
        place(start)
        touches = touches_of(robot, most)
    if touches:
        with checker.allowing(touches):
            path = follow()
    if path or len(robot.attached) == 1:
        return path
    with checker.allowing(touches), checker.allowing(touches_of_held(robot, most)):
        placed = follow()
    if not placed:
        return path
    with robot.preserve_state(StateParts.TRANSFORMS):
        touches = touches_of_ends(robot, most, place, start, placed.values[-1:])
    with checker.allowing(touches):
        return follow()
