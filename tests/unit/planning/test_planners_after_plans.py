"""Planners that users keep, and call themselves, beside and after `plan`."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import pyrave
from pyrave import Affine
from pyrave.scene import body_from_boxes


@pytest.fixture
def rover():
    env = pyrave.load("robots/rover.robot.xml")
    robot = env.robots[0]
    robot.set_active_dofs([], Affine.X | Affine.Y)
    return robot


def test_a_planner_that_was_used_sees_the_scene_as_it_is_now(rover):
    env = rover.env
    wall = env.create_body(body_from_boxes("wall", [(0, 0, 0, 0.05, 0.5, 0.5)]))
    wall.transform = [1, 0, 0, 0, 5, 5, 0]
    x, y = rover.active.values
    planner = env.create("planner", "BiRRT")
    assert rover.plan(values=[x + 2, y], planner=planner)
    assert planner.get_parameters().prepared_space is None
    wall.transform = [1, 0, 0, 0, x + 1, y, 0.2]
    trajectory = env.create("trajectory", "")
    assert planner.plan_path(trajectory)
    rows = trajectory.get_waypoints()
    for one, other in pairwise(rows):
        assert planner.check_motion(rover, one, other)
    assert len(rows) > 2


@pytest.mark.parametrize("checker", ["Native", "coal"])
def test_a_planner_leaves_the_base_where_it_is(rover, checker):
    if checker == "coal":
        pytest.importorskip("coal")
    env = rover.env
    env.collision_checker = checker
    before = rover.transform
    parameters = pyrave.PlannerParameters()
    parameters.set_robot_active_joints(rover)
    parameters.goal_configuration = rover.active.values + np.array([2, 0])
    planner = env.create("planner", "BiRRT")
    assert planner.init_plan(rover, parameters)
    assert planner.plan_path(env.create("trajectory", ""))
    np.testing.assert_array_equal(rover.transform, before)


def test_a_planner_that_raises_keeps_no_space(rover, monkeypatch):
    planner = rover.env.create("planner", "BiRRT")
    kind = type(planner)
    monkeypatch.setattr(kind, "search", lambda *_: 1 / 0)
    with pytest.raises(pyrave.PluginError):
        rover.plan(values=rover.active.values + np.array([1, 0]), planner=planner)
    assert planner.get_parameters().prepared_space is None
