"""Joint paths through goals: continuity, where they end and why, what checks see."""

from __future__ import annotations

import numpy as np
import pytest

import pyrave
from pyrave import (
    ArgumentError,
    IkAction,
    IkParameterization,
    IkPathEnd,
    IkReturn,
    IkSolverBase,
    NotSupportedError,
)
from pyrave.ik import IkParameterizationType as Kind
from pyrave.ik.path import goal_between, straight_targets
from pyrave.kinematics import LimitCheck
from pyrave.spatial import matrix_from_axis_angle
from pyrave_ik.arm.numeric_arrays import goals_of, write_goal
from pyrave_ik.kernels.iteration import continuation as kernels
from pyrave_ik.solver.continuation import Continuation

PUMA = (0.3, 0.6, -0.5, -0.4, 1.2, 2.0)
BENT = (0.3, 0.6, -0.5, 0.4, 0.6, 0.5)
PANDA = (0.0, -0.4, 0.0, -2.0, 0.0, 1.8, 0.7)
KINDS = [kind for kind in Kind if not kind.is_velocity and kind is not Kind.Transform6D]


def loaded(name):
    env = pyrave.load(f"robots/arms/{name}.robot.xml")
    (robot,) = env.robots
    return env, next(iter(robot.manipulators))


@pytest.fixture(scope="module")
def arms():
    made = {name: loaded(name) for name in ("puma560", "ur5", "panda", "iiwa14")}
    yield {name: arm for name, (_, arm) in made.items()}
    made.clear()


def at(arm, q):
    arm.robot.set_dof_values(q, arm.arm_indices, limits=LimitCheck.NONE)
    return arm.transform.copy()


def moved(arm, q, shift):
    pose = at(arm, q)
    pose[:3, 3] += shift
    return pose


def within(arm, rng):
    lower, upper = (bound[arm.arm_indices] for bound in arm.robot.dof_limits)
    return lower + rng.random(len(lower)) * (upper - lower)


def off(arm, path, targets):
    """Return the greatest entry by which the tool is off its poses."""
    pairs = zip(path.values, targets, strict=False)
    return max(np.abs(at(arm, row) - pose).max() for row, pose in pairs)


# -- lines -----------------------------------------------------------------------------


def test_a_line_of_the_panda_is_continuous(arms):
    """Solved pose by pose, each nearest to the last, it failed and jumped."""
    arm = arms["panda"]
    goal = moved(arm, PANDA, (0.05, 0.3, 0.1))
    goal[:3, :3] = goal[:3, :3] @ matrix_from_axis_angle(np.array([0.3, 0.8, 0.1]))
    first = at(arm, PANDA)
    path = arm.straight_line(goal)
    assert path
    assert path.status is IkPathEnd.COMPLETE
    assert path.values.shape == (101, 7)
    assert len(path) == path.n_targets == 101
    np.testing.assert_allclose(path.values[0], PANDA, atol=1e-9)
    assert path.largest_step < 0.05
    assert off(arm, path, straight_targets(first, goal, 100)) < 1e-8


@pytest.mark.parametrize("name", ["puma560", "ur5", "panda", "iiwa14"])
def test_steps_of_joints_shrink_with_those_of_the_tool(arms, name):
    """A jump would keep its size."""
    arm, rng = arms[name], np.random.default_rng(11)
    lines = 0
    for _ in range(8):
        q = within(arm, rng)
        lower, upper = (bound[arm.arm_indices] for bound in arm.robot.dof_limits)
        goal = at(arm, np.clip(q + 0.3 * rng.normal(size=len(q)), lower, upper))
        at(arm, q)
        coarse, fine = arm.straight_line(goal, 50), arm.straight_line(goal, 400)
        assert bool(coarse) is bool(fine)
        assert coarse.status is fine.status
        if not coarse:
            assert abs(coarse.end / 50 - fine.end / 400) < 1e-3
            continue
        lines += 1
        assert fine.largest_step < coarse.largest_step / 3
        if len(q) == 6:
            np.testing.assert_allclose(coarse.values, fine.values[::8], atol=0.01)
    assert lines >= 4


