"""Constraints, contact properties, frames and settings are kept and saved."""

import copy
import json

import numpy as np
import pytest

import pyrave
from pyrave import ArgumentError, NameConflictError, NotFoundError
from pyrave.scene import (
    ConstraintDescription,
    ContactMaterial,
    ContactProperties,
    FrameDescription,
    Friction,
    Limits,
    LinkDescription,
    LinkReference,
    Pose,
    Restitution,
    Spring,
    same,
)
from pyrave.scene.checks import validated

SCENE = """<environment>
  <robot name="arm"><kinbody>
    <body name="base"/>
    <body name="hand"><translation>0 0 1</translation></body>
    <joint name="j"><body>base</body><body>hand</body><axis>0 0 1</axis></joint>
  </kinbody>{frames}</robot>
  <kinbody name="cup"><body name="c"/></kinbody>
  {scene}
</environment>"""
DOOR = ConstraintDescription(
    "door",
    "revolute",
    LinkReference("arm", "hand"),
    LinkReference("cup"),
    Pose.from_translation(0.0, 0.0, 0.5),
    (Limits(-1.0, 2.0),),
    Spring(((0.01,),), ((0.5,),)),
)
STEEL = ContactProperties(
    (ContactMaterial("steel"), ContactMaterial("wood", "oak")),
    (ContactMaterial("hard"),),
    (Friction("steel", "wood", 0.4),),
    (Restitution("hard", "hard", 0.1),),
    "steel",
    "hard",
)


def scene(scene="", frames=""):
    return pyrave.load_string(SCENE.format(scene=scene, frames=frames))


def told(name, data):
    return f'<pyrave><set name="{name}">{json.dumps(data)}</set></pyrave>'


@pytest.mark.parametrize("suffix", [".env.xml", ".dae"])
def test_all_of_it_is_saved_and_read_back(tmp_path, suffix):
    env = scene()
    env.add_constraint(DOOR)
    env.contact_properties = STEEL
    env.bodies["cup"].links[0].kinematic = True
    losses = env.save(tmp_path / f"scene{suffix}")
    again = pyrave.load(tmp_path / f"scene{suffix}")
    assert same(again.describe(), env.describe())
    assert (again.constraints, again.contact_properties) == ((DOOR,), STEEL)
    assert again.bodies["cup"].links[0].kinematic
    assert again.bodies["cup"].links[0].material == "steel"
    if suffix != ".dae":  # which has rigid_constraint
        assert any("constraints are for pyrave alone: 'door'" in one for one in losses)
    assert any("kinematic links are for pyrave alone: 'c'" in one for one in losses)


def test_urdf_says_what_it_cannot_hold(tmp_path):
    env = scene()
    env.add_constraint(
        ConstraintDescription(
            "rail", "prismatic", LinkReference(), LinkReference("arm", "base")
        )
    )
    env.add_constraint(DOOR)
    losses = env.save(tmp_path / "arm.urdf", body="arm")
    assert any("constraints are not written: 'rail'" in one for one in losses)


def test_copies_have_their_own(tmp_path):
    env = scene()
    env.add_constraint(DOOR)
    env.contact_properties = STEEL
    for other in (env.clone(), copy.deepcopy(env)):
        assert other.constraints == (DOOR,)
        assert other.contact_properties == STEEL
        other.remove_constraint("door")
    assert env.constraints == (DOOR,)


def test_constraints_leave_with_their_bodies():
    for leave in (lambda env: env.remove("cup"), lambda env: env.reset()):
        env = scene()
        env.add_constraint(DOOR)
        leave(env)
        assert env.constraints == ()


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"child": LinkReference("cap")}, NotFoundError, "did you mean 'cup'"),
        ({"child": LinkReference("arm", "hant")}, NotFoundError, "'hand'"),
        ({"child": LinkReference("arm", "hand")}, ArgumentError, "a link to itself"),
        ({"child": LinkReference("", "hand")}, ArgumentError, "the world has no link"),
        ({"limits": (Limits(),) * 2}, ArgumentError, "a revolute has 1 freedoms"),
        ({"limits": (Limits(2.0, 1.0),)}, ArgumentError, "above the upper limit"),
        ({"spring": Spring(((1.0, 2.0),))}, ArgumentError, "expected 1x1"),
        ({"kind": "hinge"}, ArgumentError, "expected one of fixed"),
        ({"name": ""}, NameConflictError, "a name of its own"),
    ],
)
def test_wrong_constraints_are_refused(changes, error, words):
    import dataclasses

    env = scene()
    with pytest.raises(error, match=words):
        env.add_constraint(dataclasses.replace(DOOR, **changes))
    assert env.constraints == ()


