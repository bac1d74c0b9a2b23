"""Solutions of poses as a compiled function."""

from __future__ import annotations

import numba
import numpy as np
import pytest

import pyrave
from pyrave import ArgumentError, NotSupportedError
from pyrave_ik.arm.poses import random_configurations, tool_poses


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


def local(arm, poses):
    return np.ascontiguousarray(np.linalg.inv(arm.base.transform) @ poses)


@pytest.mark.parametrize("name", ["puma560", "ur5"])
def test_the_rows_are_those_of_the_arm(arm_of, name):
    arm = arm_of(name)
    values = random_configurations(arm, 20, np.random.default_rng(3))
    arm.robot.transform = pyrave.spatial.as_pose([0.6, 0.0, 0.8, 0.0, 1.0, -2.0, 0.5])
    free = arm.ik_solver.compiled(limits=False)
    for q in values:
        arm.arm_dof_values = q
        target = arm.transform
        pose = local(arm, target)
        # away from q: of two turns from there to a flipped wrist none is nearer
        arm.arm_dof_values = 0.9 * q
        solve = arm.ik_solver.compiled(q0=0.9 * q)
        rows = solve(pose)
        expected = arm.solve_ik(target, all=True)
        assert len(rows) == len(expected)
        assert np.abs(rows[:, None] - expected).max(axis=2).min(axis=1).max() < 1e-8
        assert np.abs(rows - q).max(axis=1).min() < 1e-8
        # the interpreter may answer one of them, and rounds in its own way
        np.testing.assert_allclose(solve.solutions(pose), rows, atol=1e-10)
        around = np.mod(free(pose) - q + np.pi, 2 * np.pi) - np.pi
        assert np.abs(around).max(axis=1).min() < 1e-8


def test_a_singular_pose_needs_more_than_the_function(arm_of):
    arm = arm_of("puma560")
    arm.arm_dof_values = np.zeros(6)
    pose = local(arm, arm.transform)
    solve = arm.ik_solver.compiled()
    out = np.empty((32, 6))
    n = solve.function(solve.packed, pose, out)
    rows = solve(pose)
    # another test may have had kernels of singular poses compiled into it
    assert n < 0 or n == len(rows)
    assert len(rows) == len(arm.solve_ik(arm.transform, all=True)) > 0


def test_a_small_array_tells_how_many_there_are(arm_of):
    arm = arm_of("puma560")
    q = random_configurations(arm, 1, np.random.default_rng(8))
    pose = tool_poses(arm, q)[0]
    solve = arm.ik_solver.compiled()
    out = np.full((3, 6), np.nan)
    assert solve.function(solve.packed, pose, out[:2]) == len(solve(pose)) > 2
    assert np.isfinite(out[:2]).all()
    assert np.isnan(out[2]).all()


def test_arrays_of_another_shape_are_left_alone(arm_of):
    arm = arm_of("puma560")
    pose = tool_poses(arm, random_configurations(arm, 1, np.random.default_rng(8)))[0]
    solve = arm.ik_solver.compiled()
    for columns in (0, 5, 7):
        out = np.full((8, columns), np.nan)
        assert solve.function(solve.packed, pose, out) == -3
        assert np.isnan(out).all()
    for wrong in (pose[:2], np.ascontiguousarray(pose[:, :3])):
        assert solve.function(solve.packed, wrong, np.empty((8, 6))) == -3
        with pytest.raises(ArgumentError, match="pose has shape"):
            solve(wrong)


def test_compiled_code_calls_it(arm_of):
    arm = arm_of("puma560")
    values = random_configurations(arm, 30, np.random.default_rng(4))
    poses = tool_poses(arm, values)
    solve = arm.ik_solver.compiled()
    function = solve.function

    @numba.njit
    def count(plan, poses, out):
        total = 0
        for i in range(len(poses)):
            total += function(plan, poses[i], out)
        return total

    expected = sum(len(solve(pose)) for pose in poses)
    assert count(solve.packed, poses, np.empty((32, 6))) == expected


def test_free_joints_thresholds_and_skew_poses_are_refused(arm_of):
    with pytest.raises(NotSupportedError, match="free joints, found 1"):
        arm_of("wam7").ik_solver.compiled()
    arm = arm_of("puma560")
    arm.ik_solver = "Analytic ikthreshold 0.001"
    with pytest.raises(NotSupportedError, match=r"found ikthreshold 0\.001"):
        arm.ik_solver.compiled()
    with pytest.raises(ArgumentError, match="not a rigid transform"):
        arm_of("puma560").ik_solver.compiled().solutions(2 * np.eye(4))
