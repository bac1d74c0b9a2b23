"""Grasps of a body that a robot can take."""

from __future__ import annotations

from collections.abc import Sequence

from pyrave_openravepy.api.databases.grasping import GraspingModel
from pyrave_openravepy.api.examples._program import expect, scene, tell
from pyrave_openravepy.api.interfaces.TaskManipulation import TaskManipulation

__all__ = ["run"]


def run(args: Sequence[str] | None = None) -> None:
    """Find grasps of the mug, and go to the first that is free."""
    with scene(args, __doc__ or "") as (env, robot):
        model = GraspingModel(robot, env.GetKinBody("mug"))
        if not model.load():
            model.autogenerate()
        tell(f"{len(model.grasps)} grasps")
        grasps, indices = model.computeValidGrasps(returnnum=1)
        tell(f"the first that can be taken is number {indices}")
        expect(grasps, "the arm can take none of them")
        for grasp in grasps:
            model.moveToPreshape(grasp)
            pose = model.getGlobalGraspTransform(grasp, collisionfree=True)
            model.basemanip.MoveToHandPosition(matrices=[pose])
            robot.WaitForController(0)
            TaskManipulation(robot).CloseFingers()
            robot.Grab(model.target)
            expect(robot.IsGrabbing(model.target), "the hand is empty")
            tell(f"holds {[body.GetName() for body in robot.GetGrabbed()]}")
