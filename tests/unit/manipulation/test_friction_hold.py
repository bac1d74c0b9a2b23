"""Fingers that squeeze in place of bodies that are grabbed."""

import numpy as np
import pytest

import pyrave
from pyrave.errors import ArgumentError, StateError
from pyrave.manipulation import Pick, Place, hold_by_friction, solve
from pyrave.planning import retime

GOAL = np.array((1, 0, 0, 0, 0.0, 0.15, 0.72))
FINGER = 7


@pytest.fixture(scope="module")
def task():
    env = pyrave.load("scenes/demo.env.xml")
    robot, mug = env.robots["heron7"], env.bodies["mug"]
    robot.dof_acceleration_limits = np.minimum(robot.dof_acceleration_limits, 2.0)
    arm = robot.active_manipulator
    found = solve(robot, Pick(arm, mug), Place(arm, mug, GOAL))
    assert found, found.cause
    return robot, found


def fingers(robot, trajectory):
    found = trajectory.spec.extract_joint_values(trajectory.waypoints, robot, [FINGER])
    return found[:, 0]


def test_fingers_go_on_while_they_would_hold(task):
    robot, found = task
    motion = hold_by_friction(robot, found, 0.002)
    column = found.trajectory.spec.group_from_name("grabbody mug heron7 palm").offset
    held = found.trajectory.waypoints[:, column] > 0.0
    assert held.any()
    assert not held[-1]
    further = fingers(robot, found.trajectory) - fingers(robot, motion)
    np.testing.assert_allclose(further, np.where(held, 0.002, 0.0), atol=1e-12)
    assert [one.kind for one in motion.spec.groups] == [
        "joint_values", "joint_velocities", "deltatime",
    ]  # fmt: skip
    assert motion.duration == found.trajectory.duration


def test_each_body_is_squeezed_while_it_would_be_held(task):
    robot, found = task
    whole = found.trajectory
    spec = whole.spec.add_group("grabbody brick heron7 palm", 1, "next")
    first = whole.spec.group_from_name("grabbody mug heron7 palm").offset
    second = spec.group_from_name("grabbody brick heron7 palm").offset
    rows = np.insert(whole.waypoints, second, 0.0, axis=1)
    middle = np.flatnonzero(rows[:, first] > 0.0)[1:].min()
    rows[middle:, second] = rows[middle:, first]
    rows[middle:, first] = 0.0
    both = robot.env.create("trajectory", "")
    both.init(spec)
    both.insert(0, rows)
    told = fingers(robot, hold_by_friction(robot, both, 0.002))
    np.testing.assert_allclose(
        told, fingers(robot, hold_by_friction(robot, found, 0.002)), atol=1e-12
    )


def test_they_go_no_further_than_their_limits(task):
    robot, found = task
    told = fingers(robot, hold_by_friction(robot, found, 1.0))
    assert told.min() == robot.dof_limits[0][FINGER]


def test_a_mug_is_carried_by_friction(task):
    robot, found = task
    env = robot.env.clone()
    robot, mug = env.robots["heron7"], env.bodies["mug"]
    env.physics_engine = "mujoco"
    robot.set_controller("JointPIDController gravity=1 kp=10000 kd=400")
    highest, held = [], []

    def note(_seconds):
        highest.append(mug.transform[2, 3])
        held.append(len(robot.grabbed))

    done = robot.execute(hold_by_friction(robot, found), progress=note)
    assert done, done.cause
    assert not any(held)
    assert max(highest) > 0.74
    for _ in range(20):
        env.step(0.01)
    assert np.linalg.norm(mug.transform[:3, 3] - GOAL[4:]) < 2e-3


def test_what_cannot_be_held_is_refused(task):
    robot, found = task
    with pytest.raises(ArgumentError, match="squeeze"):
        hold_by_friction(robot, found, -1.0)
    with pytest.raises(ArgumentError, match="no groups 'grabbody BODY heron7 LINK'"):
        hold_by_friction(robot, retime(robot, [robot.dof_values, robot.dof_values]))


def test_what_is_grabbed_already_is_told(task):
    robot, found = task
    with robot.env.preserve_state():
        robot.grab(robot.env.bodies["mug"])
        with pytest.raises(StateError, match="grabs 'mug' already"):
            hold_by_friction(robot, found)


def test_only_hands_that_close_hold(task):
    robot, found = task
    held = found.trajectory.spec.remove_groups("grabbody mug heron7 palm")
    spec = held.add_group("grabbody mug heron7 link3", 1, "next")
    trajectory = robot.env.create("trajectory", "")
    trajectory.init(spec)
    trajectory.insert(0, np.zeros((2, spec.dof)))
    with pytest.raises(ArgumentError, match=r"link3.*no manipulator with a gripper"):
        hold_by_friction(robot, trajectory)
