"""URDF as it lies in other people's repositories, and what we write of it."""

from __future__ import annotations

import pytest

import pyrave
from pyrave.scene import same

BOX = "<geometry><box size='1 1 1'/></geometry>"
TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"


@pytest.fixture
def urdf(tmp_path):
    """Write the inside of a robot to a file; return its path."""

    def write(inside, name="r.urdf"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"<robot name='r'>\n{inside}</robot>")
        return path

    return write


def mesh_robot(name, kind="collision"):
    mesh = f"<geometry><mesh filename='{name}'/></geometry>"
    return f"<link name='a'><{kind}>{mesh}</{kind}></link>"


def codes(problems):
    return [problem.code for problem in problems]


# -- files that it names ---------------------------------------------------------------


def package(folder, name):
    (folder / "meshes").mkdir(parents=True)
    (folder / "meshes" / "m.obj").write_text(TRIANGLE)
    (folder / "package.xml").write_text(
        f"<?xml version='1.0'?><package><!-- <name>no</name> --><name> {name} </name>"
        "<author>somebody</author></package>"
    )
    return folder / "meshes" / "m.obj"


@pytest.mark.parametrize(
    ("folder", "file"),
    [
        ("repo", "repo/urdf/r.urdf"),  # the package itself
        ("repo/arm-main", "repo/robots/r.urdf"),  # one beside the file's folder
        ("repo/parts/arm-main", "repo/r.urdf"),
    ],
)
def test_packages_have_the_names_in_their_manifests(folder, file, urdf, tmp_path):
    mesh = package(tmp_path / folder, "arm_description")
    path = urdf(mesh_robot("package://arm_description/meshes/m.obj"), file)
    env = pyrave.load(path, strict=True)
    assert env.robots[0].links[0].geometries[0].description.shape.mesh.uri == str(mesh)


def test_wide_folders_above_hide_no_package(urdf, tmp_path, monkeypatch):
    monkeypatch.setattr("pyrave_urdf.packages._MAX_FOLDERS", 20)
    for number in range(40):
        (tmp_path / "home" / f"a{number}").mkdir(parents=True)
    mesh = package(tmp_path / "home" / "repo" / "parts" / "odd", "arm")
    path = urdf(mesh_robot("package://arm/meshes/m.obj"), "home/repo/r.urdf")
    scene = pyrave.read(path, strict=True)
    assert scene.bodies[0].links[0].geometries[0].shape.mesh.uri == str(mesh)


def test_manifests_below_package_folders_are_found(urdf, tmp_path):
    mesh = package(tmp_path / "ws" / "src" / "repo" / "odd", "arm")
    (tmp_path / "ws" / "src" / "broken").mkdir()
    (tmp_path / "ws" / "src" / "broken" / "package.xml").write_text("<package><name>")
    path = urdf(mesh_robot("package://arm/meshes/m.obj"), "elsewhere/deep/er/r.urdf")
    scene = pyrave.read(path, package_dirs=tmp_path / "ws", strict=True)
    assert scene.bodies[0].links[0].geometries[0].shape.mesh.uri == str(mesh)


def test_confined_loads_read_no_manifests_elsewhere(urdf, tmp_path):
    package(tmp_path / "odd", "arm")
    path = urdf(mesh_robot("package://arm/meshes/m.obj"), "in/r.urdf")
    roots = tmp_path / "in"
    problems = pyrave.read(path, resource_roots=roots, confine=True).problems
    assert codes(problems) == ["missing-mesh"]
    assert str(tmp_path / "odd") not in str(problems)


def test_file_names_with_two_slashes_are_relative(urdf, tmp_path):
    mesh = package(tmp_path / "root" / "robots", "x")
    path = urdf(mesh_robot("file://robots/meshes/m.obj"), "elsewhere/r.urdf")
    scene = pyrave.read(path, resource_roots=tmp_path / "root", strict=True)
    assert scene.bodies[0].links[0].geometries[0].shape.mesh.uri == str(mesh)
    (problem,) = pyrave.read(path).problems
    assert problem.code == "missing-mesh"
    assert "is not there" in problem.message


