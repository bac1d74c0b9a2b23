"""Contact areas: described, checked, viewed, copied, saved and summarised."""

import copy
import json
import math
import pickle
from dataclasses import replace

import numpy as np
import pytest

import pyrave
from pyrave import ArgumentError
from pyrave.formats import WriteContext
from pyrave.formats.meshes.embedded import with_embedded_meshes
from pyrave.formats.openrave_xml.write.writer import openrave_xml_text
from pyrave.scene import (
    BodyDescription,
    Box,
    Capsule,
    ContactDescription,
    Cylinder,
    GeometryDescription,
    LinkDescription,
    MeshData,
    MeshReference,
    Pose,
    RobotDescription,
    SceneDescription,
    Sphere,
    TriMesh,
)
from pyrave.scene.checks import validated

TETRAHEDRON = MeshData(
    [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
    [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
)
TURNED = Pose.from_axis_angle((1, 2, 3), 0.7, (0.1, -0.2, 0.3))
CONTACTS = (
    ContactDescription(Box((0.1, 0.05, 0.01)), "sole", TURNED, 500.0),
    ContactDescription(Cylinder(0.02, 0.1), pose=Pose.from_translation(0, 0, 1)),
    ContactDescription(Sphere(0.03), "tip"),
    ContactDescription(TriMesh(TETRAHEDRON), "corner", max_normal_force=0.5),
)


def described(contacts=CONTACTS, **fields):
    links = (LinkDescription("base"), LinkDescription("foot", contacts=contacts))
    return RobotDescription("walker", links, **fields)


@pytest.fixture
def env():
    return pyrave.Environment()


@pytest.fixture
def robot(env):
    return env.create_body(described())


def test_views_say_what_is_described(robot):
    assert robot.links["base"].contacts == ()
    foot = robot.links["foot"]
    sole, rod, tip, corner = foot.contacts
    assert foot.contacts is foot.contacts
    assert sole.link is foot
    assert [c.name for c in foot.contacts] == ["sole", "", "tip", "corner"]
    assert [c.type for c in foot.contacts] == ["box", "cylinder", "sphere", "trimesh"]
    assert [c.max_normal_force for c in foot.contacts] == [500, math.inf, math.inf, 0.5]
    np.testing.assert_array_equal(sole.half_extents, (0.1, 0.05, 0.01))
    assert (rod.radius, rod.height, tip.radius) == (0.02, 0.1, 0.03)
    np.testing.assert_array_equal(sole.transform, TURNED.matrix)
    robot.transform = Pose.from_axis_angle((0, 1, 0), 1.0, (1.0, 0.0, 0.0)).matrix
    np.testing.assert_allclose(
        sole.world_transform, robot.transform @ TURNED.matrix, atol=1e-15
    )
    assert corner.mesh.faces.shape == (4, 3)
    with pytest.raises(pyrave.NotSupportedError, match="a sphere has no height"):
        _ = tip.height
    assert repr(sole) == "<box contact 'sole' of <link walker/foot>>"


def test_normals_look_outward(robot):
    sole, rod, tip, corner = robot.links["foot"].contacts
    turn = TURNED.matrix[:3, :3]
    expected = np.concatenate((turn.T, -turn.T))
    np.testing.assert_allclose(sole.normals, expected, atol=1e-15)
    np.testing.assert_array_equal(rod.normals, [[0, 0, 1], [0, 0, -1]])
    assert tip.normals.shape == (0, 3)
    slope = np.ones(3) / math.sqrt(3)
    expected = [[0, 0, -1], [0, -1, 0], [-1, 0, 0], slope]
    np.testing.assert_allclose(corner.normals, expected, atol=1e-15)


def test_allowed_directions(robot):
    sole, rod, tip, corner = robot.links["foot"].contacts
    down = -TURNED.matrix[:3, 2]
    assert sole.allows(5 * down)
    assert not sole.allows(down + np.array((0.1, 0, 0)))
    assert sole.allows(down + np.array((0.1, 0, 0)), angle=0.2)
    assert rod.allows((0, 0, -1))
    assert rod.allows((math.cos(0.3), math.sin(0.3), 0.0))
    assert not rod.allows((1, 0, 1))
    assert tip.allows((1, 2, 3))
    assert corner.allows((1, 1, 1))
    assert not corner.allows((-1, -1, -1))
    with pytest.raises(ArgumentError, match="expected a direction"):
        tip.allows((0, 0, 0))


@pytest.mark.parametrize(
    ("contact", "text"),
    [
        (ContactDescription(Box((-1, 1, 1))), "half_extents is -1.0, expected 0 or"),
        (
            ContactDescription(Capsule(1, 1)),
            "shape is Capsule(radius=1, height=1)",
        ),
        (
            ContactDescription(Sphere(1), max_normal_force=-1),
            "force is -1.0, exp",
        ),
        (ContactDescription(Sphere(1), max_normal_force=math.nan), "force is nan"),
        (ContactDescription(Sphere(1), 3), "name is 3, expected a text"),
        (ContactDescription(Sphere(1), pose=Pose((2.0,) * 9)), "expected a rotation"),
        (GeometryDescription(Sphere(1)), "expected ContactDescription"),
    ],
)
def test_what_has_no_meaning_is_refused(robot, contact, text):
    with pytest.raises(ArgumentError, match=r"links\[1\]\.contacts\[0\]") as caught:
        validated(BodyDescription, described((contact,)))
    assert text in str(caught.value)
    before = robot.links["foot"].contacts
    with pytest.raises(ArgumentError):
        robot.links["foot"].set_contacts([contact])
    assert robot.links["foot"].contacts is before


def test_numbers_become_floats():
    raw = ContactDescription(Sphere(1), max_normal_force=np.float32(2))
    made = validated(BodyDescription, described((raw,))).links[1].contacts[0]
    assert type(made.shape.radius) is float
    assert type(made.max_normal_force) is float


def test_contacts_are_edited(robot):
    seen = []
    foot, twin = robot.links["foot"], robot.clone()
    with robot.register_change_callback(seen.append, pyrave.BodyChange.CONTACTS):
        foot.set_contacts(CONTACTS[:1])
        foot.mass = 3.0
    assert seen == [pyrave.BodyChange.CONTACTS]
    assert [c.name for c in foot.contacts] == ["sole"]
    assert len(twin.links["foot"].contacts) == 4
    assert robot.describe().links[1].contacts == CONTACTS[:1]


def test_copies_carry_contacts(env, robot):
    for other in (env.clone(), pickle.loads(pickle.dumps(env))):  # noqa: S301
        (again,) = other.robots
        assert again.describe().links[1].contacts == CONTACTS
        assert again.links["foot"].contacts[0].link is again.links["foot"]
    scene = SceneDescription((described(),))
    assert pickle.loads(pickle.dumps(scene)) == scene  # noqa: S301
    assert copy.deepcopy(scene) == scene


@pytest.mark.parametrize(
    "change",
    [
        {"name": "heel"},
        {"pose": Pose.from_translation(0, 0, 1e-12)},
        {"shape": Box((0.1, 0.05, 0.02))},
        {"max_normal_force": 499.0},
    ],
)
def test_comparisons_see_each_field(change):
    other = (replace(CONTACTS[0], **change), *CONTACTS[1:])
    assert described(other) != described()
    assert described(tuple(map(replace, CONTACTS))) == described()


def test_openrave_xml_carries_contacts(tmp_path):
    path = tmp_path / "walker.robot.xml"
    scene = SceneDescription((described(),), root="robot")
    text, losses = openrave_xml_text(scene, WriteContext())
    assert [loss.code for loss in losses] == ["pyrave-only"]
    path.write_text(text)
    assert pyrave.read(path, strict=True) == scene


def test_a_prefix_renames_the_link_alone(tmp_path):
    text, _ = openrave_xml_text(
        SceneDescription((described(),), root="robot"), WriteContext()
    )
    (tmp_path / "walker.robot.xml").write_text(text)
    outer = '<environment><robot file="walker.robot.xml" prefix="a_"/></environment>'
    (tmp_path / "outer.env.xml").write_text(outer)
    (robot,) = pyrave.read(tmp_path / "outer.env.xml", strict=True).bodies
    assert robot.links[1].name == "a_foot"
    assert robot.links[1].contacts == CONTACTS


def test_hand_written_xml_may_leave_out_defaults(tmp_path):
    said = [{"type": "ContactDescription", "shape": {"type": "Sphere", "radius": 0.1}}]
    text = (
        '<kinbody name="ball"><body name="base"><pyrave>'
        f'<set name="contacts">{json.dumps(said)}</set></pyrave></body></kinbody>'
    )
    (body,) = pyrave.load_string(text, strict=True).bodies
    assert body.links[0].contacts[0].description == ContactDescription(Sphere(0.1))
    with pytest.raises(pyrave.SceneError, match="Sphere has no 'radios'"):
        pyrave.load_string(text.replace("radius", "radios"))
    with pytest.raises(pyrave.SceneError, match=r"radius is -0\.1, expected 0 or"):
        pyrave.load_string(text.replace("0.1", "-0.1"))


@pytest.fixture
def with_mesh_file(tmp_path):
    rows = "\n".join(
        "facet normal 0 0 0\nouter loop\n"
        + "\n".join(f"vertex {x} {y} {z}" for x, y, z in triangle)
        + "\nendloop\nendfacet"
        for triangle in TETRAHEDRON.vertices[TETRAHEDRON.faces]
    )
    (tmp_path / "sole.stl").write_text(f"solid sole\n{rows}\nendsolid sole\n")
    uri = str(tmp_path / "sole.stl")
    shape = TriMesh(MeshReference(uri, (2.0, 2.0, 2.0), "sole.stl"))
    return SceneDescription((described((ContactDescription(shape),)),), root="robot")


def test_mesh_files_are_named_and_embedded(tmp_path, with_mesh_file):
    text, _ = openrave_xml_text(with_mesh_file, WriteContext(relative_to=str(tmp_path)))
    assert "/sole.stl" not in text
    path = tmp_path / "walker.robot.xml"
    path.write_text(text)
    assert pyrave.read(path, strict=True) == with_mesh_file
    env = pyrave.load(path)
    (area,) = env.robots[0].links["foot"].contacts
    assert area.mesh.vertices.max() == 2.0
    embedded, losses = with_embedded_meshes(with_mesh_file, lambda _: area.mesh)
    assert not losses
    shape = embedded.bodies[0].links[1].contacts[0].shape
    assert isinstance(shape.mesh, MeshData)
    assert shape.mesh.vertices.max() == 2.0


def test_a_broken_mesh_is_reported(tmp_path, with_mesh_file):
    text, _ = openrave_xml_text(with_mesh_file, WriteContext(relative_to=str(tmp_path)))
    path = tmp_path / "walker.robot.xml"
    path.write_text(text)
    (tmp_path / "sole.stl").write_text("nonsense")
    with pytest.raises(pyrave.SceneError, match=r"sole\.stl"):
        pyrave.load(path, strict=True)
    env = pyrave.load(path)
    (area,) = env.robots[0].links["foot"].contacts
    with pytest.raises(pyrave.Error, match=r"sole\.stl"):
        _ = area.normals
    (tmp_path / "sole.stl").unlink()
    with pytest.raises(pyrave.SceneError, match=r"sole\.stl"):
        pyrave.load(path, strict=True)


def test_mesh_files_lose_contacts(tmp_path):
    body = replace(described(), links=(LinkDescription("base", contacts=CONTACTS[:2]),))
    shown = GeometryDescription(TriMesh(TETRAHEDRON))
    body = replace(body, links=(replace(body.links[0], geometries=(shown,)),))
    env = pyrave.Environment()
    env.create_body(body)
    losses = env.save(tmp_path / "thing.stl")
    assert any("contacts: 2 are lost" in loss for loss in losses)
