"""What Gazebo's blocks say of links and joints, and how it comes back."""

from __future__ import annotations

import dataclasses

import pytest

import pyrave
from pyrave.scene import LinkDynamics, same

INERTIAL = (
    "<inertial><mass value='1'/><inertia ixx='.1' ixy='0' ixz='0' iyy='.1' iyz='0' "
    "izz='.1'/></inertial>"
)


def robot(blocks="", inside="", kind="continuous"):
    return (
        f"<robot name='r'><link name='a'>{INERTIAL}</link><link name='b'>{INERTIAL}"
        f"</link><joint name='j' type='{kind}'><parent link='a'/><child link='b'/>"
        f"<axis xyz='0 0 1'/>{inside}</joint>{blocks}</robot>"
    )


def block(of, content):
    return f"<gazebo reference='{of}'>{content}</gazebo>"


@pytest.mark.parametrize(
    ("content", "gravity"),
    [
        ("<gravity>false</gravity>", False),
        ("<gravity>0</gravity>", False),
        ("<gravity>true</gravity>", True),
        ("<turnGravityOff>true</turnGravityOff>", False),
        ("<turnGravityOff value='true'/>", False),
        ("<turnGravityOff>false</turnGravityOff>", True),
        ("<gravity>false</gravity><gravity>true</gravity>", True),
    ],
)
def test_switches_of_gravity(content, gravity):
    env = pyrave.load_string(robot(block("b", content)))
    links = env.robots[0].links
    assert links["b"].dynamics.gravity is gravity
    assert links["a"].dynamics == LinkDynamics()


def test_damping_of_links():
    env = pyrave.load_string(robot(block("b", "<dampingFactor>0.25</dampingFactor>")))
    dynamics = env.robots[0].links["b"].dynamics
    assert (dynamics.linear_damping, dynamics.angular_damping) == (0.25, 0.25)


def test_springs_and_losses_of_joints():
    said = "<springStiffness>20</springStiffness><springReference>-.5</springReference>"
    inside = "<dynamics damping='0.3' friction='0.1'/>"
    env = pyrave.load_string(robot(block("j", said), inside))
    (axis,) = env.robots[0].joints["j"].description.axes
    assert (axis.damping, axis.friction) == (0.3, 0.1)
    assert (axis.stiffness, axis.rest) == (20.0, -0.5)
    many = pyrave.load_string(robot(inside=inside, kind="floating")).robots[0]
    axes = many.joints["j"].description.axes
    assert {(axis.damping, axis.friction) for axis in axes} == {(0.3, 0.1)}


@pytest.mark.parametrize(
    ("of", "content", "code", "text"),
    [
        ("b", "<gravity>perhaps</gravity>", "bad-boolean", "'perhaps', expected true"),
        ("b", "<dampingFactor>2</dampingFactor>", "bad-number", "from 0 to 1"),
        ("j", "<springStiffness>-1</springStiffness>", "bad-number", "from 0 to 1e"),
        ("j", "<springReference>x</springReference>", "bad-number", "'x', expected"),
    ],
)
def test_what_makes_no_sense_is_a_warning(of, content, code, text):
    env = pyrave.load_string(robot(block(of, content)))
    (problem,) = env.problems
    assert problem.code == code
    assert text in problem.message
    assert env.robots[0].links["b"].dynamics == LinkDynamics()


@pytest.mark.parametrize("name", ["damping", "friction"])
def test_losses_below_zero_are_errors(name):
    with pytest.raises(pyrave.SceneError, match=f"{name} of the joint 'j' is -1.0"):
        pyrave.load_string(robot(inside=f"<dynamics {name}='-1'/>"))


def edited(description):
    """Return a robot with other losses, springs and weights than its file has."""
    first, second = description.links
    (joint,) = description.joints
    axis = dataclasses.replace(
        joint.axes[0], damping=0.7, friction=0.2, stiffness=3.0, rest=0.25
    )
    dynamics = LinkDynamics(linear_damping=0.1, angular_damping=0.1, gravity=False)
    return dataclasses.replace(
        description,
        links=(first, dataclasses.replace(second, dynamics=dynamics)),
        joints=(dataclasses.replace(joint, axes=(axis,)),),
    )


@pytest.mark.parametrize("suffix", [".urdf", ".robot.xml", ".dae"])
@pytest.mark.parametrize(
    "blocks",
    [
        "",
        block("b", "<gravity>false</gravity><dampingFactor>0.1</dampingFactor>")
        + block("j", "<springStiffness>3</springStiffness>"),
        block("b", "<gravity>true</gravity><dampingFactor>1</dampingFactor>"),
    ],
)
def test_all_of_it_comes_back(tmp_path, blocks, suffix):
    env = pyrave.Environment()
    description = edited(pyrave.load_string(robot(blocks)).robots[0].describe())
    env.create_body(description)
    path = tmp_path / f"r{suffix}"
    assert not any("spring" in str(one) for one in env.save(path, body="r"))
    again = pyrave.load(path).robots[0].describe()
    assert same(again.joints[0].axes, description.joints[0].axes)
    assert [one.dynamics for one in again.links] == [
        one.dynamics for one in description.links
    ]


def test_what_a_file_says_is_written_once(tmp_path):
    text = robot(
        block("b", "<gravity>false</gravity>")
        + block("j", "<springStiffness>3</springStiffness>")
    )
    env = pyrave.load_string(text)
    env.save(tmp_path / "r.urdf")
    written = (tmp_path / "r.urdf").read_text()
    assert written.count("<gravity>") == written.count("<springStiffness>") == 1
    again = pyrave.load(tmp_path / "r.urdf").robots[0].describe()
    assert again == env.robots[0].describe()


def test_what_urdf_cannot_say_is_told(tmp_path):
    env = pyrave.load_string(robot())
    env.robots[0].links["b"].dynamics = LinkDynamics(linear_damping=0.1)
    found = [str(one) for one in env.save(tmp_path / "r.urdf")]
    assert any("damping and integrators of links" in one for one in found)


@pytest.mark.parametrize("suffix", [".urdf", ".robot.xml"])
def test_what_vendors_write_into_dynamics_comes_back(tmp_path, suffix):
    text = robot(inside="<dynamics D='1' damping='0.5' mu_coulomb='2'/>")
    env = pyrave.load_string(text)
    assert [problem.code for problem in env.problems] == ["unknown-attribute"] * 2
    env.save(tmp_path / f"between{suffix}", body="r")
    pyrave.convert(tmp_path / f"between{suffix}", tmp_path / "again.urdf")
    again = pyrave.load(tmp_path / "again.urdf").robots[0].describe()
    assert again.joints == env.robots[0].describe().joints
    assert 'damping="0.5" D="1"' in (tmp_path / "again.urdf").read_text()
