"""The hand of an arm at places, in any orientation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyrave_openravepy.api.enums import IkFilterOptions, IkParameterizationType
from pyrave_openravepy.api.examples._program import api, expect, scene, tell

__all__ = ["run"]


def run(args: Sequence[str] | None = None) -> None:
    """Bring the hand to places on a line."""
    with scene(args, __doc__ or "") as (_, robot):
        manip = robot.GetActiveManipulator()
        kind = IkParameterizationType.Translation3D
        start = manip.GetTransform()[:3, 3]
        for step in range(5):
            place = start - (0.0, 0.0, 0.02 * step)
            goal = api().IkParameterization(place, kind)
            found = manip.FindIKSolution(goal, IkFilterOptions.CheckEnvCollisions)
            expect(found is not None, f"{np.round(place, 3)} is out of reach")
            robot.SetDOFValues(found, manip.GetArmIndices())
            there = manip.GetTransform()[:3, 3]
            tell(f"{np.round(place, 3)}: {np.round(there, 3)}")
            expect(np.abs(there - place).max() < 1e-6, "the hand is beside it")
