"""Motion planning: goals, paths, timing and verification.

``movers``
    Who moves: one robot or arm, several arms, several robots.
``query``
    A plan of one robot: goals, constraints, phases, the result or why there is none.
``search``
    Searches for paths, which planners of plugins use.
``timing``
    Paths in time, within all limits, and the verification of trajectories.
``several``
    A plan of several robots, joined to one.
``moving_links``
    Collision checks of the links that some joints move.
``tool_paths``, ``jitter``, ``goal_sampler``, ``trajectory_operations``,
``planner_calls``, ``denavit_hartenberg``
    Single functions for scripts, each on its own.

Names are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave._lazy import exports

if TYPE_CHECKING:
    from pyrave.planning.denavit_hartenberg import DHParameter, dh_parameters
    from pyrave.planning.goal_sampler import ik_goal_sampler
    from pyrave.planning.jitter import (
        FreeNearby,
        free_transform_near,
        free_values_near,
    )
    from pyrave.planning.planner_calls import (
        extend_trajectory,
        insert_waypoint,
        retime_trajectory,
        smooth_trajectory,
    )
    from pyrave.planning.query.causes import (
        LimitExcess,
        Obstacle,
        PlanFailure,
        PlanFailureCode,
    )
    from pyrave.planning.query.configuration import PlannedConfiguration
    from pyrave.planning.query.constraints import (
        Constraint,
        FunctionConstraint,
        TaskSpaceRegion,
        ToolDirection,
    )
    from pyrave.planning.query.options import (
        PlanOptions,
        RobotPlanOptions,
        TogetherPlanOptions,
    )
    from pyrave.planning.query.plan import plan
    from pyrave.planning.query.result import PlanResult, PlanStatistics
    from pyrave.planning.query.space import PlanningSpace
    from pyrave.planning.several.plan import plan_together
    from pyrave.planning.several.verification import verify_together
    from pyrave.planning.timing.parametrization import time_optimal
    from pyrave.planning.timing.point_to_point import point_to_point
    from pyrave.planning.timing.retiming import retime
    from pyrave.planning.timing.timed_path import TimedPath
    from pyrave.planning.timing.torques import verify_segment, verify_torques
    from pyrave.planning.timing.verification import (
        Verification,
        Violation,
        verification,
        verify,
    )
    from pyrave.planning.tool_paths import blended_poses
    from pyrave.planning.trajectory_operations import (
        add_derivatives,
        merge_trajectories,
        reverse_trajectory,
        segment_trajectory,
        trajectory_segment,
    )

__all__ = [
    "Constraint",
    "DHParameter",
    "FreeNearby",
    "FunctionConstraint",
    "LimitExcess",
    "Obstacle",
    "PlanFailure",
    "PlanFailureCode",
    "PlanOptions",
    "PlanResult",
    "PlanStatistics",
    "PlannedConfiguration",
    "PlanningSpace",
    "RobotPlanOptions",
    "TaskSpaceRegion",
    "TimedPath",
    "TogetherPlanOptions",
    "ToolDirection",
    "Verification",
    "Violation",
    "add_derivatives",
    "blended_poses",
    "dh_parameters",
    "extend_trajectory",
    "free_transform_near",
    "free_values_near",
    "ik_goal_sampler",
    "insert_waypoint",
    "merge_trajectories",
    "plan",
    "plan_together",
    "point_to_point",
    "retime",
    "retime_trajectory",
    "reverse_trajectory",
    "segment_trajectory",
    "smooth_trajectory",
    "time_optimal",
    "trajectory_segment",
    "verification",
    "verify",
    "verify_segment",
    "verify_together",
    "verify_torques",
]

__getattr__, __dir__ = exports(
    __name__,
    {
        "denavit_hartenberg": "DHParameter dh_parameters",
        "goal_sampler": "ik_goal_sampler",
        "jitter": "FreeNearby free_transform_near free_values_near",
        "planner_calls": "extend_trajectory insert_waypoint retime_trajectory "
        "smooth_trajectory",
        "tool_paths": "blended_poses",
        "trajectory_operations": "add_derivatives merge_trajectories "
        "reverse_trajectory segment_trajectory trajectory_segment",
        "query.causes": "LimitExcess Obstacle PlanFailure PlanFailureCode",
        "query.configuration": "PlannedConfiguration",
        "query.constraints": "Constraint FunctionConstraint TaskSpaceRegion "
        "ToolDirection",
        "query.options": "PlanOptions RobotPlanOptions TogetherPlanOptions",
        "timing.parametrization": "time_optimal",
        "query.plan": "plan",
        "timing.point_to_point": "point_to_point",
        "query.result": "PlanResult PlanStatistics",
        "timing.retiming": "retime",
        "query.space": "PlanningSpace",
        "several.plan": "plan_together",
        "several.verification": "verify_together",
        "timing.timed_path": "TimedPath",
        "timing.torques": "verify_segment verify_torques",
        "timing.verification": "Verification Violation verification verify",
    },
)
