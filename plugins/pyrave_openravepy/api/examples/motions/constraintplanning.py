"""A hand that stays upright on its way."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyrave_openravepy.api.examples._program import scene, tell
from pyrave_openravepy.api.foundation.errors import PlanningError
from pyrave_openravepy.api.interfaces.BaseManipulation import BaseManipulation

__all__ = ["run"]


def run(args: Sequence[str] | None = None) -> None:
    """Move the hand sideways without tilting it."""
    with scene(args, __doc__ or "") as (_, robot):
        manip = robot.GetActiveManipulator()
        goal = manip.GetTransform()
        goal[:3, 3] += (0.0, 0.1, 0.0)
        frame = np.linalg.inv(manip.GetTransform())
        try:
            timed = BaseManipulation(robot).MoveToHandPosition(
                matrices=[goal],
                constraintfreedoms=[1, 1, 0, 0, 0, 0],
                constraintmatrix=frame,
                constrainterrorthresh=0.02,
                execute=False,
                outputtrajobj=True,
            )
        except PlanningError as error:
            tell(str(error))
        else:
            tell(f"{timed.GetDuration():.2f} s, {timed.GetNumWaypoints()} waypoints")
