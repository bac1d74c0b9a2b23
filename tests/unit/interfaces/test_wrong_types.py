"""Values of wrong types end in errors of pyrave that say what was expected."""

import pytest

import pyrave
from pyrave.errors import ArgumentError
from pyrave.kinematics import compile_tool
from pyrave.kinematics.affine import Affine
from pyrave.scene import (
    BodyDescription,
    JointAxis,
    JointDescription,
    LinkDescription,
)
from pyrave.world import StateParts


@pytest.fixture
def body():
    env = pyrave.Environment()
    links = LinkDescription("base"), LinkDescription("tip")
    axes = (JointAxis((0.0, 0.0, 1.0)),)
    joint = JointDescription("j", "hinge", "base", "tip", axes=axes)
    made = env.create("kinbody", "")
    made.init(BodyDescription("chain", links, (joint,)))
    env.add(made)
    return made


@pytest.mark.parametrize("pairs", [3, [3], [(0, 1, 2)]])
def test_adjacent_links_come_in_pairs(body, pairs):
    with pytest.raises(ArgumentError, match="expected pairs of links"):
        body.structure.declare_adjacent(pairs)


def test_a_state_is_a_state(body):
    with pytest.raises(ArgumentError, match="state is 3, expected what get_state"):
        body.set_state(3)


@pytest.mark.parametrize("info", [3, [3]])
def test_what_is_held_is_described(body, info):
    with pytest.raises(ArgumentError, match="expected a sequence of GrabbedBody"):
        body.grabs.info = info
    assert body.grabs.info == ()


@pytest.mark.parametrize("limits", [3, ([0.0],)])
def test_limits_are_two_arrays(body, limits):
    with pytest.raises(ArgumentError, match="expected two arrays: lower, upper"):
        body.dof_limits = limits


@pytest.mark.parametrize("flags", [StateParts, Affine])
def test_flags_are_no_texts(flags):
    with pytest.raises(ArgumentError, match=f"'x', expected {flags.__name__}"):
        flags("x")
    assert flags(3) == 3


def test_one_check_of_indices_of_degrees_of_freedom(body):
    with pytest.raises(ArgumentError, match="dof index 9 of 'chain' is not in"):
        body.structure.joint_of_dof(9)
    with pytest.raises(ArgumentError, match=r"are \('x',\), expected integers"):
        body.structure.dof_affects("x", 1)
    with pytest.raises(ArgumentError, match="expected integers"):
        compile_tool(body.model, 1, dof_indices=["x"])
    with pytest.raises(ArgumentError, match="dof index 9 is not in"):
        compile_tool(body.model, 1, dof_indices=[9])
