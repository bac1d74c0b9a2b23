"""COLLADA as it is written: the shape of OpenRAVE's files, and what stands beside."""

from __future__ import annotations

import dataclasses
import io
import math
import zipfile

import numpy as np
import pytest
from collada_bodies import TETRAHEDRON, arm
from collada_documents import NAMESPACE
from lxml import etree

import pyrave
from pyrave.formats import ReadContext, Resolver, WriteContext, read_scene
from pyrave.kinematics.formula import differentiate, parse_formula
from pyrave.scene import (
    AttachedSensorDescription,
    BodyDescription,
    Box,
    GeometryDescription,
    GrabDescription,
    InterfaceDescription,
    JointAxis,
    JointDescription,
    LinkDescription,
    ManipulatorDescription,
    MimicFormula,
    Pose,
    Readable,
    SceneDescription,
    Sphere,
    TriMesh,
    XmlElement,
    XmlReadable,
    same,
)
from pyrave.spatial import matrix_from_axis_angle
from pyrave_collada.hooks import ColladaFormat
from pyrave_collada.reading.formulas.mathml import expression
from pyrave_collada.writing.document import collada_bytes


def saved(*bodies, **scene):
    described = SceneDescription(bodies, **scene)
    data, losses = collada_bytes(described, WriteContext())
    return data, [one.message for one in losses]


def tree(data):
    """Return the root of a document, its tags without a namespace."""
    root = etree.fromstring(data)
    for element in root.iter("*"):
        element.tag = etree.QName(element).localname
    return root


def alone(data):
    """Return a document without what only pyrave reads."""
    root = etree.fromstring(data)
    for extra in list(root.iter(f"{{{NAMESPACE}}}extra")):
        if extra.get("type") == "pyrave":
            extra.getparent().remove(extra)
    return etree.tostring(root, encoding="utf-8")


def read(data):
    resolver = Resolver(data_roots=(), use_environment=False)
    context = ReadContext(resolver=resolver)
    return read_scene(io.BytesIO(data), [ColladaFormat()], context)


def extras(root, kind):
    return [one for one in root.iter("extra") if one.get("type") == kind]


def test_names_are_those_of_openrave():
    root = tree(saved(arm())[0])
    assert root.findtext("asset/up_axis") == "Z_UP"
    assert root.find("asset/unit").get("meter") == "1"
    # without a version OpenRAVE takes speeds for radians
    assert root.findtext("asset/contributor/authoring_tool")[-1].isdigit()
    sids = [one.get("sid") for one in root.iter("joint")]
    assert sids[8:] == ["joint9", "jointA", "jointB"]
    assert [one.get("sid") for one in root.iter("link")][9:] == [
        *("linkA", "linkB", "linkC"),
    ]
    (bind,) = root.iter("bind_kinematics_model")
    assert (bind.get("node"), bind.findtext("param")) == (
        "visual0/node1",
        "kscene_kmodel0_inst",
    )
    ids = [one.get("id") for one in root.iter("*") if one.get("id")]
    assert len(ids) == len(set(ids))
    assert [one.get("id") for one in root.iter("articulated_system")] == [
        "body0_kinematics",
        "body0_motion",
    ]


def test_actuators_give_the_order_of_joints():
    joints = arm(4).joints
    passive = dataclasses.replace(joints[0], active=False)
    robot = dataclasses.replace(arm(4), joints=(passive, joints[2], joints[1]))
    root = tree(saved(robot)[0])
    bound = [one.get("joint") for one in root.iter("bind_actuator")]
    assert bound == ["kmodel0/joint1", "kmodel0/joint2"]
    names = {one.get("sid"): one.get("name") for one in root.iter("joint")}
    assert names == {"joint1": "turn3", "joint2": "turn2", "joint3": "turn1"}


def test_limits_and_values_are_degrees_in_parameters():
    root = tree(saved(arm(3, dof_values=(0.25, -0.125)))[0])
    info = next(root.iter("axis_info"))
    given = {one.get("sid"): one.findtext("float") for one in info.iter("newparam")}
    assert math.radians(float(given["positionmin"])) == -0.5
    assert math.radians(float(given["positionmax"])) == 1.5
    assert info.findtext("limits/min/param") == "positionmin"
    outer = root.find("library_kinematics_scenes//instance_articulated_system")
    values = [float(one.text) for one in outer.iter("float")]
    assert [math.radians(value) for value in values] == [0.25, -0.125]


def test_bounds_that_are_read_off_by_rounding_are_written_with_the_other_one():
    axis = JointAxis(
        (0.0, 0.0, 1.0), lower=0.0, upper=0.0, circular=True,
        hard_lower=1.0, hard_upper=1e-13,
    )  # fmt: skip
    links = (LinkDescription("a"), LinkDescription("b"))
    joint = JointDescription("j", "hinge", "a", "b", axes=(axis,))
    body = BodyDescription("body", links=links, joints=(joint,))
    again = read(saved(body)[0])
    assert same(again.bodies[0].joints[0].axes[0], axis)


