"""Bodies through the object API: values, poses, derivatives, grabbing."""

import gc
import logging
import math
import weakref

import numpy as np
import pytest

import pyrave
from pyrave import ArgumentError, LimitCheck, NotFoundError
from pyrave.scene import (
    BodyDescription,
    Box,
    GeometryDescription,
    Inertial,
    JointAxis,
    JointDescription,
    LinkDescription,
    MimicFormula,
    Pose,
    Sphere,
)
from pyrave.spatial import matrix_from_axis_angle, rotation_vector

Z, Y = (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)


def inertial(rng):
    root = rng.normal(size=(3, 3))
    matrix = root @ root.T + 0.1 * np.eye(3)
    return Inertial(
        float(rng.uniform(0.5, 2)), tuple(rng.normal(size=3)), tuple(matrix.ravel())
    )


def chain():
    """Hinge, circular hinge, slider, a hinge that mimics, a fixed end."""
    rng = np.random.default_rng(3)
    box = (GeometryDescription(Box((0.1, 0.1, 0.1))),)
    ball = (GeometryDescription(Sphere(0.2), pose=Pose.from_translation(0, 0.1, 0)),)
    links = tuple(
        LinkDescription(f"L{i}", inertial=inertial(rng), geometries=ball if i else box)
        for i in range(6)
    )
    axes = [
        ("hinge", JointAxis(Z, lower=-1, upper=2)),
        ("hinge", JointAxis(Y, lower=-math.pi, upper=math.pi, circular=True)),
        ("slider", JointAxis((1.0, 0.0, 0.0), prismatic=True, lower=-0.5, upper=0.5)),
        ("hinge", JointAxis(Z, lower=-9, upper=9, mimic=MimicFormula("2*J0+0.1"))),
    ]
    joints = [
        JointDescription(
            f"J{i}",
            kind,
            f"L{i}",
            f"L{i + 1}",
            T_parent_joint=Pose.from_axis_angle((1, 2, 3), 0.3 * i, (0.3, 0.1, 0.2)),
            axes=(axis,),
        )
        for i, (kind, axis) in enumerate(axes)
    ]
    joints.append(JointDescription("glue", "fixed", "L4", "L5"))
    return BodyDescription("chain", links, tuple(joints))


@pytest.fixture
def env():
    return pyrave.Environment()


def make(env, description, kind="kinbody"):
    body = env.create(kind, "")
    body.init(description)
    env.add(body)
    return body


@pytest.fixture
def body(env):
    made = make(env, chain())
    made.transform = (0.9234, 0.1026, 0.3078, -0.2052, 1.0, 2.0, 3.0)
    return made


def block(env, name, position=(0, 0, 0)):
    links = (
        LinkDescription(
            "base", geometries=(GeometryDescription(Box((0.1, 0.2, 0.3))),)
        ),
    )
    made = make(env, BodyDescription(name, links))
    made.transform = (1, 0, 0, 0, *position)
    return made


# -- degrees of freedom --------------------------------------------------------------


def test_values_are_copies(body):
    body.dof_values = (0.1, 0.2, 0.3)
    got = body.dof_values
    got[:] = 9
    assert body.dof_values.tolist() == [0.1, 0.2, 0.3]
    poses = body.link_transforms
    poses[:] = 0
    pose = body.links[1].transform
    pose[:] = 0
    assert body.link_transforms[:, 3, 3].tolist() == [1] * 6
    lower, _ = body.dof_limits
    lower[:] = -100
    assert body.dof_limits[0][0] == -1
    assert body.dof == 3


def test_limit_checks(body, caplog):
    body.set_dof_values((3, 0, 0), limits=LimitCheck.NONE)
    assert body.dof_values[0] == 3
    with pytest.raises(ArgumentError, match=r"3 of joint 'J0' of 'chain'.*-1\.\.2"):
        body.set_dof_values((3, 0, 0), limits=LimitCheck.RAISE)
    body.set_dof_values((3, 0, 0), limits=LimitCheck.CLAMP)
    assert body.dof_values[0] == 2
    assert not caplog.records
    with caplog.at_level(logging.WARNING, "pyrave"):
        body.dof_values = (0, 0, -7)
    assert body.dof_values[2] == -0.5
    assert "'J2'" in caplog.records[0].message
    assert "clamped" in caplog.records[0].message
    body.set_dof_values((2 + 1e-12, 0, 0), limits=LimitCheck.RAISE)


