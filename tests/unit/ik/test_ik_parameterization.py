from __future__ import annotations

import pickle

import numpy as np
import pytest

from pyrave.errors import ArgumentError, NotSupportedError
from pyrave.ik.parameterization import IkParameterization, IkParameterizationType
from pyrave.spatial import (
    compose,
    invert_pose,
    matrix_from_axis_angle,
    pose_from_wxyz_xyz,
    quat_from_axis_angle,
)

Type = IkParameterizationType
POSITIONS = [kind for kind in Type if not kind.is_velocity]
# Angles about a base axis only survive turns about the norm axis.
FRAME_FREE = [
    kind for kind in POSITIONS if "Angle" not in kind.name and "XY" not in kind.name
]


def random_pose(rng):
    quat = rng.normal(size=4)
    quat /= np.linalg.norm(quat)
    return pose_from_wxyz_xyz(np.concatenate((quat, rng.normal(size=3))))


def same(a, b):
    return a.distance2(b) == pytest.approx(0.0, abs=1e-13)


@pytest.mark.parametrize("kind", POSITIONS)
def test_codes_carry_sizes(kind):
    assert kind.n_values == int(hex(kind)[3], 16)
    assert kind.dof == int(hex(kind)[2])
    assert kind.velocity_type.name == kind.name + "Velocity"
    assert kind.velocity_type.position_type is kind
    assert Type.of(kind.name.lower()) is kind


def test_unknown_name_suggests():
    with pytest.raises(ArgumentError, match="did you mean 'Transform6D'"):
        Type.of("Tranform6D")


@pytest.mark.parametrize("kind", FRAME_FREE)
def test_target_of_a_moved_tool_is_the_moved_target(kind):
    rng = np.random.default_rng(1)
    for _ in range(5):
        tool, frame = random_pose(rng), random_pose(rng)
        direct = IkParameterization.from_pose(kind, compose(frame, tool), (1, 2, 3))
        moved = frame @ IkParameterization.from_pose(kind, tool, (1, 2, 3))
        assert same(direct, moved)
        back = moved.transformed(invert_pose(frame))
        np.testing.assert_allclose(
            back.distance2(IkParameterization.from_pose(kind, tool, (1, 2, 3))),
            0.0,
            atol=1e-13,
        )


@pytest.mark.parametrize(
    ("name", "norm"),
    [
        ("TranslationXYOrientation3D", 2),
        ("TranslationXAxisAngleZNorm4D", 2),
        ("TranslationYAxisAngleXNorm4D", 0),
        ("TranslationZAxisAngleYNorm4D", 1),
    ],
)
def test_planar_targets_turn_about_their_normal(name, norm):
    kind = Type.of(name)
    frame = np.eye(4)
    frame[:3, :3] = matrix_from_axis_angle(np.eye(3)[norm], 2.5)
    frame[:3, 3] = 1, 2, 3
    tool = np.eye(4)
    tool[:3, :3] = matrix_from_axis_angle(np.eye(3)[norm], 1.5)
    direction = np.eye(3)[(norm + 1) % 3]
    direct = IkParameterization.from_pose(kind, compose(frame, tool), direction)
    moved = frame @ IkParameterization.from_pose(kind, tool, direction)
    assert same(direct, moved)


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-9, 1e-5, np.pi - 1e-9, np.pi])
def test_angles_to_an_axis_are_exact_beside_it(angle):
    """An arc cosine would be off by 1e-8 there."""
    tool = np.eye(4)
    tool[:3, :3] = matrix_from_axis_angle((0.0, 1.0, 0.0), angle)
    kind = Type.TranslationZAxisAngle4D
    found = IkParameterization.from_pose(kind, tool, (0.0, 0.0, 1.0)).values[0]
    assert found == pytest.approx(angle, abs=1e-15)


def test_axis_angles():
    tool = np.eye(4)
    tool[:3, 3] = 1, 2, 3
    for axis, kind in zip("xyz", POSITIONS[10:13], strict=True):
        param = IkParameterization.from_pose(kind, tool, (1, 1, 0))
        angle = np.pi / 2 if axis == "z" else np.pi / 4
        np.testing.assert_allclose(param.values, (angle, 1, 2, 3))
        made = IkParameterization.translation_axis_angle_4d(axis, (1, 2, 3), angle)
        assert made.type is kind
        assert same(made, param)
    norm = IkParameterization.translation_axis_angle_norm_4d("z", (1, 2, 3), 0.5)
    assert norm.type is Type.TranslationZAxisAngleYNorm4D
    with pytest.raises(ArgumentError, match="expected 'x', 'y' or 'z'"):
        IkParameterization.translation_axis_angle_4d("w", (1, 2, 3), 0.5)


