"""Statistics of the ordinary calls: what is found, lost, wrong, denied and missed."""

from __future__ import annotations

import numpy as np
import pytest
from ik_call_statistics import measure_calls
from ik_configurations import (
    singular_configurations,
    singular_joints,
    straight_configurations,
)

import pyrave
from pyrave.ik import (
    IkAction,
    IkParameterizationType,
    IkRejection,
    IkResult,
    residuals_of,
)
from pyrave_environments.arms import arm, arm_description
from pyrave_ik.arm.poses import (
    goal_values,
    meeting,
    random_configurations,
    tool_poses,
)
from pyrave_ik.solver.analytic_ik import AnalyticIk
from pyrave_ik.solver.numerical_ik import NumericalIk

POSE = IkParameterizationType.Transform6D


class Made:
    def __init__(self, name):
        self.env = pyrave.Environment()
        robot = self.env.create("robot", "")
        robot.init(arm_description(arm(name)))
        self.env.add(robot)
        self.hand = robot.manipulators["arm"]

    def values(self, n, seed=1):
        return random_configurations(self.hand, n, np.random.default_rng(seed))

    def measured(self, n, kind=POSE, **options):
        rng = np.random.default_rng(2)
        rows = meeting(self.hand, kind, self.values(n), rng)
        starts = self.values(len(rows), 3)
        return measure_calls(self.hand, kind, rows, starts, warm_up=0.0, **options)


def test_an_arm_that_a_goal_determines():
    found = Made("puma560").measured(60)
    assert found.poses == found.found == found.asked == 60
    assert len(found.lost) == len(found.wrong) == len(found.untrue) == 0
    assert found.missed.shape == (0, 2, 6)
    assert found.errors == found.causes == {}
    assert 0.0 < found.position_error < 1e-12
    assert 0.0 < found.rotation_error < 1e-12
    assert [len(times) for times in found.microseconds.values()] == [60, 60, 60]
    assert found.first_call > 0.0


def test_find_ik_is_asked_now_and_then_and_for_lost_goals():
    made = Made("puma560")
    made.hand.ik_solver = Liar(made.env)
    found = made.measured(40, sample=20)
    # the first and the twenty-first, and each fourth, which is lost
    assert found.asked == 12
    assert len(found.lost) == 10


def test_goals_that_leave_joints_free_miss_nothing():
    found = Made("puma560").measured(
        3, IkParameterizationType.TranslationDirection5D, sample=2
    )
    assert found.missed is None
    assert found.summary["missed"] is None
    assert len(found.microseconds["all"]) == 2


def test_no_goal_is_begun_when_time_is_over():
    found = Made("puma560").measured(60, seconds=0.0)
    assert found.poses == 1
    assert found.summary["poses"] == 1


class Liar(AnalyticIk):
    """Errs in another way for each of four goals in turn, and says that it does not."""

    verifies = True

    def __init__(self, env):
        super().__init__(env)
        self.calls = -1

    def solution(self, target, q0=None, options=0, free=None):
        self.calls += 1
        found = super().solution(target, q0)
        match self.calls % 4:
            case 0:
                return None
            case 1:
                return found + 1e-6
            case 2:
                return found + 4.0 * np.pi * np.eye(6)[5]
        return found

    def solutions(self, target, options=0, free=None):
        return super().solutions(target)[:1]

    def find(self, target, q0=None, options=0, free=None, *, nearest=False):
        text = "no joint values reach this Transform6D, even without limits"
        rejected = IkRejection(IkAction.REJECT_KINEMATICS, np.empty(0), text)
        none = np.empty((0, 6))
        return IkResult(target, none, np.empty(0, int), (rejected,), IkAction.REJECT)


def test_what_is_lost_wrong_denied_and_missed_is_counted():
    made = Made("puma560")
    made.hand.ik_solver = Liar(made.env)
    # the first goal is asked for before measuring, in the first of the four ways
    found = made.measured(40)
    assert found.poses == 40
    assert found.found == 30
    assert len(found.lost) == 10
    assert found.causes == {"no solutions, not complete": 10}
    # beside the goal, and outside limits
    assert len(found.wrong) == 20
    assert found.position_error > 1e-7
    assert len(found.untrue) == 40
    assert 10 < len(found.missed) < 40
    values, starts = made.values(40), made.values(40, 3)
    assert np.array_equal(found.untrue, np.stack([values, starts], axis=1))
    assert found.lost[0] in found.untrue


def test_errors_are_counted_and_told():
    class Raising(NumericalIk):
        def solution(self, target, q0=None, options=0, free=None, *, timeout=None):
            raise pyrave.ArgumentError("too many combinations")

    made = Made("puma560")
    made.hand.ik_solver = Raising(made.env)
    found = made.measured(4)
    assert found.errors["solve: too many combinations"] == 4
    assert len(found.lost) == 4


