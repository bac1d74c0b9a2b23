"""Rotations and poses against series, axioms and each other."""

import math

import numpy as np
import pytest

from pyrave import ArgumentError, spatial
from pyrave.scene import Pose
from pyrave.spatial import (
    as_array,
    as_number,
    as_pose,
    as_poses,
    as_vector,
    compose,
    invert_pose,
    matrix_from_axis_angle,
    matrix_from_quat,
    pose_from_wxyz_xyz,
    quat_from_axis_angle,
    quat_from_matrix,
    quat_multiply,
    quat_rotate_direction,
    rotation_vector,
    skew,
    transform_points,
    wxyz_xyz_from_pose,
)


@pytest.fixture
def rng():
    return np.random.default_rng(20261121)


def exponential(matrix):
    """exp of a (3, 3) matrix by its series."""
    result, term = np.eye(3), np.eye(3)
    for k in range(1, 60):
        term = term @ matrix / k
        result = result + term
    return result


def random_quat(rng):
    quat = rng.normal(size=4)
    quat /= np.linalg.norm(quat)
    return quat if quat[0] >= 0 else -quat


def random_pose(rng):
    return pose_from_wxyz_xyz((*random_quat(rng), *rng.normal(size=3)))


def test_an_axis_and_an_angle_are_an_exponential(rng):
    for angle in (0.0, 1e-9, 0.3, math.pi, 4.0, -1.0):
        axis = rng.normal(size=3)
        unit = axis / np.linalg.norm(axis)
        expected = exponential(skew(unit) * angle)
        np.testing.assert_allclose(
            matrix_from_axis_angle(axis, angle), expected, atol=1e-13
        )
        np.testing.assert_allclose(
            matrix_from_axis_angle(unit * angle), expected, atol=1e-13
        )
        np.testing.assert_allclose(
            matrix_from_quat(quat_from_axis_angle(axis, angle)), expected, atol=1e-13
        )


def test_quaternions_and_matrices_agree(rng):
    for _ in range(50):
        quat = random_quat(rng)
        matrix = matrix_from_quat(quat)
        np.testing.assert_allclose(matrix @ matrix.T, np.eye(3), atol=1e-14)
        assert np.linalg.det(matrix) == pytest.approx(1)
        np.testing.assert_allclose(quat_from_matrix(matrix), quat, atol=1e-14)
        np.testing.assert_allclose(matrix_from_quat(-quat), matrix, atol=1e-14)


@pytest.mark.parametrize("axis", [*np.eye(3), (1, 1, 0), (1, -2, 3)])
@pytest.mark.parametrize("angle", [math.pi, math.pi - 1e-9, math.pi - 1e-4])
def test_half_turns_keep_their_precision(axis, angle):
    matrix = matrix_from_axis_angle(axis, angle)
    np.testing.assert_allclose(
        matrix_from_quat(quat_from_matrix(matrix)), matrix, atol=1e-14
    )
    vector = rotation_vector(matrix)
    assert np.linalg.norm(vector) == pytest.approx(angle, abs=1e-8)
    np.testing.assert_allclose(matrix_from_axis_angle(vector), matrix, atol=1e-14)


def test_rotation_vectors_invert_the_exponential(rng):
    for length in (0.0, 1e-13, 1e-8, 0.5, 3.0):
        vector = rng.normal(size=3)
        vector *= length / np.linalg.norm(vector)
        matrix = matrix_from_axis_angle(vector)
        np.testing.assert_allclose(rotation_vector(matrix), vector, atol=1e-14)
        quat = quat_from_matrix(matrix)
        np.testing.assert_allclose(rotation_vector(-quat), vector, atol=1e-14)


def test_products_are_homomorphic(rng):
    a, b = random_quat(rng), random_quat(rng)
    np.testing.assert_allclose(
        matrix_from_quat(quat_multiply(a, b)),
        matrix_from_quat(a) @ matrix_from_quat(b),
        atol=1e-14,
    )


