from __future__ import annotations

import pickle
from types import SimpleNamespace

import numpy as np
import pytest

from pyrave.errors import ArgumentError, NotSupportedError, SceneError
from pyrave.ik.parameterization import IkParameterization, IkParameterizationType
from pyrave.spatial import (
    matrix_from_axis_angle,
    pose_from_wxyz_xyz,
    quat_from_axis_angle,
    wxyz_xyz_from_pose,
)
from pyrave.trajectories.groups import (
    Group,
    affine_dof,
    get_interpolation_derivative,
    interpolation_degree,
)
from pyrave.trajectories.specification import ConfigurationSpecification, convert_data

Spec = ConfigurationSpecification


def joints(*indices, body="arm", kind="joint_values", interpolation="linear"):
    name = " ".join((kind, body, *map(str, indices)))
    return Spec().add_group(name, len(indices), interpolation)


def test_groups_are_laid_out_one_after_the_other():
    spec = joints(0, 1).add_group("affine_transform arm 39", 7).add_delta_time_group()
    assert [group.offset for group in spec] == [0, 2, 9]
    assert spec.dof == 10
    assert len(spec) == 3
    assert spec.is_valid()


def test_is_a_value():
    assert joints(0, 1) == joints(0, 1)
    assert hash(joints(0, 1)) == hash(joints(0, 1))
    assert joints(0, 1) != joints(1, 0)
    assert pickle.loads(pickle.dumps(joints(0, 1))) == joints(0, 1)  # noqa: S301


def test_adding_an_equal_group_changes_nothing():
    spec = joints(0, 1)
    assert spec.add_group("joint_values arm 0 1", 2) is spec
    with pytest.raises(
        ArgumentError, match=r"'deltatime' exists with 1 values; found 2"
    ):
        spec.add_delta_time_group().add_group("deltatime", 2)


@pytest.mark.parametrize(
    ("name", "dof", "message"),
    [
        ("joint_values arm 0 1", 3, "names 2 joint indices for 3 values"),
        ("joint_values arm x", 1, "joint indices must be whole numbers"),
        ("joint_values arm -1", 1, "none negative"),
        ("affine_transform arm 39", 6, "has 6 values, its mask 39 means 7"),
        ("affine_transform arm 48", 7, "more than one kind of rotation"),
        ("affine_transform arm 64", 7, "not within 0..63"),
        ("ikparam_values what", 3, "no parameterization type"),
        ("", 1, "is empty"),
        ("deltatime", 0, "is empty"),
    ],
)
def test_groups_without_meaning_are_refused(name, dof, message):
    with pytest.raises(ArgumentError, match=message):
        Spec().add_group(name, dof)


def test_unknown_interpolation_names_the_nearest():
    with pytest.raises(ArgumentError, match=r"'quintc', did you mean 'quintic'\?"):
        Group("x", 0, 1, "quintc")


def test_the_older_spelling_of_quartic_is_read():
    assert Group("x", 0, 1, "quadric").interpolation == "quartic"


@pytest.mark.parametrize(
    ("interpolation", "order", "expected"),
    [
        ("sextic", 1, "quintic"),
        ("quintic", 2, "cubic"),
        ("linear", 1, "next"),
        ("next", 3, "next"),
        ("", 1, ""),
        ("previous", 1, ""),
    ],
)
def test_interpolation_derivative(interpolation, order, expected):
    assert get_interpolation_derivative(interpolation, order) == expected


def test_interpolation_degrees():
    names = ("next", "linear", "quadratic", "cubic", "quartic", "quintic", "sextic")
    assert [interpolation_degree(name) for name in names] == list(range(7))
    assert interpolation_degree("previous") is None


def test_problem_names_gaps_and_overlaps():
    gap = Spec((Group("a", 0, 1), Group("b", 2, 1)))
    assert "'b' starts at 2, expected 1" in (gap.problem() or "")
    assert not Spec((Group("a", 0, 2), Group("b", 1, 1))).is_valid()
    with pytest.raises(ArgumentError, match="neither overlap nor leave gaps"):
        gap.require_valid()
    assert gap.reset_group_offsets().is_valid()


def test_offsets_need_not_ascend():
    assert Spec((Group("b", 1, 1), Group("a", 0, 1))).is_valid()


