"""What URDF says of bodies, what it cannot say, and that it reads back."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from scene_files import scene_beside
from urdf_written import TRIANGLES, link_of, worst_pose

import pyrave
from pyrave.formats import WriteContext
from pyrave.scene import (
    AttachedSensorDescription,
    BodyDescription,
    Box,
    ContactDescription,
    GeometryDescription,
    Inertial,
    JointAxis,
    JointDescription,
    LinkDescription,
    ManipulatorDescription,
    Material,
    MeshReference,
    MimicFormula,
    Pose,
    RobotDescription,
    SceneDescription,
    Sphere,
    TriMesh,
    XmlElement,
    XmlReadable,
    same,
)
from pyrave_urdf.writing.document import write_urdf

ROBOT = scene_beside(__file__, "writing.urdf")
SRDF = """<robot name="r">
  <group name="arm"><chain base_link="base" tip_link="b"/></group>
  <group name="hand"><joint name="spin"/></group>
  <group_state name="home" group="arm"><joint name="turn" value="0.5"/></group_state>
  <end_effector name="hand" parent_link="b" group="hand" parent_group="arm"/>
  <disable_collisions link1="base" link2="g" reason="Never"/>
  <passive_joint name="spin"/>
</robot>"""


def robot_of(joints, n_links=3, **fields):
    links = tuple(LinkDescription(f"l{n}", **fields) for n in range(n_links))
    return RobotDescription("r", links, tuple(joints))


def hinge(name, parent, child, **fields):
    axes = fields.pop("axes", (JointAxis((0.0, 0.0, 1.0)),))
    kind = fields.pop("type", "hinge")
    return JointDescription(name, kind, parent, child, axes=axes, **fields)


X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


# -- URDF to URDF ----------------------------------------------------------------------


@pytest.fixture
def source(tmp_path):
    (tmp_path / "part.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    (tmp_path / "wood.png").write_bytes(b"")
    path = tmp_path / "r.urdf"
    path.write_text(ROBOT)
    (tmp_path / "r.srdf").write_text(SRDF)
    return path


def test_all_of_urdf_is_written_back(source):
    target = source.with_name("again.urdf")
    assert pyrave.convert(source, target, srdf=True) == ()
    one, other = pyrave.read(source), pyrave.read(target)
    assert one.bodies[0].manipulators
    assert same(other, one)
    # the same again
    text = target.read_bytes()
    pyrave.convert(target, target, srdf=True)
    assert same(pyrave.read(target), one)
    assert text.count(b'<material name="red">') == 1
    assert text.count(b'<material name="red"/>') == 2


def test_from_another_folder_files_are_named_from_there(source):
    folder = source.parent / "sub"
    folder.mkdir()
    target = folder / "r.urdf"
    pyrave.convert(source, target, srdf=True)
    text = target.read_text()
    assert 'mesh filename="../part.obj" scale="1 -2 0.001"' in text
    assert 'texture filename="../wood.png"' in text
    links = [pyrave.read(path).bodies[0].links for path in (source, target)]
    solid = [
        [g.shape for g in link[0].geometries if isinstance(g.shape, TriMesh)]
        for link in links
    ]
    assert solid[0] == solid[1] != []


def test_an_srdf_is_written_only_where_it_is_asked_for(source):
    target = source.parent / "other.urdf"
    losses = pyrave.convert(source, target)
    assert not target.with_suffix(".srdf").exists()
    for what in ("manipulators", "pairs of links that may touch", "the SRDF"):
        assert any(what in loss and "--srdf" in loss for loss in losses)
    with pytest.raises(pyrave.ArgumentError, match="no SRDF"):
        pyrave.convert(source, source.with_name("x.robot.xml"), srdf=True)


def test_names_of_packages_stay_where_they_lead_to_the_same_file(tmp_path):
    mesh = tmp_path / "pack" / "meshes" / "a.obj"
    mesh.parent.mkdir(parents=True)
    mesh.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    name = "package://pack/meshes/a.obj"
    text = f"""<robot name="r"><link name="l"><collision><geometry>
      <mesh filename="{name}"/></geometry></collision></link></robot>"""
    source = tmp_path / "pack" / "r.urdf"
    source.write_text(text)
    near, far = tmp_path / "pack" / "near.urdf", tmp_path / "far" / "far.urdf"
    far.parent.mkdir()
    for target in (near, far):
        pyrave.convert(source, target)
        (geometry,) = pyrave.read(target).bodies[0].links[0].geometries
        assert geometry.shape.mesh.uri == str(mesh)
    assert name in near.read_text()
    # the folder above `far` holds the package as well
    assert name in far.read_text()
    lost = tmp_path.parent / f"{tmp_path.name}_lost"
    lost.mkdir()
    pyrave.convert(source, lost / "lost.urdf")
    assert f"../{tmp_path.name}/pack/meshes/a.obj" in (lost / "lost.urdf").read_text()


# -- joints ----------------------------------------------------------------------------

CHAINS = {
    "hinge about a line beside its link": hinge(
        "j",
        "l0",
        "l1",
        T_parent_joint=Pose.from_axis_angle((1, 2, 3), 0.7, (0.1, 0.2, 0.3)),
        T_child_joint=Pose.from_axis_angle((3, 1, 2), 1.7, (0.4, -0.2, 0.1)),
    ),
    "hinge about a line through its link": hinge(
        "j",
        "l0",
        "l1",
        T_parent_joint=Pose.from_translation(0.1, 0.0, 0.0),
        T_child_joint=Pose.from_axis_angle((3, 1, 2), 1.7),
    ),
    "slider": hinge(
        "j",
        "l0",
        "l1",
        type="slider",
        axes=(JointAxis((0.6, 0.0, 0.8), prismatic=True),),
        T_child_joint=Pose.from_axis_angle((3, 1, 2), 1.7, (0.4, -0.2, 0.1)),
    ),
    "upward hinge": hinge(
        "j",
        "l1",
        "l0",
        T_parent_joint=Pose.from_axis_angle((1, 2, 3), 0.7, (0.1, 0.2, 0.3)),
        T_child_joint=Pose.from_axis_angle((3, 1, 2), 1.7, (0.4, -0.2, 0.1)),
    ),
    "universal": hinge(
        "j", "l0", "l1", type="universal", axes=(JointAxis(X), JointAxis(Y))
    ),
    "upward universal": hinge(
        "j",
        "l1",
        "l0",
        type="universal",
        axes=(JointAxis(X), JointAxis(Y)),
        T_child_joint=Pose.from_translation(0.0, 0.3, 0.0),
    ),
    "turn and slide": hinge(
        "j",
        "l0",
        "l1",
        type="compound",
        axes=(JointAxis(X), JointAxis(Y, prismatic=True), JointAxis(Z, circular=True)),
        T_child_joint=Pose.from_translation(0.0, 0.3, 0.0),
    ),
    "fixed": hinge(
        "j",
        "l0",
        "l1",
        type="fixed",
        axes=(),
        T_parent_joint=Pose.from_axis_angle((1, 2, 3), 0.7, (0.1, 0.2, 0.3)),
        T_child_joint=Pose.from_axis_angle((3, 1, 2), 1.7, (0.4, -0.2, 0.1)),
    ),
}


@pytest.mark.parametrize("name", CHAINS)
def test_links_move_as_before(name, tmp_path, saved):
    """Under every kind of joint, with another joint below it."""
    joints = (CHAINS[name], hinge("below", "l1", "l2", type="hinge"))
    losses, robot, body = saved(robot_of(joints), tmp_path / "r.urdf")
    assert worst_pose(body, robot, np.random.default_rng(2)) < 1e-14
    chained = len(joints[0].axes) > 1 or "beside" in name or name == "upward hinge"
    assert any("without mass" in x or "chains" in x for x in losses) == chained
    assert robot.mass == pytest.approx(body.mass, abs=1e-12)


def test_chains_keep_names_limits_and_adjacent_links(tmp_path, saved):
    axes = (
        JointAxis(X, lower=-0.1, upper=0.2, velocity_limit=3.0, torque_limit=4.0),
        JointAxis(Y, prismatic=True, lower=-0.3, upper=0.4),
    )
    joints = (hinge("j", "l0", "l1", type="rp", axes=axes), hinge("j_1", "l1", "l2"))
    _, robot, _ = saved(robot_of(joints), tmp_path / "r.urdf", srdf=True)
    assert [j.name for j in robot.joints] == ["j", "j_1_1", "j_1"]
    assert [j.type for j in robot.joints] == ["hinge", "slider", "hinge"]
    lower, upper = robot.dof_limits
    assert (lower[:2].tolist(), upper[:2].tolist()) == ([-0.1, -0.3], [0.2, 0.4])
    assert robot.dof_velocity_limits[0] == 3.0
    assert robot.dof_torque_limits[0] == 4.0
    assert ("l0", "l1") in pyrave.read(tmp_path / "r.urdf").bodies[0].adjacent


def test_loops_are_cut_open(tmp_path, saved):
    joints = [hinge(f"j{n}", f"l{n}", f"l{(n + 1) % 3}") for n in range(3)]
    losses, robot, body = saved(robot_of(joints), tmp_path / "r.urdf")
    (loss,) = (x for x in losses if "loops" in x)
    assert loss.endswith("URDF has only trees: 'j1'")
    assert [joint.name for joint in robot.joints] == ["j0", "j2"]
    assert worst_pose(body, robot, np.random.default_rng(2)) < 1e-14


def test_links_that_nothing_holds_are_held(tmp_path, saved):
    links = (
        LinkDescription("l0"),
        LinkDescription("l1", pose=Pose.from_translation(0.0, 0.0, 1.0)),
    )
    losses, robot, _ = saved(BodyDescription("r", links), tmp_path / "r.urdf")
    assert robot.links["l1"].transform[2, 3] == 1.0
    assert any("no joint holds" in x and "'l1'" in x for x in losses)
    assert any("becomes a robot" in x for x in losses)


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("2*j0 + 1", ("j0", "2", "1")),
        ("-(j0 - 0.5)/4", ("j0", "-0.25", "0.125")),
        ("j0_0*0.5 + j0", ("j0", "1.5", "")),
        ("j0", ("j0", "", "")),
        ("sin(j0)", None),
        ("j0*j0", None),
        ("0.3", None),
        ("1e200*(1e200*j0)", None),
    ],
)
def test_followers(formula, said, tmp_path, saved):
    follower = JointAxis(Z, lower=-9.0, upper=9.0, mimic=MimicFormula(formula))
    joints = (
        hinge("j0", "l0", "l1"),
        hinge("j1", "l1", "l2", axes=(follower,), active=False),
    )
    losses, robot, body = saved(robot_of(joints), tmp_path / "r.urdf")
    text = (tmp_path / "r.urdf").read_text()
    if said is None:
        assert "<mimic" not in text
        assert any("move by themselves: 'j1'" in x for x in losses)
    else:
        names = ("joint", "multiplier", "offset")
        parts = [f'{n}="{v}"' for n, v in zip(names, said, strict=True) if v]
        assert f"<mimic {' '.join(parts)}/>" in text
        assert worst_pose(body, robot, np.random.default_rng(2)) < 1e-14


def test_what_axes_lose_is_told_once(tmp_path, saved):
    axis = JointAxis(Z, weight=3.0, resolution=0.1, hard_upper=4.0, inertia_limit=1.0)
    joints = [hinge(f"j{n}", f"l{n}", f"l{n + 1}", axes=(axis,)) for n in range(7)]
    losses, *_ = saved(robot_of(joints, 8), tmp_path / "r.urdf")
    (weights,) = (x for x in losses if "weights" in x)
    assert weights.endswith("'j0', 'j1', 'j2', 'j3', 'j4' and 2 more")
    for word in ("resolutions", "hard limits", "inertia"):
        assert sum(word in x for x in losses) == 1


def test_no_limits_are_far_ones_and_read_as_none(tmp_path, saved):
    axis = JointAxis(Z, prismatic=True, lower=-math.inf, upper=math.inf)
    body = robot_of([hinge("j", "l0", "l1", type="slider", axes=(axis,))], 2)
    losses, robot, _ = saved(body, tmp_path / "r.urdf")
    assert 'lower="-10000000000"' in (tmp_path / "r.urdf").read_text()
    assert any("1e+10" in x for x in losses)
    assert [limit.tolist() for limit in robot.dof_limits] == [[-math.inf], [math.inf]]


def test_endless_followers_lose_no_limits(tmp_path):
    text = '<robot name="r"><link name="a"/><link name="b"/><link name="c"/>'
    for name, child, more in (("j", "b", ""), ("k", "c", '<mimic joint="j"/>')):
        text += (
            f'<joint name="{name}" type="continuous"><parent link="a"/>'
            f'<child link="{child}"/><axis xyz="0 0 1"/>{more}</joint>'
        )
    (tmp_path / "a.urdf").write_text(text + "</robot>")
    assert pyrave.convert(tmp_path / "a.urdf", tmp_path / "b.urdf") == ()
    before, after = (pyrave.read(tmp_path / f"{name}.urdf") for name in "ab")
    assert before == after


# -- shapes, materials, contacts -------------------------------------------------------


def test_colours_of_now_are_written(source):
    env = pyrave.load(source)
    geometry = env.robots["r"].links["base"].geometries[0]
    geometry.diffuse_color = (0.25, 0.5, 0.75)
    target = source.with_name("blue.urdf")
    env.save(target, srdf=True)
    again = pyrave.load(target).robots["r"].links["base"]
    assert again.geometries[0].diffuse_color.tolist() == [0.25, 0.5, 0.75]
    assert again.geometries[1].diffuse_color.tolist() == [0.9, 0.1, 0.1]


def test_equal_colours_are_one_material(tmp_path, saved):
    look = Material(diffuse=(0.5, 0.25, 0.125), transparency=0.3)
    shapes = [GeometryDescription(Sphere(r), material=look) for r in (0.1, 0.2)]
    _, robot, _ = saved(link_of(*shapes), tmp_path / "r.urdf")
    assert (tmp_path / "r.urdf").read_text().count("<color") == 1
    for geometry in robot.links[0].description.geometries:
        assert geometry.material.diffuse == look.diffuse
        assert geometry.material.transparency == pytest.approx(0.3)


def test_contacts(tmp_path, saved):
    contacts = (
        ContactDescription(Box((0.1, 0.05, 0.01)), "sole", max_normal_force=500.0),
        ContactDescription(Sphere(0.01), pose=Pose.from_translation(0.0, 0.0, 1.0)),
        ContactDescription(TriMesh(TRIANGLES), "rim"),
    )
    losses, robot, _ = saved(link_of(contacts=contacts), tmp_path / "r.urdf")
    assert losses == ()
    found = robot.links[0].description.contacts
    assert found[:2] == contacts[:2]
    assert isinstance(found[2].shape.mesh, MeshReference)


def test_masses_and_inertias(tmp_path, saved):
    moments = (0.3, 0.01, 0.02, 0.01, 0.4, 0.03, 0.02, 0.03, 0.5)
    inertial = Inertial(2.0, (0.1, 0.2, 0.3), moments)
    _, robot, _ = saved(link_of(inertial=inertial), tmp_path / "r.urdf")
    assert robot.links[0].description.inertial == inertial


# -- sensors, actuators, data ----------------------------------------------------------


def test_sensors_of_other_formats_become_gazebo_ones(tmp_path):
    (tmp_path / "s.robot.xml").write_text("""<robot name="s"><kinbody>
      <body name="b"/></kinbody>
      <attachedsensor name="eye"><link>b</link><translation>1 2 3</translation>
        <rotationaxis>1 0 0 30</rotationaxis>
        <sensor type="BaseCamera"><KK>500 500 320 240</KK><width>640</width>
        <height>480</height></sensor></attachedsensor>
      <attachedsensor name="scan"><link>b</link>
        <sensor type="BaseLaser2D"><minangle>-90</minangle><maxangle>90</maxangle>
        <resolution>0.5</resolution><maxrange>5</maxrange></sensor></attachedsensor>
      <attachedsensor name="odd"><link>b</link><sensor type="BaseTactile"/>
        </attachedsensor></robot>""")
    losses = pyrave.convert(tmp_path / "s.robot.xml", tmp_path / "s.urdf")
    assert any("no elements for are not written: 'odd'" in x for x in losses)
    envs = [pyrave.load(tmp_path / name) for name in ("s.robot.xml", "s.urdf")]
    one, other = (env.robots[0] for env in envs)
    for name in ("eye", "scan"):
        a, b = one.attached_sensors[name], other.attached_sensors[name]
        assert np.abs(a.transform - b.transform).max() < 1e-14
        assert a.description.interface == b.description.interface
    kept = dict(other.attached_sensors["eye"].description.readables)["BaseCamera"]
    texts = {child.tag: child.text for child in kept.to_xml().children}
    focal = [float(word) for word in texts["kk"].split()]
    assert focal == pytest.approx([500, 500, 320, 240])
    kept = dict(other.attached_sensors["scan"].description.readables)["BaseLaser2D"]
    texts = {child.tag: float(child.text) for child in kept.to_xml().children}
    assert texts["minangle"] == pytest.approx(-90)
    assert texts["resolution"] == pytest.approx(0.5)
    assert texts["maxrange"] == 5


def test_sensors_keep_their_order_beside_one_that_is_not_written(tmp_path, saved):
    """Blocks of several links stand as the sensors do, whatever is left out."""
    imu = "<gazebo reference='{0}'><sensor name='{0}' type='imu'/></gazebo>"
    links = "".join(f"<link name='{name}'/>" for name in "abc")
    joints = "".join(
        f"<joint name='j{name}' type='fixed'><parent link='a'/><child link='{name}'/>"
        "</joint>"
        for name in "bc"
    )
    env = pyrave.load_string(
        f"<robot name='r'>{links}{joints}{imu.format('b')}{imu.format('c')}</robot>"
    )
    first, second = env.robots[0].description.attached_sensors
    skin = AttachedSensorDescription("skin", "b", interface="BaseTactile")
    body = dataclasses.replace(
        env.robots[0].description, attached_sensors=(skin, second, first)
    )
    losses, robot, _ = saved(body, tmp_path / "r.urdf")
    assert any("'skin'" in loss for loss in losses)
    assert [one.name for one in robot.attached_sensors] == ["c", "b"]


def test_a_scan_of_endless_steps_is_written_as_one(tmp_path):
    settings = {"minangle": "-90", "maxangle": "90", "resolution": "1e-320"}
    children = tuple(XmlElement(tag, text=text) for tag, text in settings.items())
    readable = XmlReadable(XmlElement("sensor", children=children))
    scan = AttachedSensorDescription(
        "scan", "l0", interface="BaseLaser2D", readables=(("BaseLaser2D", readable),)
    )
    body = dataclasses.replace(robot_of([], 1), attached_sensors=(scan,))
    losses = write_urdf(SceneDescription((body,)), tmp_path / "r.urdf", WriteContext())
    assert ["settings of sensors" in loss.message for loss in losses] == [True]
    assert "<samples>1</samples>" in (tmp_path / "r.urdf").read_text()


def test_gear_ratios_become_transmissions(tmp_path, saved):
    ratio = XmlElement("gear_ratio", text="40")
    extra = XmlElement("nominal_voltage", text="24")
    actuator = XmlReadable(XmlElement("actuator", children=(ratio, extra)))
    body = robot_of([hinge("j", "l0", "l1", actuator=actuator)], 2)
    losses, robot, _ = saved(body, tmp_path / "r.urdf")
    assert any("only the gear ratio is written: 'j'" in x for x in losses)
    (found,) = robot.joints[0].description.actuator.to_xml().children
    assert (found.tag, float(found.text)) == ("gear_ratio", 40.0)


def test_manipulators_become_groups(tmp_path, saved):
    arm = ManipulatorDescription("arm", "l0", "l2", gripper_joints=("grip",))
    joints = (hinge("a", "l0", "l1"), hinge("b", "l1", "l2"), hinge("grip", "l2", "l3"))
    body = dataclasses.replace(
        robot_of(joints, 4), manipulators=(arm,), adjacent=frozenset({("l0", "l3")})
    )
    _, robot, _ = saved(body, tmp_path / "r.urdf", srdf=True)
    found = robot.manipulators["arm"].description
    assert (found.base, found.end_effector) == ("l0", "l2")
    assert found.gripper_joints == ("grip",)
    text = (tmp_path / "r.srdf").read_text()
    assert 'link1="l0" link2="l3" reason="Never"' in text
    assert 'link1="l0" link2="l1" reason="Adjacent"' in text


def test_data_that_would_mean_something_else_is_lost(tmp_path, saved):
    items = tuple(
        (tag, XmlReadable(XmlElement(tag, (("name", "x"),)))) for tag in ("link", "own")
    )
    body = dataclasses.replace(robot_of([], 1), readables=items)
    losses, robot, _ = saved(body, tmp_path / "r.urdf")
    (loss,) = (x for x in losses if "data" in x)
    assert loss == "warning: data 'link' is not written: 'r'"
    assert list(robot.readables) == ["own"]


# -- scenes ----------------------------------------------------------------------------


def test_what_the_scene_says_is_lost(tmp_path):
    text = """<environment><bkgndcolor>0 0 1</bkgndcolor><camtrans>1 2 3</camtrans>
