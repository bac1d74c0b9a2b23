"""Base motions as numbers, against rotations of scipy and finite differences."""

from __future__ import annotations

import numpy as np
import pytest

from pyrave.errors import ArgumentError, NotSupportedError
from pyrave.kinematics.affine import (
    Affine,
    affine_difference,
    affine_from_pose,
    affine_jacobian,
    affine_rates,
    angular_from_rates,
    convert_affine,
    convert_affine_rates,
    pose_from_affine,
    quat_product,
    quaternion_jacobian,
    slerp,
)
from pyrave.spatial import matrix_from_quat, quat_from_matrix

Rotation = pytest.importorskip("scipy.spatial.transform").Rotation
Z = (0.0, 0.0, 1.0)
SKEW = (1.0, -2.0, 0.5)
MASKS = (1, 6, 8, 11, 16, 23, 32, 39)


def rotations(seed, n=20):
    return Rotation.from_quat(np.random.default_rng(seed).normal(size=(n, 4)))


def wxyz(rotation):
    quats = np.atleast_2d(rotation.as_quat())
    return quats[:, [3, 0, 1, 2]]


def as_rotation(quats):
    return Rotation.from_quat(np.asarray(quats)[..., [1, 2, 3, 0]])


def test_products_are_rotations_one_after_the_other():
    one, other = rotations(0), rotations(1)
    found = quat_product(wxyz(one), wxyz(other))
    expected = wxyz(one * other)
    sign = np.sign(np.einsum("ij,ij->i", found, expected))[:, None]
    np.testing.assert_allclose(found, sign * expected, atol=1e-14)


@pytest.mark.parametrize("fraction", [0.0, 0.25, 0.7, 1.0])
def test_slerp_turns_at_a_constant_rate_the_short_way(fraction):
    one, other = rotations(2), rotations(3)
    signs = np.where(np.arange(20) % 2, 1.0, -1.0)[:, None]
    found = slerp(wxyz(one), signs * wxyz(other), np.full(20, fraction))
    step = (other * one.inv()).as_rotvec()
    expected = Rotation.from_rotvec(fraction * step) * one
    np.testing.assert_allclose(
        (as_rotation(found) * expected.inv()).magnitude(), 0.0, atol=1e-12
    )
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1.0, atol=1e-14)


def test_slerp_of_almost_equal_rotations():
    one = wxyz(rotations(4))
    near = one + 1e-9 * np.roll(one, 1, axis=1)
    found = slerp(one, near, np.full(20, 0.5))
    np.testing.assert_allclose(found, one, atol=1e-8)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1.0, atol=1e-15)


@pytest.mark.parametrize("axis", [Z, SKEW])
def test_turns_about_an_axis(axis):
    """Of any length; angles come back between -pi and pi."""
    angles = np.array((-3.0, -0.4, 0.0, 1e-13, 0.4, 3.0, 4.0, 9.0))
    quats, points = pose_from_affine(angles[:, None], 8, axis)
    unit = np.array(axis) / np.linalg.norm(axis)
    expected = Rotation.from_rotvec(angles[:, None] * unit)
    np.testing.assert_allclose(
        (as_rotation(quats) * expected.inv()).magnitude(), 0.0, atol=1e-12
    )
    assert not points.any()
    found = affine_from_pose(quats, points, 8, axis)[:, 0]
    wanted = (angles + np.pi) % (2 * np.pi) - np.pi
    np.testing.assert_allclose(found, wanted, atol=1e-12)
    np.testing.assert_allclose(affine_from_pose(-quats, points, 8, axis)[:, 0], wanted,
                               atol=1e-12)  # fmt: skip


def test_rotation_vectors():
    turned = rotations(5)
    quats, _ = pose_from_affine(turned.as_rotvec(), 16, Z)
    np.testing.assert_allclose(
        (as_rotation(quats) * turned.inv()).magnitude(), 0.0, atol=1e-12
    )
    for sign in (1.0, -1.0):
        found = affine_from_pose(sign * quats, np.zeros((20, 3)), 16, Z)
        np.testing.assert_allclose(found, turned.as_rotvec(), atol=1e-12)
    tiny = np.array(((1e-14, 0, 0), (0, 0, 0)))
    quats, points = pose_from_affine(tiny, 16, Z)
    np.testing.assert_allclose(quats[0], (1, 5e-15, 0, 0), atol=1e-20)
    np.testing.assert_allclose(affine_from_pose(quats, points, 16, Z), tiny, atol=1e-20)


