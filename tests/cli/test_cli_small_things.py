"""What commands say at their edges: usage lines, counts, legends, suggestions."""

from __future__ import annotations

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
    ],
)
def test_usage_lines_name_the_arguments(pyrave, command, usage):
    assert f"Usage: {usage}\n" in pyrave(command, "--help").out


def test_usage_of_a_command_of_a_plugin():
    def greet(who, /, how_often=1, *, loud=False):
        pass

    assert usage_of(greet, "greet") == "Usage: pyrave greet [OPTIONS] WHO [HOW-OFTEN]"


def test_the_counts_of_the_demo_add_up(pyrave, tmp_path):
    said = " ".join(pyrave("demo", "--out", tmp_path, "--steps", "40").out.split())
    scans, total, hits = re.search(
        r"(\d+) scans?, (\d+) hits?: (.*?) cloud", said
    ).groups()
    assert int(scans) > 0
    assert sum(map(int, re.findall(r"\w+ (\d+)", hits))) == int(total)
    assert re.search(r"cloud of \d+ points: hits of what is not heron7", said)
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
