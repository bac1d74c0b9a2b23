"""A camera in the hand that looks for a thing, and then the hand that takes it."""

from __future__ import annotations

from collections.abc import Sequence

from pyrave_openravepy.api.databases.grasping import GraspingModel
from pyrave_openravepy.api.examples._program import expect, scene, tell
from pyrave_openravepy.api.examples._scenes import EYE
from pyrave_openravepy.api.interfaces.TaskManipulation import TaskManipulation
from pyrave_openravepy.api.interfaces.visualfeedback import VisualFeedback

__all__ = ["run"]


def run(args: Sequence[str] | None = None) -> None:
    """Move to where the mug is seen, and to a grasp from which it was seen."""
    with scene(args, __doc__ or "", data=EYE) as (env, robot):
        mug = env.GetKinBody("mug")
        visual = VisualFeedback(robot)
        visual.SetCameraAndTarget(
            sensorname="eye", targetlink=mug.GetName(), manipname="arm"
        )
        extents = visual.ProcessVisibilityExtents(
            numrolls=4, sphere=[1, 0.3], conedirangles=[0, 0, 0.9]
        )
        tell(f"{len(extents)} poses of the camera are possible")
        goals = visual.SampleVisibilityGoal(numsamples=3)
        tell(f"{len(goals)} configurations see the mug")
        visual.MoveToObserveTarget(sampleprob=0.2, maxiter=4000)
        robot.WaitForController(0)
        expect(visual.ComputeVisibility(), "the arm moved and the mug is not seen")
        tell("the arm moved to where its camera sees the mug")
        model = GraspingModel(robot, mug)
        if not model.load():
            model.autogenerate()
        grasps, _ = model.computeValidGrasps(returnnum=10)
        expect(grasps, "no grasp of the mug is possible")
        poses = [model.getGlobalGraspTransform(one, True) for one in grasps]
        visual.VisualFeedbackGrasping(graspset=poses, usevisibility=False)
        robot.WaitForController(0)
        TaskManipulation(robot).CloseFingers()
        robot.WaitForController(0)
        robot.Grab(mug)
        expect(robot.IsGrabbing(mug), "the hand is empty")
        tell("the hand holds the mug")
