"""Rotations, quaternions and poses by OpenRAVE's names, one and many."""

import math

import numpy as np
import pytest

HALF = math.sqrt(0.5)
# a quarter about z, then a place: documented by its matrix
POSE = np.array([HALF, 0, 0, HALF, 1, 2, 3])
MATRIX = np.array([[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1.0]])


@pytest.fixture
def rng():
    return np.random.default_rng(20261130)


def random_pose(rng):
    quat = rng.normal(size=4)
    return np.r_[quat / np.linalg.norm(quat), rng.normal(size=3)]


def same_pose(a, b):
    np.testing.assert_allclose(a[4:], b[4:], atol=1e-12)
    assert abs(a[:4] @ b[:4]) == pytest.approx(1, abs=1e-12)


def test_a_rotation_in_all_its_forms(openravepy):
    quat, turn = POSE[:4], MATRIX[:3, :3]
    vector = np.array([0, 0, math.pi / 2])
    o = openravepy
    for given in ((vector,), ([0, 0, 2], math.pi / 2)):
        np.testing.assert_allclose(o.quatFromAxisAngle(*given), quat)
        np.testing.assert_allclose(
            o.rotationMatrixFromAxisAngle(*given), turn, atol=1e-15
        )
        found = o.matrixFromAxisAngle(*given)
        np.testing.assert_allclose(found[:3, :3], turn, atol=1e-15)
        np.testing.assert_array_equal(found[3], (0, 0, 0, 1))
    np.testing.assert_allclose(o.axisAngleFromQuat(-quat), vector)
    np.testing.assert_allclose(o.axisAngleFromRotationMatrix(MATRIX), vector)
    np.testing.assert_allclose(o.quatFromRotationMatrix(turn), quat)
    np.testing.assert_allclose(o.rotationMatrixFromQuat(3 * quat), turn, atol=1e-15)
    np.testing.assert_allclose(o.matrixFromQuat(quat)[:3, :3], turn, atol=1e-15)
    (first,) = o.rotationMatrixFromQArray([quat])
    np.testing.assert_allclose(first, turn, atol=1e-15)
    np.testing.assert_allclose(o.ExtractAxisFromQuat(quat, 0), (0, 1, 0), atol=1e-15)
    np.testing.assert_array_equal(o.quatFromAxisAngle([0, 0, 0]), (1, 0, 0, 0))


def test_products_are_those_of_matrices(openravepy, rng):
    o = openravepy
    for _ in range(20):
        a, b, point = random_pose(rng), random_pose(rng), rng.normal(size=3)
        product = o.matrixFromPose(a) @ o.matrixFromPose(b)
        np.testing.assert_allclose(o.matrixFromPose(o.poseMult(a, b)), product)
        same_pose(o.MultiplyPose(a, b), o.poseFromMatrix(product))
        np.testing.assert_allclose(
            o.rotationMatrixFromQuat(o.quatMult(a[:4], b[:4])), product[:3, :3]
        )
        same_pose(o.poseMult(a, o.InvertPose(a)), np.array([1, 0, 0, 0, 0, 0, 0]))
        np.testing.assert_allclose(
            o.quatMultiply(a[:4], o.quatInverse(a[:4])), (1, 0, 0, 0), atol=1e-15
        )
        np.testing.assert_allclose(
            o.poseTransformPoint(a, point),
            (o.matrixFromPose(a) @ np.r_[point, 1])[:3],
        )


def test_many_at_once_are_as_one_by_one(openravepy, rng):
    o = openravepy
    poses = np.array([random_pose(rng) for _ in range(7)])
    points, one = rng.normal(size=(7, 3)), random_pose(rng)
    quats = poses[:, :4]
    for row, pose in enumerate(poses):
        same_pose(o.InvertPoses(poses)[row], o.InvertPose(pose))
        same_pose(o.poseMultArrayT(one, poses)[row], o.poseMult(one, pose))
        turned = o.rotationMatrixFromQuat(pose[:4]) @ points[0]
        np.testing.assert_allclose(o.quatArrayTRotate(quats, points[0])[row], turned)
        np.testing.assert_allclose(
            o.quatArrayRotate(quats.T, points[0])[:, row], turned
        )
        np.testing.assert_allclose(o.quatRotate(pose[:4], points[0]), turned)
        np.testing.assert_allclose(
            o.quatArrayTMult(quats, one[:4])[row], o.quatMult(pose[:4], one[:4])
        )
        np.testing.assert_allclose(
            o.quatMultArrayT(one[:4], quats)[row], o.quatMult(one[:4], pose[:4])
        )
        distance = o.ComputePoseArrayDistSqr(one, poses, 0.5)[row]
        assert distance == pytest.approx(o.ComputePoseDistSqr(one, pose, 0.5))
        turn = o.quatMult(o.quatInverse(one[:4]), pose[:4])
        half = np.linalg.norm(o.axisAngleFromQuat(turn)) / 2
        assert o.quatArrayTDist(one[:4], quats)[row] == pytest.approx(half)
    matrices = o.matrixFromPoses(poses)
    np.testing.assert_allclose(o.poseFromMatrices(matrices)[:, 4:], poses[:, 4:])
    there = o.poseTransformPoints(one, points)
    np.testing.assert_allclose(o.transformPoints(o.matrixFromPose(one), points), there)
    np.testing.assert_allclose(
        o.TransformInversePoints(o.matrixFromPose(one), there), points
    )
    np.testing.assert_allclose(o.quatRotateArrayT(one[:4], points) + one[4:], there)
    assert o.InvertPoses([]).shape == (0, 7)
    assert o.transformPoints(MATRIX, []).shape == (0, 3)


