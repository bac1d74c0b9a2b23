"""The page of dependencies lists exactly what pyproject.toml declares."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

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
