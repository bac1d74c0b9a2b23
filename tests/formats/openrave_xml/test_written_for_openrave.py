"""What is written is for OpenRAVE to read; what it cannot read is for pyrave alone."""

import dataclasses

import numpy as np
import pytest
from lxml import etree

import pyrave
from pyrave.formats import WriteContext
from pyrave.formats.openrave_xml.write.writer import openrave_xml_text
from pyrave.scene import (
    BodyDescription,
    InterfaceDescription,
    JointAxis,
    JointDescription,
    LinkDescription,
    Pose,
    SceneDescription,
)

FOREIGN = "warning: interfaces that OpenRAVE does not have are for pyrave alone: "


def written(env, folder, **options):
    """Save an environment; return the losses, the root and what is read back."""
    path = folder / "saved.env.xml"
    losses = env.save(path, **options)
    again = pyrave.load(path)
    return losses, etree.parse(path).getroot(), again


def types(root):
    """Return the types of elements that OpenRAVE would create."""
    for pyrave_element in root.findall(".//pyrave"):
        pyrave_element.getparent().remove(pyrave_element)
    return sorted(
        element.get("type") for element in root.iter() if "type" in element.attrib
    )


# -- interfaces ------------------------------------------------------------------------


def test_sensors_that_openrave_does_not_have_are_hidden_from_it(tmp_path):
    env = pyrave.load_string(
        """<environment>
          <sensor type="BaseIMU" name="free"><translation>0 0 1</translation></sensor>
          <sensor type="BaseLaser2D" name="laser"/>
          <sensor type="SomeLab" name="lab"/>
          <robot name="r"><kinbody><body name="a"/></kinbody>
            <attachedsensor name="imu"><link>a</link>
              <sensor type="BaseIMU" name="inner"><translation>1 0 0</translation>
              </sensor><translation>0 2 0</translation></attachedsensor>
            <attachedsensor name="eye"><sensor type="BaseCamera"/></attachedsensor>
          </robot>
        </environment>"""
    )
    for options in ({}, {"expand": True}):
        losses, root, again = written(env, tmp_path, **options)
        assert losses == (FOREIGN + "'sensor BaseIMU'",)
        assert again.describe() == env.describe()
        assert [s.name for s in again.sensors] == [s.name for s in env.sensors]
        pose = again.robots["r"].attached_sensors["imu"].sensor.transform
        np.testing.assert_allclose(pose[:3, 3], (1, 2, 0))
        found = types(root)
        assert [t for t in found if t[0].isupper()] == [
            "BaseCamera", "BaseLaser2D", "SomeLab"
        ]  # fmt: skip


def test_files_that_are_named_may_hold_what_openrave_does_not_have(tmp_path):
    (tmp_path / "r.robot.xml").write_text(
        """<robot name="r"><kinbody><body name="a"/></kinbody>
          <attachedsensor name="imu"><link>a</link><sensor type="BaseIMU"/>
          </attachedsensor>
          <attachedsensor name="eye"><link>a</link><sensor type="BaseCamera"/>
          </attachedsensor></robot>"""
    )
    env = pyrave.load(tmp_path / "r.robot.xml")
    losses, root, again = written(env, tmp_path)
    assert root.find("robot").get("file") == "r.robot.xml"
    told = (
        "warning: interfaces that OpenRAVE does not have, in files that are named, are "
        "for pyrave alone: 'sensor BaseIMU'"
    )
    assert losses == (told,)
    assert again.describe() == env.describe()
    losses, _, _ = written(env, tmp_path, expand=True)
    assert losses == (FOREIGN + "'sensor BaseIMU'",)


def test_controllers_of_robots_that_openrave_does_not_have(read):
    text = """<robot name="r"><kinbody><body name="a"/></kinbody>
      <controller type="{}"/></robot>"""
    for name, hidden in (("IdealController", False), ("Own", True)):
        scene = read(text.format(name))
        context = WriteContext(offered=lambda kind: ["Own"])
        made, losses = openrave_xml_text(scene, context)
        root = etree.fromstring(made.encode())
        assert root.tag == "robot"
        assert (root.find("controller") is None) is hidden
        assert bool(losses) is hidden
        assert read(made).interfaces == scene.interfaces


