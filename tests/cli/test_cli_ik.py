"""``pyrave ik``: what it says, as text and as JSON, and what it refuses."""

from __future__ import annotations

import struct
import sys

import numpy as np
import pytest
from scene_files import scene_beside

import pyrave as package


def test_it_explains_a_shipped_arm(pyrave):
    said = pyrave("ik", "puma560")
    assert said.code == 0
    assert "joint2 and joint3 are parallel" in said.out
    assert "joint1 and joint3" not in said.out  # neighbours only
    assert "decomposition: wrist, because joint4, joint5, joint6 turn" in said.out


def test_nothing_given_lists_the_arms_that_ship(pyrave):
    said = pyrave("ik")
    assert said.code == 2
    assert "which arm? Give a scene or robot file, or one of the arms" in said.err
    assert "puma560, stanford, ur10" in said.err


def test_a_file_and_a_manipulator_by_name(pyrave, environments):
    path = environments / "robots" / "heron7.robot.xml"
    said = pyrave("ik", path, "--manipulator", "arm", "--explain", "--json")
    assert said.code == 0
    data = said.data
    assert data["schema"] == "pyrave-ik/1"
    assert data["robot"] == "heron7"
    told = data["explanation"]
    assert told["type"] == "Transform6D"
    assert len(told["axes"]) == 7
    assert len(told["free"]) == 1
    assert len(told["loop"]) == 6


def test_statistics_are_those_of_the_calls(pyrave):
    words = ("ik", "stanford", "--statistics", "--poses", "50")
    found = pyrave(*words, "--json").data["statistics"]
    assert found["poses"] == 50
    assert found["found"] == 1.0
    assert found["lost"] == found["wrong"] == 0
    times = found["microseconds"]
    assert 0 < times["50"] <= times["99"] <= times["100"]
    text = pyrave(*words).out
    assert "as called: Transform6D, 50 random poses within limits" in text
    assert "found 100.00%, lost 0, wrong 0" in text
    assert "time of solve_ik: median" in text


def test_a_target_is_solved_in_the_world(pyrave):
    words = ("--target", "0.3 0.2 0.4 0 1 0 0")
    found = pyrave("ik", "ur5", *words, "--json").data["target"]
    assert found["values"] == [0, 1, 0, 0, 0.3, 0.2, 0.4]
    assert len(found["solutions"]) == 8
    env = package.load("robots/arms/ur5.robot.xml")
    hand = env.robots[0].manipulators["arm"]
    for q in found["solutions"]:
        hand.arm_dof_values = q
        assert np.abs(hand.transform[:3, 3] - (0.3, 0.2, 0.4)).max() < 1e-9
        assert np.abs(hand.transform[:3, :3] - np.diag((1, -1, -1))).max() < 1e-9
    text = pyrave("ik", "ur5", *words).out
    assert "8 solutions" in text


def test_an_unreachable_target_is_a_result(pyrave):
    said = pyrave("ik", "ur5", "--target", "9 0 0 1 0 0 0", "--json")
    assert said.code == 0
    assert said.data["target"]["solutions"] == []
    assert "no solution" in pyrave("ik", "ur5", "--target", "9 0 0 1 0 0 0").out


LINE = ("ik", "ur5", "--target", "0.4 0.2 0.4 0 1 0 0", "--steps", "20")


def test_a_line_is_followed_to_its_end(pyrave):
    words = (*LINE, "--line-to", "0.4 -0.1 0.3 0 1 0 0")
    line = pyrave(*words, "--json").data["line"]
    assert line["complete"]
    assert line["status"] == "complete"
    assert line["end"] == line["steps"] == 20
    assert len(line["solutions"]) == 21
    assert 0.0 < line["largest_step"] < 0.2
    env = package.load("robots/arms/ur5.robot.xml")
    arm = env.robots[0].manipulators[0]
    for part in (0, 10, 20):
        arm.arm_dof_values = line["solutions"][part]
        wanted = (0.4, 0.2 - 0.015 * part, 0.4 - 0.005 * part)
        np.testing.assert_allclose(arm.transform[:3, 3], wanted, atol=1e-6)
    assert "line of 21 goals, joints move by" in pyrave(*words).out


