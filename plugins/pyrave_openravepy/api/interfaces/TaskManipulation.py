"""`TaskManipulation`: fingers that close and open, and ways to grasps."""

# ruff: noqa: N999

from __future__ import annotations

from typing import Any

import numpy as np

from pyrave_openravepy.api.foundation.home import home
from pyrave_openravepy.api.interfaces.commands import RobotCommands

__all__ = ["TaskManipulation"]


class TaskManipulation(RobotCommands):
    """Fingers that close and open, and ways to grasps.

    Parameters
    ----------
    robot
        A robot, whose active manipulator moves.
    plannername
        Id of the planner; pyrave's choice if left out.
    maxvelmult
        Part of the velocity and acceleration limits, up to 1.
    graspername
        ``"Grasper"``, or an empty text: grasps are not tried before they are planned.
    """

    _id = "TaskManipulation"

    def __init__(
        self,
        robot: Any,
        plannername: Any = None,
        maxvelmult: Any = None,
        graspername: Any = None,
    ) -> None:
        tries = None if graspername is None else str(graspername).lower() or "none"
        super().__init__(
            robot,
            planner=plannername or None,
            maxvelmult=maxvelmult,
            graspername="Grasper" if tries == "grasper" else tries,
        )

    def SetRobot(self, robot: Any) -> Any:
        self.robot = robot
        return self._answer("SetRobot", {"robot": robot.GetName()})

    def GraspPlanning(
        self,
        graspindices: Any = None,
        grasps: Any = None,
        target: Any = None,
        approachoffset: Any = 0,
        destposes: Any = None,
        seedgrasps: Any = None,
        seeddests: Any = None,
        seedik: Any = None,
        maxiter: Any = None,
        randomgrasps: Any = None,
        randomdests: Any = None,
        execute: Any = None,
        outputtraj: Any = None,
        grasptranslationstepmult: Any = None,
        graspfinestep: Any = None,
        outputtrajobj: Any = None,
        gmodel: Any = None,
        paddedgeometryinfo: Any = None,
        steplength: Any = None,
        releasegil: Any = False,
    ) -> Any:
        """Return goals of the destinations, the grasp, seconds and the trajectory."""
        given = dict(locals())
        if gmodel is not None:
            # pyrave's module takes the columns that a database names
            given["gmodel"] = None
            given["target"] = gmodel.target if target is None else target
            given["grasps"] = gmodel.grasps if grasps is None else grasps
            given["graspindices"] = graspindices or gmodel.graspindices
        found = self._motion("GraspPlanning", given)
        data = self._trajectory(found, outputtraj, outputtrajobj)
        goals = [home().IkParameterization(goal) for goal in found.goals]
        return goals, int(found.goal), float(found.searchtime), data

    def EvaluateConstraints(
        self,
        freedoms: Any,
        configs: Any,
        targetframematrix: Any = None,
        targetframepose: Any = None,
        errorthresh: Any = None,
    ) -> Any:
        """Return the number of changes of each, -1 without success, and the values."""
        given = dict(locals())
        found = self._answer("EvaluateConstraints", given)
        return np.array(found.iterations), np.array(found.values)

    def ChuckFingers(
        self,
        offset: Any = None,
        movingdir: Any = None,
        execute: Any = None,
        outputtraj: Any = None,
        outputfinal: Any = None,
        coarsestep: Any = None,
        translationstepmult: Any = None,
        finestep: Any = None,
        outputtrajobj: Any = None,
        releasegil: Any = False,
    ) -> Any:
        given = dict(locals())
        return self._moved_to_end("CloseFingers", given)

    def CloseFingers(self, *args: Any, **kwargs: Any) -> Any:
        return self.ChuckFingers(*args, **kwargs)

    def UnchuckFingers(
        self,
        target: Any = None,
        movingdir: Any = None,
        execute: Any = None,
        outputtraj: Any = None,
        outputfinal: Any = None,
        coarsestep: Any = None,
        translationstepmult: Any = None,
        finestep: Any = None,
        outputtrajobj: Any = None,
        releasegil: Any = False,
    ) -> Any:
        given = dict(locals())
        return self._moved_to_end("ReleaseFingers", given)

    def ReleaseFingers(self, *args: Any, **kwargs: Any) -> Any:
        return self.UnchuckFingers(*args, **kwargs)

    def ReleaseActive(
        self,
        movingdir: Any = None,
        execute: Any = None,
        outputtraj: Any = None,
        outputfinal: Any = None,
        translationstepmult: Any = None,
        finestep: Any = None,
        outputtrajobj: Any = None,
    ) -> Any:
        given = dict(locals())
        return self._moved_to_end("ReleaseActive", given)

    def SwitchModels(
        self,
        switchpatterns: Any = None,
        unregister: Any = None,
        switchtofat: Any = None,
        clearpatterns: Any = None,
        clearmodels: Any = None,
        update: Any = None,
    ) -> Any:
        given = dict(locals())
        return self._answer("SwitchModels", given)