def test_constructors_store_rotation_before_position():
    ray = IkParameterization.ray_4d((1, 2, 3), (0, 0, 2))
    assert ray.values == (0, 0, 1, 1, 2, 3)
    assert IkParameterization.direction_3d((0, 3, 0)).values == (0, 1, 0)
    assert IkParameterization.rotation_3d((1.0005, 0, 0, 0)).values == (1, 0, 0, 0)
    assert IkParameterization.lookat_3d((1, 2, 3)).type is Type.Lookat3D
    assert IkParameterization.translation_xy_2d((1, 2)).values == (1, 2)
    flat = IkParameterization.translation_xy_orientation_3d((1, 2), 0.3)
    assert flat.values == (1, 2, 0.3)
    local = IkParameterization.translation_local_global_6d((1, 2, 3), (4, 5, 6))
    assert local.values == (1, 2, 3, 4, 5, 6)
    pose = pose_from_wxyz_xyz((0.5, 0.5, 0.5, 0.5, 1, 2, 3))
    assert IkParameterization.transform_6d(pose).values == (0.5, 0.5, 0.5, 0.5, 1, 2, 3)


def test_points_on_one_ray_are_one_target():
    a = IkParameterization.ray_4d((1, 2, 3), (0, 0, 1))
    b = IkParameterization.ray_4d((1, 2, -8), (0, 0, 1))
    assert same(a, b)


def test_distance_weighs_rotation():
    quat = quat_from_axis_angle((0, 0, 1), 0.6)
    a = IkParameterization.transform_6d(np.eye(4))
    b = IkParameterization.transform_6d((*quat, 3, 4, 0))
    # The angle between quaternions is half the angle of the rotation.
    assert a.distance2(b) == pytest.approx(25 + 0.4 * 0.3**2)
    with pytest.raises(ArgumentError, match="Transform6D and Ray4D"):
        a.distance2(IkParameterization.ray_4d((0, 0, 0), (1, 0, 0)))


def test_velocities_turn_but_do_not_move():
    frame = np.eye(4)
    frame[:3, :3] = matrix_from_axis_angle((0, 0, 1), np.pi / 2)
    frame[:3, 3] = 5, 6, 7
    velocity = IkParameterization(Type.Translation3DVelocity, (1, 0, 0))
    np.testing.assert_allclose((frame @ velocity).values, (0, 1, 0), atol=1e-15)
    turning = IkParameterization(Type.TranslationXYOrientation3DVelocity, (1, 0, 0.5))
    np.testing.assert_allclose((frame @ turning).values, (0, 1, 0.5), atol=1e-15)
    assert velocity.distance2(frame @ velocity) == pytest.approx(2.0)
    with pytest.raises(NotSupportedError, match="position type"):
        IkParameterization.from_pose(Type.Ray4DVelocity, frame)


def test_custom_lists_transform_by_suffix():
    frame = np.eye(4)
    frame[:3, :3] = matrix_from_axis_angle((0, 0, 1), np.pi / 2)
    frame[:3, 3] = 5, 0, 0
    inner = IkParameterization.translation_3d((1, 0, 0))
    param = IkParameterization.translation_3d((0, 0, 0))
    for name, numbers in (
        ("plain", (1, 0, 0)),
        ("a_transform=direction_", (1, 0, 0, 0, 1, 0)),
        ("b_transform=point_", (1, 0, 0)),
        ("c_transform=quat_", (1, 0, 0, 0)),
        ("d_transform=ikparam_", (int(inner.type), *inner.values)),
    ):
        param = param.with_custom(name, numbers)
    moved = (frame @ param).custom_values
    assert moved["plain"] == (1, 0, 0)
    np.testing.assert_allclose(
        moved["a_transform=direction_"], (0, 1, 0, -1, 0, 0), atol=1e-15
    )
    np.testing.assert_allclose(moved["b_transform=point_"], (5, 1, 0), atol=1e-15)
    half = np.sqrt(0.5)
    np.testing.assert_allclose(moved["c_transform=quat_"], (half, 0, 0, half))
    np.testing.assert_allclose(
        moved["d_transform=ikparam_"], (int(inner.type), 5, 1, 0), atol=1e-15
    )
    assert param.without_custom("plain").custom_values.keys() == moved.keys() - {
        "plain"
    }
    assert param.without_custom().custom == ()
    assert IkParameterization.deserialize(param.serialize()) == param
    with pytest.raises(ArgumentError, match="expected a multiple of 3"):
        frame @ param.with_custom("e_transform=point_", (1, 2))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "type code is missing"),
        ("x", "expected a whole number"),
        ("12 1 2 3", "unknown ik parameterization type 12"),
        ("855638019 1 2", "3 numbers expected, 2 words left"),
        ("855638019 1 2 3 4", "1 words too many"),
        ("855638019 1 2 nan", "not finite"),
        ("855638019 1 2 z", "not a number"),
        ("855703555 1 2 3 1 name 99999999999 0", "99999999999 numbers expected"),
        ("855703555 1 2 3 1 name -1 0", "length is negative"),
    ],
)
def test_bad_text(text, message):
    with pytest.raises(ArgumentError, match=message):
        IkParameterization.deserialize(text)