def test_a_line_says_where_and_why_it_ends(pyrave):
    words = (*LINE, "--line-to", "1.9 0.2 0.4 0 1 0 0")
    line = pyrave(*words, "--json").data["line"]
    assert not line["complete"]
    assert 0.0 < line["end"] < 20.0
    assert line["cause"]
    said = pyrave(*words)
    assert said.code == 0
    assert (
        f"line ends at {line['end'] / 20:.1%} of the way, {line['status']}" in said.out
    )
    assert line["cause"] in said.out


def test_a_line_needs_a_beginning(pyrave):
    words = ("--target", "9 0 0 1 0 0 0", "--line-to", "0.4 -0.1 0.3 0 1 0 0")
    said = pyrave("ik", "ur5", *words)
    assert said.code == 1
    assert "the line has no beginning" in said.err


def test_other_kinds_of_goals(pyrave):
    said = pyrave("ik", "puma560", "--type", "translation3d", "--explain")
    assert "goals: Translation3D" in said.out
    assert "held at values: " in said.out
    found = pyrave("ik", "pan_tilt", "--target", "1 0.2 0.1", "--json").data["target"]
    assert found["type"] == "Lookat3D"
    assert len(found["solutions"]) >= 1


def test_reachability_is_a_picture(pyrave, tmp_path):
    path = tmp_path / "reach.png"
    said = pyrave("ik", "ur5", "--reachability", path, "--json")
    found = said.data["reachability"]
    # the sum of the links, and no configuration reaches farther
    assert 0.9 < found["radius"] < 0.425 + 0.392 + 0.11 + 0.095 + 0.083 + 0.09
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", data[16:24])
    assert width > 3 * 300
    assert height > 300


def test_many_solutions_are_not_all_printed(pyrave):
    words = ("--type", "Direction3D", "--target", "0.3 0.2 0.93")
    said = pyrave("ik", "pan_tilt", "--type", "Lookat3D", "--target", "1 0.2 0.1")
    assert "  1 solution, radians" in said.out
    said = pyrave("ik", "katana", *words)
    assert said.out.count("branch") == 40
    assert "more: --json has all" in said.out


def test_a_picture_goes_into_a_new_folder(pyrave, tmp_path):
    path = tmp_path / "new" / "reach.png"
    assert pyrave("ik", "pan_tilt", "--reachability", path).code == 0
    assert path.stat().st_size > 1000


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("ur5", "--target", "1 2 3"), "expected x y z qw qx qy qz"),
        (("ur5", "--target", "a b"), "expected x y z qw qx qy qz"),
        (("ur5", "--line-to", "a b"), "the end of the line is 'a b', expected x y z"),
        (("ur5", "--line-to", "1 0 0 1 0 0 0", "--steps", "0"), "0 steps, expected"),
        (("ur5", "--type", "Transform"), "no ik parameterization type 'Transform'"),
        (("ur5", "--manipulator", "hand"), "'hand'"),
        (("ur5", "--statistics", "--poses", "0"), "expected at least 1"),
        (("ur5", "--statistics", "--seed", "-1"), "the seed is -1, expected 0 or more"),
        (("scenes/shelf.env.xml", "--robot", "nobody"), "'nobody'"),
    ],
)
def test_wrong_arguments(pyrave, words, message):
    said = pyrave("ik", *words)
    assert said.code == 2
    assert message in said.err
    assert said.out == ""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("no_such_file.xml",), "no_such_file.xml"),
        (("objects/mug.kinbody.xml",), "no robot"),
    ],
)
def test_what_it_refuses(pyrave, words, message):
    said = pyrave("ik", *words)
    assert said.code == 1
    assert message in said.err
    assert said.out == ""


LEVEL = scene_beside(__file__, "ik_level.env.xml")


