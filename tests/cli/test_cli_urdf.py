"""`pyrave info` and `convert` on URDF and xacro."""

from __future__ import annotations

import pytest

XACRO = """<robot name="box" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:arg name="size" default="1"/>
<link name="base"><collision><geometry><box size="$(arg size) 1 1"/></geometry>
</collision></link></robot>"""


@pytest.fixture
def xacro(tmp_path):
    path = tmp_path / "box.xacro"
    path.write_text(XACRO)
    return path


def test_arguments_reach_a_xacro_file(pyrave, xacro):
    pytest.importorskip("xacrodoc")
    shown = pyrave("info", xacro, "size:=3", "--allow-code", "--json")
    assert shown.code == 0, shown.err
    (body,) = shown.data["bodies"]
    assert body["links"][0]["geometries"][0]["half_extents"] == [1.5, 0.5, 0.5]
    # a robot without mass has no centre of mass
    assert body["mass"] == 0.0
    assert body["center_of_mass"] is None


def test_code_is_refused_unless_it_is_allowed(pyrave, xacro):
    refused = pyrave("info", xacro, "size:=3")
    assert refused.code == 1
    assert "--allow-code" in refused.err


def test_a_word_that_is_no_argument(pyrave, xacro):
    wrong = pyrave("info", xacro, "size=3", "--allow-code")
    assert wrong.code == 2
    assert "expected name:=value" in wrong.err


def test_package_folders(pyrave, tmp_path):
    folder = tmp_path / "packages" / "parts"
    folder.mkdir(parents=True)
    (folder / "m.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    (tmp_path / "apart").mkdir()
    robot = tmp_path / "apart" / "r.urdf"
    robot.write_text(
        "<robot name='r'><link name='a'><visual><geometry>"
        "<mesh filename='package://parts/m.obj'/></geometry></visual></link></robot>"
    )
    assert pyrave("check", robot).code == 1
    found = pyrave("check", robot, "--package-dir", tmp_path / "packages")
    assert found.code == 0, found.out


def test_a_urdf_becomes_openrave_xml(pyrave, tmp_path):
    robot = tmp_path / "r.urdf"
    robot.write_text(
        "<robot name='r'><link name='a'/><link name='b'/>"
        "<joint name='j' type='continuous'><parent link='a'/><child link='b'/>"
        "<axis xyz='0 0 1'/></joint></robot>"
    )
    target = tmp_path / "r.robot.xml"
    assert pyrave("convert", robot, target).code == 0
    (body,) = pyrave("info", target, "--json").data["bodies"]
    assert [joint["name"] for joint in body["joints"]] == ["j"]
    assert body["joints"][0]["circular"] == [True]


def test_joints_of_several_axes_are_told_with_their_units(pyrave, tmp_path):
    (tmp_path / "r.urdf").write_text(
        """<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
        <joint name="f" type="floating"><parent link="a"/><child link="b"/></joint>
        <joint name="s" type="prismatic"><parent link="a"/><child link="c"/>
        <axis xyz="0 0 1"/><limit lower="0" upper="0.5" effort="1" velocity="2"/>
        </joint></robot>"""
    )
    said = pyrave("info", str(tmp_path / "r.urdf")).out
    assert "3 x slides freely, 3 x turns freely" in said
    assert "10 10 10 m/s, 10 10 10 rad/s" in said
    assert "0 .. 0.5 m" in said
    assert "2 m/s" in said


def test_a_base_is_held_on_demand(pyrave, tmp_path):
    inertial = "<inertial><mass value='1'/></inertial>"
    (tmp_path / "r.urdf").write_text(
        f"<robot name='r'><link name='a'>{inertial}</link><link name='b'>{inertial}"
        "</link><joint name='j' type='continuous'><parent link='a'/><child link='b'/>"
        "<axis xyz='0 0 1'/></joint></robot>"
    )
    command = (
        "run",
        tmp_path / "r.urdf",
        "--physics",
        "mujoco",
        "--steps",
        "50",
        "--json",
    )
    heights = []
    for options in ((), ("--fixed-base",)):
        done = pyrave(*command, *options)
        assert done.code == 0, done.err
        heights.append(done.data["bodies"][0]["transform"][2][3])
    assert heights[0] < -1.0
    assert heights[1] == 0.0


def test_a_file_is_loaded_under_other_names(pyrave, tmp_path):
    target = tmp_path / "left.robot.xml"
    source = "robots/planar3r.robot.xml"
    done = pyrave("convert", source, target, "--name", "left", "--prefix", "l_")
    assert done.code == 0, done.err
    known = pyrave("info", target, "--json").data
    assert [one["name"] for one in known["bodies"]] == ["left"]
    assert known["bodies"][0]["links"][0]["name"] == "l_base"
    several = pyrave("info", "scenes/demo.env.xml", "--name", "left")
    assert several.code == 2
    assert "prefix= goes before the names of all" in several.err
