"""Likely mistakes in well-formed files: units, order, names."""

from __future__ import annotations

import math
import re

import pytest

import pyrave
from pyrave.errors import nearest
from pyrave.formats.likely_units import are_degrees, are_radians

XML = """<kinbody name="k"><body name="a"/><body name="b"/>
<joint name="j" type="{kind}"><body>a</body><body>b</body><axis>0 0 1</axis>
<{tag}>{limits}</{tag}></joint></kinbody>"""
URDF = """<robot name="r"><link name="l1"/><link name="l2"/>
<joint name="j" type="{kind}"><parent link="l1"/><child link="{child}"/>
<limit lower="{lower}" upper="{upper}" effort="1" velocity="1"/>
<axis xyz="0 0 1"/></joint></robot>"""

LOWER, UPPER = r"(<min>)-30(?:\.0)?<", r"(<max>)50(?:\.0)?<"


def problems(text):
    return pyrave.load_string(text).problems


def xml(tag, limits, kind="hinge"):
    return problems(XML.format(tag=tag, limits=limits, kind=kind))


def urdf(lower, upper, kind="revolute", child="l2"):
    return problems(URDF.format(lower=lower, upper=upper, kind=kind, child=child))


@pytest.fixture
def collada(tmp_path):
    """Return a function that gives the problems of a COLLADA file with other limits."""
    source, target = tmp_path / "k.kinbody.xml", tmp_path / "k.dae"
    source.write_text(XML.format(tag="limitsdeg", limits="-30 50", kind="hinge"))
    pyrave.convert(source, target)
    text = target.read_text()
    assert len(re.findall(LOWER, text)) == len(re.findall(UPPER, text)) == 1

    def check(lower, upper, change=lambda text: text):
        changed = re.sub(LOWER, rf"\g<1>{lower}<", text)
        changed = re.sub(UPPER, rf"\g<1>{upper}<", changed)
        target.write_text(change(changed))
        env = pyrave.load(target)
        return env.problems

    return check


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ((-170, 170), True),
        ((0, 90), True),
        ((-22.5, 202.5), True),
        ((-360, 360), True),
        ((-2.9, 2.9), False),
        ((-2 * math.pi, 2 * math.pi), False),
        ((-4 * math.pi, 4 * math.pi), False),
        ((-12.6, 100.123), False),
        ((-1e4, 1e4), False),
        ((-math.inf, math.inf), False),
        ((0, 0), False),
        ((), False),
    ],
)
def test_degrees_where_radians_are_meant(limits, expected):
    assert are_degrees(limits) is expected


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ((-math.pi, math.pi), True),
        ((-3.14159, 3.14159), True),
        ((-3.14, 3.14), True),
        ((-1.57, 1.57), True),
        ((0, math.pi / 2), True),
        ((-2.8973, 2.8973), True),
        ((-0.0698, 3.7525), True),
        ((-170, 170), False),
        ((-5, 5), False),
        ((-3, 6), False),
        ((-2.5, 4.8), False),
        ((0, 0.5), False),
        ((-math.degrees(0.1), math.degrees(0.1)), False),
        ((-math.inf, math.inf), False),
        ((0, 0), False),
        ((), False),
    ],
)
def test_radians_where_degrees_are_meant(limits, expected):
    assert are_radians(limits) is expected


@pytest.mark.parametrize("tag", ["limits", "limitsrad"])
def test_degrees_in_limits(tag):
    (problem,) = xml(tag, "-170 170")
    assert (problem.code, problem.line) == ("likely-unit", 3)
    assert problem.message == f"<{tag}> is -170 170 radians, which look like degrees"
    assert "write <limitsdeg>" in problem.hint
    assert xml(tag, "-170 170", "slider") == ()
    assert xml(tag, "-2.9 2.9") == ()


def test_radians_in_limitsdeg():
    (problem,) = xml("limitsdeg", "-2.96706 2.96706")
    assert (problem.code, problem.line) == ("likely-unit", 3)
    assert "<limitsdeg> is -2.96706 2.96706 degrees, which look" in problem.message
    assert "write <limits> if" in problem.hint
    assert xml("limitsdeg", "-2.96706 2.96706", "slider") == ()
    assert xml("limitsdeg", "-170 170") == ()


def test_limits_are_taken_as_they_are_written():
    env = pyrave.load_string(XML.format(tag="limits", limits="-170 170", kind="hinge"))
    assert env.bodies[0].dof_limits[1] == [170.0]


def test_swapped_limits():
    env = pyrave.load_string(XML.format(tag="limits", limits="2 -1", kind="hinge"))
    (problem,) = env.problems
    assert (problem.code, problem.line) == ("swapped-limits", 3)
    assert [list(one) for one in env.bodies[0].dof_limits] == [[-1.0], [2.0]]


