"""Edits compile the parts of a model that they touch, and no others."""

import dataclasses
import pickle

import numpy as np
import pytest

from pyrave import kinematics
from pyrave.kinematics import compile_body, model_versions, recompile
from pyrave.scene import (
    BodyDescription,
    Box,
    GeometryDescription,
    Inertial,
    JointAxis,
    JointDescription,
    LinkDescription,
    LinkDynamics,
    Pose,
)

BOX = GeometryDescription(Box((0.1, 0.1, 0.1)))
FALL = np.array((0.0, -9.81, 0.0))
Z = JointAxis((0.0, 0.0, 1.0), lower=-1.0, upper=1.0)


def chain(n=4):
    links = tuple(
        LinkDescription(f"l{i}", inertial=Inertial(1.0 + i), geometries=(BOX,))
        for i in range(n)
    )
    joints = tuple(
        JointDescription(
            f"j{i}",
            "hinge",
            f"l{i}",
            f"l{i + 1}",
            axes=(Z,),
            T_parent_joint=Pose(translation=(0.3, 0.0, 0.1)),
        )
        for i in range(n - 1)
    )
    return BodyDescription("chain", links=links, joints=joints)


def edited(body, index, **changes):
    links = list(body.links)
    links[index] = dataclasses.replace(links[index], **changes)
    return dataclasses.replace(body, links=tuple(links))


def used(model):
    """Return a model of which everything was computed."""
    q = np.full(model.n_dof, 0.2)
    kinematics.link_transforms(model, np.eye(4), q)
    kinematics.mass_matrix(model, q)
    kinematics.inverse_dynamics(model, np.eye(4), q, q, q, FALL)
    _ = model.adjacent_links, model.non_adjacent_links, model.kinematics_hash
    return model


def assert_as_compiled(model, description):
    fresh = compile_body(description)
    for field in dataclasses.fields(fresh):
        ours, theirs = getattr(model, field.name), getattr(fresh, field.name)
        assert np.array_equal(ours, theirs), field.name
    q = np.full(model.n_dof, 0.3)
    np.testing.assert_array_equal(
        kinematics.link_transforms(model, np.eye(4), q),
        kinematics.link_transforms(fresh, np.eye(4), q),
    )
    np.testing.assert_array_equal(
        kinematics.mass_matrix(model, q), kinematics.mass_matrix(fresh, q)
    )
    given = np.eye(4), q, q, q, FALL
    np.testing.assert_array_equal(
        kinematics.inverse_dynamics(model, *given),
        kinematics.inverse_dynamics(fresh, *given),
    )
    np.testing.assert_array_equal(model.adjacent_links, fresh.adjacent_links)
    np.testing.assert_array_equal(model.non_adjacent_links, fresh.non_adjacent_links)


EDITS = {
    "mass": (lambda b: edited(b, 2, inertial=Inertial(7.0)), {"inertia"}),
    "weight": (
        lambda b: edited(b, 2, dynamics=LinkDynamics(gravity=False)),
        {"inertia"},
    ),
    "adjacent": (
        lambda b: dataclasses.replace(b, adjacent=frozenset({("l0", "l3")})),
        {"adjacency"},
    ),
    "bare": (lambda b: edited(b, 1, geometries=()), {"adjacency"}),
    "shape": (lambda b: edited(b, 1, geometries=(BOX, BOX)), set()),
    "pose": (
        lambda b: edited(b, 1, pose=Pose(translation=(1.0, 0.0, 0.0))),
        {"tree", "inertia", "adjacency"},
    ),
    "joint": (
        lambda b: dataclasses.replace(b, joints=b.joints[:2]),
        {"tree", "inertia", "adjacency"},
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_compiles_the_parts_that_it_touches(name):
    edit, touched = EDITS[name]
    before = chain()
    model = used(compile_body(before))
    after = edit(before)
    made = recompile(model, before, after)
    assert_as_compiled(made, after)
    versions, known = model_versions(made), model_versions(model)
    changed = {
        part
        for part, new, old in zip(versions._fields, versions, known, strict=True)
        if new != old
    }
    assert changed == touched
    if "tree" not in touched:
        assert made.resting_rows is model.resting_rows
        assert made.places is model.places
    assert (made.__dict__.get("motion_tree") is model.motion_tree) == (
        not touched & {"tree", "inertia"}
    )
    assert not made.masses.flags.writeable
    # the first model is as it was
    assert_as_compiled(model, before)


def test_an_edit_of_nothing_is_the_same_model():
    body = chain()
    model = compile_body(body)
    assert recompile(model, body, body) is model


def test_a_lone_link_is_compiled_again():
    body = chain(1)
    made = recompile(compile_body(body), body, edited(body, 0, inertial=Inertial(3.0)))
    assert made.masses.tolist() == [3.0]


def test_versions_are_of_this_process():
    body = chain()
    model = compile_body(body)
    assert model_versions(model) == model_versions(model)
    assert model_versions(compile_body(body)) != model_versions(model)
    other = pickle.loads(pickle.dumps(model))  # noqa: S301 - our own
    assert model_versions(other) != model_versions(model)
