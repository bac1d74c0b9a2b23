"""URDF: every mistake is told with file, line, column and what to do."""

from __future__ import annotations

import warnings
from itertools import pairwise

import numpy as np
import pytest

import pyrave

LINKS = '<link name="a"/><link name="b"/>'
ENDS = '<parent link="a"/><child link="b"/>'


def robot(*lines):
    return "<robot name='r'>" + "\n".join(lines) + "</robot>"


def link(*lines):
    return robot("<link name='a'>" + "\n".join(lines) + "</link>")


def visual(*lines):
    return link("<visual>" + "\n".join(lines) + "</visual>")


def shape(inside):
    """Put a shape on the second line."""
    return visual("<geometry>", f"{inside}</geometry>")


def inertial(*lines):
    return link("<inertial>" + "\n".join(lines) + "</inertial>")


def joint(inside, kind="revolute"):
    """Put a joint on the third line, what it says behind its ends."""
    return robot("", LINKS, f'<joint name="j" type="{kind}">{ENDS}{inside}</joint>')


def fixed(name, parent, child):
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="fixed">{ends}</joint>'


def turning(name, child, inside):
    ends = f'<parent link="a"/><child link="{child}"/>{AXIS}{inside}'
    return f'<joint name="{name}" type="continuous">{ends}</joint>'