def test_derivative_groups():
    spec = joints(0, 1, interpolation="quintic").add_derivative_groups(1)
    spec = spec.add_derivative_groups(2, add_delta_time=True)
    assert [(g.name, g.interpolation) for g in spec] == [
        ("joint_values arm 0 1", "quintic"),
        ("joint_velocities arm 0 1", "quartic"),
        ("joint_accelerations arm 0 1", "cubic"),
        ("deltatime", ""),
    ]
    with pytest.raises(ArgumentError, match="derivative order is 0"):
        spec.add_derivative_groups(0)
    with pytest.raises(ArgumentError, match=r"no 7\. time derivative"):
        spec.add_derivative_groups(7)


def test_finding_derivatives_and_integrals():
    spec = joints(0, 1).add_derivative_groups(1)
    values, velocities = spec.groups
    assert spec.find_time_derivative_group(values) == velocities
    assert spec.find_time_derivative_group("joint_values arm 0 1") == velocities
    assert spec.find_time_integral_group(velocities) == values
    assert spec.find_time_integral_group(values) is None
    assert spec.find_time_derivative_group("deltatime") is None


def test_compatible_group_shares_most_joints():
    spec = joints(0, 1).add_group("joint_values arm 2 3 4", 3)
    found = spec.find_compatible_group("joint_values arm 1 3 4")
    assert found is not None
    assert found.name == "joint_values arm 2 3 4"
    assert spec.find_compatible_group("joint_values arm 1 3 4", exact=True) is None
    assert spec.find_compatible_group("joint_values other 1") is None
    assert spec.find_compatible_group("joint_values arm 7") is None


def test_velocity_specification_keeps_offsets():
    spec = joints(0, interpolation="cubic").add_delta_time_group()
    velocity = spec.convert_to_velocity_specification()
    assert [g.name for g in velocity] == ["joint_velocities arm 0", "deltatime"]
    assert velocity.groups[0].interpolation == "quadratic"
    third = spec.convert_to_derivative_specification(3)
    assert third.groups[0].name == "joint_jerks arm 0"


def test_remove_groups_closes_up():
    spec = joints(0, 1).add_delta_time_group().add_group("iswaypoint", 1, "next")
    assert [g.offset for g in spec.remove_groups("joint_values", exact=False)] == [0, 1]
    assert spec.remove_groups("joint_values") == spec
    assert spec.remove_groups("deltatime").dof == 3


def test_group_from_name():
    spec = joints(0, 1)
    assert spec.group_from_name("joint_values").dof == 2
    with pytest.raises(ArgumentError, match="known: 'joint_values arm 0 1'"):
        spec.group_from_name("deltatime")


def test_sum_joins_groups_of_one_body():
    spec = joints(0, 1) + joints(1, 2) + joints(0, body="leg")
    assert [g.name for g in spec] == ["joint_values arm 0 1 2", "joint_values leg 0"]
    assert spec.is_valid()
    spec += Spec().add_group("affine_transform arm 3", 2)
    spec += Spec().add_group("affine_transform arm 36", 5)
    assert spec.groups[-1].name == "affine_transform arm 39"
    apart = spec + Spec().add_group("affine_transform arm 16", 3)
    assert len(apart) == len(spec) + 1


def test_used_bodies_and_indices():
    spec = (joints(4, 2) + joints(0, body="leg")).add_group(
        "joint_velocities arm 2 5", 2
    )
    assert spec.used_body_names() == ("arm", "leg")
    indices, columns = spec.extract_used_indices("arm")
    assert (indices.tolist(), columns.tolist()) == ([4, 2, 5], [0, 1, 4])
    env = SimpleNamespace(bodies={"arm": "the arm"})
    assert spec.extract_used_bodies(env) == ["the arm"]


def test_joint_values_over_several_groups():
    spec = joints(0, 1).add_group("joint_values arm 5 3", 2)
    data = np.array([[0.0, 1.0, 5.0, 3.0], [10.0, 11.0, 15.0, 13.0]])
    got = spec.extract_joint_values(data, "arm", [3, 0])
    np.testing.assert_array_equal(got, [[3, 0], [13, 10]])
    np.testing.assert_array_equal(
        spec.extract_joint_values(data[0], SimpleNamespace(name="arm")), [0, 1, 5, 3]
    )
    assert spec.extract_joint_values(data, "arm", [3, 9]) is None
    filled = spec.extract_joint_values(data[0], "arm", [3, 9], default=[-1, -2])
    np.testing.assert_array_equal(filled, [3, -2])
    assert spec.extract_joint_values(data, "arm", time_derivative=1) is None
    assert spec.insert_joint_values(data, [7.0, 8.0], "arm", [5, 99])
    np.testing.assert_array_equal(data[:, 2], [7, 7])
    assert not spec.insert_joint_values(data, [7.0], "leg", [0])


