"""What is written, and what is refused; see tests/properties for round trips."""

import io
import json
import math

import pytest

import pyrave
from pyrave.errors import SceneError
from pyrave.formats import ReadContext, Resolver, WriteContext, read_scene, write_scene
from pyrave.formats.openrave_xml.hooks import OpenRAVEXmlFormat
from pyrave.formats.openrave_xml.write.writer import openrave_xml_text
from pyrave.scene import (
    BodyDescription,
    Box,
    GeometryDescription,
    InterfaceDescription,
    JointAxis,
    JointDescription,
    LinkDescription,
    ManipulatorDescription,
    MeshReference,
    MimicFormula,
    Pose,
    Readable,
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


LINK = LinkDescription("a")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            BodyDescription("a\0b"),
            "'a\\x00b' of a body in body 'a\\x00b' holds a character",
        ),
        (BodyDescription("k", (LinkDescription("\ud800"),)), "holds a character"),
        (BodyDescription("k", (LinkDescription("\uffff"),)), "holds a character"),
        (BodyDescription("a b"), "has blanks or control characters"),
        (BodyDescription(""), "has no name"),
        (BodyDescription("\u3000k"), "would be read back as 'k'"),
        (BodyDescription("k", (LINK, LINK)), "2 links of body 'k' are named 'a'"),
        (
            BodyDescription("k", pose=Pose.from_translation(math.nan, 0, 0)),
            "bodies[0].pose.translation[0] is nan, expected a finite number",
        ),
        (BodyDescription("k", pose=Pose((2.0,) * 9)), "expected a rotation"),
        (
            BodyDescription(
                "k",
                (
                    LinkDescription(
                        "a", geometries=(GeometryDescription(Sphere(-1.0)),)
                    ),
                ),
            ),
            "bodies[0].links[0].geometries[0].shape.radius is -1.0, expected 0 or more",
        ),
        (
            BodyDescription("k", (LINK,), dof_values=(1e300,)),
            "dof_values[0] is 1e+300, which is absurdly large",
        ),
    ],
)
def test_what_no_file_can_say_is_refused_and_nothing_is_written(tmp_path, body, said):
    target = tmp_path / "out.xml"
    scene = SceneDescription((body,))
    with pytest.raises(SceneError) as caught:
        write_scene(scene, target, [OpenRAVEXmlFormat()], WriteContext())
    assert said in str(caught.value)
    assert "cannot be written: " in str(caught.value)
    assert "<written>" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_texts_that_xml_has_not_are_kept_beside_the_tags():
    odd = "\x01\ud800\uffff"
    module = InterfaceDescription("module", "M", odd, f"run {odd}", commands=(odd,))
    scene = SceneDescription(interfaces=(module,), name=odd)
    read, _, losses = round_trip(scene)
    assert losses == []
    assert read == scene


@pytest.mark.parametrize(
    ("element", "said"),
    [
        (XmlElement("two words"), "is no XML: Invalid tag name"),
        (XmlElement("a", text="\0"), "is no XML"),
    ],
)
def test_readables_that_cannot_come_back_are_losses(element, said):
    body = BodyDescription("k", (LINK,), readables=(("x", XmlReadable(element)),))
    read, _, (loss,) = round_trip(SceneDescription((body,)))
    assert loss.code == "not-written"
    assert said in loss.message
    assert read.bodies[0].readables == ()


@pytest.mark.parametrize("tag", ["mass", "Body", "pyrave", "translation"])
def test_readables_that_are_tags_of_the_format_are_kept_from_it(tag):
    element = XmlElement(tag, (("a", "1"),), "word")
    body = BodyDescription("k", (LINK,), readables=(("x", XmlReadable(element)),))
    scene = SceneDescription((body,))
    read, _, (loss,) = round_trip(scene)
    assert loss.code == "pyrave-only"
    assert loss.message == (
        "readables that OpenRAVE would take for its own tags are for pyrave alone: "
        "'x of a kinbody'"
    )
    assert read == scene


def test_types_that_are_no_tags_are_refused():
    module = InterfaceDescription("two words", "M")
    with pytest.raises(SceneError, match="cannot be written as XML: Invalid tag name"):
        round_trip(SceneDescription(interfaces=(module,)))


def test_errors_of_plugins_are_not_hidden():
    class Broken(Readable):
        def to_xml(self):
            raise OverflowError("a fault of the plugin")

    body = BodyDescription("k", (LINK,), readables=(("x", Broken()),))
    with pytest.raises(OverflowError, match="a fault of the plugin"):
        round_trip(SceneDescription((body,)))


def test_repeated_tags_come_back_from_an_environment(tmp_path):
    text = "<kinbody name='k'><body name='a'/>{}</kinbody>"
    text = text.format("<note>1</note><other/><Note>2</Note><note a='3'/>")
    env = pyrave.load_string(text)
    found = env.bodies["k"].readables
    assert len(found.all("note")) == 3
    assert found["note"].to_xml().get("a") == "3"
    assert env.save(tmp_path / "k.env.xml") == ()
    assert pyrave.load(tmp_path / "k.env.xml").describe() == env.describe()


