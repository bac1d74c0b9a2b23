"""A base that drives around obstacles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyrave_openravepy.api.enums import DOFAffine
from pyrave_openravepy.api.examples._program import scene, tell
from pyrave_openravepy.api.foundation.errors import PlanningError
from pyrave_openravepy.api.interfaces.BaseManipulation import BaseManipulation

__all__ = ["run"]


def run(args: Sequence[str] | None = None) -> None:
    """Plan and execute a way of the rover."""
    with scene(args, __doc__ or "", "robots/rover.robot.xml") as (_, robot):
        tell(f"{robot.GetName()} stands at {np.round(robot.GetTransform()[:2, 3], 2)}")
        affine = DOFAffine.X | DOFAffine.Y | DOFAffine.RotationAxis
        robot.SetActiveDOFs([], affine, [0, 0, 1])
        goal = robot.GetActiveDOFValues() + np.array((0.3, 0.2, 0.5))
        try:
            BaseManipulation(robot).MoveActiveJoints(goal=goal)
            robot.WaitForController(0)
        except PlanningError as error:
            tell(str(error))
        tell(f"it stands at {np.round(robot.GetTransform()[:2, 3], 2)}")
