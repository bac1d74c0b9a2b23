"""A hand that moves along a line."""

from __future__ import annotations

from collections.abc import Sequence

from pyrave_openravepy.api.examples._program import expect, scene, tell
from pyrave_openravepy.api.foundation.errors import PlanningError
from pyrave_openravepy.api.interfaces.BaseManipulation import BaseManipulation

__all__ = ["run"]


def run(args: Sequence[str] | None = None) -> None:
    """Move the hand down and up again."""
    with scene(args, __doc__ or "") as (_, robot):
        manip = robot.GetActiveManipulator()
        base = BaseManipulation(robot)
        for way in ((0, 0, -1), (0, 0, 1)):
            before = manip.GetTransform()[2, 3]
            try:
                base.MoveHandStraight(way, stepsize=0.01, minsteps=1, maxsteps=8)
                robot.WaitForController(0)
            except PlanningError as error:
                tell(str(error))
            moved = manip.GetTransform()[2, 3] - before
            tell(f"moved by {moved:+.3f} m")
            expect(moved * way[2] > 0.005, "the hand does not move along its line")
