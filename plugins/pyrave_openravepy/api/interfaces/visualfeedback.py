"""`VisualFeedback`: cameras on arms that look at targets."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyrave_openravepy.api.foundation.errors import PlanningError
from pyrave_openravepy.api.foundation.objects import as_native
from pyrave_openravepy.api.interfaces.commands import RobotCommands

__all__ = ["VisualFeedback"]


class VisualFeedback(RobotCommands):
    """Cameras on arms that look at targets.

    Parameters
    ----------
    robot
        A robot with a camera.
    maxvelmult
        Part of the velocity and acceleration limits, up to 1.
    ignoresensorcollision
        Has no effect: the camera's own body is part of the robot.
    """

    _id = "VisualFeedback"

    def __init__(
        self, robot: Any, maxvelmult: Any = None, ignoresensorcollision: Any = None
    ) -> None:
        super().__init__(robot, maxvelmult=maxvelmult)

    def SetCameraAndTarget(
        self,
        sensorindex: Any = None,
        sensorname: Any = None,
        manipname: Any = None,
        convexdata: Any = None,
        sensorrobot: Any = None,
        targetlink: Any = None,
        targetgeomname: Any = None,
        raydensity: Any = None,
    ) -> Any:
        given = dict(locals())
        if sensorrobot is not None and not isinstance(sensorrobot, str):
            given["sensorrobot"] = sensorrobot.GetName()
        return self._answer("SetCameraAndTarget", given)

    def ProcessVisibilityExtents(
        self,
        numrolls: Any = None,
        transforms: Any = None,
        extents: Any = None,
        sphere: Any = None,
        conedirangles: Any = None,
    ) -> Any:
        """Return (n, 7) poses of the camera in the frame of the target."""
        given = dict(locals())
        return self._values("ProcessVisibilityExtents", given)

    def SetCameraTransforms(self, transforms: Any, mindist: Any = None) -> Any:
        given = {"transforms": transforms, "mindist": mindist}
        return self._answer("SetCameraTransforms", given)

    def ComputeVisibility(self, checkocclusion: Any = True) -> bool:
        given = {"checkocclusion": bool(checkocclusion)}
        return bool(self._answer("ComputeVisibility", given))

    def ComputeVisibleConfiguration(self, pose: Any) -> Any:
        return self._values("ComputeVisibleConfiguration", {"pose": pose}).ravel()

    def SampleVisibilityGoal(self, numsamples: Any = None) -> Any:
        return self._values("SampleVisibilityGoal", {"numsamples": numsamples})

    def MoveToObserveTarget(
        self,
        affinedofs: Any = None,
        smoothpath: Any = None,
        planner: Any = None,
        sampleprob: Any = None,
        maxiter: Any = None,
        execute: Any = None,
        outputtraj: Any = None,
    ) -> Any:
        given = dict(locals())
        return self._moved("MoveToObserveTarget", given)

    def VisualFeedbackGrasping(
        self,
        graspset: Any,
        usevisibility: Any = None,
        planner: Any = None,
        graspdistthresh: Any = None,
        visgraspthresh: Any = None,
        numgradientsamples: Any = None,
        maxiter: Any = None,
        execute: Any = None,
        outputtraj: Any = None,
    ) -> Any:
        given = dict(locals())
        return self._moved("VisualFeedbackGrasping", given)

    def SetParameter(
        self,
        raydensity: Any = None,
        raymindist: Any = None,
        allowableocclusion: Any = None,
    ) -> Any:
        given = dict(locals())
        return self._answer("SetParameter", given)

    def _values(self, name: str, arguments: dict[str, Any]) -> Any:
        found = self._answer(name, arguments)
        if not found:
            raise PlanningError(f"{name}: {found.cause}")
        return np.array(as_native(found.values))
