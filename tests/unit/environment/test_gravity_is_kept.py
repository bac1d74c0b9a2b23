"""Gravity survives refused loads, pickling, and another engine."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import pyrave

MOON = (0.0, 0.0, -1.62)


@pytest.fixture
def moon():
    env = pyrave.Environment()
    env.physics_engine.set_gravity(MOON)
    return env


def test_a_refused_load_leaves_it(moon):
    text = "<Environment><sensor type='Nope'/></Environment>"
    with pytest.raises(pyrave.SceneError):
        moon.load_string(text, strict=True)
    assert np.array_equal(moon.gravity, MOON)


def test_it_comes_back_behind_a_block_and_a_refused_scene(moon):
    with moon.preserve_state():
        moon.gravity = (0.0, 0.0, 3.0)
    assert np.array_equal(moon.physics_engine.get_gravity(), MOON)
    text = """<Environment><physicsengine type="GenericPhysicsEngine">
        <odeproperties><gravity>0 0 3</gravity></odeproperties></physicsengine>
        <sensor type='Nope'/></Environment>"""
    with pytest.raises(pyrave.SceneError):
        moon.load_string(text, strict=True)
    assert np.array_equal(moon.physics_engine.get_gravity(), MOON)


def test_a_pickle_carries_it(moon):
    twin = pickle.loads(pickle.dumps(moon))  # noqa: S301 - our own bytes
    assert np.array_equal(twin.gravity, MOON)


def test_another_engine_has_the_gravity_that_was_set():
    env = pyrave.Environment()
    env.gravity = MOON
    before = env.physics_engine
    env.physics_engine = "GenericPhysicsEngine"
    assert env.physics_engine is not before
    assert np.array_equal(env.physics_engine.get_gravity(), MOON)