def test_rates_are_clamped_both_ways(body):
    body.dof_velocity_limits = (1, 2, 3)
    body.set_dof_velocities((5, -5, -1), limits=LimitCheck.CLAMP)
    assert body.dof_velocities.tolist() == [1, -2, -1]


def test_limit_checks_are_taken_by_openraves_code_and_nothing_else(body):
    body.set_dof_values((3, 0, 0), limits=0)
    assert body.dof_values[0] == 3
    with pytest.raises(ArgumentError, match="outside of its limits"):
        body.set_dof_values((3, 0, 0), limits=3)
    for wrong in ("raise", 7, None):
        with pytest.raises(ArgumentError, match=r"limits is .*LimitCheck\.RAISE"):
            body.set_dof_values((0, 0, 0), limits=wrong)
        with pytest.raises(ArgumentError, match=r"limits is .*LimitCheck\.RAISE"):
            body.set_dof_velocities((0, 0, 0), limits=wrong)


@pytest.mark.parametrize("turns", [-3, -1, 1, 2])
@pytest.mark.parametrize("check", [LimitCheck.CLAMP, LimitCheck.RAISE])
def test_circular_values_are_wrapped_into_their_range(body, turns, check):
    body.set_dof_values((0, 0.7 + 2 * math.pi * turns, 0), limits=check)
    assert body.dof_values[1] == pytest.approx(0.7)
    body.set_dof_values((0, 0.7 + 2 * math.pi * turns, 0), limits=LimitCheck.NONE)
    assert body.dof_values[1] == pytest.approx(0.7 + 2 * math.pi * turns)


def test_circular_differences_go_the_short_way(body):
    difference = body.subtract_dof_values((1, 3, 0.2), (-1, -3, 0.1))
    np.testing.assert_allclose(difference, (2, 6 - 2 * math.pi, 0.1))
    some = body.subtract_dof_values((3,), (-3,), [1])
    np.testing.assert_allclose(some, 6 - 2 * math.pi)
    for joint in body.joints:
        index = joint.dof_indices
        found = joint.subtract_values([3.0] * joint.dof, [-3.0] * joint.dof)
        expected = body.subtract_dof_values(
            [3.0] * len(index), [-3.0] * len(index), index
        )
        assert found.tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("a", "b", "indices", "text"),
    [
        ((1, 2), (1, 2, 3), None, r"a has shape \(2,\)"),
        ((1, 2, 3), "abc", None, "b is not a"),
        ((1,), (math.nan,), [1], "b has values that are not finite"),
        ((1,), (1,), [3], "dof index 3"),
    ],
)
def test_differences_of_what_are_no_joint_values_are_refused(body, a, b, indices, text):
    with pytest.raises(ArgumentError, match=text):
        body.subtract_dof_values(a, b, indices)


@pytest.mark.parametrize(
    ("values", "indices", "text"),
    [
        ((1, 2), None, "length 3"),
        ((1, 2, math.nan), None, "not finite"),
        ((1, 2, math.inf), None, "not finite"),
        ("abc", None, "not a vector"),
        ((1,), [3], "dof index 3 of 'chain' is not in 0..2"),
        ((1,), [-1], "dof index -1"),
        ((1,), [0.5], "expected integers"),
        ((1, 2), [0], "length 1"),
        ([[1, 2, 3]], None, "shape"),
    ],
)
def test_values_without_meaning_change_nothing(body, values, indices, text):
    body.dof_values = (0.1, 0.2, 0.3)
    with pytest.raises(ArgumentError, match=text):
        body.set_dof_values(values, indices)
    assert body.dof_values.tolist() == [0.1, 0.2, 0.3]


def test_some_values_by_index(body):
    body.set_dof_values((0.3, 0.5), np.array([2, 0]))
    assert body.dof_values.tolist() == [0.5, 0, 0.3]


