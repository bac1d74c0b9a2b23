"""Start values of robots of URDF, named states, and limits that URDF does not have."""

from __future__ import annotations

import gc
import logging

import numpy as np
import pytest

import pyrave
from pyrave.errors import ArgumentError, NotFoundError, ResourceError, SceneError


def joint(name, parent, child, limit, kind="revolute", more=""):
    return (
        f"<joint name='{name}' type='{kind}'><parent link='{parent}'/>"
        f"<child link='{child}'/><axis xyz='0 0 1'/>{limit}{more}</joint>"
    )


def limit(lower=-2.0, upper=2.0, velocity=2.0, **more):
    given = {"lower": lower, "upper": upper, "effort": 5, "velocity": velocity, **more}
    words = " ".join(f"{name}='{value}'" for name, value in given.items())
    return f"<limit {words}/>"


def robot_of(*joints, links="abcd"):
    return (
        "<robot name='r'>"
        + "".join(f"<link name='{name}'/>" for name in links[: len(joints) + 1])
        + "".join(joints)
        + "</robot>"
    )


# -- starts ----------------------------------------------------------------------------


def test_joints_start_at_the_limit_that_is_nearest_to_zero():
    text = robot_of(
        joint("up", "a", "b", limit(0.5, 2.0)),
        joint("down", "b", "c", limit(-1.0, -0.25), "prismatic"),
        joint("none", "c", "d", limit()),
    )
    env = pyrave.load_string(text, strict=True)
    (robot,) = env.robots
    assert robot.dof_values.tolist() == [0.5, -0.25, 0.0]
    (problem,) = env.problems
    assert (problem.code, problem.severity.value) == ("starts-outside", "note")
    assert "'up' at 0.5, 'down' at -0.25" in problem.message
    # forward kinematics of the values, by hand
    pose = robot.links["c"].transform
    assert pose[:3, 3] == pytest.approx([0.0, 0.0, -0.25])
    turned = [np.cos(0.5), -np.sin(0.5), np.sin(0.5), np.cos(0.5)]
    assert pose[:2, :2].ravel() == pytest.approx(turned)
    assert robot.plan([1.0, -0.5, 0.0])


def test_nothing_is_said_where_zero_is_inside():
    env = pyrave.load_string(robot_of(joint("j", "a", "b", limit())))
    assert env.problems == ()
    assert env.robots[0].description.dof_values is None


def test_followers_start_where_their_leaders_take_them():
    follows = "<mimic joint='up' multiplier='2' offset='0.1'/>"
    text = robot_of(
        joint("up", "a", "b", limit(0.5, 1.0)),
        joint("after", "b", "c", limit(), more=follows),
    )
    with pytest.warns(pyrave.SceneWarning):
        robot = pyrave.load_string(text).robots[0]
    # 0.5 rad of the leader, and twice as much and 0.1 of the other
    assert robot.links["c"].transform[0, 0] == pytest.approx(np.cos(0.5 + 1.1))


def test_what_is_written_starts_there_again(tmp_path):
    text = robot_of(joint("up", "a", "b", limit(0.5, 2.0)))
    with pytest.warns(pyrave.SceneWarning):
        env = pyrave.load_string(text)
    assert env.save(tmp_path / "again.urdf") == ()
    with pytest.warns(pyrave.SceneWarning):
        again = pyrave.load(tmp_path / "again.urdf")
    assert again.robots[0].dof_values.tolist() == [0.5]


# -- named states ----------------------------------------------------------------------