def test_wrong_shapes_are_named():
    spec = joints(0, 1)
    with pytest.raises(ArgumentError, match=r"shape \(3,\), expected \(..., 2\)"):
        spec.extract_joint_values(np.zeros(3), "arm")
    with pytest.raises(ArgumentError, match="float64 array"):
        spec.insert_joint_values([0, 0], [1.0], "arm", [0])
    with pytest.raises(ArgumentError, match=r"values have shape \(1,\)"):
        spec.insert_joint_values(np.zeros(2), [1.0], "arm", [0, 1])


def test_delta_time():
    spec = joints(0).add_delta_time_group()
    data = np.zeros((2, 2))
    assert spec.insert_delta_time(data, [0.5, 0.25])
    np.testing.assert_array_equal(spec.extract_delta_time(data), [0.5, 0.25])
    assert joints(0).extract_delta_time([1.0]) is None


POSE = pose_from_wxyz_xyz((0.5, 0.1, -0.7, 0.5, 1.0, 2.0, 3.0))


@pytest.mark.parametrize("mask", [39, 23])
def test_transform_round_trip(mask):
    spec = Spec().add_group(f"affine_transform arm {mask}", affine_dof(mask))
    data = np.zeros((3, spec.dof))
    assert spec.insert_transform(data, POSE, "arm")
    poses = spec.extract_transform(data, "arm")
    assert poses.shape == (3, 4, 4)
    np.testing.assert_allclose(poses[2], POSE, atol=1e-14)
    assert spec.extract_transform(data, "leg") is None


def test_partial_transform_keeps_the_base():
    spec = Spec().add_group("affine_transform arm 11", 3)
    data = np.array([1.0, 2.0, 0.5])
    base = np.eye(4)
    base[2, 3] = 9.0
    expected = np.eye(4)
    expected[:3, :3] = matrix_from_axis_angle((0, 0, 1), 0.5)
    expected[:3, 3] = 1, 2, 9
    np.testing.assert_allclose(spec.extract_transform(data, "arm", base), expected)


@pytest.mark.parametrize("source", [39, 23, 15])
@pytest.mark.parametrize("target", [39, 23, 15, 7, 32, 16, 8, 1])
def test_affine_masks_convert_like_poses(source, target):
    pose = np.eye(4)
    pose[:3, :3] = matrix_from_axis_angle((0, 0, 1), -0.9)
    pose[:3, 3] = 1, 2, 3
    specs = [
        Spec().add_group(f"affine_transform b {mask}", affine_dof(mask))
        for mask in (source, target)
    ]
    data = np.zeros(specs[0].dof)
    specs[0].insert_transform(data, pose, "b")
    expected = np.zeros(specs[1].dof)
    specs[1].insert_transform(expected, pose, "b")
    np.testing.assert_allclose(
        convert_data(specs[1], data, specs[0]), expected, atol=1e-14
    )


def test_rotation_axis_is_part_of_the_meaning():
    about_x = Spec().add_group("affine_transform b 8 1 0 0", 1)
    about_z = Spec().add_group("affine_transform b 8", 1)
    quat = Spec().add_group("affine_transform b 32", 4)
    got = convert_data(quat, [0.4], about_x)
    np.testing.assert_allclose(got, quat_from_axis_angle((1, 0, 0), 0.4))
    assert abs(convert_data(about_z, [0.4], about_x)[0]) < 1e-15


def test_affine_rates_from_quaternions_match_finite_differences():
    spec = (
        Spec()
        .add_group("affine_transform b 39", 7)
        .add_group("affine_velocities b 39", 7)
        .add_group("affine_accelerations b 39", 7)
    )
    omega = np.array((0.3, -0.5, 0.8))
    start = np.array((0.5, 0.5, -0.5, 0.5))

    def quat(t):
        turn = quat_from_axis_angle(
            omega / np.linalg.norm(omega), t * np.linalg.norm(omega)
        )
        w, x, y, z = turn
        left = np.array(((w, -x, -y, -z), (x, w, -z, y), (y, z, w, -x), (z, -y, x, w)))
        return left @ start

    h = 1e-4
    rate = (quat(h) - quat(-h)) / (2 * h)
    second = (quat(h) - 2 * quat(0) + quat(-h)) / h**2
    data = np.concatenate((quat(0), np.zeros(3), rate, (1, 2, 3), second, np.zeros(3)))
    # Positions come before rotations.
    data = data.reshape(3, 7)[:, [4, 5, 6, 0, 1, 2, 3]].ravel()
    got = spec.extract_affine_rates(data, "b")
    np.testing.assert_allclose(got, (1, 2, 3, *omega), atol=1e-7)
    np.testing.assert_allclose(
        spec.extract_affine_rates(data, "b", 2)[3:], 0, atol=1e-6
    )


