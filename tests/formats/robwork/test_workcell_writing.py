"""Scenes written as WorkCells: what reads back equal, and what is said to be lost."""

from __future__ import annotations

import io
import math

import numpy as np
import pytest
from lxml import etree
from scene_files import scene_beside

import pyrave
from pyrave.formats import WriteContext
from pyrave.scene import (
    BodyDescription,
    Box,
    Capsule,
    Cylinder,
    GeometryDescription,
    Inertial,
    JointAxis,
    JointDescription,
    LinkDescription,
    Material,
    MeshData,
    MeshReference,
    MimicFormula,
    NoShape,
    Pose,
    RenderMesh,
    RobotDescription,
    SceneDescription,
    Sphere,
    TriMesh,
    same,
)
from pyrave_workcell.hooks import WorkCellFormat

GREY = Material(diffuse=(0.6, 0.6, 0.6))

CELL = scene_beside(__file__, "workcell_writing.wc.xml")


def _again(scene, folder, **options):
    """Return a scene written and read, and what was lost."""
    env = pyrave.Environment()
    env.add_scene(scene)
    losses = env.save(folder / "again.wc.xml", **options)
    return pyrave.read(folder / "again.wc.xml"), losses


def _scene(*bodies, **others):
    return SceneDescription(bodies, name="scene", **others)


def _body(*geometries, name="thing", static=True, **link):
    pose = Pose.from_axis_angle((1, 2, 3), 0.4, (0.1, 0.2, 0.3))
    made = LinkDescription(name, geometries=geometries, static=static, **link)
    return BodyDescription(name, (made,), pose=pose, joined_links_adjacent=False)


def _words(losses):
    return " ".join(map(str, losses))


# -- what came from a WorkCell ---------------------------------------------------------


@pytest.fixture
def cell(tmp_path):
    path = tmp_path / "cell.wc.xml"
    path.write_text(CELL)
    return path


def test_a_workcell_reads_back_equal(cell, tmp_path):
    assert pyrave.convert(cell, tmp_path / "again.wc.xml") == ()
    scene, again = pyrave.read(cell), pyrave.read(tmp_path / "again.wc.xml")
    assert same(scene, again)
    assert not again.problems


def test_a_second_time_the_text_is_the_same(cell, tmp_path):
    first = tmp_path / "first.wc.xml"
    pyrave.convert(cell, first)
    text = first.read_bytes()
    pyrave.convert(first, first)
    assert first.read_bytes() == text


def test_devices_stay_what_they_were(cell, tmp_path):
    pyrave.convert(cell, tmp_path / "again.wc.xml")
    root = etree.parse(tmp_path / "again.wc.xml").getroot()
    assert [one.get("name") for one in root.iter("SerialDevice")] == ["Arm"]
    assert [one.get("name") for one in root.iter("TreeDevice")] == ["Hand"]
    (cone,), (tube,), (plane,) = (list(root.iter(t)) for t in ("Cone", "Tube", "Plane"))
    assert cone.attrib == {"radius": "0.06", "z": "0.3", "level": "12"}
    assert list(tube.attrib) == ["radius", "thickness", "z"]
    assert plane.attrib == {}


def test_a_device_alone_stays_one(tmp_path):
    path, again = tmp_path / "arm.wc.xml", tmp_path / "again.wc.xml"
    path.write_text(
        '<SerialDevice name="Arm"><Frame name="Base"/>'
        '<Joint name="J" type="Revolute"><RPY>0 0 0</RPY><Pos>0 0 1</Pos></Joint>'
        '<Frame name="TCP"/></SerialDevice>'
    )
    pyrave.convert(path, again)
    assert etree.parse(again).getroot().tag == "SerialDevice"
    assert same(pyrave.read(path), pyrave.read(again))


