"""`MultiManipIKSolver`: inverse kinematics of several arms at once."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyrave_openravepy.api.enums import IkFilterOptions
from pyrave_openravepy.api.foundation.guard import Guarded
from pyrave_openravepy.api.foundation.objects import as_native

__all__ = ["MultiManipIKSolver"]

_MOST = 20_000


class MultiManipIKSolver(Guarded):
    """Finds configurations of several arms that do not collide with each other.

    Parameters
    ----------
    manips
        Manipulators of one environment.
    """

    def __init__(self, manips: Any) -> None:
        self.manips = list(manips)
        if not self.manips:
            raise ValueError("manips is empty, expected manipulators")
        self.env = self.manips[0].GetRobot().GetEnv()

    def findMultiIKSolution(
        self,
        Tgrasps: Any,
        filteroptions: Any = IkFilterOptions.CheckEnvCollisions,
        dooptimize: bool = False,
    ) -> list[NDArray[np.float64]] | None:
        """Return the values of each arm, None if there are none.

        Parameters
        ----------
        Tgrasps
            A pose for each arm.
        filteroptions
            Bits of `IkFilterOptions`.
        dooptimize
            True: of all, those nearest to the present values.
        """
        goals = list(Tgrasps)
        if len(goals) != len(self.manips):
            raise ValueError(
                f"Tgrasps has {len(goals)} poses, expected {len(self.manips)}"
            )
        options = int(filteroptions)
        with self.env:
            choices = []
            for manip, goal in zip(self.manips, goals, strict=True):
                found = manip.FindIKSolutions(goal, options)
                if not len(found):
                    return None
                now = as_native(manip).arm_dof_values
                far = np.abs(np.asarray(found) - now).sum(axis=1)
                choices.append([(far[k], np.array(found[k])) for k in np.argsort(far)])
            combinations = list(itertools.islice(itertools.product(*choices), _MOST))
            if dooptimize:
                combinations.sort(key=lambda some: sum(one[0] for one in some))
            checks = bool(options & int(IkFilterOptions.CheckEnvCollisions))
            for some in combinations:
                values = [one[1] for one in some]
                if not checks or self._is_free(values):
                    return values
        return None

    def _is_free(self, values: list[NDArray[np.float64]]) -> bool:
        arms = [as_native(manip) for manip in self.manips]
        before = [arm.arm_dof_values for arm in arms]
        try:
            for arm, row in zip(arms, values, strict=True):
                arm.arm_dof_values = row
            robots = {id(arm.robot): arm.robot for arm in arms}.values()
            return not any(
                robot.env.check_collision(robot) or robot.check_self_collision()
                for robot in robots
            )
        finally:
            for arm, row in zip(arms, before, strict=True):
                arm.arm_dof_values = row
