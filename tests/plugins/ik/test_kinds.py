"""Every kind of goal, on arms in no special position and on planar ones."""

from __future__ import annotations

import math

import numpy as np
import pytest
from arms import arm_xml, random_screws

import pyrave
from pyrave import (
    IkParameterization,
    NotSupportedError,
)
from pyrave import IkParameterizationType as Kind
from pyrave.spatial import invert_pose
from pyrave_ik.arm.chain import ArmChain, still_axes

KINDS = [
    kind
    for kind in Kind
    # turns in the plane are for planar arms, below
    if not kind.is_velocity and kind is not Kind.TranslationXYOrientation3D
]
# how many joints leave nothing free, where it is not what the kind constrains
JOINTS = {Kind.TranslationLocalGlobal6D: 3}
LOCAL = (0.1, -0.2, 0.15)


def goal_at(arm, kind, q):
    """Return the goal that the arm meets at joint values, in the world."""
    robot = arm.robot
    with robot.preserve_state():
        robot.set_dof_values(q, arm.arm_indices, pyrave.LimitCheck.NONE)
        tool = arm.transform
        base = arm.base.transform
    local = np.linalg.inv(base) @ tool
    goal = IkParameterization.from_pose(kind, local, arm.direction, LOCAL)
    return goal.transformed(base), local, base


def misses(arm, goal, q):
    """Return how far the arm at joint values is from a goal, metres and radians."""
    robot = arm.robot
    with robot.preserve_state():
        robot.set_dof_values(q, arm.arm_indices, pyrave.LimitCheck.NONE)
        tool, base = arm.transform, arm.base.transform
    back = np.linalg.inv(base)
    local = goal.transformed(back)
    if goal.type is Kind.Lookat3D:
        # distance2 measures along +x; what counts is that the tool looks at the point
        way = local.array - (back @ tool)[:3, 3]
        looks = (back @ tool)[:3, :3] @ arm.direction
        assert way @ looks > 0.0
        return np.abs(way - (way @ looks) * looks).max()
    here = IkParameterization.from_pose(goal.type, back @ tool, arm.direction, LOCAL)
    return math.sqrt(local.distance2(here))


def nearest(solutions, q):
    return min(np.abs(one - q).max() for one in solutions)


