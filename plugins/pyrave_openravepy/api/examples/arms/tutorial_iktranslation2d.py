"""A planar arm whose hand comes to places of its plane."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyrave_openravepy.api.enums import IkFilterOptions, IkParameterizationType
from pyrave_openravepy.api.examples._program import api, expect, scene, tell

__all__ = ["run"]


def run(args: Sequence[str] | None = None) -> None:
    """Follow a circle; the turn of the hand is free."""
    with scene(args, __doc__ or "", "scenes/minimal.env.xml") as (env, robot):
        manip = robot.GetActiveManipulator()
        kind = IkParameterizationType.TranslationXY2D
        centre = manip.GetTransform()[:2, 3] - (0.1, 0.0)
        lines = []
        for angle in np.linspace(0, 2 * np.pi, 12):
            place = centre + 0.1 * np.array((np.cos(angle), np.sin(angle)))
            goal = api().IkParameterization(place, kind)
            found = manip.FindIKSolution(goal, IkFilterOptions.CheckEnvCollisions)
            expect(found is not None, f"{np.round(place, 3)} is out of reach")
            robot.SetDOFValues(found, manip.GetArmIndices())
            there = manip.GetTransform()[:2, 3]
            off = np.abs(there - place).max()
            expect(off < 1e-6, f"the hand is {off:g} m beside {np.round(place, 3)}")
            lines.append([*there, 0.1])
            tell(f"{np.round(place, 3)}: joints at {np.round(found, 3)}")
        handle = env.drawlinestrip(np.array(lines), 2)
        del handle
