"""The first grasp that the arm can take, without a table of all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pyrave_openravepy.api.databases.grasping import GraspingModel
from pyrave_openravepy.api.enums import IkFilterOptions
from pyrave_openravepy.api.examples._program import expect, scene, tell

__all__ = ["run"]


class GraspFound(Exception):  # noqa: N818 - it is good news
    """Ends the search with the grasp that was found."""

    def __init__(self, grasp: Any, values: Any) -> None:
        super().__init__("a grasp was found")
        self.grasp, self.values = grasp, values


def run(args: Sequence[str] | None = None) -> None:
    """Try grasps one by one until the arm reaches one."""
    with scene(args, __doc__ or "") as (env, robot):
        mug = env.GetKinBody("mug")
        model = GraspingModel(robot, mug)
        manip = robot.GetActiveManipulator()
        tried = []

        def check(contacts: Any, _final: Any, grasp: Any, _info: Any) -> bool:
            tried.append(len(contacts))
            pose = model.getGlobalGraspTransform(grasp, collisionfree=True)
            with robot:
                model.setPreshape(grasp)
                found = manip.FindIKSolution(pose, IkFilterOptions.CheckEnvCollisions)
            if found is None:
                return False
            raise GraspFound(np.array(grasp), found)

        rays = model.computeBoxApproachRays(delta=0.03)
        try:
            model.generate(approachrays=rays, rolls=[0, np.pi / 2], checkgraspfn=check)
        except GraspFound as found:
            robot.SetDOFValues(found.values, manip.GetArmIndices())
            goal = model.getGlobalGraspTransform(found.grasp, collisionfree=True)
            off = np.abs(manip.GetTransform() - goal).max()
            tell(f"grasp number {len(tried)} can be taken, off by {off:.1e}")
            expect(off < 1e-4, "the hand is not at its grasp")
        else:
            expect(False, f"none of {len(tried)} grasps can be taken")
