"""Mistakes in files: told with place and hint, all in one go; hostile files."""

import gzip
import math
import time
from pathlib import Path

import pytest

import pyrave
from pyrave.errors import SceneError, Severity
from pyrave.formats import ReadContext, Resolver, read_scene, read_scene_text
from pyrave.formats.openrave_xml.hooks import OpenRAVEXmlFormat
from pyrave.formats.xml import XmlLimits

TYPOS = """<Environment>
  <KinBody name="box" mass="3">
    <Body name="b" enabled="false">
      <Geom type="box">
        <extent>1 1 1</extent><extents>1 1 1</extents>
      </Geom>
    </Body>
  </KinBody>
</Environment>
"""


def test_unknown_names_have_place_path_and_hint(read):
    problems = read(TYPOS).problems
    assert [(p.code, p.line, p.column) for p in problems] == [
        ("unknown-attribute", 2, 3),
        ("unknown-attribute", 3, 5),
        ("unknown-tag", 5, 9),
    ]
    assert problems[1].hint == "did you mean 'enable'?"
    assert problems[2].hint == "did you mean <extents>?"
    assert problems[2].element == "environment/kinbody/body/geom/extent"
    assert all(p.severity is Severity.WARNING for p in problems)


def test_strict_refuses_warnings(refuse):
    assert len(refuse(TYPOS, strict=True)) == 3


def test_unknown_tags_are_kept(read):
    geometry = read(TYPOS).bodies[0].links[0].geometries[0]
    key, readable = geometry.readables[0]
    assert (key, readable.element.text) == ("extent", "1 1 1")


def test_all_errors_of_a_load_come_at_once_over_files(refuse, tmp_path):
    (tmp_path / "part.xml").write_text(
        "<kinbody name='p'>\n <body name='a'>\n  <translation>1 x 3</translation>"
        "</body></kinbody>"
    )
    problems = refuse(
        "<environment><kinbody file='part.xml'/>\n<kinbody name='q'><body name='a'>"
        "<translation>1 2</translation></body></kinbody></environment>",
        tmp_path,
    )
    places = [(Path(p.file).name, p.line, p.column) for p in problems]
    assert places == [("part.xml", 3, 3), ("<string>", 2, 34)]
    assert "'x', which is not a number" in problems[0].message
    assert "has 2 numbers (1 2), expected 3" in problems[1].message


def test_the_same_problem_is_told_once(read, tmp_path):
    (tmp_path / "part.xml").write_text(
        "<kinbody><body name='a'><bad/></body></kinbody>"
    )
    text = "<environment>{}</environment>".format(
        "".join(f"<kinbody name='k{i}' file='part.xml'/>" for i in range(5))
    )
    assert [p.code for p in read(text, tmp_path).problems] == ["unknown-tag"]


def test_floods_of_problems_are_bounded(read):
    text = "<kinbody name='k'><body name='a'>" + "<bad/>" * 3000 + "</body></kinbody>"
    problems = read(text).problems
    assert len(problems) == 1001
    assert problems[-1].message == "2000 more problems are not listed"


@pytest.mark.parametrize(("end", "hinted"), [("body", True), ("Bodies", False)])
def test_end_tags_with_other_capitals(refuse, end, hinted):
    (problem,) = refuse(f"<KinBody name='k'>\n<Body name='a'></{end}></KinBody>")
    assert (problem.code, problem.line) == ("malformed-xml", 2)
    assert ("write </Body>" in (problem.hint or "")) is hinted


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ("nan 0 0", "nan, which is not finite"),
        ("0 inf 0", "inf, which is not finite"),
        ("1e300 0 0", "absurdly large"),
        ("x,5 2 3", "'x,5', which is not a number"),
        ("_10 2 3", "'_10', which is not a number"),
        ("1e999m 2 3", "'1e999m', which is not a number"),
    ],
)
def test_bad_numbers(refuse, numbers, words):
    (problem,) = refuse(
        f"<kinbody name='k'><body name='a'><translation>{numbers}</translation>"
        "</body></kinbody>"
    )
    assert words in problem.message
    if "," in numbers:
        assert "decimal point" in problem.hint


