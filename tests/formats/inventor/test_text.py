"""The text encoding of Inventor and VRML: words, names, what is not known, errors."""

import contextlib
import gzip

import numpy as np
import pytest

from pyrave.errors import SceneError
from pyrave.formats import MeshSource
from pyrave.formats.meshes.mesh_format import MeshFormat
from pyrave_inventor.formats import INVENTOR, VRML
from pyrave_inventor.number_lists import (
    NotANumberError,
    parse_floats,
    parse_integers,
)

TRIANGLE = "Coordinate3 { point [ 0 0 0, 1 0 0, 0 1 0 ] } FaceSet { numVertices 3 }"


def source(body, header="#Inventor V2.1 ascii", end="\n"):
    return MeshSource(f"{header}{end}{body}".encode(), "a.iv")


def triangles(body, **how):
    given = source(body, **how)
    found = INVENTOR.read(given).triangles().tolist()
    assert given.problems == []
    return found


def fails(body, message, line, column, **how):
    with pytest.raises(SceneError, match=message) as caught:
        INVENTOR.read(source(body, **how))
    error = caught.value
    assert (error.file, error.line, error.column) == ("a.iv", line, column)
    assert error.first.code == "bad-mesh"


# --- which files


def test_formats_are_offered():
    from pyrave.environment import Environment

    names = [known.name for known in Environment().registry.mesh_formats()]
    assert {"Inventor", "VRML"} <= set(names)
    assert isinstance(INVENTOR, MeshFormat)


@pytest.mark.parametrize(
    ("head", "known"),
    [
        (b"#Inventor V1.0 ascii\n", INVENTOR),
        (b"#Inventor V2.0 ascii   \r\n", INVENTOR),
        (b"#Inventor V2.1 ascii# x", INVENTOR),
        (b"#Inventor V2.1 binary   \n\0\0\0\x09", INVENTOR),
        (b"\xef\xbb\xbf#Inventor V2.1 ascii\n", INVENTOR),
        (b"#VRML V1.0 ascii\n", VRML),
        (b"#VRML V2.0 utf8 made by hand\n", VRML),
        (b"#X3D V3.0 utf8\n", None),
        (b"Separator { }", None),
        (b"\x1f\x8b broken", None),
        (b"", None),
    ],
)
def test_the_first_line_decides(head, known):
    for data in (head, gzip.compress(head + b"Group { }")):
        if known is None and data.startswith(b"\x1f\x8b\x08"):
            continue
        assert [one for one in (INVENTOR, VRML) if one.sniff(data)] == (
            [known] if known else []
        )


def test_the_suffix_does_not_decide(tmp_path):
    """Real files are called .iv and hold VRML, compressed or not."""
    from pyrave.environment import Environment
    from pyrave.scene import MeshReference

    path = tmp_path / "a.iv"
    path.write_bytes(gzip.compress(f"#VRML V1.0 ascii\n{TRIANGLE}".encode()))
    mesh = Environment().load_mesh(MeshReference(str(path), (2.0, 2.0, 2.0)))
    assert mesh.triangles().tolist() == [[[0, 0, 0], [2, 0, 0], [0, 2, 0]]]


@pytest.mark.parametrize(
    "head",
    [
        "",
        "Separator { }",
        "#Inventor V2.2 ascii",
        "#Inventor V1.0 binary  ",
        "#VRML V1.0",
    ],
)
def test_other_first_lines_are_refused(head):
    with pytest.raises(SceneError, match=r"first line|has no reader") as caught:
        INVENTOR.read(source("", header=head))
    assert caught.value.line == 1


# --- words


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_may_end_in_any_way(end):
    body = f"# a comment with }} and ]{end}{TRIANGLE.replace(' ', end)}"
    assert len(triangles(body, end=end)) == 1
    fails(f"{end}{end}  Cube {{ width x }}", "found 'x'", 4, 16, end=end)


def test_blanks_commas_and_comments():
    body = (
        "Coordinate3{point[0 0 0,1 0 0,,0 1 0,]# comment ] 9 9\n}"
        "FaceSet{numVertices[ # all of them }\n 3, # really ]\n]}"
    )
    assert triangles(body) == [[[0, 0, 0], [1, 0, 0], [0, 1, 0]]]