def test_degrees_in_urdf():
    (problem,) = urdf(-170, 170)
    assert (problem.code, problem.line) == ("likely-unit", 3)
    assert "limits -170 and 170 of the joint 'j' are radians" in problem.message
    assert 'write lower="-2.96706" upper="2.96706"' in problem.hint
    assert urdf(-170, 170, "prismatic") == ()
    assert urdf(-2.9, 2.9) == ()


def test_swapped_limits_in_urdf():
    (problem,) = urdf(1, -1)
    assert (problem.code, problem.line) == ("bad-limit", 3)


def test_radians_in_collada(collada):
    assert collada(-170.0, 170.0) == ()
    (problem,) = collada(-2.96706, 2.96706)
    assert problem.code == "likely-unit"
    assert "<limits> is -2.96706 to 2.96706 degrees" in problem.message
    assert "write -170 and 170 if they are" in problem.hint
    assert problem.line


def test_swapped_limits_in_collada(collada):
    (problem,) = collada(50.0, -30.0)
    assert problem.code == "swapped-limits"
    assert problem.line


@pytest.mark.parametrize(
    ("word", "meant"),
    [("revolute", "hinge"), ("prismatic", "slider"), ("ball", "spherical")],
)
def test_words_of_other_formats_for_joints(word, meant):
    with pytest.raises(pyrave.SceneError, match=f"did you mean '{meant}'"):
        xml("limits", "-1 1", word)


@pytest.mark.parametrize(
    ("word", "meant"), [("hinge", "revolute"), ("slider", "prismatic")]
)
def test_words_of_other_formats_for_joints_in_urdf(word, meant):
    with pytest.raises(pyrave.SceneError, match=f"did you mean '{meant}'"):
        urdf(-1, 1, word)


def test_words_of_other_formats_for_axes_in_collada(collada):
    def hinge(text):
        opening, closing = text.replace("<revolute", "<hinge"), "</revolute>"
        return opening.replace(closing, "</hinge>")

    found = collada(-30.0, 50.0, hinge)
    (problem,) = [one for one in found if one.code == "unknown-tag"]
    assert "unknown tag <hinge> in the joint 'j'" in problem.message
    assert problem.hint == "did you mean <revolute>?"


@pytest.mark.parametrize(
    ("wrong", "known", "meant"),
    [
        ("link2", ["l1", "l2", "l3"], "l2"),
        ("l2", ["link1", "link2"], "link2"),
        ("j12", ["joint1", "joint12"], "joint12"),
        ("link2", ["l1", "l3"], None),
        ("link2", ["l2", "lk2"], "lk2"),
        ("link", ["l"], None),
        ("link2", ["m2"], None),
    ],
)
def test_short_forms_with_the_same_number(wrong, known, meant):
    assert nearest(wrong, known) == meant


def test_a_link_by_a_longer_name():
    with pytest.raises(pyrave.SceneError, match="did you mean 'l2'"):
        urdf(-1, 1, child="link2")
    text = XML.format(tag="limits", limits="-1 1", kind="hinge")
    text = text.replace('"b"', '"l2"').replace("<body>b<", "<body>link2<")
    with pytest.raises(pyrave.SceneError, match="did you mean 'l2'"):
        pyrave.load_string(text)


def test_all_mistakes_of_a_joint_are_told_at_once():
    text = """<kinbody name="k"><body name="a"/><body name="b"/>
<joint name="j" type="revolute"><body>a</body>
<body>bb</body>
<axis>0 0 1</axis>
<limitsdeg>150 -150</limitsdeg>
</joint></kinbody>"""
    with pytest.raises(pyrave.SceneError) as caught:
        pyrave.load_string(text)
    told = {one.code: one.line for one in caught.value.problems}
    assert told == {
        "unknown-joint-type": 2,
        "unknown-link": 3,
        "swapped-limits": 5,
    }


def test_tags_of_which_attributes_are_known_say_so():
    text = """<robot name="r"><kinbody><body name="a"/></kinbody><manipulator>
      <name>arm</name><base>a</base><effector>a</effector><nam>b</nam></manipulator>
    </robot>"""
    hints = [one.hint for one in problems(text) if one.code == "unknown-tag"]
    assert hints == ["write name='...' into <manipulator>", None]


@pytest.mark.parametrize(
    ("encoding", "hint"),
    [
        ("latin-1", 'write encoding="ISO-8859-1"'),
        ("utf_8", 'write encoding="UTF-8"'),
        ("nonsense", "save the file as UTF-8"),
    ],
)
def test_encodings_by_names_of_their_own(tmp_path, encoding, hint):
    path = tmp_path / "a.xml"
    path.write_text(f'<?xml version="1.0" encoding="{encoding}"?><environment/>')
    with pytest.raises(pyrave.SceneError) as caught:
        pyrave.load(path)
    assert hint in caught.value.first.hint