def test_velocities_convert_only_without_quaternions():
    axis = Spec().add_group("affine_velocities b 9 0 1 0", 2)
    full = Spec().add_group("affine_velocities b 23", 6)
    quat = Spec().add_group("affine_velocities b 39", 7)
    np.testing.assert_allclose(
        convert_data(full, [2.0, 0.5], axis), [2, 0, 0, 0, 0.5, 0]
    )
    np.testing.assert_allclose(convert_data(axis, [1.0, 2, 3, 4, 5, 6], full), [1, 5])
    with pytest.raises(NotSupportedError, match="without the orientation"):
        convert_data(quat, np.zeros(6), full)


def test_conversion_fills_what_is_missing():
    source = joints(0, 1)
    target = joints(1, 4).add_group("affine_transform arm 39", 7)
    got = convert_data(target, [[1.0, 2.0], [3.0, 4.0]], source)
    rest = [0, 0, 0, 0, 1, 0, 0, 0]
    np.testing.assert_array_equal(got, [[2, *rest], [4, *rest]])


class Body:
    name = "arm"

    def __init__(self):
        self.dof_values = np.array((10.0, 11.0, 12.0, 13.0, 14.0))
        self.dof_velocities = np.arange(5.0)
        self.transform = POSE.copy()
        self.base_velocity = np.arange(6.0)


def test_conversion_takes_defaults_from_the_environment():
    env = SimpleNamespace(bodies={"arm": Body()})
    target = joints(1, 4).add_group("affine_transform arm 39", 7)
    got = convert_data(target, [1.0, 2.0], joints(0, 1), env=env)
    expected = wxyz_xyz_from_pose(POSE)[[4, 5, 6, 0, 1, 2, 3]]
    np.testing.assert_allclose(got, [2, 14, *expected])
    with pytest.raises(ArgumentError, match="names joint 9"):
        convert_data(joints(9), [1.0, 2.0], joints(0, 1), env=env)


def test_conversion_without_filling_keeps_values():
    out = np.full((1, 3), 7.0)
    convert_data(joints(0, 5, 1), [[1.0, 2.0]], joints(0, 1), fill=False, out=out)
    np.testing.assert_array_equal(out, [[1, 7, 2]])
    with pytest.raises(ArgumentError, match="needs out="):
        convert_data(joints(0), [1.0], joints(0), fill=False)
    with pytest.raises(ArgumentError, match="expected float64"):
        convert_data(joints(0), [1.0], joints(0), out=np.zeros(2))


def test_conversion_of_custom_groups_needs_equal_sizes():
    source = Spec().add_group("outputSignals a b", 2)
    assert convert_data(source, [1.0, 2.0], source).tolist() == [1, 2]
    target = Spec().add_group("outputSignals c", 1)
    with pytest.raises(ArgumentError, match="expected the same number"):
        convert_data(target, [1.0, 2.0], source)


def test_apply_and_read():
    env = SimpleNamespace(bodies={"arm": Body()})
    spec = (
        joints(2, 0)
        .add_group("joint_velocities arm 1", 1)
        .add_group("affine_transform arm 7", 3)
        .add_group("affine_velocities arm 23", 6)
        .add_delta_time_group()
    )
    data = np.array((-1.0, -2, 5, 7, 8, 9, 1, 2, 3, 4, 5, 6, 0.5))
    spec.get_set_fn(env)(data)
    body = env.bodies["arm"]
    np.testing.assert_array_equal(body.dof_values, [-2, 11, -1, 13, 14])
    np.testing.assert_array_equal(body.dof_velocities, [0, 5, 2, 3, 4])
    np.testing.assert_allclose(body.transform[:3, :3], POSE[:3, :3], atol=1e-14)
    np.testing.assert_array_equal(body.transform[:3, 3], [7, 8, 9])
    np.testing.assert_array_equal(body.base_velocity, [1, 2, 3, 4, 5, 6])
    np.testing.assert_allclose(spec.get_get_fn(env)(), [*data[:-1], 0])


