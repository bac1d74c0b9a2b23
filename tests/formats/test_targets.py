"""Files are written whole or not at all."""

import io
import os
from pathlib import Path

import pytest

import pyrave
from pyrave.formats import write_bytes

BALL = (
    "<environment><kinbody name='b'><body name='l'>"
    "<geom type='sphere'><radius>1</radius></geom></body></kinbody></environment>"
)


def names_in(folder):
    return [path.name for path in folder.iterdir()]


def test_a_file_is_replaced_and_nothing_else_stays(tmp_path):
    path = tmp_path / "a.bin"
    path.write_bytes(b"old and longer")
    write_bytes(path, b"new")
    write_bytes(str(path), b"newer")
    assert path.read_bytes() == b"newer"
    assert names_in(tmp_path) == ["a.bin"]


def test_a_file_that_cannot_be_finished_leaves_what_was_there(tmp_path, monkeypatch):
    path = tmp_path / "a.bin"
    path.write_bytes(b"old")

    def full(self, other):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", full)
    with pytest.raises(
        pyrave.SceneError, match=r"a\.bin: .*No space left on device"
    ) as caught:
        write_bytes(path, b"new")
    assert caught.value.file == str(path)
    assert isinstance(caught.value.__cause__, OSError)
    assert path.read_bytes() == b"old"
    assert names_in(tmp_path) == ["a.bin"]


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_a_link_stays_one(tmp_path):
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    write_bytes(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


@pytest.mark.skipif(os.name == "nt", reason="no such files there")
def test_what_is_no_file_is_written_to():
    write_bytes(os.devnull, b"gone")
    assert Path(os.devnull).is_char_device()


@pytest.mark.parametrize("name", ["s.env.xml", "s.stl", "s.ply", "s.obj"])
def test_scenes_that_cannot_be_written_are_errors_of_pyrave(tmp_path, name):
    env = pyrave.Environment()
    env.load_string(BALL)
    (tmp_path / name).mkdir()
    with pytest.raises(pyrave.SceneError, match="it cannot be written"):
        env.save(tmp_path / name)
    assert names_in(tmp_path) == [name]


def test_file_objects_are_written_to_and_other_targets_are_refused():
    target = io.BytesIO()
    write_bytes(target, b"here")
    assert target.getvalue() == b"here"
    with pytest.raises(pyrave.ArgumentError, match="expected a path or a binary file"):
        write_bytes(3, b"nowhere")
    with pytest.raises(pyrave.ArgumentError, match="expected a path or a binary file"):
        write_bytes(io.StringIO(), b"text")