def test_poses_may_be_given_as_rows_or_one_by_one(arms):
    arm = arms["ur5"]
    q = np.array(PUMA)
    goal = moved(arm, q, (0.03, 0.05, -0.04))
    first = at(arm, q)
    poses = straight_targets(first, goal, 5)
    rows = [IkParameterization.transform_6d(pose) for pose in poses]
    ways = [arm.follow(poses), arm.follow(list(poses)), arm.follow(rows)]
    ways.append(arm.follow(np.array([row.array for row in rows])))
    for path in ways:
        assert path
        np.testing.assert_allclose(path.values, ways[0].values, atol=1e-9)


def test_a_path_starts_at_q0_or_at_the_nearest_solution(arms):
    arm = arms["puma560"]
    poses = straight_targets(at(arm, PUMA), moved(arm, PUMA, (0, 0.05, 0.02)), 10)
    for q in arm.solve_ik(poses[0], all=True):
        np.testing.assert_allclose(arm.follow(poses, q0=q).values[0], q, atol=1e-9)
    at(arm, np.array(PUMA) + 0.05)
    path = arm.follow(poses)
    assert path
    np.testing.assert_allclose(path.values[0], PUMA, atol=1e-9)


def test_circular_joints_count_on():
    env = pyrave.Environment()
    env.load_string(
        """<robot name="r"><kinbody>
        <body name="a"/><body name="b"/>
        <joint name="j" type="hinge" circular="true">
        <body>a</body><body>b</body><axis>0 0 1</axis></joint></kinbody>
        <manipulator name="m"><base>a</base><effector>b</effector>
        <translation>1 0 0</translation></manipulator></robot>"""
    )
    arm = env.robots[0].manipulators["m"]
    turns = np.linspace(0.0, 9.0, 40)
    poses = [at(arm, [t]) for t in turns]
    at(arm, [0.0])
    turned = [IkParameterization.from_pose("Rotation3D", pose) for pose in poses]
    for targets in (turned, poses):
        path = arm.follow(targets)
        assert path, path.cause
        np.testing.assert_allclose(path.values[:, 0], turns, atol=1e-8)


@pytest.mark.parametrize("kind", KINDS)
def test_goals_of_any_kind_are_followed(arms, kind):
    arm = arms["puma560"]
    at(arm, np.array(PUMA) + 0.15)
    end = arm.ik_parameterization(kind)
    at(arm, PUMA)
    start = arm.ik_parameterization(kind)
    path = arm.straight_line(end, 20)
    assert path, path.cause
    assert path.largest_step < 0.2
    for number, row in enumerate(path.values):
        at(arm, row)
        goal = goal_between(start, end, number / 20)
        local = goal.array[:3] if kind is Kind.TranslationLocalGlobal6D else (0, 0, 0)
        met = IkParameterization.from_pose(kind, arm.transform, arm.direction, local)
        if kind is not Kind.Lookat3D:
            assert goal.distance2(met) < 1e-12


# -- between goals ---------------------------------------------------------------------


@pytest.mark.parametrize("kind", [Kind.Transform6D, *KINDS])
def test_the_kernel_and_python_agree_on_goals_between(kind):
    rng = np.random.default_rng(5)
    for _ in range(20):
        ends = []
        for _ in range(2):
            pose = np.eye(4)
            pose[:3, :3] = matrix_from_axis_angle(rng.normal(size=3) * 2.0)
            pose[:3, 3] = rng.normal(size=3)
            ends.append(IkParameterization.from_pose(kind, pose, (0.6, 0, 0.8)))
        rows = np.repeat(goals_of(), 3, axis=0)
        write_goal(ends[0], rows[0])
        write_goal(ends[1], rows[1])
        for part in (0.0, 0.3, 1.0):
            write_goal(goal_between(*ends, part), rows[2])
            out = np.empty((1, rows.shape[1]))
            kernels.goal_between(rows[0], rows[1], part, out)
            difference = out[0] - rows[2]
            if "Norm4D" in kind.name or kind is Kind.TranslationXYOrientation3D:
                turn = 2.0 * np.pi
                place = kernels.TARGET
                difference[place] -= turn * np.round(difference[place] / turn)
            np.testing.assert_allclose(difference, 0.0, atol=1e-9)