def test_types_of_bodies_that_openrave_does_not_have(tmp_path):
    env = pyrave.load_string(
        """<environment>
          <kinbody name="a" type="KinBody"><body name="x"/></kinbody>
          <kinbody name="b" type="GenericKinBody"><body name="x"/></kinbody>
          <robot name="c" type="GenericRobot">
            <kinbody><body name="x"/></kinbody></robot>
          <robot name="d" type="Lab speed 3">
            <kinbody><body name="x"/></kinbody></robot>
        </environment>"""
    )
    losses, root, again = written(env, tmp_path)
    assert losses == (FOREIGN + "'robot Lab'",)
    assert [b.interface for b in again.describe().bodies] == [
        "KinBody", "GenericKinBody", "GenericRobot", "Lab speed 3"
    ]  # fmt: skip
    assert again.describe() == env.describe()
    assert {t for t in types(root) if t != "dynamic"} == {"GenericRobot"}


def test_readers_of_a_hidden_type_are_given_the_element(read):
    seen = []

    def find(kind, tag):
        return (
            (lambda e, c: seen.append(e.tag))
            if (kind, tag) == ("robot", "my")
            else None
        )

    inner = "<pyrave type='My fast'/><kinbody><body name='a'/></kinbody>"
    (robot,) = read(
        f"<robot name='r' own='1'>{inner}<speed>3</speed></robot>", find_reader=find
    ).robots
    assert robot.interface == "My fast"
    assert seen == ["robot"]


def test_several_elements_for_pyrave_are_one(read):
    scene = read(
        """<environment><pyrave><set name="gravity">[0, 0, -1]</set></pyrave>
          <robot name="r"><pyrave><controller type="C"/></pyrave>
            <kinbody><body name="a"/></kinbody>
            <pyrave><set name="joined_links_adjacent">false</set></pyrave></robot>
          <pyrave><module type="M" args="x"/></pyrave>
        </environment>"""
    )
    assert scene.gravity == (0, 0, -1)
    assert [(i.type, i.interface) for i in scene.interfaces] == [
        ("controller", "C"), ("module", "M")
    ]  # fmt: skip
    assert scene.interfaces[0].robot == "r"
    assert not scene.robots[0].joined_links_adjacent
    assert not scene.problems


# -- gravity, joints, start values -----------------------------------------------------


def losses_of(scene):
    _, losses = openrave_xml_text(scene, WriteContext())
    return [(loss.code, loss.message) for loss in losses]


@pytest.mark.parametrize(
    ("anchor", "offset"),
    [((0, 0, 0), "a"), ((1, 2, 3), "b"), ((-3, -2, -1), None), ((9, 0, 0), "a")],
)
def test_sliders_are_where_links_are(read, anchor, offset):
    turned = Pose.from_axis_angle((0, 0, 1), 0.7)
    links = (
        LinkDescription("root"),
        LinkDescription("a", Pose.from_translation(3, 2, 1)),
        LinkDescription("b", Pose(turned.rotation, (4, 4, 4))),
    )
    slider = JointDescription(
        "j",
        "slider",
        "a",
        "b",
        Pose.from_translation(*anchor),
        Pose(turned.rotation, (1, 2, 3)).inverse() @ Pose.from_translation(*anchor),
        (JointAxis((0.6, 0.8, 0.0), prismatic=True, lower=-1.0, upper=1.0),),
    )
    scene = SceneDescription((BodyDescription("k", links, (slider,)),))
    text, losses = openrave_xml_text(scene, WriteContext())
    assert read(text) == scene
    root = etree.fromstring(text.encode())
    assert root.findtext("kinbody/joint/offsetfrom") == offset
    assert root.find("kinbody/joint/anchor") is None
    lost = anchor == (9, 0, 0)
    message = "anchors of sliders are for pyrave alone: 'j'"
    assert [loss.message for loss in losses] == [message] * lost
    for element in root.findall(".//pyrave"):
        element.getparent().remove(element)
    (joint,) = read(etree.tostring(root, encoding="unicode")).bodies[0].joints
    np.testing.assert_allclose(joint.axes[0].direction, (0.6, 0.8, 0.0), atol=1e-15)
    near = np.allclose(joint.T_parent_joint.translation, anchor)
    assert near is not lost


def pair(axis, **fields):
    joint = JointDescription("j", "hinge", "a", "b", axes=(axis,))
    links = (LinkDescription("a"), LinkDescription("b"))
    return SceneDescription((BodyDescription("k", links, (joint,), **fields),))


def test_links_that_differ_in_case_alone_are_told():
    """OpenRAVE's `<joint>` takes the first link of a name in any case."""
    links = tuple(map(LinkDescription, ("Base", "arm", "base", "Arm")))
    told = (
        "links whose names differ in case alone: OpenRAVE's joints find the first: "
        "'base', 'Arm'"
    )
    scene = SceneDescription((BodyDescription("k", links),))
    assert losses_of(scene) == [("written-otherwise", told)]
    assert losses_of(SceneDescription((BodyDescription("k", links[:2]),))) == []


