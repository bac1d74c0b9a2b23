"""Files of other formats inside OpenRAVE XML: meshes as bodies, robots as parts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import pyrave
from pyrave.formats.new_names import renamed
from pyrave.scene import (
    AttachedSensorDescription,
    BodyDescription,
    FrameDescription,
    Inertial,
    JointAxis,
    JointDescription,
    LinkDescription,
    ManipulatorDescription,
    Pose,
    RobotDescription,
    SceneDescription,
)

MESH = (
    "solid s\nfacet normal 0 0 1\nouter loop\n"
    "vertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid s\n"
)
HAND = RobotDescription(
    "hand",
    links=(
        LinkDescription("palm", inertial=Inertial(0.1)),
        LinkDescription("finger", Pose.from_translation(0.0, 0.0, 1.0)),
    ),
    joints=(
        JointDescription(
            "bend",
            "hinge",
            "palm",
            "finger",
            Pose.from_translation(0.0, 0.0, 1.0),
            Pose(),
            (JointAxis((1.0, 0.0, 0.0)),),
        ),
    ),
    pose=Pose.from_translation(0.0, 1.0, 0.0),
    adjacent=frozenset({("finger", "palm")}),
    manipulators=(
        ManipulatorDescription("grip", "palm", "palm", gripper_joints=("bend",)),
    ),
    attached_sensors=(AttachedSensorDescription("eye", "palm"),),
)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "my cup.stl").write_text(MESH)
    (tmp_path / "hand.dae").write_text("<COLLADA/>")
    return tmp_path


def env_of(text, folder):
    return pyrave.load_string(text, resource_roots=[folder])


@pytest.mark.parametrize("kind", ["kinbody", "robot"])
def test_a_mesh_file_is_a_body_of_one_link(folder, kind):
    text = (
        f"<environment><{kind} file='my cup.stl' scalegeometry='2'>"
        f"<translation>0 0 3</translation></{kind}></environment>"
    )
    env = env_of(text, folder)
    body = env.bodies[0]
    assert (body.name, len(body.links)) == ("my_cup", 1)
    (geometry,) = body.links[0].geometries
    np.testing.assert_allclose(geometry.mesh.vertices.max(axis=0), (2, 2, 0))
    # the scale is that of the element, so of its translation too
    np.testing.assert_allclose(body.transform[:3, 3], (0, 0, 6))


def test_a_mesh_file_is_a_part_of_a_robot_and_is_written_back(folder):
    text = (
        "<robot name='r'><kinbody><body name='o'/></kinbody>"
        "<kinbody file='my cup.stl' prefix='c_'/><kinbody>"
        "<joint name='g' enable='false'><body>o</body><body>c_base</body>"
        "<limits>0 0</limits></joint></kinbody></robot>"
    )
    env = env_of(text, folder)
    assert [link.name for link in env.robots["r"].links] == ["o", "c_base"]
    env.save(folder / "again.robot.xml")
    other = pyrave.load(folder / "again.robot.xml")
    again = other.robots["r"]
    assert [link.name for link in again.links] == ["o", "c_base"]
    assert len(again.links[1].geometries[0].mesh.faces) == 1


def read_hand(path, scale, skip):
    return SceneDescription(bodies=(HAND,), uri=path)


def test_a_robot_of_another_format_is_joined(read, folder):
    text = (
        "<robot name='r'><kinbody><body name='arm'/></kinbody>"
        "<robot file='hand.dae' prefix='l_'><translation>0 0 2</translation></robot>"
        "<kinbody><body name='l_palm'><offsetfrom>arm</offsetfrom></body>"
        "<joint name='g' enable='false'><body>arm</body><body>l_palm</body>"
        "<limits>0 0</limits></joint></kinbody></robot>"
    )
    robot = read(text, folder, read_other=read_hand).bodies[0]
    assert [link.name for link in robot.links] == ["arm", "l_palm", "l_finger"]
    assert [joint.name for joint in robot.joints] == ["l_bend", "g"]
    assert robot.links[1].inertial.mass == 0.1
    assert robot.links[2].pose.translation == (0, 1, 3)
    assert robot.adjacent == {("l_finger", "l_palm")}
    (manipulator,) = robot.manipulators
    assert (manipulator.name, manipulator.base) == ("l_grip", "l_palm")
    assert manipulator.gripper_joints == ("l_bend",)
    (sensor,) = robot.attached_sensors
    assert (sensor.name, sensor.link) == ("l_eye", "l_palm")


def bent(lower, upper, values=None):
    """Return what reads a hand whose finger has limits and, perhaps, a value."""
    (joint,) = HAND.joints
    axis = JointAxis((1.0, 0.0, 0.0), lower=lower, upper=upper)
    joints = (replace(joint, axes=(axis,)),)
    hand = replace(HAND, joints=joints, dof_values=values)
    return lambda path, scale, skip: SceneDescription(bodies=(hand,), uri=path)


@pytest.mark.parametrize(
    ("lower", "upper", "values"),
    [(-1.0, 1.0, None), (0.2, 1.0, (0.2,)), (-1.0, -0.3, (-0.3,))],
)
def test_joints_of_a_joined_robot_start_next_to_zero(
    read, folder, lower, upper, values
):
    text = "<robot file='hand.dae'/>"
    other = bent(lower, upper, values=(0.7,))
    assert read(text, folder, read_other=other).bodies[0].dof_values == values
    given = "<robot file='hand.dae'><jointvalues>0.5</jointvalues></robot>"
    other = bent(0.0, upper=1.0)
    assert read(given, folder, read_other=other).bodies[0].dof_values == (0.5,)


def test_prefixed_arms_stand_before_those_of_earlier_files(read, folder):
    one, two = (f"<robot file='hand.dae' prefix='{x}'/>" for x in ("a_", "b_"))
    (robot,) = read(f"<robot>{one}{two}</robot>", folder, read_other=read_hand).bodies
    assert [arm.name for arm in robot.manipulators] == ["b_grip", "a_grip"]
    assert [sensor.name for sensor in robot.attached_sensors] == ["b_eye", "a_eye"]


@pytest.mark.parametrize("nested", [False, True])
def test_a_prefix_names_what_load_names_with_one(read, folder, nested):
    hand = replace(
        HAND,
        frames=(FrameDescription("grasp", "finger"), FrameDescription("wrist")),
    )

    def read_other(path, *_):
        return SceneDescription(bodies=(hand,), uri=path)

    inner = "<robot file='hand.dae' prefix='l_'/>"
    if nested:
        inner = "<robot prefix='l_'><robot file='hand.dae'/></robot>"
    (joined,) = read(f"<robot>{inner}</robot>", folder, read_other=read_other).bodies
    loaded = renamed(SceneDescription(bodies=(hand,)), prefix="l_").bodies[0]
    assert [(one.name, one.link) for one in joined.frames] == [
        ("l_grasp", "l_finger"),
        ("l_wrist", "l_palm"),
    ]
    assert [one.name for one in loaded.frames] == ["l_grasp", "l_wrist"]
    for parts in ("links", "joints", "manipulators", "attached_sensors"):
        names = [one.name for one in getattr(joined, parts)]
        assert names == [one.name for one in getattr(loaded, parts)]


def test_a_joined_file_is_a_part_of_the_body(read, folder):
    text = "<robot><robot file='hand.dae' prefix='l_'/></robot>"
    robot = read(text, folder, read_other=read_hand).bodies[0]
    (part,) = robot.composition.parts
    assert (part.file, part.prefix) == ("hand.dae", "l_")
    assert part.links == ("l_palm", "l_finger")
    assert (part.joints, part.manipulators) == (("l_bend",), ("l_grip",))


def test_a_kinbody_takes_no_manipulators(read, folder):
    text = "<environment><kinbody name='k' file='hand.dae'/></environment>"
    body = read(text, folder, read_other=read_hand).bodies[0]
    assert type(body) is BodyDescription
    assert (body.name, body.pose.translation) == ("k", (0, 1, 0))


def test_what_cannot_be_joined_is_told_once(refuse, folder):
    text = "<environment>\n<robot name='r' file='hand.dae'/></environment>"

    def two(path, scale, skip):
        return SceneDescription(bodies=(HAND, HAND), uri=path)

    def broken(path, scale, skip):
        raise pyrave.SceneError("it is broken")

    (problem,) = refuse(text, folder, read_other=two)
    assert (problem.code, problem.line) == ("wrong-root", 2)
    assert "2 bodies" in problem.message
    (problem,) = refuse(text, folder, read_other=broken)
    assert problem.message == "it is broken"
    (problem,) = refuse(text, folder, read_other=lambda path, scale, skip: None)
    assert (problem.code, problem.line) == ("no-reader", 2)
