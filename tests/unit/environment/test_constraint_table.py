"""Constraints of an environment: which are taken, their names, and what leaves."""

from __future__ import annotations

import dataclasses

import pytest

import pyrave
from pyrave.errors import ArgumentError, NameConflictError, NotFoundError
from pyrave.scene import (
    BodyDescription,
    ConstraintDescription,
    ContactMaterial,
    ContactProperties,
    Friction,
    LinkDescription,
    LinkReference,
    SceneDescription,
)


def body(name, *links):
    return BodyDescription(name, links=tuple(map(LinkDescription, links or ("base",))))


def tie(name, parent, child, kind="fixed"):
    """Return a constraint of links that are given as ``body/link``."""
    ends = (LinkReference(*end.split("/")) if end else LinkReference() for end in
            (parent, child))  # fmt: skip
    return ConstraintDescription(name, kind, *ends)


@pytest.fixture
def env():
    env = pyrave.Environment()
    for name in ("a", "b"):
        env.create_body(body(name, "base", "tip"))
    return env


def names(env):
    return [one.name for one in env.constraints]


def test_they_are_in_the_order_they_were_added(env):
    for name, ends in (("z", ("a", "b")), ("c", ("a/tip", "b")), ("m", ("", "b/tip"))):
        env.add_constraint(tie(name, *ends))
    assert names(env) == ["z", "c", "m"]
    env.remove_constraint("c")
    assert names(env) == ["z", "m"]
    with pytest.raises(NotFoundError, match=r"constraint 'c'.*z"):
        env.remove_constraint("c")
    assert names(env) == ["z", "m"]


@pytest.mark.parametrize(
    ("parent", "child", "wrong"),
    [
        ("a", "a", "ties a link to itself"),
        ("a/base", "a", "ties a link to itself"),
        ("a/tip", "a/tip", "ties a link to itself"),
        ("", "", "ties a link to itself"),
        ("/tip", "a", "the world has no link 'tip'"),
    ],
)
def test_ends_that_make_no_sense(env, parent, child, wrong):
    with pytest.raises(ArgumentError, match=wrong):
        env.add_constraint(tie("t", parent, child))
    assert names(env) == []


@pytest.mark.parametrize(
    ("parent", "child"), [("a", "a/tip"), ("a/tip", "a/base"), ("a", "b"), ("", "a")]
)
def test_ends_of_two_links(env, parent, child):
    env.add_constraint(tie("t", parent, child))
    (one,) = env.constraints
    assert (one.parent.body or "") == parent.split("/")[0]
    assert one.child.body == child.split("/")[0]


def test_missing_bodies_and_links_are_named(env):
    with pytest.raises(NotFoundError, match=r"body 'c'"):
        env.add_constraint(tie("t", "a", "c"))
    with pytest.raises(NotFoundError, match=r"link 'tap'.*tip"):
        env.add_constraint(tie("t", "a", "b/tap"))
    assert names(env) == []


def test_names_are_taken_once(env):
    env.add_constraint(tie("t", "a", "b"))
    for name in ("t", ""):
        with pytest.raises(NameConflictError, match="a name of its own"):
            env.add_constraint(tie(name, "a/tip", "b"))
    assert names(env) == ["t"]


def test_one_that_is_added_again_is_another_one(env):
    """Engines tell by it that what they know about it is old."""
    described = tie("t", "a/tip", "b")
    env.add_constraint(described)
    (before,) = env.constraints
    assert env.constraints[0] is before
    assert before == described
    env.remove_constraint("t")
    env.add_constraint(described)
    assert env.constraints[0] == before
    assert env.constraints[0] is not before


def test_they_leave_with_either_body(env):
    env.create_body(body("c"))
    for name, ends in (("ab", "ab"), ("bc", "bc"), ("ca", "ca"), ("wa", ("", "a"))):
        env.add_constraint(tie(name, *ends))
    env.remove("a")
    assert names(env) == ["bc"]
    env.remove("c")
    assert names(env) == []


def scene(**more):
    bodies = body("a", "base", "tip"), body("b")
    return SceneDescription(bodies=bodies, constraints=(tie("t", "a", "b"),), **more)


def test_scenes_bring_theirs_renamed_on_demand(env):
    env.reset()
    env.add_scene(scene())
    env.add_scene(scene(), rename=True)
    assert names(env) == ["t", "t1"]
    first, second = env.constraints
    assert (first.parent.body, first.child.body) == ("a", "b")
    assert (second.parent.body, second.child.body) == ("a1", "b1")


def test_constraints_that_cannot_be_are_warnings(env):
    env.reset()
    env.create_body(body("other"))
    env.create_body(body("another"))
    env.add_constraint(tie("t", "other", "another"))
    env.add_scene(scene())
    assert names(env) == ["t"]
    problem = env.problems[-1]
    assert problem.code == "constraint-conflict"
    assert "constraint 't' is not added" in problem.message


def test_contact_properties_of_a_second_scene_win():
    """What only one of them says stays."""

    def properties(steel, default):
        return ContactProperties(
            materials=(ContactMaterial("steel"), ContactMaterial("wood")),
            friction=(
                Friction("steel", "steel", steel),
                *([] if steel > 0.3 else [Friction("steel", "wood", 0.5)]),
            ),
            default_material=default,
        )

    env = pyrave.Environment()
    env.contact_properties = properties(0.1, "steel")
    first = env.contact_properties
    env.add_scene(SceneDescription(contact_properties=properties(0.4, "")))
    found = env.contact_properties
    assert [one.name for one in found.materials] == ["steel", "wood"]
    assert found.default_material == first.default_material == "steel"
    pairs = {frozenset((one.first, one.second)): one for one in found.friction}
    assert pairs[frozenset({"steel"})].coefficient == 0.4
    assert pairs[frozenset({"steel", "wood"})].coefficient == 0.5
    assert dataclasses.replace(found) == found
