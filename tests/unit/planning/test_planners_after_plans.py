"""Planners that users keep, and call themselves, beside and after `plan`."""

from __future__ import annotations

import copy
import dataclasses
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


def test_planners_make_parameters_of_their_own_from_those_of_a_plan(rover):
    planner = rover.env.create("planner", "BiRRT")
    kind, given = type(planner), []

    class Other(kind):
        def init_plan(self, robot, parameters):
            given.append(parameters)
            return super().init_plan(
                robot, dataclasses.replace(parameters, random_seed=7)
            )

    with_seven = Other(rover.env)
    assert rover.plan(values=rover.active.values + 1.0, planner=with_seven)
    assert with_seven.get_parameters().random_seed == 7

    class Keeps(Other):
        def init_plan(self, robot, parameters):
            given.append(copy.copy(parameters))
            return super().init_plan(robot, parameters)

    assert rover.plan(values=rover.active.values + 1.0, planner=Keeps(rover.env))
    kept = given[1]
    assert kept.is_plain
    # a space of a scene that may be another one soon
    assert not hasattr(kept, "prepared_space")


def test_paths_of_another_kind_are_told(rover):
    class Silent(type(rover.env.create("planner", "BiRRT"))):
        def find_path(self):
            return None

    with pytest.raises(pyrave.PluginError, match=r"find_path\(\) of .* returned None"):
        rover.plan(values=rover.active.values + 1.0, planner=Silent(rover.env))


def problem_of(robot, change):
    parameters = pyrave.PlannerParameters()
    parameters.set_robot_active_joints(robot)
    parameters.goal_configuration = robot.active.values + np.array(change)
    return parameters


def test_a_path_is_that_of_the_trajectory(rover, monkeypatch):
    env = rover.env
    planner = env.create("planner", "BiRRT")
    assert planner.init_plan(rover, problem_of(rover, [1, 0.5]))
    trajectory = env.create("trajectory", "")
    assert planner.plan_path(trajectory)
    monkeypatch.setattr(type(env), "create", None)  # a search needs no trajectory
    status, path = planner.find_path()
    assert status
    np.testing.assert_array_equal(path, trajectory.get_waypoints())


def test_a_path_is_what_a_class_puts_into_trajectories(rover):
    class Detour(type(rover.env.create("planner", "BiRRT"))):
        def plan_path(self, trajectory, options=0):
            status = super().plan_path(trajectory, options)
            middle = np.add(trajectory.get_waypoint(0), (0.0, 0.1))
            trajectory.insert(1, middle)
            return status

    planner = Detour(rover.env)
    assert planner.init_plan(rover, problem_of(rover, [1, 0.5]))
    status, path = planner.find_path()
    assert status
    np.testing.assert_allclose(path[1] - path[0], [0.0, 0.1])


def test_a_path_of_no_solution_is_empty(rover):
    planner = rover.env.create("planner", "BiRRT")
    status, path = planner.find_path()
    assert not status
    assert not len(path)
