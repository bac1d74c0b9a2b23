"""Suction cups in the engine ``mujoco``."""

import pickle

import numpy as np
import pytest
from physics_scenes import G, box, floor, run, world

from pyrave import CollisionAction
from pyrave.errors import NotFoundError, StateError
from pyrave.scene import (
    BodyDescription,
    Cylinder,
    GeometryDescription,
    IgnoredPair,
    Inertial,
    LinkDescription,
    LinkReference,
    Pose,
    SimulationDescription,
    SuctionCup,
    SuctionSpring,
)
from pyrave.spatial import matrix_from_axis_angle

pytest.importorskip("mujoco")
DOWN = (1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, -1.0)
LIP = 0.05
"""Mass, kg."""


def cell(*, crate=0.5, load_at=0.0, base_at=0.4, stiffness=400.0, **load):
    """Return a cup that hangs under a kinematic base, and a box on the floor.

    The lip is a disc of 2 cm, 1 cm thick, 5 cm under the base; the box is 20 cm high.
    """
    tensor = (1e-5, 0, 0, 0, 1e-5, 0, 0, 0, 1e-5)
    lip = LinkDescription(
        "base",
        geometries=(GeometryDescription(Cylinder(0.02, 0.01)),),
        inertial=Inertial(LIP, (0, 0, 0), tensor),
    )
    env = world(
        floor(),
        box("crate", (load_at, 0, 0.1), mass=crate, **load),
        box("hand", (0, 0, base_at + 0.05), half=(0.02, 0.02, 0.05), kinematic=True),
        BodyDescription("lip", links=(lip,), pose=Pose(DOWN, (0, 0, base_at - 0.05))),
    )
    env.simulation = SimulationDescription(
        suction_cups=(
            SuctionCup(
                "cup",
                LinkReference("hand"),
                LinkReference("lip"),
                0.018,
                0.05,
                SuctionSpring(stiffness, 4.0, 0.5, 0.01, 0.05),
                SuctionSpring(2 * stiffness, 8.0, 1.0, 0.02, 0.03),
                Pose(DOWN, (0, 0, -0.05)),
            ),
        )
    )
    return env


def raise_hand(env, height, seconds=0.5):
    """Move the hand so that its lower face is at a height, and wait."""
    body = env.bodies["hand"]
    start, steps = body.transform, round(seconds / 0.01)
    for k in range(1, steps + 1):
        pose = start.copy()
        pose[2, 3] += (height + 0.05 - start[2, 3]) * k / steps
        body.transform = pose
        env.step(0.01)
    run(env, 0.5)


def heights(env):
    return {body.name: float(body.transform[2, 3]) for body in env.bodies}


def test_a_lip_hangs_on_its_spring():
    env = cell()
    run(env, 2.0)
    assert heights(env)["lip"] == pytest.approx(0.35 - LIP * G / 400, abs=2e-5)
    assert env.physics_engine.held_by("cup") is None
    assert not env.problems


def test_a_lip_bends():
    """A torque of its own against the spring of 0.5 N m/rad; it returns."""
    env = cell()
    env.gravity = (0, 0, 0)
    for _ in range(300):
        env.bodies["lip"].links[0].set_torque((0.1, 0.05, 0.0))
        env.step(0.01)
    turn = env.bodies["lip"].transform[:3, :3] @ np.reshape(DOWN, (3, 3))
    expected = matrix_from_axis_angle((0.2, 0, 0)) @ matrix_from_axis_angle((0, 0.1, 0))
    assert np.allclose(turn, expected, atol=6e-3)


def test_it_lifts_carries_and_lets_go():
    env = cell()
    engine = env.physics_engine
    raise_hand(env, 0.24)
    assert engine.held_by("cup") == env.bodies["crate"].links[0]
    raise_hand(env, 0.6)
    run(env, 1.0)
    found = heights(env)
    # the spring of the closed cup: 3 cm at rest
    assert found["lip"] == pytest.approx(0.57 - (LIP + 0.5) * G / 800, abs=1e-4)
    assert found["crate"] == pytest.approx(found["lip"] - 0.105, abs=5e-4)
    engine.set_vacuum("cup", on=False)
    run(env, 1.0)
    assert engine.held_by("cup") is None
    assert heights(env)["crate"] == pytest.approx(0.1, abs=1e-3)
    assert heights(env)["lip"] == pytest.approx(0.55 - LIP * G / 400, abs=1e-4)
    raise_hand(env, 0.24)
    assert engine.held_by("cup") is None
    engine.set_vacuum("cup", on=True)
    run(env, 0.1)
    assert engine.held_by("cup") is not None
    assert not env.problems


