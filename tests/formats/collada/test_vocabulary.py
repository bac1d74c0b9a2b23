"""The table of elements is what the reader reads, and what it tells of."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from scene_files import scene_beside

import pyrave
import pyrave_collada
from pyrave.formats.vocabulary import AREAS
from pyrave_collada.vocabulary import ELEMENTS

ROBOT = scene_beside(__file__, "vocabulary.dae")
PLACES = (
    "COLLADA", "node", "axis_info", "kinematics of a system", "motion", "actuator",
    "rigid_body", "shape", "physics_scene",
)  # fmt: skip
IDLE = [
    (owner, tag)
    for owner, known in ELEMENTS.items()
    for tag, meaning in known.items()
    if not meaning.acts
]


def literals():
    """Return the words of texts in the sources of the reader."""
    found = set()
    for path in Path(pyrave_collada.__file__).parent.rglob("*.py"):
        if path.name == "vocabulary.py" or "writing" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.update(re.findall(r"\w+", node.value))
    return found


def read(**places):
    text = ROBOT
    for owner in PLACES:
        text = text.replace(f"{{{owner}}}", places.get(owner, ""))
    report = pyrave.Environment().load_string(text)
    return [p.message for p in report.problems if p.code == "acts-nowhere"]


def test_what_acts_is_looked_for_by_the_reader():
    known = literals()
    # libraries are found by the ids of what is in them
    acting = {
        tag
        for owner, tags in ELEMENTS.items()
        for tag, meaning in tags.items()
        if meaning.acts and not tag.startswith("library_")
    }
    assert acting <= known
    for tags in ELEMENTS.values():
        for meaning in tags.values():
            assert set(meaning.acts) <= set(AREAS)


@pytest.mark.parametrize(("owner", "tag"), IDLE)
def test_what_acts_nowhere_is_told(owner, tag):
    text = f"<{tag}>1</{tag}>"
    if owner not in PLACES:
        assert not ELEMENTS[owner][tag].told
        return
    messages = read(**{owner: text * 3})
    if ELEMENTS[owner][tag].told:
        (message,) = messages
        assert f"<{tag}> in <" in message
    else:
        assert messages == []


def test_a_plain_file_tells_nothing():
    assert read() == []