def test_parallel_devices_stay_parallel(tmp_path):
    """A four-bar linkage: both cranks stand upright, the bar between is one of legs."""
    path, again = tmp_path / "bars.wc.xml", tmp_path / "again.wc.xml"
    path.write_text(
        '<ParallelDevice name="Bars"><Frame name="Base"/>'
        '<SerialChain name="L"><Joint name="A" type="Revolute"><RPY>0 0 0</RPY>'
        '<Pos>0 0 0</Pos></Joint><Joint name="B" type="Revolute" state="Passive">'
        "<RPY>0 0 0</RPY><Pos>0 1 0</Pos></Joint></SerialChain>"
        '<Frame name="LEnd"><RPY>0 0 0</RPY><Pos>2 0 0</Pos></Frame>'
        '<Frame name="Foot" refframe="Base"><RPY>0 0 0</RPY><Pos>2 0 0</Pos></Frame>'
        '<SerialChain name="R"><Joint name="A" type="Revolute" state="Passive">'
        "<RPY>0 0 0</RPY><Pos>0 0 0</Pos></Joint><Joint "
        'name="B" type="Revolute" state="Passive"><RPY>0 0 0</RPY><Pos>0 1 0</Pos>'
        "</Joint></SerialChain>"
        '<Frame name="REnd"/></ParallelDevice>'
    )
    scene = pyrave.read(path)
    assert any(joint.closes_loop for joint in scene.bodies[0].joints)
    assert pyrave.convert(path, again) == ()
    assert etree.parse(again).getroot().tag == "ParallelDevice"
    assert same(scene, pyrave.read(again))


_END = '<Frame name="End"/>'


def four_bar(first: str, second: str, more: str = "") -> str:
    """Return a crank and a rocker; one leg ends in the joint between them."""

    def joint(name: str, x: float, state: str = "Passive") -> str:
        return (
            f'<Joint name="{name}" type="Revolute" state="{state}"><RPY>0 0 0</RPY>'
            f"<Pos>{x} 0 0</Pos></Joint>"
        )

    def foot(x: float) -> str:
        return (
            f'<Frame name="Foot{x}" refframe="Base"><RPY>0 0 0</RPY>'
            f"<Pos>{x} 0 0</Pos></Frame>"
        )

    crank = joint("A", 0, "Active") + joint("B", 0.3) + joint("C", 0.9)
    rocker = joint("A", 0) + '<Frame name="Tip"><RPY>0 0 0</RPY><Pos>0.6 0 0</Pos>'
    return (
        '<WorkCell name="w"><Frame name="Floor"/><ParallelDevice name="P">'
        f'<Frame name="Base"/>{foot(0)}'
        f'<SerialChain name="L">{crank}{first}</SerialChain>{foot(1)}'
        f'<SerialChain name="R">{rocker}</Frame>{second}</SerialChain>'
        f'<Q name="Home">2</Q></ParallelDevice>{more}</WorkCell>'
    )


_LAST = '<Joint name="B" type="Revolute" state="Passive"/>'


@pytest.mark.parametrize("first", ["", _END])
@pytest.mark.parametrize("second", [_LAST, _LAST + _END, _END])
@pytest.mark.parametrize("more", ["", '<Frame name="More" refframe="P.R.A"/>'])
def test_legs_may_end_in_joints(tmp_path, first, second, more):
    path, again = tmp_path / "bars.wc.xml", tmp_path / "again.wc.xml"
    path.write_text(four_bar(first, second, more))
    scene = pyrave.read(path)
    assert any(joint.closes_loop for joint in scene.bodies[0].joints)
    assert pyrave.convert(path, again) == ()
    assert etree.parse(again).getroot().find("ParallelDevice") is not None
    assert same(scene, pyrave.read(again))


def test_other_assemblies_of_parallel_devices_are_losses(tmp_path):
    path, again = tmp_path / "bars.wc.xml", tmp_path / "again.wc.xml"
    path.write_text(four_bar("", _END))
    env = pyrave.load(path)
    robot = env.robots["P"]
    assert env.save(again) == ()
    robot.dof_values = [2.5]
    assert env.save(again) == ()
    read = pyrave.load(again).robots["P"]
    np.testing.assert_allclose(read.joint_values, robot.joint_values, atol=1e-9)
    robot.dof_values = [2.0]
    robot.passive_joints["L.B"].values = (1.7,)
    (loss,) = env.save(again)
    assert "assembled is not written" in loss


def test_values_of_passive_joints_are_losses(tmp_path):
    seat = JointDescription(
        "seat",
        "slider",
        "base",
        "seat",
        active=False,
        axes=(JointAxis((0.0, 0.0, 1.0), prismatic=True, lower=-1.0, upper=1.0),),
    )
    links = (LinkDescription("base"), LinkDescription("seat"))
    env = pyrave.Environment()
    stool = env.create_body(BodyDescription("stool", links, (seat,)))
    assert "values of passive" not in "".join(env.save(tmp_path / "a.wc.xml"))
    stool.passive_joints["seat"].values = (0.25,)
    losses = "".join(env.save(tmp_path / "b.wc.xml"))
    assert "values of passive joints are not written: 'seat'" in losses


