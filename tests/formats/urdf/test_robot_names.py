"""Robots by name: those of packages that are installed, then arms that ship."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import pyrave
from pyrave_urdf.robot_packages import (
    described_robots,
    example_robots,
    icub_robots,
    toolbox_robots,
)

URDF = '<robot name="{0}"><link name="base"/></robot>'
MODULE = """
from os import getenv as _getenv
from os import path as _path

from ._cache import clone_to_cache as _clone_to_cache

REPOSITORY_PATH: str = _clone_to_cache(
    "{repository}",
    commit=_getenv("ROBOT_DESCRIPTION_COMMIT", None),
)
PACKAGE_PATH: str = _path.join(REPOSITORY_PATH, "robots", "{folder}")
URDF_PATH: str = _path.join(PACKAGE_PATH, "urdf", "{file}.urdf")
"""


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture
def site(tmp_path, monkeypatch):
    """Return a folder of packages with both of them, and an empty cache."""
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.setenv("ROBOT_DESCRIPTIONS_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    site = tmp_path / "site"
    package = site / "robot_descriptions"
    put(package / "__init__.py", "raise RuntimeError('nothing of it is imported')")
    put(
        package / "_repositories.py",
        """REPOSITORIES = {
    "example-robot-data": Repository(url="x", commit="1", cache_path="example-data"),
    "far": Repository(url="x", commit="1", cache_path="far_away"),
}""",
    )
    for name, repository, folder, file in (
        ("crane", "far", "crane", "crane_v2"),
        ("walker", "example-robot-data", "walker_description", "walker_full"),
    ):
        text = MODULE.format(repository=repository, folder=folder, file=file)
        put(package / f"{name}_description.py", text)
    put(package / "odd_description.py", "URDF_PATH = made_elsewhere()")
    put(package / "wrong_description.py", "def")
    robots = site / "cmeel.prefix" / "share" / "example-robot-data" / "robots"
    for folder, file in (
        ("walker_description/urdf", "walker_full"),
        ("walker_description/urdf", "walker_small"),
        ("picker_description/robots", "picker_robot"),
        ("many_data/urdf", "one"),
        ("many_data/urdf", "two"),
    ):
        put(robots / folder / f"{file}.urdf", URDF.format(file))
    return site


def name_of(source, **options):
    return pyrave.load(source, **options).bodies[0].name


def test_what_ships_goes_by_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ur5").mkdir()  # no folder is a robot
    assert name_of("ur5") == "ur5"
    assert name_of("rover") == "rover"
    assert name_of("ur5", confine=True) == "ur5"
    assert "table" in pyrave.load("demo").bodies
    assert pyrave.read("mug").bodies[0].name == "mug"
    pyrave.convert("ur5", "copy.robot.xml")
    assert name_of("copy.robot.xml") == "ur5"


def test_a_file_of_the_name_goes_before(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "ur5", URDF.format("mine"))
    assert name_of("ur5") == "mine"


def test_a_file_whose_end_was_left_out_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "pico.urdf", URDF.format("pico"))
    put(tmp_path / "pico.md", "")
    with pytest.raises(pyrave.ResourceError, match=r"did you mean .pico\.urdf"):
        pyrave.load("pico")


def test_robots_of_installed_packages(site):
    assert name_of("walker") == "walker_full"  # as robot_descriptions says
    assert name_of("walker_small") == "walker_small"
    assert name_of("picker") == name_of("picker_robot") == "picker_robot"
    assert "robot_descriptions" not in sys.modules
    with pytest.raises(pyrave.ResourceError, match="several: one, two"):
        pyrave.load("many")
    with pytest.raises(pyrave.ResourceError, match=r"'pickr'.*did you mean 'picker'"):
        pyrave.load("pickr")
    with pytest.raises(pyrave.ResourceError, match="no robot has that name either"):
        pyrave.load("picker", confine=True)


def test_installed_robots_come_before_arms_that_ship(site):
    """Not before what else ships, nor before files."""
    robots = site / "cmeel.prefix/share/example-robot-data/robots"
    for name in ("wam7", "rover", "mug"):
        file = robots / f"{name}_description/urdf/{name}.urdf"
        put(file, URDF.format(f"real_{name}"))
    known = {one.name: one for one in pyrave.known_robots()}
    assert known["wam7"].source == "example-robot-data"
    assert known["wam7"].file == robots / "wam7_description/urdf/wam7.urdf"
    assert known["wam7"].note == ""
    assert known["rover"].source == "pyrave_environments"
    assert known["wam4"].note.startswith("kinematics only")
    assert known["many"].file is None
    assert known["many"].note == "there are several: one, two"
    assert name_of("wam7") == "real_wam7"
    assert name_of("wam7", confine=True) == "wam7"
    assert name_of("rover") == "rover"
    assert pyrave.read("mug").bodies[0].name == "mug"


def test_robots_of_icub_models_and_of_the_robotics_toolbox(site):
    put(site / "share/iCub/robots/iCubHome01/model.urdf", URDF.format("icub"))
    put(site / "rtbdata/__init__.py", "raise RuntimeError('it is not imported')")
    file = put(site / "rtbdata/xacro/crane/urdf/crane.urdf", URDF.format("crane"))
    macro = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"{0}/>'
    put(site / "rtbdata/xacro/crane/urdf/crane.urdf.xacro", macro.format(' name="c"'))
    put(site / "rtbdata/xacro/crane/urdf/lift.xacro", macro.format(' name="lift"'))
    put(site / "rtbdata/xacro/crane/urdf/part.xacro", macro.format(""))
    assert sorted(icub_robots()) == ["iCubHome01"]
    assert sorted(toolbox_robots()) == ["crane", "lift"]
    assert toolbox_robots()["crane"] == file
    assert name_of("iCubHome01") == "icub"
    sources = {one.name: one.source for one in pyrave.known_robots()}
    assert sources["iCubHome01"] == "icub-models"
    assert sources["lift"] == "rtb-data"


def test_what_is_not_downloaded_says_how(site, tmp_path):
    pull = "never does: python -m robot_descriptions pull crane_description"
    with pytest.raises(pyrave.ResourceError, match=pull):
        pyrave.load("crane")
    path = tmp_path / "cache" / "far_away" / "robots" / "crane" / "urdf"
    put(path / "crane_v2.urdf", URDF.format("crane"))
    assert name_of("crane") == "crane"
    assert sorted(described_robots()) == ["crane", "walker"]


def test_packages_of_ros_and_no_packages(tmp_path, monkeypatch):
    known = example_robots()
    share = tmp_path / "ros" / "share"
    file = put(
        share / "example-robot-data/robots/zx_description/urdf/zx.urdf",
        URDF.format("zx"),
    )
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "ros"))
    assert example_robots() == known | {"zx": file}
    monkeypatch.delenv("AMENT_PREFIX_PATH")
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(share))
    assert example_robots()["zx"] == file


def test_catalogues_of_plugins(tmp_path):
    file = put(tmp_path / "mine.urdf", URDF.format("mine"))
    env = pyrave.Environment()
    asked = []

    def catalogue():
        asked.append(1)
        return {"mine": file, "later": "it is made next year"}

    def broken():
        raise OSError("gone")

    env.registry.robot_catalogues = lambda: (("mine", catalogue),)
    env.load("mine")
    assert env.bodies.names == ("mine",)
    with pytest.raises(pyrave.ResourceError, match="it is made next year"):
        env.load("later")
    before = len(asked)
    env.load("rover")
    with pytest.raises(pyrave.ResourceError):
        env.load("mine.urdf")
    assert len(asked) == before
    env.registry.robot_catalogues = lambda: (("mine", broken),)
    with pytest.raises(pyrave.PluginError, match=r"the robots of 'mine' cannot.*gone"):
        env.load("mine")
    env.registry.robot_catalogues = lambda: (("mine", lambda: [file]),)
    with pytest.raises(pyrave.PluginError, match="are a list, expected a mapping"):
        env.load("mine")


def test_the_home_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    put(tmp_path / "r.urdf", URDF.format("home"))
    assert name_of("~/r.urdf") == "home"
    env = pyrave.load("~/r.urdf")
    env.save("~/out.robot.xml")
    assert (tmp_path / "out.robot.xml").is_file()
    (tmp_path / "parts").mkdir()
    put(tmp_path / "parts" / "s.urdf", URDF.format("part"))
    assert name_of("s.urdf", resource_roots="~/parts") == "part"
    with pytest.raises(pyrave.ArgumentError, match=r"~nobody-here/r\.urdf"):
        pyrave.load(Path("~nobody-here/r.urdf"))