<plugin>rplanners</plugin><vendor/><robot name="r"><kinbody><body name="a"/></kinbody>
</robot></environment>"""
    (tmp_path / "r.env.xml").write_text(text)
    env = pyrave.load(tmp_path / "r.env.xml")
    env.gravity = (0.0, 0.0, -9.8)
    lost = env.save(tmp_path / "r.urdf")
    assert lost == (
        "warning: the background colour of the scene is not written",
        "warning: the camera of the viewer of the scene is not written",
        "warning: plugins are not written: 'rplanners'",
        "warning: data of the scene are not written: 'vendor'",
    )
    env.gravity = (0.0, 0.0, -1.62)
    (first, *_) = env.save(tmp_path / "r.urdf")
    assert first == "warning: the gravity of the scene is not written"


def test_one_body_of_several_is_chosen(tmp_path):
    bodies = tuple(robot_of([], 1) for _ in range(2))
    scene = SceneDescription((bodies[0], dataclasses.replace(bodies[1], name="other")))
    env = pyrave.Environment()
    env.add_scene(scene)
    path = tmp_path / "x.urdf"
    with pytest.raises(pyrave.SceneError, match=r"2 bodies: 'r', 'other'.*--body r"):
        env.save(path)
    assert not path.exists()
    env.save(path, body="other")
    assert [body.name for body in pyrave.read(path).bodies] == ["other"]
    with pytest.raises(pyrave.NotFoundError, match="did you mean 'other'"):
        env.save(path, body="othr")
    env.save(tmp_path / "x.env.xml", body="other")
    assert len(pyrave.load(tmp_path / "x.env.xml").bodies) == 1


def following(leader):
    return (JointAxis(Z, mimic=MimicFormula(leader)),)


CIRCLE = robot_of([
    hinge("j", "l0", "l1", axes=following("k")),
    hinge("k", "l1", "l2", axes=following("j")),
])  # fmt: skip
UNSAYABLE = BodyDescription(
    "b", (LinkDescription("l", geometries=(GeometryDescription(Box(X), name="\x01"),)),)
)


@pytest.mark.parametrize(
    ("scene", "said"),
    [
        (SceneDescription(), "the scene has no body"),
        (SceneDescription((BodyDescription("empty"),)), "has no links"),
        (SceneDescription((CIRCLE,)), "follow each other in a circle: j > k > j"),
        (SceneDescription((UNSAYABLE,)), "All strings must be XML compatible"),
    ],
)
def test_what_is_no_robot_is_refused(scene, said, tmp_path):
    with pytest.raises(pyrave.SceneError, match=said):
        write_urdf(scene, tmp_path / "x.urdf", WriteContext())
    assert not list(tmp_path.iterdir())


def test_links_without_names_get_some(tmp_path):
    body = BodyDescription("b", (LinkDescription(""), LinkDescription("")))
    write_urdf(SceneDescription((body,)), tmp_path / "x.urdf", WriteContext())
    links = pyrave.read(tmp_path / "x.urdf").bodies[0].links
    assert [link.name for link in links] == ["link1", "link2"]


def test_mujoco_and_yourdfpy_load_chains_and_capsules(tmp_path, saved):
    mujoco = pytest.importorskip("mujoco")
    yourdfpy = pytest.importorskip("yourdfpy")
    capsule = pyrave.scene.Capsule(0.1, 0.4)
    shape = GeometryDescription(capsule, pose=Pose.from_axis_angle((1, 1, 0), 0.4))
    body = robot_of(
        [CHAINS["turn and slide"], hinge("below", "l1", "l2")], geometries=(shape,)
    )
    path = tmp_path / "r.urdf"
    _, robot, _ = saved(body, path)
    assert {g.type for link in robot.links for g in link.geometries} == {"capsule"}
    model = mujoco.MjModel.from_xml_path(str(path))
    assert model.nv == 4
    assert len(yourdfpy.URDF.load(str(path)).actuated_joint_names) == 4


# -- the report ------------------------------------------------------------------------


def test_losses_are_gathered_by_kind():
    from pyrave.formats import Losses

    losses = Losses()
    losses.add("a is lost", "x")
    losses.add("b is told otherwise", kind="written-otherwise", hint="do c")
    losses.add("a is lost", "y", "x")
    one, two = losses.problems()
    assert (one.code, one.message) == ("not-written", "a is lost: 'x', 'y'")
    assert (two.code, two.message, two.hint) == (
        "written-otherwise",
        "b is told otherwise",
        "do c",
    )
