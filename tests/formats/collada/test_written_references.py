"""Written COLLADA that refers to the files that its bodies came from."""

from __future__ import annotations

import dataclasses
import math
import re
import shutil

import numpy as np
import pytest
from collada_bodies import TETRAHEDRON, arm
from collada_documents import Robot, document, written
from lxml import etree

import pyrave
from pyrave.scene import (
    BodyDescription,
    GeometryDescription,
    GrabDescription,
    JointAxis,
    JointDescription,
    LinkDescription,
    ManipulatorDescription,
    Pose,
    SceneDescription,
    TriMesh,
    same,
)

AWAY = Pose.from_axis_angle((0.6, 0.0, 0.8), 0.7, (1.0, 2.0, 0.3))


def shown(body):
    """Return a body each link of which shows a mesh."""
    geometries = (GeometryDescription(TriMesh(TETRAHEDRON)),)
    links = tuple(
        dataclasses.replace(link, geometries=geometries) for link in body.links
    )
    return dataclasses.replace(body, links=links)


def file_of(path, *bodies, **scene):
    env = pyrave.Environment()
    env.add_scene(SceneDescription(bodies, **scene))
    path.parent.mkdir(parents=True, exist_ok=True)
    env.save(path)
    return path


def references(path):
    """Return what systems a file instantiates from others, and its own geometries."""
    root = etree.fromstring(path.read_bytes())
    urls = [
        one.get("url")
        for one in root.iterfind(".//{*}kinematics_scene/{*}*")
        if one.tag.endswith(("articulated_system", "kinematics_model"))
    ]
    return urls, len(root.findall("{*}library_geometries/{*}geometry"))


def without_ours(path):
    """Remove what only pyrave reads from a file."""
    root = etree.fromstring(path.read_bytes())
    for extra in list(root.iterfind(".//{*}extra[@type='pyrave']")):
        extra.getparent().remove(extra)
    path.write_bytes(etree.tostring(root))


@pytest.mark.parametrize("suffix", ["dae", "zae"])
def test_two_robots_of_one_file(tmp_path, suffix):
    source = file_of(tmp_path / f"arm.{suffix}", shown(arm(3)))
    env = pyrave.load(source)
    env.load(source, rename=True)
    first, second = env.robots
    first.dof_values = [0.25, 1.0]
    second.dof_values = [-0.5, 0.125]
    second.transform = AWAY.matrix
    target = tmp_path / "two.dae"
    assert env.save(target, expand=False) == ()
    assert references(target) == ([f"arm.{suffix}#body0_motion"] * 2, 0)
    assert same(pyrave.load(target, strict=True).describe(), env.describe())
    without_ours(target)
    again = pyrave.load(target, strict=True)
    for mine, read in zip(env.robots, again.robots, strict=True):
        assert np.allclose(mine.transform, read.transform, atol=1e-15)
        assert np.allclose(mine.dof_values, read.dof_values, atol=1e-15)
        for link, found in zip(mine.links, read.links, strict=True):
            assert np.allclose(link.transform, found.transform, atol=1e-15)
            assert found.description.geometries == link.description.geometries
            assert found.description.inertial == link.description.inertial


def test_bodies_are_written_out_unless_it_is_asked_for(tmp_path):
    source = file_of(tmp_path / "arm.dae", shown(arm(3)))
    env = pyrave.load(source)
    for options in ({}, {"expand": True}):
        env.save(tmp_path / "out.dae", **options)
        assert references(tmp_path / "out.dae") == (["#body0_motion"], 1)


def test_what_a_file_gives_no_longer_is_written_out(tmp_path):
    source = file_of(tmp_path / "arm.dae", shown(arm(3)))
    env = pyrave.load(source)
    env.load(source, rename=True)
    env.robots[0].dof_velocity_limits = [0.5, 0.5]
    target = tmp_path / "two.dae"
    env.save(target, expand=False)
    assert references(target) == (["#body0_motion", "arm.dae#body0_motion"], 1)
    assert pyrave.load(target, strict=True).describe() == env.describe()
    source.unlink()
    env.save(target, expand=False)
    assert references(target)[0] == ["#body0_motion", "#body1_motion"]
    assert pyrave.load(target, strict=True).describe() == env.describe()


def test_a_file_does_not_refer_to_itself(tmp_path):
    source = file_of(tmp_path / "arm.dae", shown(arm(3)))
    env = pyrave.load(source)
    env.robots[0].dof_values = [0.25, 1.0]
    env.save(source, expand=False)
    assert references(source) == (["#body0_motion"], 1)
    assert pyrave.load(source, strict=True).describe() == env.describe()


