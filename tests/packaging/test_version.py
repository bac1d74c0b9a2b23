"""Versions that builds take from git's tags, and what they do without these."""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
import tarfile
import tomllib
from pathlib import Path

import pytest

import pyrave

pytest.importorskip("hatch_vcs")

_ROOT = Path(__file__).parents[2]
_FILES = (".gitattributes", "pyproject.toml", "compat/pyproject.toml")
_ARCHIVAL = ".git_archival.txt"
# git puts the tag there when it makes an archive, in which tests run, too
_ARCHIVAL_TEXT = "describe-name: $Format:%(describe:tags=true,match=v[0-9]*)$\n"
_PROJECT = tomllib.loads((_ROOT / "pyproject.toml").read_text("utf-8"))
_NEXT = _PROJECT["tool"]["hatch"]["version"]["fallback-version"]
_COUNTED = re.escape(_NEXT.removesuffix("0"))

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*is shallow", "ignore:git archive did not"),
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]


def _version(tree):
    """Return the version of a tree's build, which is that of the second wheel, too."""
    from hatchling.metadata.core import ProjectMetadata
    from hatchling.plugin.manager import PluginManager

    found = [
        ProjectMetadata(str(folder), PluginManager()).version
        for folder in (tree, tree / "compat")
        if folder.is_dir()
    ]
    assert len(set(found)) == 1
    return found[0]


def _git(tree, *words):
    who = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    command = ["git", "-C", str(tree), *who, *words]
    return subprocess.run(command, check=True, capture_output=True).stdout


def _commit(tree):
    with (tree / "README.md").open("a", encoding="utf-8") as file:
        file.write("more\n")
    _git(tree, "add", "--all")
    _git(tree, "commit", "--quiet", "--message", "more")


@pytest.fixture
def tree(tmp_path):
    """A repository of one commit with the files that say how versions are made."""
    folder = tmp_path / "tree"
    for name in _FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(_ROOT / name, folder / name)
    (folder / _ARCHIVAL).write_text(_ARCHIVAL_TEXT, "utf-8")
    _git(tmp_path, "init", "--quiet", str(folder))
    _commit(folder)
    return folder


def _archive(tree):
    """Return the files of the commit as `.ci/run` has them: without git."""
    out = tree.parent / "archive"
    out.mkdir()
    file = tree.parent / "archive.tar"
    file.write_bytes(_git(tree, "archive", "HEAD"))
    with tarfile.open(file) as archive:
        archive.extractall(out, filter="data")
    return out


def _clone(tree, *options):
    out = tree.parent / "clone"
    _git(tree, "clone", "--quiet", *options, tree.as_uri(), str(out))
    return out


def test_archives_are_told_the_tag():
    text = (_ROOT / _ARCHIVAL).read_text("utf-8")
    if (_ROOT / ".git").exists():
        assert text == _ARCHIVAL_TEXT
    else:
        assert text.startswith("describe-name: ")


def test_a_tag_is_the_version(tree):
    _git(tree, "tag", "v0.2.0")
    assert _version(tree) == "0.2.0"
    assert _version(_archive(tree)) == "0.2.0"
    assert _version(_clone(tree, "--depth", "1")) == "0.2.0"


def test_commits_behind_a_tag_are_before_the_next_version(tree):
    _git(tree, "tag", "v0.2.0")
    _commit(tree)
    expected = r"0\.2\.1\.dev1\+g[0-9a-f]{7,}"
    assert re.fullmatch(expected, _version(tree))
    assert re.fullmatch(expected, _version(_archive(tree)))


def test_without_a_tag_it_is_before_the_next_version(tree):
    assert re.fullmatch(rf"{_COUNTED}1\+g[0-9a-f]+", _version(tree))
    assert _version(_archive(tree)) == _NEXT


@pytest.mark.parametrize("options", [("--depth", "1"), ("--no-tags",)])
def test_clones_that_lack_the_tag_are_before_the_next_version(tree, options):
    _git(tree, "tag", "v0.2.0")
    _commit(tree)
    found = _version(_clone(tree, *options))
    assert re.fullmatch(rf"{_COUNTED}[12]\+g[0-9a-f]+", found)


def test_without_git_it_is_before_the_next_version(tree, monkeypatch):
    _git(tree, "tag", "v0.2.0")
    monkeypatch.setenv("PATH", "")
    assert _version(tree) == _NEXT


def test_files_alone_in_the_repository_of_another_are_before_the_next_version(tree):
    _git(tree, "tag", "v7.0")
    inner = tree / "vendored"
    inner.mkdir()
    shutil.copy(tree / "pyproject.toml", inner)
    assert _version(inner) == _NEXT


def test_an_sdist_keeps_its_version(tree, tmp_path, monkeypatch):
    from hatchling.build import build_sdist

    (tree / "LICENSE").touch()
    _git(tree, "add", "--all")
    _git(tree, "commit", "--quiet", "--amend", "--no-edit")
    _git(tree, "tag", "v0.3.0")
    monkeypatch.chdir(tree)
    name = build_sdist(str(tmp_path))
    assert name == "pyrave-0.3.0.tar.gz"
    with tarfile.open(tmp_path / name) as archive:
        archive.extractall(tmp_path, filter="data")
    monkeypatch.setenv("PATH", "")
    assert _version(tmp_path / "pyrave-0.3.0") == "0.3.0"


def test_code_that_is_not_installed_has_no_known_version(monkeypatch):
    import importlib_metadata

    def missing(name):
        raise importlib_metadata.PackageNotFoundError(name)

    module = Path(pyrave.__file__).with_name("_version.py")
    assert runpy.run_path(str(module))["__version__"] == pyrave.__version__
    monkeypatch.setattr(importlib_metadata, "version", missing)
    assert runpy.run_path(str(module))["__version__"] == "0+unknown"
