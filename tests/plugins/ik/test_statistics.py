"""Statistics count hits, misses, wrong and repeated solutions, other opinions."""

from __future__ import annotations

import numpy as np
import pytest
from ik_elimination import SecondOpinion
from ik_statistics import measure, measure_batch

import pyrave
from pyrave.ik import (
    IkParameterization,
    IkParameterizationType,
    residuals,
    residuals_of,
)
from pyrave_environments.arms import arm, arm_description
from pyrave_ik.arm.chain import ArmChain
from pyrave_ik.arm.poses import random_configurations, tool_poses
from pyrave_ik.arm.turns import separation
from pyrave_ik.solver.default_goal_type import default_solver


class Made:
    def __init__(self, name):
        self.env = pyrave.Environment()
        robot = self.env.create("robot", "")
        robot.init(arm_description(arm(name)))
        self.env.add(robot)
        self.hand = robot.manipulators["arm"]
        self.hand.ik_solver = "Analytic"

    def values(self, n):
        return random_configurations(self.hand, n, np.random.default_rng(n))


@pytest.fixture(scope="module")
def puma():
    return Made("puma560")


def test_whole_turns_do_not_part_values():
    turns = np.array([2.0 * np.pi, 0.0])
    one = np.array([[3.0, 0.5], [3.0, 0.5], [np.nan, 0.5], [3.0, 0.5]])
    other = np.array([[3.0 - 4.0 * np.pi, 0.5], [3.1, 0.25], [3.0, 0.5], [3.0, 6.5]])
    off = separation(one, other, turns)
    assert off[:2] == pytest.approx([0.0, 0.25], abs=1e-14)
    assert off[2] == np.inf
    assert off[3] == 6.0
    # just above zero and just below a whole turn
    near = separation(np.array([1e-9, 0.0]), np.array([2.0 * np.pi, 0.0]), turns)
    assert near == pytest.approx(1e-9, rel=1e-5)


@pytest.mark.parametrize(
    "kind", [k for k in IkParameterizationType if not k.is_velocity and k.dof < 7]
)
def test_goals_by_the_row_are_those_one_by_one(kind, puma):
    """Each row belongs to one pose: goals and poses do not get mixed up."""
    direction = np.array([0.0, 0.6, 0.8])
    values = puma.values(6)
    poses = tool_poses(puma.hand, values)
    goals = [
        IkParameterization.from_pose(kind, pose, direction, (0.1, 0.05, 0.2))
        for pose in poses
    ]
    rows = np.array([goal.values for goal in goals])
    at_home = residuals_of(kind, rows, poses, direction)
    assert np.max(at_home) < 1e-7
    off = poses[np.roll(np.arange(6), 1)]
    together = residuals_of(kind, rows, off, direction)
    alone = [
        residuals(goal, pose[None], direction)
        for goal, pose in zip(goals, off, strict=True)
    ]
    assert np.allclose(together, np.array(alone)[:, :, 0].T, atol=1e-12)
    assert np.max(together) > 0.01


def test_a_second_opinion_is_given_at_so_many_poses(puma):
    solver, _ = default_solver(
        ArmChain.from_manipulator(puma.hand), puma.hand.direction
    )
    found = measure(solver, puma.hand, puma.values(60), compare_at=12)
    assert 10 <= found.compared <= 12
    assert found.fewer == found.more == 0
    assert measure(solver, puma.hand, puma.values(5)).compared == 0


def test_the_second_opinion_learns_which_cut_suffices():
    """Cuts at the wrist are singular; from some loop on a good one is enough."""
    made = Made("puma560")
    solver, _ = default_solver(
        ArmChain.from_manipulator(made.hand), made.hand.direction
    )
    opinion = SecondOpinion(solver.chain.screws)
    home = np.linalg.inv(solver.chain.home)
    for pose in tool_poses(made.hand, made.values(20)):
        goal = pose @ home
        learned = opinion.solve(goal)
        assert len(learned) == len(opinion.solve(goal, every_cut=True)) == 8


def test_batches_are_measured_with_limits(puma):
    found = measure_batch(puma.hand, puma.values(700))
    assert found.poses == found.found == found.solved == 700
    assert found.wrong == found.repeated == 0
    assert found.position_error < 1e-10
    assert found.rotation_error < 1e-10
    assert found.microseconds.shape == (700,)
    # limits leave fewer than the eight that there are
    assert 1.0 < found.solutions / 700 < 7.0


def test_a_batch_that_errs_is_caught(puma):
    """The checks themselves, with a solver that does everything wrong."""

    class Liar:
        def __getattr__(self, name):
            return getattr(puma.hand, name)

        def solve_ik_batch(self, targets, **options):
            found = puma.hand.solve_ik_batch(targets, **options)
            firsts = np.cumsum(found.counts) - found.counts
            rows = found.solutions[firsts]
            # the first twice, one beside it; nothing at all for the last pose
            wrong = np.stack([rows, rows, rows + 1e-4], axis=1)[:-1].reshape(-1, 6)
            counts = np.append(np.full(len(rows) - 1, 3), 0)
            return type(found)(wrong, counts)

    values = puma.values(40)
    found = measure_batch(Liar(), values)
    assert found.wrong == found.repeated == 39
    assert found.unsolved.tolist() == [values[-1].tolist()]
    assert 1 < len(found.missed) < 40
    assert len(found.wrong_at) == 39