def test_bodies_keep_the_file_that_a_scene_names_for_them(tmp_path):
    source = file_of(tmp_path / "arm.dae", shown(arm(3)))
    env = pyrave.load(source)
    env.save(tmp_path / "one.dae", expand=False)
    again = pyrave.load(tmp_path / "one.dae")
    again.save(tmp_path / "two.dae", expand=False)
    assert references(tmp_path / "two.dae")[0] == ["arm.dae#body0_motion"]
    again.save(tmp_path / "all.dae")
    assert references(tmp_path / "all.dae")[0] == ["#body0_motion"]
    assert pyrave.load(tmp_path / "all.dae").describe() == env.describe()


@pytest.mark.parametrize("name", ["a b.dae", "50%.zae", "a#b.dae", "手.dae", "x:y.dae"])
def test_files_may_have_any_name_and_move_together(tmp_path, name):
    folder = tmp_path / "first"
    source = file_of(folder / "robots" / name, shown(arm(2)))
    (folder / "scenes").mkdir()
    env = pyrave.load(source)
    env.save(folder / "scenes/one.dae", expand=False)
    assert references(folder / "scenes/one.dae")[0] != ["#body0_motion"]
    shutil.move(folder, tmp_path / "second")
    again = pyrave.load(tmp_path / "second/scenes/one.dae", strict=True)
    assert again.describe() == env.describe()


def test_files_of_data_folders_keep_openrave_names(tmp_path, monkeypatch):
    source = file_of(tmp_path / "data/robots/arm.dae", shown(arm(2)))
    monkeypatch.setenv("OPENRAVE_DATA", str(tmp_path / "data"))
    (tmp_path / "elsewhere").mkdir()
    target = tmp_path / "elsewhere/one.dae"
    env = pyrave.load(source)
    env.save(target, expand=False)
    assert references(target)[0] == ["openrave:/robots/arm.dae#body0_motion"]
    assert pyrave.load(target, strict=True).describe() == env.describe()


def test_joints_of_several_models_may_have_one_sid(tmp_path):
    gripper = """<kinematics_model id="gripper"><technique_common>
<joint sid="joint1" name="close"><prismatic sid="axis0"><axis>0 1 0</axis><limits>
<min>0</min><max>0.5</max></limits></prismatic></joint><link sid="mount" name="hand">
<attachment_full joint="gripper/joint1"><link sid="finger"/></attachment_full></link>
</technique_common></kinematics_model></library_kinematics_models>"""
    text = str(Robot()).replace("</library_kinematics_models>", gripper, 1)
    second = '<instance_kinematics_model url="#gripper" sid="gripper_inst"/>'
    text = text.replace("<technique_common><axis_info", second + "<technique_common>"
                        "<axis_info", 1)  # fmt: skip
    env = pyrave.load(written(tmp_path, "rover.dae", text), strict=True)
    env.robots[0].dof_values = [0.5, 0.25, 0.125]
    env.save(tmp_path / "one.dae", expand=False)
    assert references(tmp_path / "one.dae")[0] == ["rover.dae#body1_motion"]
    root = etree.fromstring((tmp_path / "one.dae").read_bytes())
    sids = [one.get("sid") for one in root.iterfind(".//{*}newparam")]
    assert len(sids) == len(set(sids)) == 7
    assert pyrave.load(tmp_path / "one.dae", strict=True).describe() == env.describe()


def test_models_without_systems_are_referred_to(tmp_path):
    text = """<library_kinematics_models><kinematics_model id="k"><technique_common>
<joint sid="j"><revolute sid="axis0"><axis>0 0 1</axis></revolute></joint>
<link sid="a"><attachment_full joint="k/j"><translate>0 0 1</translate>
<link sid="b"/></attachment_full></link></technique_common></kinematics_model>
</library_kinematics_models><library_kinematics_scenes><kinematics_scene id="ks">
<instance_kinematics_model url="#k" sid="k1" name="first"/>
<instance_kinematics_model url="#k" sid="k2" name="second"/></kinematics_scene>
</library_kinematics_scenes><scene><instance_kinematics_scene url="#ks"/></scene>"""
    env = pyrave.load(written(tmp_path, "two.dae", document(text)), strict=True)
    for value, body in enumerate(env.bodies):
        body.dof_values = [0.25 + value]
        body.transform = Pose.from_translation(float(value), 1.0, 0.0).matrix
    env.save(tmp_path / "one.dae", expand=False)
    assert references(tmp_path / "one.dae")[0] == ["two.dae#k", "two.dae#k"]
    assert pyrave.load(tmp_path / "one.dae", strict=True).describe() == env.describe()


def test_what_hands_hold_is_referred_to_with_them(tmp_path):
    hand = ManipulatorDescription("hand", "part0", "part2")
    holder = shown(arm(3, manipulators=(hand,)))
    ball = shown(BodyDescription("ball", (LinkDescription("base"),), pose=AWAY))
    file_of(tmp_path / "arm.dae", holder)
    file_of(tmp_path / "ball.dae", ball)
    env = pyrave.load(tmp_path / "arm.dae")
    env.load(tmp_path / "ball.dae")
    env.robots[0].grab("ball", "part2")
    target = tmp_path / "both.dae"
    env.save(target, expand=False)
    assert references(target) == (["arm.dae#body0_motion", "ball.dae#body0_motion"], 0)
    without_ours(target)
    grabs = pyrave.load(target, strict=True).describe().grabs
    assert [(g.holder, g.link, g.body) for g in grabs] == [("arm", "part2", "ball")]


