"""A hand that stays upright on its way."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyrave_openravepy.api.examples._program import expect, scene, tell
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
            expect(False, "there is no way that keeps the hand upright")
        tell(f"{timed.GetDuration():.2f} s, {timed.GetNumWaypoints()} waypoints")
        tilts = []
        start = manip.GetTransform()
        indices = manip.GetArmIndices()
        spec = timed.GetConfigurationSpecification()
        for time in np.linspace(0, timed.GetDuration(), 40):
            with robot:
                values = spec.ExtractJointValues(timed.Sample(time), robot, indices, 0)
                robot.SetDOFValues(values, indices)
                turn = start[:3, :3].T @ manip.GetTransform()[:3, :3]
            tilts.append(np.arccos(np.clip(turn[2, 2], -1, 1)))
        tell(f"the hand tilts by at most {max(tilts):.3f} rad")
        expect(max(tilts) < 0.05, "the hand does not stay upright")
