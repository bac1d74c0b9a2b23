"""Finding files: order, refusals, hints, confinement."""

import importlib
import os
import subprocess
import sys

import pytest

from pyrave.errors import ResourceError, SceneError
from pyrave.formats import OutsideRootsError, Resolver


@pytest.fixture
def tree(tmp_path):
    for folder in ("near", "root", "env", "data"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{folder}.xml").write_text(folder)
        (tmp_path / folder / "all.xml").write_text(folder)
    return tmp_path


def test_search_order(tree, monkeypatch):
    for name in ("root2", "old"):
        (tree / name).mkdir()
        (tree / name / f"{name}.xml").write_text(name)
        (tree / name / "all.xml").write_text(name)
    monkeypatch.setenv("PYRAVE_DATA", str(tree / "env"))
    monkeypatch.setenv("OPENRAVE_DATA", f"{tree / 'none'}{os.pathsep}{tree / 'old'}")
    roots = [tree / "root", tree / "root2"]
    resolver = Resolver(roots, data_roots=[tree / "data"])
    near = str(tree / "near")
    for folder in ("near", "root", "root2", "env", "old", "data"):
        assert resolver.resolve("all.xml", near) == str(tree / folder / "all.xml")
        assert resolver.resolve(f"{folder}.xml", near).endswith(f"{folder}.xml")
        (tree / folder / "all.xml").unlink()
    with pytest.raises(ResourceError):
        resolver.resolve("all.xml", near)


def test_the_error_names_files_in_folders_below(tree):
    (tree / "near" / "deep" / "er").mkdir(parents=True)
    (tree / "near" / "deep" / "er" / "rarely.xml").touch()
    resolver = Resolver([])
    for name in ("rarely.xml", "elsewhere/rarely.xml"):
        with pytest.raises(ResourceError, match=r"did you mean 'deep/er/rarely\.xml'"):
            resolver.resolve(name, str(tree / "near"))
    confined = Resolver([tree / "near"], confine=True)
    with pytest.raises(ResourceError) as caught:
        confined.resolve("rarely.xml", str(tree / "near"))
    assert "deep" not in str(caught.value)


def test_the_error_says_where_it_looked_and_what_is_near(tree):
    resolver = Resolver([tree / "root"], data_roots=())
    with pytest.raises(ResourceError) as caught:
        resolver.resolve("rooot.xml", str(tree / "near"))
    assert str(tree / "near") in caught.value.searched
    assert str(tree / "root") in caught.value.searched
    assert "'root.xml'" in caught.value.hint


@pytest.mark.parametrize(
    ("leads", "said"),
    [("a.xml", "leads back to itself"), ("gone.xml", "a link to 'gone.xml'")],
)
def test_links_that_lead_to_no_file_are_told(tmp_path, leads, said):
    (tmp_path / "a.xml").symlink_to(leads)
    with pytest.raises(ResourceError) as caught:
        Resolver().resolve("a.xml", str(tmp_path))
    assert said in caught.value.hint


@pytest.mark.parametrize("name", ["http://x.org/a.xml", "ftp:a", "package://p/a.xml"])
def test_nothing_is_fetched(name):
    with pytest.raises(SceneError, match="not a local file"):
        Resolver(data_roots=()).resolve(name)


def test_file_uris_and_absolute_paths(tree):
    path = tree / "near" / "a b.xml"
    path.write_text("")
    resolver = Resolver(data_roots=())
    assert resolver.resolve(path.as_uri()) == str(path)
    assert resolver.resolve(str(path)) == str(path)


def test_a_host_of_a_file_uri_is_a_folder(tree):
    """Files of robots name meshes so, with two slashes where three are meant."""
    resolver = Resolver([tree / "root"], data_roots=(), use_environment=False)
    near = str(tree / "near")
    assert resolver.resolve("file://root/root.xml", str(tree)).endswith("root/root.xml")
    assert resolver.resolve("file://root.xml", near) == str(tree / "root" / "root.xml")
    assert resolver.resolve("file://../root/root.xml", near)
    assert resolver.resolve("file://localhost" + near + "/near.xml")
    for name in ("file://host/a.xml", "file://[v/a.xml", "file://"):
        with pytest.raises(ResourceError, match=r"not found|not a regular file"):
            resolver.resolve(name)
    confined = Resolver(
        [tree / "root"], confine=True, data_roots=(), use_environment=False
    )
    with pytest.raises(OutsideRootsError):
        confined.resolve("file://../near/near.xml", str(tree / "root"))


def test_confinement_holds_against_dots_and_links(tree):
    resolver = Resolver(
        [tree / "root"], confine=True, data_roots=(), use_environment=False
    )
    base = str(tree / "root")
    assert resolver.resolve("root.xml", base)
    (tree / "root" / "link.xml").symlink_to(tree / "near" / "near.xml")
    (tree / "root" / "folder").symlink_to(tree / "near")
    for name in (
        "../near/near.xml",
        "link.xml",
        "folder/near.xml",
        str(tree / "near" / "near.xml"),
        (tree / "near" / "near.xml").as_uri(),
    ):
        with pytest.raises(ResourceError, match="outside the resource roots"):
            resolver.resolve(name, base)


def test_confined_scenes_include_nothing_from_outside(tree, refuse):
    (tree / "near" / "near.xml").write_text("<kinbody name='k'/>")
    (problem,) = refuse(
        "<environment><kinbody file='near.xml'/></environment>",
        tree / "near",
        roots=[tree / "root"],
        confine=True,
    )
    assert problem.code == "outside-roots"


@pytest.mark.slow
def test_importing_the_room_is_light():
    code = (
        "import sys, pyrave.formats, pyrave.formats.openrave_xml.hooks, "
        "pyrave.formats.registry, pyrave.formats.resolver\n"
        "print([m for m in ('lxml', 'numba') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
    assert importlib.import_module("pyrave.formats").load_mesh


def test_one_path_is_one_root(tree):
    for root in (tree / "root", str(tree / "root")):
        assert Resolver(root).roots == (str(tree / "root"),)


@pytest.mark.parametrize(
    "name", ["data/lab1.env.xml", "robots/wam.robot.xml", "./models/hand/palm.iv"]
)
def test_data_of_openrave_is_told_of(tmp_path, monkeypatch, name):
    monkeypatch.delenv("OPENRAVE_DATA", raising=False)
    with pytest.raises(ResourceError) as caught:
        Resolver().resolve(name, str(tmp_path))
    assert "OPENRAVE_DATA=<checkout>/src" in caught.value.hint
    assert "models.tgz" in caught.value.hint
    with pytest.raises(ResourceError) as caught:
        Resolver().resolve("lab1.env.xml", str(tmp_path))
    assert "OPENRAVE_DATA" not in caught.value.hint


def test_a_folder_above_that_has_the_file_is_named(tmp_path):
    (tmp_path / "robots").mkdir()
    (tmp_path / "robots" / "arm.robot.xml").write_text("<robot/>")
    (tmp_path / "data" / "inner").mkdir(parents=True)
    base = str(tmp_path / "data" / "inner")
    with pytest.raises(ResourceError) as caught:
        Resolver().resolve("robots/arm.robot.xml", base)
    assert caught.value.hint.startswith(f"{tmp_path} has it")
    assert "OPENRAVE_DATA" in caught.value.hint
    with pytest.raises(ResourceError) as caught:
        Resolver(confine=True).resolve("robots/arm.robot.xml", base)
    assert str(tmp_path / "robots") not in caught.value.hint


def test_a_folder_near_that_has_the_file_is_named(tmp_path):
    (tmp_path / "ordata" / "robots").mkdir(parents=True)
    (tmp_path / "ordata" / "robots" / "arm.robot.xml").write_text("<robot/>")
    (tmp_path / "scenes" / "lab").mkdir(parents=True)
    with pytest.raises(ResourceError) as caught:
        Resolver().resolve("robots/arm.robot.xml", str(tmp_path / "scenes" / "lab"))
    assert caught.value.hint.startswith(f"{tmp_path / 'ordata'} has it")
