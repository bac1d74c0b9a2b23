"""Bases that stay in the world: how files say so, and what becomes of it."""

from __future__ import annotations

import pytest

import pyrave
from pyrave.scene import body_from_boxes

INERTIAL = (
    "<inertial><mass value='5'/><inertia ixx='.1' ixy='0' ixz='0' iyy='.1' iyz='0' "
    "izz='.1'/></inertial>"
)
BOX = "<collision><geometry><box size='.2 .2 .1'/></geometry></collision>"
ARM = (
    f"<link name='base'>{INERTIAL}{BOX}</link><link name='arm'>{INERTIAL}</link>"
    "<joint name='turn' type='continuous'><parent link='base'/><child link='arm'/>"
    "<axis xyz='0 0 1'/></joint>"
)
FREE = f"<robot name='r'>{ARM}</robot>"


def on(root, joint="fixed"):
    """Return a robot whose base hangs on a root link without mass."""
    return (
        f"<robot name='r'><link name='{root}'/><joint name='mount' type='{joint}'>"
        f"<parent link='{root}'/><child link='base'/><axis xyz='0 0 1'/></joint>"
        f"{ARM}</robot>"
    )


def static_links(env):
    return [link.name for link in env.robots[0].links if link.static]


def fallen(env):
    """Return how far the base falls in a tenth of a second, metres."""
    env.physics_engine = "mujoco"
    env.gravity = (0, 0, -10)
    base = env.robots[0].links["base"]
    start = base.transform[2, 3]
    for _ in range(10):
        env.step(0.01)
    return start - base.transform[2, 3]


def with_gazebo(block):
    return FREE.replace("</robot>", f"{block}</robot>")


@pytest.mark.parametrize(
    ("text", "static"),
    [
        (FREE, []),
        (on("world"), ["world"]),
        (on("foot"), []),
        (on("foot", "prismatic"), ["foot"]),
        (on("foot", "continuous"), ["foot"]),
        (with_gazebo("<gazebo><static>true</static></gazebo>"), ["base"]),
        (with_gazebo("<gazebo><static> 1 </static></gazebo>"), ["base"]),
        (with_gazebo("<gazebo><static>false</static></gazebo>"), []),
        (
            with_gazebo("<gazebo reference='arm'><static>true</static></gazebo>"),
            ["arm"],
        ),
        (with_gazebo("<gazebo reference='x'><static>true</static></gazebo>"), []),
        (with_gazebo("<mujoco><compiler fusestatic='true'/></mujoco>"), []),
    ],
)
def test_what_a_file_says_about_its_base(text, static):
    env = pyrave.load_string(text)
    assert static_links(env) == static
    if "prismatic" not in text and static != ["arm"]:
        way = fallen(env)
        assert way == pytest.approx(0.0 if static else 0.05, abs=0.006)


@pytest.mark.parametrize(
    ("kind", "child", "static"),
    [
        ("fixed", "base", ["base"]),
        ("planar", "base", []),
        ("floating", "base", []),
        ("fixed", "arm", ["arm"]),
    ],
)
def test_virtual_joints(tmp_path, kind, child, static):
    (tmp_path / "r.urdf").write_text(FREE)
    (tmp_path / "r.srdf").write_text(
        f"<robot name='r'><virtual_joint name='v' type='{kind}' parent_frame='odom' "
        f"child_link='{child}'/></robot>"
    )
    assert static_links(pyrave.load(tmp_path / "r.urdf")) == static


def test_a_root_without_mass_moves_where_the_srdf_says_so(tmp_path):
    (tmp_path / "r.urdf").write_text(on("foot", "prismatic"))
    assert static_links(pyrave.load(tmp_path / "r.urdf")) == ["foot"]
    (tmp_path / "r.srdf").write_text(
        "<robot name='r'><virtual_joint name='v' type='planar' parent_frame='odom' "
        "child_link='foot'/></robot>"
    )
    assert static_links(pyrave.load(tmp_path / "r.urdf")) == []


def test_fixed_bases_on_demand(tmp_path):
    env = pyrave.load_string(FREE, fixed_base=True)
    assert static_links(env) == ["base"]
    assert fallen(env) == 0.0
    robot = env.robots[0]
    robot.set_controller("TorqueController").set_desired([1.0])
    env.step(0.1)
    assert robot.dof_velocities[0] == pytest.approx(1.0, rel=0.01)  # 0.1 N m s
    openrave = (
        "<environment><robot name='r'><kinbody><body name='a'/><body name='b'/>"
        "<joint name='j'><body>a</body><body>b</body></joint></kinbody></robot>"
        "<kinbody name='k'><body name='a'/></kinbody></environment>"
    )
    env = pyrave.load_string(openrave, fixed_base=True)
    assert static_links(env) == ["a"]
    assert not env.bodies["k"].links[0].static
    env = pyrave.load_string(
        "<robot name='r'><link name='a'/></robot>", fixed_base=True
    )
    (problem,) = env.problems
    assert problem.code == "unused-argument"
    with pytest.raises(pyrave.ArgumentError, match="fixed_base is 1, expected True"):
        pyrave.load_string(FREE, fixed_base=1)


def codes(env):
    env.physics_engine = "mujoco"
    env.step(0.01)
    env.step(0.01)
    return [problem.code for problem in env.problems]


def test_the_first_step_names_what_nothing_holds():
    env = pyrave.load_string(FREE)
    assert codes(env) == ["free-base"]
    text = str(env.problems[0])
    assert "nothing holds the robot 'r': its base 'base' is free" in text
    assert "fixed_base=True" in text
    env = pyrave.load_string(FREE)
    env.gravity = (0, 0, 0)
    assert codes(env) == []
    assert codes(pyrave.load_string(FREE, fixed_base=True)) == []
    # an arm on the floor tips over
    env = pyrave.load_string(FREE)
    env.create_body(body_from_boxes("floor", [(0, 0, -1.05, 5, 5, 1)]))
    assert codes(env) == ["free-base"]


def test_feet_and_wheels_on_the_ground_hold_a_robot():
    foot = f"<link name='foot'>{INERTIAL}{BOX}</link>"
    leg = (
        "<joint name='leg' type='continuous'><parent link='base'/><child link='foot'/>"
        "<origin xyz='0 0 -0.3'/><axis xyz='0 1 0'/></joint>"
    )
    walker = FREE.replace("</robot>", f"{foot}{leg}</robot>")
    env = pyrave.load_string(walker)
    env.create_body(body_from_boxes("floor", [(0, 0, -1.37, 5, 5, 1)]))
    assert codes(env) == []
    env = pyrave.load_string(walker)
    env.create_body(body_from_boxes("floor", [(0, 0, -3, 5, 5, 1)]))
    assert codes(env) == ["free-base"]


@pytest.mark.parametrize("root", ["base", "world"])
def test_bases_come_back(tmp_path, root):
    text = FREE if root == "base" else on(root)
    env = pyrave.load_string(text, fixed_base=True)
    report = env.save(tmp_path / "plain.urdf")
    assert any("static" in str(one) for one in report) == (root == "base")
    report = env.save(tmp_path / "whole.urdf", srdf=True)
    assert not any("static" in str(one) for one in report)
    assert static_links(pyrave.load(tmp_path / "whole.urdf")) == [root]
    assert ("virtual_joint" in (tmp_path / "whole.srdf").read_text()) == (
        root == "base"
    )
    for name in ("r.robot.xml", "r.dae"):
        env.save(tmp_path / name, body="r")
        assert static_links(pyrave.load(tmp_path / name)) == [root]