def test_start_values_beyond_limits_are_told():
    inside = JointAxis((0.0, 0.0, 1.0), lower=-1.0, upper=1.0)
    message = "start values beyond limits, which loading brings inside, of: 'k'"
    told = [("written-otherwise", message)]
    assert losses_of(pair(inside)) == losses_of(pair(inside, dof_values=(1.0,))) == []
    assert losses_of(pair(inside, dof_values=(1.5,))) == told
    above = dataclasses.replace(inside, lower=0.5)
    assert losses_of(pair(above)) == told
    assert losses_of(pair(above, dof_values=(0.75,))) == []
    turning = dataclasses.replace(above, circular=True)
    assert losses_of(pair(turning, dof_values=(3.0,))) == []


def test_joints_that_openrave_does_not_have_are_told():
    screw = JointDescription(
        "s", "rp", "a", "b",
        axes=(JointAxis((0, 0, 1.0)), JointAxis((0, 0, 1.0), prismatic=True)),
    )  # fmt: skip
    links = (LinkDescription("a"), LinkDescription("b"))
    ((code, message),) = losses_of(
        SceneDescription((BodyDescription("k", links, (screw,)),))
    )
    assert code == "written-otherwise"
    assert message.endswith("written as the nearest type: 's'")


# -- looks and readables ---------------------------------------------------------------

PLAIN = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
LOOKS = {
    "plain.obj": PLAIN,
    "red.obj": "mtllib red.mtl\nusemtl red\n" + PLAIN,
    "red.mtl": "newmtl red\nKd 1 0 0\nKa 0.25 0 0\nd 0.5\n",
}


@pytest.fixture
def looks(tmp_path):
    for name, text in LOOKS.items():
        (tmp_path / name).write_text(text)

    def embedded(content):
        """Return the geometry before and after embedding, and the losses."""
        text = (
            f"<kinbody name='k'><body name='a'><geom {content}</geom></body></kinbody>"
        )
        (tmp_path / "k.kinbody.xml").write_text(text)
        env = pyrave.load(tmp_path / "k.kinbody.xml")
        losses, _, again = written(env, tmp_path, embed_meshes=True)
        before, after = (e.bodies["k"].links[0].geometries[0] for e in (env, again))
        np.testing.assert_allclose(after.diffuse_color, before.diffuse_color)
        np.testing.assert_allclose(after.ambient_color, before.ambient_color)
        assert after.transparency == before.transparency
        return after.description, losses

    return embedded


@pytest.mark.parametrize("mesh", ["plain", "red"])
@pytest.mark.parametrize(
    "tags",
    [
        "",
        "<diffusecolor>0 1 0</diffusecolor>",
        "<ambientcolor>0 0.5 0</ambientcolor>",
        "<diffusecolor>2 0 0</diffusecolor><transparency>0.25</transparency>",
    ],
)
def test_embedded_shapes_keep_their_colours(looks, mesh, tags):
    geometry, losses = looks(f"type='trimesh'><data>{mesh}.obj</data>{tags}")
    assert not geometry.shape.mesh.vertices.any(axis=1).all()
    assert losses == ()


def test_colours_of_what_is_shown_are_not_those_of_the_shape(looks):
    box = "type='box'><extents>1 1 1</extents>"
    shown = "triangles that are shown instead of shapes are for pyrave alone: 'k'"
    geometry, losses = looks(f"{box}<render>red.obj</render>")
    assert (geometry.material.diffuse, geometry.material.transparency) == (None, 0)
    own = "red.obj has colours; embedded, it is shown in that of its geometry"
    assert sorted(own in loss for loss in losses) == [False, True]
    red = "<diffusecolor>1 0 0</diffusecolor>"
    for tags in ("<render>plain.obj</render>", f"<render>red.obj</render>{red}"):
        assert looks(box + tags)[1] == (f"warning: {shown}",)


def test_geometries_of_urdf_are_no_tags_of_a_geom(tmp_path):
    source = tmp_path / "r.urdf"
    source.write_text(
        """<robot name="r"><link name="a"><collision><geometry>
        <box size="1 1 1"/></geometry></collision><visual><geometry>
        <sphere radius="2"/></geometry></visual></link></robot>"""
    )
    target = tmp_path / "r.robot.xml"
    scene = pyrave.read(source)
    geometries = scene.bodies[0].links[0].geometries
    (shown,) = (one for one in geometries if one.render)
    assert [key for key, _ in shown.readables] == ["geometry"]
    losses = " ".join(pyrave.convert(source, target))
    assert "'geometry of a geom'" in losses
    assert "triangles that are shown instead of shapes are for pyrave alone" in losses
    for geom in etree.parse(target).getroot().iter("geom"):
        assert "geometry" not in [child.tag for child in geom]
    assert pyrave.read(target).bodies[0].links[0].geometries == geometries