def test_it_does_not_hold_what_is_ignored():
    env = cell()
    with env.on_collision(lambda _: CollisionAction.IGNORE):
        raise_hand(env, 0.24)
        assert env.physics_engine.held_by("cup") is None
    env = cell()
    env.ignored_pairs = [IgnoredPair("lip", "crate")]
    raise_hand(env, 0.24)
    assert env.physics_engine.held_by("cup") is None
    env.ignored_pairs = ()
    raise_hand(env, 0.4)
    raise_hand(env, 0.24)
    assert env.physics_engine.held_by("cup") is not None


def test_a_lip_that_is_not_covered_holds_nothing():
    """The box ends a quarter of the lip's radius before its rim."""
    env = cell(load_at=0.115)
    raise_hand(env, 0.24)
    contacts = env.physics_engine.contacts()
    touching = {end.body.name for one in contacts for end in (one.first, one.second)}
    assert "lip" in touching
    assert env.physics_engine.held_by("cup") is None
    env = cell(load_at=0.08)
    raise_hand(env, 0.24)
    assert env.physics_engine.held_by("cup") is not None


@pytest.mark.parametrize(("crate", "holds"), [(42.0, True), (54.0, False)])
def test_it_tears_off_at_500_newtons(crate, holds):
    env = cell(crate=crate, stiffness=10000.0)
    raise_hand(env, 0.24)
    assert env.physics_engine.held_by("cup") is not None
    raise_hand(env, 0.4, seconds=4.0)
    assert (env.physics_engine.held_by("cup") is not None) == holds


@pytest.mark.parametrize("kind", ["clone", "pickle"])
def test_copies_hold_on(kind):
    env = cell()
    raise_hand(env, 0.24)
    raise_hand(env, 0.5)
    twin = env.clone() if kind == "clone" else pickle.loads(pickle.dumps(env))  # noqa: S301
    for one in (env, twin):
        raise_hand(one, 0.7)
        assert one.physics_engine.held_by("cup").body.name == "crate"
    assert heights(env) == heights(twin)
    env.create_body(box("late", (5, 0, 5)))
    for one in (env, twin):
        run(one, 0.5)
    assert env.physics_engine.held_by("cup").body.name == "crate"
    assert heights(env)["crate"] == pytest.approx(heights(twin)["crate"], abs=1e-5)


def test_a_step_that_fails_leaves_cups_as_they_were():
    env = cell()
    raise_hand(env, 0.26)
    engine, lip = env.physics_engine, env.bodies["lip"]
    assert engine.held_by("cup") is None
    scene = engine.ready()
    cup = scene.cup("cup")
    crate = env.bodies["crate"].links[0]
    number = next(k for k, one in scene.link_of_body.items() if one[0] is crate.body)

    def take_hold():
        if cup.held < 0:
            cup.hold(number, np.eye(4))
        scene.data.qvel[0] = 1e9

    cup.step = take_hold
    with pytest.raises(StateError, match="blew up"):
        engine.simulate_step(0.01)
    assert engine.held_by("cup") is None
    assert lip.transform[2, 3] > 0.2


def test_what_is_put_elsewhere_is_let_go():
    env = cell()
    raise_hand(env, 0.24)
    away = np.eye(4)
    away[:3, 3] = (1, 0, 0.1)
    env.bodies["crate"].transform = away
    env.step(0.01)
    assert env.physics_engine.held_by("cup") is None
    assert np.allclose(env.bodies["crate"].transform, away, atol=1e-3)


def test_cups_come_and_go():
    env = cell()
    raise_hand(env, 0.24)
    raise_hand(env, 0.5)
    env.simulation = SimulationDescription()
    run(env, 1.0)
    assert heights(env)["crate"] == pytest.approx(0.1, abs=1e-3), "the lip falls, too"
    with pytest.raises(NotFoundError, match="cup"):
        env.physics_engine.held_by("cup")


def test_a_lip_that_cannot_move_is_named():
    env = cell()
    env.bodies["lip"].links[0].static = True
    run(env, 0.05)
    assert "the suction cup 'cup': its lip stays" in str(env.problems[0])