SRDF = """<robot name='r'><group name='arm'><joint name='j'/></group>
<group_state name='ready' group='arm'><joint name='j' value='0.7'/></group_state>
<group_state name='home' group='arm'><joint name='j' value='-0.2'/></group_state>
</robot>"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "r.urdf").write_text(robot_of(joint("j", "a", "b", limit())))
    (tmp_path / "r.srdf").write_text(SRDF)
    return tmp_path


def test_named_states_are_set_and_planned_to(folder):
    robot = pyrave.load(folder / "r.urdf").robots[0]
    robot.set_state("ready")
    assert robot.dof_values.tolist() == [0.7]
    result = robot.plan("home")
    assert result, result.cause
    assert result.path[-1].tolist() == [-0.2]
    kept = robot.get_state()
    robot.set_state("home")
    robot.set_state(kept)
    assert robot.dof_values.tolist() == [0.7]


def test_an_unknown_state_is_answered_with_the_known_ones(folder):
    robot = pyrave.load(folder / "r.urdf").robots[0]
    with pytest.raises(NotFoundError) as caught:
        robot.set_state("redy")
    assert "did you mean 'ready'?; known: ready, home" in str(caught.value)
    assert robot.dof_values.tolist() == [0.0]


# -- accelerations ---------------------------------------------------------------------


def test_full_speed_takes_half_a_second(caplog):
    text = robot_of(
        joint("slow", "a", "b", limit(velocity=1.5)),
        joint("slide", "b", "c", limit(velocity=300.0), "prismatic"),
        joint("any", "c", "d", limit(velocity=1000.0)),
    )
    with caplog.at_level(logging.INFO, "pyrave"):
        env = pyrave.load_string(text)
    assert env.robots[0].dof_acceleration_limits.tolist() == [3.0, 600.0, 50.0]
    (note,) = [one for one in caplog.messages if "acceleration" in one]
    assert "r: 3 joints without a limit of acceleration take 0.5 s" in note
    assert env.problems == ()


def test_a_limit_of_the_file_is_kept(caplog):
    text = robot_of(joint("j", "a", "b", limit(acceleration=7.0)))
    with caplog.at_level(logging.INFO, "pyrave"):
        robot = pyrave.load_string(text).robots[0]
    assert robot.dof_acceleration_limits.tolist() == [7.0]
    assert not [one for one in caplog.messages if "acceleration" in one]


def test_another_time_is_set_at_load():
    text = robot_of(joint("j", "a", "b", limit(velocity=2.0)))
    robot = pyrave.load_string(text, acceleration_time=0.1).robots[0]
    assert robot.dof_acceleration_limits.tolist() == [20.0]
    for wrong in (0.0, -1.0, np.nan, "soon"):
        with pytest.raises(ArgumentError, match="acceleration_time"):
            pyrave.load_string(text, acceleration_time=wrong)


def test_a_motion_takes_the_time_that_the_limits_ask_for():
    text = robot_of(joint("j", "a", "b", limit(velocity=2.175)))
    robot = pyrave.load_string(text).robots[0]
    found = robot.plan([0.9])
    # half of the way at 4.35 rad/s2, half of it slowing down
    assert found.trajectory.duration == pytest.approx(2.0 * np.sqrt(0.9 / 4.35), 1e-3)


def test_accelerations_are_written_where_they_are_others(tmp_path):
    text = robot_of(
        joint("usual", "a", "b", limit(velocity=2.0)),
        joint("own", "b", "c", limit(velocity=2.0, acceleration=7.0)),
    )
    env = pyrave.load_string(text)
    env.save(tmp_path / "w.urdf")
    assert (tmp_path / "w.urdf").read_text().count("acceleration=") == 1
    again = pyrave.load(tmp_path / "w.urdf").robots[0]
    assert again.dof_acceleration_limits.tolist() == [4.0, 7.0]


# -- joint_limits.yaml -----------------------------------------------------------------

LIMITS = """# as MoveIt's assistant writes them
default_velocity_scaling_factor: 0.1
default_acceleration_scaling_factor: 0.5
joint_limits:
  one:
    has_velocity_limits: true
    max_velocity: 3.0
    has_acceleration_limits: true
    max_acceleration: 3.75
  two:
    has_velocity_limits: true
    max_velocity: 1.5
    has_acceleration_limits: false
    max_acceleration: 0
    has_jerk_limits: true
    max_jerk: 90
    has_position_limits: true
    min_position: -0.5
    max_position: !degrees 90