def test_joints_outside_of_devices_stay_there(tmp_path):
    path, again = tmp_path / "door.wc.xml", tmp_path / "again.wc.xml"
    path.write_text(
        '<WorkCell name="w"><Frame name="Wall"/><Frame name="Door" refframe="Wall" '
        'type="Revolute"><RPY>0 0 0</RPY><Pos>1 0 0</Pos><Drawable name="b">'
        '<Box x="1" y="0.1" z="2"/></Drawable></Frame><Frame name="Bolt" '
        'refframe="Door" type="Prismatic"><RPY>0 90 0</RPY><Pos>1 0 0</Pos></Frame>'
        '<Frame name="Knob" refframe="Bolt"/></WorkCell>'
    )
    scene = pyrave.read(path)
    assert pyrave.convert(path, again) == ()
    assert same(scene, pyrave.read(again))


def test_mobile_devices_stay_mobile(tmp_path):
    path, again = tmp_path / "cart.wc.xml", tmp_path / "again.wc.xml"
    path.write_text(
        '<WorkCell name="w"><Frame name="Spot"><RPY>0 0 0</RPY><Pos>0 0 1</Pos></Frame>'
        '<MobileDevice name="Cart" basename="Base"><AxelWidth>0.5</AxelWidth>'
        '<LeftWheel name="L"/><RightWheel name="R"/>'
        '<Frame name="Lost"/><Frame name="Top" refframe="Base"><RPY>0 0 0</RPY>'
        "<Pos>0 0 0.3</Pos></Frame>"
        '<Drawable name="d" refframe="Base" colmodel="Disabled"><Sphere radius="0.2"/>'
        '</Drawable><Drawable name="w" refframe="L"><Cylinder radius="0.1" z="0.02"/>'
        "</Drawable></MobileDevice></WorkCell>"
    )
    scene = pyrave.read(path)
    assert pyrave.convert(path, again) == ()
    assert same(scene, pyrave.read(again))
    root = etree.parse(again).getroot()
    assert [one.tag for one in root.iter("MobileDevice")] == ["MobileDevice"]


def test_names_in_setups_are_no_patterns(tmp_path):
    path = tmp_path / "stars.wc.xml"
    env = pyrave.Environment()
    box = GeometryDescription(Box((0.5, 0.5, 0.5)))
    for name in ("a*?+", "ab?+", "a*x+", "c"):
        link = LinkDescription(name, geometries=(box,))
        env.create_body(BodyDescription(name, (link,)))
    env.ignore_collisions(env.bodies["a*?+"], env.bodies["c"])
    env.save(path)
    assert pyrave.load(path).ignored_pairs == env.ignored_pairs


def test_setups_are_written_next_to_the_file(tmp_path):
    path, again = tmp_path / "cell.wc.xml", tmp_path / "out" / "again.wc.xml"
    again.parent.mkdir()
    box = '<Drawable name="b"><Box x="1" y="1" z="1"/></Drawable>'
    frames = "".join(
        f'<Joint name="J{n}" type="Revolute"><RPY>0 0 0</RPY><Pos>0 0 2</Pos>{box}'
        "</Joint>"
        for n in range(4)
    )
    path.write_text(
        f'<SerialDevice name="Arm"><Frame name="Base">{box}</Frame>{frames}'
        '<ProximitySetup file="pairs.prox.xml"/></SerialDevice>'
    )
    (tmp_path / "pairs.prox.xml").write_text(
        '<ProximitySetup><Exclude PatternA="J*" PatternB="J*"/>'
        '<Include PatternA="J0" PatternB="J3"/></ProximitySetup>'
    )
    pyrave.convert(path, again)
    assert (again.parent / "again.prox.xml").is_file()
    assert same(pyrave.read(path), pyrave.read(again))
    foreign = again.parent / "other.prox.xml"
    foreign.write_text("mine")
    pyrave.convert(path, again.parent / "other.wc.xml")
    assert foreign.read_text() == "mine"
    assert same(pyrave.read(path), pyrave.read(again.parent / "other.wc.xml"))


# -- what came from elsewhere ----------------------------------------------------------

