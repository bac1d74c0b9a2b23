"""Fingers move until they touch: exactly, each joint by itself."""

import numpy as np
import pytest
from grasping_scenes import block, hand_and_ball, stepwise

import pyrave
from pyrave import manipulation
from pyrave.errors import ArgumentError, StateError
from pyrave.planning import verify


@pytest.mark.parametrize("place", [(0.1, 0, 0), (0.13, 0.004, 0.01), (0.16, 0, -0.012)])
def test_ends_are_those_of_small_steps(place):
    arm, _ = hand_and_ball(place)
    found = manipulation.close(arm)
    assert found
    np.testing.assert_allclose(found.values, stepwise(arm), atol=1e-4)


def test_it_is_said_what_each_joint_met():
    arm, ball = hand_and_ball((0.1, 0, 0))
    before = arm.robot.dof_values
    found = manipulation.close(arm)
    assert (arm.robot.dof_values == before).all()
    for stop, side in zip(found.stops, ("upper",) * 2 + ("lower",) * 2, strict=True):
        assert stop.name.startswith(side)
        assert stop.met is not None
        assert stop.met.first.link_name.startswith(side)
    assert found.bodies[0] is ball
    assert str(found.stops[0]).startswith("'upper1' at 0.")
    middle = ball.transform[:3, 3]
    for pair in found.contacts:
        (contact,) = pair.contacts
        assert 0.0 <= -contact.depth <= 1e-4
        if pair.second.body is ball:
            away = middle - contact.position
            assert np.linalg.norm(away) == pytest.approx(0.03, abs=1e-4)
            assert contact.normal @ away > 0.0


def test_the_motion_is_free_and_is_executed():
    arm, ball = hand_and_ball()
    robot = arm.robot
    for move in (manipulation.close, manipulation.open):
        found = move(arm)
        assert verify(robot, found.trajectory) == ()
        assert robot.execute(found)
        np.testing.assert_allclose(arm.gripper_dof_values, found.values, atol=1e-9)
        assert robot.env.distance(robot, ball) > 0.0
    assert found.values.tolist() == [0.0] * 4
    assert all(stop.met is None for stop in found.stops)


def test_thin_things_are_not_jumped_over():
    arm, ball = hand_and_ball((1, 0, 0))
    block(arm.robot.env, "foil", (0.05, 0.05, 1e-6), (0.12, 0, 0.03))
    assert np.abs(manipulation.close(arm).values[:2] - stepwise(arm)[:2]).max() < 1e-4
    env = arm.robot.env
    assert {body.name for body in manipulation.close(arm).bodies} == {"foil"}
    assert ball.env is env


def test_fingers_that_touch_part_or_slide_or_stay():
    arm, _ = hand_and_ball((1, 0, 0))
    robot, env = arm.robot, arm.robot.env
    plate = block(env, "plate", (0.1, 0.1, 0.01), (0.16, 0, 0.0649))
    assert env.distance(robot, plate) == pytest.approx(-1e-4, abs=1e-9)
    closed = manipulation.close(arm)
    assert closed
    assert closed.values.min() > 0.1
    arm.gripper_dof_values = [0.2, 0, 0, 0]
    # it opens onto the plate, from outside
    opened = manipulation.open(arm)
    assert opened.values[0] == pytest.approx(1e-4 / 0.03, rel=0.02)
    assert opened.stops[0].met is not None
    plate.transform = [1, 0, 0, 0, 0.16, 0, 0.055]
    arm.gripper_dof_values = np.zeros(4)
    refused = manipulation.close(arm)
    assert not refused
    assert "collide at the start" in refused.cause
    with pytest.raises(StateError, match=r"the fingers do not move: .*collide"):
        _ = refused.trajectory


def test_what_a_finger_holds_touches_like_the_finger():
    arm, _ = hand_and_ball((1, 0, 0))
    robot, env = arm.robot, arm.robot.env
    chip = block(env, "chip", (0.005, 0.005, 0.005), (0.17, 0, 0.02))
    robot.grab(chip, "upper_tip")
    wall = block(env, "wall", (0.005, 0.005, 0.002), (0.17, 0, 0.01))
    found = manipulation.close(arm)
    assert verify(robot, found.trajectory) == ()
    met = found.stops[0].met
    assert (met.first.body, met.second.body) == (chip, wall)
    assert met.contacts[0].normal[2] == pytest.approx(-1.0, abs=1e-3)
    env.remove(wall)
    # it stops fingers of the hand, too, and is stopped by them
    found = manipulation.close(arm)
    assert verify(robot, found.trajectory) == ()
    assert found.stops[0].met.first.body is chip
    assert {stop.met.second.link_name for stop in found.stops[:2]} == {"lower_tip"}
    assert {stop.met.first.link_name for stop in found.stops[2:]} == {"lower_tip"}
    # normals lead out of the finger, whichever of the two it is
    for stop, way in zip(found.stops, (-1.0, -1.0, 1.0, 1.0), strict=True):
        assert stop.met.contacts[0].normal[2] * way > 0.9


@pytest.mark.parametrize("robot", ["heron7"])
def test_a_shipped_gripper_closes_on_both_sides(robot):
    env = pyrave.load(f"robots/{robot}.robot.xml")
    arm = env.robots[robot].active_manipulator
    arm.gripper_dof_values = manipulation.open(arm).values
    box = block(env, "box", (0.012, 0.015, 0.02), (0, 0, 0))
    box.transform = arm.transform
    found = manipulation.close(arm)
    assert found.bodies == (box,)
    assert {pair.first.link_name for pair in found.contacts} == {
        "left_finger",
        "right_finger",
    }
    assert sum(pair.contacts[0].normal for pair in found.contacts) == pytest.approx(
        np.zeros(3), abs=1e-6
    )


def test_wrong_input_is_told():
    arm, _ = hand_and_ball()
    with pytest.raises(ArgumentError, match="expected a manipulator"):
        manipulation.close(arm.robot)
    with pytest.raises(ArgumentError, match="direction is 0 for all of its 4 gripper"):
        manipulation.close(arm, direction=[0, 0, 0, 0])
    with pytest.raises(ArgumentError, match="direction"):
        manipulation.close(arm, direction=[1, 0, np.nan, 0])
    with pytest.raises(ArgumentError, match="tolerance"):
        manipulation.close(arm, tolerance=0)
    arm.robot.dof_limits = [-np.inf] * 4, [np.inf] * 4
    with pytest.raises(ArgumentError, match=r"joint 'upper1' of .* has no limit in"):
        manipulation.close(arm)
    puma = pyrave.load("robots/arms/puma560.robot.xml").robots[0]
    with pytest.raises(
        ArgumentError, match=r"no gripper joints; .*\(..., gripper_joints="
    ):
        manipulation.open(puma.active_manipulator)
    robot = arm.robot
    robot.env.remove(robot)
    with pytest.raises(StateError, match="is in no environment"):
        manipulation.close(arm)
