"""Messages say what was found, whole and not doubled, and stay short."""

import os

import pytest

import pyrave
from pyrave.errors import ArgumentError, SceneError

MESH = (
    "<kinbody name='k'><body name='b'><geom type='trimesh'><data>{}</data></geom>"
    "</body></kinbody>"
)
INCLUDE = "<environment><kinbody file='{}'/></environment>"


def test_what_is_no_regular_file_is_called_so(read, refuse, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name, kind in (("pipe", "device, pipe or socket"), ("folder", "folder")):
        (problem,) = refuse(INCLUDE.format(name), tmp_path)
        assert problem.message == f"{name!r} is not a regular file"
        assert problem.hint == f"{tmp_path / name} is a {kind}"
        (problem,) = read(MESH.format(name), tmp_path).problems
        assert problem.message == f"{name!r} is not a regular file"
        with pytest.raises(pyrave.ResourceError, match="not a regular file"):
            pyrave.read(tmp_path / name)


def test_a_name_of_the_network_is_reported_once(refuse, read):
    name = "http://x.org/a.stl"
    (refused,) = refuse(INCLUDE.format(name))
    (warned,) = read(MESH.format(name)).problems
    for problem in (refused, warned):
        assert problem.message.startswith("'http://x.org/a.stl' is not a local file")


@pytest.mark.parametrize("data", [b"PK\x03\x04", b"PK\x05\x06", b"", b"\0\1"])
def test_an_included_archive_is_called_so(refuse, tmp_path, data):
    (tmp_path / "a.zae").write_bytes(data)
    (problem,) = refuse(INCLUDE.format("a.zae"), tmp_path)
    assert problem.code == "no-reader"
    assert "a.zae: COLLADA archive (.zae) has no reader" in problem.message


def test_saving_in_no_known_format_names_the_file(tmp_path):
    with pyrave.Environment() as env, pytest.raises(ArgumentError) as caught:
        env.save(tmp_path / "x.foo")
    assert f"no scene format fits the name {str(tmp_path / 'x.foo')!r}" in str(
        caught.value
    )


def test_offsets_from_the_link_itself_and_from_later_links(refuse):
    own, later, none = refuse(
        "<kinbody name='k'><body name='a'><offsetfrom>a</offsetfrom></body>"
        "<body name='c'><offsetfrom>bb</offsetfrom></body><body name='bb'/>"
        "<body name='d'><offsetfrom>bbb</offsetfrom></body></kinbody>"
    )
    assert (own.code, own.message) == (
        "bad-offset",
        "link 'a' cannot be offset from itself",
    )
    assert (later.code, later.hint) == (
        "unknown-link",
        "the file has it, but not in this body before its use",
    )
    assert none.hint == "did you mean 'bb'?"


LONG = "n" * 5000


@pytest.mark.parametrize(
    "text",
    [
        f"<kinbody name='{LONG}'><body name='b'/></kinbody>",
        f"<kinbody name='k'><body name='{LONG}'/></kinbody>",
        f"<kinbody name='k'><body name='b'/><joint type='{LONG}'/></kinbody>",
        (
            f"<kinbody name='k'><body name='b'/><body name='c'/><joint name='{LONG}' "
            "type='hinge'><body>b</body><body>c</body></joint></kinbody>"
        ),
        (
            "<kinbody name='k'><body name='b'><mass type='custom'>"
            f"<total>{LONG}</total></mass></body></kinbody>"
        ),
        (
            f"<kinbody name='k'><body name='b'/><joint name='j'><body>b</body><body>"
            f"{LONG}</body></joint></kinbody>"
        ),
        f"<kinbody file='{LONG}'/>",
        f"<{LONG}/>",
        f"<environment><sensor name='{LONG}' type='X'/></environment>",
    ],
)
def test_long_texts_are_cut_and_long_names_refused(refuse, text):
    for problem in refuse(text):
        assert "n" * 61 not in str(problem)
        assert len(str(problem)) < 600


def test_unknown_long_tags_and_attributes(read):
    text = (
        f"<kinbody name='k' {LONG}='1'><body name='b'><{LONG}><x/></{LONG}></body>"
        "</kinbody>"
    )
    first, second = read(text).problems
    assert first.message == f"unknown attribute '{'n' * 60}…' of <kinbody>"
    assert second.message == f"unknown tag <{'n' * 60}…>"
    assert second.element == f"kinbody/body/{'n' * 60}…"


def test_formulas_are_cut_too():
    formula = "+".join(["9^9^9^9*k"] * 100)
    text = (
        "<kinbody name='k'><body name='a'/><body name='b'/><body name='c'/>"
        "<joint name='k'><body>a</body><body>b</body><axis>0 0 1</axis></joint>"
        f"<joint name='j' mimic_pos='{formula}'><body>b</body><body>c</body>"
        "<axis>0 0 1</axis></joint></kinbody>"
    )
    with pyrave.Environment() as env, pytest.raises(SceneError) as caught:
        env.load_string(text)
    (problem,) = caught.value.problems
    assert problem.code == "formula-not-finite"
    assert len(problem.message) < 200


def test_a_saved_scene_reads_back_equal(tmp_path):
    with pyrave.Environment() as env:
        env.load_string(
            "<environment><kinbody name='k'><body name='b'/></kinbody></environment>"
        )
        for round_number in range(3):
            path = tmp_path / f"{round_number}.env.xml"
            env.save(path)
            scene = pyrave.read(path)
            assert scene == env.describe()
            env.remove(env.bodies["k"])
            env.load(path)