def test_half_a_turn_is_a_way():
    pose = np.eye(4)
    for axis in np.eye(3):
        other = np.eye(4)
        other[:3, :3] = matrix_from_axis_angle(np.pi * axis)
        goals = [IkParameterization.transform_6d(one) for one in (pose, other)]
        rows = np.repeat(goals_of(), 2, axis=0)
        for goal, row in zip(goals, rows, strict=True):
            write_goal(goal, row)
        out = np.empty((1, rows.shape[1]))
        kernels.goal_between(rows[0], rows[1], 0.5, out)
        turned = out[0, kernels.TARGET : kernels.TARGET + 12].reshape(3, 4)[:, :3]
        angle = np.arccos((np.trace(turned) - 1.0) / 2.0)
        np.testing.assert_allclose(angle, np.pi / 2, atol=1e-9)
        np.testing.assert_allclose(turned @ axis, axis, atol=1e-9)


# -- ends ------------------------------------------------------------------------------


def test_a_limit_ends_a_path_and_is_named(arms):
    arm = arms["puma560"]
    q = np.array(PUMA)
    upper = arm.robot.dof_limits[1][arm.arm_indices]
    ways = np.linspace(0.0, 1.2 * (upper[0] - q[0]), 61)
    poses = [at(arm, q + np.array([way, 0, 0, 0, 0, 0])) for way in ways]
    path = arm.follow(poses, q0=q)
    assert not path
    assert path.status is IkPathEnd.JOINT_LIMIT
    assert len(path) == 51
    assert abs(path.end - 50) < 1e-3
    assert f"joint1 reaches its upper limit {upper[0]:.6g}" in path.cause
    assert "from goal 5" in path.cause
    ignored = pyrave.IkFilterOptions.IGNORE_JOINT_LIMITS
    assert arm.follow(poses, q0=q, options=ignored)


def test_joints_to_spare_keep_away_from_limits(arms):
    """With the least motion alone, limits end some of these lines."""
    arm = arms["iiwa14"]
    lower, upper = (bound[arm.arm_indices] for bound in arm.robot.dof_limits)
    rng = np.random.default_rng(3)
    done = 0
    for _ in range(20):
        q = within(arm, rng)
        goal = at(arm, np.clip(q + 0.25 * rng.normal(size=7), lower, upper))
        at(arm, q)
        path = arm.straight_line(goal, 40)
        done += bool(path)
        assert (path.values >= lower).all()
        assert (path.values <= upper).all()
    assert done >= 18


def test_a_goal_out_of_reach_ends_a_path(arms):
    arm = arms["ur5"]
    goal = moved(arm, PUMA, (2.0, 0.0, 0.0))
    at(arm, PUMA)
    path = arm.straight_line(goal)
    assert path.status is IkPathEnd.OUT_OF_REACH
    assert 0 < len(path) < 101
    assert len(path) == int(path.end) + 1
    assert "is missed by" in path.cause


def test_a_goal_out_of_reach_within_limits_is_said_at_once(arms, monkeypatch):
    """A limit ends the line; no other motion of the joint to spare is tried."""
    monkeypatch.setattr(Continuation, "samples", None)  # what the search begins with
    arm = arms["panda"]
    rng = np.random.default_rng(0)
    causes = []
    for _ in range(12):
        q = within(arm, rng)
        target = moved(arm, q, [0.0, 0.0, 1.6])
        path = arm.straight_line(target)
        causes.append(path.status)
        if path.status is IkPathEnd.JOINT_LIMIT:
            assert "is out of reach within limits: missed by" in path.cause
            assert "upper limit" in path.cause or "lower limit" in path.cause
    assert causes.count(IkPathEnd.JOINT_LIMIT) > 3