@pytest.mark.parametrize("suffix", [".xml", ".dae", ".urdf"])
@pytest.mark.parametrize("kind", ["visual", "collision"])
def test_a_mesh_that_is_not_there_is_a_loss_and_its_name_is_kept(
    suffix, kind, urdf, tmp_path
):
    path = urdf(mesh_robot("package://nobody/m.stl", kind))
    (loss,) = pyrave.convert(path, tmp_path / f"out{suffix}")
    assert "package://nobody/m.stl" in loss
    assert "found" in loss
    (geometry,) = pyrave.read(tmp_path / f"out{suffix}").bodies[0].links[0].geometries
    shown = geometry.shape if kind == "collision" else geometry.render
    assert shown.mesh.uri == "package://nobody/m.stl"


# -- xacro that is left over -----------------------------------------------------------

WHEEL = "{http://www.ros.org/wiki/xacro}wheel"
LEFT_OVER = (
    "<xacro:property name='x' value='${1 + 1}'/>\n"
    "<link name='a'><xacro:other/><xacro:other/></link>"
)


def test_left_over_macros_are_warnings(urdf):
    """Also where nothing declares their prefix, which XML demands."""
    path = urdf(LEFT_OVER)
    scene = pyrave.read(path)
    assert [link.name for link in scene.bodies[0].links] == ["a"]
    first, second = scene.problems
    assert (first.code, first.line, first.column) == ("unexpanded-xacro", 2, 1)
    assert "<xacro:property> is not expanded" in first.message
    assert "allow_code=True" in first.hint
    assert second.line == 3
    assert second.message.endswith("the first of 2")
    with pytest.raises(pyrave.SceneError):
        pyrave.read(path, strict=True)


@pytest.mark.parametrize("name", ["r.urdf", "r.xml", "r.robot.xml", None])
@pytest.mark.parametrize("allow_code", [False, True])
def test_left_over_macros_are_alike_whatever_a_file_is_called(urdf, name, allow_code):
    """Who may run code loses nothing: what cannot be expanded is left over, too."""
    pytest.importorskip("xacrodoc")
    content = "<xacro:wheel/><link name='a' xacro:note='1'><xacro:wheel/></link>"
    if name is None:
        text = f"<robot name='r'>{content}</robot>"
        scene = pyrave.load_string(text, allow_code=allow_code).describe()
        problems = (
            pyrave.Environment().load_string(text, allow_code=allow_code).problems
        )
    else:
        scene = pyrave.read(urdf(content, name), allow_code=allow_code)
        problems = scene.problems
    (robot,) = scene.bodies
    assert [link.name for link in robot.links] == ["a"]
    assert [key for key, _ in robot.links[0].readables] == [WHEEL]
    *why, left = problems
    assert codes(why) == (["bad-xacro"] if allow_code else [])
    assert all("read as it stands" in one.message for one in why)
    assert left.message.endswith(
        "<xacro:wheel> is not expanded and means nothing in URDF, the first of 2"
    )


@pytest.mark.parametrize("name", ["r.urdf", "r.xml", "r.robot.xml", "r.urdf.xacro"])
def test_macros_that_can_be_expanded_are_so_whatever_a_file_is_called(urdf, name):
    pytest.importorskip("xacrodoc")
    text = "<xacro:property name='x' value='b'/><link name='${x}'/>"
    path = urdf(text, name)
    path.write_text(
        path.read_text().replace(
            "<robot", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"', 1
        )
    )
    scene = pyrave.read(path, allow_code=True, strict=True)
    assert scene.bodies[0].links[0].name == "b"