def test_quaternions_of_any_length_are_taken():
    unit = wxyz(rotations(6))
    values = np.concatenate((np.full((20, 3), 0.5), 3.0 * unit), axis=1)
    quats, points = pose_from_affine(values, 39, Z)
    np.testing.assert_allclose(quats, unit, atol=1e-15)
    np.testing.assert_array_equal(points, 0.5)
    with pytest.raises(ArgumentError, match="zero quaternion"):
        pose_from_affine(np.zeros((1, 7)), 39, Z)
    with pytest.raises(ArgumentError, match="zero rotation axis"):
        pose_from_affine(np.zeros((1, 1)), 8, (0.0, 0.0, 0.0))


def test_what_the_mask_leaves_out_is_that_of_the_base():
    base = wxyz(rotations(7))[0], np.array((1.0, 2.0, 3.0))
    quats, points = pose_from_affine(np.array([[9.0, 0.3]]), 10, Z, base)
    np.testing.assert_array_equal(points, [[1, 9, 3]])
    np.testing.assert_allclose(quats, [[np.cos(0.15), 0, 0, np.sin(0.15)]], atol=1e-15)
    quats, points = pose_from_affine(np.array([[9.0]]), 4, Z, base)
    np.testing.assert_array_equal(points, [[1, 2, 9]])
    np.testing.assert_array_equal(quats[0], base[0])
    both = convert_affine(np.array([[9.0]]), (4, Z), (20, Z), base)
    turned = as_rotation(base[0]).as_rotvec()
    np.testing.assert_allclose(both, [[9.0, *turned]], atol=1e-12)


@pytest.mark.parametrize(
    ("mask", "size"),
    [(1, 1), (6, 2), (8, 1), (11, 3), (16, 3), (23, 6), (32, 4), (39, 7)],
)
def test_masks(mask, size):
    assert Affine(mask).size == size
    Affine(mask).check()
    pose, axis = np.eye(4), np.array(SKEW)
    pose[:3, :3] = rotations(8)[0].as_matrix()
    pose[:3, 3] = (0.1, 0.2, 0.3)
    values = Affine(mask).values_of(pose, axis)
    assert values.shape == (size,)
    again = Affine(mask).applied(pose, values, axis)
    np.testing.assert_allclose(again[:3, 3], pose[:3, 3])
    if not mask & 8:  # of another rotation one axis has a part
        np.testing.assert_allclose(again, pose, atol=1e-12)


@pytest.mark.parametrize("mask", [24, 40, 48, 56, 64, -1])
def test_masks_without_a_meaning(mask):
    with pytest.raises(ArgumentError, match=r"affine mask|more than one kind"):
        Affine(mask).check()


@pytest.mark.parametrize("mask", MASKS)
def test_derivatives_are_those_of_poses(mask):
    """The Jacobian, rates of values and of poses, by central differences."""
    rng = np.random.default_rng(mask)
    axis = SKEW
    start = np.eye(4)
    start[:3, :3] = rotations(9)[3].as_matrix()
    if mask & 8:
        unit = np.array(axis) / np.linalg.norm(axis)
        start[:3, :3] = Rotation.from_rotvec(0.7 * unit).as_matrix()
    start[:3, 3] = (0.1, -0.2, 0.3)
    values = Affine(mask).values_of(start, np.array(axis))
    rates = rng.normal(size=len(values))
    if mask & 32:
        quat = values[-4:]
        rates[-4:] -= quat * (quat @ rates[-4:])  # it stays a unit quaternion
    local, h = np.array((0.4, 0.1, -0.2)), 1e-6

    def pose(s):
        return Affine(mask).applied(start, values + s * rates, np.array(axis))

    def place(s):
        return pose(s)[:3, :3] @ local + pose(s)[:3, 3]

    linear = (place(h) - place(-h)) / (2 * h)
    spin = (pose(h)[:3, :3] - pose(-h)[:3, :3]) / (2 * h) @ pose(0.0)[:3, :3].T
    angular = np.array((spin[2, 1], spin[0, 2], spin[1, 0]))
    found = affine_jacobian(pose(0.0), place(0.0), mask, axis) @ rates
    np.testing.assert_allclose(found, [*linear, *angular], atol=1e-8)

    base = (pose(h)[:3, 3] - pose(-h)[:3, 3]) / (2 * h)
    quat = quat_from_matrix(pose(0.0)[:3, :3])
    if not mask & 16:  # whose rates are those of the vector only at rest
        again = affine_rates(np.concatenate((base, angular)), quat, mask, axis)
        np.testing.assert_allclose(again, rates, atol=1e-8)
        v, w = angular_from_rates(rates[None], mask, axis, quat[None])
        np.testing.assert_allclose(v[0], base, atol=1e-8)
        np.testing.assert_allclose(w[0], angular, atol=1e-8)