@pytest.mark.parametrize(
    ("numbers", "taken", "slips"),
    [
        ("1,5 2 3", (1, 2, 3), "'1,5'"),
        ("1_0 2 3", (1, 2, 3), "'1_0'"),
        ("0x10 2 3", (0, 2, 3), "'0x10'"),
        ("0.1.3065 2 3", (0.1, 2, 3), "'0.1.3065'"),
        ("0 -.5f 5cm", (0, -0.5, 5), "'-.5f', '5cm'"),
        ("1e-2m 2e 3", (0.01, 2, 3), "'1e-2m', '2e'"),
        ("+1deg 2; 3.", (1, 2, 3), "'+1deg', '2;'"),
    ],
)
def test_slips_within_numbers(read, refuse, numbers, taken, slips):
    text = (
        "<kinbody name='k'><body name='a'><geom type='sphere'><radius>1</radius>\n"
        f"<translation>{numbers}</translation></geom></body></kinbody>"
    )
    scene = read(text)
    (problem,) = scene.problems
    assert (problem.code, problem.severity, problem.line) == (
        "bad-number",
        Severity.WARNING,
        2,
    )
    values = " ".join(f"{value:g}" for value in taken)
    assert problem.message == (
        f"<translation> has {slips}, no number as it should be; {values} is taken"
    )
    assert "decimal point" in problem.hint
    (geometry,) = scene.bodies[0].links[0].geometries
    assert geometry.pose.translation == taken


@pytest.mark.parametrize("tag", ["kinbody", "robot"])
def test_body_without_a_name_is_called_as_its_file(tmp_path, tag):
    inside = "<body name='a'/>" if tag == "kinbody" else "<kinbody><body/></kinbody>"
    (tmp_path / f"my table.{tag}.xml").write_text(f"<{tag}>{inside}</{tag}>")
    env = pyrave.load(tmp_path / f"my table.{tag}.xml")
    assert list(env.bodies.names) == ["my_table"]
    (problem,) = env.problems
    assert (problem.code, problem.line) == ("unnamed-body", 1)
    (tmp_path / "scene.env.xml").write_text(
        f"<environment>\n<{tag} file='my table.{tag}.xml'/></environment>"
    )
    assert list(pyrave.load(tmp_path / "scene.env.xml").bodies.names) == ["my_table"]
    named = pyrave.load(tmp_path / f"my table.{tag}.xml", attributes={"name": "b"})
    assert list(named.bodies.names) == ["b"]
    with pytest.raises(SceneError, match="it is called 'my_table', as its file"):
        pyrave.load(tmp_path / "scene.env.xml", strict=True)
    with pytest.raises(SceneError, match="the body has no name"):
        pyrave.Environment().load_string(f"<{tag}>{inside}</{tag}>")


def test_sensor_on_an_unknown_link_is_attached_to_the_base(read):
    scene = read(
        "<robot name='r'><kinbody><body name='a'/></kinbody>"
        "<attachedsensor name='s'><link>nowhere</link><sensor type='BaseLaser2D'/>"
        "</attachedsensor></robot>"
    )
    assert [one.code for one in scene.problems] == ["unknown-link"]
    (sensor,) = scene.robots[0].attached_sensors
    assert sensor.link == "a"


def test_what_names_a_link_that_is_not_there_does_without_it_as_in_openrave(read):
    scene = read(
        "<robot name='r'><kinbody><translation>0 0 1</translation><body name='a'/>"
        "<body name='b'><offsetfrom>Base</offsetfrom><translation>0 0 2</translation>"
        "</body><joint name='j'><body>a</body><body>b</body><offsetfrom>Base"
        "</offsetfrom><anchor>0 0 2</anchor><axis>0 1 0</axis></joint></kinbody>"
        "<manipulator name='arm'><base>base_link</base><effector>b</effector>"
        "</manipulator><manipulator name='half'><base>a</base></manipulator>"
        "<manipulator name='whole'><base>a</base><effector>b</effector></manipulator>"
        "</robot>"
    )
    told = [(one.code, one.severity.name) for one in scene.problems]
    assert told == [("unknown-link", "WARNING")] * 3 + [("missing-tag", "WARNING")]
    (robot,) = scene.robots
    assert [one.name for one in robot.manipulators] == ["whole"]
    (joint,) = robot.joints
    assert joint.T_parent_joint.translation == (0, 0, 2)
    assert joint.T_child_joint.translation == (0, 0, 0)