def test_prefixes_that_nobody_declares_are_read(tmp_path):
    """Gazebo's old controllers had them; programs with TinyXML do not mind."""
    path = tmp_path / "r.urdf"
    path.write_bytes(
        b"<!-- <robot > \xe9 --><robot name='\xe9'><link name='a' b:c='1'/>"
        b"<controller:motor/><sensor:eye/></robot>".replace(b"\xe9", "é".encode())
    )
    (robot,) = pyrave.read(path).bodies
    assert robot.name == "é"
    assert len(robot.readables) == 2
    assert codes(pyrave.read(path).problems) == ["undeclared-prefix"] * 3
    with pytest.raises(pyrave.SceneError):
        pyrave.load_string(
            "<robot name='r'>" + "".join(f"<p{i}:x/>" for i in range(99))
        )


def test_macros_of_files_that_are_xacro_are_no_left_overs(urdf):
    with pytest.raises(pyrave.SceneError) as caught:
        pyrave.read(urdf(LEFT_OVER, "r.urdf.xacro"))
    assert caught.value.first.code == "code-refused"


def test_a_file_that_is_all_macros_is_refused_in_words(urdf):
    with pytest.raises(pyrave.SceneError) as caught:
        pyrave.read(urdf("<xacro:include filename='other.xacro'/>"))
    assert codes(caught.value.problems) == ["unexpanded-xacro", "no-link"]


# -- what we write ---------------------------------------------------------------------

WRITTEN = {
    "a manipulator of nobody": "<manipulator name='m'><base>q</base></manipulator>"
    "<link name='a'/>",
    "tags of Bullet": "<link name='a'><verbose value='1'/><origin xyz='0 0 0'/>"
    f"<collision><verbose value='Collision'/>{BOX}</collision></link>",
    "an inertia of rounding errors": "<link name='a'><inertial><mass value='1'/>"
    "<inertia ixx='0' ixy='2e-35' ixz='0' iyy='0' iyz='0' izz='0'/></inertial></link>",
    "an inertia of larger ones": "<link name='a'><inertial><mass value='2'/>"
    "<inertia ixx='0' ixy='1e-20' ixz='0' iyy='4e-18' iyz='0' izz='0'/></inertial>"
    "</link>",
    "a visual without a shape": "<link name='a'><visual><geometry/></visual></link>",
    "a shape of other programs": "<link name='a'><visual><geometry><superquadric/>"
    "</geometry></visual></link>",
    "an inertia without mass": "<link name='a'><inertial><mass value='0'/>"
    "<inertia ixx='1' iyy='1' izz='1'/></inertial></link>",
    "left-over macros": LEFT_OVER,
}


@pytest.mark.parametrize("suffix", [".xml", ".dae", ".urdf"])
@pytest.mark.parametrize("case", WRITTEN)
def test_what_is_written_has_no_warnings_of_its_own(case, suffix, urdf, tmp_path):
    path = urdf(WRITTEN[case])
    scene = pyrave.read(path)
    pyrave.convert(path, tmp_path / f"out{suffix}")
    again = pyrave.read(tmp_path / f"out{suffix}")
    assert set(codes(again.problems)) <= set(codes(scene.problems))
    assert same(again.bodies, scene.bodies)


@pytest.mark.parametrize("case", WRITTEN)
def test_urdf_of_urdf_loses_nothing(case, urdf, tmp_path):
    assert pyrave.convert(urdf(WRITTEN[case]), tmp_path / "out.urdf") == ()


def test_robots_with_links_are_urdf_and_those_with_bodies_openrave_xml(tmp_path):
    arm = "<Manipulator name='m'><base>l</base><effector>l</effector></Manipulator>"
    body = "<KinBody><Body name='l'><link name='no'/></Body></KinBody>"
    path = tmp_path / "r.robot.xml"
    path.write_text(f"<Robot name='r'>{arm.join((body, ''))}</Robot>")
    robot = pyrave.read(path).bodies[0]
    assert [one.name for one in robot.manipulators] == ["m"]
