"""COLLADA that was edited by hand, or by an enemy: refused or told of, in words."""

from __future__ import annotations

import pytest
from collada_documents import Robot, box, problems, read, technique

import pyrave

# -- extras of the profile pyrave ------------------------------------------------------


def own(part):
    return technique("pyrave", f"<exact>{part}</exact>", profile="pyrave")


def refused(text):
    """Return the codes of what refuses a document."""
    with pytest.raises(pyrave.SceneError) as caught:
        read(text, strict=False)
    return [one.code for one in caught.value.problems]


@pytest.mark.parametrize(
    "part",
    [
        "<manipulator name='a'><joint name='b'/></manipulator>",
        "<link name='base'><joint name='b'/></link>",
        "<link name='base'><order name='joints'/></link>",
        "<link name='base'><axis/></link>",
        "<joint name='joint0'><axis><geometry takes='0'/></axis></joint>",
        "<joint name='joint0'><axis><readable key='a'><b/></readable></axis></joint>",
        "<new in='links' type='JointDescription'/>",
        "<new in='readables' type='LinkDescription'/>",
        "<new in='links' type='Nobody'/>",
        "<new in='nobody' type='LinkDescription'/>",
        "<order name='adjacent'/>",
    ],
)
def test_what_a_body_cannot_have_is_refused(part):
    hand = technique(
        "manipulator",
        '<frame_origin link="link0"/><frame_tip link="link2"/>',
        "a",
    )
    assert refused(Robot(motion=hand + own(part))) == ["bad-pyrave"]


@pytest.mark.parametrize(
    "part",
    [
        "<joint name='x'/>",
        "<geometry takes='0'/>",
        "<order name='links'/>",
        "<new in='bodies' type='LinkDescription'/>",
        "<new in='grabs' type='LinkDescription'/>",
        "<new in='interfaces' type='InterfaceDescription'><joint name='a'/></new>",
    ],
)
def test_what_a_scene_cannot_have_is_refused(part):
    text = str(Robot()).replace("</scene>", own(part) + "</scene>")
    assert refused(text) == ["bad-pyrave"]


# -- formulas --------------------------------------------------------------------------

FORMULA = """<formula sid="f"><target><param>kmodel1/joint1</param></target>
<technique_common><math xmlns="http://www.w3.org/1998/Math/MathML">{}</math>
</technique_common></formula>"""


@pytest.mark.parametrize("rest", ["", "<cn>1</cn><cn>2</cn>"])
def test_otherwise_holds_one_value(rest):
    pieces = f"<piecewise><otherwise>{rest}</otherwise></piecewise>"
    ((code, message),) = problems(Robot(formula=FORMULA.format(pieces)))
    assert code == "bad-formula"
    assert "<otherwise> holds" in message


# -- geometries ------------------------------------------------------------------------


def test_hulls_of_each_other_are_no_meshes():
    hull = '<geometry id="{}"><convex_mesh convex_hull_of="#{}"/></geometry>'
    text = Robot(
        geometries=hull.format("a", "b") + hull.format("b", "a") + box("c"),
        shown=('<instance_geometry url="#a"/>', "", '<instance_geometry url="#c"/>'),
    )
    ((code, message),) = problems(text)
    assert code == "bad-mesh"
    assert "'#b' is no mesh of this file" in message
    (robot,) = read(text, strict=False).bodies
    assert [len(one.geometries) for one in robot.links] == [0, 0, 1]


@pytest.mark.parametrize("wrong", [-1, 99])
def test_a_corner_that_is_none_is_named(wrong):
    text = Robot(
        geometries=box("a").replace("<p>0 ", f"<p>{wrong} ", 1),
        shown=('<instance_geometry url="#a"/>', "", ""),
    )
    ((code, message),) = problems(text)
    assert code == "bad-mesh"
    assert f"refers to the vertex {wrong}, but there are" in message


# -- prefixes --------------------------------------------------------------------------


def test_prefixes_are_looked_for_only_where_one_is_missing(monkeypatch):
    from pyrave_collada.document import parsed

    def refuse(_data):
        raise AssertionError("a file was searched that lacks no prefix")

    monkeypatch.setattr(parsed, "with_prefixes", refuse)
    broken = str(Robot()).replace("</COLLADA>", "<odd:tag/></COLADA>", 1)
    with pytest.raises(pyrave.SceneError, match="not well-formed"):
        read(broken.replace("<asset>", "<asset></assets>", 1))
    monkeypatch.setattr(parsed, "LIMITS", pyrave.formats.XmlLimits(file_bytes=99))
    with pytest.raises(pyrave.SceneError, match="at most 99 are read"):
        read(broken)


# -- nodes -----------------------------------------------------------------------------


def test_many_nodes_deep_in_others_are_cut_off(monkeypatch):
    from pyrave_collada.reading.shapes import nodes

    monkeypatch.setattr(nodes, "_MAX_LEVELS", 500)
    deep = '<instance_geometry url="#geom0"/>'
    for _ in range(20):
        deep = f"<node>{deep}</node>"
    assert problems(Robot(shown=(deep * 2, "", ""))) == []
    ((code, message),) = problems(Robot(shown=(deep * 3, "", "")))
    assert code == "bad-node"
    assert "too many of them deep" in message