def test_slips_and_wrong_counts_are_both_told(read):
    text = (
        "<kinbody name='k'><body name='a'><geom type='sphere'><radius>1</radius>"
        "<translation>1m 2</translation></geom></body></kinbody>"
    )
    scene = read(text)
    assert [one.code for one in scene.problems] == ["bad-number", "bad-number"]
    assert "has 2 numbers" in scene.problems[1].message
    assert scene.bodies[0].links[0].geometries[0].pose.translation == (1, 2, 0)


@pytest.mark.parametrize("tag", ["limitsdeg", "limitsrad"])
def test_slips_in_limits(read, tag):
    scene = read(
        "<kinbody name='k'><body name='a'/><body name='b'/>"
        "<joint name='j' type='hinge'><body>a</body><body>b</body><axis>0 0 1</axis>"
        f"<{tag}>-1deg 1,5</{tag}></joint></kinbody>"
    )
    (problem,) = scene.problems
    assert "-1 1 is taken" in problem.message
    (axis,) = scene.bodies[0].joints[0].axes
    assert axis.upper == pytest.approx(math.radians(1) if "deg" in tag else 1.0)


def test_equal_texts_are_judged_at_each_place(refuse):
    problems = refuse(
        "<environment>\n"
        "<kinbody name='k'><body name='a'><translation>1 inf</translation></body>\n"
        "<body name='b'><translation>1 inf</translation></body>\n"
        "<joint name='j' type='slider'><body>a</body><body>b</body><axis>1 0 0</axis>"
        "<limits>1 inf</limits></joint>\n"
        "</kinbody></environment>"
    )
    # twice a translation that has to have 3 numbers, but limits have 2 and may be inf
    assert [problem.line for problem in problems] == [2, 3]


def test_limits_may_be_infinite(only_body):
    body = only_body(
        "<body name='a'/><body name='b'/><joint name='j' type='slider'><body>a</body>"
        "<body>b</body><axis>1 0 0</axis><limits>-inf inf</limits></joint>"
    )
    assert body.joints[0].axes[0].upper == float("inf")


@pytest.mark.parametrize("name", ["", "a b", "a&#7;b", "a&#9;b"])
def test_names_that_no_body_may_have(refuse, name):
    (problem,) = refuse(f"<kinbody name='{name}'><body name='a'/></kinbody>")
    assert problem.code in {"bad-name", "malformed-xml"}


def test_wrong_root(refuse):
    (problem,) = refuse("<enviroment/>")
    assert problem.code == "no-reader" or "did you mean <environment>" in problem.hint


def test_malformed_xml_says_where(refuse):
    (problem,) = refuse("<environment>\n  <kinbody name='a'>\n</environment>")
    assert problem.code == "malformed-xml"
    assert (problem.line, problem.file) == (3, "<string>")
    assert problem.column is not None


BOMB = (
    "<!DOCTYPE e ["
    + "".join(
        f"<!ENTITY a{i} '{'ha' if i == 0 else f'&a{i - 1};' * 10}'>" for i in range(20)
    )
    + "]><environment><kinbody name='&a19;'/></environment>"
)


@pytest.mark.parametrize(
    "text",
    [
        BOMB,
        '<!DOCTYPE e SYSTEM "file:///etc/passwd"><environment/>',
        (
            '<!DOCTYPE e [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
            "<environment><plugin>&x;</plugin></environment>"
        ),
    ],
)
def test_document_types_and_entities_are_refused(refuse, text):
    (problem,) = refuse(text)
    assert problem.code == "doctype"
    assert refuse(text.encode("utf-16"))[0].code in {"doctype", "malformed-xml"}


def test_a_comment_may_mention_a_document_type(read):
    scene = read(
        "<environment><!-- <!DOCTYPE html> --><plugin>a</plugin></environment>"
    )
    assert scene.plugins[0].name == "a"