"""
TWO = robot_of(joint("one", "a", "b", limit()), joint("two", "b", "c", limit()))


@pytest.fixture
def yaml():
    return pytest.importorskip("yaml")


def is_limited(robot):
    """Return whether a robot has the limits of the file."""
    return (
        np.allclose(robot.dof_velocity_limits, [0.3, 0.15])
        # that of the second is the speed of the file in half a second
        and np.allclose(robot.dof_acceleration_limits, [1.875, 1.5])
        and np.isclose(robot.limits.jerk[1], 90.0)
        and np.allclose(robot.dof_limits, [[-2, -0.5], [2, np.pi / 2]])
    )


@pytest.mark.usefixtures("yaml")
def test_limits_of_moveit_go_before_those_of_the_file(tmp_path):
    (tmp_path / "mine.yaml").write_text(LIMITS)
    env = pyrave.load_string(TWO, joint_limits=tmp_path / "mine.yaml")
    (robot,) = env.robots
    assert is_limited(robot)
    assert env.problems == ()
    axes = [one.axes[0] for one in robot.description.joints]
    assert [axis.hard_velocity_limit for axis in axes] == [3.0, 1.5]
    assert [axis.hard_acceleration_limit for axis in axes] == [3.75, 3.0]


@pytest.mark.usefixtures("yaml")
def test_limits_beside_an_srdf_are_read(tmp_path):
    config = tmp_path / "config"
    config.mkdir()
    (tmp_path / "r.urdf").write_text(TWO)
    (config / "joint_limits.yaml").write_text(LIMITS)
    assert not is_limited(pyrave.load(tmp_path / "r.urdf").robots[0])
    (config / "r.srdf").write_text("<robot name='r'/>")
    assert is_limited(pyrave.load(tmp_path / "r.urdf").robots[0])
    (tmp_path / "mine.yaml").write_text("joint_limits: {one: {max_velocity: 0.7}}")
    env = pyrave.load(tmp_path / "r.urdf", joint_limits=tmp_path / "mine.yaml")
    assert env.robots[0].dof_velocity_limits.tolist() == [0.7, 2.0]
    assert env.robots[0].dof_acceleration_limits.tolist() == [1.4, 4.0]


@pytest.mark.usefixtures("yaml")
def test_limits_are_for_robots_of_any_format(tmp_path):
    (tmp_path / "mine.yaml").write_text("joint_limits: {joint2: {max_velocity: 0.7}}")
    env = pyrave.load("robots/heron7.robot.xml", joint_limits=tmp_path / "mine.yaml")
    velocities = env.robots[0].dof_velocity_limits
    assert velocities[1] == 0.7
    assert (velocities[[0, 2]] != 0.7).all()


@pytest.mark.usefixtures("yaml")
def test_the_form_of_launch_files_is_read(tmp_path):
    inner = "joint_limits: {one: {max_velocity: 0.7}}"
    text = f"/**: {{ros__parameters: {{robot_description_planning: {{{inner}}}}}}}"
    (tmp_path / "mine.yaml").write_text(text)
    env = pyrave.load_string(TWO, joint_limits=tmp_path / "mine.yaml")
    assert env.robots[0].dof_velocity_limits.tolist() == [0.7, 2.0]


@pytest.mark.usefixtures("yaml")
def test_misspelt_names_are_told(tmp_path):
    (tmp_path / "mine.yaml").write_text(
        "joint_limits:\n  one:\n    max_velocty: 1\n  tow:\n    max_velocity: 1\n"
    )
    with pytest.warns(pyrave.SceneWarning):
        env = pyrave.load_string(TWO, joint_limits=tmp_path / "mine.yaml")
    said = [(one.code, one.line, one.hint) for one in env.problems]
    assert said == [
        ("unknown-key", 3, "did you mean 'max_velocity'?"),
        ("unknown-joint", 5, "did you mean 'two'?"),
    ]


@pytest.mark.usefixtures("yaml")
@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("joint_limits: {one: {max_velocity: -1}}", 1, "is -1, expected more than 0"),
        ("joint_limits:\n one:\n  max_jerk: fast", 3, "'fast', expected a number"),
        ("joint_limits:\n one:\n  has_jerk_limits: 7", 3, "expected true or false"),
        ("joint_limits: [1]", 1, "found a sequence, expected names and values"),
        ("joint_limits: {one: {min_position: 2, max_position: 1}}", 1, "above its"),
        ("default_velocity_scaling_factor: 3", 1, "expected a part of 1"),
        ("a: {", None, "no YAML"),
        ("[" * 5000, None, "no YAML"),
        ("", None, "expected joint_limits"),
    ],
)
def test_values_without_meaning_refuse_the_robot(tmp_path, text, line, said):
    (tmp_path / "mine.yaml").write_text(text)
    gc.collect()  # environments of other tests do not end where recursion is deepest
    with pytest.raises(SceneError) as caught:
        pyrave.load_string(TWO, joint_limits=tmp_path / "mine.yaml")
    problem = caught.value.first
    assert problem.code == "bad-joint-limits"
    assert said in problem.message
    assert line is None or problem.line == line


def test_a_file_of_limits_has_to_be_there(tmp_path):
    with pytest.raises(ResourceError):
        pyrave.load_string(TWO, joint_limits=tmp_path / "none.yaml")


def test_without_a_library_it_is_said(tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "yaml", None)
    (tmp_path / "mine.yaml").write_text(LIMITS)
    with pytest.raises(pyrave.errors.NotSupportedError, match=r"pyrave\[moveit\]"):
        pyrave.load_string(TWO, joint_limits=tmp_path / "mine.yaml")
    (tmp_path / "r.urdf").write_text(TWO)
    (tmp_path / "r.srdf").write_text("<robot name='r'/>")
    (tmp_path / "joint_limits.yaml").write_text(LIMITS)
    with pytest.warns(pyrave.SceneWarning):
        env = pyrave.load(tmp_path / "r.urdf")
    (problem,) = env.problems
    assert problem.code == "unread-joint-limits"
