"""A saved state is the whole state: what goes on from it goes on alike."""

from __future__ import annotations

import numpy as np
import pytest

import pyrave
from pyrave import ArgumentError, StateParts
from pyrave.scene import (
    BodyDescription,
    JointAxis,
    JointDescription,
    LinkDescription,
    RobotDescription,
    body_from_boxes,
)

BODIES = ("robot", "tray", "small", "free")


def chain(kind, name):
    links = tuple(LinkDescription(f"{name}{i}") for i in range(3))
    joints = tuple(
        JointDescription(
            f"J{i}",
            "hinge",
            f"{name}{i}",
            f"{name}{i + 1}",
            axes=(JointAxis((0.0, 0.0, 1.0), lower=-2, upper=2),),
        )
        for i in range(2)
    )
    return kind(name, links, joints)


@pytest.fixture
def env():
    made = pyrave.Environment()
    made.create_body(chain(RobotDescription, "robot"))
    made.create_body(chain(BodyDescription, "tray"))
    for name in ("small", "free"):
        made.create_body(body_from_boxes(name, [(0, 0, 0, 0.1, 0.1, 0.1)]))
    return made


def looks(env):
    """Return all that can be seen of bodies that move and hold each other."""
    return {
        body.name: (
            body.transform.tobytes(),
            body.dof_values.tobytes(),
            body.base_velocity.tobytes(),
            body.dof_velocities.tobytes(),
            [one.name for one in body.grabbed],
            [one.T_link_body.tobytes() for one in body.grabs.info],
            None if body.holder is None else body.holder.name,
        )
        for body in env.bodies
    }


def change(env, random):
    """Do one thing that changes who holds whom, or where, or how fast."""
    body = env.bodies[str(random.choice(BODIES))]
    other = env.bodies[str(random.choice(BODIES))]
    what = random.integers(6)
    if what == 0:
        body.transform = (1, 0, 0, 0, *random.uniform(-1, 1, 3))
    elif what == 1:
        body.base_velocity = random.uniform(-1, 1, 6)
    elif what == 2 and body.dof:
        body.dof_values = random.uniform(-1, 1, body.dof)
    elif what == 3 and body.dof:
        body.dof_velocities = random.uniform(-1, 1, body.dof)
    elif what == 4:
        try:
            body.grab(other, int(random.integers(len(body.links))))
        except ArgumentError:
            return  # it is held, or holds this one
    elif body.grabbed:
        body.release(body.grabbed[0])


# four of these have come back changed: what is held was moved by who let go later
@pytest.mark.parametrize("seed", [1, 17, 44, 85, *range(100, 112)])
def test_random_sequences_come_back(env, seed):
    """Grabbing, moving, releasing, whatever holds what before and after."""
    random = np.random.default_rng(seed)
    for _ in range(4):
        for _ in range(random.integers(1, 12)):
            change(env, random)
        before = looks(env)
        with env.preserve_state():
            for _ in range(random.integers(1, 12)):
                change(env, random)
        assert looks(env) == before


def test_a_body_that_its_load_took_hold_of_keeps_its_velocity(env):
    """Who takes back what holds it now gets its own velocity, not the load's."""
    robot, tray = env.bodies["robot"], env.bodies["tray"]
    robot.base_velocity = (1, 2, 3, 0.1, 0.2, 0.3)
    robot.grab(tray)
    with robot.preserve_state():
        robot.release(tray)
        tray.grab(robot)
        tray.base_velocity = (-1, 0, 0, 0, 0, 0)
    assert robot.is_grabbing(tray)
    assert robot.base_velocity.tolist() == [1, 2, 3, 0.1, 0.2, 0.3]


def test_parts_without_grabs_are_put_back_whoever_holds_what(env):
    """Poses that are put back stay when holders are put back later."""
    robot, small = env.bodies["robot"], env.bodies["small"]
    small.transform = (1, 0, 0, 0, 0.123456789, 0.2, 0.3)
    before = small.transform
    with env.preserve_state(StateParts.TRANSFORMS):
        env.bodies["tray"].grab(small, "tray2")
        robot.grab("tray", "robot2")
        robot.dof_values = (0.3, -0.4)
    assert env.bodies["tray"].is_grabbing(small)
    np.testing.assert_array_equal(small.transform, before)


def test_states_of_restored_grabs_tell_nobody_of_new_relations(env):
    """Engines make their models again when bodies hold others; here nothing changed."""
    robot, small = env.bodies["robot"], env.bodies["small"]
    robot.grab(small, "robot2")
    relations = robot.pending.relations
    with env.preserve_state():
        robot.dof_values = (0.3, -0.4)
    assert robot.pending.relations == relations


def test_what_did_not_change_is_not_put_back():
    """Nobody is told of a move, and the world is as current as before."""
    env = pyrave.Environment()
    for name in ("still", "moved"):
        env.create_body(pyrave.scene.BodyDescription(
            name, links=(pyrave.scene.LinkDescription("base"),)
        ))  # fmt: skip
    still, moved = env.bodies
    still.enabled = False
    still.transform = (1, 0, 0, 0, 1, 2, 3)
    before, told = still.versions, []
    with still.register_change_callback(told.append, pyrave.BodyChange.ENABLED):
        with env.preserve_state():
            moved.transform = (1, 0, 0, 0, 0, 0, 1)
        assert still.versions == before
        with env.preserve_state():
            still.enabled = True
        assert not still.enabled
    assert len(told) == 2
    assert np.array_equal(moved.transform, np.eye(4))


def test_the_collision_checker_of_then_is_put_back():
    env = pyrave.Environment()
    before = env.collision_checker
    with env.preserve_state():
        env.collision_checker = "GenericCollisionChecker"
        assert env.collision_checker is not before
    assert env.collision_checker is before