def test_deep_nesting_huge_files_and_odd_encodings(refuse):
    deep = "<kinbody>" * 100_000
    assert refuse("<kinbody name='a'>" + deep)[0].code == "malformed-xml"
    flat = "<environment>" + "<a/>" * 50 + "</environment>"
    assert refuse(flat, limits=XmlLimits(elements=20))[0].code == "file-too-large"
    assert refuse(flat, limits=XmlLimits(file_bytes=99))[0].code == "file-too-large"
    odd = b'<?xml version="1.0" encoding="klingon"?><environment/>'
    assert refuse(odd)[0].code == "malformed-xml"
    assert refuse(b"<environment>\xff\xfe\x00</environment>")[0].code == "malformed-xml"


def test_utf16_files_are_read(read):
    text = '<?xml version="1.0" encoding="utf-16"?><kinbody name="手"/>'
    assert read(text.encode("utf-16")).bodies[0].name == "手"


def test_inclusion_cycles_are_named(refuse, tmp_path):
    (tmp_path / "a.xml").write_text("<kinbody name='a' file='b.xml'/>")
    (tmp_path / "b.xml").write_text("<kinbody name='b' file='a.xml'/>")
    problems = refuse("<environment><kinbody file='a.xml'/></environment>", tmp_path)
    assert problems[0].code == "include-cycle"
    assert "a.xml -> b.xml -> a.xml" in problems[0].message


def test_inclusion_bombs_end_quickly(refuse, tmp_path):
    for i in range(20):
        body = f"<kinbody file='f{i + 1}.xml'/>" * 10
        (tmp_path / f"f{i}.xml").write_text(f"<kinbody name='k'>{body}</kinbody>")
    (tmp_path / "f20.xml").write_text("<kinbody name='k'/>")
    start = time.process_time()
    problems = refuse("<environment><kinbody file='f0.xml'/></environment>", tmp_path)
    assert problems[-1].code == "too-many-inclusions"
    assert time.process_time() - start < 60


def test_formats_without_reader_are_named(refuse, tmp_path):
    (tmp_path / "arm.zae").write_bytes(b"PK\x03\x04rest")
    (tmp_path / "arm.dae").write_text("<?xml version='1.0'?>\n<COLLADA/>")
    (tmp_path / "arm.iv").write_text("#Inventor V2.1 ascii\n")
    for name, words in (("zae", "COLLADA"), ("dae", "COLLADA"), ("iv", "Inventor")):
        (problem,) = refuse(
            f"<environment><robot name='r' file='arm.{name}'/></environment>", tmp_path
        )
        assert problem.code == "no-reader"
        assert words in problem.message
    context = ReadContext(resolver=Resolver(data_roots=()))
    with pytest.raises(SceneError, match="COLLADA has no reader yet"):
        read_scene(tmp_path / "arm.dae", [OpenRAVEXmlFormat()], context)


@pytest.mark.parametrize(
    ("text", "family"),
    [
        ("<robot name='r'><link name='a'/></robot>", "URDF"),
        ("<!-- c --><WorkCell name='w'/>", "RobWork WorkCell"),
        ("<DynamicWorkCell/>", "RobWork Dynamic WorkCell"),
        ("{}", "JSON"),
    ],
)
def test_foreign_texts_are_recognised(text, family):
    with pytest.raises(SceneError, match=f"{family}.* has no reader"):
        read_scene_text(text, [OpenRAVEXmlFormat()], ReadContext())


def test_compressed_files_are_not_inflated(refuse):
    assert refuse(gzip.compress(b"<environment/>"))[0].code == "no-reader"


def test_missing_meshes_are_warnings(read, tmp_path):
    (tmp_path / "cup.stl").write_bytes(b"")
    text = (
        "<kinbody name='k'><body name='a'><geom type='trimesh'>"
        "<data>cups.stl 2</data></geom></body></kinbody>"
    )
    scene = read(text, tmp_path)
    (problem,) = scene.problems
    assert problem.code == "missing-mesh"
    assert "cup.stl" in problem.hint
    mesh = scene.bodies[0].links[0].geometries[0].shape.mesh
    assert (mesh.found, mesh.uri, mesh.scale) == (False, "cups.stl", (2, 2, 2))


def test_long_texts_of_mesh_tags_end_quickly(read):
    start = time.process_time()
    scene = read(
        "<kinbody name='k'><body name='a'><geom type='trimesh'>"
        f"<data>{'1 ' * 300_000}x</data></geom></body></kinbody>"
    )
    assert [problem.code for problem in scene.problems] == ["missing-mesh"]
    assert time.process_time() - start < 20


