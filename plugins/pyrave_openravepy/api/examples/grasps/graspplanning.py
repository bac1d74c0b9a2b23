"""A thing that is taken with a table of grasps, and set down elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyrave_openravepy.api.databases.grasping import GraspingModel
from pyrave_openravepy.api.examples._program import expect, scene, tell
from pyrave_openravepy.api.interfaces.BaseManipulation import BaseManipulation
from pyrave_openravepy.api.interfaces.TaskManipulation import TaskManipulation

__all__ = ["run"]


def run(args: Sequence[str] | None = None) -> None:
    """Plan grasp and destination together, then carry the mug there."""
    with scene(args, __doc__ or "") as (env, robot):
        mug = env.GetKinBody("mug")
        model = GraspingModel(robot, mug)
        if not model.load():
            model.autogenerate()
        goals = []
        for y in (-0.1, 0.0, 0.1):
            pose = mug.GetTransform()
            pose[:3, 3] = 0.1, y, pose[2, 3] + 0.002
            goals.append(pose)
        task = TaskManipulation(robot)
        found, index, seconds, _ = task.GraspPlanning(
            gmodel=model, destposes=goals, maxiter=1000, approachoffset=0.0
        )
        robot.WaitForController(0)
        tell(f"grasp {index} of {len(model.grasps)}, found in {seconds:.1f} s")
        expect(found, "there are no goals of the hand for the destinations")
        task.CloseFingers()
        robot.WaitForController(0)
        robot.Grab(mug)
        expect(robot.IsGrabbing(mug), "the hand is empty")
        held = np.linalg.inv(robot.GetActiveManipulator().GetTransform())
        held = held @ mug.GetTransform()
        base = BaseManipulation(robot)
        base.MoveHandStraight([0, 0, 1], stepsize=0.005, minsteps=1, maxsteps=10)
        robot.WaitForController(0)
        base.MoveToHandPosition(ikparams=found, maxiter=4000)
        robot.WaitForController(0)
        task.ReleaseFingers(target=mug)
        robot.WaitForController(0)
        robot.ReleaseAllGrabbed()
        there = mug.GetTransform()
        off = min(np.abs(there - goal).max() for goal in goals)
        tell(f"the mug stands at {np.round(there[:3, 3], 3)}")
        expect(off < 0.02, f"the mug is {off:.3f} beside its destinations")