def test_nodes_without_kinematics_are_written_out(tmp_path):
    path = tmp_path / "thing.dae"
    path.write_text(
        """<COLLADA xmlns="http://www.collada.org/2008/03/COLLADASchema"
version="1.5.0"><library_geometries><geometry id="g"><mesh>
<source id="p"><float_array count="9">0 0 0 1 0 0 0 1 0</float_array></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p>
</triangles></mesh></geometry></library_geometries><library_visual_scenes>
<visual_scene id="s"><node name="thing"><instance_geometry url="#g"/></node>
</visual_scene></library_visual_scenes></COLLADA>"""
    )
    env = pyrave.load(path)
    env.save(tmp_path / "out.dae", expand=False)
    assert references(tmp_path / "out.dae") == (["#body0_motion"], 1)
    assert pyrave.load(tmp_path / "out.dae").describe() == env.describe()


def ball_jointed(**changes):
    """Return a robot for which COLLADA has only approximations."""
    axes = tuple(JointAxis(tuple(map(float, row))) for row in np.eye(3))
    joint = JointDescription("ball", "spherical", "part0", "part1", axes=axes)
    links = tuple(dataclasses.replace(one, pose=Pose()) for one in arm(2).links)
    return dataclasses.replace(arm(2), links=links, joints=(joint,), **changes)


def test_a_reference_says_where_and_how_the_robot_stands(tmp_path):
    """Places and values in extras of the other file are those of its own scene."""
    robot = ball_jointed(pose=AWAY, dof_values=(0.1, 0.2, 0.3))
    file_of(tmp_path / "arm.dae", robot)
    (tmp_path / "bent.dae").write_text(
        """<COLLADA xmlns="http://www.collada.org/2008/03/COLLADASchema"
version="1.5.0"><library_visual_scenes><visual_scene id="v"><node id="here" sid="here">
<translate>0 0 5</translate></node></visual_scene></library_visual_scenes>
<library_kinematics_scenes><kinematics_scene id="scene">
<instance_articulated_system url="arm.dae#body0_motion" sid="left" name="left"/>
</kinematics_scene></library_kinematics_scenes><scene>
<instance_visual_scene url="#v"/><instance_kinematics_scene url="#scene">
<bind_kinematics_model node="here"><SIDREF>scene/left</SIDREF></bind_kinematics_model>
<bind_joint_axis><axis><SIDREF>scene/left/kmodel0_inst/joint1/axis1</SIDREF></axis>
<value><float>45</float></value></bind_joint_axis></instance_kinematics_scene></scene>
</COLLADA>"""
    )
    (found,) = pyrave.load(tmp_path / "bent.dae").robots
    assert found.name == "left"
    assert found.joints["ball"].description.type == "spherical"
    assert np.allclose(found.links[0].transform[:3, 3], (0.0, 0.0, 5.0))
    values = pyrave.read(tmp_path / "bent.dae").bodies[0].dof_values
    assert np.allclose(values, (0.0, math.pi / 4.0, 0.0))


def test_references_to_what_is_said_for_pyrave_alone(tmp_path):
    robot = ball_jointed(pose=AWAY, dof_values=(0.1, 0.2, 0.3))
    source = file_of(tmp_path / "arm.dae", robot)
    env = pyrave.load(source)
    env.robots[0].transform = Pose.from_translation(1.0, 0.0, 0.0).matrix
    target = tmp_path / "one.dae"
    env.save(target, expand=False)
    assert references(target)[0] == ["arm.dae#body0_motion"]
    again = pyrave.load(target, strict=True).describe()
    assert pyrave.scene.same(again, env.describe())


def test_grabs_of_descriptions_are_kept(tmp_path):
    ball = shown(BodyDescription("ball", (LinkDescription("base"),)))
    grab = GrabDescription("arm", "part1", "ball", ("part0",))
    source = file_of(tmp_path / "both.dae", shown(arm(2)), ball, grabs=(grab,))
    env = pyrave.load(source)
    env.save(tmp_path / "one.dae", expand=False)
    urls, _ = references(tmp_path / "one.dae")
    assert urls == ["both.dae#body0_motion", "both.dae#body1_motion"]
    assert pyrave.load(tmp_path / "one.dae", strict=True).describe() == env.describe()
    ignored = re.findall(
        '<ignore_link link="(.*?)"', (tmp_path / "one.dae").read_text()
    )
    assert ignored == ["rigid_link1"]