def test_masses_are_in_the_frame_of_the_base():
    root = tree(saved(arm(3))[0])
    frames = [one.findtext("translate") for one in root.iter("mass_frame")]
    assert frames == ["0.25 0 0", "1.25 0 0", "2.25 0 0"]
    parent = next(root.iter("instance_physics_model")).get("parent")
    assert parent == "#" + root.find("library_nodes/node").get("id")


def test_shapes_stand_beside_triangles_and_equal_ones_are_written_once():
    shapes = [Box((0.5, 0.25, 0.125)), Sphere(0.5), TriMesh(TETRAHEDRON)]
    several = tuple(
        GeometryDescription(shape, pose=Pose.from_translation(x, 0.0, 0.0))
        for x in (0.0, 1.0, 1.0)
        for shape in shapes
    )
    body = BodyDescription("things", (LinkDescription("base", geometries=several),))
    data, losses = saved(body)
    root = tree(data)
    assert losses == []
    assert len(root.findall("library_geometries/geometry")) == 6
    # in the node of the link itself: OpenRAVE takes no pose of a mesh from elsewhere
    assert len(root.findall("library_nodes/node/instance_geometry")) == 9
    assert root.findtext(".//box/half_extents") == "0.5 0.25 0.125"
    assert root.findtext(".//sphere/radius") == "0.5"
    assert all(int(one.get("count")) > 0 for one in root.iter("triangles"))
    again = read(alone(data)).bodies[0].links[0].geometries
    for one, found in zip(several, again, strict=True):
        assert found.pose == one.pose
        if isinstance(one.shape, TriMesh):
            mesh = found.shape.mesh  # equal vertices are merged, in another order
            assert np.array_equal(
                mesh.vertices[mesh.faces], TETRAHEDRON.vertices[TETRAHEDRON.faces]
            )
        else:
            assert found.shape == one.shape
    assert read(data).bodies == (body,)


def test_formulas_have_their_derivatives():
    text = "sin(turn1)*turn2^2+abs(turn1)/3"
    joints = list(arm(4).joints)
    axis = dataclasses.replace(joints[2].axes[0], mimic=MimicFormula(text))
    joints[2] = dataclasses.replace(joints[2], axes=(axis,), active=False)
    data, losses = saved(dataclasses.replace(arm(4), joints=tuple(joints)))
    assert losses == []
    names = {"kmodel0/joint1": "turn1", "kmodel0/joint2": "turn2"}
    position = parse_formula(text, list(names.values()))
    values = {"turn1": -0.75, "turn2": 1.25}
    seen = set()
    for one in tree(data).iter("equation"):
        kind, target = one.get("type"), one.get("target")
        wanted = position
        for _ in range(["position", "first_partial", "second_partial"].index(kind)):
            wanted = differentiate(wanted, names[target])
        said = parse_formula(
            expression(one[0], lambda path, _: names[path]), list(names.values())
        )
        assert said.evaluate(values) == pytest.approx(wanted.evaluate(values))
        seen.add((kind, target))
    assert len(seen) == 5


def test_hands_and_what_they_hold():
    hand = ManipulatorDescription(
        "hand", "part0", "part2", Pose.from_translation(0.0, 0.0, 0.5),
        gripper_joints=("turn3",), chucking_direction=(-1.0,), ik_solver="ikfast 0.05",
    )  # fmt: skip
    robot = arm(4, manipulators=(hand,), adjacent=frozenset({("part0", "part2")}))
    ball = BodyDescription(
        "ball", (LinkDescription("base", enabled=False, static=True),)
    )
    grab = GrabDescription("arm", "part2", "ball", ("part1",))
    data, _ = saved(robot, ball, grabs=(grab,), gravity=(0.0, 0.0, -1.5))
    (one,) = extras(tree(data), "manipulator")
    assert one.find(".//frame_tip").get("link") == "kmodel0/link3"
    assert one.find(".//gripper_joint").get("joint") == "kmodel0/joint3"
    assert one.findtext(".//chucking_direction/float") == "-1"
    again = read(alone(data))
    (found,) = again.bodies[0].manipulators
    assert dataclasses.replace(found, readables=()) == hand
    assert again.bodies[0].adjacent == robot.adjacent
    assert again.grabs == (grab,)
    assert again.gravity == (0.0, 0.0, -1.5)
    assert not again.bodies[1].links[0].enabled
    assert again.bodies[1].links[0].static