def test_numbers():
    body = (
        "Coordinate3 { point [ -1.5 +.5 5. 1e2 1.E-2 -2e+1 1e-30 -0 0 ] } FaceSet { }"
    )
    expected = np.array([[-1.5, 0.5, 5], [100, 0.01, -20], [1e-30, 0, 0]], np.float32)
    np.testing.assert_array_equal(triangles(body)[0], expected.astype(float))


def test_numbers_have_single_precision():
    body = "Coordinate3 { point [ 0.1 0 0, 1 0 0, 0 1 0 ] } FaceSet { }"
    assert triangles(body)[0][0][0] == float(np.float32(0.1))


def test_a_list_of_one_needs_no_brackets():
    body = (
        "Coordinate3 { point [ 1 2 3, 4 5 6, 7 8 9 ] } Material { diffuseColor 1 0 0 }"
        " FaceSet { numVertices 3 }"
    )
    assert len(triangles(body)) == 1


def test_hexadecimal_integers():
    body = f"{TRIANGLE} IndexedFaceSet {{ coordIndex [ 0x0, 0x1, 0X2, -0x1 ] }}"
    assert len(triangles(body)) == 2


def test_texts():
    body = (
        'Info { string "with } and # and \\" in it" } Label { label word }'
        ' Info { string "over\ntwo lines" } Info { string word } ' + TRIANGLE
    )
    assert len(triangles(body)) == 1


def test_long_lists_are_read_in_pieces():
    rng = np.random.default_rng(4)
    values = rng.normal(size=300_000).astype(np.float32)
    text = "\n".join(map(repr, values.astype(float).tolist())).encode()
    assert len(text) > 3 << 20
    np.testing.assert_array_equal(parse_floats(text), values.astype(np.float64))
    wild = text + b" 1_0 "
    with pytest.raises(NotANumberError) as caught:
        parse_floats(wild)
    assert caught.value.at == len(text) + 1


@pytest.mark.parametrize(
    "word", [b"x", b"1_0", b"nan", b"inf", b"1e39", b"1e999", b"0x1", b"--1", b"1.2.3"]
)
def test_what_is_no_number(word):
    with pytest.raises(NotANumberError) as caught:
        parse_floats(b"1 2 " + word + b" 3")
    assert (caught.value.word, caught.value.at) == (word, 4)


@pytest.mark.parametrize("word", [b"x", b"1_0", b"1.5", b"0xg", b"9" * 19, b"9" * 999])
def test_what_is_no_integer(word):
    with pytest.raises(NotANumberError) as caught:
        parse_integers(b"1,-2, # 3\n" + word)
    assert (caught.value.word, caught.value.at) == (word, 10)


# --- names


def test_def_and_use():
    body = (
        f"DEF a Separator {{ {TRIANGLE} }} DEF b+1 Translation {{ translation 1 0 0 }}"
        " USE a USE b+1 USE a"
    )
    assert [one[0][0] for one in triangles(body)] == [0, 1, 2]


def test_the_latest_name_counts():
    shift = "Translation {{ translation {} 0 0 }}"
    body = (
        f"DEF a Group {{ DEF a {shift.format(1)} USE a }} {TRIANGLE}"
        f" DEF a {shift.format(5)} {TRIANGLE}"
    )
    assert [one[0][0] for one in triangles(body)] == [2, 7]


def test_names_are_known_from_nodes_that_are_passed_over():
    given = source(
        "Novel { fields [ SFNode part, MFFloat x ] x [ 1, 2 ]"
        f" part DEF a Separator {{ {TRIANGLE} }} }} USE a"
    )
    assert len(INVENTOR.read(given).faces) == 1
    (problem,) = given.problems
    assert "'Novel' is not known" in problem.message


def test_a_node_in_itself_is_refused():
    fails(
        "DEF a Separator {\n USE a }",
        "node 'a' contains itself",
        3,
        2,
    )


def test_a_name_that_is_not_there():
    fails(
        f"DEF wheel Separator {{ }} {TRIANGLE}\nUSE wheal",
        "USE of 'wheal', which no DEF names, did you mean 'wheel'",
        3,
        1,
    )


# --- what is not known


