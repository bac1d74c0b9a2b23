"""Names in sensors' settings under which nothing is found are told at loading."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from scene_files import scene_beside

import pyrave
from pyrave import SceneError, UnresolvedName
from pyrave_sensors.imu import BaseIMU

ROBOT = scene_beside(__file__, "sensor_references.robot.xml")
ENVIRONMENT = """<environment>
  <sensor type="{kind}" name="one">{tags}</sensor>
{more}
</environment>"""
EYES = "<instance_sensor url='#left_eye'/><instance_sensor url='#{0}'/>"
CAMERA = '<sensor type="BaseCamera" name="right_eye"/>'
OTHER = f"""<robot name="other"><kinbody><body name="b"/></kinbody>
  <attachedsensor name="right_eye"><link>b</link>{CAMERA}</attachedsensor></robot>"""


def problems(text):
    env = pyrave.Environment()
    env.load_string(text)
    return [one for one in env.problems if one.code == "unknown-reference"]


def carried(kind, tags):
    """The robot's file alone."""
    return ROBOT.format(kind=kind, tags=tags)


def standing(kind, tags, more=""):
    return ENVIRONMENT.format(kind=kind, tags=tags, more=more)


def within(robot, more=""):
    return f"<environment>\n{robot}\n{more}</environment>"


@pytest.mark.parametrize(
    ("kind", "tags", "what", "hint"),
    [
        (
            "BaseEncoder",
            "<joints>pan tilt</joints>",
            "unknown joint 'tilt'",
            "there are: pan",
        ),
        (
            "BaseActuator",
            "<joint>pann</joint>",
            "unknown joint 'pann', did you mean 'pan'?",
            "there are: pan",
        ),
        (
            "BaseOdometry",
            "<targetid>rover/mats</targetid>",
            "unknown body or link 'rover/mats', did you mean 'rover/mast'?",
            "there are: rover/base, rover/mast",
        ),
    ],
)
def test_what_the_robot_itself_must_have(kind, tags, what, hint):
    for text, line in ((carried(kind, tags), 10), (within(carried(kind, tags)), 11)):
        (problem,) = problems(text)
        assert problem.message == f"sensor 'one' of 'rover' refers to {what}"
        assert problem.hint == hint
        assert (problem.line, problem.column) == (line, 3)
        assert "attachedsensor" in problem.element


def test_cameras_of_a_stereo_camera_are_told_where_they_are_named():
    text = carried("StereoCamera", "\n" + EYES.format("left_ey"))
    (problem,) = problems(text)
    assert problem.message == (
        "sensor 'one' of 'rover' refers to unknown camera 'left_ey', did you mean "
        "'left_eye'?"
    )
    assert problem.hint == "there are: left_eye"
    line = text.splitlines()[problem.line - 1]
    assert line[problem.column - 1 :].startswith("<instance_sensor url='#left_ey'")


@pytest.mark.parametrize(
    ("kind", "tags", "name"),
    [
        ("StereoCamera", EYES.format("other:eye"), "other:eye"),
        ("BaseOdometry", "<targetid>table</targetid>", "table"),
        ("BaseOdometry", "<targetid>table/top</targetid>", "table/top"),
    ],
)
def test_what_a_larger_scene_may_have(kind, tags, name):
    alone = carried(kind, tags)
    pyrave.Environment().load_string(alone, strict=True)
    (problem,) = problems(within(alone))
    assert repr(name) in problem.message


@pytest.mark.parametrize(
    ("kind", "tags", "more"),
    [
        ("StereoCamera", EYES.format("right_eye"), CAMERA),
        (
            "StereoCamera",
            EYES.format("other:right_eye"),
            OTHER,
        ),
        (
            "BaseOdometry",
            "<targetid>table/top</targetid>",
            "<kinbody name='table'><body name='top'/></kinbody>",
        ),
        ("BaseOdometry", "<targetid>mast</targetid>", ""),
        ("BaseEncoder", "<joints>pan</joints>", ""),
        ("BaseActuator", "<joint>pan</joint>", ""),
    ],
)
def test_what_comes_later_in_the_file_is_found(kind, tags, more):
    pyrave.Environment().load_string(within(carried(kind, tags), more), strict=True)


def test_what_is_there_from_before_is_found():
    env = pyrave.Environment()
    text = "<environment><kinbody name='table'><body name='b'/></kinbody></environment>"
    env.load_string(text)
    text = standing("BaseOdometry", "<targetid>table</targetid>")
    env.load_string(text, strict=True)


@pytest.mark.parametrize(
    ("kind", "tags"),
    [("BaseEncoder", "<joints>pan</joints>"), ("BaseActuator", "<joint>pan</joint>")],
)
def test_joints_of_a_sensor_that_stands_alone(kind, tags):
    """Also where a robot has one of that name: the sensor is not on it."""
    robot = carried("BaseIMU", "")
    (problem,) = problems(standing(kind, tags, robot))
    assert problem.message == "sensor 'one' refers to unknown joint 'pan'"
    assert problem.hint.startswith("attach it to a robot")
    assert (problem.line, problem.column) == (2, 3)
    alone = f"<sensor type='{kind}' name='one'>{tags}</sensor>"
    assert not problems(alone), "a robot may include the file"


def test_what_is_there_and_no_camera():
    laser = '<sensor type="BaseLaser2D" name="left_eye"/>'
    (problem,) = problems(
        standing("StereoCamera", EYES.format("right_eye"), CAMERA + laser)
    )
    assert "refers to unknown camera 'left_eye'" in problem.message
    assert problem.hint == "there are: right_eye"


def test_very_many_names_are_not_told_one_by_one():
    names = " ".join(f"joint{k}" for k in range(5000))
    found = problems(carried("BaseEncoder", f"<joints>{names}</joints>"))
    assert len(found) == 21
    assert "4980 more unknown names" in found[-1].message


def test_they_refuse_a_strict_load_and_leave_nothing():
    env = pyrave.Environment()
    with pytest.raises(SceneError, match=r"unknown .* 'nowhere'"):
        env.load_string(
            standing("BaseOdometry", "<targetid>nowhere</targetid>"), strict=True
        )
    assert not env.sensors


@pytest.mark.slow
def test_check_tells_them_with_their_place(tmp_path):
    path = tmp_path / "rover.env.xml"
    tags = "<targetid>rovr</targetid>"
    path.write_text(within(carried("BaseOdometry", tags)))
    done = subprocess.run(
        [sys.executable, "-m", "pyrave", "check", "--json", str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    (problem,) = json.loads(done.stdout)["files"][0]["problems"]
    assert problem["code"] == "unknown-reference"
    assert (problem["line"], problem["column"]) == (11, 3)
    assert "did you mean 'rover'?" in problem["message"]


class Follower(BaseIMU):
    """A sensor of somebody else that follows a body."""

    answer: object = ()

    def unresolved_names(self):
        return self.answer


@pytest.mark.parametrize(
    ("answer", "code", "message"),
    [
        ([UnresolvedName("beacon", "b7", ("b1",))], "unknown-reference", "beacon 'b7'"),
        (["b7"], "plugin-failure", "gave a str, expected UnresolvedName"),
        (None, "plugin-failure", "unresolved_names"),
    ],
)
def test_sensors_of_others(answer, code, message):
    env = pyrave.Environment()
    kind = type("Follower", (Follower,), {"answer": answer})
    env.register("sensor", "Follower", kind)
    env.load_string(standing("Follower", ""))
    (problem,) = env.problems
    assert problem.code == code
    assert message in problem.message
    assert problem.line == 2
    assert "one" in env.sensors