_GEOMETRIES = {
    "box": GeometryDescription(Box((0.1, 0.2, 0.3)), "a", material=GREY),
    "sphere": GeometryDescription(Sphere(0.3), "a", material=GREY),
    "cylinder": GeometryDescription(Cylinder(0.3, 1.0), "a", material=GREY),
    "coloured": GeometryDescription(
        Sphere(0.3), "a", material=Material(diffuse=(0.1, 0.2, 0.3), transparency=0.25)
    ),
    "unseen": GeometryDescription(Sphere(0.3), "a", material=GREY, visible=False),
    "turned": GeometryDescription(
        Sphere(0.3), "a", Pose.from_axis_angle((1, 1, 0), 0.7, (1, 2, 3)), GREY
    ),
}


@pytest.mark.parametrize("kind", _GEOMETRIES)
@pytest.mark.parametrize("static", [True, False])
def test_bodies_of_one_link_read_back_equal(kind, static, tmp_path):
    scene = _scene(_body(_GEOMETRIES[kind], static=static))
    again, losses = _again(scene, tmp_path)
    assert not losses
    assert same(again.bodies, scene.bodies)


def test_shapes_that_are_only_shown(tmp_path):
    from pyrave.geometry import shape_mesh

    mesh = shape_mesh(Box((0.1, 0.2, 0.3)))
    shown = RenderMesh(MeshData(mesh.vertices, mesh.faces))
    scene = _scene(
        _body(GeometryDescription(NoShape(), "a", material=GREY, render=shown))
    )
    again, losses = _again(scene, tmp_path)
    assert not losses
    assert same(again.bodies, scene.bodies)
    assert "Disabled" in (tmp_path / "again.wc.xml").read_text()


def test_triangles_stand_in_files(tmp_path):
    corners = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1.0)])
    faces = np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
    data = MeshData(corners, faces)
    scene = _scene(_body(GeometryDescription(TriMesh(data), "a", material=GREY)))
    again, losses = _again(scene, tmp_path)
    assert len(losses) == 1
    assert "stand in files" in losses[0]
    (geometry,) = again.bodies[0].links[0].geometries
    env = pyrave.load(tmp_path / "again.wc.xml")
    mesh = env.bodies[0].links[0].geometries[0].mesh
    np.testing.assert_array_equal(mesh.vertices, corners)
    np.testing.assert_array_equal(mesh.faces, faces)
    assert geometry.material == GREY


@pytest.mark.parametrize("same_size", [True, False])
def test_a_scaled_file_that_collides_as_it_looks_is_one_drawable(same_size, tmp_path):
    file = tmp_path / "part.obj"
    file.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\n")
    solid = MeshReference(str(file), (0.5, 0.5, 0.5))
    shown = solid if same_size else MeshReference(str(file), (0.6, 0.6, 0.6))
    geometry = GeometryDescription(
        TriMesh(solid), "a", material=GREY, render=RenderMesh(shown)
    )
    again, losses = _again(_scene(_body(geometry)), tmp_path)
    found = again.bodies[0].links[0].geometries
    assert ("two models" in _words(losses)) is not same_size
    assert len(found) == (1 if same_size else 2)
    assert all(one.visible for one in found[:1])


def test_other_shapes_are_meshes(tmp_path):
    scene = _scene(_body(GeometryDescription(Capsule(0.1, 0.4), "a", material=GREY)))
    _, losses = _again(scene, tmp_path)
    assert "shapes that RobWork has not are meshes" in _words(losses)
    env = pyrave.load(tmp_path / "again.wc.xml")
    half = env.bodies[0].links[0].geometries[0].mesh.vertices.max(axis=0)
    np.testing.assert_allclose(half, (0.1, 0.1, 0.3), atol=1e-12)


def _arm(*joints, links=None, **others):
    names = [joint.child for joint in joints]
    made = (
        LinkDescription("base", static=True),
        *(
            LinkDescription(
                one, geometries=(GeometryDescription(Sphere(0.1), "a", material=GREY),)
            )
            for one in names
        ),
    )
    return RobotDescription(
        "arm", links or made, joints, joined_links_adjacent=False, **others
    )


_UNUSUAL = {"velocity_limit": 1.0, "acceleration_limit": 1.0}


def _hinge(name, parent, child, direction, **others):
    axis = JointAxis(direction, lower=-1.0, upper=1.0, **_UNUSUAL | others)
    pose = Pose.from_axis_angle((1, 0, 1), 0.3, (0.2, 0.1, 0.3))
    return JointDescription(name, "hinge", parent, child, pose, axes=(axis,))


