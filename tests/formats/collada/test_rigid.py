"""The rigid part of transforms that are scaled, sheared, mirrored or rounded."""

from __future__ import annotations

import numpy as np
import pytest

from pyrave.spatial import matrix_from_axis_angle
from pyrave_collada.reading.rigid import rigid_and_deformed, rigid_part


@pytest.fixture
def turn():
    matrix = np.eye(4)
    matrix[:3, :3] = matrix_from_axis_angle(np.array((0.3, -1.1, 0.7)))
    matrix[:3, 3] = 1.0, 2.0, 3.0
    return matrix


def test_a_rigid_transform_stays_as_it_is(turn):
    turn[0, 0] += 1e-14
    pose, deform = rigid_and_deformed(turn)
    assert np.array_equal(pose.matrix, turn)
    assert np.array_equal(deform, np.eye(3))


def test_what_is_rounded_becomes_a_rotation_and_deforms_nothing(turn):
    rounded = turn.copy()
    rounded[:3, :3] = np.round(turn[:3, :3], 10)
    pose, deform = rigid_and_deformed(rounded)
    rotation = pose.matrix[:3, :3]
    np.testing.assert_allclose(rotation.T @ rotation, np.eye(3), atol=1e-15)
    np.testing.assert_allclose(pose.matrix, turn, atol=1e-10)
    assert np.array_equal(deform, np.eye(3))


@pytest.mark.parametrize(
    "stretch",
    [
        np.diag((2.0, 3.0, 0.5)),
        np.diag((1.0, 1.0, -1.0)),
        np.diag((-2.0, 1.0, 1.0)),
        np.diag((1.0, 1.0, 0.0)),
        np.array(((1.0, 0.2, 0.0), (0.2, 1.0, 0.1), (0.0, 0.1, 2.0))),
    ],
    ids=["scaled", "mirrored", "mirrored and scaled", "flat", "sheared"],
)
def test_the_rest_deforms_before(turn, stretch):
    matrix = turn.copy()
    matrix[:3, :3] = turn[:3, :3] @ stretch
    pose, deform = rigid_and_deformed(matrix)
    rotation = pose.matrix[:3, :3]
    np.testing.assert_allclose(rotation.T @ rotation, np.eye(3), atol=1e-14)
    assert np.linalg.det(rotation) == pytest.approx(1.0)
    np.testing.assert_allclose(rotation @ deform, matrix[:3, :3], atol=1e-14)
    np.testing.assert_array_equal(pose.translation, matrix[:3, 3])
    if np.linalg.det(stretch) > 0.0:  # then the nearest rotation is the one stretched
        np.testing.assert_allclose(rotation, turn[:3, :3], atol=1e-14)
    assert rigid_part(matrix) == pose
