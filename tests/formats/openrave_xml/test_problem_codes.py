"""Every problem that the OpenRAVE XML reader tells: code, severity, place, hint.

A case is a text in which `@` stands before the element that the problem names. The
table has every code of the catalogue that the reader's modules mention.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import pyrave.formats.openrave_xml
from pyrave.errors import SceneError, Severity
from pyrave.formats.xml import XmlLimits

CATALOGUE = Path(__file__).parents[3] / "docs" / "reference" / "errors.md"
READER = Path(pyrave.formats.openrave_xml.__file__).parent
# codes that other tests have: they need files or limits of their own, or are no problem
# of one element
ELSEWHERE = {
    "stale-pyrave": "tests of what is written and edited",
    "too-complex": "test_hostile_sizes",
    "too-many-problems": "test_openrave_xml_problems",
    "too-many-inclusions": "test_openrave_xml_problems",
    "ambiguous-tag": "test_ambiguous_names: needs two packages",
    "content-replaced": "test_included_sensors",
    "unknown-fragment": "test_collada_scenes: needs another format",
    "trajectory": "an interface type of that name",
    "invalid-setting": "test_settings of interfaces: needs classes that declare some",
}


@dataclass(frozen=True)
class Case:
    """A text, and the one problem that it has.

    `words` are in the message, `hint` in the hint (None: any).
    """

    code: str
    text: str
    words: str = ""
    hint: str | None = None
    error: bool = True
    files: dict[str, str] = field(default_factory=dict)
    context: dict[str, Any] = field(default_factory=dict)


def warning(
    code: str, text: str, words: str = "", hint: str | None = None, **rest: Any
):
    return Case(code, text, words, hint, error=False, **rest)


def body(content: str) -> str:
    return f"<kinbody name='k'>\n <body name='a'>\n  {content}\n </body>\n</kinbody>"


def pair(content: str) -> str:
    links = "<body name='a'/><body name='b'/>"
    return f"<kinbody name='k'>{links}\n {content}\n</kinbody>"


def joint(content: str, attributes: str = "name='j'") -> str:
    ends = "<body>a</body><body>b</body>"
    return pair(f"<joint {attributes}>{ends}{content}</joint>")


def robot(content: str) -> str:
    turn = "<joint name='j'><body>a</body><body>b</body><axis>0 0 1</axis></joint>"
    links = f"<kinbody><body name='a'/><body name='b'/>{turn}</kinbody>"
    return f"<robot name='r'>{links}\n {content}\n</robot>"


def geom(content: str) -> str:
    return body(f"<geom {content}</geom>")


MANIPULATOR = "<base>a</base><effector>a</effector>"
AXIS = "<axis>0 0 1</axis>"

VALUES = [
    warning("bad-number", body("@<translation>1 2</translation>"), "expected 3; 1 2 0"),
    warning("bad-number", body("@<translation>1 2 3 4</translation>"), "has 4 numbers"),
    Case("bad-number", body("@<quat>1 0 x 0</quat>"), "'x', which is not a number"),
    Case("bad-number", body("@<quat>1 0 nan 0</quat>"), "nan, which is not finite"),
    warning(
        "bad-number", body("@<translation>0,1 0 0</translation>"), "0 0 0 is taken"
    ),
    Case("bad-number", body("@<translation>a,1 0 0</translation>"), "a,1", "decimal"),
    warning(
        "bad-number", geom("type='trimesh'>@<data>a.stl 1 2</data>"), "1 or 3; 1 2"
    ),
    warning(
        "bad-number", geom("type='trimesh'>@<data>a.stl 1 2 3 4</data>"), "4 numbers"
    ),
    Case("bad-number", geom("type='trimesh'>@<data>a.stl ,5</data>"), ",5", "decimal"),
    warning("bad-number", joint(AXIS + "@<maxvel>1 2</maxvel>"), "expected 1; 1 is"),
    warning("bad-number", joint(AXIS + "@<limits>1</limits>"), "2; it is not used"),
    warning(
        "bad-number",
        "@<kinbody name='k' scalegeometry='1 2'><body name='a'/></kinbody>",
        "expected 1 or 3",
    ),
    Case("bad-number", "<environment>@<unit scale='x'/></environment>", "'scale'"),
    warning(
        "bad-number",
        joint(AXIS + "<actuator>@<gear_ratio/></actuator>"),
        "has 0 numbers (nothing), expected 1",
    ),
    warning("bad-boolean", "@<kinbody name='k' skipgeometry='maybe'/>", "'maybe'"),
    # as OpenRAVE: whatever is not false or 0 enables a joint
    warning(
        "bad-boolean",
        pair(
            f"@<joint name='j' enable='no'><body>a</body><body>b</body>{AXIS}</joint>"
        ),
        "taken as true",
    ),
    Case("bad-size", "@<kinbody name='k' scalegeometry='0'/>", "expected above 0"),
    Case("bad-size", geom("type='sphere'>@<radius>-1</radius>"), "expected 0 or more"),
    Case("bad-size", joint(AXIS + "@<maxtorque>-1</maxtorque>"), "expected 0 or more"),
    warning("missing-size", geom("@type='box'>"), "no <extents>"),
    warning("missing-size", geom("@type='trimesh'>"), "neither <data> nor <vertices>"),
    warning("missing-size", geom("type='cage'><extents>1 1 1</extents>@<sidewall/>")),
    Case(
        "not-a-rotation",
        body("@<rotationmat>-1 0 0 0 1 0 0 0 1</rotationmat>"),
        "determinant -1",
    ),
    warning("not-a-rotation", body("@<rotationmat>1 0.2 0 0 1 0 0 0 1</rotationmat>")),
    Case("zero-quaternion", body("@<quat>0 0 0 0</quat>")),
    Case("zero-axis", body("@<rotationaxis>0 0 0 90</rotationaxis>")),
    Case(
        "zero-axis", joint("", "@name='j' type='slider'"), "<axis> of joint 'j' is miss"
    ),
    warning("missing-axis", joint("", "@name='j'"), "turns about 0 0 1 of link 'a'"),
    Case("zero-axis", joint("@<axis>0 0 0</axis>"), "is 0 0 0"),
    warning(
        "zero-axis",
        robot(
            f"<manipulator name='m'>{MANIPULATOR}@<direction>0 0 0</direction>"
            "</manipulator>"
        ),
        "taken as 0 0 1",
    ),
    warning(
        "stray-text", "<kinbody name='k'>@<body name='a'>x</body></kinbody>", "'x'"
    ),
    warning("repeated-item", body("<mass/>@<mass/>"), "duplicate <mass>"),
    warning(
        "bad-color",
        body("<geom type='none'>@<diffusecolor>2 0 -1</diffusecolor></geom>"),
        "2 0 -1, expected 0 to 1; it is kept",
    ),
    warning(
        "joint-values", pair("@<jointvalues>1 2</jointvalues>"), "0 degrees of freedom"
    ),
]

NAMES = [
    warning(
        "unknown-tag", body("@<translaton>1 2 3</translaton>"), hint="<translation>"
    ),
    warning("unknown-tag", body("<translation>1 2 3@<x/></translation>"), "<x>"),
    warning("unknown-tag", body("<mass>@<totl>1</totl></mass>"), hint="<total>"),
    warning("unknown-tag", robot("<attachedsensor name='s'>@<lnk/></attachedsensor>")),
    warning("unknown-tag", joint(AXIS + "<actuator>@<gear/></actuator>"), "<gear>"),
    warning(
        "unknown-attribute", "@<kinbody name='k' mass='3'/>", "'mass' of <kinbody>"
    ),
    warning("unknown-attribute", body("@<mass kind='box'/>"), "'kind' of <mass>"),
    warning("unknown-attribute", body("@<quat unit='x'>1 0 0 0</quat>"), "'unit' of"),
    warning(
        "unknown-attribute", joint(AXIS, "@name='j' cicular='1'"), hint="'circular'"
    ),
    warning("unknown-attribute", joint(AXIS, "@name='j' mimic_x='1'"), "mimic_x"),
    warning("unknown-attribute", "<environment>@<unit scales='1'/></environment>"),
    warning(
        "deprecated-tag",
        "<environment>@<camrotaxis>1 0 0 9</camrotaxis></environment>",
        hint="<camrotationaxis>",
    ),
    warning(
        "deprecated-tag",
        robot(
            f"<manipulator name='m'>{MANIPULATOR}@<palmdirection>1 0 0"
            "</palmdirection></manipulator>"
        ),
        hint="<direction>",
    ),
    warning("deprecated-tag", joint(AXIS + "@<lostop>-9</lostop>"), hint="<limitsdeg>"),
    warning(
        "deprecated-attribute", joint(AXIS, "@name='j' mimic='i'"), hint="mimic_pos"
    ),
    warning(
        "deprecated-attribute",
        "<environment>@<sensor type='L' args='x'/></environment>",
        hint="type='Id args'",
    ),
    warning(
        "unused-tag",
        geom("type='sphere'>@<extents>1 1 1</extents><radius>1</radius>"),
        "type 'sphere'",
        "<radius>",
    ),
    warning("unused-tag", joint(AXIS + "@<maxforce>1</maxforce>"), "<maxtorque>"),
    warning(
        "unused-tag",
        robot(
            f"<manipulator name='m'>{MANIPULATOR}@<armjoints>j</armjoints>"
            "</manipulator>"
        ),
        "chain from base to effector",
    ),
    warning(
        "missing-tag",
        robot("@<manipulator name='m'><base>a</base></manipulator>"),
        "<effector>; the manipulator is left out",
    ),
    Case("missing-type", "<environment>@<planner/></environment>", "", "InterfaceId"),
    Case("bad-name", "@<kinbody name='a b'/>", "blanks"),
    Case("bad-name", "@<kinbody/>", "no name", "name="),
    Case("bad-name", f"@<kinbody name='{'x' * 2000}'/>", "2000 characters", "1000"),
    Case("bad-name", "<environment>@<plugin/></environment>", "names no plugin"),
    Case(
        "bad-name",
        "<environment>@<plugin name='mine'/></environment>",
        "names no plugin",
        "<plugin>mine</plugin>",
    ),
    Case(
        "duplicate-name",
        "<environment><kinbody name='k'/>\n@<kinbody name='k'/></environment>",
        "<string>:1",
    ),
    Case(
        "duplicate-name",
        joint(AXIS + "</joint>@<joint name='j'><body>a</body><body>b</body>" + AXIS),
        "joint 'j'",
    ),
    warning(
        "unnamed-body",
        "<environment>@<kinbody file='b.xml'/></environment>",
        "it is called 'b', as its file",
        files={"b.xml": "<kinbody><body name='a'/></kinbody>"},
    ),
    warning("unnamed-joint", joint(AXIS, "@")),
    warning("unnamed-link", "<kinbody name='k'><body name='a'/>\n@<body/></kinbody>"),
    warning(
        "unnamed-manipulator",
        robot(f"@<manipulator>{MANIPULATOR}</manipulator>"),
        "'manip0'",
    ),
    warning("unnamed-sensor", robot("@<attachedsensor/>"), "'sensor0'"),
    Case("bad-pyrave", body("<pyrave>@<set name='pose'>{</set></pyrave>")),
]

STRUCTURE = [
    Case(
        "unknown-link",
        pair("<joint name='j'>@<body>aa</body><body>b</body></joint>"),
        "'aa'",
        "did you mean 'a'",
    ),
    warning(
        "unknown-link",
        body("@<offsetfrom>b</offsetfrom>"),
        "'b'; the pose is in the frame of the body",
        "the body has the links 'a'",
    ),
    warning(
        "unknown-link",
        joint(AXIS + "@<offsetfrom>c</offsetfrom>"),
        "'c'; anchor and axes are in the frame of the body",
    ),
    warning(
        "unknown-link",
        robot("<manipulator name='m'>@<base>aa</base></manipulator>"),
        "'aa'; the manipulator is left out",
        "did you mean 'a'?",
    ),
    warning("unknown-link", pair("@<adjacent>a c</adjacent>"), "'c'"),
    warning(
        "unknown-link",
        robot("<attachedsensor name='s'>@<link>x</link></attachedsensor>"),
        "no link is named 'x'; the sensor is attached to the base",
    ),
    Case("bad-offset", body("@<offsetfrom>a</offsetfrom>"), "from itself"),
    warning(
        "unknown-joint",
        robot(f"<manipulator name='m'>{MANIPULATOR}@<joints>jj</joints></manipulator>"),
        "'jj'",
        "'j'",
    ),
    warning(
        "gripper-in-arm",
        robot(
            "@<manipulator name='m'><base>a</base>"
            "<effector>b</effector><joints>j</joints></manipulator>"
        ),
        "'j'",
        "beyond",
    ),
    warning(
        "unconnected-link",
        joint(
            AXIS + "</joint>@<body name='c'/><joint>"
            "<body>a</body><body>b</body><limits>0 0</limits>"
        ),
        "'c'",
        "add a <joint>",
    ),
    Case("unknown-joint-type", joint("", "@name='j' type='hing'"), "'hing'", "'hinge'"),
    Case(
        "unknown-actuator-type",
        joint(AXIS + "@<actuator type='hydraulic'/>"),
        "'hydraulic'",
        "electric_motor",
    ),
    warning(
        "unknown-body-type",
        "<kinbody name='k'>@<body name='a' type='x'/></kinbody>",
        "known: dynamic, static",
    ),
    Case(
        "joint-links",
        pair("@<joint name='j'><body>a</body></joint>"),
        "has 1 <body> tag,",
    ),
    Case(
        "joint-links",
        pair("@<joint name='j'><body>a</body><body>a</body></joint>"),
        "to itself",
    ),
    Case(
        "mixed-limits",
        joint(AXIS + "<limits>0 1</limits><histop>9</histop>", "@name='j'"),
        "<limits>",
    ),
    warning(
        "swapped-limits", joint(AXIS + "@<limits>2 1</limits>", "name='j'"), "<limits>"
    ),
    warning("likely-unit", joint(AXIS + "@<limits>-170 170</limits>"), "degrees"),
    warning(
        "equal-limits", joint(AXIS + "<limits>1 1</limits>", "@name='j'"), "taken as 0"
    ),
    warning(
        "unused-attribute",
        "<kinbody name='k'>@<body name='a' skipgeometry='1'/></kinbody>",
        "outermost",
    ),
    warning("bad-adjacent", pair("@<adjacent>a</adjacent>"), "expected 2 links"),
    Case("bad-mimic", joint(AXIS, "@name='j' mimic=''"), "'joint c0 c1'"),
    warning(
        "closing-direction",
        robot(
            f"<manipulator name='m'>{MANIPULATOR}<joints>j"
            "</joints>@<closingdirection>1 1</closingdirection></manipulator>"
        ),
        "1 degrees of freedom",
    ),
]

SHAPES = [
    warning("missing-mesh", geom("type='trimesh'>@<data>cup.iv</data>"), "'cup.iv'"),
    warning(
        "bad-vertices", geom("type='trimesh'>@<vertices>1 2 3</vertices>"), "9 for each"
    ),
    Case("bad-prism", geom("@type='prism'><height>1</height>"), "3 or more corners"),
    warning("unknown-geometry-type", geom("@type='spher'>"), "'spher'", "'sphere'"),
    warning("unknown-geometry-type", geom("@type='plane'>"), "'plane'", "thin box"),
    warning("unknown-geometry-type", geom("@type='axial'>"), "'axial'", "trimesh"),
    Case(
        "skewing-scale",
        "<kinbody name='k' scalegeometry='1 2 1'><body name='a'>"
        "@<geom type='sphere'><radius>1</radius></geom></body></kinbody>",
        "oval",
    ),
    Case(
        "skewing-scale",
        "<kinbody name='k' scalegeometry='1 2 1'><body name='a'>"
        "@<geom type='box'><extents>1 1 1</extents><rotationaxis>0 0 1 30"
        "</rotationaxis></geom></body></kinbody>",
        "skews",
        "quarter turns",
    ),
    warning("unknown-mass-type", body("@<mass type='ball'/>"), "taken as 'sphere'"),
    warning(
        "unknown-mass-type",
        "<kinbody name='k'>@<mass type='custom'/><body name='a'/></kinbody>",
        "known here: sphere, box, mimicgeom",
    ),
    Case("bad-mass", body("@<mass><total>-1</total></mass>"), "total is -1"),
    Case(
        "bad-mass",
        body("@<mass type='box'><extents>-1 1 1</extents></mass>"),
        "extents is -1",
    ),
    warning(
        "bad-inertia", body("@<mass type='custom'><total>0</total></mass>"), "mass"
    ),
    warning(
        "mass-values-unused",
        body("@<mass><com>0 0 1</com></mass>"),
        "<com> is not",
        "'custom'",
    ),
    warning(
        "mass-values-unused",
        body("@<mass type='box'><radius>1</radius></mass>"),
        "<radius> is not",
        "'sphere'",
    ),
    warning(
        "mass-without-geometry",
        body("@<mass type='mimicgeom'><total>1</total></mass>"),
        "",
        "<geom>",
    ),
    warning(
        "mass-without-mesh",
        body(
            "@<mass type='mimicgeom'/><geom type='trimesh'>"
            "<vertices>0 0 0 1 0 0 0 1 0</vertices></geom>"
        ),
        "no volume",
        "custom",
    ),
]


def broken_reader(element, context):
    raise RuntimeError("broken")


def strict_reader(element, context):
    context.error("of the reader", hint="of the reader too")


def reads(reader):
    return {"find_reader": lambda kind, tag: reader if tag == "mine" else None}


FILES = [
    Case("missing-file", "@<kinbody name='k' file='b.xml'/>", "'b.xml'"),
    Case("bad-uri", "@<kinbody name='k' file='http://x/b.xml'/>", "http"),
    warning("bad-uri", geom("type='trimesh'>@<data>http://x/b.stl</data>"), "http"),
    Case(
        "outside-roots",
        "@<kinbody name='k' file='/etc/passwd'/>",
        "is refused",
        "confine=True",
        context={"confine": True, "roots": ["/nowhere"]},
    ),
    Case(
        "wrong-root",
        "@<kinbody name='k' file='b.xml'/>",
        "holds a <sensor>",
        files={"b.xml": "<sensor type='x'/>"},
    ),
    Case(
        "wrong-root",
        "<kinbody name='k'>@<body name='a' file='b.xml'/></kinbody>",
        "expected <body>",
        files={"b.xml": "<geom/>"},
    ),
    Case(
        "wrong-root",
        "<environment>@<sensor file='b.xml'/></environment>",
        "expected <sensor>",
        files={"b.xml": "<module type='x'/>"},
    ),
    Case(
        "no-reader",
        "@<robot name='r' file='b.json'/>",
        "b.json",
        None,
        files={"b.json": "{}"},
    ),
    Case(
        "include-cycle",
        "<kinbody name='k'>\n@<kinbody file='b.xml'/></kinbody>",
        "b.xml -> b.xml",
        files={"b.xml": "<kinbody>\n@<kinbody file='b.xml'/></kinbody>"},
    ),
    Case(
        "include-depth",
        "<kinbody name='k'>\n<kinbody file='b.xml'/></kinbody>",
        "more than 2 deep",
        files={
            "b.xml": "<kinbody>@<kinbody file='c.xml'/></kinbody>",
            "c.xml": "<kinbody/>",
        },
        context={"limits": XmlLimits(inclusion_depth=2)},
    ),
    Case(
        "malformed-xml",
        "<kinbody name='k' file='b.xml'/>",
        "not well-formed",
        files={"b.xml": "<kinbody>\n <body>\n</kinbody>"},
    ),
    Case(
        "doctype",
        "<kinbody name='k' file='b.xml'/>",
        "entities",
        "remove it",
        files={"b.xml": "<!DOCTYPE x><kinbody/>"},
    ),
    Case(
        "file-too-large",
        "@<kinbody name='k' file='b.xml'/>",
        "larger than 100 bytes",
        files={"b.xml": " " * 200},
        context={"limits": XmlLimits(file_bytes=100)},
    ),
]

INTERFACES = [
    warning(
        "unknown-interface",
        "<environment>@<sensor type='Lase'/></environment>",
        "sensor 'Lase'",
        "'Laser'",
        context={"known_interfaces": lambda kind: ["Laser"]},
    ),
    Case(
        "unknown-robot",
        "<environment>@<controller type='C' robot='x'/></environment>",
        "'x'",
    ),
    warning(
        "unused-controller",
        "<environment>@<controller type='C'/></environment>",
        "names no robot",
        "robot=",
    ),
    warning(
        "unused-controller",
        "<environment><kinbody name='k'/>"
        "@<controller type='C' robot='k'/></environment>",
        "'k', which is no robot",
    ),
    warning(
        "reader-failed",
        "<kinbody name='k'>@<mine/></kinbody>",
        "RuntimeError: broken",
        "plain XML",
        context=reads(broken_reader),
    ),
    Case(
        "custom-reader",
        "<kinbody name='k'>@<mine/></kinbody>",
        "of the reader",
        "of the reader too",
        context=reads(strict_reader),
    ),
]

CASES = [*VALUES, *NAMES, *STRUCTURE, *SHAPES, *FILES, *INTERFACES]


def marked(text: str) -> tuple[str, tuple[int, int] | None]:
    """Return a text without its mark, and line and column of the marked element."""
    before, mark, after = text.partition("@")
    if not mark:
        return text, None
    if not after.startswith("<"):
        before = before[: before.rindex("<")]
    line = before.count("\n") + 1
    return text.replace("@", "", 1), (line, len(before) - before.rfind("\n"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.code)
def test_problem(case, read, tmp_path):
    text, place = marked(case.text)
    file = "<string>"
    for name, written in case.files.items():
        content, inside = marked(written)
        (tmp_path / name).write_text(content)
        if inside is not None:
            file, place = str(tmp_path / name), inside
    try:
        problems = read(text, tmp_path, **case.context).problems
        refused = False
    except SceneError as error:
        problems, refused = error.problems, True
    assert refused == case.error
    found = [problem for problem in problems if problem.code == case.code]
    assert found, problems
    problem = found[0]
    severity = Severity.ERROR if case.error else Severity.WARNING
    assert problem.severity is severity
    assert case.words in problem.message
    if case.hint is not None:
        assert case.hint in (problem.hint or "")
    if place is not None:
        assert (problem.file, problem.line, problem.column) == (file, *place)
        tags = re.fullmatch(r"[\w:]+(\[\d+\])?(/[\w:]+(\[\d+\])?)*", problem.element)
        assert tags is not None
    else:
        assert problem.line is not None


def test_an_unknown_link_of_a_joint_is_all_that_is_said(read, tmp_path):
    with pytest.raises(SceneError) as caught:
        read(pair("<joint name='j'><body>a</body><body>c</body></joint>"), tmp_path)
    assert [one.code for one in caught.value.problems] == ["unknown-link"]


def test_a_size_is_said_as_written(read, tmp_path):
    with pytest.raises(SceneError, match="<radius> is -2, expected 0 or more"):
        read(body("<geom type='sphere'><radius>-2</radius></geom>"), tmp_path)


def test_strict_refuses(read, tmp_path):
    for case in CASES:
        if case.error:
            continue
        text, _ = marked(case.text)
        for name, written in case.files.items():
            (tmp_path / name).write_text(marked(written)[0])
        with pytest.raises(SceneError) as caught:
            read(text, tmp_path, strict=True, **case.context)
        codes = {problem.code for problem in caught.value.problems}
        assert case.code in codes, case


def reader_modules() -> list[Path]:
    """Return the modules of the format that its reader imports, early or late."""
    package = pyrave.formats.openrave_xml.__name__
    found = [READER / "read" / "reader.py"]
    for path in found:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if not isinstance(node, ast.ImportFrom) or node.module is None:
                continue
            names = [node.module, *(f"{node.module}.{a.name}" for a in node.names)]
            inside = [n.removeprefix(f"{package}.") for n in names if package in n]
            files = [READER / f"{name.replace('.', '/')}.py" for name in inside]
            found += [f for f in files if f.is_file() and f not in found]
    return found


def mentioned_codes() -> set[str]:
    """Return the catalogue's codes that the reader's modules mention."""
    text = CATALOGUE.read_text(encoding="utf-8")
    known = set(re.findall(r"^\| `([a-z][a-z-]*)` \|", text, re.MULTILINE))
    nodes = (
        node
        for path in (
            *reader_modules(),
            READER.parent / "xml.py",
            READER.parent / "diagnostics.py",
            READER.parent / "custom_readers.py",
            READER.parent / "leftovers.py",
        )
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    )
    return {n.value for n in nodes if isinstance(n, ast.Constant) and n.value in known}


def test_the_table_has_every_code():
    assert mentioned_codes() - ELSEWHERE.keys() == {case.code for case in CASES}