def test_far_limits_stand_for_infinite_ones():
    axes = (JointAxis((0.0, 0.0, 1.0), lower=-math.inf, upper=math.inf),)
    joint = JointDescription("j", "hinge", "a", "b", axes=axes)
    body = BodyDescription("k", (LINK, LinkDescription("b")), (joint,))
    read, text, _ = round_trip(SceneDescription((body,)))
    assert "<limits>-10000000000 10000000000</limits>" in text
    assert read.bodies[0].joints[0].axes == axes


def made(kind, **fields):
    """Return the JSON of a description object; infinities as JSON cannot have them."""
    return json.dumps({"type": kind, **fields}).replace("Infinity", "1e400")


def mesh(vertices, faces):
    data = {"type": "MeshData", "vertices": vertices, "faces": faces}
    return made("TriMesh", mesh=data)


@pytest.mark.parametrize(
    ("owner", "field", "value"),
    [
        ("kinbody", "nothing", "1"),
        ("kinbody", "name", '"b"'),
        ("kinbody", "uri", '"b"'),
        ("kinbody", "composition", "null"),
        ("kinbody", "links", "[" * 5000),
        ("kinbody", "dof_values", '"x"'),
        ("kinbody", "dof_values", "[NaN]"),
        ("kinbody", "dof_values", "[1e400]"),
        ("kinbody", "dof_values", "[1e300]"),
        ("kinbody", "pose", made("Box", half_extents=[1, 1, 1])),
        ("kinbody", "pose", made("Pose", rotation=[1])),
        ("kinbody", "pose", made("Pose", rotation=[1, 0, 0, 0, 1, 0, 0, 0, -1])),
        ("kinbody", "pose", made("Pose", translation=[0, 0, -math.inf])),
        ("geom", "shape", made("Sphere", radius=math.inf)),
        ("geom", "shape", made("Sphere", radius=-1)),
        ("geom", "shape", made("Sphere", radius="1")),
        ("geom", "shape", f"[{made('Sphere', radius=1)}]"),
        ("geom", "shape", mesh([[0, 0, 0]], [[0, 0, 1]])),
        ("geom", "shape", mesh([[0, 0, math.inf]], [])),
        ("geom", "shape", mesh([[0, 0]], [])),
        ("geom", "shape", mesh("x", [])),
        ("geom", "shape", '{"type": "TriMesh", "mesh": {"type": "MeshData"}}'),
        ("geom", "shape", '{"type": ["TriMesh"]}'),
        ("geom", "shape", made("MeshReference", uri=5)),
        ("geom", "shape", '{"type": "TriMesh", "mesh": {"type": "MeshReference"}}'),
        ("joint", "actuator", made("XmlReadable", element=3)),
        ("joint", "actuator", made("XmlReadable", element={"type": "XmlElement"})),
        (
            "joint",
            "actuator",
            '{"type": "XmlReadable", "element": {"type": "XmlElement", "tag": 5}}',
        ),
        ("joint", "axes", f"[{made('JointAxis', direction=[0, 0, 0])}]"),
        ("joint", "axes", f"[{made('JointAxis', direction=[0, 0, 1], weight=-1)}]"),
        ("joint", "axes", f"[{made('JointAxis', direction=[0, 0, 1], initial=1e99)}]"),
        ("joint", "path", made("JointPath", times=[0, 1], poses=[])),
    ],
)
def test_hostile_own_elements_are_refused(refuse, owner, field, value):
    own = f"<pyrave>\n<set name='{field}'>{value}</set></pyrave>"
    at = {name: own if name == owner else "" for name in ("kinbody", "geom", "joint")}
    (problem,) = refuse(
        f"<kinbody name='k'><body name='a'><geom type='none'>{at['geom']}</geom></body>"
        "<body name='b'/><joint name='j'><body>a</body><body>b</body>"
        f"<axis>0 0 1</axis>{at['joint']}</joint>{at['kinbody']}</kinbody>"
    )
    assert (problem.code, problem.line, problem.column) == ("bad-pyrave", 2, 1)


def test_hostile_gravity_is_refused_at_its_place(refuse):
    (problem,) = refuse(
        "<environment><pyrave>\n <set name='gravity'>[0, 0, 1e400]</set></pyrave>"
        "</environment>"
    )
    assert (problem.line, problem.column) == (2, 2)
    assert problem.message == "gravity[2] is inf, which is not finite"


@pytest.mark.parametrize("order", ["0 1", "0 0 1", "a", "", "2 1 3"])
def test_an_order_of_other_objects_is_told_and_left(read, order):
    manipulators = "".join(
        f"<manipulator name='{name}'><base>a</base><effector>a</effector></manipulator>"
        for name in "xyz"
    )
    scene = read(
        f"<robot name='r'><kinbody><body name='a'/></kinbody>{manipulators}"
        f"<pyrave><order name='manipulators'>{order}</order></pyrave></robot>"
    )
    assert [problem.code for problem in scene.problems] == ["stale-pyrave"]
    assert [m.name for m in scene.bodies[0].manipulators] == ["x", "y", "z"]