def test_an_arm_that_stands_at_the_goal_and_moves():
    made = Made("puma560")
    rows = made.values(20)
    stays = measure_calls(made.hand, POSE, rows, rows, warm_up=0.0)
    assert stays.found == 20
    assert stays.moved == 0

    class Restless(AnalyticIk):
        def solution(self, target, q0=None, options=0, free=None):
            return self.solutions(target)[-1]

    made.hand.ik_solver = Restless(made.env)
    moves = measure_calls(made.hand, POSE, rows, rows, warm_up=0.0)
    assert moves.found == 20
    assert 0 < moves.moved <= 20


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # the elbow stretches where atan2(0.0203, 0.4318) makes up for the offset
        ("puma560", [(2, np.arctan2(0.0203, 0.4318) - np.pi / 2), (4, 0.0)]),
        ("irb2400", [(4, 0.0)]),
        ("katana", [(2, 0.0)]),
        ("planar3", [(1, -np.pi), (1, 0.0), (1, np.pi)]),
        ("crx10ia", []),
        ("gen3", [(3, 0.0), (5, 0.0)]),
    ],
)
def test_joints_that_alone_make_an_arm_singular(name, expected):
    made = Made(name)
    found = singular_joints(made.hand, np.random.default_rng(4))
    assert [one.joint for one in found] == [joint for joint, _ in expected]
    values = [one.value for one in found]
    assert values == pytest.approx([value for _, value in expected], abs=1e-9)


def test_straight_configurations_are_singular_and_within_limits():
    made = Made("puma560")
    hand, rng = made.hand, np.random.default_rng(5)
    joints = singular_joints(hand, rng)
    lower, upper = hand.robot.dof_limits
    for near in (False, True):
        rows = straight_configurations(hand, 200, rng, joints, near=near)
        assert ((rows >= lower) & (rows <= upper)).all()
        off = np.min([np.abs(rows[:, j] - value) for j, value in joints], axis=0)
        if not near:
            assert off.max() == 0.0
            continue
        assert 0.0 < off.min() < 1e-8
        assert 1e-2 < off.max() < 10**-1.5
    assert {j for j, value in joints if (rows[:, j] - value < 0.1).any()} == {2, 4}


@pytest.mark.parametrize("name", ["crx10ia", "puma560", "ur5", "katana"])
def test_singular_configurations_have_lost_rank(name):
    made = Made(name)
    rows = singular_configurations(made.hand, 30, np.random.default_rng(8))
    assert len(rows) == 30
    lower, upper = made.hand.robot.dof_limits
    assert ((rows >= lower) & (rows <= upper)).all()
    for row in rows:
        made.hand.arm_dof_values = row
        assert np.linalg.svd(made.hand.jacobian(), compute_uv=False)[-1] < 1e-7
    # of the others few are near one
    made.hand.arm_dof_values = made.values(1)[0]
    assert np.linalg.svd(made.hand.jacobian(), compute_uv=False)[-1] > 1e-4


NORMS = [kind for kind in IkParameterizationType if kind.name.endswith("Norm4D")]


@pytest.mark.parametrize("kind", NORMS)
def test_configurations_with_the_direction_in_a_plane(kind):
    made = Made("puma560")
    hand = made.hand
    some = made.values(100)
    rows = meeting(hand, kind, some, np.random.default_rng(6))
    assert len(rows) > 50
    lower, upper = hand.robot.dof_limits
    assert ((rows >= lower) & (rows <= upper)).all()
    poses = tool_poses(hand, rows)
    goals = goal_values(kind, poses, hand.direction)
    assert np.max(residuals_of(kind, goals, poses, hand.direction)) < 1e-9
    # a SCARA's direction lies in the plane as it is
    scara = Made("cobra600")
    if kind.name == "TranslationXAxisAngleZNorm4D":
        values = scara.values(50)
        assert np.array_equal(meeting(scara.hand, kind, values, None), values)


def test_goals_that_a_tilted_base_cannot_say_are_left_out():
    """A place in the world's x-y plane is none in that of a tilted base."""
    made = Made("puma560")
    values, rng = made.values(10), np.random.default_rng(7)
    kind = IkParameterizationType.TranslationXY2D
    assert len(meeting(made.hand, kind, values, rng)) == 10
    tilted = np.eye(4)
    tilted[:3, :3] = [[1, 0, 0], [0, 0.6, -0.8], [0, 0.8, 0.6]]
    made.hand.robot.transform = tilted
    assert len(meeting(made.hand, kind, values, rng)) == 0
