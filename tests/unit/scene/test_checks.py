"""Descriptions without meaning are refused with every fault and where it is."""

import dataclasses
import math

import numpy as np
import pytest

import pyrave
from pyrave import ArgumentError
from pyrave.scene import (
    IDENTITY,
    BodyDescription,
    Box,
    Cage,
    GeometryDescription,
    Inertial,
    JointAxis,
    JointDescription,
    JointPath,
    LinkDescription,
    ManipulatorDescription,
    Material,
    MeshData,
    Pose,
    RobotDescription,
    SceneDescription,
    Sphere,
    TriMesh,
)
from pyrave.scene.checks import coerced, validated

LINKS = (LinkDescription("base"), LinkDescription("arm"))
TURNED = Pose.from_axis_angle((1, 2, 3), 0.7, (1.0, 2.0, 3.0))


def body(**changes):
    return BodyDescription("b", **{"links": LINKS, **changes})


def link(**fields):
    return body(links=(LinkDescription("base", **fields),))


def shape(shape, **fields):
    return link(geometries=(GeometryDescription(shape, **fields),))


def joint(*axes, kind="hinge", **fields):
    made = JointDescription("j", kind, "base", "arm", axes=axes, **fields)
    return body(joints=(made,))


def axis(direction=(0.0, 0.0, 1.0), **fields):
    return joint(JointAxis(direction, **fields))


NAN = math.nan
FAULTS = [
    (joint(kind="foo"), "joints[0].type is 'foo', expected one of hinge, slider"),
    (joint(kind="hinje"), "did you mean 'hinge'?"),
    (joint(kind=3), "joints[0].type is 3, expected one of"),
    (axis(lower=NAN), "joints[0].axes[0].lower is nan"),
    (axis(lower=2.0, upper=1.0), "lower is 2.0, which is above the upper limit 1.0"),
    (axis(velocity_limit=-1), "velocity_limit is -1.0, expected 0 or more"),
    (axis(weight=-1), "axes[0].weight is -1.0, expected 0 or more"),
    (axis(initial=math.inf), "axes[0].initial is inf, which is not finite"),
    (axis((0, 1)), "axes[0].direction is (0, 1), expected 3 numbers"),
    (axis((0, 0, 0)), "axes[0].direction is (0.0, 0.0, 0.0), which is no direction"),
    (axis("xyz"), "axes[0].direction is 'xyz', expected 3 numbers"),
    (axis(circular=1), "axes[0].circular is 1, expected True or False"),
    (joint(path=JointPath((1.0, 0.0), (IDENTITY,) * 2)), "path.times is (1.0, 0.0)"),
    (joint(path=JointPath((0.0, 1.0), (IDENTITY,))), "path has 2 times for 1 poses"),
    (link(inertial=Inertial(-1)), "links[0].inertial.mass is -1.0, expected 0 or more"),
    (link(inertial=Inertial(NAN)), "links[0].inertial.mass is nan"),
    (link(inertial=Inertial("1")), "inertial.mass is '1', expected a number"),
    (link(inertial=Inertial(True)), "inertial.mass is True, expected a number"),
    (link(inertial=Inertial(10**400)), "inertial.mass is a number that is absurdly"),
    (link(inertial=Inertial(1e40)), "inertial.mass is 1e+40, which is absurdly large"),
    (link(inertial=Inertial(1, (0, 0))), "com is (0, 0), expected 3 numbers"),
    (link(inertial=Inertial(1, (0, 0, NAN))), "inertial.com[2] is nan"),
    (link(inertial=None), "links[0].inertial is None, expected Inertial"),
    (link(static="yes"), "links[0].static is 'yes', expected True or False"),
    (shape(Box((1, 1, -1))), "shape.half_extents is -1.0, expected 0 or more"),
    (shape(Box((1, 1))), "half_extents is (1, 1), expected 3 numbers"),
    (shape(Sphere(-1)), "links[0].geometries[0].shape.radius is -1.0"),
    (shape(None), "geometries[0].shape is None, expected one of NoShape, Box"),
    (shape("box"), "geometries[0].shape is 'box', expected one of"),
    (shape(Sphere(1), material=Material(diffuse=(1, 0))), "material.diffuse is (1, 0)"),
    (shape(Cage((1, 1, 1), ((IDENTITY, (1, -1, 1)),))), "walls[0][1] is -1.0"),
    (shape(Cage((1, 1, 1), ((IDENTITY,),))), "walls[0] is (Pose("),
    (shape(TriMesh(MeshData([[0, 0, 0]], [[0, 1, 2]]))), "faces names a vertex"),
    (shape(TriMesh(MeshData([[0, 0, NAN]], []))), "mesh.vertices holds a value"),
    (body(pose=Pose.from_translation(NAN, 0, 0)), "pose.translation[0] is nan"),
    (body(pose=Pose((2.0,) * 9)), "expected a rotation"),
    (body(pose=Pose((1.0, 0, 0, 0, 1, 0, 0, 0, -1))), "expected a rotation"),
    (body(pose=np.eye(4)), "expected Pose"),
    (body(links=LINKS[0]), "links is <LinkDescription 'base': 0"),
    (body(links=(3,)), "links[0] is 3, expected LinkDescription"),
    (body(links="ab"), "links is 'ab', expected a tuple"),
    (body(dof_values=0.5), "dof_values is 0.5, expected a tuple"),
    (body(adjacent=frozenset({("base",)})), "is ('base',), expected 2 items"),
    (BodyDescription(3, LINKS), "name is 3, expected a text"),
]


