"""Connected bodies of robots, and descriptions of grippers."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

import pyrave
from pyrave.errors import (
    ArgumentError,
    NameConflictError,
    NotFoundError,
    SceneError,
    StateError,
)
from pyrave.scene import GripperDescription, ManipulatorDescription, Pose
from pyrave.spatial import pose_from_rpy

TOOL = """<robot name="tool"><kinbody>
<body name="mount"><mass type="custom"><total>2</total></mass></body>
<body name="finger"><translation>0 0 0.1</translation>
<geom type="box"><extents>.01 .01 .05</extents></geom></body>
<joint name="close" type="slider"><body>mount</body><body>finger</body>
<axis>0 0 1</axis><limits>0 0.1</limits></joint></kinbody>
<manipulator name="grip"><base>mount</base><effector>finger</effector></manipulator>
<attachedsensor name="eye"><link>finger</link><sensor type="BaseLaser2D"/>
</attachedsensor></robot>"""
PLACE = pose_from_rpy((0.1, 0.2, 0.3), (0.1, 0.0, 0.2))


@pytest.fixture
def tool():
    (body,) = pyrave.load_string(TOOL).describe().bodies
    return body


@pytest.fixture
def robot():
    env = pyrave.load("robots/planar3r.robot.xml")
    robot = env.robots[0]
    robot.dof_values = (0.3, 0.4, 0.5)
    robot.transform = pose_from_rpy((0, 0, 1), (1, 2, 3))
    env.remove(robot)
    return robot


def names(robot):
    return (
        robot.links.names,
        [joint.name for joint in robot.all_joints],
        [one.name for one in robot.manipulators],
        [one.name for one in robot.attached_sensors],
        robot.dof,
    )


def test_it_is_connected_where_its_base_is(robot, tool):
    between = tool.links[1].pose.matrix
    away = Pose.from_axis_angle((1, 2, 3), 0.7, (0.3, 0.0, -0.2))
    links = tuple(replace(link, pose=away @ link.pose) for link in tool.links)
    end = robot.links[-1].name
    made = robot.connected_bodies.add("gripper", replace(tool, links=links), end, PLACE)
    base, finger = (link.transform for link in made.links)
    np.testing.assert_allclose(base, robot.links[end].transform @ PLACE, atol=1e-12)
    np.testing.assert_allclose(finger, base @ between, atol=1e-12)
    # and so are the links that its description has
    rest = {link.name: link.pose.matrix for link in robot.description.links}
    np.testing.assert_allclose(rest["mount"], rest[end] @ PLACE, atol=1e-12)
    np.testing.assert_allclose(rest["finger"], rest["mount"] @ between, atol=1e-12)


def test_parts_of_an_active_body_are_the_robots(robot, tool):
    before, mass = names(robot), robot.mass
    end = robot.links[-1]
    pose = robot.transform
    made = robot.connected_bodies.add("gripper", tool, end, PLACE)
    assert made.active
    assert robot.dof == before[-1] + 1
    assert robot.mass == pytest.approx(
        mass + sum(link.inertial.mass for link in tool.links)
    )
    assert [one.name for one in made.links] == ["mount", "finger"]
    assert [one.name for one in made.joints] == ["close"]
    assert [one.name for one in made.manipulators] == ["grip"]
    assert [one.name for one in made.attached_sensors] == ["eye"]
    assert made.attached_sensors[0].sensor.interface_id == "BaseLaser2D"
    assert np.allclose(robot.transform, pose)
    assert robot.dof_values.tolist() == [0.3, 0.4, 0.5, 0.0]
    place = robot.links[end.name].transform @ PLACE
    assert np.allclose(made.transform, place)
    assert np.allclose(robot.links["mount"].transform, place)
    robot.set_joints({"close": 0.05})
    moved = place.copy()
    moved[:3, 3] += 0.15 * place[:3, 2]
    assert np.allclose(robot.links["finger"].transform, moved)
    made.active = False
    assert names(robot) == before
    assert robot.dof_values.tolist() == [0.3, 0.4, 0.5]
    assert np.allclose(robot.transform, pose)
    assert made.links == made.joints == made.manipulators == ()
    made.active = True
    assert robot.dof == before[-1] + 1
    robot.connected_bodies.remove("gripper")
    assert names(robot) == before
    assert len(robot.connected_bodies) == 0


def test_tools_are_swapped(robot, tool):
    other = pyrave.load_string(TOOL, prefix="other_").describe().bodies[0]
    end = robot.links[-1].name
    robot.connected_bodies.add("one", tool, end)
    robot.connected_bodies.add("two", other, end, active=False)
    assert list(robot.connected_bodies) == ["one", "two"]
    assert "other_mount" not in robot.links
    robot.connected_bodies["one"].active = False
    robot.connected_bodies["two"].active = True
    assert "mount" not in robot.links
    assert "other_mount" in robot.links
    robot.connected_bodies["one"].active = True
    robot.set_joints({"close": 0.1, "other_close": 0.07})
    robot.connected_bodies["two"].active = False
    assert robot.joint_dict()["close"] == 0.1


def test_what_stays_is_kept(robot, tool):
    arm = robot.manipulators[0]
    arm.ik_solver = "Numerical"
    sensor = robot.add_sensor("laser", "BaseLaser2D", link=robot.links[0]).sensor
    robot.active_manipulator = arm.name
    robot.connected_bodies.add("gripper", tool, robot.links[-1])
    assert robot.attached_sensors["laser"].sensor is sensor
    assert robot.manipulators[arm.name].own_ik_solver.interface_id == "Numerical"
    assert robot.active_manipulator.name == arm.name


def test_clones_and_files_have_them(robot, tool, tmp_path):
    robot.connected_bodies.add("gripper", tool, robot.links[-1], PLACE)
    robot.grippers.add(GripperDescription("hand", "two", ("close",), '{"width": 1}'))
    env = robot.env
    env.add(robot)
    robot.set_joints({"close": 0.05})
    assert env.save(tmp_path / "saved.env.xml") == ()
    env.save(tmp_path / "saved.dae")
    others = [
        env.clone(),
        pickle.loads(pickle.dumps(env)),  # noqa: S301
        pyrave.load(tmp_path / "saved.env.xml", strict=True),
        pyrave.load(tmp_path / "saved.dae"),
    ]
    for other in others:
        found = other.robots[0]
        assert names(found) == names(robot)
        assert np.allclose(found.link_transforms, robot.link_transforms)
        assert found.grippers["hand"] == robot.grippers["hand"]
        other.remove(found)
        found.connected_bodies["gripper"].active = False
        assert found.dof == 3


def test_prefixes_are_before_names_of_their_parts_too(robot, tool, tmp_path):
    robot.connected_bodies.add("gripper", tool, robot.links[-1], PLACE)
    robot.grippers.add(GripperDescription("hand", "two", ("close",)))
    robot.env.add(robot)
    robot.env.save(tmp_path / "saved.env.xml")
    env = pyrave.load(tmp_path / "saved.env.xml", prefix="left_", strict=True)
    found = env.robots[0]
    env.remove(found)
    assert found.grippers["hand"].joints == ("left_close",)
    made = found.connected_bodies["left_gripper"]
    assert [one.name for one in made.links] == ["left_mount", "left_finger"]
    made.active = False
    assert found.links.names == tuple(f"left_{one}" for one in robot.links.names[:-2])
    made.active = True
    assert np.allclose(found.link_transforms, robot.link_transforms)


def test_a_robot_in_an_environment_stays_as_it_is(robot, tool):
    robot.connected_bodies.add("gripper", tool, robot.links[-1], active=False)
    robot.env.add(robot)
    with pytest.raises(StateError, match="remove it before its connected bodies"):
        robot.connected_bodies["gripper"].active = True
    with pytest.raises(StateError, match="remove it before its connected bodies"):
        robot.connected_bodies.add("other", tool, robot.links[-1])


def test_manipulators_of_the_robot_on_the_body_keep_it_on(robot, tool):
    robot.connected_bodies.add("gripper", tool, robot.links[-1])
    robot.add_manipulator(ManipulatorDescription("own", robot.links[0].name, "finger"))
    before = names(robot)
    with pytest.raises(SceneError, match=r"'own' .* names the link 'finger'"):
        robot.connected_bodies["gripper"].active = False
    assert names(robot) == before
    assert robot.connected_bodies["gripper"].active


def test_wrong_bodies_are_refused(robot, tool):
    end = robot.links[-1]
    robot.connected_bodies.add("gripper", tool, end, active=False)
    for arguments, error, message in (
        (("gripper", tool, end), NameConflictError, "has a connected body 'gripper'"),
        (("g", tool, "no"), NotFoundError, "no link 'no'"),
        (("", tool, end), ArgumentError, "name of a connected body is ''"),
        (("g", 3, end), ArgumentError, "BodyDescription"),
        (("g", tool, end, [1, 2]), ArgumentError, "pose"),
    ):
        with pytest.raises(error, match=message):
            robot.connected_bodies.add(*arguments)
    same = robot.describe()
    with pytest.raises(SceneError, match="link"):
        robot.connected_bodies.add("same", same, end)
    assert robot.dof == 3
    with pytest.raises(ArgumentError, match="active is 1, expected True or False"):
        robot.connected_bodies["gripper"].active = 1
    with pytest.raises(NotFoundError, match="did you mean 'gripper'"):
        robot.connected_bodies["griper"]
    gone = robot.connected_bodies["gripper"]
    robot.connected_bodies.remove("gripper")
    with pytest.raises(StateError, match="has no connected body 'gripper'"):
        _ = gone.active


def test_grippers_are_data(robot):
    robot.grippers.add(GripperDescription("hand", joints=(robot.joints[2].name,)))
    robot.grippers.add(GripperDescription("hand", "other"))
    assert robot.grippers["hand"].kind == "other"
    for wrong, error, message in (
        (GripperDescription(""), ArgumentError, "a gripper has no name"),
        (GripperDescription("a", joints=("x",)), NotFoundError, "no joint 'x'"),
        (GripperDescription("a", data="{"), ArgumentError, "are no JSON"),
    ):
        with pytest.raises(error, match=message):
            robot.grippers.add(wrong)
    robot.grippers.remove("hand")
    assert robot.description.grippers == ()
    with pytest.raises(NotFoundError, match="gripper"):
        robot.grippers.remove("hand")
