"""From where a camera sees a thing, and what hides it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyrave_openravepy.api.databases.visibilitymodel import VisibilityModel
from pyrave_openravepy.api.examples._program import expect, scene, tell
from pyrave_openravepy.api.examples._scenes import EYE
from pyrave_openravepy.api.interfaces.visualfeedback import VisualFeedback

__all__ = ["run"]


def run(args: Sequence[str] | None = None) -> None:
    """Look at the mug from where the arm can go, and put a brick before it."""
    with scene(args, __doc__ or "", data=EYE) as (env, robot):
        mug, brick = env.GetKinBody("mug"), env.GetKinBody("brick")
        model = VisibilityModel(robot, mug, sensorname="eye")
        if not model.load():
            model.autogenerate()
        tell(f"{len(model.visibilitytransforms)} poses of the camera see the mug")
        expect(len(model.visibilitytransforms), "no pose of the camera sees the mug")
        pose, values = model.computeValidTransform()
        expect(pose is not None, "the arm can take none of them")
        robot.SetDOFValues(values, robot.GetActiveManipulator().GetArmIndices())
        camera = robot.GetAttachedSensor("eye")
        visual = VisualFeedback(robot)
        visual.SetCameraAndTarget(
            sensorname="eye", targetlink=mug.GetName(), manipname="arm"
        )
        expect(visual.ComputeVisibility(), "the mug is not seen from there")
        image = model.getCameraImage()
        expect(np.ptp(image) > 0, "the picture shows one colour")
        tell(f"the mug is seen, in a picture of {image.shape[1]} x {image.shape[0]}")
        middle = np.eye(4)
        middle[:3, 3] = (camera.GetTransform()[:3, 3] + mug.ComputeAABB().pos()) / 2 - (
            0,
            0,
            0.03,
        )
        brick.SetTransform(middle)
        expect(not visual.ComputeVisibility(), "the mug is seen through the brick")
        tell("it is hidden by a brick before it")
