"""Straight motions end at the last free place, exactly."""

import numpy as np
import pytest
from grasping_scenes import block

import pyrave
from pyrave import manipulation
from pyrave.errors import ArgumentError, StateError
from pyrave.manipulation import lines
from pyrave.planning import verify
from pyrave.planning.timing.verification import Verification, Violation


@pytest.fixture
def arm():
    env = pyrave.load("robots/heron7.robot.xml")
    robot = env.robots[0]
    arm = robot.active_manipulator
    arm.arm_dof_values = [0, 0.9, 0, 1.2, 0, 1.04, 0]
    return arm


def held_box(arm, gap):
    """Return a box in the hand, above a table at a distance."""
    box = block(arm.robot.env, "box", (0.02, 0.02, 0.02), arm.transform[:3, 3])
    arm.robot.grab(box)
    x, y, z = arm.transform[:3, 3]
    block(arm.robot.env, "table", (0.1, 0.1, 0.01), (x, y, z - 0.03 - gap))
    return box


def test_a_free_line_is_as_long_as_it_may_be(arm):
    before = arm.robot.dof_values
    line = manipulation.move_straight(arm, (0, 0, 2), 0.1, 0.1)
    assert line
    assert line.distance == pytest.approx(0.1, abs=1e-9)
    assert line.end == ""
    assert (arm.robot.dof_values == before).all()
    start = arm.transform
    assert verify(arm.robot, line.trajectory) == ()
    rows = line.trajectory.sample_points(
        np.linspace(0, line.trajectory.duration, 100),
        arm.arm_configuration_specification(),
    )
    there = arm.compute_transforms(rows)
    np.testing.assert_allclose(
        there[:, :2, 3], np.tile(start[:2, 3], (100, 1)), atol=1e-5
    )
    np.testing.assert_allclose(
        there[:, :3, :3], np.tile(start[:3, :3], (100, 1, 1)), atol=1e-4
    )
    assert arm.robot.execute(line)


@pytest.mark.parametrize("gap", [0.0123, 0.0401])
def test_it_ends_where_something_is_in_the_way(arm, gap):
    held_box(arm, gap)
    line = manipulation.move_straight(arm, (0, 0, -1), 0.01, 0.1, touching=None)
    assert line.distance == pytest.approx(gap, abs=1e-5)
    assert line.distance <= gap
    assert "box/base x table/base" in line.end
    assert verify(arm.robot, line.trajectory, touching=None) == ()
    short = manipulation.move_straight(arm, (0, 0, -1), 0.05, 0.1, touching=None)
    assert not short
    assert short.cause.startswith(f"the tool can go {short.distance:.6g} m of at least")
    assert "box/base x table/base" in short.cause
    with pytest.raises(StateError, match="no straight motion: the tool can go"):
        _ = short.trajectory


def test_what_stands_on_a_table_leaves_it(arm):
    held_box(arm, -1e-4)
    up = manipulation.move_straight(arm, (0, 0, 1), 0.05, 0.05)
    assert up
    assert verify(arm.robot, up.trajectory) == ()
    stuck = manipulation.move_straight(arm, (0, 0, 1), 0.05, 0.05, touching=None)
    assert not stuck
    assert stuck.distance == 0.0
    assert "the start collides: box/base x table/base" in stuck.cause


def test_it_ends_where_the_arm_does(arm):
    line = manipulation.move_straight(arm, (1, 0, 0), 0.0, 2.0)
    assert 0.05 < line.distance < 0.8
    assert line.end
    assert not manipulation.move_straight(arm, (1, 0, 0), 1.0, 2.0)


def test_thin_things_are_not_jumped_over(arm):
    box = held_box(arm, 1.0)
    x, y, z = arm.transform[:3, 3]
    block(arm.robot.env, "foil", (0.001, 0.001, 1e-6), (x, y, z - 0.0513))
    box.env.remove("table")
    line = manipulation.move_straight(arm, (0, 0, -1), 0.0, 0.1)
    assert line.distance == pytest.approx(0.0313, abs=1e-5)


@pytest.mark.parametrize("reverse", [False, True])
def test_one_cut_leaves_all_that_is_wrong_behind(arm, monkeypatch, reverse):
    heights, calls = (0.03, 0.07), []

    def found(robot, timed, *, touching):
        """Return a violation at each of the heights that the motion passes."""
        calls.append(timed)
        times = np.linspace(0.0, timed.duration, 500)
        rows = timed.sample_points(times, arm.arm_configuration_specification())
        passed = arm.compute_transforms(rows)[:, 2, 3] - arm.transform[2, 3]
        moments = [times[np.argmin(np.abs(passed - height))] for height in heights]
        broken = (
            Violation("velocity", float(moment), "joint", 1.0)
            for moment, height in zip(moments, heights, strict=True)
            if passed.max() > height + 1e-3
        )
        return Verification(tuple(broken), len(times), times[1], 0.0)

    monkeypatch.setattr(lines, "verification", found)
    start, way = arm.arm_dof_values, np.array([0.0, 0.0, 1.0])
    line = lines.straight(arm, start, way, 0.01, 0.1, None, reverse=reverse)
    assert 0.02 < line.distance < 0.031
    assert len(calls) == 2


def test_wrong_input_is_told(arm):
    move = manipulation.move_straight
    with pytest.raises(ArgumentError, match=r"direction is .*expected a direction"):
        move(arm, (0, 0, 0))
    with pytest.raises(ArgumentError, match="at_least"):
        move(arm, (0, 0, 1), 0.2, 0.1)
    with pytest.raises(ArgumentError, match="at_most"):
        move(arm, (0, 0, 1), 0.0, 0.0)
    with pytest.raises(ArgumentError, match="direction"):
        move(arm, (0, np.nan, 1))
    with pytest.raises(ArgumentError, match="expected a manipulator"):
        move(arm.robot, (0, 0, 1))


def test_no_length_is_too_long_to_be_asked_for(arm):
    usual = manipulation.move_straight(arm, (0, 0, 1), at_most=1.5)
    for most in (5.0, 1e3, 1e9):
        line = manipulation.move_straight(arm, (0, 0, 1), at_most=most)
        assert line, line.cause
        assert abs(line.distance - usual.distance) < 2e-6
        assert line.end
