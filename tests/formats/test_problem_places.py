"""Problems that show when a scene is built have column and element too."""

import os
from random import Random
from xml.parsers import expat

import pytest
from loops import each
from lxml import etree

import pyrave
from pyrave.errors import Problem, SceneError, Severity
from pyrave.formats import parse_document
from pyrave.formats.diagnostics import Diagnostics, complete_problems

SCENE = """<environment>
  <kinbody name="k">
    <body name="a"/><body name="b"/><body name="c"/>
    <joint name="free"><body>a</body><body>b</body><axis>0 0 1</axis></joint> \
<joint
       name="after"
       mimic_pos="9^9^9^9*free"><body>b</body><body>c</body><axis>0 0 1</axis></joint>
  </kinbody>
  <robot name="r"><kinbody><body name="base"/></kinbody></robot>
  <sensor name="s" type="NoSuchSensor"/> <sensor name="t" type="NoSuchSensor2"/>
</environment>
"""


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "s.env.xml"
    found.write_text(SCENE)
    return found


def test_an_error_among_those_that_are_only_counted_refuses_the_scene():
    found = Diagnostics(limit=1)
    found.warning("first", "is kept")
    found.raise_if_refused()
    found.error("second", "is not kept")
    with pytest.raises(SceneError, match="1 more problems are not listed"):
        found.raise_if_refused()


def at(path, line, message="something"):
    return Problem(Severity.WARNING, message, file=str(path), line=line)


def place(problem):
    return problem.line, problem.column, problem.element


def test_formulas_refused_by_kinematics(path):
    with pyrave.Environment() as env, pytest.raises(SceneError) as caught:
        env.load(path)
    wrong = next(p for p in caught.value.problems if p.severity is Severity.ERROR)
    assert wrong.code == "formula-not-finite"
    assert wrong.file == str(path)
    assert place(wrong) == (4, 79, "environment/kinbody/joint[2]")


def test_warnings_of_the_environment(path):
    path.write_text(SCENE.replace("9^9^9^9*free", "free"))
    with pyrave.Environment() as env:
        first, second = env.load(path).problems
    assert place(first) == (9, 3, "environment/sensor[1]")
    assert place(second) == (9, 42, "environment/sensor[2]")


def test_the_message_chooses_among_the_elements_of_a_line(path):
    choices = {
        "link 'b' is odd": (3, 21, "environment/kinbody/body[2]"),
        "link 'c' is odd": (3, 37, "environment/kinbody/body[3]"),
        "nothing is named": (3, 5, "environment/kinbody/body[1]"),
    }
    for message, where in choices.items():
        (found,) = complete_problems([at(path, 3, message)])
        assert place(found) == where


def test_what_has_no_place_stays_as_it_is(path, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "broken.xml").write_text("<a><b></a>")
    (tmp_path / "mesh.stl").write_text("solid")
    (tmp_path / "entities.xml").write_text("<!DOCTYPE a [<!ENTITY e 'x'>]>\n<a>&e;</a>")
    problems = [
        at(path, 1000),
        at(tmp_path / "none.xml", 1),
        at(tmp_path, 1),
        at(tmp_path / "pipe", 1),
        at(tmp_path / "broken.xml", 1),
        at(tmp_path / "mesh.stl", 1),
        at(tmp_path / "entities.xml", 2),
        at("/dev/zero", 1),
        at("\0", 1),
        Problem(Severity.ERROR, "no file"),
        Problem(Severity.ERROR, "known", file=str(path), line=3, column=4),
    ]
    assert complete_problems(problems) == problems


def test_only_some_files_are_read_again(tmp_path):
    problems = []
    for number in range(20):
        (tmp_path / f"{number}.xml").write_text("<a/>")
        problems.append(at(tmp_path / f"{number}.xml", 1))
    placed = [p for p in complete_problems(problems) if p.element == "a"]
    assert len(placed) == 16


def test_problems_of_building_a_text_have_their_column():
    env = pyrave.load_string(
        "<environment>\n  <kinbody name='k'><body name='a'/></kinbody>\n"
        "  <sensor type='NoSuchSensor' name='s'/>\n</environment>"
    )
    (problem,) = env.problems
    assert (problem.line, problem.column) == (3, 3)
    assert problem.element == "environment/sensor"


TRICKY = """<?xml version="1.0"{}?>
<!-- <a> \n<b/> --><r x="1>2"\n  y="é">é<a/>\r
 <b>é</b><![CDATA[ <no>
 ]]><c\n/>\r<d/>\t<é/><?pi <x/> ?><e/> ö<f/></r>
<!-- <t/> -->"""