def test_second_axes_of_two_joints_are_two_variables():
    axes = (JointAxis((1.0, 0.0, 0.0)), JointAxis((0.0, 1.0, 0.0)))
    follows = JointAxis((0.0, 0.0, 1.0), mimic=MimicFormula("2*u_1-3*v_1"))
    links = tuple(LinkDescription(name) for name in "abcd")
    joints = (
        JointDescription("u", "rr", "a", "b", axes=axes),
        JointDescription("v", "rr", "b", "c", axes=axes),
        JointDescription("f", "hinge", "c", "d", axes=(follows,), active=False),
    )
    data, _ = saved(BodyDescription("body", links, joints))
    assert read(data).problems == ()


def test_loops_name_their_link_again():
    joints = (*arm(3).joints, JointDescription(
        "close", "hinge", "part2", "part0", Pose.from_translation(-2.0, 0.0, 0.0),
        axes=(JointAxis((0.0, 0.0, 1.0)),), active=False,
    ))  # fmt: skip
    data, _ = saved(dataclasses.replace(arm(3), joints=joints))
    named = [one.get("name") for one in tree(data).iter("link")]
    assert named.count("part0") == 2
    ends = [(one.parent, one.child) for one in read(alone(data)).bodies[0].joints]
    assert ("part2", "part0") in ends


def test_joints_that_collada_has_not_are_told_of():
    axes = tuple(JointAxis(tuple(map(float, row))) for row in np.eye(3))
    ball = JointDescription("ball", "spherical", "part0", "part1", axes=axes)
    robot = dataclasses.replace(arm(2), joints=(ball,))
    data, losses = saved(robot)
    assert [text.split(":")[0] for text in losses] == [
        "the spherical joint 'ball' of body 'arm' is one for pyrave alone"
    ]
    assert same(read(data).bodies, (robot,))
    assert read(alone(data)).bodies[0].joints[0].type == "compound"


def test_chains_that_collada_cannot_nest_are_refused_by_name(tmp_path):
    """Readers of XML end at 256 levels, of which a link takes two."""
    axes = (JointAxis((0.0, 0.0, 1.0)),)
    env = pyrave.Environment()
    for count in (120, 200, 400):
        links = tuple(LinkDescription(f"l{n}") for n in range(count))
        joints = tuple(
            JointDescription(f"j{n}", "hinge", f"l{n - 1}", f"l{n}", axes=axes)
            for n in range(1, count)
        )
        env.reset()
        env.create_body(BodyDescription("snake", links, joints))
        if count > 120:
            with pytest.raises(pyrave.SceneError, match="'snake' has a chain of too m"):
                env.save(tmp_path / "s.dae")
        else:
            env.save(tmp_path / "s.dae")
            assert pyrave.load(tmp_path / "s.dae").bodies[0].dof == count - 1


def test_values_of_spherical_joints_are_turns_for_others():
    """The same rotation, said as turns about the three axes that others read."""
    axes = tuple(JointAxis(tuple(map(float, row))) for row in np.eye(3))
    ball = JointDescription("ball", "spherical", "part0", "part1", axes=axes)
    robot = dataclasses.replace(arm(2), joints=(ball,), dof_values=(0.3, -0.5, 0.8))
    data, _ = saved(robot)
    assert same(read(data).bodies, (robot,))
    poses = []
    for scene in (SceneDescription((robot,)), read(alone(data))):
        env = pyrave.Environment()
        env.add_scene(scene)
        poses.append(env.bodies[0].links["part1"].transform)
    assert np.abs(poses[1] - poses[0]).max() < 1e-12
    # by hand: R = Rx(a) Ry(b) Rz(c) of the values in degrees
    (scene,) = tree(data).iter("kinematics_scene")
    a, b, c = (math.radians(float(one.text)) for one in scene.iter("float"))
    turns = np.eye(3)
    for axis, angle in zip(np.eye(3), (a, b, c), strict=True):
        turns = turns @ matrix_from_axis_angle(axis, angle)
    assert np.abs(turns - matrix_from_axis_angle((0.3, -0.5, 0.8))).max() < 1e-12


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["my arm"], "'my arm' is empty or holds blanks"),
        ([""], "'' is empty"),
        (["a", "b", "a"], "2 bodies are named 'a'"),
    ],
)
def test_bodies_that_could_not_be_told_apart_are_refused(names, message):
    bodies = [dataclasses.replace(arm(1), name=name) for name in names]
    with pytest.raises(pyrave.SceneError, match=message):
        saved(*bodies)