def test_unknown_nodes_are_passed_over_with_a_warning():
    given = source(
        'Gadget { a 1 b [ 1 2 ] c "}" d Foo { e ( X | Y ) } f # }\n }'
        f" Gadget {{ }} {TRIANGLE}"
    )
    assert len(INVENTOR.read(given).faces) == 1
    assert [problem.message for problem in given.problems] == [
        "the node type 'Foo' is not known and passed over",
        "the node type 'Gadget' is not known and passed over",
    ]
    assert {problem.code for problem in given.problems} == {"mesh-detail"}
    assert (given.problems[1].line, given.problems[1].column) == (2, 1)


def test_a_new_node_may_say_what_it_is():
    given = source(
        'Flock { fields [ MFString isA, SFFloat speed ] isA [ "Herd", "Separator" ]'
        f" speed 5 Translation {{ translation 1 0 0 }} {TRIANGLE} }} {TRIANGLE}"
    )
    found = INVENTOR.read(given).triangles()
    assert found[:, 0, 0].tolist() == [1, 0]


def test_unknown_fields_are_passed_over_with_a_warning():
    given = source(
        'Cube { width 2 colour 1 0 0 label "x" tags [ "a", [ 1 ] ] solid TRUE'
        " height 4 depth 6 }"
    )
    assert INVENTOR.read(given).volume == pytest.approx(48)
    assert [problem.message for problem in given.problems] == [
        f"Cube has no field {name!r}; it is passed over"
        for name in ("colour", "label", "tags", "solid")
    ]


@pytest.mark.parametrize(
    "connection",
    [
        "= DEF clock ElapsedTime { speed 2 } . timeOut",
        "= ElapsedTime { }.timeOut",
        "= USE engine . timeOut",
        "= USE engine.timeOut",
        "~",
        "~ = USE engine . timeOut",
    ],
)
def test_connections_of_fields_are_passed_over(connection):
    given = source(
        f"DEF engine ElapsedTime {{ }} Cube {{ width 4 {connection} height {connection}"
        " depth 1 }"
    )
    assert INVENTOR.read(given).volume == pytest.approx(8)


# --- included files


def test_included_files(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "b.wrl").write_text(f"#VRML V1.0 ascii\n{TRIANGLE}")
    (tmp_path / "c.iv").write_bytes(
        gzip.compress(b"#Inventor V2.0 ascii\nTranslation { translation 1 0 0 }")
    )
    path = tmp_path / "a.iv"
    path.write_text(
        '#Inventor V2.1 ascii\nFile { name "c.iv" } File { name "parts\\\\b.wrl" }'
        ' WWWInline { name "c.iv" } DEF again File { name "parts/b.wrl" } USE again'
    )
    given = MeshSource.open(str(path))
    found = INVENTOR.read(given).triangles()
    assert given.problems == []
    # what a file leaves behind holds on; what an inlined one does, does not
    assert found[:, 0, 0].tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("missing.iv", "not found"),
        ("../outside.iv", "refused"),
        ("http://example.com/a.iv", "not a local file"),
        ("ftp://example.com/a.iv", "not a local file"),
        ("file://example.com/a.iv", "not found"),
        ("", "not a file name"),
    ],
)
def test_what_is_not_included(tmp_path, name, reason):
    (tmp_path / "outside.iv").write_text(f"#Inventor V2.1 ascii\n{TRIANGLE}")
    folder = tmp_path / "in"
    folder.mkdir()
    path = folder / "a.iv"
    path.write_text(f'#Inventor V2.1 ascii\nFile {{ name "{name}" }} {TRIANGLE}')
    given = MeshSource.open(str(path))
    assert len(INVENTOR.read(given).faces) == 1
    (problem,) = given.problems
    assert "what File includes is missing" in problem.message
    assert reason in problem.message
    assert problem.line == 2


def test_a_substitute_for_what_is_not_there():
    given = source(
        f'WWWInline {{ name "no.wrl" alternateRep Separator {{ {TRIANGLE} }} }}',
        header="#VRML V1.0 ascii",
    )
    assert len(INVENTOR.read(given).faces) == 1
    assert len(given.problems) == 1


def test_files_that_include_each_other(tmp_path):
    for name, other in (("a.iv", "b.iv"), ("b.iv", "a.iv")):
        (tmp_path / name).write_text(f'#Inventor V2.1 ascii\nFile {{ name "{other}" }}')
    with pytest.raises(SceneError, match="includes") as caught:
        INVENTOR.read(MeshSource.open(str(tmp_path / "a.iv")))
    assert caught.value.first.code == "include-cycle"


