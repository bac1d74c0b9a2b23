"""A tool that points at a place along a line, turned about it as it likes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyrave_openravepy.api.enums import IkFilterOptions, IkParameterizationType
from pyrave_openravepy.api.examples._program import api, expect, scene, tell
from pyrave_openravepy.api.examples._scenes import solid

__all__ = ["run"]

_SCENE = f"""<robot name="katana" file="robots/arms/katana.robot.xml">
{solid("link5")}</robot>"""


def run(args: Sequence[str] | None = None) -> None:
    """Bring the tool of a five-joint arm to rays that it reaches."""
    with scene(args, __doc__ or "", data=_SCENE) as (_, robot):
        manip = robot.GetActiveManipulator()
        kind = IkParameterizationType.TranslationDirection5D
        lower, upper = robot.GetDOFLimits(manip.GetArmIndices())
        rng = np.random.default_rng(5)
        solved = 0
        for _ in range(10):
            with robot:
                values = lower + rng.uniform(0.2, 0.8, len(lower)) * (upper - lower)
                robot.SetDOFValues(values, manip.GetArmIndices())
                ray = manip.GetIkParameterization(kind).GetTranslationDirection5D()
            goal = api().IkParameterization(ray, kind)
            found = manip.FindIKSolutions(goal, IkFilterOptions.IgnoreSelfCollisions)
            for values in found:
                with robot:
                    robot.SetDOFValues(values, manip.GetArmIndices())
                    off = goal.ComputeDistanceSqr(manip.GetIkParameterization(kind))
                expect(off < 1e-8, f"a solution is off by {off:g}")
            solved += bool(len(found))
            tell(f"{np.round(ray.pos(), 3)}: {len(found)} solutions")
        expect(solved >= 9, f"only {solved} of 10 rays are reached")
