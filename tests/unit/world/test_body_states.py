"""States of bodies as data: their parts, and for which bodies they are."""

import dataclasses

import numpy as np
import pytest

import pyrave
from pyrave import ArgumentError, StateParts
from pyrave.scene import BodyDescription, RobotDescription, body_from_boxes
from pyrave.world.body_state import check_body_state

BOX = body_from_boxes("box", [(0, 0, 0, 0.1, 0.1, 0.1)])


@pytest.fixture
def body():
    return pyrave.Environment().create_body(BOX)


@pytest.fixture
def robot():
    fields = ("name", "links", "joints")
    plain = {name: getattr(BOX, name) for name in fields}
    return pyrave.Environment().create_body(RobotDescription(**plain))


def test_a_state_is_checked_against_the_body_it_is_for(body):
    state = body.get_state()
    check_body_state(state, body.model, "box")
    for wrong in (None, "state", {"dof_values": []}, dataclasses.asdict(state)):
        with pytest.raises(ArgumentError, match="expected what get_state returned"):
            check_body_state(wrong, body.model, "box")
    short = dataclasses.replace(state, dof_values=np.zeros(2))
    with pytest.raises(ArgumentError, match=r"dof_values .* shape \(2,\), .box. needs"):
        check_body_state(short, body.model, "box")


def test_states_of_robots_and_of_bodies_share_what_both_have(body, robot):
    """What one of them has not stays as it is."""
    robot.transform = (1, 0, 0, 0, 1, 2, 3)
    plain, more = body.get_state(), robot.get_state()
    assert plain.robot is None
    moved = plain.with_parts(more, StateParts.ALL)
    assert moved.robot is None
    np.testing.assert_array_equal(moved.base_pose, more.base_pose)
    back = more.with_parts(plain, StateParts.ALL)
    assert back.robot is more.robot
    np.testing.assert_array_equal(back.base_pose, plain.base_pose)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("base_pose", 2 * np.eye(4)),
        ("limits", {"weights": np.ones(1)}),
    ],
)
def test_one_difference_is_enough(body, field, value):
    """Whether a state is there: fields and limits, and the robot's part, all count."""
    state = body.get_state()
    assert state.has_parts(body.get_state(), StateParts.ALL)
    other = dataclasses.replace(state, **{field: value})
    assert not state.has_parts(other, StateParts.ALL)
    assert not other.has_parts(state, StateParts.ALL)
    assert state.has_parts(other, StateParts.VELOCITIES)


def test_what_a_robot_adds_counts(robot):
    before = robot.get_state()
    robot.set_active_dofs([])
    assert not robot.get_state().has_parts(before, StateParts.ACTIVE_DOFS)
    assert robot.get_state().has_parts(before, StateParts.TRANSFORMS)


def test_parts_are_named_as_in_openrave():
    bits = 0x1 | 0x2 | 0x10000 | 0x20000
    assert int(StateParts.OPENRAVE) == bits
    assert int(StateParts.PLANNED) == int(StateParts.ALL) & ~int(StateParts.REST)


def test_links_have_numbers_in_an_environment_only():
    env = pyrave.Environment()
    loose = env.create("kinbody", "")
    loose.init(BodyDescription("loose", links=BOX.links))
    assert loose.links[0].id == -1
    env.create_body(BOX)
    env.add(loose)
    ids = [link.id for body in env.bodies for link in body.links]
    assert ids == list(range(len(ids)))