@pytest.mark.parametrize(
    ("text", "name", "scale"),
    [
        ("my mug.stl", "my mug.stl", (1, 1, 1)),
        ("my mug 2.stl 0.5", "my mug 2.stl", (0.5, 0.5, 0.5)),
        (" mug.stl\n 1  2\t3 ", "mug.stl", (1, 2, 3)),
        ("mug.stl -1e-3", "mug.stl", (-1e-3, -1e-3, -1e-3)),
        ("2", "2", (1, 1, 1)),
        ("mug e", "mug e", (1, 1, 1)),
    ],
)
def test_names_of_meshes_may_have_blanks_and_digits(read, text, name, scale):
    scene = read(
        f"<kinbody name='k'><body name='a'><geom type='trimesh'><data>{text}</data>"
        "</geom></body></kinbody>"
    )
    mesh = scene.bodies[0].links[0].geometries[0].shape.mesh
    assert (mesh.written, mesh.scale) == (name, scale)


def test_modelsdir_is_searched_first(read, tmp_path):
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "cup.stl").write_bytes(b"")
    scene = read(
        "<kinbody name='k'><modelsdir>models</modelsdir><body name='a'>"
        "<geom type='trimesh'><data>cup.stl 1 2 3</data></geom></body></kinbody>",
        tmp_path,
    )
    mesh = scene.bodies[0].links[0].geometries[0].shape.mesh
    assert mesh.uri == str(tmp_path / "models" / "cup.stl")
    assert mesh.scale == (1, 2, 3)


def test_what_no_plugin_makes_is_named_kept_and_written_back(tmp_path):
    env = pyrave.Environment()
    report = env.load_string(
        "<environment><sensor type='NoSuch a b' name='s'><foo x='1'>1</foo></sensor>"
        "<robot name='r' type='MyRobot z'><kinbody><body name='a'/></kinbody>"
        "<controller type='NoCtl'><piddata><pgains>1</pgains></piddata></controller>"
        "</robot></environment>"
    )
    told = [(p.code, p.element) for p in report.problems]
    assert sorted(told) == [
        ("unknown-interface", "environment/robot"),
        ("unknown-interface", "environment/robot/controller"),
        ("unknown-interface", "environment/sensor"),
    ]
    assert all("no installed plugin offers" in p.message for p in report.problems)
    env.save(tmp_path / "again.env.xml")
    text = (tmp_path / "again.env.xml").read_text()
    for part in (
        '<sensor type="NoSuch a b" name="s">',
        '<foo x="1">1</foo>',
        '<pyrave type="MyRobot z"/>',
        "<pgains>1</pgains>",
    ):
        assert part in text
    with pytest.raises(SceneError):
        env.load(tmp_path / "again.env.xml", strict=True, rename=True)


@pytest.mark.parametrize("content", [None, b"no mesh at all"])
def test_the_mesh_that_is_shown_stands_for_one_that_cannot_be_had(tmp_path, content):
    (tmp_path / "shown.off").write_text("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n")
    if content is not None:
        (tmp_path / "solid.stl").write_bytes(content)
    (tmp_path / "k.kinbody.xml").write_text(
        "<kinbody name='k'><body name='a'><geom type='trimesh'>"
        "<render>shown.off 3</render><data>solid.stl 2</data></geom></body></kinbody>"
    )
    env = pyrave.load(tmp_path / "k.kinbody.xml")
    body = env.bodies["k"]
    assert body.aabb[1].tolist() == [1.5, 1.5, 0]
    told = [problem.message for problem in env.problems]
    what = "has the shape of the mesh that shows it" if content else "not found"
    assert what in told[-1]
    assert "solid.stl" in told[-1]
    # the scene keeps what it names
    shape = body.describe().links[0].geometries[0].shape
    assert shape.mesh.uri.endswith("solid.stl")
    (tmp_path / "shown.off").unlink()
    lost = pyrave.load(tmp_path / "k.kinbody.xml")
    with pytest.raises(pyrave.Error, match=r"solid\.stl"):
        lost.bodies["k"].links[0].geometries[0].mesh  # noqa: B018