def test_bad_values():
    with pytest.raises(ArgumentError, match="the ik parameterization type is 7"):
        IkParameterization(7, (1, 2, 3))  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="expected length 3"):
        IkParameterization(Type.Translation3D, (1, 2))
    with pytest.raises(
        ArgumentError, match=r"a Rotation3D is .*length 0, .*qw qx qy qz"
    ):
        IkParameterization.rotation_3d((0, 0, 0, 0))
    with pytest.raises(ArgumentError, match="must be one word"):
        IkParameterization.translation_3d((1, 2, 3)).with_custom("two words", ())


def test_is_a_value():
    param = IkParameterization.translation_3d((1, 2, 3)).with_custom("n", (4,))
    assert pickle.loads(pickle.dumps(param)) == param  # noqa: S301
    assert hash(param) == hash(IkParameterization.deserialize(str(param)))


def test_parts_have_names():
    pose = random_pose(np.random.default_rng(3))
    goal = IkParameterization.transform_6d(pose)
    np.testing.assert_allclose(goal.pose, pose, atol=1e-12)
    np.testing.assert_allclose(goal.position, pose[:3, 3])
    np.testing.assert_allclose(
        pose_from_wxyz_xyz((*goal.quaternion, 0, 0, 0))[:3, :3], pose[:3, :3]
    )
    ray = IkParameterization.ray_4d((1, 2, 3), (0, 2, 0))
    assert ray.position.tolist() == [1, 2, 3]
    assert ray.direction.tolist() == [0, 1, 0]
    local = IkParameterization.translation_local_global_6d((1, 2, 3), (4, 5, 6))
    assert (local.local_point.tolist(), local.position.tolist()) == (
        [1, 2, 3],
        [4, 5, 6],
    )
    plane = IkParameterization.translation_xy_orientation_3d((1, 2), 0.3)
    assert (plane.position.tolist(), plane.angle) == ([1, 2], 0.3)
    turn = IkParameterization.translation_axis_angle_norm_4d("y", (1, 2, 3), 0.4)
    assert (turn.position.tolist(), turn.angle) == ([1, 2, 3], 0.4)
    with pytest.raises(NotSupportedError, match=r"Ray4D has no angle; it has dir.*pos"):
        _ = ray.angle


def test_a_part_is_what_the_constructor_was_given():
    rng = np.random.default_rng(4)
    for kind in POSITIONS:
        goal = IkParameterization.from_pose(kind, random_pose(rng), (0, 0, 1))
        parts = [
            np.atleast_1d(getattr(goal, name))
            for name in ("position", "direction", "quaternion", "angle", "local_point")
            if _has(goal, name)
        ]
        numbers = sorted(np.concatenate(parts).tolist())
        assert numbers == sorted(goal.values), kind


def _has(goal, name):
    try:
        getattr(goal, name)
    except NotSupportedError:
        return False
    return True


@pytest.mark.parametrize("kind", ["Transform6D", "Rotation3D"])
def test_a_motion_in_its_own_frame_of_a_pose_is_a_product(kind):
    rng = np.random.default_rng(5)
    for _ in range(5):
        tool, step = random_pose(rng), random_pose(rng)
        goal = IkParameterization.from_pose(kind, tool)
        assert same(goal @ step, IkParameterization.from_pose(kind, tool @ step))
        frame = random_pose(rng)
        assert same((frame @ goal) @ step, frame @ (goal @ step))


def test_a_motion_in_its_own_frame_of_lines_goes_along_them():
    for made in (
        IkParameterization.ray_4d,
        IkParameterization.translation_direction_5d,
    ):
        goal = made((1, 2, 3), (1, 0, 0))
        step = np.eye(4)
        step[2, 3] = 0.5  # z is along the direction
        assert (goal @ step).position.tolist() == pytest.approx([1.5, 2, 3])
        step = np.eye(4)
        step[:3, :3] = matrix_from_axis_angle((0, 1, 0), np.pi / 2)
        # x of the frame lies where the shortest turn takes it from z to x: at -z
        np.testing.assert_allclose((goal @ step).direction, (0, 0, -1), atol=1e-12)


def test_a_motion_in_its_own_frame_of_positions():
    step = np.eye(4)
    step[:3, 3] = 1, 2, 3
    point = IkParameterization.translation_3d((1, 1, 1)) @ step
    assert point.values == (2, 3, 4)
    assert (IkParameterization.translation_xy_2d((1, 1)) @ step).values == (2, 3)
    assert (IkParameterization.lookat_3d((0, 0, 0)) @ step).values == (1, 2, 3)
    local = IkParameterization.translation_local_global_6d((7, 8, 9), (0, 0, 0)) @ step
    assert local.values == (7, 8, 9, 1, 2, 3)
    turn = IkParameterization.translation_axis_angle_4d("x", (0, 0, 0), 0.4) @ step
    assert turn.values == (0.4, 1, 2, 3)
    step[:3, :3] = matrix_from_axis_angle((0, 0, 1), 0.25)
    plane = IkParameterization.translation_xy_orientation_3d((0, 0), np.pi / 2) @ step
    np.testing.assert_allclose(plane.values, (-2, 1, np.pi / 2 + 0.25), atol=1e-12)
    with pytest.raises(NotSupportedError, match="no frame of its own"):
        IkParameterization(Type.Translation3DVelocity, (1, 2, 3)).moved(step)