def test_the_shortest_rotation_between_directions(rng):
    for _ in range(20):
        a, b = rng.normal(size=(2, 3))
        quat = quat_rotate_direction(a, b)
        turned = matrix_from_quat(quat) @ a / np.linalg.norm(a)
        np.testing.assert_allclose(turned, b / np.linalg.norm(b), atol=1e-14)
        between = math.acos(a @ b / np.linalg.norm(a) / np.linalg.norm(b))
        assert np.linalg.norm(rotation_vector(quat)) == pytest.approx(between)
    for axis in (*np.eye(3), np.array((1.0, 2.0, -3.0))):
        quat = quat_rotate_direction(axis, -2 * axis)
        np.testing.assert_allclose(matrix_from_quat(quat) @ axis, -axis, atol=1e-14)
        np.testing.assert_allclose(quat_rotate_direction(axis, axis), (1, 0, 0, 0))


@pytest.mark.parametrize("off", [1e-15, 1e-12, 1e-9, 1e-7, 1e-6, 1e-5, 1e-3])
def test_nearly_opposite_directions_are_met_exactly(rng, off):
    for _ in range(20):
        a, side = rng.normal(size=(2, 3))
        a /= np.linalg.norm(a)
        b = -a + off * side
        b /= np.linalg.norm(b)
        quat = quat_rotate_direction(a, b)
        assert np.abs(matrix_from_quat(quat) @ a - b).max() < 2e-15
        turn = np.linalg.norm(rotation_vector(quat))
        expected = math.pi - math.atan2(np.linalg.norm(np.cross(a, b)), -(a @ b))
        assert abs(turn - expected) < 1e-12 + 1e-3 * off


def test_poses_are_a_group(rng):
    a, b, c = (random_pose(rng) for _ in range(3))
    np.testing.assert_allclose(compose(a, b, c), a @ b @ c)
    np.testing.assert_array_equal(compose(), np.eye(4))
    np.testing.assert_allclose(invert_pose(a), np.linalg.inv(a), atol=1e-14)
    points = rng.normal(size=(5, 3))
    expected = [(a @ (*point, 1))[:3] for point in points]
    np.testing.assert_allclose(transform_points(a, points), expected)
    seven = wxyz_xyz_from_pose(a)
    np.testing.assert_allclose(pose_from_wxyz_xyz(seven), a, atol=1e-14)
    np.testing.assert_allclose(
        pose_from_wxyz_xyz((1, 0, 0, 0, 1, 2, 3))[:3, 3], (1, 2, 3)
    )


def test_skew_is_the_cross_product(rng):
    a, b = rng.normal(size=(2, 3))
    np.testing.assert_allclose(skew(a) @ b, np.cross(a, b))


def test_a_pose_comes_in_three_forms_and_is_copied(rng):
    matrix = random_pose(rng)
    got = as_pose(matrix)
    np.testing.assert_array_equal(got, matrix)
    assert got is not matrix
    np.testing.assert_allclose(as_pose(wxyz_xyz_from_pose(matrix)), matrix, atol=1e-14)
    np.testing.assert_array_equal(as_pose(Pose.from_matrix(matrix)), matrix)
    np.testing.assert_array_equal(as_pose(matrix.tolist()), matrix)


def polar_rotation(matrix):
    """The rotation nearest to a matrix, from its singular value decomposition."""
    left, _, right = np.linalg.svd(matrix)
    return left @ right


def test_a_rounded_rotation_becomes_the_nearest_one(rng):
    exact = np.array([random_pose(rng) for _ in range(50)])
    rounded = exact.copy()
    rounded[:, :3] = np.round(rounded[:, :3], 5)
    rounded[:, 3, 3] += 1e-6
    wanted = exact.copy()
    wanted[:, :3, :3] = [polar_rotation(r) for r in rounded[:, :3, :3]]
    wanted[:, :3, 3] = rounded[:, :3, 3]
    poses = as_poses(rounded, "poses")
    np.testing.assert_allclose(poses, wanted, atol=1e-14, rtol=0)
    one_by_one = np.array([as_pose(pose) for pose in rounded])
    np.testing.assert_allclose(one_by_one, wanted, atol=1e-14, rtol=0)
    described = as_pose(Pose.from_matrix(rounded[0]))
    np.testing.assert_allclose(described, wanted[0], atol=1e-14, rtol=0)
    # what came out is kept to the last bit
    np.testing.assert_array_equal(as_poses(poses, "poses"), poses)
    np.testing.assert_array_equal(as_pose(poses[0]), poses[0])


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e200])
def test_what_is_no_pose_is_refused_wherever_it_is(rng, value):
    good = random_pose(rng)
    for i, j in np.ndindex(4, 4):
        pose = good.copy()
        pose[i, j] = value
        if j == 3 and i < 3 and np.isfinite(value):
            np.testing.assert_array_equal(as_pose(pose), pose)
            continue
        with pytest.raises(ArgumentError, match=r"not finite|not a rigid transform"):
            as_pose(pose)
        pose[i, j] = 1.01 * good[i, j] + 0.01  # near, but no rotation
        if j < 3 or i == 3:
            with pytest.raises(ArgumentError, match="not a rigid transform"):
                as_pose(pose)