def test_readables_that_are_no_xml_cost_only_themselves():
    odd = XmlReadable(XmlElement("1 odd"))
    inside = XmlReadable(XmlElement("link_info", children=(odd.element,)))
    motor = XmlReadable(XmlElement("actuator", children=(odd.element,)))
    solver = XmlReadable(XmlElement("iksolver", (("type", "Ray4D"),)))
    robot = arm(2)
    hand = ManipulatorDescription(
        "hand", "part0", "part1", readables=(("x", odd), ("iksolver", solver))
    )
    eye = AttachedSensorDescription("eye", "part0", readables=(("y", odd),))
    robot = dataclasses.replace(
        robot,
        links=(
            dataclasses.replace(robot.links[0], readables=(("link_info", inside),)),
            *robot.links[1:],
        ),
        joints=(dataclasses.replace(robot.joints[0], actuator=motor),),
        manipulators=(hand,),
        attached_sensors=(eye,),
        readables=(
            ("z", XmlReadable(XmlElement("z", children=(odd.element,)))),
            ("text", XmlReadable(XmlElement("text", text="\0"))),
            ("number", XmlReadable(XmlElement("number", text=5))),
        ),
    )
    data, losses = saved(robot)
    for what in (
        "the readable 'x' of manipulator 'hand'",
        "the readable 'link_info' of link 'part0'",
        "the actuator of joint 'turn1' in body 'arm'",
        "the readable 'y' of sensor 'eye'",
        "the readable 'z' of body 'arm'",
        "the readable 'text' of body 'arm'",
        "the readable 'number' of body 'arm'",
    ):
        told = [text for text in losses if text.startswith(f"{what} is no XML")]
        assert len(told) == 1, what
    for kind in ("z", "text", "number"):
        assert not extras(tree(data), kind)
    (read_hand,) = read(data).bodies[0].manipulators
    assert ("iksolver", solver) in read_hand.readables


def test_readables_that_write_nothing_are_told_of_once_each():
    mute = (("mute", Readable()),)
    ball = GeometryDescription(Sphere(1.0), name="ball", readables=mute)
    robot = arm(2)
    robot = dataclasses.replace(
        robot,
        links=(
            dataclasses.replace(robot.links[0], geometries=(ball,), readables=mute),
            *robot.links[1:],
        ),
        joints=(dataclasses.replace(robot.joints[0], readables=mute),),
        manipulators=(
            ManipulatorDescription("hand", "part0", "part1", readables=mute),
        ),
        attached_sensors=(AttachedSensorDescription("eye", "part0", readables=mute),),
        readables=mute,
    )
    module = InterfaceDescription("module", "M", "planner", readables=mute)
    _, losses = saved(robot, interfaces=(module,), readables=mute)
    assert sorted(losses) == [
        "interfaces are for pyrave alone: 'module M'",
        *(
            f"the readable 'mute' of {what} does not write itself"
            for what in (
                *("body 'arm'", "geometry 'ball'", "interface 'planner'"),
                *("joint 'turn1'", "link 'part0'", "manipulator 'hand'"),
                *("sensor 'eye'", "the scene"),
            )
        ),
    ]


def test_names_that_are_no_xml_are_refused():
    eye = AttachedSensorDescription("eye", "part0", interface="base\x01")
    robot = dataclasses.replace(arm(2), attached_sensors=(eye,))
    with pytest.raises(pyrave.SceneError, match="cannot be written as COLLADA: All st"):
        saved(robot)


def test_errors_of_plugins_are_not_hidden():
    class Broken(Readable):
        def to_xml(self):
            raise OverflowError("a fault of the plugin")

    with pytest.raises(OverflowError, match="a fault of the plugin"):
        saved(dataclasses.replace(arm(2), readables=(("x", Broken()),)))


def test_what_no_longer_fits_is_passed_over():
    joints = arm(3).joints
    robot = dataclasses.replace(
        arm(3), joints=(dataclasses.replace(joints[0], active=False), joints[1])
    )
    data, _ = saved(robot)
    assert same(read(data).bodies, (robot,))
    changed = data.replace(b'order name="joints">1 0<', b'order name="joints">1<')
    assert changed != data
    scene = read(changed)
    assert [one.code for one in scene.problems] == ["stale-pyrave"]
    assert [one.name for one in scene.bodies[0].joints] == ["turn2", "turn1"]


def test_what_is_no_json_refuses_the_file():
    data, _ = saved(arm(2, commands=("go",)))
    with pytest.raises(pyrave.SceneError, match="commands"):
        read(data.replace(b'["go"]', b"[nonsense"))


def test_an_archive_has_a_manifest_and_is_the_same_each_time(tmp_path):
    env = pyrave.Environment()
    env.add_scene(SceneDescription((arm(3),)))
    paths = [tmp_path / f"{name}/arm.zae" for name in "ab"]
    for path in paths:
        path.parent.mkdir()
        assert env.save(path) == ()
    assert paths[0].read_bytes() == paths[1].read_bytes()
    with zipfile.ZipFile(paths[0]) as archive:
        assert archive.namelist() == ["manifest.xml", "arm.dae"]
        assert b"<dae_root>./arm.dae</dae_root>" in archive.read("manifest.xml")
    assert same(pyrave.load(paths[0]).describe(), env.describe())
