"""Stages compose, and others' stages are short classes."""

import numpy as np
import pytest
from grasping_scenes import block

import pyrave
from pyrave.errors import ArgumentError
from pyrave.manipulation import (
    Alternatives,
    Fallbacks,
    Fingers,
    Move,
    Series,
    Stage,
    Step,
    Straight,
    solve,
)
from pyrave.planning import retime, verification
from pyrave.spatial import pose_from_rpy


@pytest.fixture
def arm():
    robot = pyrave.load("robots/heron7.robot.xml").robots[0]
    arm = robot.active_manipulator
    arm.arm_dof_values = [0, 0.9, 0, 1.2, 0, 1.04, 0]
    return arm


class Wave(Stage):
    """Turn a joint there and back, as far as it can: a stage of somebody else."""

    def __init__(self, arm, joint, angles):
        super().__init__("wave")
        self.arm, self.joint, self.angles = arm, joint, angles

    def solutions(self, task):
        start = self.arm.arm_dof_values
        for angle in self.angles:
            there = start.copy()
            there[self.joint] += angle
            try:
                motion = retime(self.arm, [start, there, start])
            except ArgumentError as error:
                task.reject(str(error))
                continue
            with task.choosing(f"angle {angle:g}"):
                yield [Step(self.name, motion)]


class Never(Stage):
    """A stage that has no solution and says why."""

    def __init__(self):
        super().__init__("never")
        self.asked = []

    def solutions(self, task):
        self.asked.append(task.choices)
        task.reject("it never does")
        yield from ()


def test_a_stage_of_somebody_else_is_a_short_class(arm):
    before = arm.robot.dof_values
    found = solve(
        arm.robot, Wave(arm, 0, [9.0, 0.3]), Straight(arm, (0, 0, 1), 0.05, 0.1)
    )
    assert found
    assert found.choices == ("angle 0.3",)
    assert [step.name for step in found.steps] == ["wave", "line"]
    assert (arm.robot.dof_values == before).all()
    assert arm.robot.execute(found)


def test_motions_of_others_are_verified(arm):
    x, y, z = arm.transform[:3, 3]
    block(arm.robot.env, "wall", (0.3, 0.01, 0.3), (x, y + 0.2, z))
    refused = solve(arm.robot, Wave(arm, 0, [1.0]))
    assert not refused
    assert "x wall/base collide at" in refused.cause
    assert refused.failure.stage == "wave"


def test_motions_in_compositions_are_verified_once_where_they_begin(arm, monkeypatch):
    begins = []

    class Turn(Wave):
        def solutions(self, task):
            start = self.arm.arm_dof_values
            there = start + 0.1 * (np.arange(len(start)) == self.joint)
            yield [Step(self.name, retime(self.arm, [start, there]))]

    def noted(robot, motion):
        begins.append(arm.arm_dof_values[:2])
        return verification(robot, motion)

    monkeypatch.setattr("pyrave.manipulation.task.verification", noted)
    start = arm.arm_dof_values[:2]
    inner = Series(Turn(arm, 0, []), Turn(arm, 1, []), name="both")
    found = solve(arm.robot, Series(inner, name="outer"))
    assert found, found.cause
    np.testing.assert_allclose(begins - start, [(0, 0), (0.1, 0)], atol=1e-9)


def test_a_later_stage_makes_earlier_ones_go_on(arm):
    last = Never()
    first = Wave(arm, 0, [0.1, 0.2])
    found = solve(arm.robot, first, Wave(arm, 1, [0.1, 0.05]), last)
    assert not found
    assert len(last.asked) == 4
    assert last.asked[0] == ("angle 0.1", "angle 0.1")
    assert found.failure.last.stage == "never"
    assert found.failure.last.choice == "angle 0.1, angle 0.1"
    assert found.failure.counts == {"never": 4}
    assert "never fails with angle 0.1, angle 0.1: it never does" in found.cause


def test_alternatives_go_on_and_fallbacks_do_not(arm):
    for kind, count in ((Alternatives, 2), (Fallbacks, 1)):
        last = Never()
        both = kind(Never(), Wave(arm, 0, [0.1]), Wave(arm, 0, [0.2]))
        assert not solve(arm.robot, both, last)
        assert len(last.asked) == count
        assert solve(arm.robot, both).choices == ("angle 0.1",)


def test_motions_to_goals_and_fingers_join_to_one_trajectory(arm):
    robot = arm.robot
    goal = arm.transform
    goal[2, 3] += 0.05
    found = solve(
        robot,
        Series(Move(arm, goal, name="up"), Fingers(arm, [0.01], name="almost closed")),
        Fingers(arm),
    )
    assert [step.name for step in found.steps] == ["up", "almost closed", "open"]
    total = sum(step.motion.duration for step in found.steps)
    assert found.trajectory.duration == pytest.approx(total)
    assert robot.execute(found)
    np.testing.assert_allclose(arm.transform, goal, atol=1e-6)
    assert arm.gripper_dof_values == pytest.approx([0.045])
    goal[2, 3] += 5.0
    assert "up fails: the goal" in solve(robot, Move(arm, goal, name="up")).cause


class Given(Stage):
    """A stage whose solutions are given; it does not even have a name."""

    def __init__(self, given):
        self.given = given

    def solutions(self, task):
        return self.given


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (None, r"the solutions of .* are None, expected a generator"),
        ([None], r"yields None, expected a list of pyrave.manipulation.Step"),
        ([Step("one")], r"yields <Step one>, expected a list"),
        ([[Step("one"), 3]], r"yields \[<Step one>, 3\], expected a list"),
    ],
)
def test_what_a_stage_yields_is_checked(arm, given, message):
    with pytest.raises(ArgumentError, match=message):
        solve(arm.robot, Given(given))
    assert solve(arm.robot, Given([[]]))
    assert solve(arm.robot, Given([])).cause.endswith("or says why")


def test_wrong_input_is_told(arm):
    other = pyrave.load("robots/heron7.robot.xml").robots[0]
    for stage in (Fingers(other.active_manipulator), Move(other, [0.0] * other.dof)):
        with pytest.raises(ArgumentError, match=r"is of .*, and the task of .*"):
            solve(arm.robot, stage)
    with pytest.raises(ArgumentError, match=r"a stage is 3, expected a pyrave.manip"):
        solve(arm.robot, 3)
    with pytest.raises(ArgumentError, match=r"robot is .*expected a robot"):
        solve(arm, Never())
    with pytest.raises(ArgumentError, match="seed"):
        solve(arm.robot, Never(), seed=-1)
    with pytest.raises(ArgumentError, match="values"):
        Fingers(arm, [1, 2])
    line = arm.straight_line(arm.transform @ pose_from_rpy((0, 0, 0), (0, 0, -0.05)), 9)
    jerky = retime(arm, line, jerk_limits=100.0)

    class Jerky(Stage):
        def solutions(self, task):
            yield [Step("jerky", jerky)]

    with pytest.raises(ArgumentError, match="'jerky' is not cubic"):
        solve(arm.robot, Jerky("jerky"))
