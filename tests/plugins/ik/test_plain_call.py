"""The ordinary call: a pose and an arm as it stands, in one call of compiled code."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import pyrave
from pyrave import ArgumentError
from pyrave.ik import IkAction, IkReturn


@pytest.fixture
def arm_of():
    kept = []

    def load(name):
        env = pyrave.load(f"robots/arms/{name}.robot.xml")
        kept.append(env)
        arm = env.robots[name].active_manipulator
        arm.ik_solver = "Analytic"
        return arm

    return load


@pytest.fixture
def arm(arm_of):
    """An arm whose next pose is solved in one call."""
    arm = arm_of("puma560")
    arm.arm_dof_values = [0.3, -0.4, 0.5, 0.6, 0.7, 0.8]
    assert arm.solve_ik(arm.transform) is not None
    return arm


def without_singular_kernels(arm, patch):
    """Have every call fail that asks for an answer at a singular pose."""
    _, singular = arm.ik_solver.method("Transform6D").bounded().stages
    patch.setattr(singular.solve, "call", None)


@pytest.mark.parametrize("name", ["puma560", "ur5"])
def test_an_arm_that_is_at_the_goal_stays(arm_of, name, monkeypatch):
    arm = arm_of(name)
    without_singular_kernels(arm, monkeypatch)
    rng = np.random.default_rng(2)
    for q in (np.zeros(6), *rng.uniform(-0.7, 0.7, (5, 6))):
        arm.arm_dof_values = q
        assert np.array_equal(arm.solve_ik(arm.transform), q)
        given = arm.ik_solver.solution(arm.transform, q0=q)
        assert np.array_equal(given, q)
        q_other = q + 1e-7  # meets it no more
        found = arm.ik_solver.solution(arm.transform, q0=q_other) if q.any() else q
        assert found == pytest.approx(q, abs=1e-8)


def test_a_filter_is_asked_about_staying(arm_of, monkeypatch):
    arm = arm_of("puma560")
    arm.arm_dof_values = q = np.zeros(6)
    seen = []

    def accepts(values, *_):
        seen.append(values.copy())
        return IkAction.SUCCESS

    with monkeypatch.context() as patch:
        without_singular_kernels(arm, patch)
        with arm.ik_solver.register_custom_filter(1, accepts):
            assert np.array_equal(arm.solve_ik(arm.transform), q)
    assert len(seen) == 1
    arm.arm_dof_values = q = np.array([0.3, -0.4, 0.5, 0.6, 0.7, 0.8])

    def moves_on(values, *_):
        return IkReturn(IkAction.SUCCESS if abs(values - q).max() > 0.1 else 1)

    with arm.ik_solver.register_custom_filter(1, moves_on):
        other = arm.solve_ik(arm.transform)
    assert np.abs(other - q).max() > 0.1


def test_values_outside_of_limits_are_no_solution(arm):
    q = arm.arm_dof_values
    pose = arm.transform
    lower, upper = arm.robot.dof_limits
    upper[4] = 0.5
    arm.robot.dof_limits = lower, upper
    arm.robot.set_dof_values(q, limits=pyrave.kinematics.LimitCheck.NONE)
    found = arm.solve_ik(pose)
    assert found is not None
    assert found[4] <= 0.5
    assert np.abs(found - q).max() > 0.1


def test_rows_are_those_of_the_long_way(arm):
    rng = np.random.default_rng(4)
    robot, solver = arm.robot, arm.ik_solver
    robot.transform = pyrave.spatial.as_pose([0.6, 0.0, 0.8, 0.0, 1.0, -2.0, 0.5])
    lower, upper = robot.dof_limits
    for goal, here in rng.uniform(lower, upper, (20, 2, robot.dof)):
        arm.arm_dof_values = goal
        pose = arm.transform
        arm.arm_dof_values = here
        whole = arm.find_ik(pose).solutions
        rows = arm.solve_ik(pose, all=True)
        assert len(rows) == len(whole)
        away = np.abs(rows[:, None] - whole).max(axis=2)
        assert away.min(axis=1).max() < 1e-9
        assert arm.solve_ik(pose) == pytest.approx(solver.solution(pose, q0=here))
        assert arm.solve_ik(pose) == pytest.approx(whole[0], abs=1e-9)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda pose: pose[:3], "has shape"),
        (lambda pose: pose * np.nan, "not finite"),
        (lambda pose: pose + np.eye(4), "no rigid|not a rigid"),
        (lambda pose: np.diag([1.0, 1.0, -1.0, 1.0]), "not a rigid"),
        (lambda pose: pose + np.eye(1, 4, 2).T * np.eye(1, 4, 0) * np.nan, "finite"),
        (lambda pose: pose.astype(complex), "complex"),
        (lambda pose: "there", "target"),
        (lambda pose: None, "target"),
    ],
)
@pytest.mark.parametrize("every", [False, True])
def test_wrong_poses_are_refused_as_ever(arm, change, reason, every):
    wrong = change(arm.transform)
    with pytest.raises(ArgumentError, match=reason):
        arm.solve_ik(wrong, all=every)
    assert len(arm.solve_ik(arm.transform, all=True))


def test_other_forms_of_the_pose_are_taken(arm):
    pose = arm.transform
    q = arm.arm_dof_values
    frozen = pose.copy()
    frozen.flags.writeable = False
    rounded = pose.round(6)
    for form in (
        pose.tolist(),
        np.asfortranarray(pose),
        np.tile(pose, (1, 2))[:, :4],
        pose.astype(np.float32),
        frozen,
        rounded,
    ):
        assert arm.solve_ik(form) == pytest.approx(q, abs=1e-5)


def test_what_changes_meanwhile_counts(arm):
    pose, q = arm.transform, arm.arm_dof_values
    robot, solver = arm.robot, arm.ik_solver
    count = len(arm.solve_ik(pose, all=True))
    lower, upper = robot.dof_limits
    robot.dof_limits = lower, np.minimum(upper, 0.75)
    assert len(arm.solve_ik(pose, all=True)) < count
    robot.dof_limits = lower, upper
    assert len(arm.solve_ik(pose, all=True)) == count
    with solver.register_custom_filter(1, lambda *_: IkAction.REJECT):
        assert arm.solve_ik(pose) is None
    told = []
    with solver.register_finish_callback(lambda *given: told.append(given)):
        arm.solve_ik(pose)
    assert len(told) == 1
    moved = np.eye(4)
    moved[:3, 3] = 0.3, 0.2, 0.1
    robot.transform = moved @ robot.transform
    assert arm.solve_ik(moved @ pose) == pytest.approx(q, abs=1e-9)
    arm.local_tool_transform = moved
    assert arm.solve_ik(arm.transform) == pytest.approx(q, abs=1e-9)


def test_threads_share_an_arm(arm):
    rng = np.random.default_rng(6)
    poses = []
    for q in rng.uniform(-1.0, 1.0, (40, 6)):
        arm.arm_dof_values = q
        poses.append(arm.transform)
    wanted = [arm.solve_ik(pose, all=True) for pose in poses]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda pose: arm.solve_ik(pose, all=True), poses * 5))
    for rows, expected in zip(found, wanted * 5, strict=True):
        # another process may finish compiling midway
        np.testing.assert_allclose(rows, expected, atol=1e-10)


def test_a_copy_is_an_arm_of_its_own(arm):
    env = arm.robot.env.clone()
    other = env.robots["puma560"].active_manipulator
    assert np.array_equal(other.solve_ik(other.transform), other.arm_dof_values)
