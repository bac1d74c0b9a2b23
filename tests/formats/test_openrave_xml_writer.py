"""Round trips: whatever is described reads back equal."""

import dataclasses
import io
import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pyrave.errors import SceneError
from pyrave.formats import ReadContext, Resolver, WriteContext, read_scene, write_scene
from pyrave.formats.openrave_xml.plugin import OpenRAVEXmlFormat
from pyrave.formats.openrave_xml.writer import openrave_xml_text
from pyrave.scene import (
    AttachedSensorDescription,
    BodyDescription,
    Box,
    Cage,
    CameraView,
    Capsule,
    Container,
    Cylinder,
    GeometryDescription,
    Inertial,
    InterfaceDescription,
    JointAxis,
    JointDescription,
    LinkDescription,
    ManipulatorDescription,
    Material,
    MeshData,
    MeshReference,
    MimicFormula,
    NoShape,
    PluginReference,
    Pose,
    Prism,
    RenderMesh,
    RobotDescription,
    SceneDescription,
    Sphere,
    TriMesh,
    XmlElement,
    XmlReadable,
)


def round_trip(scene, **context):
    text, losses = openrave_xml_text(scene, WriteContext(**context))
    resolver = Resolver(data_roots=(), use_environment=False)
    read = read_scene(
        io.BytesIO(text.encode()), [OpenRAVEXmlFormat()], ReadContext(resolver=resolver)
    )
    return read, text, losses


number = st.floats(-100, 100).map(lambda x: x + 0.0)
size = st.floats(0, 50)
vec3 = st.tuples(number, number, number)
sizes = st.tuples(size, size, size)
word = st.text("abcXYZ0_-é手", min_size=1, max_size=6)
angle = st.floats(-7, 7)


def unit(v):
    n = math.sqrt(sum(x * x for x in v))
    return tuple(x / n for x in v) if n > 1e-3 else (0.0, 0.0, 1.0)


axis = vec3.map(unit)
pose = st.one_of(
    st.just(Pose()),
    st.builds(Pose.from_axis_angle, axis, angle, vec3),
    st.builds(Pose.from_translation, number, number, number),
)
file_name = st.sampled_from(["missing.iv", "no such/mesh a.stl", "x.wrl"])
reference = file_name.flatmap(
    lambda name: st.builds(MeshReference, st.just(name), sizes, found=st.just(False))
)
mesh_data = st.lists(vec3, min_size=3, max_size=5).map(
    lambda v: MeshData(v, [[0, 1, 2], [0, 2, 1]])
)
mesh = st.one_of(reference, mesh_data)
shape = st.one_of(
    st.just(NoShape()),
    st.builds(Box, sizes),
    st.builds(Sphere, size),
    st.builds(Cylinder, size, size),
    st.builds(Capsule, size, size),
    st.builds(Container, sizes, sizes, sizes, sizes),
    st.builds(Cage, sizes, st.lists(st.tuples(pose, sizes), max_size=2).map(tuple)),
    st.builds(
        Prism,
        st.lists(st.tuples(number, number), min_size=3, max_size=5).map(tuple),
        size,
    ),
    st.builds(TriMesh, mesh),
)
text = st.text("ab <&>'\"\n\t é", max_size=8)
leaf = st.builds(
    XmlElement, word.map("t{}".format).map(lambda w: w.replace("手", "x")),
    st.dictionaries(st.sampled_from(["a", "B", "c"]), st.text("x<&\" '", max_size=4))
    .map(lambda d: tuple(d.items())), text,
)  # fmt: skip
tree = st.builds(
    lambda one, children: dataclasses.replace(one, children=children, text=""),
    leaf,
    st.lists(leaf, min_size=1, max_size=3).map(tuple),
)
readables = st.lists(st.one_of(leaf, tree), max_size=2).map(
    lambda found: tuple((e.tag.lower(), XmlReadable(e)) for e in found)
)
geometry = st.builds(
    GeometryDescription,
    shape,
    st.just("") | word,
    pose,
    st.builds(
        Material, st.none() | sizes, st.none() | sizes, st.sampled_from([0.0, 0.5])
    ),
    st.none() | st.builds(RenderMesh, mesh),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["self", "other"]),
    readables,
)
inertial = st.one_of(
    st.just(Inertial()),
    st.builds(Inertial, size, vec3, st.tuples(*[number] * 9)),
)
link = st.builds(
    LinkDescription,
    word,
    pose,
    st.lists(geometry, max_size=2).map(tuple),
    inertial,
    st.booleans(),
    st.booleans(),
    readables,
)
joint_axis = st.builds(
    JointAxis,
    axis,
    st.booleans(),
    st.floats(-5, 0) | st.just(-math.inf),
    st.floats(0, 5) | st.just(math.inf),
    st.booleans(),
    number,
    *[size] * 9,
    st.floats(0.001, 1),
    st.none() | st.builds(MimicFormula, word, word, st.just("")),
)


