"""The release script, as far as it goes without a network: on a tree of few files."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

_ROOT = Path(__file__).parents[2]
_FILES = ("CHANGELOG.md", "pyproject.toml", "compat/pyproject.toml")

for _needed in ("towncrier", "hatch_vcs"):
    pytest.importorskip(_needed)
pytestmark = pytest.mark.skipif(
    shutil.which("git") is None, reason="git is not installed"
)


def script(name):
    place = _ROOT / ".ci" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"{name}_script", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def release():
    return script("release")


@pytest.fixture
def commands(release, monkeypatch):
    """What the script runs, each as its words and the variables that are set."""
    found = []

    def run(*words, cwd, **variables):
        found.append((words, variables))
        return ""

    monkeypatch.setattr(release, "run", run)
    return found


def git(tree, *words):
    command = ["git", "-C", str(tree), *words]
    done = subprocess.run(command, check=True, capture_output=True, encoding="utf-8")
    return done.stdout


@pytest.fixture
def tree(tmp_path):
    """A repository with a changelog, one change, and what says which version comes."""
    folder = tmp_path / "tree"
    for name in _FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        text = (_ROOT / name).read_text("utf-8")
        version = 'fallback-version = "0.2.0.dev0"'
        text = re.sub(r'^fallback-version = ".*"$', version, text, flags=re.MULTILINE)
        (folder / name).write_text(text, "utf-8")
    change = folder / "docs" / "changes" / "+plans.added.md"
    change.parent.mkdir(parents=True)
    change.write_text("Plans are made.\n", "utf-8")
    git(tmp_path, "init", "--quiet", str(folder))
    git(folder, "config", "user.name", "a")
    git(folder, "config", "user.email", "a@b")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "first")
    return folder


def wrong(release, tree, version, out=None):
    """Return why a version cannot be made."""
    with pytest.raises(SystemExit) as caught:
        release.check(tree, version, out or tree.parent / "dist")
    return str(caught.value)


def test_a_tree_that_can_be_released(release, tree, tmp_path):
    for version in ("0.2.0", "0.3.0", "1.0.0"):
        release.check(tree, version, tmp_path / "dist")


def test_wrong_versions_are_told(release, tree):
    assert "expected three numbers such as 0.2.0" in wrong(release, tree, "v0.2")
    found = wrong(release, tree, "0.1.9")
    assert "0.1.9 is below 0.2.0, which pyproject.toml says comes next" in found
    git(tree, "tag", "v0.10.0")
    git(tree, "tag", "view")
    assert "0.9.0 is not above 0.10.0" in wrong(release, tree, "0.9.0")
    assert "0.10.0 is not above 0.10.0" in wrong(release, tree, "0.10.0")


def test_trees_that_are_not_ready_are_told(release, tree, tmp_path):
    out = tmp_path / "dist"
    out.mkdir()
    (out / "old.whl").touch()
    assert f"{out} is not empty" in wrong(release, tree, "0.2.0", out)
    (tree / "stray").touch()
    assert re.search(r"has changes.*\n\?\? stray", wrong(release, tree, "0.2.0"))
    (tree / "stray").unlink()
    git(tree, "rm", "--quiet", "docs/changes/+plans.added.md")
    git(tree, "commit", "--quiet", "--message", "nothing")
    assert "there is nothing to release" in wrong(release, tree, "0.2.0")


def test_commit_and_tag_are_made_in_a_clone_and_taken_over(release, tree, tmp_path):
    clone, before = tmp_path / "clone", git(tree, "rev-parse", "HEAD")
    release.make_commit(tree, clone, "0.2.0")
    log = (clone / "CHANGELOG.md").read_text("utf-8")
    new = log.partition(" below this line -->\n")[2].partition("## [0.1.0]")[0]
    assert re.fullmatch(
        r"\s*## \[0\.2\.0\] - \d{4}-\d\d-\d\d\n+### Added\n+- Plans are made\.\n+", new
    )
    assert release.changes(clone) == []
    for name in release.PROJECTS:
        text = (clone / name).read_text("utf-8")
        assert text.count('\nfallback-version = "0.2.1.dev0"\n') == 1
    assert git(clone, "status", "--porcelain") == ""
    assert git(clone, "describe") == "v0.2.0\n"
    # a dry run ends here
    assert git(tree, "rev-parse", "HEAD") == before
    assert git(tree, "tag") == ""
    release.take_over(tree, clone, "0.2.0")
    assert git(tree, "describe") == "v0.2.0\n"
    assert git(tree, "status", "--porcelain") == ""
    assert release.changes(tree) == []


def test_what_is_to_be_uploaded_is_printed(release, tmp_path, capsys):
    for name in ("pyrave-0.2.0.tar.gz", "pyrave-0.2.0-py3-none-any.whl"):
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / "machine-code").mkdir()
    release.tell(tmp_path, "0.2.0", is_made=False)
    said = capsys.readouterr().out
    assert "pyrave-0.2.0.tar.gz  0.0 MB  sha256 2d711642b726b044" in said
    assert "this was a dry run" in said
    assert "twine" not in said
    release.tell(tmp_path, "0.2.0", is_made=True)
    said = capsys.readouterr().out
    assert "git push --atomic origin HEAD v0.2.0" in said
    assert said.count(".whl") == 2


def test_a_command_that_fails_ends_it_with_what_it_said(release, tmp_path):
    command = (sys.executable, "-c", "print('so far'); raise SystemExit('no more')")
    with pytest.raises(SystemExit) as caught:
        release.run(*command, cwd=tmp_path)
    assert str(caught.value).endswith(" failed:\nso far\nno more\n")


@pytest.mark.parametrize("machine_code", [True, False])
def test_the_build_is_asked_for_machine_code(release, commands, tmp_path, machine_code):
    release.build(tmp_path, tmp_path, machine_code=machine_code)
    assert [words[1:3] for words, _ in commands] == [("-m", "build")] * 2
    asked = {"HATCH_BUILD_HOOK_ENABLE_CUSTOM": str(machine_code).lower()}
    assert all(variables == asked for _, variables in commands)


def test_answers_of_the_wheel_with_machine_code_are_compared(
    release, commands, tmp_path
):
    pure = tmp_path / "pyrave-0.2.0-py3-none-any.whl"
    brought = tmp_path / "pyrave-0.2.0-cp311-none-manylinux_2_17_x86_64.whl"
    others = ["pyrave_openravepy-0.2.0-py3-none-any.whl", "pyrave-0.2.0.tar.gz"]
    for name in (pure.name, brought.name, *others):
        (tmp_path / name).touch()
    release.compare(Path("python"), tmp_path, tmp_path)
    words = [" ".join(words) for words, _ in commands]
    assert [line.rpartition(" ")[2] for line in words] == [
        f"{pure}[physics]",
        "pure.npz",
        str(brought),
        "brought",
        "pure.npz",
    ]
    assert words[4].endswith("answers.py brought.npz --like pure.npz")
    cache = Path(commands[3][1]["PYRAVE_CACHE_DIR"])
    assert commands[1][1] == {"PYRAVE_COMPILE": "foreground"}
    cache.mkdir()
    (cache / "a.code").touch()
    with pytest.raises(SystemExit, match=r"does not bring .*a\.code"):
        release.compare(Path("python"), tmp_path, tmp_path)


def test_answers_differ_by_a_bit():
    answers = script("answers")
    own = {"a": np.array([0.0, 1.0]), "b": np.array([np.nan]), "c": np.array(["x"])}
    assert (
        answers.differences(own, {name: one.copy() for name, one in own.items()}) == []
    )
    near = {**own, "a": np.array([0.0, np.nextafter(1.0, 2.0)]), "d": own["a"]}
    assert answers.differences(own, near) == [
        "d: on one side only",
        "a: 1 of 2, the first 1.0000000000000002 and 1.0",
    ]
    signed = {**own, "a": np.array([-0.0, 1.0]), "b": np.array([1.0, 2.0])}
    assert answers.differences(own, signed) == [
        "a: 1 of 2, the first -0.0 and 0.0",
        "b: float64(2,), float64(1,)",
    ]
