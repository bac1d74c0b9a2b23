"""Statistics of inverse kinematics: rates of success, and errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pyrave.bodies.manipulator import Manipulator
from pyrave.databases.database import Database
from pyrave.databases.keys import arm_digest
from pyrave.ik import IkParameterizationType, residuals
from pyrave.interfaces.settings.declarations import setting
from pyrave.spatial import transform_points

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.pictures import Drawing

_EACH = 100
"""Goals of a task."""
_RIGHT = 1e-6
"""Metres or radians by which an answer may be off."""


@dataclass(frozen=True, slots=True)
class IkStatisticsParameters:
    """Goals that inverse kinematics is asked for."""

    goals: int = setting(1000, "number of random ones that the arm meets", least=1)
    type: str = setting("Transform6D", "of goals")
    all_solutions: bool = setting(False, "ask for all solutions too, and count them")

    def check(self) -> None:
        """Refuse a type that there is not."""
        IkParameterizationType.of(self.type)


class IkStatistics(Database):
    """Statistics of inverse kinematics: how many goals within reach are found.

    Goals come from random configurations within limits, so that each has an answer; the
    arm stands at another one and is asked without hints, and nothing is in the way.

    Parameters
    ----------
    arm
        The manipulator.
    **parameters
        As `IkStatisticsParameters` declares them.

    Raises
    ------
    ArgumentError
        A parameter is wrong.
    NotSupportedError
        The arm has no solver for such goals.
    """

    kind = "inversekinematics"
    settings_type = IkStatisticsParameters
    takes: ClassVar[Mapping[str, type]] = {"manipulator": Manipulator}

    def __init__(self, arm: Manipulator, **parameters: Any) -> None:
        super().__init__(arm, **parameters)
        self.arm: Manipulator = self.subjects[0]

    def _identity(self) -> Mapping[str, object]:
        solver = self.arm.ik_solver
        words = [solver.interface_id, *solver.id_words]
        return {"arm": arm_digest(self.arm), "solver": words}

    def _task_count(self) -> int:
        return -(-int(self.settings.goals) // _EACH)

    def _compute(self, index: int) -> dict[str, NDArray[Any]]:
        arm, given = self.arm, self.settings
        count = min(_EACH, given.goals - index * _EACH)
        seeds = np.array((2 * self._seed(index), 2 * self._seed(index) + 1)) % (1 << 32)
        asked = arm.sample_configurations(count, seed=int(seeds[0]))
        starts = arm.sample_configurations(count, seed=int(seeds[1]))
        found = np.zeros(count, np.bool_)
        errors = np.full(count, np.nan)
        solutions = np.zeros(count, np.int64)
        for k in range(count):
            arm.arm_dof_values = asked[k]
            goal = arm.ik_parameterization(given.type)
            arm.arm_dof_values = starts[k]
            answer = arm.solve_ik(goal)
            if given.all_solutions:
                solutions[k] = len(arm.solve_ik(goal, all=True))
            if answer is not None:
                found[k] = True
                arm.arm_dof_values = answer
                off = residuals(goal, arm.transform[None], arm.direction)
                errors[k] = max(float(one[0]) for one in off)
        poses = arm.compute_transforms(asked)
        return {
            "configurations": asked,
            "positions": poses[:, :3, 3],
            "found": found,
            "errors": errors,
            "solutions": solutions,
        }

    def summary(self) -> dict[str, Any]:
        """Return rates of success and of wrong answers, and the seconds of a goal.

        These are of processor time, with what it takes to make and check goals.
        """
        found, errors = self.arrays["found"], self.arrays["errors"]
        wrong = found & ~(errors <= _RIGHT)
        said: dict[str, Any] = {
            "goals": len(found),
            "success_rate": float(found.mean()),
            "wrong_rate": float(wrong.mean()),
            "largest_error": float(np.nanmax(errors)) if found.any() else None,
            "seconds_per_goal": self.seconds / len(found),
        }
        if self.settings.all_solutions:
            said["solutions_mean"] = float(self.arrays["solutions"].mean())
        return said

    def show(self) -> list[Drawing]:
        """Draw the places of goals: green if found, red if not."""
        # the base of the robot was at the origin
        places = transform_points(self.arm.robot.transform, self.arrays["positions"])
        found = self.arrays["found"]
        draw = self.env.draw
        drawn = [draw.points(places[found], color="green")]
        if not found.all():
            drawn.append(draw.points(places[~found], color="red", size=0.02))
        return drawn