@pytest.mark.parametrize(("description", "text"), FAULTS)
def test_a_fault_is_told_with_its_place(description, text):
    env = pyrave.Environment()
    with pytest.raises(ArgumentError) as caught:
        env.create_body(description)
    assert text in str(caught.value)
    assert "BodyDescription" in str(caught.value)
    with pytest.raises(ArgumentError) as of_scene:
        env.add_scene(SceneDescription((description,)))
    assert "bodies[0]." in str(of_scene.value)
    assert not env.bodies


def test_all_faults_are_told_at_once():
    broken = dataclasses.replace(
        axis(weight=-1), links=(LinkDescription("base", inertial=Inertial(-1)),)
    )
    with pytest.raises(ArgumentError) as caught:
        validated(BodyDescription, broken)
    assert str(caught.value).splitlines() == [
        "BodyDescription 'b' has values without meaning:",
        "  links[0].inertial.mass is -1.0, expected 0 or more",
        "  joints[0].axes[0].weight is -1.0, expected 0 or more",
    ]


def test_of_very_many_faults_the_first_are_told():
    links = tuple(LinkDescription(f"l{i}", static=3) for i in range(500))
    with pytest.raises(ArgumentError) as caught:
        validated(BodyDescription, BodyDescription("b", links))
    assert len(str(caught.value).splitlines()) == 22
    assert str(caught.value).endswith("and 480 more")


def test_lists_arrays_and_whole_numbers_become_what_the_fields_hold():
    described = BodyDescription(
        "b",
        links=[
            LinkDescription(
                "base",
                geometries=[GeometryDescription(Box(np.ones(3)))],
                inertial=Inertial(np.float32(2), [0, 0, 1], np.eye(3)),
                static=np.True_,
            ),
            LinkDescription("arm"),
        ],
        joints=[
            JointDescription("j", "hinge", "base", "arm", axes=[JointAxis([0, 0, 2])])
        ],
        dof_values=np.array([0.5]),
        adjacent={("base", "arm")},
    )
    made = validated(BodyDescription, described)
    assert made == BodyDescription(
        "b",
        links=(
            LinkDescription(
                "base",
                geometries=(GeometryDescription(Box((1.0, 1.0, 1.0))),),
                inertial=Inertial(
                    2.0, (0.0, 0.0, 1.0), (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
                ),
                static=True,
            ),
            LinkDescription("arm"),
        ),
        joints=(
            JointDescription(
                "j", "hinge", "base", "arm", axes=(JointAxis((0.0, 0.0, 1.0)),)
            ),
        ),
        dof_values=(0.5,),
        adjacent=frozenset({("base", "arm")}),
    )
    assert type(made.links[0].inertial.mass) is float
    hash(made)
    body = pyrave.Environment().create_body(described)
    np.testing.assert_array_equal(body.dof_values, [0.5])
    np.testing.assert_array_equal(
        body.joints["j"].description.axes[0].direction, (0, 0, 1)
    )


def test_what_fits_stays_the_same_object():
    described = dataclasses.replace(axis(), pose=TURNED, dof_values=(0.25,))
    assert validated(BodyDescription, described) is described
    scene = SceneDescription((described,), gravity=(0.0, 0.0, -9.0))
    made, faults = coerced(scene)
    assert made is scene
    assert faults == []


def test_rounded_rotations_become_exact():
    rounded = Pose(tuple(round(x, 5) for x in TURNED.rotation), TURNED.translation)
    made = pyrave.Environment().create_body(
        link(pose=IDENTITY, geometries=[GeometryDescription(Sphere(1), pose=rounded)])
    )
    (geometry,) = made.links[0].geometries
    rotation = geometry.transform[:3, :3]
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-15)
    np.testing.assert_allclose(rotation, TURNED.matrix[:3, :3], atol=1e-5)


def test_parts_that_are_added_later_are_checked_too():
    env = pyrave.Environment()
    robot = env.create_body(
        RobotDescription("r", LINKS, joint(JointAxis((0, 0, 1))).joints)
    )
    base = robot.links["base"]
    bad = GeometryDescription(Box((1, 1, -1)), "bad")
    for act in (
        lambda: base.add_geometry(bad),
        lambda: base.set_geometries([GeometryDescription(Sphere(1)), bad]),
    ):
        with pytest.raises(ArgumentError, match="GeometryDescription 'bad': shape"):
            act()
    with pytest.raises(ArgumentError, match="got int"):
        base.add_geometry(3)
    with pytest.raises(ArgumentError, match="'hand': direction is"):
        robot.add_manipulator(
            ManipulatorDescription("hand", "base", "arm", direction=(0, 0, 0))
        )
    with pytest.raises(ArgumentError, match="got int"):
        robot.add_attached_sensor(4)
    with pytest.raises(ArgumentError, match="got int"):
        env.add_scene(5)
    assert base.geometries == ()
    assert robot.manipulators.names == ()
