"""The table of elements is what the readers know, and what they tell of."""

from __future__ import annotations

import pytest

import pyrave
from pyrave.formats.vocabulary import AREAS
from pyrave_workcell.vocabulary import ELEMENTS

CELL = """<WorkCell name="c"><Frame name="b" type="Movable"/>
<Drawable name="d" refframe="b"><Box x="1" y="1" z="1"/></Drawable></WorkCell>"""
MATERIALS = """<MaterialData><Material id="m">M</Material><Default>m</Default>
</MaterialData><ObjectTypeData><ObjectType id="o">O</ObjectType><Default>o</Default>
</ObjectTypeData>"""
RIGID = """<RigidBody frame="b"><Mass>1</Mass><COG>0 0 0</COG><Inertia>1 1 1</Inertia>
<Integrator>Euler</Integrator>{}</RigidBody>"""
TEXTS = {"AutoDisable": "true", "CollisionMargin": "0.01", "Integrator": "Euler"}


@pytest.fixture
def problems(tmp_path):
    (tmp_path / "c.wc.xml").write_text(CELL)

    def read(inside):
        path = tmp_path / "c.dwc.xml"
        path.write_text(
            f"<DynamicWorkCell workcell='c.wc.xml'>{inside}</DynamicWorkCell>"
        )
        report = pyrave.Environment().load(path)
        return [(p.code, p.message) for p in report.problems]

    return read


def test_areas_are_known():
    for known in ELEMENTS.values():
        for meaning in known.values():
            assert meaning.becomes
            assert set(meaning.acts) <= set(AREAS)


@pytest.mark.parametrize("owner", ["DynamicWorkCell", "PhysicsEngine"])
def test_what_acts_nowhere_is_told_once(problems, owner):
    for tag, meaning in ELEMENTS[owner].items():
        if meaning.acts:
            continue
        text = f"<{tag}>{TEXTS.get(tag, '1')}</{tag}>"
        if owner == "PhysicsEngine":
            text = f"<PhysicsEngine>{text}</PhysicsEngine>" * 2
        assert meaning.told
        told = f"<{tag}> in <{owner}> acts nowhere in pyrave"
        assert problems(text) == [("acts-nowhere", told)]


def test_what_robwork_wants_is_not_told(problems):
    assert not ELEMENTS["RigidBody"]["Integrator"].told
    assert problems(RIGID.format("") + MATERIALS) == []


@pytest.mark.parametrize("owner", ["RigidBody", "FixedBody"])
def test_what_the_table_has_not_means_nothing(problems, owner):
    body = RIGID.format("<Masss>1</Masss>")
    if owner == "FixedBody":
        body = "<FixedBody frame='b'><Mass>1</Mass></FixedBody>"
    wrong = "Masss" if owner == "RigidBody" else "Mass"
    assert wrong not in ELEMENTS[owner]
    (problem,) = problems(body + MATERIALS)
    assert problem[0] == "unknown-tag"
    assert f"unknown element <{wrong}>" in problem[1]