def test_an_order_is_followed_without_a_word(read):
    arm = "<manipulator name='{}'><base>a</base><effector>a</effector></manipulator>"
    scene = read(
        f"<robot name='r'><kinbody><body name='a'/></kinbody>{arm.format('x')}"
        f"{arm.format('y')}<pyrave><order name='manipulators'>1 0</order></pyrave>"
        "</robot>",
        strict=True,
    )
    assert [m.name for m in scene.bodies[0].manipulators] == ["y", "x"]


def test_an_order_of_what_there_is_not_is_told(read):
    scene = read(
        "<kinbody name='k'><body name='a'/><pyrave><order name='manipulators'/>"
        "</pyrave></kinbody>"
    )
    assert [problem.code for problem in scene.problems] == ["stale-pyrave"]


def test_unknown_tags_named_as_what_holds_them_stay_inside(read, tmp_path):
    text = (
        "<kinbody name='k'><body name='b'><geom type='box'><extents>1 1 1</extents>"
        "<geom><diffusecolor>1 0 0</diffusecolor></geom></geom></body></kinbody>"
    )
    scene = read(text)
    target = tmp_path / "k.kinbody.xml"
    OpenRAVEXmlFormat().write(scene, target, WriteContext())
    assert read(target.read_text()) == scene


JOINT = (
    "<kinbody name='k'><body name='a'/><body name='b'/><joint name='j'>"
    "<body>a</body><body>b</body><axis>0 0 1</axis><pyrave>{}</pyrave></joint>"
    "</kinbody>"
)


def test_axes_are_completed_one_by_one():
    joint = JointDescription(
        "j",
        "universal",
        "a",
        "b",
        axes=(JointAxis((1, 0, 0), jerk_limit=7.0), JointAxis((0, 1, 0))),
    )
    links = (LinkDescription("a"), LinkDescription("b"))
    scene = SceneDescription((BodyDescription("k", links, (joint,)),))
    read, text, _ = round_trip(scene)
    assert read.bodies == scene.bodies
    assert '<axis>\n          <set name="jerk_limit">7.0</set>' in text
    assert 'name="axes"' not in text


def test_axes_of_another_joint_are_passed_over(read):
    scene = read(JOINT.format("<axis/><axis><set name='weight'>3</set></axis>"))
    assert [problem.code for problem in scene.problems] == ["stale-pyrave"]
    assert [axis.weight for axis in scene.bodies[0].joints[0].axes] == [1.0]


def test_readables_of_elements_may_be_taken_away(read):
    scene = read(
        "<kinbody name='k'><body name='a'/><note/><pyrave><readables/>"
        "<readable key='b'><x/></readable></pyrave></kinbody>"
    )
    assert [key for key, _ in scene.bodies[0].readables] == ["b"]


@pytest.mark.parametrize("name", ["adjacent", "axes", "links_"])
def test_what_has_no_order_is_refused(refuse, name):
    (problem,) = refuse(JOINT.format(f"<order name='{name}'/>"))
    assert problem.code == "bad-pyrave"


def test_blanks_in_names_become_other_names_which_is_told():
    axes = (JointAxis((0.0, 0.0, 1.0)),)
    mimic = MimicFormula("2*turn it+0.5")
    body = RobotDescription(
        "r",
        links=tuple(map(LinkDescription, ("the base", "the_base", "arm", "hand"))),
        joints=(
            JointDescription("turn it", "hinge", "the base", "arm", axes=axes),
            JointDescription("fix", "fixed", "the base", "the_base"),
            JointDescription(
                "follow",
                "hinge",
                "arm",
                "hand",
                axes=(JointAxis((0.0, 0.0, 1.0), mimic=mimic, initial=0.5),),
                active=False,
            ),
        ),
        adjacent=frozenset({("arm", "the base")}),
        manipulators=(ManipulatorDescription("m", "the base", "hand"),),
    )
    scene = SceneDescription(bodies=(body,))
    read, _, losses = round_trip(scene)
    (found,) = read.bodies
    assert [link.name for link in found.links] == [
        "the_base1",
        "the_base",
        "arm",
        "hand",
    ]
    assert [joint.name for joint in found.joints] == ["turn_it", "fix", "follow"]
    assert [joint.parent for joint in found.joints] == ["the_base1", "the_base1", "arm"]
    assert found.joints[2].axes[0].mimic.position == "2*turn_it+0.5"
    assert found.adjacent == {("arm", "the_base1")}
    assert found.manipulators[0].base == "the_base1"
    (told,) = losses
    assert told.code == "written-otherwise"
    assert told.message == "blanks in names are written as _: 'the base', 'turn it'"