def test_an_index_comes_once(body):
    body.dof_values = (0.1, 0.2, 0.3)
    with pytest.raises(ArgumentError, match=r"indices \[0, 0\] of .* repeat"):
        body.set_dof_values((1, 2), (0, 0))
    with pytest.raises(ArgumentError, match=r"indices \[2, 1, 2\] of .* repeat"):
        body.set_dof_velocities((1, 2, 3), (2, 1, 2))
    assert body.dof_values.tolist() == [0.1, 0.2, 0.3]
    assert body.dof_velocities.tolist() == [0, 0, 0]


def test_limits_are_of_one_body_and_its_clones(env, body):
    other = make(env, chain().__class__("other", chain().links, chain().joints))
    body.dof_limits = ([-0.2, -math.inf, -0.1], [0.2, math.inf, 0.1])
    body.dof_velocity_limits = (1, 2, math.inf)
    body.dof_weights = (3, 2, 1)
    body.dof_values = (1, 9, 1)
    assert body.dof_values[0] == 0.2
    twin = body.clone()
    assert twin.dof_limits[1].tolist() == [0.2, math.inf, 0.1]
    assert twin.dof_velocity_limits.tolist() == [1, 2, math.inf]
    assert other.dof_limits[0][0] == -1
    assert body.joints["J0"].limits[1].tolist() == [0.2]
    assert body.joints["J1"].velocity_limits.tolist() == [2]
    assert body.joints["J2"].weights.tolist() == [1]
    described = body.describe().joints
    assert described[0].axes[0].lower == -0.2
    assert described[0].axes[0].velocity_limit == 1
    # the range of a turning axis is not a limit
    assert described[1].axes[0].lower == -math.pi
    assert described[3] == chain().joints[3]


@pytest.mark.parametrize(
    "limits", [([0, 0, 0], [1, -1, 1]), ([0], [1]), ([math.nan] * 3, [1] * 3)]
)
def test_limits_without_meaning_are_refused(body, limits):
    with pytest.raises(ArgumentError):
        body.dof_limits = limits
    assert body.dof_limits[0][0] == -1
    with pytest.raises(ArgumentError, match="negative"):
        body.dof_weights = (-1, 1, 1)
    with pytest.raises(ArgumentError):
        body.dof_velocity_limits = (1, 2)


# -- structure -----------------------------------------------------------------------


def test_structure(body):
    assert body.links.names == ("L0", "L1", "L2", "L3", "L4", "L5")
    assert body.joints.names == ("J0", "J1", "J2")
    assert body.passive_joints.names == ("J3", "glue")
    assert [j.dof_index for j in body.all_joints] == [0, 1, 2, -1, -1]
    assert body.structure.joint_of_dof(2).name == "J2"
    with pytest.raises(ArgumentError, match=r"0\.\.2"):
        body.structure.joint_of_dof(3)
    joint = body.joints["J1"]
    assert (joint.parent_link.name, joint.child_link.name) == ("L1", "L2")
    assert joint.circular == (True,)
    assert body.joints["J2"].prismatic == (True,)
    mimic = body.passive_joints["J3"]
    assert mimic.is_mimic
    assert mimic.mimic[0].position == "2*J0+0.1"
    body.dof_values = (0.5, 0, 0)
    assert mimic.values[0] == pytest.approx(1.1)
    assert body.passive_joints["glue"].static
    both = (*body.adjacent_links.tolist(), *body.non_adjacent_links.tolist())
    pairs = set(map(tuple, both))
    assert pairs == {(i, j) for i in range(6) for j in range(i + 1, 6)}
    assert body.structure.are_adjacent_links(0, 1)
    assert body.structure.are_adjacent_links("L1", body.links["L0"])
    assert [link.name for link in body.links["L4"].rigidly_attached] == ["L4", "L5"]
    assert [link.name for link in body.links["L3"].parent_links] == ["L2"]
    with pytest.raises(NotFoundError, match="no link 'L9'"):
        _ = body.links["L9"]
    with pytest.raises(NotFoundError, match=r"no joint 'J3': .*; see passive_joints"):
        _ = body.joints["J3"]
    with pytest.raises(NotFoundError, match=r"no passive joint 'J0': .*; see joints"):
        _ = body.passive_joints["J0"]


