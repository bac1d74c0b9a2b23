"""Contacts reach the collision callbacks, which may let them pass."""

from __future__ import annotations

import numpy as np
import pytest
from physics_scenes import G, box, floor, run, world

from pyrave import CollisionAction

pytest.importorskip("mujoco")


def ready():
    return world(floor(), box("ghost", (0, 0, 0.3)), box("crate", (1, 0, 0.3)))


def ghosts(report):
    names = {side.body_name for one in report.pairs for side in (one.first, one.second)}
    return CollisionAction.IGNORE if "ghost" in names else CollisionAction.DEFAULT


def test_callbacks_see_each_pair_once_a_step():
    env, seen = ready(), []
    with env.on_collision(seen.append):
        run(env, 0.1)
        assert not seen, "nothing touches in the air"
        run(env, 1.0)
        seen.clear()
        env.step(0.01)
    assert len(seen) == 2
    for report in seen:
        assert report.from_physics
        (pair,) = report.pairs
        assert {pair.first.body_name, pair.second.body_name} & {"ghost", "crate"}
        assert len(pair.contacts) == 4
        for contact in pair.contacts:
            np.testing.assert_allclose(np.abs(contact.normal), (0, 0, 1), atol=1e-3)
            assert contact.position[2] == pytest.approx(0.0, abs=1e-3)
            assert abs(contact.depth) < 1e-3


def test_ignored_contacts_let_pass():
    """The ghost falls freely, as with the formula; the crate rests."""
    env = ready()
    with env.on_collision(ghosts):
        run(env, 0.3)
        below = env.bodies["ghost"].base_velocity[2]
        run(env, 0.2)
        ghost = env.bodies["ghost"]
        assert ghost.base_velocity[2] == pytest.approx(below - 0.2 * G, rel=1e-6)
        assert ghost.transform[2, 3] == pytest.approx(0.3 - 0.5 * G * 0.25, abs=0.01)
        assert env.bodies["crate"].transform[2, 3] == pytest.approx(0.1, abs=1e-3)
        forces = env.physics_engine.contacts()
        bodies = {one.second.body.name for one in forces} | {
            one.first.body.name for one in forces
        }
        assert bodies == {"floor", "crate"}
        weight = sum(abs(one.force[2]) for one in forces)
        assert weight == pytest.approx(G, rel=0.01)


def test_asking_changes_nothing_else():
    states = []
    for asked in (True, False):
        env = ready()
        handle = env.on_collision(lambda report: None) if asked else None
        env.bodies["crate"].base_velocity = [1, 0.3, 0, 0, 2, 1]
        run(env, 1.0)
        states.append(env.bodies["crate"].transform)
        if handle is not None:
            handle.close()
    np.testing.assert_array_equal(states[0], states[1])


def test_a_callback_that_raises_is_reported_once():
    env = ready()

    def broken(report):
        raise ValueError("no idea")

    with env.on_collision(broken):
        run(env, 1.0)
    (problem,) = env.problems
    assert "no idea" in problem.message
    assert env.bodies["ghost"].transform[2, 3] == pytest.approx(0.1, abs=1e-3)
