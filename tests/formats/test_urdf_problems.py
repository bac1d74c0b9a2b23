"""URDF: every mistake is told with file, line, column and what to do."""

from __future__ import annotations

import pytest

import pyrave

LINKS = '<link name="a"/><link name="b"/>'
JOINT = (
    '<joint name="j" type="{type}"><parent link="a"/><child link="b"/>{inside}</joint>'
)


def joint(inside, kind="revolute"):
    return (
        f"<robot name='r'>\n{LINKS}\n{JOINT.format(type=kind, inside=inside)}</robot>"
    )


LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
AXIS = '<axis xyz="0 0 1"/>'
# text -> (code, line, column, part of the message, part of the hint)
ERRORS = {
    "nameless robot": (
        "<robot>\n<link name='a'/></robot>",
        ("bad-name", 1, 1, "the robot has no name", '<robot name="...">'),
    ),
    "nameless link": (
        "<robot name='r'><link name='a'/>\n <link/></robot>",
        ("bad-name", 2, 2, "the link has no name", '<link name="...">'),
    ),
    "same name twice": (
        "<robot name='r'>\n<link name='a'/>\n<link name='a'/></robot>",
        ("duplicate-name", 3, 1, "a link 'a' already", "unique"),
    ),
    "missing link": (
        (
            "<robot name='r'><link name='base'/><joint name='j' type='fixed'>\n"
            "<parent link='base'/>\n  <child link='bse'/></joint></robot>"
        ),
        ("unknown-link", 3, 3, "the child of the joint 'j' is the link 'bse'", "base"),
    ),
    "no child": (
        (
            "<robot name='r'><link name='a'/>\n<joint name='j' type='fixed'>"
            "<parent link='a'/></joint></robot>"
        ),
        ("missing-tag", 2, 1, "the joint 'j' has no child link", "<child link="),
    ),
    "two roots": (
        "<robot name='r'><link name='a'/>\n\n<link name='b'/></robot>",
        ("several-roots", 3, 1, "'b' has no parent", '<parent link="a"/>'),
    ),
    "loop": (
        "<robot name='r'>" + LINKS + "\n"
        '<joint name="x" type="fixed"><parent link="a"/><child link="b"/></joint>\n'
        '<joint name="y" type="fixed"><parent link="b"/><child link="a"/></joint>'
        "</robot>",
        ("kinematic-loop", 3, 1, "a > b > a", "one link has no parent"),
    ),
    "two parents": (
        "<robot name='r'>" + LINKS + '<link name="c"/>\n'
        '<joint name="x" type="fixed"><parent link="a"/><child link="c"/></joint>\n'
        '<joint name="y" type="fixed"><parent link="b"/><child link="c"/></joint>'
        "</robot>",
        ("two-parents", 3, 1, "'x' (line 2) and 'y'", "trees"),
    ),
    "joint of one link": (
        (
            "<robot name='r'><link name='a'/>\n<joint name='j' type='fixed'>"
            "<parent link='a'/><child link='a'/></joint></robot>"
        ),
        ("joint-links", 2, 1, "joins the link 'a' to itself", "two links"),
    ),
    "type": (
        joint(AXIS + LIMIT, "Revolute"),
        ("unknown-joint-type", 3, 1, "'Revolute', did you mean 'revolute'?", "planar"),
    ),
    "zero axis": (
        joint('<axis xyz="0 0 0"/>' + LIMIT),
        ("zero-axis", 3, 68, "the axis of the joint 'j' is zero", "own frame"),
    ),
    "commas": (
        joint('<axis xyz="0,0,1"/>' + LIMIT),
        ("bad-number", 3, 68, "xyz='0,0,1', expected numbers", "not by commas"),
    ),
    "two numbers": (
        joint('<axis xyz="0 1"/>' + LIMIT),
        ("bad-number", 3, 68, "expected 3 numbers", ""),
    ),
    "not a number": (
        joint('<axis xyz="0 nan 1"/>' + LIMIT),
        ("bad-number", 3, 68, "not finite", ""),
    ),
    "xacro left over": (
        joint('<axis xyz="0 ${y} 1"/>' + LIMIT),
        ("bad-number", 3, 68, "expected numbers", "allow_code=True"),
    ),
    "circle of followers": (
        joint(AXIS + LIMIT + '<mimic joint="j"/>'),
        ("mimic-cycle", 3, 140, "j > j", "by itself"),
    ),
    "no mass": (
        "<robot name='r'><link name='a'>\n<inertial/></link></robot>",
        ("missing-tag", 2, 1, "<inertial> has no <mass>", "kilograms"),
    ),
    "negative mass": (
        (
            "<robot name='r'><link name='a'><inertial>\n<mass value='-1'/></inertial>"
            "</link></robot>"
        ),
        ("bad-mass", 2, 1, "the mass is -1.0", ""),
    ),
    "empty geometry": (
        "<robot name='r'><link name='a'><visual>\n<geometry/></visual></link></robot>",
        ("missing-tag", 2, 1, "<geometry> is empty", "box, cylinder"),
    ),
    "cylinder without length": (
        (
            "<robot name='r'><link name='a'><visual><geometry>\n<cylinder radius='1'/>"
            "</geometry></visual></link></robot>"
        ),
        ("missing-attribute", 2, 1, "no attribute 'length'", "length="),
    ),
    "box that is inside out": (
        (
            "<robot name='r'><link name='a'><visual><geometry>\n<box size='1 -1 1'/>"
            "</geometry></visual></link></robot>"
        ),
        ("bad-size", 2, 1, "expected 0 or more", ""),
    ),
    "no link": (
        "<robot name='r'>\n<material name='m'/></robot>",
        ("no-link", 1, 1, "the robot has no link", "base"),
    ),
    "contact that pulls": (
        (
            "<robot name='r'><link name='a'><contact><geometry><sphere radius='1'/>"
            "</geometry>\n<limit normal_force='-1'/></contact></link></robot>"
        ),
        ("bad-size", 2, 1, "normal_force is -1.0", ""),
    ),
}
WARNINGS = {
    "no axis": (
        joint(LIMIT),
        ("missing-axis", 3, 1, "has no <axis>", '<axis xyz="1 0 0"/>'),
    ),
    "no limit": (joint(AXIS), ("missing-limit", 3, 1, "has no <limit>", "continuous")),
    "no effort": (
        joint(AXIS + '<limit lower="0" upper="1" velocity="1"/>'),
        ("missing-limit", 3, 87, "has no effort", "effort="),
    ),
    "limits exchanged": (
        joint(AXIS + '<limit lower="1" upper="-1" effort="1" velocity="1"/>'),
        ("bad-limit", 3, 87, "without bounds", "exchange"),
    ),
    "triangle inequality": (
        (
            "<robot name='r'><link name='a'><inertial><mass value='1'/>\n<inertia "
            "ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='2.1'/></inertial></link>"
            "</robot>"
        ),
        ("bad-inertia", 2, 1, "1, 1 and 2.1 kg m2", "centre of mass"),
    ),
    "negative moment": (
        (
            "<robot name='r'><link name='a'><inertial><mass value='1'/>\n<inertia "
            "ixx='1' ixy='2' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>"
            "</robot>"
        ),
        ("bad-inertia", 2, 1, "negative principal moment: -1, 1 and 3", "units"),
    ),
    "unknown leader": (
        joint(AXIS + LIMIT + '<mimic joint="jj"/>'),
        ("bad-mimic", 3, 140, "no joint 'jj'", "did you mean 'j'?"),
    ),
    "slip in a tag": (
        "<robot name='r'><link name='a'>\n<visuals/></link></robot>",
        ("unknown-tag", 2, 1, "<visuals>", "did you mean <visual>?"),
    ),
    "slip in an attribute": (
        (
            "<robot name='r'><link name='a'><inertial>\n<origin xzy='0 0 1'/>"
            "<mass value='1'/></inertial></link>"
            "</robot>"
        ),
        ("unknown-attribute", 2, 1, "'xzy' of <origin>", "did you mean 'xyz'?"),
    ),
    "undefined material": (
        (
            "<robot name='r'><material name='red'/><link name='a'><visual><geometry>"
            "<box size='1 1 1'/></geometry>\n<material name='rod'/></visual></link>"
            "</robot>"
        ),
        ("unresolved-reference", 2, 1, "no material 'rod'", "did you mean 'red'?"),
    ),
    "mesh that is not there": (
        (
            "<robot name='r'><link name='a'><visual><geometry>\n"
            "<mesh filename='package://none/m.stl'/></geometry></visual></link></robot>"
        ),
        ("missing-mesh", 2, 1, "'package://none/m.stl'", "package_dirs"),
    ),
    "shape that nobody knows": (
        (
            "<robot name='r'><link name='a'><visual>\n<geometry><box_ size='1 1 1'/>"
            "</geometry></visual></link></robot>"
        ),
        (
            "unknown-geometry-type",
            2,
            1,
            "<box_> is not known, did you mean 'box'?",
            "known: box",
        ),
    ),
    "transmission of nothing": (
        joint(AXIS + LIMIT).replace(
            "</robot>",
            "\n<transmission name='t'><joint name='k'/></transmission></robot>",
        ),
        ("unknown-joint", 4, 24, "no joint 'k'", ""),
    ),
}


def _check(problem, expected):
    code, line, column, message, hint = expected
    assert problem.code == code
    assert (problem.line, problem.column) == (line, column)
    assert message in problem.message
    assert hint in (problem.hint or "")


@pytest.mark.parametrize("case", ERRORS)
def test_errors_refuse_the_file(case, tmp_path):
    text, expected = ERRORS[case]
    path = tmp_path / "r.urdf"
    path.write_text(text)
    with pytest.raises(pyrave.SceneError) as caught:
        pyrave.read(path)
    assert caught.value.first.file == str(path)
    _check(caught.value.first, expected)


@pytest.mark.parametrize("case", WARNINGS)
def test_warnings_refuse_it_if_strict(case, tmp_path):
    text, expected = WARNINGS[case]
    path = tmp_path / "r.urdf"
    path.write_text(text)
    scene = pyrave.read(path)
    assert len(scene.problems) == 1
    _check(scene.problems[0], expected)
    assert len(scene.robots) == 1
    with pytest.raises(pyrave.SceneError):
        pyrave.read(path, strict=True)