def test_turns_about_an_axis_are_taken_away(openravepy, rng):
    o = openravepy
    quats = np.array([random_pose(rng)[:4] for _ in range(20)])
    normalized, angles = o.normalizeZRotation(quats)
    for quat, least, angle in zip(quats, normalized, angles, strict=True):
        turn, found = o.normalizeAxisRotation([0, 0, 5], quat)
        assert abs(found @ least) == pytest.approx(1)
        assert found[3] == pytest.approx(0, abs=1e-12)
        assert math.cos(turn) == pytest.approx(math.cos(angle))


def test_a_camera_looks_along_z_with_y_up(openravepy):
    found = openravepy.transformLookat([2, 0, 1], [0, 0, 1], [0, 0, 1])
    np.testing.assert_allclose(found[:3, 2], (1, 0, 0), atol=1e-15)
    np.testing.assert_allclose(found[:3, 1], (0, 0, 1), atol=1e-15)
    np.testing.assert_allclose(found[:3, 3], (0, 0, 1), atol=1e-15)
    assert np.linalg.det(found) == pytest.approx(1)
    above = openravepy.TransformLookat([0, 0, 0], [0, 0, 1], [0, 0, 1])
    assert np.linalg.det(above) == pytest.approx(1)


def test_turns_between_two_rotations(openravepy):
    o = openravepy
    start, end = np.array([1.0, 0, 0, 0]), o.quatFromAxisAngle([0, 0, 1.0])
    for call in (o.quatSlerp, o.InterpolateQuatSlerp):
        np.testing.assert_allclose(
            call(start, -end, 0.25), o.quatFromAxisAngle([0, 0, 0.25])
        )
    squad = o.InterpolateQuatSquad(start, start, end, end, 0.25)
    np.testing.assert_allclose(squad, o.quatSlerp(start, end, 0.25))
    turn = o.quatRotateDirection([0, 0, 3], [2, 0, 0])
    np.testing.assert_allclose(o.quatRotate(turn, [0, 0, 1]), (1, 0, 0), atol=1e-15)


def test_texts_of_poses_for_commands(openravepy):
    numbers = [float(word) for word in openravepy.matrixSerialization(MATRIX).split()]
    np.testing.assert_allclose(
        numbers, np.r_[MATRIX[:3, :3].T.ravel(), MATRIX[:3, 3]], atol=1e-15
    )
    numbers = [float(word) for word in openravepy.poseSerialization(POSE).split()]
    np.testing.assert_allclose(numbers, POSE)


def test_numbers_that_are_no_rotations_are_told(openravepy):
    o = openravepy
    wrong = (
        lambda: o.quatFromAxisAngle([1, 2]),
        lambda: o.matrixFromQuat([0, 0, 0, 0]),
        lambda: o.poseFromMatrix(np.eye(3)),
        lambda: o.matrixFromPose("pose"),
        lambda: o.quatArrayTMult(np.zeros((2, 3)), [1, 0, 0, 0]),
        lambda: o.ExtractAxisFromQuat([1, 0, 0, 0], 3),
        o.quatSlerp,
    )
    for call in wrong:
        with pytest.raises(o.openrave_exception) as raised:
            call()
        assert raised.value.GetCode() == o.ErrorCode.InvalidArguments


