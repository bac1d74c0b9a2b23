"""WorkspaceTrajectoryTracker: the tool is where its trajectory says, at its times."""

from __future__ import annotations

import numpy as np
import pytest

import pyrave
from pyrave.ik import IkParameterization
from pyrave.planning import verify
from pyrave.scene import body_from_boxes
from pyrave.trajectories import ConfigurationSpecification

LENGTH = 0.3


@pytest.fixture
def robot():
    env = pyrave.load("robots/arms/ur5.robot.xml")
    made = env.robots["ur5"]
    made.active_manipulator.arm_dof_values = [0.3, -1.1, 1.3, -0.4, 1.2, 2.0]
    # the arm itself has no solids
    pen = env.create_body(body_from_boxes("pen", [(0, 0, 0, 0.01, 0.01, 0.01)]))
    pen.transform = made.active_manipulator.transform
    made.grab(pen, made.active_manipulator.end_effector)
    return made


def line(robot, seconds=2.0, way=(0.0, LENGTH, 0.0), points=2):
    """Return a trajectory of the tool along a line, with times."""
    arm = robot.active_manipulator
    spec = (
        ConfigurationSpecification()
        .add_group("ikparam_values 1728053249", 7, "linear")
        .add_delta_time_group()
    )
    made = robot.env.create("trajectory", "")
    made.init(spec)
    parts = np.linspace(0.0, 1.0, points)
    for part in parts:
        pose = arm.transform
        pose[:3, 3] += part * np.array(way)
        row = IkParameterization.transform_6d(pose).array
        made.insert(len(made), [*row, seconds / (points - 1) if part else 0.0])
    return made


def track(robot, given, **extra):
    parameters = pyrave.PlannerParameters()
    parameters.set_robot_active_joints(robot)
    parameters.extra = {"workspacetraj": given.to_xml(), **extra}
    planner = robot.env.create("planner", "WorkspaceTrajectoryTracker")
    found = robot.env.create("trajectory", "")
    status = planner.init_plan(robot, parameters)
    if status:
        status = planner.plan_path(found)
    return status, found


def tool_at(robot, found, moment):
    arm = robot.active_manipulator
    with robot.preserve_state():
        robot.set_dof_values(found.sample(moment)[:6], arm.arm_indices)
        return arm.transform


def test_times_are_kept_and_the_tool_is_on_the_line(robot):
    given = line(robot, 3.0)
    before = robot.dof_values
    status, found = track(robot, given, maintaintiming="1")
    assert status, status.description
    assert (robot.dof_values == before).all()
    assert found.duration == pytest.approx(3.0)
    start = robot.active_manipulator.transform
    for moment in np.linspace(0.0, 3.0, 40):
        pose = tool_at(robot, found, moment)
        wanted = start[:3, 3] + (0.0, LENGTH * moment / 3.0, 0.0)
        assert np.allclose(pose[:3, 3], wanted, atol=1e-4)
        assert np.allclose(pose[:3, :3], start[:3, :3], atol=1e-3)
    assert verify(robot, found) == ()


def test_other_times_are_the_fastest_ones(robot):
    status, found = track(robot, line(robot, 30.0))
    assert status, status.description
    assert found.duration < 3.0
    assert verify(robot, found) == ()
    status, _ = track(robot, line(robot, 0.02), maintaintiming="1")
    assert not status
    assert "passes its velocity limit" in status.description
    assert "without maintaintiming" in status.description


def test_a_wall_ends_it_unless_enough_was_done(robot):
    wall = robot.env.create_body(body_from_boxes("wall", [(0, 0, 0, 1.0, 0.01, 1.0)]))
    wall.transform = [1, 0, 0, 0, *robot.active_manipulator.transform[:3, 3]]
    pose = wall.transform
    pose[1, 3] += 0.25
    pose[0, 3] += 0.6
    wall.transform = pose
    given = line(robot, 3.0)
    status, found = track(robot, given, maintaintiming="1")
    assert not status
    assert "hits something: pen/base x wall/base" in status.description
    assert len(found) == 0
    status, found = track(robot, given, maintaintiming="1", minimumcompletetime="0.3")
    assert status, status.description
    assert 0.3 <= found.duration < 2.9
    assert "up to" in status.description
    assert verify(robot, found) == ()


def test_collisions_in_the_beginning_may_be_ignored(robot):
    box = robot.env.create_body(body_from_boxes("box", [(0, 0, 0, 0.02, 0.02, 0.02)]))
    box.transform = robot.active_manipulator.transform
    given = line(robot, 3.0)
    status, _ = track(robot, given, maintaintiming="1")
    assert not status
    status, found = track(robot, given, maintaintiming="1", ignorefirstcollision="1.5")
    assert status, status.description
    kinds = [one.kind for one in verify(robot, found)]
    assert kinds == ["collision"]


def test_greed_takes_the_nearest_start(robot):
    given = line(robot, 3.0)
    robot.active_manipulator.arm_dof_values = [0.9, -1.3, 1.0, 0.2, 0.3, 1.0]
    for greedy in ("0", "1"):
        status, found = track(robot, given, greedysearch=greedy)
        assert status, status.description
        assert len(found) > 10


def test_a_path_that_leaves_the_reach_says_where(robot):
    status, _ = track(robot, line(robot, 3.0, way=(0.0, 3.0, 0.0)))
    assert not status
    assert "the tool gets to" in status.description
    status, _ = track(robot, line(robot, 3.0), maxdeviationangle="1e-9")
    assert not status
    assert "deviate" in status.description


def test_wrong_parameters_end_in_words(robot):
    given = line(robot)
    for extra, said in (
        ({"workspacetraj": ""}, "workspace_trajectory is empty"),
        ({"workspacetraj": "<nothing/>"}, "nothing"),
        (
            {"maintaintiming": "often"},
            "maintain_timing of WorkspaceTrajectoryTracker is 'often'",
        ),
        ({"maxdeviationangle": "9"}, "from 0 to 3.14"),
        ({"ignorefirstcollision": "-1"}, "ignore_first_collision of"),
    ):
        status, _ = track(robot, given, **extra)
        assert not status
        assert said in status.description
    joints = robot.env.create("trajectory", "")
    joints.init(
        ConfigurationSpecification().add_group(f"joint_values {robot.name} 0", 1)
    )
    status, _ = track(robot, joints)
    assert "no group ikparam_values; its groups are joint_values" in status.description
    planner = robot.env.create("planner", "WorkspaceTrajectoryTracker")
    assert not planner.init_plan(None, pyrave.PlannerParameters())
    assert not planner.plan_path(joints)


def test_a_robot_without_a_manipulator_ends_in_words(robot):
    robot.release_all()
    given = line(robot)
    for arm in robot.manipulators.names:
        robot.remove_manipulator(arm)
    status, _ = track(robot, given)
    assert not status
    assert "has no manipulator" in status.description


def test_collisions_may_be_ignored_for_longer_than_it_takes(robot):
    given = line(robot)
    for keeps in ("0", "1"):
        status, found = track(
            robot, given, maintaintiming=keeps, ignorefirstcollision="100"
        )
        assert status, status.description
        assert len(found) > 1