AXIS = '<axis xyz="0 0 1"/>'
LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
INERTIA = "<inertia ixx='1' ixy='{xy}' ixz='0' iyy='1' iyz='0' izz='{zz}'/>"
# text -> (code, line, column, part of the message, part of the hint)
ERRORS = {
    "another root": (
        "<robt/>",
        ("wrong-root", 1, 1, "the root is <robt>, expected <robot>", ""),
    ),
    "not well-formed": (
        robot("<link name='a'>", "</robot>"),
        ("malformed-xml", 2, 9, "not well-formed XML", ""),
    ),
    "nameless robot": (
        "<robot>\n<link name='a'/></robot>",
        ("bad-name", 1, 1, "the robot has no name", '<robot name="...">'),
    ),
    "nameless link": (
        robot("<link name='a'/>", " <link/>"),
        ("bad-name", 2, 2, "the link has no name", '<link name="...">'),
    ),
    "nameless joint": (
        robot(LINKS, f"<joint type='fixed'>{ENDS}</joint>"),
        ("bad-name", 2, 1, "the joint has no name", '<joint name="...">'),
    ),
    "same name of links": (
        robot("", "<link name='a'/>", "<link name='a'/>"),
        ("duplicate-name", 3, 1, "a link 'a' already", "unique"),
    ),
    "same name of joints": (
        robot(LINKS + "<link name='c'/>", fixed("j", "a", "b"), fixed("j", "b", "c")),
        ("duplicate-name", 3, 1, "a joint 'j' already", "unique"),
    ),
    "missing link": (
        robot(
            "<link name='base'/><joint name='j' type='fixed'>",
            "<parent link='base'/>",
            "  <child link='bse'/></joint>",
        ),
        ("unknown-link", 3, 3, "the child of the joint 'j' is the link 'bse'", "base"),
    ),
    "missing link like no other": (
        robot(
            LINKS, "<joint name='j' type='fixed'>", ENDS.replace('"a"', '"xyz"')
        ).replace("</robot>", "</joint></robot>"),
        ("unknown-link", 3, 1, "the parent of the joint 'j'", '<link name="xyz"/>'),
    ),
    "no child": (
        robot(
            "<link name='a'/>",
            "<joint name='j' type='fixed'><parent link='a'/></joint>",
        ),
        ("missing-tag", 2, 1, "the joint 'j' has no child link", "<child link="),
    ),
    "two roots": (
        robot("<link name='a'/>", "", "<link name='b'/>"),
        ("several-roots", 3, 1, "'b' has no parent", '<parent link="a"/>'),
    ),
    "loop": (
        robot("", LINKS, fixed("x", "a", "b"), fixed("y", "b", "a")),
        ("kinematic-loop", 4, 1, "a > b > a", "one link has no parent"),
    ),
    "loop beside the tree": (
        robot(
            "<link name='root'/>" + LINKS,
            "",
            fixed("x", "a", "b"),
            fixed("y", "b", "a"),
        ),
        ("kinematic-loop", 4, 1, "a > b > a", "the joint that closes the loop"),
    ),
    "two parents": (
        robot(LINKS + '<link name="c"/>', fixed("x", "a", "c"), fixed("y", "b", "c")),
        ("two-parents", 3, 1, "'x' (line 2) and 'y'", "trees"),
    ),
    "joint of one link": (
        robot("<link name='a'/>", fixed("j", "a", "a")),
        ("joint-links", 2, 1, "joins the link 'a' to itself", "two links"),
    ),
    "type": (
        joint(AXIS + LIMIT, "Revolute"),
        ("unknown-joint-type", 3, 1, "'Revolute', did you mean 'revolute'?", "planar"),
    ),
    "no type": (
        joint(AXIS + LIMIT).replace(' type="revolute"', ""),
        ("missing-type", 3, 1, "the joint 'j' has no type", "revolute"),
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
    "limit that is none": (
        joint(AXIS + LIMIT.replace("-1", "-1.57.")),
        ("bad-number", 3, 87, "lower='-1.57.', expected numbers", ""),
    ),
    "negative effort": (
        joint(AXIS + LIMIT.replace('effort="1"', 'effort="-1"')),
        ("bad-size", 3, 87, "effort of the joint 'j' is -1.0", ""),
    ),
    "xacro left over": (
        joint('<axis xyz="0 ${y} 1"/>' + LIMIT),
        ("bad-number", 3, 68, "expected numbers", "allow_code=True"),
    ),
    "circle of followers": (
        joint(AXIS + LIMIT + '<mimic joint="j"/>'),
        ("mimic-cycle", 3, 140, "j > j", "by itself"),
    ),
    "followers that run away": (
        robot(
            LINKS + '<link name="c"/><link name="d"/>',
            turning("j", "b", ""),
            turning("k", "c", '<mimic joint="j" multiplier="1" offset="1e30"/>'),
            turning("l", "d", '<mimic joint="k" multiplier="1e30"/>'),
        ),
        ("bad-number", 4, 89, "'l' starts at 1e+60, expected at most 1e+30", "less"),
    ),
    "no link": (
        robot("", "<material name='m'/>").replace("\n", "", 1),
        ("no-link", 1, 1, "the robot has no link", "base"),
    ),
    "contact that pulls": (
        link(
            "<contact><geometry><sphere radius='1'/></geometry>",
            "<limit normal_force='-1'/></contact>",
        ),
        ("bad-size", 2, 1, "normal_force is -1.0", ""),
    ),
}
WARNINGS = {
    "what cannot be shown": (
        link("", '<visual><geometry><sphere radius="1e10"/></geometry></visual>'),
        ("bad-size", 2, 1, "coordinates must be finite and at most", ""),
    ),
    "no mass": (
        link("", "<inertial/>"),
        ("missing-tag", 2, 1, "no <mass>; the link has no mass", "kilograms"),
    ),
    "mass without a value": (
        inertial("", "<mass/>"),
        ("missing-attribute", 2, 1, "'value'; the link has no mass", "value="),
    ),
    "negative mass": (
        inertial("", "<mass value='-1'/>"),
        ("bad-mass", 2, 1, "expected 0 or more; the link has no mass", ""),
    ),
    "inertia without a moment": (
        inertial("<mass value='1'/>", "<inertia ixx='1' iyy='1'/>"),
        ("missing-attribute", 2, 1, "'izz'; the link has no mass", "izz="),
    ),
    "no geometry": (
        link("", "<collision/>"),
        ("missing-tag", 2, 1, "no <geometry>; it is left out", "<box size="),
    ),
    "mass with a comma": (
        inertial("", "<mass value='1,5'/>"),
        ("bad-number", 2, 1, "expected numbers; the link has no mass", "commas"),
    ),
    "digits of Python": (
        inertial("", "<mass value='1_0'/>"),
        ("bad-number", 2, 1, "'1_0', expected numbers; the link has no mass", ""),
    ),
    "digits of other scripts": (
        inertial("", "<mass value='\u0663'/>"),
        ("bad-number", 2, 1, "expected numbers; the link has no mass", ""),
    ),
    "centre that is none": (
        inertial("", "<origin xyz='0 0 nan'/><mass value='1'/>"),
        ("bad-number", 2, 1, "not finite; the link has no mass", ""),
    ),
    "place of a visual": (
        visual("", "<origin xyz='0,0,1'/><geometry><sphere radius='1'/></geometry>"),
        ("bad-number", 2, 1, "expected numbers; the shape is left out", "commas"),
    ),
    "place of a collision": (
        link(
            "<collision>",
            "<origin quat_xyzw='0 0 0 0'/><geometry><sphere radius='1'/></geometry>",
            "</collision>",
        ),
        ("zero-quaternion", 2, 1, "no direction; the shape is left out", ""),
    ),
    "place of a contact": (
        link(
            "<contact>",
            "<origin rpy='0 0'/><geometry><sphere radius='1'/></geometry></contact>",
        ),
        ("bad-number", 2, 1, "expected 3 numbers; the shape is left out", ""),
    ),
    "colour that is none": (
        visual(
            "<geometry><sphere radius='1'/></geometry><material name='m'>",
            "<color rgba='red'/></material>",
        ),
        ("bad-number", 2, 1, "expected numbers; the material has no colour", ""),
    ),
    "place of a sensor": (
        robot(
            LINKS.replace('<link name="b"/>', ""),
            "<sensor name='s' type='camera'><parent link='a'/>",
            "<origin xyz='x'/><camera/></sensor>",
        ),
        ("bad-number", 3, 1, "expected numbers; the sensor is left out", ""),
    ),
    "rate of a sensor": (
        robot(
            LINKS.replace('<link name="b"/>', ""),
            "<gazebo reference='a'><sensor name='s' type='imu'>",
            "<update_rate>fast</update_rate></sensor></gazebo>",
        ),
        ("bad-number", 3, 1, "update_rate of a sensor is 'fast'", ""),
    ),
    "angle of a camera": (
        robot(
            LINKS.replace('<link name="b"/>', ""),
            "<gazebo reference='a'><sensor name='s' type='camera'><camera>",
            "<horizontal_fov>60</horizontal_fov><image><width>4</width>"
            "<height>4</height></image></camera></sensor></gazebo>",
        ),
        ("bad-number", 3, 1, "'60', expected one number from 1e-09 to 3.14159", ""),
    ),
    "pose of a sensor": (
        robot(
            LINKS.replace('<link name="b"/>', ""),
            "<gazebo reference='a'><sensor name='s' type='imu'>",
            "<pose>0 0 1</pose></sensor></gazebo>",
        ),
        ("bad-number", 3, 1, "<pose> is '0 0 1', expected 6 numbers", ""),
    ),
    "cylinder without length": (
        shape("<cylinder radius='1'/>"),
        ("missing-attribute", 2, 1, "'length'; the shape is left out", "length="),
    ),
    "box that is inside out": (
        shape("<box size='1 -1 1'/>"),
        ("bad-size", 2, 1, "expected 0 or more; the shape is left out", ""),
    ),
    "box with commas": (
        shape("<box size='1, 1, 1'/>"),
        ("bad-number", 2, 1, "expected numbers; the shape is left out", ""),
    ),
    "box of two numbers": (
        shape("<box size='1 1'/>"),
        ("bad-number", 2, 1, "expected 3 numbers; the shape is left out", ""),
    ),
    "box without a size": (
        shape("<box/>"),
        ("missing-attribute", 2, 1, "'size'; the shape is left out", "size="),
    ),
    "sphere of no size": (
        shape("<sphere radius='nan'/>"),
        ("bad-number", 2, 1, "not finite; the shape is left out", ""),
    ),
    "mesh without a name": (
        shape("<mesh/>"),
        ("missing-attribute", 2, 1, "'filename'; the shape is left out", "package://"),
    ),
    "mesh of an empty name": (
        shape("<mesh filename=''/>"),
        ("missing-attribute", 2, 1, "'filename'; the shape is left out", "package://"),
    ),
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
    "two axes": (
        joint(AXIS + AXIS + LIMIT),
        (
            "repeated-item",
            3,
            87,
            "duplicate <axis> in <joint>; using the",
            "others",
        ),
    ),
    "four numbers": (
        joint(LIMIT + '<axis xyz="0 0 1 0"/>'),
        ("bad-number", 3, 121, "xyz='0 0 1 0', expected 3 numbers", "delete"),
    ),
    "triangle inequality": (
        inertial("<mass value='1'/>", INERTIA.format(xy=0, zz=2.1)),
        ("bad-inertia", 2, 1, "1, 1 and 2.1 kg m2", "centre of mass"),
    ),
    "negative moment": (
        inertial("<mass value='1'/>", INERTIA.format(xy=2, zz=1)),
        ("bad-inertia", 2, 1, "negative principal moment: -1, 1 and 3", "units"),
    ),
    "moment of rounding errors": (
        inertial(
            "<mass value='1'/>",
            "<inertia ixx='1e-9' ixy='0' ixz='0' iyy='-3.8e-24' iyz='0' izz='2e-9'/>",
        ),
        ("bad-inertia", 2, 1, "triangle inequality", "centre of mass"),
    ),
    "unknown leader": (
        joint(AXIS + LIMIT + '<mimic joint="jj"/>'),
        ("bad-mimic", 3, 140, "no joint 'jj'", "did you mean 'j'?"),
    ),
    "slip in a tag": (
        link("", "<visuals/>"),
        ("unknown-tag", 2, 1, "<visuals>", "did you mean <visual>?"),
    ),
    "slip in an attribute": (
        inertial("", "<origin xzy='0 0 1'/><mass value='1'/>"),
        ("unknown-attribute", 2, 1, "'xzy' of <origin>", "did you mean 'xyz'?"),
    ),
    "undefined material": (
        robot(
            "<material name='red'/><link name='a'><visual><geometry>"
            "<box size='1 1 1'/></geometry>",
            "<material name='rod'/></visual></link>",
        ),
        ("unresolved-reference", 2, 1, "no material 'rod'", "did you mean 'red'?"),
    ),
    "mesh that is not there": (
        shape("<mesh filename='package://none/m.stl'/>"),
        ("missing-mesh", 2, 1, "'package://none/m.stl'", "package_dirs"),
    ),
    "shape that nobody knows": (
        visual("", "<geometry><box_ size='1 1 1'/></geometry>"),
        (
            *("unknown-geometry-type", 2, 1),
            *("<box_> is not known in <visual>, did you mean 'box'?", "known: box"),
        ),
    ),
    "empty geometry": (
        visual("", "<geometry/>"),
        ("empty-geometry", 2, 1, "<geometry> is empty: the <visual>", "box, cylinder"),
    ),
    "inertia without mass": (
        inertial("<mass value='0'/>", INERTIA.format(xy=0, zz=1)),
        ("bad-inertia", 2, 1, "has an inertia, and no mass", "both"),
    ),
    "prefix that nobody declares": (
        link("", "<interface:motor/>"),
        ("undeclared-prefix", 1, 1, "<interface:...>", "xmlns:interface="),
    ),
    "letters exchanged": (
        inertial("<mass value='1'/>", INERTIA.format(xy=0, zz=1).replace("xy", "yx")),
        ("unknown-attribute", 2, 1, "'iyx' of <inertia>", "did you mean 'ixy'?"),
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


def test_what_vendors_write_is_a_note(tmp_path):
    """Nobody reads it, and nothing is lost: strict loads take it, and nobody warns."""
    path = tmp_path / "r.urdf"
    path.write_text(
        robot(
            "<link name='a'>",
            "<inertial><mass value='1' K='2'/></inertial></link><link name='b'>",
            "<inertial><mass value='1' K='2'/></inertial></link>",
            fixed("j", "a", "b"),
            "<barcode serial='7'/>",
        )
    )
    scene = pyrave.read(path, strict=True)
    assert {one.severity for one in scene.problems} == {pyrave.Severity.NOTE}
    attribute, element = scene.problems
    expected = "unknown-attribute", 2, 11, "'K' of <mass>, the first of 2", ""
    _check(attribute, expected)
    assert element.code == "acts-nowhere"
    assert repr(scene).endswith("2 notes>")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = pyrave.load(path, strict=True)
    assert repr(env.problems).startswith("<2 notes, the first: ")


def test_a_long_loop_is_not_listed_whole():
    names = [f"l{n}" for n in range(12)]
    links = [f'<link name="{name}"/>' for name in names]
    joints = [fixed(f"j{n}", names[n], names[(n + 1) % 12]) for n in range(len(names))]
    with pytest.raises(pyrave.SceneError) as caught:
        pyrave.load_string(robot(*links, *joints))
    path = caught.value.first.message.partition(": ")[2].split(" > ")
    assert path[0] == path[-1]
    assert path[-2] == "3 more"
    numbers = [int(name[1:]) for name in path[:-2]]
    assert all((a + 1) % 12 == b for a, b in pairwise(numbers))


def test_a_refused_joint_makes_no_second_root():
    text = robot(LINKS, fixed("x", "a", "bb"))
    with pytest.raises(pyrave.SceneError) as caught:
        pyrave.load_string(text)
    assert [problem.code for problem in caught.value.problems] == ["unknown-link"]


@pytest.mark.parametrize(("name", "code"), [("j", "duplicate-name"), ("", "bad-name")])
def test_a_joint_without_a_name_of_its_own_makes_no_second_root(name, code):
    joints = fixed("j", "a", "b"), fixed(name, "b", "c")
    with pytest.raises(pyrave.SceneError) as caught:
        pyrave.load_string(robot(LINKS, "<link name='c'/>", *joints))
    assert [problem.code for problem in caught.value.problems] == [code]


def test_one_bad_shape_costs_that_shape(tmp_path):
    path = tmp_path / "r.urdf"
    path.write_text(
        '<robot name="r"><link name="a">'
        "<collision><geometry><box size='1 1'/></geometry></collision>"
        "<collision><geometry><sphere radius='2'/></geometry></collision>"
        "<visual><geometry><cylinder radius='-1' length='1'/></geometry></visual>"
        "<visual><geometry><sphere radius='2'/></geometry></visual></link></robot>"
    )
    env = pyrave.load(path)
    assert len(env.problems) == 2
    shapes = [one.type for one in env.robots["r"].links["a"].geometries]
    assert [one for one in shapes if one != "none"] == ["sphere"]
    assert np.allclose(env.robots["r"].links["a"].geometries[1].radius, 2.0)
    with pytest.raises(pyrave.SceneError):
        pyrave.load(path, strict=True)
