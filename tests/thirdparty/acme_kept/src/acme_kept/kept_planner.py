"""The planner KeptPlanner."""

from __future__ import annotations

import time

import numpy as np

from pyrave import Environment
from pyrave.bodies import Robot
from pyrave.interfaces import (
    PlannerAction,
    PlannerBase,
    PlannerParameters,
    PlannerProgress,
    PlannerStatus,
    PlannerStatusCode,
    TrajectoryBase,
)
from pyrave.spatial import Array


class KeptPlanner(PlannerBase):
    """Plans the straight line from the initial to the goal configuration.

    It fails if the robot collides on that line; it does not look for a way around.
    """

    contract = 2

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._robot: Robot | None = None
        self._parameters: PlannerParameters | None = None

    def init_plan(
        self, robot: Robot | None, parameters: PlannerParameters
    ) -> PlannerStatus:
        """Take a problem; the status says what is wrong with it."""
        if not parameters.dof or not parameters.set_state or not parameters.get_state:
            text = "the parameters have no configuration space; set_robot_active_joints"
            return PlannerStatus(PlannerStatusCode.FAILED, text)
        for values, code in (
            (parameters.initial_configuration, PlannerStatusCode.INITIAL),
            (parameters.goal_configuration, PlannerStatusCode.GOAL),
        ):
            problem = _problem_of(values, parameters)
            if problem:
                return PlannerStatus(code, f"the {code.name} configuration {problem}")
        self._robot, self._parameters = robot, parameters
        return PlannerStatus(PlannerStatusCode.HAS_SOLUTION, "ready")

    def plan_path(self, trajectory: TrajectoryBase, options: int = 0) -> PlannerStatus:
        """Plan, and put the result into `trajectory` (initialised by the planner)."""
        begin = time.perf_counter()
        parameters = self._parameters
        if parameters is None:
            return PlannerStatus(PlannerStatusCode.FAILED, "call init_plan first")
        start, goal = parameters.initial_configuration, parameters.goal_configuration
        if self.call_progress(PlannerProgress(0)) is not PlannerAction.CONTINUE:
            return PlannerStatus(PlannerStatusCode.INTERRUPTED, "interrupted")
        free = self.check_motion(self._robot, start, goal)
        if not free:
            text = f"the straight line is blocked: {free.description}"
            return PlannerStatus(free.code, text, time.perf_counter() - begin)
        way = goal - start
        if parameters.difference:  # circular joints turn by the smaller angle
            way = parameters.difference(goal, start)
        speeds, seconds = parameters.velocity_limits, 1.0
        if speeds.size == way.size and (speeds > 0).all():
            seconds = float(np.max(np.abs(way) / speeds, initial=0.0))
        trajectory.init(parameters.specification.add_delta_time_group())
        trajectory.insert(0, np.array([[*start, 0.0], [*(start + way), seconds]]))
        seconds = time.perf_counter() - begin
        text = "the straight line is free"
        return PlannerStatus(PlannerStatusCode.HAS_SOLUTION, text, seconds)

    def get_parameters(self) -> PlannerParameters | None:
        """Return the parameters in use, None before `init_plan`."""
        return self._parameters


def _problem_of(values: Array, parameters: PlannerParameters) -> str:
    """Return the fault of an end of the path, empty if there is none."""
    n, slack = parameters.dof, 1e-9
    if values.shape != (n,) or not np.isfinite(values).all():
        return f"is {values}, expected {n} finite numbers"
    lower, upper = parameters.lower_limits, parameters.upper_limits
    if lower.size == upper.size == n and (
        (values < lower - slack).any() or (values > upper + slack).any()
    ):
        return f"is {values}, outside of the limits {lower} to {upper}"
    return ""
