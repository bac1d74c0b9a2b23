"""`BaseManipulation`: motions of joints and of the hand."""

# ruff: noqa: N999

from __future__ import annotations

from typing import Any

import numpy as np

from pyrave_openravepy.api.foundation.errors import PlanningError
from pyrave_openravepy.api.interfaces.commands import RobotCommands

__all__ = ["BaseManipulation"]


class BaseManipulation(RobotCommands):
    """Motions of joints and of the hand.

    Parameters
    ----------
    robot
        A robot, whose active manipulator moves.
    plannername
        Id of the planner; pyrave's choice if left out.
    maxvelmult
        Part of the velocity and acceleration limits, up to 1.
    """

    _id = "BaseManipulation"

    def __init__(
        self, robot: Any, plannername: Any = None, maxvelmult: Any = None
    ) -> None:
        super().__init__(robot, planner=plannername or None, maxvelmult=maxvelmult)

    def Clone(self, envother: Any) -> Any:
        return self.clone(envother)

    def SetRobot(self, robot: Any) -> Any:
        self.robot = robot
        return self._answer("SetRobot", {"robot": robot.GetName()})

    def TrajFromData(
        self, data: Any, resettrans: Any = False, resettiming: Any = False
    ) -> Any:
        given = {
            "stream": data,
            "resettrans": bool(resettrans),
            "resettiming": bool(resettiming),
        }
        self._motion("Traj", given)
        return ""

    def VerifyTrajectory(
        self,
        data: Any,
        resettrans: Any = False,
        resettiming: Any = False,
        samplingstep: Any = None,
    ) -> Any:
        given = {
            "stream": data,
            "resettrans": bool(resettrans),
            "resettiming": bool(resettiming),
            "samplingstep": samplingstep,
        }
        self._motion("VerifyTrajectory", given)
        return ""

    def MoveHandStraight(
        self,
        direction: Any,
        minsteps: Any = None,
        maxsteps: Any = None,
        stepsize: Any = None,
        ignorefirstcollision: Any = None,
        starteematrix: Any = None,
        greedysearch: Any = None,
        execute: Any = None,
        outputtraj: Any = None,
        maxdeviationangle: Any = None,
        steplength: Any = None,
        planner: Any = None,
        outputtrajobj: Any = None,
    ) -> Any:
        return self._moved("MoveHandStraight", locals())

    def MoveManipulator(
        self,
        goal: Any = None,
        maxiter: Any = None,
        execute: Any = None,
        outputtraj: Any = None,
        maxtries: Any = None,
        goals: Any = None,
        steplength: Any = None,
        outputtrajobj: Any = None,
        jitter: Any = None,
        releasegil: Any = False,
    ) -> Any:
        return self._moved("MoveManipulator", locals())

    def MoveActiveJoints(
        self,
        goal: Any = None,
        steplength: Any = None,
        maxiter: Any = None,
        maxtries: Any = None,
        execute: Any = None,
        outputtraj: Any = None,
        goals: Any = None,
        outputtrajobj: Any = None,
        jitter: Any = None,
        releasegil: Any = False,
        postprocessingplanner: Any = None,
        postprocessingparameters: Any = None,
        usedynamicsconstraints: Any = None,
        initialconfigs: Any = None,
    ) -> Any:
        return self._moved("MoveActiveJoints", locals())

    def MoveToHandPosition(
        self,
        matrices: Any = None,
        affinedofs: Any = None,
        maxiter: Any = None,
        maxtries: Any = None,
        translation: Any = None,
        rotation: Any = None,
        seedik: Any = None,
        constraintfreedoms: Any = None,
        constraintmatrix: Any = None,
        constrainterrorthresh: Any = None,
        execute: Any = None,
        outputtraj: Any = None,
        steplength: Any = None,
        goalsamples: Any = None,
        ikparam: Any = None,
        ikparams: Any = None,
        jitter: Any = None,
        minimumgoalpaths: Any = None,
        outputtrajobj: Any = None,
        postprocessing: Any = None,
        jittergoal: Any = None,
        constrainttaskmatrix: Any = None,
        constrainttaskpose: Any = None,
        goalsampleprob: Any = None,
        goalmaxsamples: Any = None,
        goalmaxtries: Any = None,
        releasegil: Any = False,
        initialconfigs: Any = None,
        freevalues: Any = None,
    ) -> Any:
        return self._moved("MoveToHandPosition", locals())

    def MoveUnsyncJoints(
        self,
        jointvalues: Any,
        jointinds: Any,
        maxtries: Any = None,
        planner: Any = None,
        maxdivision: Any = None,
        execute: Any = None,
        outputtraj: Any = None,
        outputtrajobj: Any = None,
    ) -> Any:
        jointinds = [int(index) for index in jointinds]
        return self._moved("MoveUnsyncJoints", locals())

    def JitterActive(
        self,
        maxiter: Any = None,
        jitter: Any = None,
        execute: Any = None,
        outputtraj: Any = None,
        outputfinal: Any = None,
        outputtrajobj: Any = None,
    ) -> Any:
        return self._moved_to_end("JitterActive", locals())

    def FindIKWithFilters(
        self,
        ikparam: Any,
        cone: Any = None,
        solveall: Any = None,
        filteroptions: Any = None,
    ) -> Any:
        if filteroptions is not None:
            filteroptions = int(filteroptions)
        found = self._answer("FindIKWithFilters", locals())
        if not len(found.values):
            raise PlanningError(f"FindIKWithFilters: {found.cause}")
        values = np.array(found.values)
        return values if solveall else values[0]
