"""Many grasps that are tried at once, by threads."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyrave_openravepy.api.databases.grasping import GraspingModel
from pyrave_openravepy.api.enums import IkFilterOptions
from pyrave_openravepy.api.examples._program import expect, scene, tell
from pyrave_openravepy.api.interfaces.Grasper import Grasper

__all__ = ["run"]


def run(args: Sequence[str] | None = None) -> None:
    """Try rays of a box from all sides, and take a grasp that holds."""
    with scene(args, __doc__ or "") as (env, robot):
        block = env.GetKinBody("block_red")
        manip = robot.GetActiveManipulator()
        rays = GraspingModel(robot, block).computeBoxApproachRays(delta=0.03)
        opened = robot.GetDOFLimits(manip.GetGripperIndices())[1]
        following, found = Grasper(robot, friction=0.4).GraspThreaded(
            approachrays=rays,
            standoffs=[0.0, 0.025],
            preshapes=np.array([opened]),
            rolls=[0.0, np.pi / 2],
            manipulatordirections=np.array([manip.GetDirection()]),
            target=block,
            forceclosurethreshold=1e-9,
            numthreads=2,
            maxgrasps=12,
        )
        tell(f"{len(found)} of the first {following} trials hold the block")
        expect(found, "no grasp holds the block")
        expect(all(grasp[5] > 0 for grasp in found), "a grasp does not hold")
        reached = 0
        for grasp in found:
            with robot:
                robot.SetDOFValues(grasp[7], manip.GetGripperIndices())
                options = IkFilterOptions.CheckEnvCollisions
                goal = block.GetTransform() @ grasp[8]
                reached += manip.FindIKSolution(goal, options) is not None
        tell(f"the arm reaches {reached} of them")
        expect(reached, "the arm reaches none")
