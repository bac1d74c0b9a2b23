"""Files that are opened are those that were looked at: links, pipes, what changes."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

import pyrave
from pyrave import files
from pyrave.files import read_file

_OUTSIDE = "<kinbody name='secret'><body name='b'/></kinbody>"
_INCLUDING = "<environment><kinbody file='part.kinbody.xml'/></environment>"


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    (tmp_path / "secret.kinbody.xml").write_text(_OUTSIDE)
    folder = tmp_path / "inbox"
    folder.mkdir()
    return folder


def _load(path: Path, *roots: Path) -> pyrave.Environment:
    return pyrave.load(path, confine=True, resource_roots=roots)


def test_scene_that_is_a_link_to_elsewhere_is_refused(inbox: Path) -> None:
    link = inbox / "scene.kinbody.xml"
    link.symlink_to(inbox.parent / "secret.kinbody.xml")
    with pytest.raises(pyrave.SceneError, match="lies outside the resource roots"):
        _load(link, inbox)
    assert len(_load(link, inbox.parent).bodies) == 1
    assert len(pyrave.load(link).bodies) == 1


def test_scene_that_is_a_link_beside_its_file_is_read(inbox: Path) -> None:
    (inbox / "v1.kinbody.xml").write_text(_OUTSIDE)
    (inbox / "latest.kinbody.xml").symlink_to("v1.kinbody.xml")
    assert len(_load(inbox / "latest.kinbody.xml").bodies) == 1


def _swap_when_opened(
    monkeypatch: pytest.MonkeyPatch, path: Path, target: Path, *, back: bool
) -> None:
    """Have a link in the place of a file when it is opened, and the file afterwards."""
    opened = os.open

    def swap(name, *args, **kwargs):
        if os.fspath(name) != str(path):
            return opened(name, *args, **kwargs)
        kept = path.with_name("kept")
        path.rename(kept)
        path.symlink_to(target)
        try:
            return opened(name, *args, **kwargs)
        finally:
            if back:
                path.unlink()
                kept.rename(path)

    monkeypatch.setattr(files.os, "open", swap)


@pytest.mark.parametrize("back", [False, True], ids=["stays", "comes and goes"])
@pytest.mark.parametrize("name", ["scene.env.xml", "part.kinbody.xml"])
def test_link_that_takes_a_place_before_it_is_opened(
    name: str, back: bool, inbox: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (inbox / "scene.env.xml").write_text(_INCLUDING)
    (inbox / "part.kinbody.xml").write_text(
        "<kinbody name='k'><body name='b'/></kinbody>"
    )
    assert [body.name for body in _load(inbox / "scene.env.xml", inbox).bodies] == ["k"]
    target = inbox.parent / "secret.kinbody.xml"
    _swap_when_opened(monkeypatch, inbox / name, target, back=back)
    with pytest.raises(pyrave.SceneError, match="lies outside the resource roots"):
        _load(inbox / "scene.env.xml", inbox)


def test_pipe_that_takes_a_place_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    raised: list[OSError] = []

    def read() -> None:
        try:
            read_file(path, 10)
        except OSError as error:
            raised.append(error)

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    thread.join(60.0)
    assert "no file" in str(raised[0])


def test_file_that_grows_is_read_to_its_bound(tmp_path: Path) -> None:
    path = tmp_path / "long"
    path.write_bytes(b"x" * 100)
    assert read_file(path, 10) == b"x" * 11
    assert read_file(path, 100) == b"x" * 100


def test_xacro_is_refused_where_files_are_confined(inbox: Path) -> None:
    pytest.importorskip("xacrodoc")
    (inbox.parent / "inc.xacro").write_text(
        '<robot xmlns:xacro="http://ros.org/wiki/xacro"><link name="outside"/></robot>'
    )
    path = inbox / "a.urdf.xacro"
    path.write_text(
        '<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro">'
        '<xacro:include filename="../inc.xacro"/></robot>'
    )
    with pytest.raises(pyrave.SceneError, match="confine=True forbids"):
        pyrave.load(path, allow_code=True, confine=True, resource_roots=[inbox])
    env = pyrave.load(path, allow_code=True)
    assert [link.name for link in env.bodies[0].links] == ["outside"]


def test_folder_is_said_to_be_one(inbox: Path) -> None:
    with pytest.raises(pyrave.Error, match="is a folder"):
        pyrave.load(inbox)