def test_axes_and_anchors_against_finite_differences(body):
    body.dof_values = (0.3, -0.4, 0.2)
    step = 1e-6
    for joint in body.joints:
        child = joint.child_link
        base = child.transform
        values = body.dof_values
        values[joint.dof_index] += step
        with body.preserve_state():
            body.dof_values = values
            moved = child.transform
        linear = (moved[:3, 3] - base[:3, 3]) / step
        angular = rotation_vector(moved[:3, :3] @ base[:3, :3].T) / step
        axis = joint.axes[0]
        if joint.type == "slider":
            np.testing.assert_allclose(linear, axis, atol=1e-6)
            np.testing.assert_allclose(angular, 0, atol=1e-6)
        else:
            np.testing.assert_allclose(angular, axis, atol=1e-6)
            expected = np.cross(axis, base[:3, 3] - joint.anchor)
            np.testing.assert_allclose(linear, expected, atol=1e-5)


# -- poses ---------------------------------------------------------------------------


def test_a_pose_is_a_matrix_or_a_7_vector(body):
    body.transform = (1, 0, 0, 0, 1, 2, 3)
    np.testing.assert_array_equal(body.transform[:3, :3], np.eye(3))
    pose = np.eye(4)
    pose[:3, :3] = matrix_from_axis_angle((1, 2, 3), 0.4)
    body.transform = pose
    np.testing.assert_array_equal(body.transform, pose)
    body.transform = Pose.from_translation(4, 5, 6)
    assert body.transform[:3, 3].tolist() == [4, 5, 6]
    for wrong in (np.eye(3), np.zeros((4, 4)), 2 * np.eye(4), (0,) * 7, "pose"):
        with pytest.raises(ArgumentError, match=r"transform of 'chain'|quaternion"):
            body.transform = wrong
    assert body.transform[:3, 3].tolist() == [4, 5, 6]


def test_moving_a_link_moves_the_body_rigidly(body):
    body.dof_values = (0.3, -0.4, 0.2)
    before = body.link_transforms
    target = np.eye(4)
    target[:3, :3] = matrix_from_axis_angle((1, 2, 3), 0.4)
    target[:3, 3] = (7, 8, 9)
    body.links["L3"].transform = target
    after = body.link_transforms
    np.testing.assert_allclose(body.links["L3"].transform, target, atol=1e-14)
    for i in range(6):
        np.testing.assert_allclose(
            np.linalg.inv(after[0]) @ after[i],
            np.linalg.inv(before[0]) @ before[i],
            atol=1e-13,
        )
    assert body.dof_values.tolist() == [0.3, -0.4, 0.2]


def test_many_configurations_at_once(body):
    rng = np.random.default_rng(1)
    configurations = rng.uniform(-0.5, 0.5, (5, 3))
    poses = body.compute_link_transforms(configurations)
    assert body.dof_values.tolist() == [0, 0, 0]
    for q, expected in zip(configurations, poses, strict=True):
        body.dof_values = q
        np.testing.assert_allclose(body.link_transforms, expected, atol=1e-14)


def test_bounding_boxes(env):
    made = block(env, "block", (1, 2, 3))
    centre, half = made.aabb
    np.testing.assert_allclose(centre, (1, 2, 3))
    np.testing.assert_allclose(half, (0.1, 0.2, 0.3))
    made.transform = (math.cos(0.3), 0, 0, math.sin(0.3), 0, 0, 0)
    corners = np.array(
        [(x, y, z) for x in (-0.1, 0.1) for y in (-0.2, 0.2) for z in (-0.3, 0.3)]
    )
    turned = corners @ made.transform[:3, :3].T
    np.testing.assert_allclose(made.aabb[1], turned.max(axis=0), atol=1e-15)
    made.enabled = False
    np.testing.assert_allclose(made.aabb[1], turned.max(axis=0), atol=1e-15)
    assert made.links[0].local_aabb[1].tolist() == [0.1, 0.2, 0.3]


