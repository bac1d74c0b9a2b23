"""The module ``urdf``, and SRDF files that callers name."""

from __future__ import annotations

import json

import pytest

import pyrave
from pyrave.errors import (
    ArgumentError,
    CommandError,
    NotSupportedError,
    ResourceError,
    SceneError,
)
from pyrave.interfaces import file_access

URDF = """<robot name="arm">
  <link name="base"/><link name="hand"/>
  <joint name="turn" type="revolute">
    <parent link="base"/><child link="hand"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" effort="30" velocity="3" acceleration="4"/>
  </joint>
</robot>"""
SRDF = """<robot name="arm">
  <group name="{}"><chain base_link="base" tip_link="hand"/></group>
</robot>"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Return a folder with a package that has the robot, and an SRDF elsewhere."""
    package = tmp_path / "packages" / "arm_description"
    package.mkdir(parents=True)
    (package / "arm.urdf").write_text(URDF)
    (package / "arm.srdf").write_text(SRDF.format("beside"))
    (tmp_path / "other.srdf").write_text(SRDF.format("named"))
    for variable in ("ROS_PACKAGE_PATH", "GAZEBO_MODEL_PATH"):
        monkeypatch.setenv(variable, str(tmp_path / "packages"))
    return package


@pytest.fixture
def env():
    return pyrave.Environment()


@pytest.fixture
def module(env):
    module = env.create("module", "urdf")
    env.add(module)
    return module


def arms(env, name):
    return [one.name for one in env.robots[name].manipulators]


def test_an_srdf_that_is_named_goes_before_one_beside_the_file(package):
    beside = pyrave.load(package / "arm.urdf")
    assert arms(beside, "arm") == ["beside"]
    named = pyrave.load(
        package / "arm.urdf", srdf_file=package.parents[1] / "other.srdf"
    )
    assert arms(named, "arm") == ["named"]
    text = pyrave.load_string(URDF, srdf_file=package / "arm.srdf", strict=True)
    assert arms(text, "arm") == ["beside"]


def test_an_srdf_that_is_named_is_one(package, tmp_path):
    with pytest.raises(ResourceError, match=r"no\.srdf"):
        pyrave.load(package / "arm.urdf", srdf_file=tmp_path / "no.srdf")
    wrong = tmp_path / "wrong.srdf"
    wrong.write_text("<model/>")
    with pytest.raises(SceneError, match="the root is <model>, expected <robot>"):
        pyrave.load(package / "arm.urdf", srdf_file=wrong)
    wrong.write_text("<robot")
    with pytest.raises(SceneError, match=r"wrong\.srdf"):
        pyrave.load(package / "arm.urdf", srdf_file=wrong)


def test_an_srdf_for_no_urdf_is_told(package):
    env = pyrave.load_string(
        "<kinbody name='box'><body name='b'/></kinbody>", srdf_file=package / "arm.srdf"
    )
    (problem,) = env.problems
    assert problem.code == "unused-argument"
    assert problem.message == "srdf_file is given, and the file is no URDF"


def test_files_and_uris_are_loaded_by_command(env, module, package):
    said = module.send_command(f"load {package / 'arm.urdf'}")
    assert said == "arm"
    assert arms(env, "arm") == ["beside"]
    other = package.parents[1] / "other.srdf"
    name = module.send_command(f"LoadURI package://arm_description/arm.urdf {other}")
    assert name != "arm"  # which is taken
    assert arms(env, name) == ["named"]
    assert module.load(f"file://{package / 'arm.urdf'}") in env.robots
    assert module.load("model://arm_description/arm.urdf") in env.robots


def test_texts_are_loaded_by_command(env, module):
    said = json.dumps({"urdf": URDF, "srdf": SRDF.format("whole")})
    assert module.send_command(f"LoadString {said}") == "arm"
    assert arms(env, "arm") == ["whole"]
    assert arms(env, module.send_command(f"LoadString {URDF}")) == []
    answer = module.send_json_command(
        "LoadString", {"urdf": URDF, "srdf": SRDF.format("third")}
    )
    assert arms(env, answer["result"]) == ["third"]


def test_wrong_commands_end_in_messages(env, module, tmp_path):
    with pytest.raises(ResourceError, match="set ROS_PACKAGE_PATH to the folder"):
        module.load("package://nowhere/arm.urdf")
    with pytest.raises(ResourceError, match="set GAZEBO_MODEL_PATH to the folder"):
        module.load("model://nowhere/arm.urdf")
    with pytest.raises(ResourceError, match=r"gone\.urdf"):
        module.load(str(tmp_path / "gone.urdf"))
    with pytest.raises(CommandError, match="file not given"):
        module.send_command("load")
    with pytest.raises(ArgumentError, match="begins like JSON and is none"):
        module.send_command("LoadString {urdf")
    with pytest.raises(ArgumentError, match=r"expected a JSON object with the texts"):
        module.send_command('LoadString {"udrf": ""}')
    two = tmp_path / "two.env.xml"
    body = "<kinbody name='{}'><body name='b'/></kinbody>"
    two.write_text(f"<environment>{body.format('a')}{body.format('b')}</environment>")
    with pytest.raises(ArgumentError, match="has 2 bodies, expected one robot"):
        module.load(str(two))
    assert len(env.bodies) == 0


def test_strangers_load_what_they_are_granted(env, module, package):
    mesh = package.parents[1] / "secret.stl"
    mesh.write_text("solid x\nendsolid x\n")
    shape = f'<visual><geometry><mesh filename="{mesh}"/></geometry></visual>'
    file = package / "shaped.urdf"
    file.write_text(
        URDF.replace('<link name="hand"/>', f'<link name="hand">{shape}</link>')
    )

    class Package:
        def to_read(self, name):
            if not name.startswith(str(package)):
                raise NotSupportedError(f"{name} may not be read")
            return name

        def to_write(self, name):
            raise NotSupportedError(name)

    assert module.load(str(file)) == "arm"
    with file_access(Package()):
        assert module.load(str(package / "arm.urdf"))
        module.send_command(f"load {package / 'arm.urdf'}")
        with pytest.raises(NotSupportedError, match="may not be read"):
            module.send_command(f"load {mesh}")
        with pytest.raises(SceneError, match="roots"):
            module.send_command(f"load {file}")
