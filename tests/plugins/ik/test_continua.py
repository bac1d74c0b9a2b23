"""Singular poses as users see them: one solution of each continuum, all verified."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import pytest
from moved_clock import MovedClock

import pyrave
from pyrave.bodies import Manipulator
from pyrave.cli import main
from pyrave.ik import IkFilterOptions
from pyrave_environments.arms import arm as arm_named
from pyrave_environments.arms import arm_description

RIGHT = np.pi / 2


@dataclass
class Made:
    env: pyrave.Environment
    hand: Manipulator

    def pose(self, q: np.ndarray) -> np.ndarray:
        self.hand.robot.dof_values = q
        return self.hand.transform

    def find(self, q: np.ndarray, **options) -> pyrave.ik.IkResult:
        return self.hand.find_ik(
            self.pose(q), q0=q, options=IkFilterOptions.IGNORE_JOINT_LIMITS, **options
        )


@pytest.fixture(scope="module")
def made():
    known = {}

    def make(name):
        if name not in known:
            env = pyrave.Environment()
            robot = env.create("robot", "")
            robot.init(arm_description(arm_named(name)))
            env.add(robot)
            hand = robot.manipulators["arm"]
            robot.dof_limits = np.full(robot.dof, -7.0), np.full(robot.dof, 7.0)
            hand.ik_solver = "Analytic"
            known[name] = Made(env, hand)
        return known[name]

    return make


def off(rows, q):
    return np.abs(np.exp(1j * rows) - np.exp(1j * q))


def check(one, q, result):
    """Every solution reaches the pose, and `q` is one or on the continuum of one."""
    pose = one.pose(q)
    assert result
    assert len(result.continua) == len(result)
    found = False
    for row, moving in zip(result.solutions, result.continua, strict=True):
        assert np.abs(one.pose(row) - pose).max() < 1e-8
        found |= np.delete(off(row, q), moving).max() < 1e-6
    assert found


def test_a_straight_wrist(made):
    one = made("puma560")
    q = np.array([0.3, 0.5, -0.8, 0.4, 0.0, 0.9])
    result = one.find(q)
    check(one, q, result)
    on_it = [
        row
        for row, moving in zip(result.solutions, result.continua, strict=True)
        if moving == (3, 5) and off(row[:3], q[:3]).max() < 1e-6
    ]
    assert len(on_it) == 1
    # each point of the continuum is a solution, and the same goal
    for way in (0.5, -2.0):
        moved = on_it[0] + np.array([0.0, 0.0, 0.0, way, 0.0, -way])
        assert np.abs(one.pose(moved) - one.pose(q)).max() < 1e-9
    assert [m for m in result.continua if m not in {(), (3, 5)}] == []


@pytest.mark.parametrize(
    "quarters", [(1, 0, -2, 0, -2, -2), (-1, 2, 0, 0, 0, -1), (2, 2, 0, 0, 0, 0)]
)
def test_a_straight_wrist_where_the_arm_is_singular_too(made, quarters):
    # solutions are known to a millionth there, and so is how straight the wrist is
    one = made("jaco2_6s")
    result = one.find(RIGHT * np.array(quarters))
    assert len(result)
    assert set(result.continua) == {(3, 5)}


def test_a_regular_pose_has_none(made):
    one = made("puma560")
    q = np.array([0.3, 0.5, -0.8, 0.4, 0.7, 0.9])
    result = one.find(q)
    check(one, q, result)
    assert len(result) == 8
    assert result.continua == ((),) * 8


def test_what_filters_leave_keeps_its_continuum(made):
    one = made("puma560")
    q = np.array([0.3, 0.5, -0.8, 0.4, 0.0, 0.9])

    def straight(solution, _manipulator, _goal):
        good = abs(np.sin(solution[4])) < 1e-6
        return pyrave.IkAction.SUCCESS if good else pyrave.IkAction.REJECT

    every = one.find(q)
    result = one.find(q, filters=[straight])
    assert 0 < len(result) < len(every)
    assert set(result.continua) == {(3, 5)}


def test_the_first_joint_in_line_with_the_wrist_centre(made):
    """A shoulder singularity: the wrist centre on the axis of the first joint."""
    one = made("irb2400")
    # the wrist centre is moved onto the axis by a numerical search for the lift
    low, high = np.array([0.0, -2.5, 1.0, 0.3, 0.6, 0.2]), 0.0

    def centre(lift):
        q = low.copy()
        q[1] = lift
        one.pose(q)
        joints = one.hand.robot.joints
        return joints[4].anchor[0]

    lifts = np.linspace(-2.5, 2.5, 101)
    signs = np.sign([centre(x) for x in lifts])
    at = int(np.flatnonzero(signs[:-1] * signs[1:] < 0)[0])
    low_lift, high = lifts[at], lifts[at + 1]
    for _ in range(60):
        middle = 0.5 * (low_lift + high)
        if centre(middle) * signs[at] > 0:
            low_lift = middle
        else:
            high = middle
    q = low.copy()
    q[1] = middle
    result = one.find(q)
    check(one, q, result)
    moving = [m for m in result.continua if m]
    assert moving
    assert all(0 in m for m in moving)


@pytest.mark.parametrize(
    ("q", "moving"),
    [
        # a straight elbow: two solutions are one
        ((0.3, -0.8, 0.0, 0.4, -1.3, 0.9), set()),
        # four parallel axes: a linkage
        ((0.3, -1.1, 0.8, 0.5, 0.0, 0.2), {(1, 2, 3, 5)}),
        # the same stretched to its full length, which has no play
        ((0.0, -RIGHT, 0.0, -RIGHT, 0.0, 0.0), set()),
        ((RIGHT, -RIGHT, RIGHT, 0.0, RIGHT, 0.0), set()),
        ((-RIGHT, 0.0, 0.0, -RIGHT, 0.0, 2.0 * RIGHT), set()),
        ((0.3, -1.1, 2.0 * RIGHT, RIGHT, 2.0 * RIGHT, 0.2), {(1, 2, 3, 5)}),
    ],
)
def test_folded_ur(made, q, moving):
    one = made("ur5e")
    q = np.array(q)
    result = one.find(q)
    check(one, q, result)
    assert set(result.continua) - {()} == moving


def test_panda_at_right_angles(made):
    one = made("panda")
    q = np.array([0.0, 0.0, 0.0, -RIGHT, 0.0, RIGHT, 0.0])
    pose = one.pose(q)
    solver = one.hand.ik_solver
    kind = pyrave.IkParameterization.transform_6d(pose).type
    held = solver.goal_solver(kind).free_dofs
    result = one.find(q)
    check(one, q, result)
    # held joints are sampled and are part of no continuum
    assert all(not set(held) & set(m) for m in result.continua)


def test_the_command_names_the_joints_that_move(made, capsys):
    one = made("puma560")
    env = pyrave.load("robots/arms/puma560.robot.xml")
    robot = env.robots[0]
    hand = robot.manipulators[0]
    robot.dof_values = [0.3, 0.5, -0.8, 0.4, 0.0, 0.9]
    goal = pyrave.IkParameterization.transform_6d(hand.transform).values
    target = " ".join(repr(float(v)) for v in (*goal[4:], *goal[:4]))
    assert main(["ik", "puma560", "--target", target]) == 0
    names = [joint.name for joint in hand.arm_joints]
    told = f"one of a continuum along which {names[3]}, {names[5]} move"
    assert told in capsys.readouterr().out
    assert main(["ik", "puma560", "--target", target, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["target"]
    assert [names[3], names[5]] in told["continua"]
    assert len(told["continua"]) == len(told["solutions"])
    assert one.hand.robot.name == robot.name


def test_filters_that_let_a_part_of_a_continuum_pass_find_it():
    """The fourth and sixth joint of a straight wrist share a turn."""
    arm = pyrave.load("robots/arms/puma560.robot.xml").robots[0].active_manipulator
    q = np.array([0.3, 0.2, -0.4, 0.5, 0.0, 0.3])
    arm.arm_dof_values = q
    pose = arm.transform
    arm.arm_dof_values = q + np.array([0, 0, 0, 2, 0, 2])
    for value in np.linspace(-1.8, 1.8, 13):

        def near(values, *_, wanted=value):
            far = abs(values[3] - wanted) >= 0.2
            return pyrave.ik.IkAction.REJECT if far else pyrave.ik.IkAction.SUCCESS

        with arm.ik_solver.register_custom_filter(0, near):
            found = arm.find_ik(pose)
        assert found, value
    with arm.ik_solver.register_custom_filter(0, lambda *_: pyrave.ik.IkAction.REJECT):
        refused = arm.find_ik(pose)
    assert not refused
    assert not refused.complete  # some points of the continuum were tried


def test_what_is_refused_everywhere_is_refused_in_bounded_time(monkeypatch):
    """Also where points of a continuum take long, and in every call."""
    arm = pyrave.load("robots/arms/puma560.robot.xml").robots[0].active_manipulator
    arm.arm_dof_values = q = np.array([0.3, 0.2, -0.4, 0.5, 0.0, 0.3])
    pose = arm.transform
    solutions = arm.solve_ik(pose, all=True)
    clock = MovedClock(tick=0.01)
    clock.show_to(monkeypatch, "pyrave_ik.solver.results")
    with arm.ik_solver.register_custom_filter(0, lambda *_: pyrave.ik.IkAction.REJECT):
        assert arm.solve_ik(pose) is None
        assert clock.now < 1010.0
        assert not len(arm.solve_ik(pose, all=True))
    near = q[3] + 0.5

    def far(values, *_):
        away = abs(values[3] - near) < 0.3
        return pyrave.ik.IkAction.REJECT if away else pyrave.ik.IkAction.SUCCESS

    arm.arm_dof_values = q + np.array([0, 0, 0, 0.5, 0, -0.5])
    with arm.ik_solver.register_custom_filter(0, far):
        found = arm.find_ik(pose)
        rows = found.solutions
    assert len(rows) == len(solutions)
    ways = ((rows - arm.arm_dof_values) ** 2).sum(axis=1)
    assert (np.diff(ways) >= 0.0).all()
    gaps = np.abs(rows[:, None] - rows[None]).max(axis=2) + np.eye(len(rows))
    assert gaps.min() > 1e-6