def test_a_second_constraint_needs_another_name():
    env = scene()
    env.add_constraint(DOOR)
    with pytest.raises(NameConflictError, match="'door'"):
        env.add_constraint(DOOR)
    with pytest.raises(NotFoundError, match="door"):
        env.remove_constraint("dor")


def test_constraints_of_a_file_that_cannot_be_are_warnings():
    wrong = {
        "type": "ConstraintDescription",
        "name": "w",
        "kind": "fixed",
        "parent": {"type": "LinkReference", "body": "arm", "link": "hand"},
        "child": {"type": "LinkReference", "body": "nobody"},
    }
    env = scene(told("constraints", [wrong]))
    assert [problem.code for problem in env.problems] == ["constraint-conflict"]
    assert "no body 'nobody'" in env.problems[0].message


def test_loading_twice_numbers_constraints_and_joins_properties():
    first, second = scene(), scene()
    first.add_constraint(DOOR)
    second.add_constraint(DOOR)
    first.contact_properties = STEEL
    second.contact_properties = ContactProperties(
        (ContactMaterial("ice"),), friction=(Friction("wood", "steel", 0.6),)
    )
    first.add_scene(second.describe(), rename=True)
    names = [one.name for one in first.constraints]
    assert names[0] == "door"
    assert len(set(names)) == 2
    assert first.constraints[1].child.body == first.bodies[-1].name
    joined = first.contact_properties
    assert [one.name for one in joined.materials] == ["steel", "wood", "ice"]
    assert [one.coefficient for one in joined.friction] == [0.6]
    assert joined.default_material == "steel"


def test_a_load_that_fails_leaves_no_constraint():
    env = scene()
    env.add_constraint(DOOR)
    bad = env.describe()
    with pytest.raises(pyrave.Error):
        env.add_scene(bad)
    assert env.constraints == (DOOR,)


def test_frames_move_with_their_links(tmp_path):
    pose = {
        "type": "Pose",
        "rotation": [1, 0, 0, 0, 1, 0, 0, 0, 1],
        "translation": [0, 0.5, 0],
    }
    frame = {"type": "FrameDescription", "name": "tcp", "link": "hand", "pose": pose}
    env = scene(
        told("frames", [{**frame, "name": "cell", "link": ""}]),
        told("frames", [frame]),
    )
    arm = env.robots["arm"]
    arm.dof_values = [np.pi / 2]
    tcp = arm.frames["tcp"]
    assert (tcp.name, tcp.link.name) == ("tcp", "hand")
    np.testing.assert_allclose(tcp.transform[:3, 3], [-0.5, 0.0, 1.0], atol=1e-12)
    assert [one.name for one in env.frames] == ["cell"]
    for suffix in (".env.xml", ".dae"):
        env.save(tmp_path / f"s{suffix}")
        again = pyrave.load(tmp_path / f"s{suffix}")
        assert same(again.describe(), env.describe())
    with pytest.raises(NotFoundError, match="tcp"):
        arm.frames["tpc"]


def test_frames_of_unknown_links_are_refused():
    frame = {"type": "FrameDescription", "name": "tcp", "link": "hant"}
    with pytest.raises(pyrave.SceneError, match="unknown link 'hant'"):
        scene(frames=told("frames", [frame]))
    with pytest.raises(pyrave.SceneError, match="several frames named 'tcp'"):
        scene(frames=told("frames", [{**frame, "link": ""}] * 2))


def test_materials_of_scripts_are_checked():
    with pytest.raises(ArgumentError, match="expected 0 to 1"):
        scene().contact_properties = ContactProperties(
            restitution=(Restitution("a", "b", 1.5),)
        )
    with pytest.raises(ArgumentError, match=r"friction\[0\].coefficient is -1"):
        validated(
            ContactProperties, ContactProperties(friction=(Friction("a", "b", -1),))
        )
    assert (
        validated(LinkDescription, LinkDescription("a", material="m")).material == "m"
    )
    assert FrameDescription("f").pose == Pose()
