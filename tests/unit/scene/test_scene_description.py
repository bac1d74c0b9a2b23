"""Descriptions: frozen, comparable by what they say, picklable; poses; readables."""

import dataclasses
import pickle

import numpy as np
import pytest

from pyrave import ArgumentError, NotFoundError, Problem, Severity, scene
from pyrave.scene import (
    IDENTITY,
    BodyDescription,
    Box,
    GeometryDescription,
    JointAxis,
    JointDescription,
    LinkDescription,
    Location,
    MeshData,
    MeshReference,
    Pose,
    Readable,
    Readables,
    RobotDescription,
    SceneDescription,
    TriMesh,
    XmlElement,
    XmlReadable,
)


def example(file="a.xml", line=1):
    place = Location(file, line)
    mesh = TriMesh(MeshData(np.eye(3), np.array([[0, 1, 2]])))
    link = LinkDescription(
        "l",
        geometries=(
            GeometryDescription(Box((1.0, 2.0, 3.0)), location=place),
            GeometryDescription(mesh),
        ),
        location=place,
    )
    joint = JointDescription(
        "j", "hinge", "l", "m", axes=(JointAxis((0.0, 0.0, 1.0)),), location=place
    )
    readable = XmlReadable(XmlElement("a", (("b", "c"),), "t", location=place))
    robot = RobotDescription(
        "r",
        (link, LinkDescription("m")),
        (joint,),
        readables=(("k", readable),),
        location=place,
    )
    return SceneDescription(
        (robot, BodyDescription("b", (link,))),
        uri=file,
        location=place,
        problems=(Problem(Severity.WARNING, "w", file=file),),
    )


def test_where_things_came_from_is_not_compared():
    assert example("a.xml", 1) == example("b.xml", 99)
    assert hash(example("a.xml", 1)) == hash(example("b.xml", 99))
    assert "location" not in repr(example())


def test_everything_else_is_compared_exactly():
    base = example()
    robot = base.bodies[0]
    others = [
        dataclasses.replace(base, gravity=(0.0, 0.0, -1.0)),
        dataclasses.replace(base, bodies=base.bodies[::-1]),
        dataclasses.replace(base, name="x"),
        dataclasses.replace(
            base,
            bodies=(
                dataclasses.replace(robot, pose=Pose.from_translation(0, 0, 1e-300)),
                base.bodies[1],
            ),
        ),
    ]
    assert all(other != base for other in others)


def test_descriptions_are_frozen_and_pickle():
    base = example()
    with pytest.raises(dataclasses.FrozenInstanceError):
        base.name = "x"
    with pytest.raises((dataclasses.FrozenInstanceError, AttributeError)):
        base.bodies[0].name = "x"
    again = pickle.loads(pickle.dumps(base))  # noqa: S301 - made here
    assert again == base
    assert again.bodies[0].location == base.bodies[0].location
    assert base.robots == (base.bodies[0],)


def test_mesh_data_is_read_only_and_compared_by_content():
    vertices = np.eye(3)
    data = MeshData(vertices, [[0, 1, 2]])
    vertices[0, 0] = 5
    assert data.vertices[0, 0] == 1
    assert data.faces.dtype == np.int32
    with pytest.raises(ValueError, match="read-only"):
        data.vertices[0, 0] = 2
    assert data == MeshData(np.eye(3), [[0, 1, 2]])
    assert hash(data) == hash(MeshData(np.eye(3), [[0, 1, 2]]))
    assert data != MeshData(2 * np.eye(3), [[0, 1, 2]])
    assert data != "mesh"


def test_a_mesh_reference_is_its_file_and_scale():
    assert MeshReference("/a", written="a") == MeshReference("/a", written="./a")
    assert MeshReference("/a", found=False) == MeshReference("/a")
    assert MeshReference("/a", (2.0, 1.0, 1.0)) != MeshReference("/a")


def random_pose(rng):
    return Pose.from_quaternion(rng.normal(size=4), tuple(rng.normal(size=3).tolist()))


def test_poses_compose_as_matrices():
    rng = np.random.default_rng(7)
    for _ in range(10):
        a, b = random_pose(rng), random_pose(rng)
        np.testing.assert_allclose((a @ b).matrix, a.matrix @ b.matrix, atol=1e-14)
        np.testing.assert_allclose(
            a.inverse().matrix, np.linalg.inv(a.matrix), atol=1e-14
        )
        point = rng.normal(size=3)
        expected = (a.matrix @ (*point, 1))[:3]
        np.testing.assert_allclose(a.apply(point), expected, atol=1e-14)
        np.testing.assert_allclose(a.rotate(point), a.matrix[:3, :3] @ point)
        assert Pose.from_matrix(a.matrix) == a
        assert a @ IDENTITY == a
        assert IDENTITY @ a == a
    moved = Pose.from_translation(1, 2, 3)
    np.testing.assert_array_equal((moved @ moved).matrix[:3, 3], (2, 4, 6))
    turned = Pose.from_axis_angle((0, 0, 2), np.pi / 2, (1.0, 0.0, 0.0))
    np.testing.assert_allclose(turned.apply((1, 0, 0)), (1, 1, 0), atol=1e-15)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Pose.from_axis_angle((0, 0, 0), 1.0),
        lambda: Pose.from_quaternion((0, 0, 0, 0)),
    ],
)
def test_rotations_without_direction_are_refused(make):
    with pytest.raises(ArgumentError, match="no direction"):
        make()


def test_readables_match_without_case_and_keep_their_order():
    first, second = Readable(), XmlReadable(XmlElement("x"))
    made = Readables((("PidData", first), ("b", second)))
    assert made["PIDDATA"] is first
    assert "b" in made
    assert "B" in made
    assert "c" not in made
    assert 3 not in made
    assert list(made) == ["PidData", "b"]
    assert made.items() == (("PidData", first), ("b", second))
    assert made.get("c") is None
    made["piddata"] = second
    assert made.items()[0] == ("piddata", second)
    del made["PIDDATA"]
    assert len(made) == 1
    for use in (lambda: made["pidata"], lambda: made.__delitem__("z")):
        with pytest.raises(NotFoundError, match="no readable"):
            use()


def test_keys_of_repeated_tags_keep_every_readable():
    one, two, three = (XmlReadable(XmlElement(name)) for name in "abc")
    made = Readables((("Note", one), ("x", two), ("note", three)))
    assert made["NOTE"] is made.get("note") is three
    assert made.all("NOTE") == (one, three)
    assert made.all("y") == ()
    assert (list(made), len(made)) == (["note", "x"], 2)
    made.add("X", one)
    assert made.items()[2:] == (("note", three), ("X", one))
    made["note"] = two
    assert made.items() == (("note", two), ("x", two), ("X", one))
    del made["x"]
    assert made.items() == (("note", two),)


def test_xml_elements():
    element = XmlElement("a", (("Name", "x"),), children=(XmlElement("b"),))
    assert element.get("NAME") == "x"
    assert element.get("other") is None
    assert element.get("other", "y") == "y"
    assert XmlReadable(element).to_xml() is element
    assert Readable().to_xml() is None


def test_a_location_reads_as_a_place():
    assert str(Location("a.xml", 3, 7)) == "a.xml:3:7"
    assert str(Location("a.xml")) == "a.xml"


def test_every_description_is_a_frozen_dataclass():
    for name in scene.__all__:
        kind = getattr(scene, name)
        if isinstance(kind, type) and dataclasses.is_dataclass(kind):
            assert kind.__dataclass_params__.frozen, name