def test_quaternion_velocity_round_trip():
    env = SimpleNamespace(bodies={"arm": Body()})
    spec = Spec().add_group("affine_velocities arm 39", 7)
    values = spec.read(env)
    before = env.bodies["arm"].base_velocity.copy()
    env.bodies["arm"].base_velocity = np.zeros(6)
    spec.apply(env, values)
    np.testing.assert_allclose(env.bodies["arm"].base_velocity, before, atol=1e-13)


def test_ik_parameterization_values():
    param = IkParameterization.translation_direction_5d((1, 2, 3), (0, 1, 0))
    spec = joints(0) + Spec.of_ik(param, robot="arm", manipulator="tip")
    data = np.zeros(spec.dof)
    assert spec.insert_ik_parameterization(data, param)
    kind = IkParameterizationType.TranslationDirection5D
    assert spec.extract_ik_parameterization(data) == param
    assert spec.extract_ik_parameterization(data, kind, "arm", "tip") == param
    assert spec.extract_ik_parameterization(data, kind, "leg") is None
    assert spec.extract_ik_parameterization(data, time_derivative=1) is None
    other = IkParameterization.translation_3d((0, 0, 0))
    assert not spec.insert_ik_parameterization(data, other)
    velocity = IkParameterization(kind.velocity_type, (0, 0, 0, 1, 1, 1))
    rates = Spec.of_ik(velocity)
    data = np.zeros(6)
    assert rates.insert_ik_parameterization(data, velocity)
    assert rates.extract_ik_parameterization(data, time_derivative=1) == velocity


def test_xml_round_trip_escapes():
    spec = Spec().add_group('odd <"name"> & more', 2, "max").add_delta_time_group()
    assert Spec.from_xml(spec.to_xml()) == spec
    assert Spec.from_xml(str(spec).encode()) == spec


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<config/>", "expected <configuration>"),
        ("<configuration><thing/></configuration>", "expected <group>"),
        ("<configuration><group dof='1'/></configuration>", "no name"),
        (
            "<configuration><group name='a' offset='0' dof='x'/></configuration>",
            "dof of group 'a' is 'x'",
        ),
        (
            "<configuration><group name='a' offset='0' dof='9999999'/></configuration>",
            "expected 0 to 1000000",
        ),
        (
            "<configuration><group name='a' offset='0' dof='1' "  # noqa: ISC004
            "interpolation='z'/></configuration>",
            "unknown interpolation 'z'",
        ),
        ("<configuration>", "not well-formed"),
        ("<!DOCTYPE x [<!ENTITY a 'b'>]><configuration/>", "document types"),
        (b"\xff\xfe<\x00", "not valid UTF-8"),
    ],
)
def test_xml_errors(text, message):
    with pytest.raises(SceneError, match=message):
        Spec.from_xml(text)


def test_xml_error_has_the_line():
    with pytest.raises(SceneError) as caught:
        Spec.from_xml(
            "<configuration>\n<group name='a' offset='0' dof='-1'/>\n</configuration>"
        )
    assert caught.value.line == 2
    assert caught.value.element == "configuration/group"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s, d: s.extract_joint_values(d, "arm", [0], 7), "not within 0..6"),
        (lambda s, d: s.extract_joint_values(d, "arm", [0], default=[1, 2]), "default"),
        (lambda s, d: s.extract_affine_rates(d, "arm", 3), "expected 1 or 2"),
        (lambda s, d: s.extract_ik_parameterization([d]), "one configuration"),
        (lambda s, d: s.extract_ik_parameterization(d, time_derivative=2), "0 or 1"),
        (lambda s, d: s.apply(None, [d]), r"expected \(2,\)"),
        (lambda s, d: s.add_group("x"), "number of values"),
        (lambda s, d: s.extract_delta_time(["a", "b"]), "not an array of numbers"),
        (lambda s, d: s.extract_delta_time(1.0), r"shape \(\)"),
    ],
)
def test_arguments_are_checked(call, message):
    with pytest.raises(ArgumentError, match=message):
        call(joints(0, 1), np.zeros(2))


def test_many_transforms_at_once():
    spec = Spec().add_group("affine_transform arm 39", 7)
    data = np.zeros((2, 7))
    assert spec.insert_transform(data, np.array([POSE, np.eye(4)]), "arm")
    got = spec.extract_transform(data, "arm")
    np.testing.assert_allclose(got, [POSE, np.eye(4)], atol=1e-14)
    assert not joints(0).insert_transform(np.zeros(1), POSE, "arm")


