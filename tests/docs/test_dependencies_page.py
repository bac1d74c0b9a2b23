"""The page of dependencies lists exactly what pyproject.toml declares."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

_ROOT = Path(__file__).parents[2]
_PAGE = (_ROOT / "docs" / "reference" / "dependencies.md").read_text(encoding="utf-8")
_PROJECT = tomllib.loads((_ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def _names(requirements):
    found = {re.split(r"[\s<>=!~;\[]", one)[0].lower() for one in requirements}
    return found - {"pyrave"}


def _listed(section):
    body = re.split(rf"^## {section}\n", _PAGE, flags=re.MULTILINE)[1]
    rows = re.findall(r"^\| \[([^]]+)\]", body.split("\n## ")[0], re.MULTILINE)
    return {row.lower().replace(" ", "-") for row in rows}


def test_base():
    assert _listed("Base") == _names(_PROJECT["dependencies"])


@pytest.mark.parametrize("extra", sorted(_PROJECT["optional-dependencies"]))
def test_extra(extra):
    wanted = _names(_PROJECT["optional-dependencies"][extra])
    assert _listed(f"Extra `{extra}`") == wanted


def test_sizes_are_those_of_all_extras_for_users_and_of_a_small_base():
    rows = re.findall(r"^\| `?(\w+)`? \| (\d+) \| (\d+) \| .", _PAGE, re.MULTILINE)
    extras = {name for name, _, _ in rows} - {"base"}
    tools = {"bench", "fuzz", "robots"}
    assert extras == _PROJECT["optional-dependencies"].keys() - tools, (
        "run benchmarks/extras.py --page"
    )
    packages, size = next((int(n), int(mb)) for name, n, mb in rows if name == "base")
    assert packages <= 18
    assert size <= 370


def _of_base():
    """Return the packages that the base install brings, as they are installed here."""
    found, todo = set(), [*_PROJECT["dependencies"]]
    while todo:
        one = Requirement(todo.pop())
        name = canonicalize_name(one.name)
        if name not in found and (one.marker is None or one.marker.evaluate()):
            found.add(name)
            todo += metadata.requires(name) or ()
    return found


def test_the_base_is_as_small_here():
    assert len(_of_base()) + 1 <= 18, "pyrave is one of them"
