"""The table of elements is what the reader reads, and what it tells of."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import pyrave
import pyrave_collada
from pyrave.formats.vocabulary import AREAS
from pyrave_collada.vocabulary import ELEMENTS

ROBOT = """<COLLADA version="1.5.0"
xmlns="http://www.collada.org/2008/03/COLLADASchema">
<library_kinematics_models><kinematics_model id="k"><technique_common>
<joint sid="j" name="j"><revolute sid="a"><axis>0 0 1</axis></revolute></joint>
<link sid="l" name="l"><attachment_full joint="k/j"><link sid="m" name="m"/>
</attachment_full></link></technique_common></kinematics_model>
</library_kinematics_models>
{COLLADA}<library_visual_scenes><visual_scene id="v"><node id="n">{node}</node>
</visual_scene></library_visual_scenes>
<library_articulated_systems><articulated_system id="s"><kinematics>
<instance_kinematics_model url="#k" sid="i"/><technique_common>
<axis_info axis="i/j">{axis_info}</axis_info>{kinematics of a system}</technique_common>
</kinematics></articulated_system><articulated_system id="t"><motion>
<instance_articulated_system url="#s"/><technique_common>{motion}</technique_common>
</motion>
<extra type="attach_actuator"><technique profile="OpenRAVE"><instance_actuator
url="#mo"/><bind_actuator joint="i/j"/></technique></extra>
</articulated_system></library_articulated_systems>
<extra type="library_actuators"><technique profile="OpenRAVE">
<actuator type="electric_motor" id="mo">{actuator}</actuator></technique></extra>
<library_physics_models><physics_model id="p"><rigid_body sid="r"><technique_common>
<mass>1</mass>{rigid_body}<shape>{shape}</shape></technique_common></rigid_body>
</physics_model></library_physics_models>
<library_physics_scenes><physics_scene id="ps"><instance_physics_model url="#p"/>
<technique_common>{physics_scene}</technique_common></physics_scene>
</library_physics_scenes>
<library_kinematics_scenes><kinematics_scene id="z"><instance_articulated_system
url="#t"/></kinematics_scene></library_kinematics_scenes>
<scene><instance_kinematics_scene url="#z"/></scene></COLLADA>"""
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