def test_reflections_are_no_poses(rng):
    with pytest.raises(ArgumentError, match="not a rigid transform"):
        as_pose(random_pose(rng) @ np.diag((1.0, 1.0, -1.0, 1.0)))


def test_columns_first_become_rows_first(rng):
    pose = random_pose(rng)
    got = as_pose(np.asfortranarray(pose))
    np.testing.assert_array_equal(got, pose)
    assert got.flags.carray


@pytest.mark.parametrize("size", [3, 40])
def test_long_and_short_vectors_must_be_finite(size):
    vector = np.zeros(size)
    np.testing.assert_array_equal(as_vector(vector, size, "v"), vector)
    for wrong in (np.nan, np.inf):
        vector[size // 2] = wrong
        with pytest.raises(ArgumentError, match="v has values that are not finite"):
            as_vector(vector, None, "v")


def test_products_of_rotations_are_kept_to_the_last_bit(rng):
    pose = compose(*(random_pose(rng) for _ in range(200)))
    np.testing.assert_array_equal(as_pose(pose), pose)
    np.testing.assert_array_equal(as_poses([pose, np.eye(4)], "poses")[0], pose)


def test_a_matrix_off_by_more_than_a_ten_thousandth_is_refused(rng):
    pose = random_pose(rng)
    almost, too_far = pose.copy(), pose.copy()
    almost[:3, :3] *= 1.00004
    too_far[:3, :3] *= 1.00006
    np.testing.assert_allclose(as_pose(almost), pose, atol=1e-14)
    for function in (as_pose, lambda given, name: as_poses([given], name)):
        with pytest.raises(ArgumentError, match="not a rigid transform"):
            function(too_far, "hand")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.eye(3), r"shape \(3, 3\), expected \(4, 4\), or \(7,\)"),
        (np.diag((1.0, 1, -1, 1)), "not a rigid transform"),
        (np.diag((2.0, 1, 1, 1)), "not a rigid transform"),
        (np.ones((4, 4)), "not a rigid transform"),
        (np.full((4, 4), np.nan), "not finite"),
        (
            (0, 0, 0, 0, 1, 2, 3),
            "the quaternion of hand is .*length 0, .* qw qx",
        ),
        ("pose", "not a pose"),
        (None, "hand"),
        ([[1, 2], [3]], "not a pose"),
    ],
)
def test_what_is_no_pose_is_refused(value, text):
    with pytest.raises(ArgumentError, match=text):
        as_pose(value, "hand")


@pytest.mark.parametrize(
    ("value", "size", "text"),
    [
        ((1, 2), 3, r"q has shape \(2,\), expected length 3"),
        ([[1]], None, "any length"),
        ((1, math.inf), 2, "not finite"),
        (("a",), 1, "q is not a vector of numbers"),
        (1.0, None, r"shape \(\)"),
    ],
)
def test_what_is_no_vector_is_refused(value, size, text):
    with pytest.raises(ArgumentError, match=text):
        as_vector(value, size, "q")


@pytest.mark.parametrize(
    ("value", "shape", "text"),
    [
        ("ab", (2,), "q is not an array of numbers"),
        ([[1], [2, 3]], (2, 1), "q is not an array of numbers"),
        (np.zeros((2, 3)), (None, 4), r"q has shape \(2, 3\), expected \(n, 4\)"),
        (np.zeros(3), (3, 1), r"q has shape \(3,\), expected \(3, 1\)"),
        ([[math.nan]], (1, 1), "q has values that are not finite"),
    ],
)
def test_what_is_no_array_is_refused(value, shape, text):
    with pytest.raises(ArgumentError, match=text):
        as_array(value, shape, "q")