def test_nearest_points(openravepy, rng):
    from openravepy.pyANN import KDTree

    points = rng.normal(size=(50, 3))
    tree = KDTree(points)
    assert (len(tree), tree.dim()) == (50, 3)
    squares = ((points - points[7]) ** 2).sum(axis=1)
    places, distances = tree.kSearch(points[7], 4, 0)
    assert list(places) == list(np.argsort(squares)[:4])
    np.testing.assert_allclose(distances, np.sort(squares)[:4], atol=1e-15)
    radius = np.sort(squares)[2]
    places, distances, counts = tree.kFRSearchArray(points[7:8], radius, 5, 0)
    assert counts[0] == 3
    assert list(places[0, 3:]) == [-1, -1]
    assert tree.kFRSearch(points[7], radius, 0, 0)[2] == 3
    with pytest.raises(openravepy.openrave_exception, match="k is 51"):
        tree.kSearch(points[7], 51, 0)


def test_enumerations_by_name_and_the_bindings_own_module(openravepy):
    import openravepy.openravepy_int as bindings
    from openravepy.openravepy_ext import enum_to_dict

    levels = enum_to_dict(openravepy.DebugLevel)
    assert levels["Info"] == openravepy.DebugLevel.Info
    assert bindings.Environment is openravepy.Environment
    assert "quatMult" in bindings.__all__
    assert bindings.quatMult is openravepy.quatMult


def test_the_star_gives_modules_that_scripts_do_not_import(openravepy):
    names = {}
    exec("from openravepy import *", names)  # noqa: S102
    assert names["numpy"] is np
    assert names["openravepy"] is openravepy
    assert {"os", "pickle", "optparse"} <= names.keys()


def test_instances_follow_a_class_that_is_loaded_again(openravepy):
    from openravepy.metaclass import AutoReloader

    def define(number):
        values = {"__module__": "again", "number": number}
        return type(AutoReloader)("Again", (AutoReloader,), values)

    made = define(1)()
    define(2)
    assert made.number == 2


def test_types_of_goals_by_the_last_bits_of_their_ids(openravepy):
    types = openravepy.IkParameterizationType
    for name in ("Transform6D", "Lookat3D", "TranslationDirection5DVelocity"):
        code = int(types[name])
        assert openravepy.RaveGetIkTypeFromUniqueId(code & 0xFFFF) is types[name]
        assert openravepy.RaveGetIkTypeFromUniqueId(code) is types[name]
    with pytest.raises(openravepy.openrave_exception, match=r"no type of goals.* 255"):
        openravepy.RaveGetIkTypeFromUniqueId(255)


def test_convex_pieces_of_triangles(openravepy):
    """Two boxes that do not touch are their own pieces; a skin makes them larger."""
    pytest.importorskip("coacd")
    corners = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4)]
    faces = [(a, b, c) for a, b, c, _ in [*sides, (1, 5, 7, 3)]]
    faces += [(a, c, d) for a, _, c, d in [*sides, (1, 5, 7, 3)]]
    vertices = np.vstack((corners, corners + np.array([3.0, 0, 0])))
    indices = np.vstack((faces, np.array(faces) + 8))
    pieces = openravepy.computeConvexDecomposition(vertices, indices)
    assert len(pieces) == 2
    spans = sorted((v.min(0)[0], v.max(0)[0]) for v, _ in pieces)
    np.testing.assert_allclose(spans, [(0, 1), (3, 4)], atol=0.02)
    assert all(f.shape[1] == 3 and f.max() < len(v) for v, f in pieces)
    padded = openravepy.computeConvexDecomposition(vertices, indices, skinWidth=0.1)
    widths = sorted(np.ptp(v[:, 0]) for v, _ in padded)
    np.testing.assert_allclose(widths, 1.2, atol=0.03)
    with pytest.raises(openravepy.openrave_exception):
        openravepy.computeConvexDecomposition(vertices, indices + 100)


def test_points_that_a_search_visits_are_no_limit(openravepy):
    assert openravepy.max_pts_visit(10) is None
    tree = openravepy.pyANN.KDTree(np.arange(30.0)[:, None])
    assert tree.kSearch([17.2], 1)[0].tolist() == [17]
    with pytest.raises(openravepy.openrave_exception, match="max_pts_visit"):
        openravepy.max_pts_visit("x")


def test_messages_name_the_class_that_scripts_know(openravepy, env):
    body = openravepy.RaveCreateKinBody(env, "")
    with pytest.raises(openravepy.openrave_exception, match=r": KinBody.SetDOFVal.*\("):
        body.SetDOFValues()
    robot = openravepy.RaveCreateRobot(env, "")
    with pytest.raises(openravepy.openrave_exception, match=r": Robot.SetDOFValues"):
        robot.SetDOFValues()
