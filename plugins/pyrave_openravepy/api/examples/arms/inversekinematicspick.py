"""An arm that follows a thing that is dragged around."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyrave_openravepy.api.enums import IkFilterOptions
from pyrave_openravepy.api.examples._program import api, expect, scene, tell

__all__ = ["run"]


def run(args: Sequence[str] | None = None) -> None:
    """Drag a box along a circle, and let the hand follow it."""
    with scene(args, __doc__ or "") as (env, robot):
        manip = robot.GetActiveManipulator()
        model = api().databases.inversekinematics.InverseKinematicsModel(robot)
        model.load()
        target = api().RaveCreateKinBody(env, "")
        target.InitFromBoxes(np.array([[0, 0, 0, 0.01, 0.01, 0.01]]), True)
        target.SetName("pick")
        env.Add(target, True)
        target.Enable(False)
        start = manip.GetTransform()
        dragged = start.copy()
        reached = 0
        for angle in np.linspace(0, 2 * np.pi, 16):
            dragged[:3, 3] = start[:3, 3]
            dragged[1:3, 3] += 0.08 * np.array((np.sin(angle), 1 - np.cos(angle)))
            target.SetTransform(dragged)
            goal = target.GetTransform()
            found = manip.FindIKSolution(goal, IkFilterOptions.CheckEnvCollisions)
            if found is None:
                tell(f"{np.round(goal[:3, 3], 3)} is out of reach")
                continue
            robot.SetDOFValues(found, manip.GetArmIndices())
            off = np.abs(manip.GetTransform() - goal).max()
            expect(off < 1e-4, f"the hand is off by {off:g}")
            reached += 1
        tell(f"the hand was at {reached} of 16 places")
        expect(reached >= 12, "the hand does not follow")
