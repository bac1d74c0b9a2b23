"""Contents of the root of the repository, and its pages on tests and docs."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from fnmatch import fnmatch
from pathlib import Path
from types import SimpleNamespace

import pytest

_ROOT = Path(__file__).parents[2]
_HELD = {
    ".ci",
    ".git_archival.txt",
    ".gitattributes",
    ".github",
    ".gitignore",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "README.md",
    "SECURITY.md",
    "benchmarks",
    "compat",
    "core",
    "docs",
    "environments",
    "plugins",
    "pyproject.toml",
    "tests",
}
_PYTHON = ["Programming Language", "Python"]
_TEST = "pip install -e '.[dev]' && pytest"


def test_pages_of_the_root_have_no_marks_of_a_conflict():
    for path in _ROOT.glob("*.md"):
        text = path.read_text(encoding="utf-8")
        assert not re.findall(r"^(?:<{7}|>{7}) .*", text, re.MULTILINE), path.name


def test_root_holds_what_is_known():
    """Tell what git does not ignore from what is known; build servers have no git."""
    ignored = (_ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    found = {
        path.name
        for path in _ROOT.iterdir()
        if not any(fnmatch(path.name, one.rstrip("/")) for one in ignored)
    }
    assert found - {".git"} == _HELD, "move or ignore these, or add them here"


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", ".ci/run"])
def test_one_line_tests_everything(name):
    lines = (_ROOT / name).read_text(encoding="utf-8").splitlines()
    found = [line.strip().removeprefix("$ ") for line in lines if _TEST in line]
    assert found == [_TEST]


def test_extras_bring_what_pages_run():
    readme = (_ROOT / "README.md").read_text(encoding="utf-8")
    assert "$ pip install '.[docs]' && python -m sphinx docs docs/_build\n" in readme
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    brought = {*extras["all"], *extras["docs"], *extras["dev"]}
    # what pages tell their readers to install
    named = {
        extra
        for page in (_ROOT / "docs").rglob("*.md")
        for extra in re.findall(r"pyrave\[([a-z]+)\]", page.read_text("utf-8"))
    }
    tools = {"bench", "dev", "docs", "fuzz", "robots", "all"}
    assert {f"pyrave[{extra}]" for extra in named - tools} <= brought


def test_build_servers_try_the_pythons_that_are_supported():
    """Those that must pass are those of the classifiers; others are experimental."""
    yaml = pytest.importorskip("yaml")
    text = (_ROOT / ".github" / "workflows" / "tests.yml").read_text("utf-8")
    jobs = yaml.safe_load(text)["jobs"]
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    classifiers = [one.split(" :: ") for one in project["classifiers"]]
    pythons = [one[-1] for one in classifiers if one[:-1] == _PYTHON]
    assert jobs["linux"]["strategy"]["matrix"]["python"] == pythons
    assert project["requires-python"] == f">={pythons[0]}"
    systems = [one[1:] for one in classifiers if one[0] == "Operating System"]
    assert systems == [["POSIX", "Linux"]]
    page = (_ROOT / "docs" / "reference" / "systems.md").read_text("utf-8")
    assert f"| Python | {', '.join(pythons)} |" in page
    others = jobs["linux"]["strategy"]["matrix"]["include"]
    assert all(one["experimental"] for one in others)
    assert "experimental" in jobs["linux"]["continue-on-error"]
    assert jobs["others"]["continue-on-error"] is True


def _processes(arguments, **options):
    """Return how many processes pytest takes by the suite's own choice."""
    place = _ROOT / "tests" / "conftest.py"
    spec = importlib.util.spec_from_file_location("suite", place)
    suite = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(suite)
    usual = {"numprocesses": None, "dist": "no", "usepdb": False}
    plugins = SimpleNamespace(hasplugin=lambda name: name == "xdist")
    option = SimpleNamespace(**usual | options)
    suite.pytest_cmdline_main(
        SimpleNamespace(args=arguments, option=option, pluginmanager=plugins)
    )
    return option.numprocesses


def test_files_are_tested_in_one_process_and_folders_in_many(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    assert _processes(["tests"]) == 3
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    assert _processes(["tests"]) == "logical"
    assert _processes(["tests/unit", "tests/unit/test_files.py"]) == "logical"
    assert _processes(["tests/unit/test_files.py"]) is None
    assert _processes(["tests/unit/test_files.py::test_a[b]"]) is None
    assert _processes(["tests"], usepdb=True) is None
    assert _processes(["tests"], numprocesses=0) == 0