@pytest.mark.parametrize(
    ("codec", "declared"),
    [
        ("utf-8", ""),
        ("utf-8-sig", ""),
        ("utf-16", ""),
        ("utf-16", ' encoding="UTF-16"'),
        ("latin-1", ' encoding="ISO-8859-1"'),
        ("cp1252", ' encoding="windows-1252"'),
    ],
)
def test_elements_stand_where_another_parser_finds_them(codec, declared):
    data = TRICKY.format(declared).encode(codec)
    wanted = []
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda *_: wanted.append(
        (parser.CurrentLineNumber, parser.CurrentColumnNumber + 1)
    )
    parser.Parse(data, True)
    document = parse_document(data, "tricky.xml")
    assert [document.position(e) for e in document.root.iter(etree.Element)] == wanted
    assert len(wanted) == 8


@pytest.mark.parametrize("order", ["le", "be"])
@pytest.mark.parametrize("width", [16, 32])
def test_wide_encodings_without_a_mark(width, order):
    text = f'<?xml version="1.0" encoding="UTF-{width}"?>\n<r>\n é<a/></r>'
    document = parse_document(text.encode(f"utf-{width}-{order}"), "wide.xml")
    assert document.position(document.root[0]) == (3, 3)


def test_a_comment_that_begins_as_if_it_ended():
    document = parse_document("<r><!--><a/>-->\n<b/></r>", "comment.xml")
    assert document.position(document.root[0]) == (2, 1)


def test_a_text_is_in_no_encoding_that_it_declares():
    text = TRICKY.format(' encoding="UTF-16"')
    document = parse_document(text, "tricky.xml")
    assert document.position(document.root) == (3, 9)


def test_an_encoding_that_expat_does_not_know():
    text = '<?xml version="1.0" encoding="Shift_JIS"?>\n<r>表ソ<a/></r>'
    document = parse_document(text.encode("shift_jis"), "japanese.xml")
    assert document.position(document.root[0]) == (2, 6)


@each("seed", range(12))
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_places_are_those_of_another_parser(seed, encoding, newline):
    random = Random(seed)  # noqa: S311
    blank = ["", " ", newline, f"{newline}  ", "  "]
    parts = ["<a", "<ab", "<x:a"]

    def gap(least=0):
        return random.choice(blank[least:])

    def element(depth):
        tag = random.choice(parts)
        attributes = f'{gap(1)}k="é<!-- <a'.replace("<", "&lt;") + f'"{gap()}'
        start = f"{tag}{random.choice(['', attributes])}"
        if not depth or random.random() < 0.2:
            return f"{start}/>"
        inner = "".join(
            random.choice([gap(), "<!-- <a b='1'> -->", "<![CDATA[<a>]]>", "<?p <a?>"])
            + element(depth - 1)
            for _ in range(random.randint(0, 4))
        )
        return f"{start}>{inner}é{gap()}</{tag[1:]}{gap()}>"

    head = f'<?xml version="1.0" encoding="{encoding}"?>{gap()}'
    data = f'{head}<r xmlns:x="urn:x">{element(4)}{element(3)}</r>'.encode(encoding)
    text = data.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
    wanted = []
    parser = expat.ParserCreate("utf-8")
    parser.StartElementHandler = lambda *_: wanted.append(parser.CurrentByteIndex)
    content = text.encode()
    parser.Parse(content, True)
    places = []
    for at in wanted:
        line = content.count(b"\n", 0, at)
        column = len(content[content.rfind(b"\n", 0, at) + 1 : at].decode())
        places.append((line + 1, column + 1))
    document = parse_document(data, "random.xml")
    elements = list(document.root.iter(etree.Element))
    order = random.sample(range(len(elements)), len(elements))
    assert [document.position(elements[i]) for i in order] == [places[i] for i in order]


def test_indices_in_paths_do_not_count_for_each_problem():
    text = "<r>" + "<a/><B/><b/><c/>" * 3 + "<d/></r>"
    document = parse_document(text, "many.xml")
    paths = [document.element_path(one) for one in document.root]
    assert paths[:4] == ["r/a[1]", "r/b[1]", "r/b[2]", "r/c[1]"]
    assert paths[8:] == ["r/a[3]", "r/b[5]", "r/b[6]", "r/c[3]", "r/d"]


def test_what_a_pyrave_block_adds_has_the_place_of_its_element(tmp_path):
    file = tmp_path / "s.dae"
    with pyrave.Environment() as env:
        env.load_string('<environment><module type="no_such"/></environment>')
        env.save(file)
    with pyrave.load(file) as env:
        (found,) = env.problems
    lines = file.read_text().splitlines()
    assert found.code == "unknown-interface"
    assert "<pyrave:new" in lines[found.line - 1]
    assert found.column == lines[found.line - 1].index("<") + 1
