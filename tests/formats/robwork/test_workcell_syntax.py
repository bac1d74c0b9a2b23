"""Characters to elements as RobWork reads them: no XML, and not without limits."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from pyrave.errors import SceneError
from pyrave.formats import ReadContext, Resolver, SceneSource, open_source
from pyrave_workcell.syntax import DYNAMIC, WORKCELL, CellNode, Dialect, parse

if TYPE_CHECKING:
    from pathlib import Path

_BIG = 10_000_000


def _parsed(
    text: str | bytes, dialect: Dialect = WORKCELL
) -> tuple[CellNode, list[tuple[str, int | None]]]:
    context = ReadContext()
    root = parse(SceneSource(text, "<text>"), context, dialect)
    return root, [(p.code, p.line) for p in context.diagnostics.problems]


def _refusal(text: str | bytes, dialect: Dialect = WORKCELL) -> SceneError:
    with pytest.raises(SceneError) as caught:
        parse(SceneSource(text, "<text>"), ReadContext(), dialect)
    return caught.value


def test_elements_texts_and_their_places() -> None:
    root, problems = _parsed('<A n="1">\n  <!-- c --><B/>x\n <C m = "2" >y</C></A>')
    assert problems == [("stray-text", 1)]
    assert [child.tag for child in root] == ["B", "C"]
    assert root.text.split() == ["x"]
    assert root.children[1].text == "y"
    assert root.children[1].get("m") == "2"
    place = root.children[1].location
    assert (place.line, place.column) == (3, 2)
    assert place.file == "<text>"
    assert root.document.element_path(root.children[1]) == "a/c"


def test_what_xml_calls_malformed_and_robwork_reads_is_a_warning() -> None:
    _, problems = _parsed("<A><!-- a -- b --><!-- <!-- \n --></A>")
    assert problems == [("malformed-comment", 1), ("malformed-comment", 1)]
    root, problems = _parsed("<A><B>\n1</C>\n</D>", DYNAMIC)
    assert problems == [("wrong-end-tag", 2), ("wrong-end-tag", 3)]
    assert root.children[0].text == "\n1"
    _, problems = _parsed("<A/>\n<B/>", DYNAMIC)
    assert problems == [("several-roots", 2)]


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("<A>\n</B>", "malformed-xml", 2),
        ("<A>\n<B>", "malformed-xml", 2),
        ("</A>", "malformed-xml", 1),
        ("", "malformed-xml", 1),
        ("<A>\n 1 < 2 </A>", "malformed-xml", 2),
        ("<A b></A>", "malformed-xml", 1),
        ("<A>\n<!-- </A>", "malformed-xml", 2),
        ("words <A/>", "malformed-xml", 1),
        ("<!DOCTYPE a><A/>", "doctype", 1),
        ("<A>\n<Define id='a'></A>", "malformed-xml", 2),
        ("<A>\n<Include/></A>", "missing-attribute", 2),
        ("<A>\n<Include file='nowhere.xml'/></A>", "missing-file", 2),
        ("<A>\n<Include file='http://x/y.xml'/></A>", "bad-uri", 2),
        ("<A>\n\0</A>", "malformed-xml", 2),
        ("<A>\n\n\ud800</A>", "malformed-xml", 3),
    ],
)
def test_what_nobody_reads_is_refused_with_its_line(
    text: str, code: str, line: int | None
) -> None:
    problem = _refusal(text).first
    assert (problem.code, problem.line) == (code, line)


def test_encodings() -> None:
    assert _parsed("<A>ø</A>".encode())[0].text == "ø"
    declared = '<?xml version="1.0" encoding="ISO-8859-1"?>\n<A>ø</A>'
    assert _parsed(declared.encode("latin-1"))[0].text == "ø"
    root, problems = _parsed("<A>\nø</A>".encode("latin-1"))
    assert (root.text, problems) == ("\nø", [("bad-encoding", 2)])
    assert _parsed("\ufeff<A>&lt;&#65;&#x42;&who;</A>")[0].text == "<AB&who;"


@pytest.mark.parametrize("name", ["punycode", "unicode_escape", "utf-7", "nonsense"])
def test_encodings_that_are_none_of_files_are_refused(name: str) -> None:
    text = f'<?xml version="1.0" encoding="{name}"?><A>+2AA-\\ud800</A>'
    with pytest.raises(SceneError, match="encoding"):
        _parsed(text.encode())


def test_entities_of_what_xml_has_not_stay() -> None:
    text = "&#0;&#1;&#xD800;&#xFFFF;&#x110000;"
    assert _parsed(f"<A>{text}&#9;</A>")[0].text == f"{text}\t"


def test_text_between_elements_is_reported() -> None:
    _, problems = _parsed("<A>\n<B> lost <C/> too</B></A>")
    assert problems == [("stray-text", 2)]


def test_texts_are_pasted_in_place() -> None:
    root, problems = _parsed(
        '<A><Define id="two"><B n="1"/><B n="2"/></Define>'
        '<C><Use id="two"/></C><Use id="two"/><Use id="none"/></A>'
    )
    assert [child.tag for child in root] == ["C", "B", "B"]
    assert [child.get("n") for child in root.children[0]] == ["1", "2"]
    assert problems == [("unknown-definition", 1)]


def test_included_fragments_know_their_file(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "some.xml").write_text(
        '<?xml version="1.0"?>\n<B/>\n<C><Include file="more.xml"/></C>'
    )
    (tmp_path / "parts" / "more.xml").write_text("<D/>")
    main = tmp_path / "main.xml"
    main.write_text('<A>\n<Include file="parts\\some.xml"/><E/></A>')
    root = parse(open_source(main), ReadContext(), WORKCELL)
    assert [child.tag for child in root] == ["B", "C", "E"]
    deep = root.children[1].children[0]
    assert deep.location.file.endswith("more.xml")
    assert [place.rpartition("/")[2] for place in deep.document.named_at] == [
        "some.xml:3",
        "main.xml:2",
    ]


def test_dynamic_includes_are_of_a_root_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "some.xml").write_text(
        '<IncludeData><B/><Include file="parts/more.xml"/></IncludeData>'
    )
    (tmp_path / "parts" / "more.xml").write_text("<IncludeData><C/></IncludeData>")
    main = tmp_path / "main.xml"
    main.write_text('<A><Include file="parts/some.xml"></Include><D/></A>')
    root = parse(open_source(main), ReadContext(), DYNAMIC)
    assert [child.tag for child in root] == ["B", "C", "D"]
    assert all(child.parent is root for child in root)
    (tmp_path / "parts" / "more.xml").write_text("<Other/>")
    with pytest.raises(SceneError, match="IncludeData"):
        parse(open_source(main), ReadContext(), DYNAMIC)


@pytest.mark.parametrize("dialect", [WORKCELL, DYNAMIC])
def test_files_that_include_themselves_are_refused(
    tmp_path: Path, dialect: Dialect
) -> None:
    main = tmp_path / "main.xml"
    main.write_text('<IncludeData><Include file="other.xml"/></IncludeData>')
    (tmp_path / "other.xml").write_text(
        '<IncludeData><Include file="main.xml"/></IncludeData>'
    )
    with pytest.raises(SceneError, match="included already") as caught:
        parse(open_source(main), ReadContext(), dialect)
    assert caught.value.first.code == "include-cycle"


def test_confined_includes_stay_below_the_roots(tmp_path: Path) -> None:
    (tmp_path / "secret.xml").write_text("<B/>")
    (tmp_path / "mine").mkdir()
    main = tmp_path / "mine" / "main.xml"
    main.write_text('<A><Include file="../secret.xml"/></A>')
    resolver = Resolver([tmp_path / "mine"], confine=True, use_environment=False)
    with pytest.raises(SceneError, match="refused"):
        parse(open_source(main), ReadContext(resolver=resolver), WORKCELL)


def _bomb() -> str:
    levels = "".join(
        f'<Define id="a{i}">{f"""<Use id="a{i - 1}"/>""" * 10}</Define>'
        for i in range(1, 30)
    )
    return f'<A><Define id="a0"><B/></Define>{levels}<Use id="a29"/></A>'


_HOSTILE = {
    "nested": "<Frame>" * (_BIG // 7),
    "many": '<A><Frame name="a"/>' * (_BIG // 20),
    "definitions": '<Define id="a">' * (_BIG // 15),
    "uses": '<A><Define id="a">'
    + "x" * (_BIG // 2)
    + "</Define>"
    + '<Use id="a"/>' * 9,
    "itself": '<A><Define id="a"><Use id="a"/><Use id="a"/></Define><Use id="a"/></A>',
    "bomb": _bomb(),
    "blanks": '<A><Define id="a">' + " " * _BIG + "</Define>" + '<Use id="a"/>' * 9,
    "quotes": '<a b="' * (_BIG // 6),
    "a quote": '<a b="' + "x" * _BIG,
    "comments": "<!--" * 60_000 + " " * _BIG,
    "deep": "<a>" * 60_000,
    "mixed": "<a>" + "x<b/>" * 99_000 + "x" * _BIG,
}


@pytest.mark.parametrize("text", _HOSTILE.values(), ids=_HOSTILE)
def test_hostile_files_end_soon(text: str) -> None:
    start = time.process_time()
    assert _refusal(text).first.message
    assert time.process_time() - start < 20.0
