"""The schema says of each tag where it acts: what acts nowhere is told."""

from __future__ import annotations

import pytest

import pyrave
from pyrave.formats.openrave_xml.schema import ELEMENTS
from pyrave.formats.vocabulary import AREAS

IDLE = {"unused-tag", "acts-nowhere"}
BODIES = "<body name='a'/><body name='b'/>"
JOINT = "<joint name='j' type='{}'><body>a</body><body>b</body>{}</joint>"
TEXTS = {
    "1 number a DOF": "0.5",
    "2 numbers a DOF": "-0.5 0.25",
    "number": "0.5",
    "2 numbers": "1 2",
    "3 numbers": "1 0 2",
    "4 numbers": "0 1 0 30",
    "9 numbers": "0 -1 0 1 0 0 0 0 1",
    "text": "some",
    "": "1",
}
# what needs other words than its content says, or another type of joint
JOINT_TEXTS = {"offsetfrom": "b", "pyrave": "<set name='active'>false</set>"}
TWO_AXES = {"axis1", "axis2"}
MANIPULATOR_TEXTS = {
    "base": "b", "effector": "a", "joints": "j", "gripperjoints": "j",
    "iksolver": "numerical", "closingdirection": "1", "closingdir": "1",
    "chuckingdirection": "1", "direction": "0 1 0", "palmdirection": "0 1 0",
}  # fmt: skip
ENVIRONMENT = ("bkgndcolor", "bkgndcol", "camtrans", "camrotationaxis", "camrotmat",
               "camrotaxis", "camfocal")  # fmt: skip


def read(text):
    env = pyrave.Environment()
    report = env.load_string(text)
    told = [p for p in report.problems if p.code in IDLE]
    return report.scene, told


def check(owner, tag, before, after):
    """Check what a tag changes against what the schema says."""
    acts = ELEMENTS[owner].tags[tag].acts
    (plain, none), (changed, told) = read(before), read(after)
    assert none == []
    if acts:
        assert set(acts) <= set(AREAS)
        assert told == []
        assert changed != plain
    else:
        (problem,) = told
        assert f"<{tag}>" in problem.message


def joint(tag, text):
    kind = "universal" if tag in TWO_AXES else "hinge"
    first = "" if tag == "axis" else "<axis>0 0 1</axis>"
    if tag in TWO_AXES:
        first = "<axis1>1 0 0</axis1><axis2>0 1 0</axis2>"
    bodies = "<body name='a'/><body name='b'><translation>0 1 0</translation></body>"
    plain = JOINT.format(kind, first)
    with_tag = JOINT.format(kind, f"{first}<{tag}>{text}</{tag}>")
    whole = "<kinbody name='k'>{}{}</kinbody>"
    return whole.format(bodies, plain), whole.format(bodies, with_tag)


@pytest.mark.parametrize("tag", sorted(ELEMENTS["joint"].tags.keys() - {"body"}))
def test_tags_of_joints(tag):
    content = ELEMENTS["joint"].tags[tag].content
    text = JOINT_TEXTS.get(tag) or TEXTS.get(content, "1")
    if tag == "actuator":
        text = "<gear_ratio>5</gear_ratio>"
    if tag == "axis1":
        text = "1 1 0"
    check("joint", tag, *joint(tag, text))


@pytest.mark.parametrize("tag", sorted(ELEMENTS["actuator"].tags))
def test_tags_of_actuators(tag):
    text = TEXTS[ELEMENTS["actuator"].tags[tag].content]
    plain, _ = joint("actuator", "")
    _, made = joint("actuator", f"<{tag}>{text}</{tag}>")
    check("actuator", tag, plain, made)


@pytest.mark.parametrize("tag", sorted(MANIPULATOR_TEXTS.keys() | {
    "armjoints", "ikchainend", "closed", "opened", "translation",
}))  # fmt: skip
def test_tags_of_manipulators(tag):
    grips = {"closingdirection", "closingdir", "chuckingdirection"}
    inside = "<joints>j</joints>" if tag in grips else ""
    parts = {"base": "<base>a</base>", "effector": "<effector>b</effector>"}
    if tag in grips | {"joints", "gripperjoints"}:
        parts["effector"] = "<effector>a</effector>"  # a gripper is no part of its arm
    inner = f"<{tag}>{MANIPULATOR_TEXTS.get(tag, '1 2 3')}</{tag}>"
    if tag in parts:
        plain = "<base>a</base><effector>a</effector>"
        made = "".join((dict.fromkeys(parts, "") | parts | {tag: inner}).values())
        if tag == "effector":
            plain = "".join(parts.values())
    else:
        plain = "".join(parts.values()) + inside
        made = plain + inner
    kin = f"<kinbody>{BODIES}{JOINT.format('hinge', '<axis>0 0 1</axis>')}</kinbody>"
    whole = "<robot name='r'>{}<manipulator name='m'>{}</manipulator></robot>"
    check("manipulator", tag, whole.format(kin, plain), whole.format(kin, made))


@pytest.mark.parametrize("tag", ENVIRONMENT)
def test_tags_of_environments(tag):
    text = TEXTS[ELEMENTS["environment"].tags[tag].content]
    whole = "<environment><camtrans>1 0 0</camtrans>{}</environment>"
    check("environment", tag, whole.format(""), whole.format(f"<{tag}>{text}</{tag}>"))


def test_all_that_acts_nowhere_is_in_these_tests():
    idle = {
        (owner, tag)
        for owner, schema in ELEMENTS.items()
        for tag, one in schema.tags.items()
        if not one.acts
    }
    assert {owner for owner, _ in idle} == {
        *("joint", "actuator", "manipulator", "environment"),
        *(owner for owner, tag in idle if tag in {"configuration", "data"}),
    }


def test_many_are_told_once():
    text = "".join(
        JOINT.format("hinge", "<axis>0 0 1</axis><hardmaxvel>1</hardmaxvel>").replace(
            "'j'", f"'j{n}'"
        )
        for n in range(9)
    )
    _, (problem,) = read(f"<kinbody name='k'>{BODIES}{text}</kinbody>")
    assert problem.message == ("<hardmaxvel> in <joint> acts nowhere in pyrave")


def test_own_files_tell_nothing_of_cameras(tmp_path):
    env = pyrave.load_string("<environment><camtrans>1 2 3</camtrans></environment>")
    env.save(tmp_path / "s.env.xml")
    assert not pyrave.load(tmp_path / "s.env.xml", strict=True).problems