@pytest.mark.parametrize("seed", range(4))
def test_joints_about_any_axis_move_as_before(seed, tmp_path):
    rng = np.random.default_rng(seed)
    joints = []
    for n in range(4):
        way = rng.normal(size=3)
        if n == 0:
            way = np.eye(3)[seed % 3] * (-1.0) ** seed
        direction = tuple((way / np.linalg.norm(way)).tolist())
        axes = (JointAxis(direction, prismatic=bool(n % 2), **_UNUSUAL),)
        before, after = (
            Pose.from_axis_angle(rng.normal(size=3), 1.0, tuple(rng.normal(size=3)))
            for _ in range(2)
        )
        parent, child = f"l{n - 1}" if n else "base", f"l{n}"
        if n == 2:  # a joint that is described from its far end
            parent, child = child, parent
        kind = "slider" if n % 2 else "hinge"
        joints.append(
            JointDescription(f"j{n}", kind, parent, child, before, after, axes)
        )
    links = _arm(*(_hinge("", "base", f"l{n}", (0, 0, 1)) for n in range(4))).links
    env = pyrave.Environment()
    env.add_scene(_scene(_arm(*joints, links=links)))
    assert "two frames" in _words(env.save(tmp_path / "again.wc.xml"))
    again = pyrave.load(tmp_path / "again.wc.xml")
    one, other = env.robots["arm"], again.robots["arm"]
    assert [joint.name for joint in other.joints if joint.dof_index >= 0] == [
        *("j0", "j1", "j2", "j3")
    ]
    for values in rng.uniform(-1, 1, (5, 4)):
        one.dof_values = other.dof_values = values
        for link in one.links:
            np.testing.assert_allclose(
                other.links[link.name].transform, link.transform, atol=1e-12
            )


def test_joints_of_two_axes_at_a_right_angle_are_universal(tmp_path):
    axes = tuple(JointAxis(way, **_UNUSUAL) for way in ((0, 0, 1.0), (0, 1.0, 0)))
    joint = JointDescription("j", "universal", "base", "l", axes=axes)
    env = pyrave.Environment()
    env.add_scene(_scene(_arm(joint)))
    env.save(tmp_path / "again.wc.xml")
    assert 'type="Universal"' in (tmp_path / "again.wc.xml").read_text()
    again = pyrave.load(tmp_path / "again.wc.xml")
    for values in ((0.3, 0.4), (-0.6, 0.7)):
        for one in (env, again):
            one.robots["arm"].dof_values = values
        np.testing.assert_allclose(
            again.robots["arm"].links["l"].transform,
            env.robots["arm"].links["l"].transform,
            atol=1e-12,
        )


def test_followers(tmp_path):
    way = (0.0, 0.0, 1.0)
    second = _hinge("l1", "l0", "l1", way, mimic=MimicFormula("0.1 - 2*l0"))
    third = _hinge("l2", "l1", "l2", way, mimic=MimicFormula("l0*l0"))
    scene = _scene(_arm(_hinge("l0", "base", "l0", way), second, third))
    again, losses = _again(scene, tmp_path)
    formulas = [one.axes[0].mimic for one in again.bodies[0].joints]
    assert [one and one.position for one in formulas] == [None, "-2.0*l0+0.1", None]
    assert "follow others in a way that RobWork has not" in _words(losses)


def test_limits_read_back_exactly(tmp_path):
    rng = np.random.default_rng(5)
    joints, parent = [], "base"
    for n, (low, high) in enumerate(rng.uniform(0, 3, (30, 2)).tolist()):
        axis = JointAxis((0.0, 0.0, 1.0), False, -low, high, **_UNUSUAL)
        pose = Pose.from_translation(0, 0, 1)
        joints.append(
            JointDescription(f"l{n}", "hinge", parent, f"l{n}", pose, axes=(axis,))
        )
        parent = f"l{n}"
    scene = _scene(_arm(*joints))
    again, _ = _again(scene, tmp_path)
    for one, other in zip(again.bodies[0].joints, joints, strict=True):
        assert same(one.axes, other.axes, 4e-16)