def test_arrays_of_any_number_of_rows():
    assert as_array([[1, 2], [3, 4]], (None, 2), "q").dtype == np.float64
    assert as_array(np.zeros((0, 2)), (None, 2), "q").shape == (0, 2)


@pytest.mark.parametrize(
    "use", [lambda rows: as_array(rows, (None, 2), "q"), as_pose], ids=["array", "pose"]
)
def test_numbers_too_large_for_floats_are_refused(use):
    with pytest.raises(ArgumentError, match="is not"):
        use([[10**400, 0], [0, 1]])


@pytest.mark.parametrize("value", [-1, math.nan, math.inf, 10**400, "1", None, (1, 2)])
def test_numbers_are_finite_and_large_enough(value):
    assert as_number(np.float32(0.5), "mu", 0.5) == 0.5
    with pytest.raises(ArgumentError, match=r"mu is .*, expected a finite number >= 0"):
        as_number(value, "mu", 0.0)


def test_roll_pitch_and_yaw_are_turns_about_fixed_axes(rng):
    x, y, z = np.eye(3)
    for rpy in (*rng.uniform(-1.5, 1.5, (20, 3)), (0.3, math.pi / 2, 0.2)):
        roll, pitch, yaw = rpy
        expected = (
            exponential(skew(z) * yaw)
            @ exponential(skew(y) * pitch)
            @ exponential(skew(x) * roll)
        )
        np.testing.assert_allclose(spatial.matrix_from_rpy(rpy), expected, atol=1e-13)
        again = spatial.rpy_from_matrix(expected)
        if pitch < 1.5:
            np.testing.assert_allclose(again, rpy, atol=1e-12)
        np.testing.assert_allclose(spatial.matrix_from_rpy(again), expected, atol=1e-12)
        pose = spatial.pose_from_rpy(rpy, (1, 2, 3))
        np.testing.assert_allclose(pose[:3, :3], expected, atol=1e-13)
        np.testing.assert_array_equal(pose[:, 3], (1, 2, 3, 1))


def test_a_pose_of_an_axis_and_an_angle():
    pose = spatial.pose_from_axis_angle((0, 0, 2), math.pi / 2, (1, 0, 0))
    np.testing.assert_allclose(pose @ (1, 0, 0, 1), (1, 1, 0, 1), atol=1e-15)
    turned = spatial.pose_from_axis_angle((0, 0, math.pi / 2))
    np.testing.assert_allclose(turned[:3, :3], pose[:3, :3], atol=1e-15)


@pytest.mark.parametrize("target", [(3, 1, -2), (1, 2, 9), (1, 2, -9), (-4, 2, 3)])
def test_a_camera_looks_at_its_target(target):
    eye = np.array((1.0, 2.0, 3.0))
    pose = spatial.look_at(eye, target)
    np.testing.assert_array_equal(pose[:3, 3], eye)
    np.testing.assert_allclose(pose[:3, :3] @ pose[:3, :3].T, np.eye(3), atol=1e-14)
    assert np.linalg.det(pose) == pytest.approx(1)
    seen = np.linalg.inv(pose) @ (*target, 1)
    np.testing.assert_allclose(seen[:2], 0, atol=1e-14)
    assert seen[2] == pytest.approx(np.linalg.norm(target - eye))
    assert pose[2, 0] == pytest.approx(0)  # the image is level
    assert pose[2, 1] <= 1e-15  # and not upside down


def test_what_has_no_direction_is_refused():
    for use in (
        lambda: matrix_from_axis_angle((0, 0, 0), 1.0),
        lambda: matrix_from_quat((0, 0, 0, 0)),
        lambda: quat_rotate_direction((0, 0, 0), (1, 0, 0)),
        lambda: skew((1, 2)),
        lambda: spatial.look_at((1, 2, 3), (1, 2, 3)),
        lambda: spatial.matrix_from_rpy(0.3),
        lambda: spatial.pose_from_rpy((0, 0, 0), (1, 2)),
    ):
        with pytest.raises(ArgumentError):
            use()


def test_all_names_are_there():
    assert list(spatial.__all__) == sorted(spatial.__all__)
    assert all(hasattr(spatial, name) for name in spatial.__all__)