def test_errors_of_included_files_name_these(tmp_path):
    (tmp_path / "a.iv").write_text('#Inventor V2.1 ascii\nFile { name "b.iv" }')
    (tmp_path / "b.iv").write_text("#Inventor V2.1 ascii\n\n Cube { width }")
    with pytest.raises(SceneError) as caught:
        INVENTOR.read(MeshSource.open(str(tmp_path / "a.iv")))
    assert caught.value.file == str(tmp_path / "b.iv")
    assert (caught.value.line, caught.value.column) == (3, 15)


# --- errors


@pytest.mark.parametrize(
    ("body", "message", "line", "column"),
    [
        ("Separator", r"expected '\{' behind the node type 'Separator'", 2, 10),
        (
            "Separator {",
            r"a field of Separator or '\}', found the end of the file",
            2,
            12,
        ),
        ("Separator { ] }", r"found '\]'", 2, 13),
        ("}", r"expected a node, found '\}'", 2, 1),
        ("Cube { width }", "expected SFFloat, a number", 2, 14),
        ("Cube {\n width 1x }", "found '1x', expected a number", 3, 8),
        ("Cube {\n width nan }", "found 'nan'", 3, 8),
        ("Cube { width [ 1 ] }", "expected SFFloat", 2, 14),
        (
            "Coordinate3 {\npoint [ 0 0 0,\n 1 o 0 ] }",
            "found 'o', expected a number",
            4,
            4,
        ),
        ("Coordinate3 {\npoint [ 0 0 0, 1 ] }", "has 4 numbers", 3, 7),
        ("Coordinate3 {\npoint [ 0 0 0, 1", "this list is not closed", 3, 7),
        (
            "FaceSet { numVertices [ 3, 1.5 ] }",
            "found '1.5', expected an integer",
            2,
            28,
        ),
        ("Switch { whichChild ONE }", "found 'ONE', expected an integer", 2, 21),
        ('Info { string "x }', "this text is not closed", 2, 15),
        ("Cylinder { parts ( SIDES }", "expected a value", 2, 26),
        ("Gadget { { } }", "expected a node type before", 2, 10),
        ("Gadget { a [ 1", "the file ends in this node", 2, 8),
        ("Cube { colour [ 1", "this list is not closed", 2, 15),
        ("Texture2 { image -1 1 1 }", "image of -1 x 1", 2, 24),
        ("DEF x", "expected a node type", 2, 6),
    ],
)
def test_errors_say_where(body, message, line, column):
    fails(body, message, line, column)


def test_every_cut_of_a_file_is_an_error_or_a_mesh():
    body = (
        "#Inventor V2.1 ascii\n"
        'DEF a Separator { Units { units FEET } Info { string "x" } Gadget { q [ 1 ] }'
        " Material { diffuseColor [ 1 0 0 ] } ShapeHints { hints ( SOLID | CONVEX ) }"
        f" {TRIANGLE} Cube {{ width 1 = USE b . c }} }} USE a"
    ).replace("= USE b . c", "= Clock { } . out")
    data = body.encode()
    for cut in range(len(data)):
        for piece in (data[:cut], data[cut:], data[:cut] + data[cut + 1 :]):
            with contextlib.suppress(SceneError):
                INVENTOR.read(MeshSource(piece))
    whole = INVENTOR.read(MeshSource(data))
    assert len(whole.faces) == 26


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"1,-2\n3\t-1", [1, -2, 3, -1]),
        (b"-1", [-1]),
        (b" 0x1f +3 # 4\n5", [31, 3, 5]),
        (b"9223372036854775807, -9223372036854775808", [2**63 - 1, -(2**63)]),
        (b"", []),
    ],
)
def test_integers_are_read_whole_or_word_by_word(text, expected):
    assert parse_integers(text).tolist() == expected


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (b"1-2", b"1-2"),
        (b"3 --1", b"--1"),
        (b"3 - 1", b"-"),
        (b"1 -", b"-"),
        (b"1 9223372036854775808", b"9223372036854775808"),
        (b"1 99999999999999999999", b"99999999999999999999"),
    ],
)
def test_what_looks_like_integers_is_refused(text, word):
    with pytest.raises(NotANumberError) as caught:
        parse_integers(text)
    assert caught.value.word == word