@pytest.mark.parametrize("formula", ["-lift", "sin(lift)"])
def test_arms_whose_joints_move_several_axes(pyrave, tmp_path, formula):
    path = tmp_path / "crane.robot.xml"
    path.write_text(LEVEL.format(formula=formula))
    words = ("--explain", "--statistics", "--poses", "3", "--json")
    data = pyrave("ik", path, *words).data
    assert data["explanation"]["decomposition"] == "search"
    assert "searched for numerically" in data["explanation"]["reason"]
    assert data["statistics"]["found"] == 1.0
    assert data["statistics"]["wrong"] == 0
    words = ("--type", "TranslationXY2D", "--target", "0.5 0.4")
    assert "searched numerically: there may be more" in pyrave("ik", path, *words).out


def test_a_name_that_nobody_knows(pyrave):
    said = pyrave("ik", "ur5x")
    assert said.code == 1
    assert "no robot has that name either; did you mean 'ur5'?" in said.err


def test_an_arm_between_two_links_of_a_urdf(pyrave, tmp_path):
    path = tmp_path / "ur5.urdf"
    env = package.load("robots/arms/ur5.robot.xml")
    robot = env.robots[0]
    base, tip = robot.links[0].name, robot.active_manipulator.end_effector.name
    env.save(path)
    said = pyrave("ik", path)
    assert said.code == 1
    assert f"no manipulator; say where it begins and ends: --base {base} " in said.err
    assert f"--tip {tip}; leaf links: {tip}" in said.err
    said = pyrave("ik", path, "--base", base, "--tip", tip)
    assert said.code == 0
    assert "decomposition: parallel" in said.out
    assert pyrave("ik", path, "--tip", tip, "--json").data["manipulator"] == "arm"
    said = pyrave("ik", path, "--base", base)
    assert said.code == 2
    assert f"--base needs --tip, too; leaf links: {tip}" in said.err
    said = pyrave("ik", path, "--tip", "tol0")
    assert "no link 'tol0'" in said.err


def test_an_arm_of_one_joint_has_no_goals_and_says_so(pyrave, tmp_path):
    path = tmp_path / "one.urdf"
    path.write_text("""<robot name="one"><link name="a"/><link name="b"/>
    <joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>
    </robot>""")
    said = pyrave("ik", path, "--tip", "b")
    assert said.code == 1
    assert "no kind of goal fits the arm: it has one joint, and goals" in said.err


def test_a_name_that_is_taken_goes_without_links(pyrave):
    said = pyrave("ik", "ur5", "--manipulator", "arm", "--tip", "tool0")
    assert said.code == 2
    assert "there is a manipulator 'arm'" in said.err


def test_the_picture_shows_the_arm_at_the_goal(pyrave, tmp_path):
    picture = tmp_path / "a.png"
    words = ("--target", "0.4 0.2 0.4 0 1 0 0", "--picture", picture)
    view = ("--eye", -2, 1, 1, "--size", "64x48")
    said = pyrave("ik", "ur5", *words, *view, "--json")
    assert said.data["picture"] == str(picture)
    shown = picture.read_bytes()
    assert struct.unpack(">II", shown[16:24]) == (64, 48)
    assert (
        pyrave("ik", "ur5", *words, *view, "--line-to", "0.3 0.3 0.4 0 1 0 0").code == 0
    )
    assert picture.read_bytes() != shown
    done = pyrave("ik", "ur5", "--zoom", 2)
    assert "are of a picture, name it with --picture" in done.err


def test_reachability_has_axes_where_there_is_matplotlib(pyrave, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    path = tmp_path / "reach.svg"
    assert pyrave("ik", "pan_tilt", "--reachability", path).code == 0
    assert path.stat().st_size > 10_000
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert "pyrave[plot]" in pyrave("ik", "pan_tilt", "--reachability", path).err
    plain = tmp_path / "reach.png"
    said = pyrave("ik", "pan_tilt", "--reachability", plain)
    assert "for axes and a scale" in said.out
    assert struct.unpack(">II", plain.read_bytes()[16:24]) == (1144, 392)