def test_all_joints_are_written_in_group_order():
    data = np.zeros(2)
    assert joints(3, 1).insert_joint_values(data, [7.0, 8.0], "arm")
    assert data.tolist() == [7, 8]


def test_sum_keeps_the_interpolation_that_is_known():
    unknown = Spec().add_group("joint_values arm 0", 1)
    assert (unknown + joints(0)).groups[0].interpolation == "linear"
    assert (joints(0) + joints(1, interpolation="cubic")).groups[0].interpolation == (
        "linear"
    )


def test_axis_rates_need_no_orientation():
    spec = Spec().add_group("affine_velocities b 12", 2)
    got = spec.extract_affine_rates([3.0, 0.5], "b")
    assert got.tolist() == [0, 0, 3, 0, 0, 0.5]
    env = SimpleNamespace(bodies={"b": Body()})
    assert spec.read(env).tolist() == [2, 5]
    quat = Spec().add_group("affine_velocities b 32", 4)
    with pytest.raises(NotSupportedError, match="need the affine_transform group"):
        quat.extract_affine_rates(np.zeros(4), "b")


def test_zero_rotations_are_refused():
    spec = Spec().add_group("affine_transform b 32", 4)
    with pytest.raises(ArgumentError, match="zero quaternion"):
        spec.extract_transform(np.zeros(4), "b")
    spec = Spec().add_group("affine_transform b 8 0 0 0", 1)
    with pytest.raises(ArgumentError, match="zero rotation axis"):
        spec.extract_transform(np.ones(1), "b")


def test_joints_beyond_the_body_are_named():
    env = SimpleNamespace(bodies={"arm": Body()})
    with pytest.raises(ArgumentError, match="names joint 5, body 'arm' has 5"):
        joints(5).read(env)


def affine(mask, *axis):
    name = " ".join(("affine_transform arm", str(mask), *map(str, axis)))
    return Spec().add_group(name, affine_dof(mask))


@pytest.mark.parametrize(
    ("one", "other", "names"),
    [
        ((1,), (8, 0, 1, 0), ["affine_transform arm 9 0 1 0"]),
        ((8, 0, 1, 0), (1,), ["affine_transform arm 9 0 1 0"]),
        ((9, 0, 1, 0), (2,), ["affine_transform arm 11 0 1 0"]),
        ((9, 0, 1, 0), (10, 0, 1, 0), ["affine_transform arm 11 0 1 0"]),
        ((8, 0, 1, 0), (8, 0, 0, 1), None),
        ((8, 0, 1, 0), (32,), None),
        ((1,), (32,), ["affine_transform arm 33"]),
        ((16,), (32,), None),
    ],
)
def test_sums_join_base_motions_that_turn_alike(one, other, names):
    """About one axis, or in the same way; else each has a group of its own."""
    first, second = affine(*one), affine(*other)
    total = first + second
    if names is None:
        names = [group.name for group in (*first, *second)]
    assert [group.name for group in total] == names
    assert total.dof == sum(affine_dof(group.affine_mask) for group in total)


@pytest.mark.parametrize(
    ("interpolation", "needed"),
    [
        ("quadratic", "joint_velocities"),
        ("cubic", "joint_velocities"),
        ("quintic", "joint_velocities, joint_accelerations"),
    ],
)
def test_polynomials_name_the_derivatives_that_they_need(interpolation, needed):
    from pyrave.trajectories.interpolation import make_interpolators

    spec = joints(0, 1, interpolation=interpolation).add_delta_time_group()
    with pytest.raises(ArgumentError) as caught:
        make_interpolators(tuple(spec))
    assert f"with {interpolation} interpolation needs " in str(caught.value)
    assert needed in str(caught.value)
    assert ("joint_accelerations" in str(caught.value)) == ("acc" in needed)
    assert "joint_jerks" not in str(caught.value)


def test_sums_keep_groups_of_one_name_and_two_sizes_apart():
    """And an empty interpolation is that of the other one."""
    first = Spec().add_group("mine arm", 2).add_group("yours arm", 3, "next")
    total = first + Spec().add_group("mine arm", 3, "linear")
    assert [(one.name, one.dof) for one in total] == [
        ("mine arm", 2),
        ("yours arm", 3),
        ("mine arm", 3),
    ]
    same = first + Spec().add_group("mine arm", 2, "linear")
    assert [(one.dof, one.interpolation) for one in same] == [
        (2, "linear"),
        (3, "next"),
    ]
    other = first + Spec().add_group("yours arm", 3, "linear")
    assert [one.interpolation for one in other] == ["", "next"]
