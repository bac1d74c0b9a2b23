"""Template of a planner: a straight line in configuration space."""

from pyrave.plugins.templates.base import TypeTemplate

__all__ = ["TEMPLATE"]

_SOURCE = '''"""The planner @id@."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
from pyrave.interfaces import (
    PlannerAction,
    PlannerBase,
    PlannerParameters,
    PlannerProgress,
    PlannerStatus,
    PlannerStatusCode,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pyrave.bodies import Robot
    from pyrave.interfaces import EnvironmentProtocol, TrajectoryBase


class @id@(PlannerBase):
    """Plans the straight line from the initial to the goal configuration.

    It fails if the robot collides on that line; it does not look for a way around.
    """

    contract = 1

    def __init__(self, env: EnvironmentProtocol, *args: str) -> None:
        super().__init__(env, *args)
        self._robot: Robot | None = None
        self._parameters: PlannerParameters | None = None

    def init_plan(
        self, robot: Robot | None, parameters: PlannerParameters
    ) -> PlannerStatus:
        """Take a problem; the status says what is wrong with it."""
        if parameters.dof == 0:
            text = "the parameters have no configuration space"
            return PlannerStatus(PlannerStatusCode.FAILED, text)
        if parameters.set_state is None or parameters.get_state is None:
            text = "the parameters have no set_state or get_state function"
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
        """Plan, and put two timed waypoints into `trajectory`."""
        begin = time.perf_counter()
        parameters = self._parameters
        if parameters is None or not parameters.set_state or not parameters.get_state:
            return PlannerStatus(PlannerStatusCode.FAILED, "call init_plan first")
        start, goal = parameters.initial_configuration, parameters.goal_configuration
        way = goal - start
        if parameters.difference:  # circular joints take the short way round
            way = parameters.difference(goal, start)
        before = parameters.get_state()
        try:
            code, text = self._check(parameters, start, way)
        finally:
            parameters.set_state(before)
        if code & PlannerStatusCode.HAS_SOLUTION:
            speeds = parameters.velocity_limits
            seconds = 1.0
            if speeds.size == way.size and (speeds > 0).all():
                seconds = float(np.max(np.abs(way) / speeds, initial=0.0))
            trajectory.init(parameters.specification.add_delta_time_group())
            rows = [[*start, 0.0], [*(start + way), seconds]]
            trajectory.insert(0, np.array(rows))
        return PlannerStatus(code, text, time.perf_counter() - begin)

    def get_parameters(self) -> PlannerParameters | None:
        """Return the parameters in use."""
        return self._parameters

    def _check(
        self,
        parameters: PlannerParameters,
        start: NDArray[np.float64],
        way: NDArray[np.float64],
    ) -> tuple[PlannerStatusCode, str]:
        assert parameters.set_state is not None
        step = parameters.step_length
        n_steps = max(1, int(np.ceil(np.max(np.abs(way), initial=0.0) / step)))
        for i in range(n_steps + 1):
            parameters.set_state(start + way * (i / n_steps))
            robot = self._robot
            if robot is not None:
                where = f"{i / n_steps:.0%} along the straight line"
                if self.env.check_collision(robot):
                    return PlannerStatusCode.ENV_COLLISION, f"in collision {where}"
                if self.env.collision_checker.check_self_collision(robot):
                    return PlannerStatusCode.SELF_COLLISION, f"hits itself {where}"
            if self.call_progress(PlannerProgress(i)) is not PlannerAction.CONTINUE:
                return PlannerStatusCode.INTERRUPTED, "interrupted by a callback"
        return PlannerStatusCode.HAS_SOLUTION, "the straight line is free"


def _problem_of(values: NDArray[np.float64], parameters: PlannerParameters) -> str:
    """Return what is wrong with an end of the path, empty if nothing."""
    n, slack = parameters.dof, 1e-9
    if values.shape != (n,) or not np.isfinite(values).all():
        return f"is {values}, expected {n} finite numbers"
    lower, upper = parameters.lower_limits, parameters.upper_limits
    if lower.size == upper.size == n and (
        (values < lower - slack).any() or (values > upper + slack).any()
    ):
        return f"is {values}, outside of the limits {lower} to {upper}"
    return ""
'''

_TEST = '''"""What @id@ plans."""

import numpy as np
import pyrave
from pyrave.interfaces import PlannerAction


def problem(scene, goal):
    robot = scene.robots["arm"]
    parameters = pyrave.PlannerParameters()
    parameters.set_robot_active_joints(robot)
    parameters.goal_configuration = np.array(goal)
    planner = scene.create("planner", "@id@")
    return robot, planner, parameters


def test_it_plans_a_straight_line_and_says_so(scene):
    robot, planner, parameters = problem(scene, [0.5, -0.5])
    before = robot.dof_values
    assert planner.init_plan(robot, parameters)
    trajectory = scene.create("trajectory", "")
    status = planner.plan_path(trajectory)
    assert status
    assert "straight line" in status.description
    np.testing.assert_allclose(robot.dof_values, before)
    end = trajectory.sample(trajectory.get_duration())
    np.testing.assert_allclose(end[:2], [0.5, -0.5], atol=1e-9)


def test_wrong_problems_are_refused(scene):
    robot, planner, parameters = problem(scene, [0.5])
    assert not planner.init_plan(robot, parameters)
    parameters.goal_configuration = np.array([0.5, 99.0])
    status = planner.init_plan(robot, parameters)
    assert not status
    assert "outside of the limits" in status.description
    assert not planner.plan_path(scene.create("trajectory", ""))


def test_callbacks_can_stop_it(scene):
    robot, planner, parameters = problem(scene, [0.5, -0.5])
    planner.init_plan(robot, parameters)
    planner.register_progress_callback(lambda _: PlannerAction.INTERRUPT)
    assert not planner.plan_path(scene.create("trajectory", ""))
'''

TEMPLATE = TypeTemplate(_SOURCE, _TEST, '  <planner type="@id@"/>\n')