@st.composite
def bodies(draw, name):
    links = draw(st.lists(link, max_size=3, unique_by=lambda one: one.name))
    names = [one.name for one in links]
    joints = []
    if len(links) > 1:
        for one in draw(st.lists(word, max_size=3, unique=True)):
            kind, count = draw(
                st.sampled_from(
                    [("hinge", 1), ("slider", 1), ("universal", 2), ("fixed", 0),
                     ("hinge2", 2), ("spherical", 3)]
                )
            )  # fmt: skip
            ends = draw(st.permutations(names))[:2]
            axes = draw(st.lists(joint_axis, min_size=count, max_size=count))
            joints.append(
                JointDescription(
                    one, kind, *ends, draw(pose), draw(pose), tuple(axes),
                    draw(st.booleans()), draw(st.none() | leaf.map(XmlReadable)),
                    draw(readables),
                )
            )  # fmt: skip
    pairs = st.tuples(st.sampled_from(names), st.sampled_from(names)) if names else None
    common = {
        "pose": draw(pose),
        "interface": draw(st.sampled_from(["", "Id arg 1"])),
        "uri": draw(st.sampled_from(["", "/some/where.xml"])),
        "dof_values": draw(st.none() | st.tuples(number)),
        "adjacent": draw(st.frozensets(pairs, max_size=2)) if names else frozenset(),
        "joined_links_adjacent": draw(st.booleans()),
        "readables": draw(readables),
        "commands": draw(st.sampled_from([(), ("do it", "again 1")])),
    }
    # `dof_values` that do not fit are no valid description.
    count = sum(
        len(j.axes) for j in joints if j.active and not any(a.mimic for a in j.axes)
    )
    common["dof_values"] = (0.5,) * count if common["dof_values"] and count else None
    if not draw(st.booleans()):
        return BodyDescription(name, tuple(links), tuple(joints), **common)
    manipulators, sensors = [], []
    if names:
        manipulator = st.builds(
            ManipulatorDescription, word, st.sampled_from(names),
            st.sampled_from(names), pose, axis,
            st.just(()) | st.just(tuple(j.name for j in joints)),
            st.lists(st.sampled_from([-1.0, 0.0, 1.0]), max_size=2).map(tuple),
            st.sampled_from(["", "ikfast 0.05"]),
        )  # fmt: skip
        unique = {"max_size": 2, "unique_by": lambda one: one.name}
        manipulators = draw(st.lists(manipulator, **unique))
        sensor = st.builds(
            AttachedSensorDescription, word, st.sampled_from(names), pose,
            st.sampled_from(["", "Laser 1"]), st.just("") | word, readables,
        )  # fmt: skip
        sensors = draw(st.lists(sensor, **unique))
    return RobotDescription(
        name,
        tuple(links),
        tuple(joints),
        **common,
        manipulators=tuple(manipulators),
        attached_sensors=tuple(sensors),
    )


@st.composite
def scenes(draw):
    names = draw(st.lists(word, max_size=3, unique=True))
    found = tuple(draw(bodies(name)) for name in names)
    interface = st.builds(
        InterfaceDescription,
        st.sampled_from(["sensor", "module", "planner", "physicsengine"]),
        st.sampled_from(["Id", "Id 1 2"]),
        st.just("") | word,
        st.sampled_from(["", "a b"]),
        pose=st.none() | pose,
        commands=st.sampled_from([(), ("go",)]),
        readables=readables,
    )
    others = draw(st.lists(interface, max_size=2))
    if names:
        joints = draw(st.sampled_from([(), ("a", "b")]))
        others.append(
            InterfaceDescription(
                "controller", "C", robot=names[0], joints=joints, control_transform=True
            )
        )
    return SceneDescription(
        found,
        tuple(others),
        tuple(map(PluginReference, draw(st.lists(word, max_size=2)))),
        draw(st.just("") | word),
        draw(st.none() | vec3),
        draw(st.none() | sizes),
        draw(st.none() | st.builds(CameraView, pose, size)),
        draw(st.sampled_from([("meter", 1.0), ("mm", 0.001)])),
        draw(readables),
    )


