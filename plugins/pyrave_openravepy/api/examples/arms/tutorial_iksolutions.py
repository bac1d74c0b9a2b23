"""All configurations of an arm that bring its hand to a pose."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyrave_openravepy.api.databases.inversekinematics import InverseKinematicsModel
from pyrave_openravepy.api.enums import IkFilterOptions
from pyrave_openravepy.api.examples._program import expect, scene, tell
from pyrave_openravepy.api.misc.drawings import DrawAxes

__all__ = ["run"]


def run(args: Sequence[str] | None = None) -> None:
    """Draw and print the solutions of a pose above the table."""
    with scene(args, __doc__ or "") as (env, robot):
        model = InverseKinematicsModel(robot)
        model.load()
        manip = model.manip
        goal = manip.GetTransform()
        goal[:3, 3] += (0.05, 0.0, -0.05)
        handle = DrawAxes(env, goal, 0.1)
        with env:
            found = manip.FindIKSolutions(goal, IkFilterOptions.CheckEnvCollisions)
        tell(f"{len(found)} solutions")
        expect(len(found), "the pose is out of reach")
        for values in found[:8]:
            with robot:
                robot.SetDOFValues(values, manip.GetArmIndices())
                off = np.abs(manip.GetTransform() - goal).max()
                tell(f"{np.round(values, 3)}: off by {off:.1e}")
                expect(off < 1e-4, "the hand is not at its goal")
        del handle
