"""Files beside another one: a save that fails half way leaves the old file whole."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import pyrave
from pyrave.formats import Companions
from pyrave.scene import (
    BodyDescription,
    Box,
    GeometryDescription,
    LinkDescription,
    MeshData,
    TriMesh,
)

_TRIANGLES = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
_FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


def _marked(companions: Companions, text: bytes) -> bytes:
    return f"# {companions.mark}\n".encode() + text


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def _save(folder: Path, text: bytes) -> str:
    companions = Companions(str(folder / "a.urdf"), (".urdf",))
    name = companions.add(".obj", _marked(companions, text), "link")
    with companions.written():
        (folder / "a.urdf").write_text(name)
    return name


def _age(*paths: Path) -> None:
    for path in paths:
        os.utime(path, (1e9, 1e9))


def test_what_is_the_same_keeps_its_name(tmp_path: Path) -> None:
    assert _save(tmp_path, b"one") == "a.link.obj"
    before = (tmp_path / "a.link.obj").stat()
    assert _save(tmp_path, b"one") == "a.link.obj"
    assert (tmp_path / "a.link.obj").stat().st_ino == before.st_ino


def test_what_changed_gets_another_name_and_the_old_file_goes_later(
    tmp_path: Path,
) -> None:
    _save(tmp_path, b"one")
    assert _save(tmp_path, b"two") == "a.link_1.obj"
    # whoever reads the old file just now finds what it names
    assert (tmp_path / "a.link.obj").read_bytes().endswith(b"one")
    _age(*tmp_path.glob("*.obj"))
    assert _save(tmp_path, b"two") == "a.link_1.obj"
    assert _names(tmp_path) == ["a.link_1.obj", "a.urdf"]
    assert _save(tmp_path, b"one") == "a.link.obj"


def test_files_of_others_stay(tmp_path: Path) -> None:
    (tmp_path / "a.link.obj").write_bytes(b"# of a user\n")
    (tmp_path / "a.other.obj").write_bytes(b"# written by pyrave for b.urdf\n")
    companions = Companions(str(tmp_path / "a.urdf"), (".urdf",))
    (tmp_path / "a.named.obj").write_bytes(_marked(companions, b"named"))
    _age(*tmp_path.iterdir())
    companions.keep([str(tmp_path / "a.named.obj")])
    companions.add(".obj", _marked(companions, b"one"), "link")
    with companions.written():
        pass
    names = ["a.link.obj", "a.link_1.obj", "a.named.obj", "a.other.obj"]
    assert _names(tmp_path) == names
    assert (tmp_path / "a.link.obj").read_bytes() == b"# of a user\n"


def test_of_two_saves_at_once_one_is_told(tmp_path: Path) -> None:
    first, second = (Companions(str(tmp_path / "a.urdf"), (".urdf",)) for _ in "12")
    names = [
        one.add(".obj", _marked(one, text), "link")
        for one, text in ((first, b"one"), (second, b"two"))
    ]
    assert names == ["a.link.obj", "a.link.obj"]
    with first.written():
        pass
    with (
        pytest.raises(pyrave.SceneError, match="another save of this scene goes on"),
        second.written(),
    ):
        raise AssertionError("it is not written")
    assert (tmp_path / "a.link.obj").read_bytes().endswith(b"one")


def test_what_is_new_goes_with_a_save_that_fails(tmp_path: Path) -> None:
    _save(tmp_path, b"one")
    companions = Companions(str(tmp_path / "a.urdf"), (".urdf",))
    companions.add(".obj", _marked(companions, b"one"), "link")
    companions.add(".obj", _marked(companions, b"two"), "link")

    def fail() -> None:
        with companions.written():
            assert (tmp_path / "a.link_1.obj").exists()
            raise OSError("full")

    with pytest.raises(OSError, match="full"):
        fail()
    assert _names(tmp_path) == ["a.link.obj", "a.urdf"]


def _scene(height: float) -> pyrave.Environment:
    mesh = MeshData(_TRIANGLES * height, _FACES)
    shapes = (TriMesh(mesh), Box((height, 1.0, 1.0)))
    link = LinkDescription("l", geometries=tuple(map(GeometryDescription, shapes)))
    env = pyrave.Environment()
    env.create_body(BodyDescription("b", links=(link,)))
    return env


@pytest.mark.parametrize("name", ["a.urdf", "a.wc.xml", "a.dwc.xml"])
def test_save_that_ends_before_its_last_file_leaves_the_old_scene(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / name
    _scene(1.0).save(path)
    good = pyrave.load(path).bodies[0]
    assert good.aabb[1] == pytest.approx([1.0, 1.0, 1.0])
    replace = Path.replace

    def fail(self: Path, target: Path) -> Path:
        if target.name == name:
            raise OSError(28, "No space left on device")
        return replace(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", fail)
        with pytest.raises(pyrave.SceneError, match="No space left on device"):
            _scene(3.0).save(path)
    assert len(list(tmp_path.glob("*.obj"))) == 1
    again = pyrave.load(path)
    assert np.array_equal(again.bodies[0].aabb, good.aabb)
    assert again.bodies[0].links[0].geometries[0].mesh.vertices.max() == 1.0
    _scene(3.0).save(path)
    assert pyrave.load(path).bodies[0].aabb[1][0] == pytest.approx(3.0)
    _age(*(one for one in tmp_path.iterdir() if one != path))
    _scene(3.0).save(path)
    assert len(list(tmp_path.glob("*.obj"))) == 1


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root is two users"
)
def test_folder_that_cannot_be_looked_into_is_told(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    (closed / "inner").mkdir(parents=True)
    closed.chmod(0o000)
    child = os.fork()
    if not child:
        code = 1
        os.setuid(65534)
        try:
            _scene(1.0).save(closed / "inner" / "a.urdf")
        except pyrave.ResourceError as error:
            code = 0 if "inner" in str(error) else 2
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0


def test_what_another_save_uses_stays_when_one_fails(tmp_path: Path) -> None:
    first, second = (Companions(str(tmp_path / "a.urdf"), (".urdf",)) for _ in "12")
    for one in (first, second):
        assert one.add(".obj", _marked(one, b"one"), "link") == "a.link.obj"

    def fail() -> None:
        with first.written():
            with second.written():
                (tmp_path / "a.urdf").write_text("a.link.obj")
            raise OSError("full")

    with pytest.raises(OSError, match="full"):
        fail()
    assert _names(tmp_path) == ["a.link.obj", "a.urdf"]


def test_what_a_copy_of_the_file_names_stays(tmp_path: Path) -> None:
    _save(tmp_path, b"one")
    (tmp_path / "copy.urdf").write_bytes((tmp_path / "a.urdf").read_bytes())
    _save(tmp_path, b"two")
    _age(*tmp_path.glob("*.obj"))
    _save(tmp_path, b"two")
    assert (tmp_path / "a.link.obj").read_bytes().endswith(b"one")
    (tmp_path / "copy.urdf").unlink()
    _age(tmp_path / "a.link.obj")
    _save(tmp_path, b"two")
    assert _names(tmp_path) == ["a.link_1.obj", "a.urdf"]


@pytest.mark.parametrize("name", ["a\udcff.urdf", "a\udcff.wc.xml"])
def test_names_that_no_encoding_has_are_marked_all_the_same(
    name: str, tmp_path: Path
) -> None:
    _scene(1.0).save(tmp_path / name)
    assert len(list(tmp_path.glob("*.obj"))) == 1
    assert pyrave.load(tmp_path / name).bodies[0].aabb[1][0] == pytest.approx(1.0)


def test_files_beside_xacro_are_named_without_its_suffixes(tmp_path: Path) -> None:
    _scene(1.0).save(tmp_path / "a.urdf.xacro")
    (mesh,) = tmp_path.glob("*.obj")
    assert mesh.name.startswith("a.l")


@pytest.mark.parametrize(("name", "count"), [("a.xacro", 1), ("a.urdf", 0)])
def test_what_xacro_would_expand_is_told(name: str, count: int, tmp_path: Path) -> None:
    env = pyrave.Environment()
    env.create_body(BodyDescription("b", links=(LinkDescription("l${x}"),)))
    losses = [str(one) for one in env.save(tmp_path / name)]
    assert sum("one $ more" in one for one in losses) == count
