"""Reference pages say what the code has: JSON keys and environment variables."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

import pyrave
from pyrave.formats.openrave_xml.schema import (
    ELEMENTS,
    GEOMETRY_TYPES,
    INTERFACE_TYPES,
)
from pyrave.formats.vocabulary import AREAS
from pyrave.summary import INFO_SCHEMA, scene_summary

_ROOT = Path(__file__).parents[2]
_REFERENCE = _ROOT / "docs" / "reference"
_JSON = (_REFERENCE / "info-json.md").read_text(encoding="utf-8")


def _words(section):
    body = re.split(rf"^## {section}\n", _JSON, flags=re.MULTILINE)[1]
    spans = re.findall(r"`([^`]+)`", body.split("\n## ")[0])
    return {word for span in spans for word in span.split()}


def _robot(summary):
    return next(body for body in summary["bodies"] if body["is_robot"])


@pytest.fixture(scope="module")
def summary():
    env = pyrave.load("scenes/demo.env.xml")
    return scene_summary(env)


@pytest.mark.parametrize(
    ("section", "pick"),
    [
        ("Top level", lambda s: s),
        ("`environment`", lambda s: s["environment"]),
        ("A body", _robot),
        ("A link", lambda s: _robot(s)["links"][0]),
        ("A link", lambda s: _robot(s)["links"][0]["geometries"][0]),
        ("A joint", lambda s: _robot(s)["joints"][0]),
        ("`robot`", lambda s: _robot(s)["robot"]),
        ("`robot`", lambda s: _robot(s)["robot"]["manipulators"][0]),
        ("`robot`", lambda s: _robot(s)["robot"]["attached_sensors"][0]),
    ],
)
def test_every_key_is_described(section, pick, summary):
    assert set(pick(summary)) <= _words(section)


def test_the_schema_is_named():
    assert f"`{INFO_SCHEMA}`" in _JSON


def test_every_environment_variable_is_described():
    page = (_REFERENCE / "environment-variables.md").read_text(encoding="utf-8")
    used = set()
    for folder in ("core", "plugins"):
        for path in (_ROOT / folder).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            used |= set(re.findall(r"\b(?:PYRAVE|OPENRAVE)_[A-Z_]+\b", text))
    assert used
    assert used <= set(re.findall(r"`([A-Z_]+)`", page))


def test_the_format_page_has_a_table_of_every_element():
    page = (_REFERENCE / "openrave-xml.md").read_text(encoding="utf-8")
    shown = set(re.findall(r"^```\{xml-element\} (\w+)$", page, re.MULTILINE))
    # the other interface types have the tags of a module, and the page names them
    others = {name for name in INTERFACE_TYPES if ELEMENTS[name] == ELEMENTS["module"]}
    assert shown == (ELEMENTS.keys() - others) | {"module"}
    assert set(INTERFACE_TYPES) <= set(re.findall(r"\w+", page))
    for kind in GEOMETRY_TYPES:
        assert f"`{kind}`" in page


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("pyrave_urdf.vocabulary", ("urdf.md",)),
        ("pyrave_collada.vocabulary", ("collada.md",)),
        ("pyrave_workcell.vocabulary", ("robwork.md", "dynamic-workcell.md")),
    ],
)
def test_a_page_has_a_table_of_all_that_a_reader_knows(module, names):
    pages = [(_REFERENCE / name).read_text(encoding="utf-8") for name in names]
    page = "\n".join(pages)
    shown = re.findall(rf"^```{{vocabulary}} {module} (.+)$", page, re.MULTILINE)
    elements = importlib.import_module(module).ELEMENTS
    assert sorted(shown) == sorted(elements)
    for known in elements.values():
        for meaning in known.values():
            assert meaning.becomes
            assert set(meaning.acts) <= set(AREAS)
    assert "acts-nowhere" in page