def test_enabled_flags(body):
    assert body.enabled
    body.links[2].enabled = False
    assert body.enabled
    assert [link.enabled for link in body.links] == [1, 1, 0, 1, 1, 1]
    assert not body.describe().links[2].enabled
    body.enabled = False
    assert not body.enabled
    assert not any(link.enabled for link in body.links)


def test_geometry_attributes(env):
    geometry = block(env, "b").links[0].geometries[0]
    assert geometry.type == "box"
    assert geometry.half_extents.tolist() == [0.1, 0.2, 0.3]
    with pytest.raises(pyrave.NotSupportedError, match="a box has no radius"):
        _ = geometry.radius
    assert geometry.mesh.vertices.max(axis=0).tolist() == [0.1, 0.2, 0.3]
    assert geometry.visible
    assert geometry.transparency == 0
    assert geometry.diffuse_color.shape == geometry.ambient_color.shape == (3,)


def test_geometries_have_the_colours_of_their_mesh_file(tmp_path):
    corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\n{}f 1 2 3\n"
    (tmp_path / "red.mtl").write_text("newmtl red\nKd 1 0 0\nKa 0 0.5 0\n")
    (tmp_path / "red.obj").write_text(corners.format("mtllib red.mtl\nusemtl red\n"))
    (tmp_path / "plain.obj").write_text(corners.format(""))
    (tmp_path / "s.xml").write_text(
        "<kinbody name='k'><body>"
        "<geom type='trimesh'><data>red.obj</data></geom>"
        "<geom type='trimesh'><data>red.obj</data><diffusecolor>0 0 1</diffusecolor>"
        "</geom><geom type='trimesh'><data>plain.obj</data></geom></body></kinbody>"
    )
    with pyrave.load(tmp_path / "s.xml") as env:
        red, blue, plain = env.bodies["k"].links[0].geometries
        assert red.diffuse_color.tolist() == [1, 0, 0]
        assert red.ambient_color.tolist() == [0, 0.5, 0]
        assert blue.diffuse_color.tolist() == [0, 0, 1]
        assert blue.ambient_color.tolist() == [0, 0.5, 0]
        # OpenRAVE's colours for meshes without any
        assert plain.diffuse_color.tolist() == [1, 0.5, 0.5]
        assert plain.ambient_color.tolist() == [0.1, 0, 0]
        (tmp_path / "red.obj").unlink()
    with pyrave.load(tmp_path / "s.xml") as env:
        assert env.bodies["k"].links[0].geometries[0].diffuse_color.tolist() == [1] * 3


# -- mechanics -----------------------------------------------------------------------


@pytest.mark.parametrize("link", ["L5", "L2"])
def test_jacobian_against_finite_differences(body, link):
    body.dof_values = q = np.array((0.3, -0.4, 0.2))
    local = np.array((0.1, -0.2, 0.3, 1.0))
    base = body.links[link].transform
    jacobian = body.jacobian(link, (base @ local)[:3])
    step = 1e-6
    for k in range(3):
        moved = q.copy()
        moved[k] += step
        body.dof_values = moved
        pose = body.links[link].transform
        linear = ((pose - base) @ local)[:3] / step
        angular = rotation_vector(pose[:3, :3] @ base[:3, :3].T) / step
        np.testing.assert_allclose(jacobian[:3, k], linear, atol=1e-5)
        np.testing.assert_allclose(jacobian[3:, k], angular, atol=1e-5)


def test_hessian_against_finite_differences(body):
    body.dof_values = q = np.array((0.3, -0.4, 0.2))
    point = body.links["L5"].transform[:3, 3]
    local = np.linalg.inv(body.links["L5"].transform) @ (*point, 1)
    hessian = body.hessian("L5")
    base = body.jacobian("L5")
    step = 1e-6
    for k in range(3):
        moved = q.copy()
        moved[k] += step
        body.dof_values = moved
        there = (body.links["L5"].transform @ local)[:3]
        numeric = (body.jacobian("L5", there) - base) / step
        np.testing.assert_allclose(hessian[k], numeric, atol=1e-5)