def test_rates_of_rotation_vectors_are_angular_velocities():
    twist = np.arange(1.0, 7.0)
    quat = np.array((1.0, 0, 0, 0))
    np.testing.assert_array_equal(affine_rates(twist, quat, 23, Z), twist)
    v, w = angular_from_rates(twist[None], 23, Z, None)
    np.testing.assert_array_equal(np.concatenate((v[0], w[0])), twist)
    with pytest.raises(NotSupportedError, match="affine_transform group"):
        angular_from_rates(np.ones((1, 7)), 39, Z, None)


def test_small_rotation_vectors_have_the_jacobian_of_larger_ones():
    """The series and the quotients agree where one takes over from the other."""
    for angle in (0.99e-4, 1.01e-4):
        vector = angle * np.array(SKEW) / np.linalg.norm(SKEW)
        pose = np.eye(4)
        pose[:3, :3] = Rotation.from_rotvec(vector).as_matrix()
        found = affine_jacobian(pose, np.zeros(3), 16, Z)[3:]
        x, y, z = vector
        k = np.array(((0, -z, y), (z, 0, -x), (-y, x, 0)))
        expected = np.eye(3) + 0.5 * k + k @ k / 6.0
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_rates_between_masks():
    values = np.array(((1.0, 2.0, 0.5), (3.0, 4.0, -1.0)))
    unit = np.array(SKEW) / np.linalg.norm(SKEW)
    found = convert_affine_rates(values, (11, SKEW), (23, Z))
    np.testing.assert_allclose(found[:, :3], [[1, 2, 0], [3, 4, 0]])
    np.testing.assert_allclose(found[:, 3:], np.outer((0.5, -1.0), unit))
    back = convert_affine_rates(found, (23, Z), (9, SKEW))
    np.testing.assert_allclose(back, values[:, [0, 2]])
    np.testing.assert_array_equal(
        convert_affine_rates(values, (11, Z), (6, Z)), [[2, 0], [4, 0]]
    )
    np.testing.assert_array_equal(
        convert_affine_rates(np.ones((1, 1)), (1, Z), (39, Z)), [[1, 0, 0, 0, 0, 0, 0]]
    )
    quats = np.arange(8.0).reshape(2, 4)
    found = convert_affine_rates(quats, (32, Z), (36, Z))
    np.testing.assert_array_equal(found, np.column_stack((np.zeros(2), quats)))
    for source, target in ((32, 16), (8, 32)):
        with pytest.raises(NotSupportedError, match="quaternion rates and angular"):
            convert_affine_rates(
                np.ones((1, Affine(source).size)), (source, Z), (target, Z)
            )


def test_differences_go_the_short_way_round():
    found = affine_difference(np.array((5.0, 3.0)), np.array((1.0, -3.0)), 9)
    np.testing.assert_allclose(found, (4.0, 6.0 - 2 * np.pi))
    found = affine_difference(np.array((5.0, 1.0)), np.array((-5.0, 0.0)), 3)
    np.testing.assert_allclose(found, (10.0, 1.0))
    one = np.array((0.0, 1.0, 0.0, 0.0, 0.0))
    other = np.array((2.0, -0.6, 0.8, 0.0, 0.0))
    found = affine_difference(one, other, 33)
    np.testing.assert_allclose(found, (-2.0, -0.4, -0.8, 0.0, 0.0))
    found = affine_difference(one, -other, 33)
    np.testing.assert_allclose(found, (2.0, 0.4, 0.8, 0.0, 0.0))


def test_quaternion_rates_of_angular_velocities():
    turned = rotations(10)[0].as_matrix()
    quat, h = quat_from_matrix(turned), 1e-6
    found = quaternion_jacobian(turned, np.eye(3))
    for k in range(3):
        after = Rotation.from_rotvec(h * np.eye(3)[k]).as_matrix() @ turned
        before = Rotation.from_rotvec(-h * np.eye(3)[k]).as_matrix() @ turned
        rate = (quat_from_matrix(after) - quat_from_matrix(before)) / (2 * h)
        np.testing.assert_allclose(found[:, k], rate, atol=1e-9)
    np.testing.assert_allclose(matrix_from_quat(quat), turned, atol=1e-14)
