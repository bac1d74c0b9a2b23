"""Files that say what changed since the last version."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]
_FILES = sorted(
    one for one in (_ROOT / "docs" / "changes").iterdir() if one.name != "README.md"
)
_PROJECT = tomllib.loads((_ROOT / "pyproject.toml").read_text("utf-8"))
_TYPES = [one["directory"] for one in _PROJECT["tool"]["towncrier"]["type"]]


def _wrong(name, text):
    """Return what is wrong about a file of a change, ``""`` if nothing is."""
    if not re.fullmatch(rf"\+[a-z0-9-]+\.(?:{'|'.join(_TYPES)})\.md", name):
        return f"expected +name.TYPE.md, TYPE one of {_TYPES}"
    lines = text.splitlines()
    if re.search(r"^(?:#|[-*] |```|<<<<<<<|>>>>>>>)", text, re.MULTILINE):
        return "holds a heading, a list, code or a conflict"
    if not text.strip() or not lines[0].strip() or len(lines) > 10 or "\n\n" in text:
        return "expected one sentence or few, in one paragraph of up to 10 lines"
    if not lines[-1].rstrip().endswith((".", "!", "?")):
        return "does not end with a full stop"
    return ""


def test_changes_are_told_in_a_sentence_or_few():
    found = {one.name: _wrong(one.name, one.read_text("utf-8")) for one in _FILES}
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize(
    ("name", "text", "wrong"),
    [
        ("+plans.added.md", "Plans are made.\n", ""),
        ("+plans.new.md", "Plans are made.\n", "TYPE one of"),
        ("12.added.md", "Plans are made.\n", "TYPE one of"),
        ("+plans.added.md", "## Plans\nPlans are made.\n", "a heading"),
        ("+plans.added.md", "- Plans are made.\n", "a list"),
        ("+plans.added.md", "\n", "one sentence or few"),
        ("+plans.added.md", "Plans.\n\nAnd more.\n", "one paragraph"),
        ("+plans.added.md", "Plans are made\n", "full stop"),
    ],
)
def test_what_is_wrong_about_a_change_is_told(name, text, wrong):
    found = _wrong(name, text)
    assert wrong in found
    assert bool(wrong) == bool(found)


def test_towncrier_finds_each_change():
    pytest.importorskip("towncrier")
    command = [sys.executable, "-m", "towncrier", "build", "--draft"]
    command += ["--version", "9.8.7", "--date", "2001-02-03"]
    result = subprocess.run(
        command, cwd=_ROOT, capture_output=True, encoding="utf-8", check=True
    )
    drafted = result.stdout.partition("## [9.8.7] - 2001-02-03\n")[2]
    assert drafted, result.stdout
    for file in _FILES:
        assert file.read_text("utf-8").splitlines()[0] in drafted, file.name
    section = _PROJECT["tool"]["towncrier"]["start_string"]
    assert (_ROOT / "CHANGELOG.md").read_text("utf-8").count(section) == 1


def test_page_of_changes_has_each_change(monkeypatch):
    pytest.importorskip("sphinx")
    monkeypatch.syspath_prepend(str(_ROOT / "docs" / "_ext"))
    from unreleased import change_lines

    lines = list(change_lines())
    assert sum(line.startswith("- ") for line in lines) == len(_FILES)
    headings = [line.strip("*").lower() for line in lines if line.startswith("**")]
    assert headings == [one for one in _TYPES if f".{one}.md" in str(_FILES)]
