"""The planner KeptPlanner keeps its contract, and works."""

from __future__ import annotations

import numpy as np

import pyrave
from pyrave.interfaces import PlannerAction
from pyrave.testing import PlannerContract


class TestKeptPlanner(PlannerContract):
    interface = "acme-kept:KeptPlanner"


def problem(scene, goal):
    parameters = pyrave.PlannerParameters()
    parameters.set_robot_active_joints(scene.robots["arm"])
    parameters.goal_configuration = np.array(goal)
    return scene.robots["arm"], parameters


def test_it_plans_a_straight_line_unless_a_callback_stops_it(scene):
    planner = scene.create("planner", "KeptPlanner")
    assert planner.init_plan(*problem(scene, [0.5, -0.5]))
    trajectory = scene.create("trajectory", "")
    assert "straight line" in planner.plan_path(trajectory).description
    end = trajectory.sample(trajectory.get_duration())
    np.testing.assert_allclose(end[:2], [0.5, -0.5], atol=1e-9)
    planner.register_progress_callback(lambda _: PlannerAction.INTERRUPT)
    assert not planner.plan_path(trajectory)


def test_goals_outside_of_limits_are_refused(scene):
    planner = scene.create("planner", "KeptPlanner")
    status = planner.init_plan(*problem(scene, [0.5, 99.0]))
    assert not status
    assert "outside of the limits" in status.description