def test_velocities_follow_from_the_jacobian(body):
    body.dof_values = (0.3, -0.4, 0.2)
    body.dof_velocities = qd = np.array((0.5, -1.0, 0.3))
    for link in body.links:
        np.testing.assert_allclose(link.velocity, body.jacobian(link) @ qd, atol=1e-12)
    body.base_velocity = twist = np.array((1, 2, 3, 0.1, 0.2, 0.3))
    np.testing.assert_allclose(body.links[0].velocity, twist)
    with pytest.raises(ArgumentError, match="base_velocity"):
        body.base_velocity = (1, 2)


def test_forward_dynamics_undoes_inverse_dynamics(body):
    body.dof_values = (0.3, -0.4, 0.2)
    body.dof_velocities = (0.5, -1.0, 0.3)
    qdd = np.array((1.0, -2.0, 0.5))
    torques = body.inverse_dynamics(qdd)
    np.testing.assert_allclose(body.forward_dynamics(torques), qdd, atol=1e-9)
    inertial_part, coriolis, gravity = body.inverse_dynamics(qdd, components=True)
    np.testing.assert_allclose(inertial_part, body.mass_matrix() @ qdd, atol=1e-9)
    np.testing.assert_allclose(inertial_part + coriolis + gravity, torques, atol=1e-9)


def test_gravity_torques_are_the_slope_of_the_potential(env, body):
    env.gravity = (1.0, -2.0, -9.0)
    body.dof_values = q = np.array((0.3, -0.4, 0.2))

    def potential(values):
        body.dof_values = values
        return -body.mass * env.gravity @ body.center_of_mass

    torques = body.inverse_dynamics()
    for k, step in enumerate(1e-6 * np.eye(3)):
        slope = (potential(q + step) - potential(q - step)) / 2e-6
        assert torques[k] == pytest.approx(slope, abs=1e-5)


def test_mass_and_centre(body):
    masses = np.array([link.mass for link in body.links])
    centres = np.array([link.global_com for link in body.links])
    assert body.mass == pytest.approx(masses.sum())
    np.testing.assert_allclose(body.center_of_mass, masses @ centres / masses.sum())
    link = body.links[2]
    rotation = link.transform[:3, :3]
    np.testing.assert_allclose(
        link.global_inertia, rotation @ link.local_inertia @ rotation.T
    )


def test_links_are_given_by_object_name_or_index(env, body):
    by = [body.jacobian(key) for key in (body.links["L3"], "L3", 3)]
    np.testing.assert_array_equal(by[0], by[1])
    np.testing.assert_array_equal(by[0], by[2])
    with pytest.raises(ArgumentError, match="is not a link of"):
        body.jacobian(block(env, "other").links[0])
    with pytest.raises(pyrave.Error, match="L9"):
        body.jacobian("L9")
    with pytest.raises(ArgumentError, match="point"):
        body.jacobian("L3", (1, 2))


# -- grabbing ------------------------------------------------------------------------


def relative(link, body):
    return np.linalg.inv(link.transform) @ body.transform


def test_what_is_grabbed_follows_its_link(env, body):
    held = block(env, "held", (0.5, 0.5, 0.5))
    link = body.links["L3"]
    body.grab(held, "L3")
    before = relative(link, held)
    body.dof_values = (0.5, 0.5, 0.2)
    np.testing.assert_allclose(relative(link, held), before, atol=1e-14)
    body.links["L5"].transform = np.eye(4)
    np.testing.assert_allclose(relative(link, held), before, atol=1e-14)
    assert body.grabbed == (held,)
    assert body.is_grabbing(held)
    body.release(held)
    there = held.transform
    body.dof_values = (0, 0, 0)
    np.testing.assert_array_equal(held.transform, there)
    with pytest.raises(NotFoundError, match="held"):
        body.release(held)
    body.release_all()


