"""What is no pose and no vector of numbers ends in an error that names it."""

from __future__ import annotations

import numpy as np
import pytest
from wrong_inputs import no_numbers, no_poses, no_vectors, refuses

import pyrave
from pyrave import kinematics, spatial
from pyrave.jit import KernelModule
from pyrave.spatial import pose_from_wxyz_xyz

Q = np.array([0.3, -0.4, 0.2])
DOWN = (0.0, 0.0, -9.81)
EYE = np.eye(4)
LINK = 3


@pytest.fixture(scope="module")
def model():
    return pyrave.load("robots/arms/planar3.robot.xml").robots[0].model


@pytest.fixture(scope="module")
def tool(model):
    return kinematics.compile_tool(model, LINK)


BASES = {
    "link_transforms": lambda m, _, pose: kinematics.link_transforms(m, pose, Q),
    "into an array": lambda m, _, pose: kinematics.link_transforms(
        m, pose, Q, np.empty(m.poses_shape)
    ),
    "batch": lambda m, _, pose: kinematics.link_transforms_batch(m, pose, Q[None]),
    "batch into an array": lambda m, _, pose: kinematics.link_transforms_batch(
        m, pose, Q[None], np.empty((1, *m.poses_shape))
    ),
    "tool": lambda _, t, pose: kinematics.tool_jacobian(t, pose, Q),
    "tool, batch": lambda _, t, pose: kinematics.tool_jacobian_batch(t, pose, Q[None]),
    "jacobian": lambda m, _, pose: kinematics.jacobian_batch(m, pose, Q[None], LINK),
    "hessian": lambda m, _, pose: kinematics.hessian_batch(m, pose, Q[None], LINK),
    "center_of_mass": lambda m, _, pose: kinematics.center_of_mass(m, pose, Q),
    "velocities": lambda m, _, pose: kinematics.link_velocities(m, pose, Q, Q),
    "accelerations": lambda m, _, pose: kinematics.link_accelerations(m, pose, Q, Q, Q),
    "torques": lambda m, _, pose: kinematics.inverse_dynamics(m, pose, Q, Q, Q, DOWN),
    "motion": lambda m, _, pose: kinematics.forward_dynamics(m, pose, Q, Q, Q, DOWN),
}


@pytest.mark.parametrize("name", BASES)
def test_a_base_is_a_pose(model, tool, name):
    refuses(lambda pose: BASES[name](model, tool, pose), "base_pose", no_poses())


def test_a_base_that_was_rounded_becomes_the_nearest_pose(model):
    base = pose_from_wxyz_xyz((0.9, 0.1, 0.3, 0.3, 1.0, 2.0, 3.0))
    exact = kinematics.link_transforms(model, base, Q)
    rounded = kinematics.link_transforms(model, base.round(6), Q)
    np.testing.assert_allclose(rounded, exact, atol=3e-6)
    turned = rounded[:, :3, :3]
    np.testing.assert_allclose(
        turned @ turned.transpose(0, 2, 1),
        np.tile(np.eye(3), (len(turned), 1, 1)),
        atol=1e-14,
    )


@pytest.mark.parametrize("form", ["python", "jit"])
@np.errstate(invalid="ignore")  # as it is where kernels run in the interpreter
def test_kernels_know_poses(form):
    is_pose = getattr(
        KernelModule("pyrave.kinematics.kernels.forward_kinematics"), form
    ).is_pose
    rng = np.random.default_rng(4)
    for values in rng.normal(size=(20, 7)):
        values[:4] /= np.linalg.norm(values[:4])
        pose = pose_from_wxyz_xyz(values)
        assert is_pose(pose)
        for i in range(4):
            for j in range(4):
                for bad in (np.nan, np.inf, -np.inf):
                    wrong = pose.copy()
                    wrong[i, j] = bad
                    assert not is_pose(wrong)
                if j < 3 or i == 3:
                    wrong = pose.copy()
                    wrong[i, j] += 1e-6
                    assert not is_pose(wrong)
    for name, value in no_poses().items():
        array = np.array(value, dtype=object)
        if array.shape == (4, 4) and getattr(value, "dtype", None) == np.float64:
            assert not is_pose(value), name


def test_a_tool_is_a_pose(model):
    wrong = no_poses()
    wrong.pop("none")
    refuses(lambda pose: kinematics.compile_tool(model, LINK, pose), "transform", wrong)


VECTORS = {
    "link_transforms q": lambda m, _, q: kinematics.link_transforms(m, EYE, q),
    "joint_values q": lambda m, _, q: kinematics.joint_values(m, q),
    "tool_jacobian q": lambda _, t, q: kinematics.tool_jacobian(t, EYE, q),
    "mass_matrix q": lambda m, _, q: kinematics.mass_matrix(m, q),
    "subtract a": lambda m, _, q: kinematics.subtract_dof_values(m, q, Q),
    "subtract b": lambda m, _, q: kinematics.subtract_dof_values(m, Q, q),
    "velocities qd": lambda m, _, q: kinematics.link_velocities(m, EYE, Q, q),
    "accelerations qdd": lambda m, _, q: kinematics.link_accelerations(m, EYE, Q, Q, q),
    "inverse qdd": lambda m, _, q: kinematics.inverse_dynamics(m, EYE, Q, Q, q, DOWN),
    "forward torques": lambda m, _, q: kinematics.forward_dynamics(
        m, EYE, Q, Q, q, DOWN
    ),
}


@pytest.mark.parametrize("name", VECTORS)
def test_joint_values_are_real_numbers(model, tool, name):
    word = name.split()[-1]
    refuses(lambda q: VECTORS[name](model, tool, q), word, no_vectors(3))


def test_configurations_are_rows_of_real_numbers(model):
    wrong = no_vectors(3)
    wrong.pop("a row")
    refuses(
        lambda q: kinematics.link_transforms_batch(model, EYE, q),
        "configurations",
        wrong,
    )


MATRICES = {
    "invert_pose": spatial.invert_pose,
    "compose": lambda pose: spatial.compose(EYE, pose),
    "transform_points": lambda pose: spatial.transform_points(pose, np.zeros((2, 3))),
    "wxyz_xyz_from_pose": spatial.wxyz_xyz_from_pose,
}


@pytest.mark.parametrize("name", MATRICES)
def test_functions_of_poses_take_matrices_of_real_numbers(name):
    numbers = ("nan", "infinite", "scaled", "sheared", "reflected", "projective")
    wrong = {k: v for k, v in no_poses().items() if k not in (*numbers, "nothing")}
    refuses(MATRICES[name], "pose", wrong)


SPATIAL = {
    "quaternion": (4, spatial.matrix_from_quat),
    "a": (4, lambda q: spatial.quat_multiply(q, (1, 0, 0, 0))),
    "axis": (3, lambda v: spatial.matrix_from_axis_angle(v, 0.1)),
    "source": (3, lambda v: spatial.quat_rotate_direction(v, (0, 0, 1))),
    "vector": (3, spatial.skew),
}


@pytest.mark.parametrize("word", SPATIAL)
def test_functions_of_vectors_take_real_numbers(word):
    n, call = SPATIAL[word]
    refuses(call, word, no_vectors(n))


def test_angles_are_numbers():
    wrong = no_numbers()
    wrong.pop("none")
    refuses(lambda a: spatial.matrix_from_axis_angle((0, 0, 1), a), "angle", wrong)
