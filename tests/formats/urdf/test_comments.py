"""Comments, bytes and text that XML does not allow and parsers of ROS read."""

from __future__ import annotations

import time

import pytest

import pyrave

_ROBOT = (
    '<robot name="r">\n<!--{}--><link name="a"/><link name="b"/>'
    '<joint name="j" type="revolute"><parent link="a"/><child link="b"/>'
    '<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
    "\n</robot>"
)
_HEAD = '<?xml version="1.0" encoding="{}"?>\n'


@pytest.mark.parametrize(
    ("data", "line", "said"),
    [
        (_ROBOT.format("\u673a\u68b0").encode("gbk"), 2, "bytes that are no UTF-8"),
        (
            (_HEAD.format("utf-8") + _ROBOT.format("f\u00fcr")).encode("latin-1"),
            3,
            "bytes that are no UTF-8",
        ),
        (_ROBOT.format("part -- two").encode(), 2, "two hyphens"),
        (_ROBOT.format("----- ARM -----").encode(), 2, "two hyphens"),
        (_ROBOT.format(" a\0b ").encode(), 2, "zeros"),
        (_ROBOT.format("plain").encode() + b"\n\0\0", 4, "zeros are behind the end"),
        (_ROBOT.format(" a\x1b ").encode(), 2, "characters of codes below 32"),
        (_ROBOT.format("plain").encode() + b"\n</x> hello", 4, "behind the end"),
        (_ROBOT.format("plain").encode() * 2, 3, "text is behind the end"),
        (b"made by hand\n" + _ROBOT.format("plain").encode(), 1, "before the root"),
        (b"\xef\xbb\xbf" * 2 + _ROBOT.format("x").encode(), 1, "before the root"),
        (
            b'<?XML version="1.0"?>\n' + _ROBOT.format("x").encode(),
            1,
            "before the root",
        ),
        ((_HEAD.format("klingon") + _ROBOT.format("x")).encode(), 1, "'klingon'"),
        ((_HEAD.format("utf-16") + _ROBOT.format("x")).encode(), 1, "'utf-16'"),
        (_ROBOT.format("--><!--").replace("\n<", "\n\1<").encode(), 2, "the code 1"),
    ],
)
def test_what_ros_passes_over_is_a_warning(tmp_path, data, line, said):
    path = tmp_path / "r.urdf"
    path.write_bytes(data)
    env = pyrave.load(path)
    (problem,) = env.problems
    assert (problem.code, problem.line) == ("not-xml", line)
    assert said in problem.message
    assert [joint.name for joint in env.robots["r"].joints] == ["j"]
    with pytest.raises(pyrave.SceneError, match="which XML does not allow"):
        pyrave.load(path, strict=True)


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-16", "x"),
        ("gb2312", "\u673a"),
        ("shift_jis", "\u8155"),
        ("euc-jp", "\u8155"),
        ("windows-1252", "\u201cx\u201d"),
        ("utf-8-sig", "\u673a"),
    ],
)
def test_declared_encodings_are_no_mistake(tmp_path, encoding, text):
    path = tmp_path / "r.urdf"
    declared = "utf-8" if encoding == "utf-8-sig" else encoding
    content = _HEAD.format(declared) + _ROBOT.format(text)
    path.write_bytes(content.encode(encoding))
    assert list(pyrave.load(path, strict=True).problems) == []


@pytest.mark.parametrize(
    ("name", "read"),
    [
        (b"\xe4 \xc3\xa4", "\u00e4_\u00e4"),
        (b"a & b", "a_&_b"),
        (b"a&nbsp;&amp;", "a&nbsp;&"),
        (b"a&#38;&", "a&&"),
    ],
)
def test_names_keep_their_characters(tmp_path, name, read):
    path = tmp_path / "r.urdf"
    path.write_bytes(
        b'<robot name="' + name + b'"><!-- a -- b --><link name="a"/></robot>'
    )
    env = pyrave.load(path)
    assert [body.name for body in env.bodies] == [read]
    assert {problem.code for problem in env.problems} == {"not-xml"}
    assert [problem.column for problem in env.problems] == sorted(
        problem.column for problem in env.problems
    )


def test_lines_of_other_problems_stay(tmp_path):
    path = tmp_path / "r.urdf"
    text = _ROBOT.format("a -- b\n--\n").replace("</robot>", "<lnk/></robot>")
    path.write_text(text)
    codes = {(one.code, one.line) for one in pyrave.load(path).problems}
    assert codes == {("not-xml", 2), ("unknown-tag", 5)}


@pytest.mark.parametrize(
    "text",
    [
        '<robot name="r"><!-- a -- b --><link name="a"></robot>',
        '<robot name="r"><!-- a -- b --><link name="a<b"/></robot>',
        '<!DOCTYPE robot [<!ENTITY a "b">]><robot name="r"><link name="&a;"/></robot>',
        "<!-- a -- b",
    ],
)
def test_what_is_wrong_elsewhere_is_said(tmp_path, text):
    path = tmp_path / "r.urdf"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(pyrave.SceneError) as caught:
        pyrave.load(path)
    assert caught.value.problems[0].code != "not-xml"


def test_many_comments_that_do_not_end_take_no_time(tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text('<robot name="r">' + "<!-- -- " * 500_000)
    begin = time.process_time()
    with pytest.raises(pyrave.SceneError):
        pyrave.load(path)
    assert time.process_time() - begin < 30.0


def test_what_is_verbatim_stays_as_it_is():
    """An ``&`` and ``<!--`` in a CDATA section are no slips, beside one that is."""
    text = (
        '<robot name="r"><!-- a -- b --><link name="a"/><![CDATA[x & <!-- y]]></robot>'
    )
    env = pyrave.Environment()
    with pytest.warns(pyrave.SceneWarning, match="two hyphens"):
        report = env.load_string(text)
    (problem,) = report.problems
    assert "two hyphens" in problem.message
