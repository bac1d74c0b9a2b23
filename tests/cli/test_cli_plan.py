"""``pyrave plan``: motions, causes, files, and what it refuses."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from scene_files import scene_beside

import pyrave as package
from pyrave.authoring import GenericTrajectory

# two bars in a plane, a wall that the second one meets
SCENE = scene_beside(__file__, "plan.env.xml")


@pytest.fixture
def path(scene):
    return scene(SCENE)


def test_a_motion_is_found_and_written(pyrave, path, tmp_path):
    xml, binary, png = (tmp_path / name for name in ("way.xml", "way.bin", "way.png"))
    words = ("--goal", "-1.0 0.5", "--out", xml, "--picture", png)
    said = pyrave("plan", path, *words)
    assert said.code == 0, said.err
    assert said.out.startswith("planar/arm: 2 waypoints, ")
    assert f"  {xml}: written" in said.out
    env = package.load(path)
    way = GenericTrajectory.from_xml(env, xml.read_text("utf-8"))
    assert way.waypoints[-1][:2].tolist() == [-1.0, 0.5]
    assert package.planning.verify(env.robots[0], way) == ()
    assert struct.unpack(">2I", png.read_bytes()[16:24]) == (960, 720)
    assert pyrave("plan", path, "--goal", "-1 .5", "--out", binary).code == 0
    other = GenericTrajectory.from_bytes(env, binary.read_bytes())
    assert np.array_equal(other.waypoints, way.waypoints)


def test_json_says_all_of_it(pyrave, path):
    words = ("--goal", "shoulder=-1.0", "--seed", "3", "--json")
    data = pyrave("plan", path, "--robot", "planar", *words).data
    assert data["schema"] == "pyrave-plan/2"
    assert data["found"] is True
    assert data["cause"] == ""
    assert data["path"] == [[0.0, 0.0], [-1.0, 0.0]]
    assert data["duration"] == pytest.approx(1.25)
    assert data["statistics"]["goals"] == 1
    assert data["statistics"]["gap"] == 2e-4
    seconds = {"compiling", "goal", "search", "timing", "total"}
    assert set(data["statistics"]["seconds"]) == seconds


def test_settings_reach_the_planner(pyrave, path):
    words = ("--goal", "2.0 0.0", "--set", "shoulder=-0.5", "--json", "--planner")
    few, many = (
        pyrave("plan", path, *words, f"BiRRT shortcuts={count}").data
        for count in (0, 200)
    )
    assert few["statistics"]["checks"] < many["statistics"]["checks"]
    refused = pyrave("plan", path, *words[:2], "--planner", "BiRRT range=wide")
    assert refused.code == 2
    assert "range of BiRRT is 'wide', expected a number" in refused.err + refused.out


def test_the_cause_is_told(pyrave, path):
    said = pyrave("plan", path, "--goal", "0.9 0")
    assert said.code == 1
    assert said.out.splitlines()[0] == "planar/arm: goal in collision"
    assert "planar/lower x wall/slab: 1 contact, " in said.out
    data = pyrave("plan", path, "--goal", "9 0", "--json").data
    assert data["failure"]["code"] == "goal beyond limits"
    assert data["statistics"]["gap"] is None
    (limit,) = data["failure"]["limits"]
    assert (limit["name"], limit["value"]) == ("shoulder", 9.0)


def test_any_of_several_goals(pyrave, path):
    words = ("--goal", "0.9 0", "--goal", "elbow=0.3", "--json")
    data = pyrave("plan", path, *words, "--set", "elbow=0.1").data
    assert data["path"] == [[0.0, 0.1], [0.0, 0.3]]


def test_a_pose(pyrave):
    words = ("--pose", "0 1 0 0 -0.1 0.2 1.2", "--json", "--timeout", "60")
    data = pyrave("plan", "scenes/demo.env.xml", *words).data
    assert data["found"], data["cause"]
    assert data["manipulator"] == "arm"


def test_plots(pyrave, path, tmp_path):
    pytest.importorskip("matplotlib")
    plot = tmp_path / "joints.png"
    said = pyrave("plan", path, "--goal", "-1 0.5", "--plot", plot)
    assert said.code == 0, said.err
    assert plot.read_bytes()[:4] == b"\x89PNG"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "there is no goal; give one with --goal or --pose"),
        (("--goal", "a b"), "the goal 'a b' has 'a b', expected numbers"),
        (("--goal", "1 2 3"), "expected 2 values (shoulder, elbow)"),
        (("--goal", "sholder=1"), "did you mean 'shoulder'"),
        (("--pose", "1 2 3"), "expected qw qx qy qz x y z"),
        (("--goal", "1 2", "--robot", "planer"), "did you mean 'planar'"),
        (("--goal", "1 2", "--manipulator", "am"), "did you mean 'arm'"),
        (("--goal", "1 2", "--planner", "BiRTT"), "did you mean 'BiRRT'"),
        (("--goal", "1 2", "--timeout", "0"), "timeout is 0"),
        (("--goal", "1 2", "--planner", "BiRRT x"), "expected no words and settings"),
        (("--goal", "1 2", "--planner", "BiRRT rnge=1"), "did you mean 'range'"),
        (("--goal", "1 2", "--speed", "2"), "speed is 2"),
        (("--goal", "1 2", "--out", "way.txt"), "expected a name in .xml or .bin"),
        (("--goal", "1 2", "--picture", "way.bmp"), "expected a name in .png, .jpg"),
        (("--goal", "1 2", "--plot", "way.bmp"), "expected a name in .png, .jpg"),
        (("--goal", "1 2", "--out", "no/way.xml"), "make this folder"),
    ],
)
def test_what_is_refused(pyrave, path, words, said):
    done = pyrave("plan", path, *words)
    assert done.code == (1 if "this folder" in said else 2)
    assert said in done.err


def test_the_motion_is_recorded_as_a_page(pyrave, path, tmp_path):
    pytest.importorskip("viser", reason="the extra viewer is not installed")
    page = tmp_path / "way.html"
    done = pyrave("plan", path, "--goal", "-1.0 0.5", "--record", page)
    assert done.code == 0, done.err
    assert "way.html: written" in done.out
    assert "<html" in page.read_text("utf-8")[:2000].lower()
    said = pyrave("plan", path, "--goal", "1 2", "--record", tmp_path / "a.avi")
    assert said.code == 2
    assert "expected a name in .html or .mp4" in said.err


def test_scenes_without_robots(pyrave, scene):
    path = scene(
        "<environment><kinbody name='a'><body name='b'/></kinbody></environment>"
    )
    done = pyrave("plan", path, "--goal", "1")
    assert "there is no robot in the scene to plan for" in done.err


def test_the_picture_is_taken_from_where_it_is_asked(pyrave, path, tmp_path):
    pictures = []
    for zoom in ("1", "2"):
        png = tmp_path / f"{zoom}.png"
        words = ("--goal", "-1.0 0.5", "--picture", png, "--size", "64x48")
        said = pyrave("plan", path, *words, "--eye", 0, -1, 4, "--zoom", zoom)
        assert said.code == 0, said.err
        pictures.append(png.read_bytes())
        assert struct.unpack(">II", pictures[-1][16:24]) == (64, 48)
    assert pictures[0] != pictures[1]
    said = pyrave("plan", path, "--goal", "-1.0 0.5", "--zoom", "2")
    assert "are of a picture, name it with --picture" in said.err


def test_a_configuration_is_a_goal(pyrave, path, tmp_path):
    env = package.load(path)
    env.robots[0].configurations.add("aside", {"shoulder": -1.0, "elbow": 0.5})
    named = tmp_path / "named.env.xml"
    env.save(named)
    assert pyrave("plan", named, "--goal", "aside", "--json").data["path"][-1] == [
        -1.0,
        0.5,
    ]
    said = pyrave("plan", named, "--goal", "asid")
    assert said.code == 2
    assert "no configuration 'asid', did you mean 'aside'?" in said.err
    said = pyrave("plan", path, "--goal", "aside")
    assert said.code == 2
    assert "no configuration 'aside': the robot has no named ones; give" in said.err
    assert "configurations aside" in pyrave("info", named).out
    data = pyrave("info", named, "--json").data["bodies"][0]["robot"]
    assert data["configurations"] == {"aside": {"shoulder": -1.0, "elbow": 0.5}}
