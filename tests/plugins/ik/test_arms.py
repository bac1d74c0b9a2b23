"""Every arm that ships: all solutions, none wrong, none twice, singular poses too.

A sample; `benchmarks/ik_success.py --kernel` runs the same with 100 000 poses.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from ik_configurations import right_angle_configurations
from ik_statistics import measure

import pyrave
from pyrave.ik import IkParameterization, IkParameterizationType
from pyrave_environments.arms import ARMS, Arm, At, arm, arm_description, random_arm
from pyrave_ik.arm.chain import ArmChain
from pyrave_ik.arm.poses import (
    random_configurations,
    tool_poses,
)
from pyrave_ik.solver.default_goal_type import default_solver
from pyrave_ik.tools.explanation import explain

ANYWHERE = (
    random_arm(21),
    random_arm(22),
    random_arm(11, "RRPRRR"),
    random_arm(12, "RRRRRP"),
    random_arm(13, "RRRRRRR"),
)
EVERY = {one.name: one for one in (*ARMS, *ANYWHERE)}
WRIST, PARALLEL, GENERAL = "wrist", "parallel", "general"


class Made:
    """An arm in an environment, with its solver."""

    def __init__(self, one: Arm) -> None:
        self.env = pyrave.Environment()
        robot = self.env.create("robot", "")
        robot.init(arm_description(one))
        self.env.add(robot)
        self.hand = robot.manipulators["arm"]
        chain = ArmChain.from_manipulator(self.hand)
        self.solver, self.refused = default_solver(chain, self.hand.direction)

    @property
    def general(self):
        return explain(self.solver).decomposition == GENERAL


@pytest.fixture(scope="module")
def made():
    return cache(lambda name: Made(EVERY[name]))


@pytest.mark.parametrize("name", EVERY)
def test_the_generating_configuration_is_found_and_nothing_is_wrong(name, made):
    one = made(name)
    rng = np.random.default_rng([1, *name.encode()])
    found = measure(one.solver, one.hand, random_configurations(one.hand, 200, rng))
    assert found.missed.tolist() == []
    assert found.wrong == found.repeated == 0
    limit = 1e-8 if one.general else 1e-10
    assert found.position_error < limit
    assert found.rotation_error < limit


@pytest.mark.parametrize(
    "name", [n for n, a in EVERY.items() if len(a.joints) == 6 and n != "gantry"]
)
def test_there_are_as_many_solutions_as_by_elimination(name, made):
    one = made(name)
    rng = np.random.default_rng([2, *name.encode()])
    configurations = random_configurations(one.hand, 40, rng)
    found = measure(one.solver, one.hand, configurations, compare_at=40)
    assert found.compared >= 35
    assert found.fewer == found.more == 0


@pytest.fixture(scope="module")
def at_singular_poses(made):
    @cache
    def found(name, near):
        one = made(name)
        rng = np.random.default_rng([3 + near, *name.encode()])
        configurations = right_angle_configurations(one.hand, 150, rng, near=near)
        return measure(one.solver, one.hand, configurations)

    return found


@pytest.mark.parametrize("near", [False, True])
@pytest.mark.parametrize("name", EVERY)
def test_nothing_is_wrong_at_singular_poses(name, near, at_singular_poses):
    found = at_singular_poses(name, near)
    assert found.wrong_at.tolist() == []
    assert found.wrong == 0
    # beside a singular pose a double root may come beside its continuum
    assert found.repeated <= (1 if near else 0)


@pytest.mark.parametrize("near", [False, True])
@pytest.mark.parametrize("name", EVERY)
def test_singular_poses_have_solutions(name, near, at_singular_poses):
    found = at_singular_poses(name, near)
    assert found.solved >= 0.99 * found.poses, found.unsolved.tolist()


@pytest.mark.parametrize(
    ("name", "kind", "decomposition", "free"),
    [
        ("puma560", "Transform6D", WRIST, 0),
        ("stanford", "Transform6D", WRIST, 0),
        ("ur5e", "Transform6D", PARALLEL, 0),
        ("jaco2_6s", "Transform6D", WRIST, 0),
        ("jaco2_6n", "Transform6D", GENERAL, 0),
        ("crx10ia", "Transform6D", GENERAL, 0),
        ("gantry", "Transform6D", "sliders", 0),
        ("panda", "Transform6D", WRIST, 1),
        ("wam7", "Transform6D", WRIST, 1),
        ("pr2_left_arm", "Transform6D", WRIST, 1),
        ("katana", "TranslationDirection5D", PARALLEL, 0),
        ("youbot", "TranslationDirection5D", PARALLEL, 0),
        ("wam4", "Ray4D", WRIST, 0),
        ("cobra600", "TranslationXAxisAngleZNorm4D", WRIST, 0),
        ("planar3", "TranslationXYOrientation3D", "planar", 0),
        ("pan_tilt", "Lookat3D", WRIST, 0),
    ],
)
def test_what_fits_an_arm(name, kind, decomposition, free, made):
    one = made(name)
    told = explain(one.solver, one.refused)
    assert told.kind == kind
    assert told.decomposition == decomposition
    assert len(told.free) == free
    assert len(told.loop) == 6
    assert told.reason
    if kind != "Transform6D":
        # richer kinds that were tried have a reason
        assert all(told.refused) or not told.refused


def test_mounting_and_tool_change_nothing(made):
    """A base anywhere, a tool anywhere: still the same solutions."""
    plain = made("puma560")
    env = pyrave.Environment()
    robot = env.create("robot", "")
    robot.init(arm_description(arm("puma560")))
    env.add(robot)
    hand = robot.manipulators["arm"]
    moved = np.eye(4)
    moved[:3, :3] = [[0, -1, 0], [0.6, 0, -0.8], [0.8, 0, 0.6]]
    moved[:3, 3] = 0.3, -2.0, 1.1
    robot.transform = moved
    hand.local_tool_transform = hand.local_tool_transform @ moved
    solver, _ = default_solver(ArmChain.from_manipulator(hand), hand.direction)
    for q in random_configurations(hand, 20, np.random.default_rng(8)):
        one = tool_poses(plain.hand, q[None])[0]
        other = tool_poses(hand, q[None])[0]
        first = plain.solver.solve(IkParameterization.transform_6d(one))
        second = solver.solve(IkParameterization.transform_6d(other))
        assert len(first) == len(second) == 8
        order = [
            np.abs(np.exp(1j * second) - np.exp(1j * x)).max(1).min() for x in first
        ]
        assert max(order) < 1e-9


def test_the_tally_sees_what_is_missed_wrong_and_repeated(made):
    """The checks themselves: a solver that does everything wrong is caught."""
    one = made("ur5")
    honest = one.solver

    class Liar:
        chain, kind, free = honest.chain, honest.kind, honest.free
        virtual_names, decomposition = honest.virtual_names, honest.decomposition

        def solve(self, goal, held):
            found = honest.solve(goal, held)
            off = found[:1] + 1e-4
            bad = np.full((1, 6), np.nan)
            return np.vstack([found[:1], found[:1], off, bad])

        def task(self, goal):
            return honest.task(goal)

    configurations = random_configurations(one.hand, 10, np.random.default_rng(3))
    found = measure(Liar(), one.hand, configurations, compare_at=10)
    assert found.wrong == 20
    assert found.repeated == 10
    # the first of several solutions is not always the one that made the pose
    assert 0 < len(found.missed) < 10
    assert len(found.wrong_at) == 10


def test_an_arm_for_which_nothing_fits():
    line = Arm("line", "two slides along one line", "our own", (
        At("x", (0.0, 0.0, 0.0), (0.0, 1.0), slides=True),
        At("x", (0.0, 0.0, 0.0), (0.0, 1.0), slides=True),
    ))  # fmt: skip
    with pytest.raises(pyrave.NotSupportedError, match="TranslationXY2D"):
        Made(line)


def test_random_values_respect_limits(made):
    hand = made("katana").hand
    lower, upper = hand.robot.dof_limits
    rng = np.random.default_rng(4)
    for values in (
        random_configurations(hand, 300, rng),
        right_angle_configurations(hand, 300, rng),
    ):
        assert (values >= lower).all()
        assert (values <= upper).all()
    quarters = right_angle_configurations(hand, 300, rng) / (np.pi / 2)
    assert np.abs(quarters - np.rint(quarters)).max() < 1e-12
    near = right_angle_configurations(hand, 300, rng, near=True) / (np.pi / 2)
    off = np.abs(near - np.rint(near)).max(axis=1)
    assert 1e-10 < off.min() < 1e-7
    assert 1e-5 < off.max() < 1e-3


def test_every_kind_of_goal_has_a_distance():
    """Residuals vanish at the pose that made the goal, and nowhere near it."""
    from pyrave.ik import residuals

    rng = np.random.default_rng(6)
    env = pyrave.load("robots/arms/puma560.robot.xml")
    hand = env.robots[0].manipulators["arm"]
    poses = tool_poses(hand, random_configurations(hand, 30, rng))
    axis = np.array([0.0, 0.6, 0.8])
    for kind in IkParameterizationType:
        if kind.is_velocity or kind.name.endswith("Norm4D"):
            continue
        for pose, other in zip(poses, poses[::-1], strict=True):
            goal = IkParameterization.from_pose(kind, pose, axis, (0.1, 0.2, 0.3))
            distance, angle = residuals(goal, np.stack([pose, other]), axis)
            assert max(distance[0], angle[0]) < 1e-7, kind
            assert max(distance[1], angle[1]) > 1e-4, kind
