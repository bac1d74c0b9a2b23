"""xacro runs code of the file: only where the caller allows it."""

from __future__ import annotations

import sys

import pytest

import pyrave

XACRO = """<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:arg name="length" default="1"/>
<xacro:property name="half" value="${float('$(arg length)') / 2}"/>
<link name="a"><collision><geometry><box size="${half} 1 1"/></geometry></collision>
</link></robot>"""


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "box.urdf.xacro"
    found.write_text(XACRO)
    return found


def test_it_is_refused_unless_code_may_run(path):
    with pytest.raises(pyrave.SceneError) as caught:
        pyrave.load(path)
    assert caught.value.first.code == "code-refused"
    assert "allow_code=True" in caught.value.first.hint


def test_a_library_that_is_missing_is_named(path, monkeypatch):
    monkeypatch.setitem(sys.modules, "xacrodoc", None)
    with pytest.raises(pyrave.SceneError) as caught:
        pyrave.load(path, allow_code=True)
    assert caught.value.first.code == "missing-library"
    assert "pyrave[xacro]" in caught.value.first.hint


def test_arguments(path):
    pytest.importorskip("xacrodoc")

    def size(**options):
        env = pyrave.load(path, allow_code=True, **options)
        return env.robots["r"].links[0].geometries[0].half_extents[0]

    assert size() == 0.25
    assert size(arguments={"length": 4}) == 1.0


def test_an_argument_that_no_file_asks_for_is_told(path):
    pytest.importorskip("xacrodoc")
    given = {"length": 4, "lenght": 5}
    env = pyrave.load(path, allow_code=True, arguments=given)
    (problem,) = env.problems
    assert (problem.code, problem.file) == ("unused-argument", str(path))
    assert "unused argument 'lenght'" in problem.message
    assert "did you mean 'length'?" in problem.message
    with pytest.raises(pyrave.SceneError):
        pyrave.load(path, allow_code=True, arguments=given, strict=True)
    pyrave.load(path, allow_code=True, arguments={"length": 4}, strict=True)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("r.urdf", "<robot name='r'><link name='a'/></robot>"),
        ("r.env.xml", "<Environment/>"),
    ],
)
def test_arguments_for_what_is_no_xacro_are_told(name, text, tmp_path):
    path = tmp_path / name
    path.write_text(text)
    (problem,) = pyrave.read(path, arguments={"length": 4}).problems
    assert problem.code == "unused-argument"
    assert "xacro" in problem.hint
    with pytest.raises(pyrave.SceneError):
        pyrave.read(path, arguments={"length": 4}, strict=True)


def test_arguments_reach_a_file_that_a_scene_includes(path, tmp_path):
    pytest.importorskip("xacrodoc")
    scene = tmp_path / "s.env.xml"
    scene.write_text(f'<Environment><Robot file="{path.name}"/></Environment>')
    options = {"allow_code": True, "arguments": {"length": 4}, "strict": True}
    env = pyrave.load(scene, **options)
    half = env.robots[0].links[0].geometries[0].half_extents
    assert half[0] == 1.0


def test_what_it_cannot_expand_is_one_error(path):
    pytest.importorskip("xacrodoc")
    path.write_text(XACRO.replace("float(", "nonsense("))
    with pytest.raises(pyrave.SceneError) as caught:
        pyrave.load(path, allow_code=True)
    problem = caught.value.first
    assert (problem.code, problem.file) == ("bad-xacro", str(path))
    text = path.read_text()
    line = text.splitlines()[problem.line - 1]
    assert line[problem.column - 1 :].startswith("${nonsense(")
    assert "nonsense" in problem.message


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("<xacro:wheel side='left'/>", "<xacro:wheel"),
        ("<gazebo reference='$(arg which)'/>", "$(arg which)"),
        ("<xacro:include filename='parts/arm.xacro'/>", "arm.xacro"),
        ("<gazebo reference='${nobody}'/>", "${nobody}"),
    ],
)
@pytest.mark.parametrize("name", ["r.xacro", "r.urdf"])
def test_what_xacro_complains_about_has_a_place(tmp_path, name, line, words):
    pytest.importorskip("xacrodoc")
    head = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
    more = "<xacro:property name='a' value='1'/><link name='a'/>"
    (tmp_path / name).write_text(f"{head}\n{more}\n  {line}\n</robot>")
    try:
        (problem, *_) = pyrave.read(tmp_path / name, allow_code=True).problems
    except pyrave.SceneError as error:
        problem = error.first
    assert (problem.code, problem.line) == ("bad-xacro", 3)
    assert problem.column == line.find(words) + 3


