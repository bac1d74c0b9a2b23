"""Functions of planning: goals and paths, their times, and whether they keep limits.

Names are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave._lazy import exports

if TYPE_CHECKING:
    from pyrave.planning.causes import (
        LimitExcess,
        Obstacle,
        PlanCause,
        PlanCauseCode,
    )
    from pyrave.planning.constraints import (
        Constraint,
        FunctionConstraint,
        TaskSpaceRegion,
        ToolDirection,
    )
    from pyrave.planning.options import PlanOptions, RobotPlanOptions
    from pyrave.planning.parametrization import time_optimal
    from pyrave.planning.plan import plan
    from pyrave.planning.point_to_point import point_to_point
    from pyrave.planning.result import PlanResult, PlanStatistics
    from pyrave.planning.retiming import Violation, retime, verify
    from pyrave.planning.space import PlanningSpace
    from pyrave.planning.timed_path import TimedPath

__all__ = [
    "Constraint",
    "FunctionConstraint",
    "LimitExcess",
    "Obstacle",
    "PlanCause",
    "PlanCauseCode",
    "PlanOptions",
    "PlanResult",
    "PlanStatistics",
    "PlanningSpace",
    "RobotPlanOptions",
    "TaskSpaceRegion",
    "TimedPath",
    "ToolDirection",
    "Violation",
    "plan",
    "point_to_point",
    "retime",
    "time_optimal",
    "verify",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        "causes": "LimitExcess Obstacle PlanCause PlanCauseCode",
        "constraints": "Constraint FunctionConstraint TaskSpaceRegion ToolDirection",
        "options": "PlanOptions RobotPlanOptions",
        "parametrization": "time_optimal",
        "plan": "plan",
        "point_to_point": "point_to_point",
        "result": "PlanResult PlanStatistics",
        "retiming": "Violation retime verify",
        "space": "PlanningSpace",
        "timed_path": "TimedPath",
    },
)
