"""Usage lines, counts, legends and suggestions of commands."""

from __future__ import annotations

import json
import re

import pytest

from pyrave.cli.app import usage_of


@pytest.mark.parametrize(
    ("command", "usage"),
    [
        ("info", "pyrave info [OPTIONS] FILE [ARGUMENTS...]"),
        ("ik", "pyrave ik [OPTIONS] [ARM]"),
        ("convert", "pyrave convert [OPTIONS] SOURCE TARGET [ARGUMENTS...]"),
        ("check", "pyrave check [OPTIONS] [FILES...]"),
        ("new-plugin", "pyrave new-plugin [OPTIONS] NAME"),
        ("demo", "pyrave demo [OPTIONS]"),
        ("robots", "pyrave robots [OPTIONS] [PATTERN]"),
    ],
)
def test_usage_lines_name_the_arguments(pyrave, command, usage):
    assert f"Usage: {usage}\n" in pyrave(command, "--help").out


def test_usage_of_a_command_of_a_plugin():
    def greet(who, /, how_often=1, *, loud=False):
        pass

    assert usage_of(greet, "greet") == "Usage: pyrave greet [OPTIONS] WHO [HOW-OFTEN]"


def test_robots_are_listed_with_what_is_to_be_known(pyrave):
    said = pyrave("robots", "WAM").out
    assert re.search(r"wam7 .*pyrave_environments.*kinematics only: it collides", said)
    assert "heron7" not in said
    found = json.loads(pyrave("robots", "--json").out)
    assert found["schema"] == "pyrave-robots/1"
    robots = {one["name"]: one for one in found["robots"]}
    assert robots["heron7"]["note"] == ""
    assert robots["heron7"]["file"].endswith("robots/heron7.robot.xml")


def test_the_counts_of_the_demo_add_up(pyrave, tmp_path):
    said = " ".join(pyrave("demo", "--out", tmp_path, "--steps", "40").out.split())
    scans, total, hits = re.search(
        r"(\d+) scans?, (\d+) hits?: (.*?) cloud", said
    ).groups()
    assert int(scans) > 0
    assert sum(map(int, re.findall(r"\w+ (\d+)", hits))) == int(total)
    assert re.search(r"cloud of \d+ points: without hits of heron7", said)
    assert "(red: the last scan, blue: the cloud)" in said


def test_doctor_begins_with_what_users_need(pyrave):
    names = re.findall(r"^extra (\w+) +(.*)$", pyrave("doctor").out, re.MULTILINE)
    marked = ["for development" in state for _, state in names]
    assert marked == sorted(marked)
    assert dict(names)["dev"].startswith("for development, ")
    assert not dict(names)["physics"].startswith("for")


def test_of_a_scene_the_robot_is_suggested(pyrave, tmp_path):
    said = pyrave("convert", "scenes/demo.env.xml", tmp_path / "x.urdf")
    assert said.code != 0
    assert "(say which: body='heron7' (--body heron7))" in " ".join(said.err.split())


def test_one_ray_is_one_ray(pyrave, tmp_path):
    scene = tmp_path / "s.env.xml"
    scene.write_text("""<environment><sensor type="BaseLaser2D" name="l">
    <minangle>0</minangle><maxangle>0</maxangle><power>1</power></sensor>
    <kinbody name="b"><translation>2 0 0</translation><body name="b">
    <geom type="box"><extents>1 1 1</extents></geom></body></kinbody></environment>""")
    said = (
        pyrave("run", scene, "--steps", "1").out
        + pyrave("scan", scene, "--out", tmp_path / "c.ply").out
    )
    assert re.search(r"\b1 ray, 1 (hit|point)\b", said)
    assert "1 rays" not in said


def test_pictures_of_scans_have_a_legend(pyrave, tmp_path):
    words = ("scan", "scenes/demo.env.xml", "--sensor", "laser", "--size", "64x48")
    out = tmp_path / "x.png"
    assert "(picture; red: the scan and its rays)" in pyrave(*words, "--out", out).out
    gathered = pyrave(*words, "--out", out, "--gather", "--time", "0.1").out
    assert "(picture; blue: the points)" in gathered


def test_the_name_of_a_plugin_is_no_scene(pyrave, tmp_path):
    said = pyrave("check", "pyrave")
    assert said.code == 1
    assert "(a plugin is tested by pyrave check --plugin pyrave)" in said.err
    assert "--plugin" not in pyrave("check", tmp_path / "x.xml").err


def test_long_lists_of_a_package_are_cut(pyrave):
    short, long = (pyrave(*more, "plugins").out for more in ((), ("-v",)))
    assert re.search(r"readers: .*\.\.\. \(\d+ more\)", " ".join(short.split()))
    assert "sensor base_laser2d = BaseLaser2D" in " ".join(long.split())
    assert "more)" not in long


def test_pictures_of_arms_look_where_they_are_told(pyrave, tmp_path):
    pictures = [tmp_path / "a.png", tmp_path / "b.png"]
    for picture, view in zip(pictures, ((), ("--look-at", "0", "0", "1")), strict=True):
        words = ("--target", "0.4 0.2 0.4 0 1 0 0", "--size", "48x36")
        said = pyrave("ik", "ur5", *words, "--picture", picture, *view)
        assert said.code == 0, said.err
    assert pictures[0].read_bytes() != pictures[1].read_bytes()
    said = pyrave("ik", "ur5", "--look-at", "0", "0", "1")
    assert said.code == 2
    assert "name it with --picture" in said.err


def test_measurements_of_cameras_are_told(pyrave, tmp_path):
    scene = tmp_path / "s.env.xml"
    scene.write_text(
        "<environment><robot name='r'><kinbody><body name='b'><geom type='sphere'>"
        "<radius>0.1</radius></geom></body></kinbody><attachedsensor name='eye'>"
        "<link>b</link><sensor type='BaseCamera'><image_dimensions>8 6 3"
        "</image_dimensions><power>1</power></sensor></attachedsensor></robot></environment>"
    )
    assert "8x6 pixels: image" in pyrave("run", scene, "--steps", "9").out