@pytest.mark.parametrize("host", ["www.ros.org", "ros.org"])
@pytest.mark.parametrize("code", [False, True])
def test_what_is_left_over_is_told_once(tmp_path, host, code):
    """Wherever it stands: among links, in their shapes, in comments not at all."""
    if code:
        pytest.importorskip("xacrodoc")
    path = tmp_path / "r.urdf"
    path.write_text(
        f'<robot name="r" xmlns:xacro="http://{host}/wiki/xacro"><xacro:x/>'
        '<link name="a"><visual><geometry><xacro:box/></geometry></visual></link>'
        "<!-- <xacro:y/> --></robot>"
    )
    problems = pyrave.load(path, allow_code=code).problems
    codes = [one.code for one in problems]
    assert codes == ["bad-xacro"] * code + ["unexpanded-xacro"] * 2
    told = [one.message for one in problems][-2:]
    assert "<xacro:x>" in told[0]
    assert "<xacro:box>" in told[1]


def test_files_that_xacro_wrote_are_urdf():
    text = (
        '<!-- from <xacro:include> of box.xacro --><robot name="r" '
        'xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="a"/></robot>'
    )
    assert pyrave.load_string(text).robots["r"].name == "r"


def test_packages_of_includes_are_found(tmp_path):
    pytest.importorskip("xacrodoc")
    parts = tmp_path / "packages" / "parts"
    parts.mkdir(parents=True)
    (parts / "link.xacro").write_text(
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="got"/></robot>'
    )
    path = tmp_path / "r.xacro"
    path.write_text(
        '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
        '<xacro:include filename="$(find parts)/link.xacro"/></robot>'
    )
    env = pyrave.load(path, allow_code=True, package_dirs=tmp_path / "packages")
    assert env.robots["r"].links[0].name == "got"


NAMESPACE = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'


def part(path, name):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'<robot {NAMESPACE}><link name="{name}"/></robot>')


def test_relative_includes_start_from_the_file(tmp_path, monkeypatch):
    pytest.importorskip("xacrodoc")
    part(tmp_path / "parts" / "inner" / "link.xacro", "got")
    (tmp_path / "parts" / "all.xacro").write_text(
        f'<robot {NAMESPACE}><xacro:include filename="inner/link.xacro"/></robot>'
    )
    path = tmp_path / "r.xacro"
    path.write_text(
        f'<robot name="r" {NAMESPACE}><xacro:include filename="parts/all.xacro"/>'
        "</robot>"
    )
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    for _ in range(2):  # what fails leaves nothing behind that the next load takes
        env = pyrave.load(path, allow_code=True)
        assert env.robots["r"].links[0].name == "got"
        wrong = elsewhere / "w.xacro"
        wrong.write_text(path.read_text().replace("all", "none"))
        with pytest.raises(pyrave.SceneError, match=r"parts/none\.xacro"):
            pyrave.load(wrong, allow_code=True)


def test_packages_of_includes_have_the_names_in_their_manifests(tmp_path):
    pytest.importorskip("xacrodoc")
    part(tmp_path / "repo" / "odd-main" / "link.xacro", "got")
    (tmp_path / "repo" / "odd-main" / "package.xml").write_text(
        "<package><name>odd</name></package>"
    )
    path = tmp_path / "repo" / "robots" / "r.xacro"
    path.parent.mkdir()
    path.write_text(
        f'<robot name="r" {NAMESPACE}>'
        '<xacro:include filename="$(find odd)/link.xacro"/></robot>'
    )
    env = pyrave.load(path, allow_code=True, strict=True)
    assert env.robots["r"].links[0].name == "got"
    path.write_text(path.read_text().replace("find odd", "find nobody"))
    with pytest.raises(pyrave.SceneError) as caught:
        pyrave.load(path, allow_code=True)
    problem = caught.value.first
    assert problem.message == "there is no package 'nobody', which xacro is to find"
    assert (problem.code, problem.line) == ("bad-xacro", 1)
    assert "package_dirs" in problem.hint


def test_meshes_of_an_expanded_file_keep_their_names(tmp_path):
    pytest.importorskip("xacrodoc")
    path = tmp_path / "r.xacro"
    mesh = '<mesh filename="package://${name}/m.stl"/>'
    path.write_text(
        f'<robot name="r" {NAMESPACE}><xacro:property name="name" value="nobody"/>\n'
        f'<link name="a"><visual><geometry>{mesh}</geometry></visual></link></robot>'
    )
    scene = pyrave.read(path, allow_code=True)
    (problem,) = scene.problems
    assert problem.code == "missing-mesh"
    # its lines are those of the text that the macros made
    assert problem.file == f"{path} (expanded)"
    assert scene.bodies[0].links[0].geometries[0].render.mesh.written == (
        "package://nobody/m.stl"
    )