def test_what_robwork_has_not_is_listed(tmp_path):
    hinge = _hinge("l0", "base", "l0", (0.0, 0.0, 1.0), weight=2.0, torque_limit=5.0)
    scene = _scene(
        _arm(hinge), gravity=(0.0, 0.0, -1.0), background_color=(0.0, 0.0, 0.0)
    )
    words = _words(_again(scene, tmp_path)[1])
    for one in ("gravity", "background colour", "weights", "limits of torques"):
        assert one in words


@pytest.mark.parametrize("shape", [Sphere(0.1), Capsule(0.1, 0.2)])
def test_shapes_without_a_colour_are_grey_though_they_are_meshes(tmp_path, shape):
    scene = _scene(_body(GeometryDescription(shape, "a")))
    again, losses = _again(scene, tmp_path)
    assert again.bodies[0].links[0].geometries[0].material.diffuse == GREY.diffuse
    assert "shapes without a colour are grey" in _words(losses)


def test_blanks_in_names_are_told(tmp_path):
    hinge = _hinge("the joint", "base", "l 0", (0.0, 0.0, 1.0))
    robot = RobotDescription(
        "arm", (LinkDescription("base"), LinkDescription("l 0")), (hinge,)
    )
    again, losses = _again(_scene(robot), tmp_path)
    assert again.bodies[0].joints[0].name == "the_joint"
    words = _words(losses)
    assert "blanks in names become _: 'l 0', 'the joint'" in words
    assert "with the name of another frame" not in words


def test_a_file_object_has_nothing_next_to_it():
    data = MeshData(np.eye(3), np.array([(0, 1, 2)]))
    scene = _scene(_body(GeometryDescription(TriMesh(data), "a", material=GREY)))
    buffer = io.BytesIO()
    losses = WorkCellFormat().write(scene, buffer, WriteContext())
    assert "save to a path" in _words(losses)
    assert buffer.getvalue().startswith(b"<?xml")


def test_names_that_stand_twice(tmp_path):
    joint = JointDescription("lid", "fixed", "thing", "lid", active=False)
    links = tuple(
        LinkDescription(
            one, geometries=(GeometryDescription(Sphere(0.1), "a", material=GREY),)
        )
        for one in ("thing", "lid")
    )
    first = BodyDescription("thing", links, (joint,), joined_links_adjacent=False)
    second = _body(_GEOMETRIES["box"], name="lid")
    again, losses = _again(_scene(first, second), tmp_path)
    assert [body.name for body in again.bodies] == ["thing", "lid"]
    assert [link.name for link in again.bodies[0].links] == ["thing", "thing.lid"]
    assert "named with their body" in _words(losses)


def test_held_bodies_are_held_again(tmp_path):
    env = pyrave.Environment()
    env.add_scene(_scene(_arm(_hinge("l0", "base", "l0", (0.0, 0.0, 1.0)))))
    env.add_scene(_scene(_body(_GEOMETRIES["box"], static=False)))
    arm, thing = env.robots["arm"], env.bodies["thing"]
    arm.dof_values = [0.4]
    arm.grab(thing, "l0")
    env.save(tmp_path / "again.wc.xml")
    again = pyrave.load(tmp_path / "again.wc.xml")
    for one in (env, again):
        one.robots["arm"].dof_values = [-math.pi / 4]
    np.testing.assert_allclose(
        again.bodies["thing"].transform, thing.transform, atol=1e-12
    )


_UNSEEN = (
    GeometryDescription(NoShape()),
    GeometryDescription(
        NoShape(),
        render=RenderMesh(MeshData(np.eye(3), np.array([[0, 1, 2]]))),
        visible=False,
    ),
    GeometryDescription(Sphere(1.0), group="other"),
)


@pytest.mark.parametrize("suffix", [".wc.xml", ".dwc.xml"])
@pytest.mark.parametrize("com", [(0.0, 0.0, 0.0), (0.0, 0.0, 0.125)])
@pytest.mark.parametrize("geometry", _UNSEEN)
def test_bodies_of_which_nothing_is_seen_are_kept(tmp_path, geometry, com, suffix):
    link = LinkDescription(
        "l", geometries=(geometry,), static=True, inertial=Inertial(1.0, com)
    )
    env = pyrave.Environment()
    env.add_scene(SceneDescription(bodies=(BodyDescription("body", (link,)),)))
    said = "".join(map(str, env.save(tmp_path / f"scene{suffix}")))
    assert "geometries of other groups or without a shape are not written: 'l'" in said
    again = pyrave.load(tmp_path / f"scene{suffix}")
    assert [body.name for body in again.bodies] == ["body"]
