"""Manipulators, joint values and configurations that scripts give by name."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scene_files import scene_beside

import pyrave
from pyrave.scene import BodyDescription, JointAxis, JointDescription, LinkDescription

ARM = scene_beside(__file__, "arms_in_words.urdf")


@pytest.fixture
def robot():
    env = pyrave.load_string(ARM)
    return env.robots["arm"]


def copies(env):
    return env.clone(), pickle.loads(pickle.dumps(env))  # noqa: S301 - our own


# -- manipulators ----------------------------------------------------------------------


def test_leaf_links_begin_with_the_likely_tip(robot):
    assert [link.name for link in robot.structure.leaf_links] == [
        "tcp",
        "left",
        "right",
    ]


@pytest.mark.parametrize(
    "ask",
    [
        lambda robot: robot.active_manipulator,
        lambda robot: robot.manipulators["arm"],
        lambda robot: robot.manipulators[0],
        lambda robot: robot.plan(np.eye(4)),
    ],
)
def test_a_robot_without_manipulator_says_how_to_add_one(robot, ask):
    with pytest.raises(pyrave.Error) as caught:
        ask(robot)
    text = str(caught.value)
    assert "robot.add_manipulator('arm', base='base', tip='tcp')" in text
    assert "leaf links: tcp, left, right" in text


def test_a_manipulator_in_words(robot):
    arm = robot.add_manipulator("arm", tip="tcp", gripper_joints="finger")
    assert robot.active_manipulator is arm
    assert (arm.base.name, arm.end_effector.name) == ("base", "tcp")
    assert arm.arm_indices.tolist() == [0, 1]
    assert arm.gripper_indices.tolist() == [2]
    np.testing.assert_array_equal(arm.local_tool_transform, np.eye(4))
    robot.dof_values = (0.3, 0.5, 0.0)
    expected = 0.5 * np.cos(0.3) + 0.4 * np.cos(0.8)
    assert arm.transform[0, 3] == pytest.approx(expected)


def test_links_joints_and_poses_are_taken_in_all_forms(robot):
    one = robot.add_manipulator(
        "arm",
        base=robot.links["l1"],
        tip=robot.links["hand"],
        tool=(1, 0, 0, 0, 0.4, 0, 0),
        direction=(0, 0, 2),
        gripper_joints=[robot.joints["finger"]],
    )
    np.testing.assert_array_equal(one.transform, robot.links["tcp"].transform)
    np.testing.assert_array_equal(one.direction, (0, 0, 1))
    other = robot.add_manipulator("arm", base="base", tip="tcp")
    assert list(robot.manipulators) == [other]
    for more in ({"tip": "hand"}, {"direction": (1, 0, 0)}, {"gripper_joints": []}):
        with pytest.raises(pyrave.ArgumentError, match="give a name with these"):
            robot.add_manipulator(other.description, **more)


@pytest.mark.parametrize(
    ("error", "text", "given"),
    [
        (pyrave.NotFoundError, "did you mean 'tcp'", {"tip": "tpc"}),
        (pyrave.ArgumentError, "leaf links: tcp, left", {}),
        (pyrave.ArgumentError, "found|expected a link of", {"tip": 3}),
        (pyrave.ArgumentError, "no joint moves", {"base": "hand", "tip": "tcp"}),
        (pyrave.ArgumentError, "without blanks", {"name": "my arm", "tip": "tcp"}),
        (pyrave.ArgumentError, "not a pose", {"tip": "tcp", "tool": "up"}),
        (pyrave.ArgumentError, "a direction", {"tip": "tcp", "direction": (0, 0, 0)}),
        (pyrave.NotFoundError, "'fingr'", {"tip": "tcp", "gripper_joints": ["fingr"]}),
        (pyrave.ArgumentError, "joints is 3", {"tip": "tcp", "gripper_joints": 3}),
        (pyrave.ArgumentError, "or their names", {"tip": "tcp", "gripper_joints": [3]}),
        (pyrave.ArgumentError, "ManipulatorDescription", {"name": None, "tip": "tcp"}),
    ],
)
def test_wrong_words_change_nothing(robot, error, text, given):
    with pytest.raises(error, match=text):
        robot.add_manipulator(given.pop("name", "arm"), **given)
    assert not robot.manipulators


def test_a_description_takes_no_more_words(robot):
    arm = robot.add_manipulator("arm", tip="tcp").description
    with pytest.raises(pyrave.ArgumentError, match="description"):
        robot.add_manipulator(arm, tip="tcp")


def test_a_link_of_another_robot_is_refused(robot):
    other = pyrave.load_string(ARM).robots[0]
    with pytest.raises(pyrave.ArgumentError, match="expected a link of"):
        robot.add_manipulator("arm", tip=other.links["tcp"])


# -- joint values ----------------------------------------------------------------------


def test_joints_by_name(robot):
    robot.set_joints({"j2": 0.5, "finger": 0.02})
    assert robot.joint_dict() == {"j1": 0.0, "j2": 0.5, "finger": 0.02}
    assert robot.links["right"].transform[1, 3] == pytest.approx(
        robot.links["hand"].transform[1, 3] - 0.02 * np.cos(0.5)
    )
    np.testing.assert_array_equal(robot.values_with({"j1": 1}), (1, 0.5, 0.02))
    assert robot.joint_dict()["j1"] == 0.0
    robot.set_joints({})
    with pytest.raises(pyrave.ArgumentError, match="limit"):
        robot.set_joints({"j1": 3.0}, limits=pyrave.LimitCheck.RAISE)


def test_joints_of_several_axes():
    env = pyrave.Environment()
    axes = (JointAxis((1.0, 0.0, 0.0)), JointAxis((0.0, 1.0, 0.0)))
    body = env.create_body(
        BodyDescription(
            "b",
            (LinkDescription("a"), LinkDescription("b")),
            (JointDescription("u", "universal", "a", "b", axes=axes),),
        )
    )
    body.set_joints({"u": (0.1, 0.2)})
    assert body.joint_dict() == {"u": (0.1, 0.2)}
    with pytest.raises(pyrave.ArgumentError, match=r"0\.3, expected 2 values"):
        body.set_joints({"u": 0.3})


@pytest.mark.parametrize(
    ("error", "text", "joints"),
    [
        (pyrave.NotFoundError, "did you mean 'j1'", {"j2": 1, "j11": 1}),
        (pyrave.NotFoundError, "no degrees of freedom of its own", {"other": 0.01}),
        (pyrave.NotFoundError, "no joint 1", {1: 0.1}),
        (pyrave.ArgumentError, "expected one value", {"j2": 1, "j1": (1, 2)}),
        (pyrave.ArgumentError, "of joint 'j1' is not", {"j2": 1, "j1": "far"}),
        (pyrave.ArgumentError, "of joint 'j1'", {"j2": 1, "j1": float("nan")}),
        (pyrave.ArgumentError, "expected names and values", [0.1, 0.2, 0.3]),
    ],
)
def test_wrong_joint_values_move_nothing(robot, error, text, joints):
    with pytest.raises(error, match=text):
        robot.set_joints(joints)
    assert not robot.dof_values.any()


# -- configurations --------------------------------------------------------------------


def test_configurations(robot):
    assert not robot.configurations
    robot.configurations.add("bent", {"j2": 1.5})
    robot.set_joints({"j1": -1})
    robot.configurations.add("now")
    assert list(robot.configurations) == ["bent", "now"]
    assert robot.configurations["bent"] == {"j2": 1.5}
    assert robot.configurations["now"] == robot.joint_dict()
    robot.set_joints(robot.configurations["bent"])
    np.testing.assert_array_equal(robot.dof_values, (-1, 1.5, 0))
    robot.configurations.add("bent", {"j2": 1})
    assert robot.configurations["bent"] == {"j2": 1}
    robot.configurations.remove("bent")
    assert "bent" not in robot.configurations
    with pytest.raises(pyrave.NotFoundError, match="'noww', did you mean 'now'"):
        robot.configurations["noww"]
    with pytest.raises(pyrave.NotFoundError):
        robot.configurations.remove("bent")
    with pytest.raises(pyrave.NotFoundError):
        robot.configurations.add("far", {"j9": 1})
    with pytest.raises(pyrave.ArgumentError):
        robot.configurations.add("")
    assert repr(robot.configurations) == "<1 configuration: now>"


@pytest.mark.parametrize("suffix", ["robot.xml", "env.xml", "dae", "urdf"])
def test_what_was_added_is_in_copies_and_files(robot, suffix, tmp_path):
    arm = robot.add_manipulator("arm", tip="hand", gripper_joints=["finger"])
    robot.configurations.add("home", {"j1": 0.5, "finger": 0.01})
    env = robot.env
    path = tmp_path / f"saved.{suffix}"
    env.save(path, srdf=True) if suffix == "urdf" else env.save(path)
    for copy in (*copies(env), pyrave.load(path)):
        found = copy.robots["arm"]
        assert [one.description for one in found.manipulators] == [arm.description]
        assert found.configurations == robot.configurations


def test_a_robot_of_a_plain_body_keeps_what_is_added():
    env = pyrave.Environment()
    robot = env.create("robot", "")
    links = tuple(LinkDescription(name) for name in ("base", "arm"))
    hinge = JointDescription(
        "j", "hinge", "base", "arm", axes=(JointAxis((0.0, 0.0, 1.0)),)
    )
    robot.init(BodyDescription("r", links, (hinge,)))
    env.add(robot)
    robot.add_manipulator("arm", tip="arm")
    robot.configurations.add("home", {"j": 1})
    for copy in copies(env):
        assert copy.robots["r"].manipulators.names == ("arm",)
        assert copy.robots["r"].configurations["home"] == {"j": 1.0}


def test_configurations_of_unknown_joints_are_refused():
    text = """<environment><robot name="r"><kinbody><body name="a"/></kinbody>
    <pyrave><set name="configurations">[{"type": "ConfigurationDescription",
    "name": "home", "values": [["j9", [1.0]]]}]</set></pyrave></robot></environment>"""
    with pytest.raises(pyrave.SceneError, match=r"configuration 'home'.*'j9'"):
        pyrave.load_string(text)


@pytest.mark.parametrize("suffix", ["wc.xml", "dwc.xml", "urdf"])
def test_a_format_without_configurations_says_so(robot, suffix, tmp_path):
    robot.configurations.add("home")
    losses = robot.env.save(tmp_path / f"arm.{suffix}")
    said = [loss for loss in losses if "configurations are not written" in loss]
    assert len(said) == 1
    assert "'home'" in said[0]
    assert "Dynamic" not in said[0]
