"""Mistakes are told once, in plain words; nothing passes in silence."""

from __future__ import annotations

import pytest

import pyrave
from pyrave.errors import ResourceError, SceneError

JOINT = "<body>a</body><body>b</body>"


def robot(inside: str) -> str:
    links = "<kinbody><body name='a'/><body name='b'/></kinbody>"
    return f"<robot name='r'>{links}{inside}</robot>"


def pair(inside: str) -> str:
    return f"<kinbody name='k'><body name='a'/><body name='b'/>{inside}</kinbody>"


def link(inside: str) -> str:
    return f"<kinbody name='k'><body name='a'>{inside}</body></kinbody>"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            pair(f"<joint name='j'>{JOINT}<axis>1 1 x</axis></joint>"),
            "<axis> has 'x', which is not a number",
        ),
        (link("<mass type='custom'><total>-2</total></mass>"), "total is -2"),
        (
            link("<geom type='trimesh'><data>asc.stl x</data></geom>"),
            "the scale has 'x', which is not a number",
        ),
        (
            link("<geom type='trimesh'><data>asc.stl 1 0 1</data></geom>"),
            "the scale is 1 0 1, which leaves nothing of the mesh",
        ),
        (
            link("<geom type='trimesh'><data file='asc.stl' scale='0'/></geom>"),
            "the scale is 0, which leaves nothing",
        ),
    ],
)
def test_one_mistake_is_one_error(refuse, text, message):
    told = [p for p in refuse(text) if p.code != "missing-mesh"]
    assert len(told) == 1
    assert message in told[0].message


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        (
            link("<geom type='none'><transparency>5</transparency></geom>"),
            "bad-color",
            "5",
        ),
        (link("text"), "stray-text", "the text 'text'"),
        (link("<mass/> tail"), "stray-text", "the text 'tail'"),
        ("<kinbody name='k' NAME='l'/>", "repeated-item", "using 'k'"),
        (
            link("<mass/><Mass/>"),
            "repeated-item",
            "duplicate <mass>; using the last one",
        ),
        (
            robot(
                "<manipulator name='m'><base>a</base><effector>a</effector>"
                "<effector>b</effector></manipulator>"
            ),
            "repeated-item",
            "<effector>",
        ),
        (
            pair(f"<joint name='j' mimic_pos=''>{JOINT}<axis>1 0 0</axis></joint>"),
            "bad-mimic",
            "mimic_pos is empty",
        ),
    ],
)
def test_what_counts_for_nothing_is_told(read, text, code, words):
    (problem,) = read(text).problems
    assert problem.code == code
    assert words in problem.message


def test_colours_beyond_are_kept_and_transparencies_are_not(read):
    geom = "<diffusecolor>2 0 0.5</diffusecolor><transparency>-1</transparency>"
    scene = read(link(f"<geom type='none'>{geom}</geom>"))
    material = scene.bodies[0].links[0].geometries[0].material
    assert (material.diffuse, material.transparency) == ((2, 0, 0.5), 0)


def test_an_unknown_link_is_told_with_those_that_are_there(read):
    (problem,) = read(pair("<adjacent>a c</adjacent>")).problems
    assert problem.hint == "the body has the links 'a', 'b'"


def test_names_are_parted_by_ascii_blanks_alone(read):
    text = "<kinbody name='k'><body name='a\u2003b'/><body name='c'/>"
    scene = read(f"{text}<adjacent>a\u2003b\tc</adjacent></kinbody>")
    assert not scene.problems
    assert scene.bodies[0].adjacent == {("a\u2003b", "c")}


def test_errors_of_included_files_say_who_includes_them(tmp_path, refuse):
    (tmp_path / "inner.xml").write_text("<kinbody><body name='a'><mass>\n<total>x")
    (tmp_path / "mid.xml").write_text(
        "<kinbody>\n<kinbody file='inner.xml'/><body><translation>1</translation>"
        "</body></kinbody>"
    )
    main = "<environment>\n\n<kinbody name='k' file='mid.xml'/></environment>"
    found = {p.file: p for p in refuse(main, tmp_path)}
    middle, inner = str(tmp_path / "mid.xml"), str(tmp_path / "inner.xml")
    assert found[middle].named_at == ("<string>:3",)
    assert found[inner].named_at == (f"{middle}:2", "<string>:3")
    assert f"(named at {middle}:2, <string>:3)" in str(found[inner])


def test_limits_of_the_parser_are_told_in_our_words():
    deep = "<a>" * 300 + "</a>" * 300
    for text, words in (
        (deep, "nested too deep"),
        (f"<environment>{deep}</environment>", "nested too deep"),
        (f"<COLLADA>{deep}</COLLADA>", "nested too deep"),
        (f"<robot name='a'><link name='{'x' * 10_000_001}'/></robot>", "too long"),
    ):
        with pytest.raises(SceneError) as caught:
            pyrave.load_string(text)
        assert words in caught.value.first.message
        assert "XML_PARSE_HUGE" not in str(caught.value)


def test_resource_roots_are_folders(tmp_path):
    gone = tmp_path / "gone"
    with pytest.raises(ResourceError, match="a resource root is a folder"):
        pyrave.load_string("<environment/>", resource_roots=gone)


def test_mesh_messages_are_our_own(tmp_path):
    head = "AC3Db\nOBJECT world\n"
    for text, words in (
        (head + "kids x\n", "is 'x', expected 0 or more"),
        (head + "numvert 999\n", "is 999, but the file has only"),
    ):
        file = tmp_path / "a.ac"
        file.write_text(text)
        with pytest.raises(SceneError) as caught:
            pyrave.load(file)
        assert words in caught.value.first.message