@pytest.mark.parametrize("scale", [1e308, 1.002, 0.998, 1e-160, 5e-324, 0.0])
def test_quaternions_of_another_length_are_refused_with_the_order(scale):
    turned = scale * np.array([0.6, 0.0, 0.0, 0.8])
    pose = [*turned, 1.0, 2.0, 3.0]
    for use in (
        lambda: matrix_from_quat(turned),
        lambda: pose_from_wxyz_xyz(pose),
        lambda: as_pose(pose),
        lambda: as_poses([[1, 0, 0, 0, 1, 2, 3], pose], "poses"),
    ):
        with pytest.raises(ArgumentError, match=r"of length .*expected.*qw qx"):
            use()


@pytest.mark.parametrize("scale", [1.0009, 0.9991])
def test_rounded_quaternions_are_normalised(scale):
    turned = scale * np.array([0.6, 0.0, 0.0, 0.8])
    expected = [[-0.28, -0.96, 0], [0.96, -0.28, 0], [0, 0, 1]]
    np.testing.assert_allclose(matrix_from_quat(turned), expected, atol=1e-14)
    (pose,) = as_poses([[*turned, 1.0, 2.0, 3.0]], "poses")
    np.testing.assert_allclose(pose[:3, :3], expected, atol=1e-14)


def test_slerp_turns_at_a_constant_speed(rng):
    for _ in range(50):
        start, axis = random_quat(rng), rng.normal(size=3)
        angle = rng.uniform(0, math.pi)
        end = quat_multiply(start, quat_from_axis_angle(axis, angle))
        for share in (-0.5, 0.0, 0.3, 1.0, 1.4):
            part = quat_from_axis_angle(axis, share * angle)
            found = spatial.quat_slerp(start, -end, share)
            expected = quat_multiply(start, part)
            assert abs(found @ expected) == pytest.approx(1, abs=1e-12)


def test_slerp_goes_the_long_way_if_asked():
    end = quat_from_axis_angle((0, 0, 1), 1.0)
    found = spatial.quat_slerp((1, 0, 0, 0), -end, 0.5, short=False)
    expected = quat_from_axis_angle((0, 0, 1), 0.5 - math.pi)
    assert abs(found @ expected) == pytest.approx(1, abs=1e-12)
    # opposite numbers are one rotation
    np.testing.assert_allclose(
        spatial.quat_slerp(end, -end, 0.4, short=False), end, atol=1e-12
    )


def test_squad_meets_its_ends_and_is_slerp_where_nothing_bends_it(rng):
    start, leave, arrive, end = (random_quat(rng) for _ in range(4))
    for share, expected in ((0, start), (1, end)):
        found = spatial.quat_squad(start, leave, arrive, end, share)
        assert abs(found @ expected) == pytest.approx(1, abs=1e-12)
    straight = spatial.quat_squad(start, start, end, end, 0.3)
    expected = spatial.quat_slerp(start, end, 0.3)
    np.testing.assert_allclose(straight, expected, atol=1e-12)


def test_the_distance_of_poses_has_two_parts(rng):
    pose = random_pose(rng)
    moved = pose @ spatial.pose_from_rpy((0, 0, 0), (0, 3, 4))
    assert spatial.pose_distance(pose, moved) == pytest.approx(5)
    turned = pose @ spatial.pose_from_axis_angle((0, 1, 0), 0.4)
    chord = 4 * math.sin(0.1)
    # 0.2 is half the angle on the sphere of quaternions: a chord of 2 sin(0.1)
    assert spatial.pose_distance(pose, turned) == pytest.approx(chord / 2)
    assert spatial.pose_distance(pose, turned, 4.0) == pytest.approx(chord)
    with pytest.raises(ArgumentError, match="rotation_weight"):
        spatial.pose_distance(pose, turned, -1.0)


def test_the_nearest_turn_leaves_the_least_rotation(rng):
    for _ in range(30):
        axis, quat = rng.normal(size=3), random_quat(rng) * rng.choice((-1, 1))
        best = spatial.nearest_turn(axis, quat)
        assert -math.pi <= best <= math.pi

        def left(angle, axis=axis, quat=quat):
            turn = quat_from_axis_angle(axis, angle)
            return np.linalg.norm(rotation_vector(quat_multiply(turn, quat)))

        for angle in np.linspace(-math.pi, math.pi, 100):
            assert left(best) <= left(angle) + 1e-9