@settings(
    max_examples=60, deadline=None, suppress_health_check=list(HealthCheck)
)  # fmt: skip
@given(scenes())
def test_any_scene_reads_back_equal(scene):
    read, _, losses = round_trip(scene)
    assert losses == []
    assert read == scene


def body_scene(**fields):
    return SceneDescription((BodyDescription("k", (LinkDescription("a"),), **fields),))


def test_what_openrave_can_say_needs_no_own_element():
    box = GeometryDescription(Box((1, 2, 3)), pose=Pose.from_translation(0, 0, 1))
    body = BodyDescription(
        "k",
        (
            LinkDescription("a", geometries=(box,)),
            LinkDescription("b", Pose.from_translation(0, 0, 1)),
        ),
        (
            JointDescription(
                "j", "hinge", "a", "b", Pose.from_translation(0, 0, 1),
                axes=(JointAxis((0, 0, 1), resolution=math.radians(0.7), weight=2.0),),
            ),
        ),
        Pose.from_axis_angle((1, 2, 3), 0.7, (0.1, 0.2, 0.3)),
    )  # fmt: skip
    read, text, _ = round_trip(SceneDescription((body,)))
    assert read.bodies[0] == body
    assert "<pyrave>" not in text
    assert "<anchor>0 0 1</anchor>" in text


def test_single_objects_keep_their_root(tmp_path):
    robot = RobotDescription("r", (LinkDescription("a"),))
    control = InterfaceDescription("controller", "C", robot="r")
    scene = SceneDescription((robot,), (control,), root="robot")
    read, text, _ = round_trip(scene)
    assert text.splitlines()[1].startswith("<robot")
    assert read == scene
    sensor = SceneDescription(
        (), (InterfaceDescription("sensor", "L", "s"),), root="sensor"
    )
    read, text, _ = round_trip(sensor)
    assert text.splitlines()[1].startswith("<sensor")
    assert read == sensor


def test_relative_names_stay_below_the_folder(tmp_path):
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "a.stl").write_bytes(b"")
    mesh = MeshReference(str(tmp_path / "m" / "a.stl"))
    link = LinkDescription("a", geometries=(GeometryDescription(TriMesh(mesh)),))
    scene = SceneDescription((BodyDescription("k", (link,)),))
    target = tmp_path / "out.xml"
    context = WriteContext(relative_to=str(tmp_path))
    write_scene(scene, target, [OpenRAVEXmlFormat()], context)
    assert "<data>m/a.stl</data>" in target.read_text()
    assert str(tmp_path) not in target.read_text()
    read = read_scene(
        target, [OpenRAVEXmlFormat()], ReadContext(Resolver(data_roots=()))
    )
    assert read == scene


def test_what_no_file_can_say_is_refused_and_nothing_is_written(tmp_path):
    target = tmp_path / "out.xml"
    for scene in (
        SceneDescription((BodyDescription("a\0b"),)),
        SceneDescription((BodyDescription("a"), BodyDescription("a"))),
    ):
        with pytest.raises(SceneError):
            write_scene(scene, target, [OpenRAVEXmlFormat()], WriteContext())
        assert not target.exists()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("nothing", "1"),
        ("dof_values", '"x"'),
        ("dof_values", "[NaN]"),
        ("pose", '{"type": "Box", "half_extents": [1, 1, 1]}'),
        ("pose", '{"type": "Pose", "rotation": [1]}'),
        ("name", "{"),
        ("links", "[" * 5000),
    ],
)
def test_hostile_own_elements_are_refused(refuse, field, value):
    (problem,) = refuse(
        f"<kinbody name='k'><body name='a'/><pyrave>\n<set name='{field}'>{value}</set>"
        "</pyrave></kinbody>"
    )
    assert (problem.code, problem.line) == ("bad-pyrave", 2)
