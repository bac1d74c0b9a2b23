"""Collision checks of the links that some joints move."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from pyrave.world.body_state import StateParts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from pyrave.bodies.robot import Robot
    from pyrave.spatial import Array, Indices


@contextmanager
def checks_of(
    robot: Robot, indices: Indices
) -> Iterator[Callable[[Array], NDArray[np.bool_]]]:
    """Give a function that says which values (n, k) of joints collide.

    Links that these joints do not move may touch what they stand on. The robot stays
    where it is.
    """
    checker = robot.env.collision_checker
    parts = StateParts.TRANSFORMS | StateParts.ACTIVE_DOFS
    others = robot.dof_values

    def collide(rows: Array) -> NDArray[np.bool_]:
        values = np.tile(others, (len(rows), 1))
        values[:, indices] = rows
        return checker.check_configurations(robot, values)

    with robot.preserve_state(parts), checker.moving_links():
        robot.set_active_dofs(indices)
        yield collide