def arm_of(screws, **settings):
    env = pyrave.Environment()
    env.load_string(arm_xml(*screws, **settings))
    arm = env.robots[0].manipulators[0]
    arm.direction = (0.36, -0.48, 0.8)
    return env, arm


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_all_solutions_of_matching_arms(kind):
    rng = np.random.default_rng(int(kind) % 997)
    n = JOINTS.get(kind, kind.dof)
    for extra in (0, 1):
        screws = random_screws(rng, n + extra)
        env, arm = arm_of(screws, limits=(-math.pi, math.pi))
        if kind.name.startswith("Translation") and "XY" not in kind.name:
            env.robots[0].transform = (0.8251, 0.1031, 0.5157, -0.2063, 0.3, 0.4, -1.0)
        for _ in range(6):
            q = rng.uniform(-3.0, 3.0, n + extra)
            goal, _, _ = goal_at(arm, kind, q)
            arm.arm_dof_values = q  # free joints are searched outward from here
            solutions = arm.solve_ik(goal, all=True)
            assert nearest(solutions, q) < 1e-6
            for one in solutions[:: max(1, len(solutions) // 8)]:
                assert misses(arm, goal, one) < 1e-6
            np.testing.assert_allclose(arm.solve_ik(goal), q, atol=1e-6)
            found = arm.find_ik(goal)
            assert len(found) == len(solutions) == len(found.branches)
            np.testing.assert_allclose(found.solution, q, atol=1e-6)


PLANAR = ["RRR", "RPR", "PRR", "RRP", "PPR", "PRP", "RPP"]


@pytest.mark.parametrize("kinds", PLANAR)
def test_planar_arms(kinds):
    rng = np.random.default_rng(sum(map(ord, kinds)))
    axes = np.zeros((3, 3))
    for i, kind in enumerate(kinds):
        angle = rng.uniform(0, 6)
        axes[i] = (0, 0, 1) if kind == "R" else (math.cos(angle), math.sin(angle), 0)
    axes[1] *= -1.0
    home = random_screws(rng, 3)[2]
    points = rng.normal(size=(3, 3)) * 0.4
    limits = [(-3.1, 3.1) if kind == "R" else (-2.0, 2.0) for kind in kinds]
    env, arm = arm_of((axes, points, home), kinds=kinds, limits=limits)
    env.robots[0].transform = (math.cos(0.3), 0, 0, math.sin(0.3), 0.2, 0.3, 0.1)
    for kind in (Kind.TranslationXYOrientation3D, Kind.TranslationXY2D):
        for _ in range(10):
            q = rng.uniform(*(0.9 * np.transpose(limits)))
            goal, _, _ = goal_at(arm, kind, q)
            arm.arm_dof_values = q
            solutions = arm.solve_ik(goal, all=True)
            assert nearest(solutions, q) < 1e-7
            for one in solutions:
                assert misses(arm, goal, one) < 1e-7
            if kind is Kind.TranslationXYOrientation3D:
                assert len(solutions) <= 2 * 2**3


def test_thousands_of_loops_that_the_direct_kernels_refuse():
    # behind the tool there is a virtual slider
    env = pyrave.load("robots/arms/ur5.robot.xml")
    arm = env.robots[0].manipulators[0]
    q = np.linspace(0.1, 0.4, 6)
    goal, _, _ = goal_at(arm, Kind.Lookat3D, q)
    arm.ik_solver = "Analytic 1.5"
    arm.arm_dof_values = q
    found = arm.solve_ik(goal, all=True)
    assert len(found) > 100
    assert nearest(found, q) < 1e-9
    assert max(misses(arm, goal, one) for one in found[::50]) < 1e-9


def test_single_values_of_held_joints_that_fold_the_arm():
    """Some values of a held joint make neighbouring axes one, others do not."""
    env = pyrave.load("robots/arms/iiwa14.robot.xml")
    arm = env.robots[0].manipulators[0]
    arm.ik_solver = "Analytic free joint6 0.1"
    q = np.array((0.3, 0.5, 0.2, -1.2, 0.4, 0.8, 0.1))
    goal, _, _ = goal_at(arm, Kind.Transform6D, q)
    for start in (0.8, 0.0):  # steps of 0.1 outward from 0 pass the stretched wrist
        arm.arm_dof_values = [*q[:5], start, q[6]]
        found = arm.find_ik(goal)
        assert max(misses(arm, goal, one) for one in found.solutions) < 1e-7
        step = (found.solutions[:, 5] - start) / 0.1
        assert (np.abs(step - step.round()) < 1e-6).sum() > 10
        assert len(set(found.branches.tolist())) > 1
    assert nearest(arm.solve_ik(goal, all=True), q) < 1e-6


def test_turns_in_the_plane_need_an_arm_in_the_plane():
    rng = np.random.default_rng(0)
    _env, arm = arm_of(random_screws(rng, 3))
    goal = IkParameterization.translation_xy_orientation_3d((0.1, 0.2), 0.3)
    with pytest.raises(NotSupportedError, match="joint 'j0' does not"):
        arm.solve_ik(goal)


@pytest.mark.parametrize("n", [4, 5])
def test_poses_of_arms_with_too_few_joints_are_searched(n):
    rng = np.random.default_rng(0)
    _env, arm = arm_of(random_screws(rng, n))
    for _ in range(10):
        arm.arm_dof_values = rng.uniform(-2.0, 2.0, n)
        pose = arm.transform
        arm.arm_dof_values = rng.uniform(-2.0, 2.0, n)
        arm.arm_dof_values = arm.solve_ik(pose)
        assert np.allclose(arm.transform, pose, atol=1e-8)
        assert len(arm.solve_ik(pose, all=True)) > 0
        assert arm.find_ik(pose)
    assert "Transform6D needs 6 joints, the arm has" in arm.ik_solver.note
    assert "searched for numerically" in arm.ik_solver.note
    beside = pose.copy()
    beside[:3, 3] += 0.01
    assert arm.solve_ik(beside) is None
    assert "missed by" in arm.find_ik(beside).reasons[0]


def test_kinds_for_which_there_are_too_few_joints_are_not_supported():
    rng = np.random.default_rng(0)
    _env, arm = arm_of(random_screws(rng, 4))
    arm.solve_ik(np.eye(4))
    solver = arm.ik_solver
    assert not solver.supports(Kind.Transform6D)
    assert solver.supports(Kind.Translation3D)
    assert solver.main_kind() is Kind.Ray4D
    assert solver.get_num_free_parameters() == 0


def test_named_values_travel_with_the_goal():
    rng = np.random.default_rng(6)
    _env, arm = arm_of(random_screws(rng, 3))
    goal, _, _ = goal_at(arm, Kind.Translation3D, np.array((0.3, 0.4, 0.5)))
    goal = goal.with_custom("speed", (1.0, 2.0))
    seen = []
    solver = arm.ik_solver
    with solver.register_custom_filter(
        0, lambda q, m, g: seen.append(g.custom_values) or pyrave.IkAction.SUCCESS
    ):
        assert solver.solve(goal)
    assert seen[0] == {"speed": (1.0, 2.0)}


def points_of(arm):
    """Return points of a tool by the number of last axes that leave them in place."""
    chain = ArmChain.from_manipulator(arm)
    back = invert_pose(chain.home)
    wrist = (back @ np.append(chain.screws[-2, 3:6], 1.0))[:3]
    last = (back @ np.append(chain.screws[-1, 3:6] + 0.07 * chain.screws[-1, :3], 1.0))[
        :3
    ]
    return {3: wrist, 1: last, 0: last + np.array([0.11, 0.05, 0.02])}


@pytest.mark.parametrize("still", [0, 1, 3])
@pytest.mark.parametrize("shift", [0.0, 0.06], ids=["on the axis", "beside the axis"])
def test_points_of_the_tool_have_plans_of_their_own(still, shift):
    """A point where wrist axes meet is placed by the first joints alone."""
    env = pyrave.load("robots/arms/puma560.robot.xml")
    arm = env.robots[0].manipulators[0]
    tool = arm.local_tool_transform
    tool[:3, 3] += shift
    arm.local_tool_transform = tool
    point = points_of(arm)[still]
    assert still_axes(ArmChain.from_manipulator(arm), point) == still
    kind = Kind.TranslationLocalGlobal6D
    # as the arm stands, held joints have the values that the goal was made with
    for q in np.random.default_rng(21).uniform(-0.7, 0.7, (5, 6)):
        arm.arm_dof_values = q
        goal = IkParameterization.from_pose(kind, arm.transform, local_point=point)
        found = arm.solve_ik(goal)
        np.testing.assert_allclose(found, q, atol=1e-6)
        rows = arm.solve_ik(goal, all=True)
        assert len(rows)
        for row in rows[:: 1 + len(rows) // 200]:
            arm.arm_dof_values = row
            there = (arm.transform @ np.append(point, 1.0))[:3]
            np.testing.assert_allclose(there, goal.array[3:], atol=1e-7)
    solver = arm.ik_solver.goal_solver(goal)
    if still == 3:
        assert solver.free == (3, 4, 5)
    shares = solver.null_space.shares()
    assert shares[6 - still :] == pytest.approx(np.ones(still))
    if still == 0:  # no axis passes through another point either: the plan is the same
        again = IkParameterization.from_pose(
            kind, arm.transform, local_point=point + 0.05
        )
        assert arm.ik_solver.goal_solver(again) is arm.ik_solver.goal_solver(goal)