def test_what_slipped_is_grabbed_anew(env, body):
    held = block(env, "held", (0.5, 0.5, 0.5))
    body.grab(held, "L3")
    held.transform = (1, 0, 0, 0, 3, 3, 3)
    body.dof_values = (0.1, 0, 0)
    assert not np.allclose(held.transform[:3, 3], 3, atol=0.5)
    held.transform = (1, 0, 0, 0, 3, 3, 3)
    body.grabs.renew()
    before = relative(body.links["L3"], held)
    body.dof_values = (0.5, 0, 0.1)
    np.testing.assert_allclose(relative(body.links["L3"], held), before, atol=1e-14)


def test_nested_grabs_move_together_and_never_in_a_ring(env, body):
    a, b = block(env, "a"), block(env, "b", (1, 1, 1))
    body.grab(a, "L5")
    a.grab(b)
    before = relative(body.links["L5"], b)
    body.dof_values = (0.5, 0.4, 0.3)
    np.testing.assert_allclose(relative(body.links["L5"], b), before, atol=1e-14)
    for holder, held in ((b, body), (a, body), (b, b)):
        with pytest.raises(ArgumentError, match=r"hold each other|itself"):
            holder.grab(held)


def test_grabbing_needs_one_world(body):
    stranger = pyrave.Environment()
    with pytest.raises(ArgumentError, match="another environment"):
        body.grab(block(stranger, "other"))


def test_a_held_body_lives_as_long_as_it_is_held(env, body):
    loose = env.create("kinbody", "")
    body.grab(loose)
    watched = weakref.ref(loose)
    del loose
    gc.collect()
    assert body.grabbed == (watched(),)
    body.release_all()
    gc.collect()
    assert watched() is None


# -- copies --------------------------------------------------------------------------


def test_a_clone_has_the_state_and_holds_nothing(env, body):
    body.dof_values = (0.3, -0.4, 0.2)
    body.links[1].enabled = False
    body.grab(block(env, "held"))
    twin = body.clone()
    assert twin.model is body.model
    np.testing.assert_array_equal(twin.link_transforms, body.link_transforms)
    assert twin.describe() == body.describe()
    assert twin.grabbed == ()
    with pytest.raises(pyrave.NameConflictError):
        env.add(twin)
    env.add(twin, rename=True)
    twin.dof_values = (0, 0, 0)
    assert body.dof_values.tolist() == [0.3, -0.4, 0.2]


def test_a_state_of_another_body_is_refused(env, body):
    with pytest.raises(ArgumentError, match="the dof_values of the state"):
        body.set_state(block(env, "b").get_state())


def test_readables_and_user_data(body):
    readable = pyrave.XmlReadable(pyrave.XmlElement("note", text="x"))
    body.set_readable("Note", readable)
    assert body.readables["note"] is readable
    assert body.describe().readables == (("Note", readable),)
    body.user_data["k"] = 1
    twin = body.clone()
    assert twin.readables["NOTE"] is readable
    assert twin.user_data == {}


def test_bodies_share_the_names_of_their_attributes(env) -> None:
    """Python does so for up to 30; a clone of many bodies is a fifth smaller then."""
    body = env.create_body(BodyDescription("one", links=(LinkDescription("base"),)))
    assert len(vars(body)) <= 30


@pytest.mark.parametrize("name", ["a.env.xml", "a.dae", "a.wc.xml", "a.dwc.xml"])
def test_bodies_are_where_their_first_links_are(tmp_path, name):
    """Builder and writers of files have to agree on what the pose of a link means."""
    env, ball = pyrave.Environment(), (GeometryDescription(Sphere(0.1), "ball"),)
    poses = [Pose.from_axis_angle((1, 2, k), 0.7, (1.0, k, 3.0)) for k in (1, 2)]
    links = [LinkDescription(f"l{k}", poses[k], ball) for k in (0, 1)]
    at = Pose.from_axis_angle((0, 1, 0), 0.3, (0.0, 0.5, 0.0))
    env.create_body(BodyDescription("stand", tuple(links), pose=at))
    expected = [(at @ pose).matrix for pose in poses]
    env.save(tmp_path / name)
    for one in (env, env.clone(), pyrave.load(tmp_path / name)):
        found = [link.transform for link in one.bodies["stand"].links]
        np.testing.assert_allclose(found, expected, atol=1e-12)