def test_meshes_that_were_not_found_keep_their_names(tmp_path):
    source, target = tmp_path / "r.urdf", tmp_path / "r.robot.xml"
    source.write_text(
        """<robot name="r"><link name="a"><collision><geometry>
        <mesh filename="package://nowhere/x.stl"/></geometry></collision></link>
        </robot>"""
    )
    (loss,) = (loss for loss in pyrave.convert(source, target) if "mesh" in loss)
    assert loss.endswith(
        "triangles of meshes that were not found: 'package://nowhere/x.stl'"
    )
    assert etree.parse(target).findtext(".//data") == "package://nowhere/x.stl"
    assert pyrave.read(target).bodies == pyrave.read(source).bodies


# -- gravity ---------------------------------------------------------------------------

GRAVITY = ("warning: the gravity is that of a physics engine, which OpenRAVE then has",)


def engines_of(root):
    """Return (type, block, gravity) of each engine that OpenRAVE would install."""
    return [
        (one.get("type"), one[0].tag, one[0].findtext("gravity"))
        for one in root.findall("physicsengine")
    ]


def test_gravity_is_that_of_an_engine(tmp_path):
    """OpenRAVE's XML has no other place: gravity is a property of `ode`."""
    env = pyrave.Environment()
    env.gravity = (0.0, 0.5, -9.81)
    losses, root, again = written(env, tmp_path)
    assert losses == GRAVITY
    assert engines_of(root) == [("ode", "odeproperties", "0 0.5 -9.81")]
    assert not root.findall("pyrave")  # nothing is said twice
    assert again.gravity.tolist() == [0.0, 0.5, -9.81]
    assert again.describe() == env.describe()
    assert not again.describe().interfaces
    assert not again.problems


def test_without_a_gravity_there_is_no_engine(tmp_path):
    losses, root, _ = written(pyrave.Environment(), tmp_path)
    assert losses == ()
    assert engines_of(root) == []


@pytest.mark.parametrize(
    ("kind", "block", "own"),
    [
        ("ode", "odeproperties", "friction"),
        ("bullet", "bulletproperties", "global_friction"),
    ],
)
def test_the_engine_of_a_scene_keeps_its_settings(tmp_path, kind, block, own):
    env = pyrave.Environment()
    env.load_string(
        f"<environment><physicsengine type='{kind}'><{block}><{own}>0.7</{own}>"
        f"<gravity>0 0 -5</gravity></{block}></physicsengine></environment>"
    )
    assert env.gravity.tolist() == [0.0, 0.0, -5.0]
    losses, root, again = written(env, tmp_path)
    assert losses == ()
    assert engines_of(root) == [(kind, block, "0 0 -5")]
    assert again.describe() == env.describe()
    env.gravity = (0.0, 0.0, -6.0)
    losses, root, again = written(env, tmp_path)
    assert losses == GRAVITY
    # the last one is what OpenRAVE has
    assert engines_of(root) == [(kind, block, "0 0 -5"), (kind, block, "0 0 -6")]
    assert [one.text for one in root.iter(own)] == ["0.7", "0.7"]
    assert again.describe() == env.describe()


def test_an_engine_that_openrave_does_not_have_gives_way(tmp_path):
    scene = SceneDescription(
        interfaces=(InterfaceDescription("physicsengine", "RWPEIsland"),),
        gravity=(0.0, 0.0, -9.82),
    )
    context = WriteContext(offered=lambda _kind: ["RWPEIsland"])
    root = etree.fromstring(openrave_xml_text(scene, context)[0].encode())
    assert engines_of(root) == [("ode", "odeproperties", "0 0 -9.82")]
    (hidden,) = root.findall("pyrave/physicsengine")
    assert hidden.get("type") == "RWPEIsland"


@pytest.mark.parametrize("text", ["0 0", "0 0 x", "0 0 inf", ""])
def test_gravity_that_is_none_is_left_to_the_engine(read, text):
    scene = read(
        "<environment><physicsengine type='ode'><odeproperties>"
        f"<gravity>{text}</gravity></odeproperties></physicsengine></environment>"
    )
    assert scene.gravity is None
