"""Poses of a camera from which it sees a target."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyrave_openravepy.api.databases._generator import DatabaseGenerator, arm_of
from pyrave_openravepy.api.enums import IkParameterizationType
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.objects import as_native
from pyrave_openravepy.api.foundation.poses import matrix_of
from pyrave_openravepy.api.functions.transforms import poseFromMatrices
from pyrave_openravepy.api.interfaces.BaseManipulation import BaseManipulation
from pyrave_openravepy.api.interfaces.visualfeedback import VisualFeedback

__all__ = ["VisibilityModel", "run"]

Array = NDArray[np.float64]


class VisibilityModel(DatabaseGenerator):
    """Poses of a camera from which it sees a target.

    Parameters
    ----------
    robot
        Its active manipulator moves the camera or holds the target.
    targetlink
        A link of the target, or the target.
    sensorrobot
        The robot that has the camera; `robot` if left out.
    sensorname
        Of the camera; the first one if left out.
    targetgeomname
        Of a geometry of the link, if not all of it is to be seen.
    """

    kind = "visibilitymodel"
    version = 2

    def __init__(
        self,
        robot: Any,
        targetlink: Any,
        sensorrobot: Any = None,
        sensorname: Any = None,
        maxvelmult: Any = None,
        ignoresensorcollision: Any = None,
        targetgeomname: Any = None,
        iktype: Any = IkParameterizationType.Transform6D,
    ) -> None:
        super().__init__(robot)
        self.sensorrobot = robot if sensorrobot is None else sensorrobot
        native = as_native(targetlink)
        is_link = hasattr(native, "body")
        self.targetlink = targetlink if is_link else targetlink.GetLinks()[0]
        self.target = targetlink.GetParent() if is_link else targetlink
        self.targetgeomname, self.iktype = targetgeomname, iktype
        self.sensorname = sensorname
        self.attachedsensor = self._camera()
        self.basemanip = BaseManipulation(robot, maxvelmult=maxvelmult)
        self.preshapes: Array = np.zeros((0, len(arm_of(self).gripper_indices)))
        self.visibilitytransforms: Array = np.zeros((0, 7))

    def _camera(self) -> Any:
        carrier = as_native(self.sensorrobot)
        cameras = [
            sensor
            for sensor in carrier.attached_sensors
            if sensor.has_sensor and hasattr(sensor.sensor.geometry, "width")
        ]
        for sensor in cameras:
            if self.sensorname in (None, sensor.name):
                return sensor
        names = [sensor.name for sensor in cameras]
        raise openrave_exception(
            f"sensorname is {self.sensorname!r}, expected a camera, one of {names}"
        )

    def _new_database(self, **parameters: Any) -> Any:
        from pyrave.databases import VisibilityModel as NativeModel

        given: dict[str, Any] = {"link": self.targetlink.GetName()}
        if self.targetgeomname:
            given["geometry"] = self.targetgeomname
        if parameters.get("preshapes") is not None:
            first = np.atleast_2d(np.asarray(parameters["preshapes"], np.float64))[0]
            given["preshape"] = tuple(map(float, first))
        return NativeModel(
            arm_of(self), self.attachedsensor, as_native(self.target), **given
        )

    def _take(self) -> None:
        self.visibilitytransforms = poseFromMatrices(self._native.poses)
        self.preshapes = np.array([self._native.preshape])

    def preprocess(self) -> None:
        self._take()

    def generate(
        self,
        preshapes: Any = None,
        sphere: Any = None,
        conedirangles: Any = None,
        localtransforms: Any = None,
    ) -> None:
        super().generate(preshapes=preshapes)
        if sphere is not None or conedirangles is not None:
            chosen = {"sphere": sphere, "conedirangles": conedirangles}
            self.visibilitytransforms = self._extents(**chosen)
        if localtransforms is not None:
            self.SetCameraTransforms(localtransforms)

    def _extents(self, **chosen: Any) -> Array:
        """Return the poses (n, 7) of a sphere or of cones that the camera may take."""
        visual = VisualFeedback(self.robot)
        visual.SetCameraAndTarget(
            sensorname=self.attachedsensor.name,
            manipname=arm_of(self).name,
            sensorrobot=self.sensorrobot.GetName(),
            targetlink=as_native(self.targetlink),
            targetgeomname=self.targetgeomname,
        )
        found = visual.ProcessVisibilityExtents(**chosen)
        return np.array(found, np.float64).reshape(-1, 7)

    def SetCameraTransforms(self, transforms: Any) -> None:
        """Take poses of the camera in the frame of the target's link."""
        rows = [matrix_of(pose) for pose in transforms]
        self.visibilitytransforms = poseFromMatrices(rows)

    def _poses(self) -> Array:
        if not len(self.visibilitytransforms):
            self._results()
            self._take()
        rows = [matrix_of(pose) for pose in self.visibilitytransforms]
        return np.array(rows).reshape(-1, 4, 4)

    def moveToPreshape(self) -> None:
        """Move the fingers to where poses were tried with them."""
        arm = arm_of(self)
        if not len(arm.gripper_indices):
            return
        with self.robot:
            self.robot.SetActiveDOFs([int(index) for index in arm.gripper_indices])
            timed = self.basemanip.MoveActiveJoints(
                goal=self.preshapes[0], execute=False, outputtrajobj=True
            )
        as_native(self.robot).execute(as_native(timed))

    def computeValidTransform(
        self,
        returnall: bool = False,
        checkcollision: bool = True,
        computevisibility: bool = True,
        randomize: bool = False,
    ) -> Any:
        """Return pairs of a camera's pose and arm values; one of them, or all."""
        views = self._native.observer.valid(
            self._poses(),
            collisions=bool(checkcollision),
            occlusion=bool(computevisibility),
            seed=0 if randomize else None,
        )
        found = []
        for view in views:
            pair = np.array(view.pose), np.array(view.values)
            if not returnall:
                return pair
            found.append(pair)
        if returnall:
            return found
        return None, None

    def pruneTransformations(
        self,
        thresh: float = 0.04,
        numminneighs: int = 10,
        maxdist: Any = None,
        translationonly: bool = True,
    ) -> Array:
        """Return (n, 7) poses of which none is too near to others."""
        from pyrave.manipulation import prune_poses

        return poseFromMatrices(prune_poses(self._poses(), float(thresh)))

    def getCameraImage(self, delay: float = 1.0) -> Any:
        return np.array(self.attachedsensor.read().image)

    def ShowTransform(self, relativepose: Any, options: Any = None) -> Any:
        from pyrave_openravepy.api.misc.drawings import DrawAxes

        pose = matrix_of(self.targetlink.GetTransform()) @ matrix_of(relativepose)
        return DrawAxes(self.env, pose, 0.1)

    def showtransforms(self, options: Any = None) -> list[Any]:
        return [self.ShowTransform(pose) for pose in self.visibilitytransforms]


def run(args: Any = None, **kwargs: Any) -> Any:
    """Run the database as a program: a robot that looks at the second body."""

    def make(robot: Any) -> VisibilityModel:
        others = [body for body in robot.GetEnv().GetBodies() if body is not robot]
        if not others:
            raise openrave_exception("the scene of --robot has no target")
        return VisibilityModel(robot, others[0])

    return DatabaseGenerator.RunFromParser(make, args=args, **kwargs)