def test_no_start(arms):
    arm = arms["ur5"]
    far = np.eye(4)
    far[:3, 3] = 9.0
    path = arm.follow([far, far])
    assert path.status is IkPathEnd.NO_START
    assert path.values.shape == (0, 6)
    assert path.end == -1.0
    assert "goal 0 is not reached" in path.cause


# -- singular configurations -----------------------------------------------------------


def wrist_line(arm, miss):
    """Return start and poses that pass a straight wrist at an angle."""
    q = np.array(BENT)
    poses = []
    for bend in np.linspace(0.6, -0.6, 61):
        pose = at(arm, np.array((*q[:4], bend, q[5])))
        across = pose[:3, :3] @ matrix_from_axis_angle(np.array([0.0, 0.0, -q[5]]))
        turn = matrix_from_axis_angle(miss * across[:, 0])
        pose[:3, :3] = turn @ pose[:3, :3]
        poses.append(pose)
    return q, poses


def test_a_straight_wrist_is_crossed_where_the_path_meets_it(arms):
    arm = arms["puma560"]
    q, poses = wrist_line(arm, 0.0)
    path = arm.follow(poses, q0=q)
    assert path, path.cause
    assert path.largest_step < 0.021
    np.testing.assert_allclose(path.values[-1], (*q[:4], -0.6, q[5]), atol=1e-6)
    assert off(arm, path, poses) < 1e-8


def test_a_wrist_is_crossed_between_goals(arms):
    """Lines between goals miss the singular configuration by their sagitta."""
    arm = arms["puma560"]
    q = np.array(BENT)
    ways = np.linspace(0.0, 1.0, 52)[:, None]
    rows = q + ways * (0.2, -0.1, 0.15, 0.3, -1.2, 0.2)
    poses = [at(arm, row) for row in rows]
    path = arm.follow(poses, q0=q)
    assert path, path.cause
    np.testing.assert_allclose(path.values, rows, atol=1e-5)


def test_a_wrist_that_is_passed_closely_is_singular_and_not_hopped_over(arms):
    arm = arms["puma560"]
    _, poses = wrist_line(arm, 1e-3)
    (start, *_) = arm.find_ik(poses[0], q0=BENT).solutions
    path = arm.follow(poses, q0=start)
    assert path.status is IkPathEnd.SINGULAR
    assert "joint4 and joint6" in path.cause
    assert 29 < path.end < 31


def test_a_wrist_that_is_passed_at_a_distance_turns(arms):
    arm = arms["puma560"]
    options = pyrave.IkFilterOptions.IGNORE_JOINT_LIMITS
    _, poses = wrist_line(arm, 0.1)
    (start, *_) = arm.find_ik(poses[0], q0=BENT).solutions
    path = arm.follow(poses, q0=start, options=options)
    assert path, path.cause
    assert (path.values[:, 4] > 0.05).all()
    assert abs(path.values[-1, 3] - path.values[0, 3]) > 2.0


# -- filters ---------------------------------------------------------------------------


def test_a_filter_ends_a_path_between_goals(arms):
    arm = arms["puma560"]
    goal = moved(arm, PUMA, (0.0, 0.1, 0.0))
    at(arm, PUMA)
    plain = arm.straight_line(goal, 4)
    border = 0.5 * (plain.values[2, 0] + plain.values[3, 0])
    sign = np.sign(plain.values[3, 0] - plain.values[2, 0])

    def only_before(q, _arm, _goal):
        if sign * (q[0] - border) > 0.0:
            return IkReturn(IkAction.REJECT, failures=("behind the border",))
        return IkAction.SUCCESS

    path = arm.straight_line(goal, 4, filters=[only_before])
    assert path.status is IkPathEnd.FILTER
    assert len(path) == 3
    assert 2.0 <= path.end < 3.0
    assert "behind the border on the way from goal 2 to 3" in path.cause
    assert not arm.ik_solver.filtered


def test_joints_to_spare_go_round_what_a_filter_forbids(arms):
    arm = arms["panda"]
    goal = moved(arm, PANDA, (0.0, 0.3, 0.0))
    at(arm, PANDA)
    plain = arm.straight_line(goal, 24)
    border = 0.5 * (plain.values[0, 2] + plain.values[-1, 2])
    sign = np.sign(plain.values[-1, 2] - border)

    def kept(q, _arm, _goal):
        return IkAction.REJECT if sign * (q[2] - border) > 0.0 else IkAction.SUCCESS

    path = arm.straight_line(goal, 24, filters=[kept])
    assert path, path.cause
    assert (sign * (path.values[:, 2] - border) <= 0.0).all()
    assert path.largest_step < 0.3


def test_a_filter_may_not_change_a_path(arms):
    arm = arms["puma560"]
    goal = moved(arm, PUMA, (0.0, 0.1, 0.0))
    at(arm, PUMA)

    def nudge(q, _arm, _goal):
        q[5] += 0.01
        return IkAction.SUCCESS

    path = arm.straight_line(goal, 4, filters=[nudge])
    assert not path
    assert "changes the joint values" in path.cause


# -- any solver ------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["puma560", "ur5"])
def test_any_solver_follows_by_solving(arms, name):
    arm = arms[name]
    poses = straight_targets(at(arm, PUMA), moved(arm, PUMA, (0.03, 0.1, 0.05)), 12)
    at(arm, PUMA)
    solver = arm.ik_solver
    path = IkSolverBase.follow(solver, poses)
    assert path, path.cause
    np.testing.assert_allclose(path.values, arm.follow(poses).values, atol=1e-8)


def test_a_jump_of_a_solver_is_seen(arms):
    """Another branch is nearest behind a limit."""
    arm = arms["puma560"]
    q = np.array(PUMA)
    upper = arm.robot.dof_limits[1][arm.arm_indices]
    ways = np.linspace(0.0, 1.2 * (upper[0] - q[0]), 13)
    poses = [at(arm, q + np.array([way, 0, 0, 0, 0, 0])) for way in ways]
    path = IkSolverBase.follow(arm.ik_solver, poses, q)
    assert not path
    assert path.status in (IkPathEnd.SINGULAR, IkPathEnd.JOINT_LIMIT)
    assert len(path) == 11
    assert path.largest_step < 0.5


@pytest.mark.parametrize("words", ["Numerical", "Analytic free joint7"])
def test_solvers_of_this_plugin_use_all_joints(words):
    _env, arm = loaded("panda")
    arm.ik_solver = words
    goal = moved(arm, PANDA, (0.05, 0.3, 0.1))
    at(arm, PANDA)
    assert arm.straight_line(goal, 20)


# -- wrong input -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("targets", "text"),
    [
        ([], "no poses"),
        (np.empty((0, 4, 4)), "no poses"),
        (np.zeros((2, 4, 4)), "not a rigid transform"),
        (IkParameterization.translation_3d((0, 0, 0)), "expected a sequence"),
        (
            [
                IkParameterization.translation_3d((0, 0, 0)),
                IkParameterization.lookat_3d((0, 0, 0)),
            ],
            "goal 1 of a path is Lookat3D, goal 0 is Translation3D",
        ),
        ([IkParameterization.translation_3d((0, 0, 0)), np.eye(4)], "goal 1"),
    ],
)
def test_wrong_paths(arms, targets, text):
    with pytest.raises(ArgumentError, match=text):
        arms["ur5"].follow(targets)


def test_velocities_are_no_path(arms):
    goal = IkParameterization(Kind.Translation3DVelocity, (0, 0, 1))
    with pytest.raises(NotSupportedError, match="Translation3DVelocity"):
        arms["ur5"].follow([goal, goal])


@pytest.mark.parametrize("steps", [0, -1, 2.5, True])
def test_wrong_steps(arms, steps):
    with pytest.raises(ArgumentError, match="steps are"):
        arms["ur5"].straight_line(np.eye(4), steps)
