"""Saved states of the engine ``mujoco``: its model is kept, and runs are repeated."""

import pickle

import numpy as np
import pytest
from physics_scenes import ball, box, chain, floor, run, world

import pyrave
from pyrave.scene import (
    BodyDescription,
    ConstraintDescription,
    Cylinder,
    GeometryDescription,
    Inertial,
    LinkDescription,
    LinkReference,
    Pose,
    SimulationDescription,
    Spring,
    SuctionCup,
    SuctionSpring,
)

pytest.importorskip("mujoco")
DOWN = (1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, -1.0)


def pile():
    """Return an arm over things that touch each other, with limits of its own."""
    env = world(
        floor(),
        chain("arm", kinds=("hinge",) * 2, axes=((0, 1, 0),) * 2, at=(0, 0, 2)),
        box("crate", (0.6, 0, 0.3)),
        ball("ball", (0.65, 0.1, 0.6)),
        box("wall", (0.9, 0, 0.1), kinematic=True),
    )
    env.bodies["arm"].dof_velocity_limits = np.full(2, 30.0)
    env.bodies["crate"].links[0].enabled = True
    return env


def tied():
    """Return a box on springs, and another one on a pin."""
    env = world(
        floor(),
        box("a", (0.5, 0, 1.0), mass=2.0),
        box("b", (-0.5, 0.1, 1.0)),
    )
    stiff = tuple(tuple(300.0 * (i == j) for j in range(6)) for i in range(6))
    soft = tuple(tuple(3.0 * (i == j) for j in range(6)) for i in range(6))
    for kind, name, more in (
        ("free", "a", {"spring": Spring(stiff, soft)}),
        ("revolute", "b", {}),
    ):
        env.add_constraint(
            ConstraintDescription(
                name, kind, LinkReference(), LinkReference(name, "base"),
                Pose(translation=(0, 0, 1.0)), **more,
            )
        )  # fmt: skip
    return env


def cell():
    """Return a cup under a hand, and a box that it takes hold of."""
    tensor = (1e-5, 0, 0, 0, 1e-5, 0, 0, 0, 1e-5)
    lip = LinkDescription(
        "base",
        geometries=(GeometryDescription(Cylinder(0.02, 0.01)),),
        inertial=Inertial(0.05, (0, 0, 0), tensor),
    )
    env = world(
        floor(),
        box("crate", (0, 0, 0.1), mass=0.5),
        box("hand", (0, 0, 0.28), half=(0.02, 0.02, 0.05), kinematic=True),
        BodyDescription("lip", links=(lip,), pose=Pose(DOWN, (0, 0, 0.21))),
    )
    springs = SuctionSpring(400.0, 4.0, 0.5, 0.01, 0.05)
    closed = SuctionSpring(800.0, 8.0, 1.0, 0.02, 0.03)
    cup = SuctionCup(
        "cup", LinkReference("hand"), LinkReference("lip"), 0.018, 0.05, springs,
        closed, Pose(DOWN, (0, 0, -0.05)),
    )  # fmt: skip
    env.simulation = SimulationDescription(suction_cups=(cup,))
    return env


def trace(env, n=15):
    found = []
    for _ in range(n):
        env.step(0.01)
        for body in env.bodies:
            found += [body.link_transforms, body.dof_values, body.dof_velocities]
            found.append(body.base_velocity)
    return found


def assert_same(found, expected):
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("make", [pile, tied, cell])
@pytest.mark.parametrize("before", [0.0, 0.1, 0.4])
def test_runs_are_repeated_with_one_model(make, before):
    env = make()
    run(env, before)
    saved = env.preserve_state()
    first = trace(env)
    rows = 4 * len(env.bodies)
    pairs = zip(first[:rows], first[-rows:], strict=True)
    assert not all(np.array_equal(*pair) for pair in pairs)
    saved.restore()
    assert_same(trace(env), first)
    model = env.physics_engine.model
    for n in (0, 1, 40):
        trace(env, n)
        saved.restore()
        assert_same(trace(env), first)
    # with ties the first one is made where these begin
    assert (env.physics_engine.model is model) or (make is not pile and not before)


@pytest.mark.parametrize("make", [pile, tied, cell])
def test_another_model_goes_on_as_well(make):
    """After what makes the model again, in a clone, and from a pickle."""
    env = make()
    run(env, 0.1)
    saved, twin = env.preserve_state(), env.clone()
    copy = pickle.loads(pickle.dumps(env))  # noqa: S301 - our own
    first = trace(env)
    for other in (twin, copy):
        assert_same(trace(other), first)
    added = env.create_body(box("more", (5, 5, 0.1)))
    env.step(0.01)
    env.remove(added)
    env.step(0.01)
    model = env.physics_engine.model
    saved.restore()
    assert_same(trace(env), first)
    assert env.physics_engine.model is not model or make is pile


def test_two_states_are_put_back_in_turns():
    env = pile()
    run(env, 0.05)
    early = env.preserve_state()
    from_early = trace(env)
    late = env.preserve_state()
    from_late = trace(env)
    for _ in range(2):
        early.restore()
        assert_same(trace(env, 15), from_early)
        late.restore()
        assert_same(trace(env), from_late)


def test_a_state_is_kept_until_the_next_step():
    """Saved again before a step, it is the same; and what is set after it acts."""
    env = pile()
    run(env, 0.1)
    saved = env.preserve_state()
    first = trace(env)
    saved.restore()
    again = env.preserve_state()
    run(env, 0.05)
    again.restore()
    assert_same(trace(env), first)
    saved.restore()
    env.bodies["ball"].base_velocity = (0, 0, 5, 0, 0, 0)
    env.step(0.01)
    assert env.bodies["ball"].base_velocity[2] == pytest.approx(5 - 0.0981, abs=1e-3)


def test_the_state_of_the_engine_alone_moves_no_body():
    """Bodies that are elsewhere now stay there, and go on from there."""
    env = world(floor(), box("a", (0, 0, 3)), ball("b", (1, 0, 3)))
    env.step(0.01)
    engine = env.physics_engine
    state = engine.get_state()
    run(env, 0.3)
    before = {body.name: (body.transform, body.base_velocity) for body in env.bodies}
    engine.set_state(state)
    for body in env.bodies:
        np.testing.assert_array_equal(body.transform, before[body.name][0])
    env.step(0.01)
    for name in ("a", "b"):
        pose, velocity = before[name]
        fallen = env.bodies[name].transform[2, 3] - pose[2, 3]
        assert fallen == pytest.approx(0.01 * velocity[2], abs=2e-3)
        rate = env.bodies[name].base_velocity[2]
        assert rate == pytest.approx(velocity[2] - 0.0981, abs=1e-3)


def test_parts_of_a_state_are_put_back():
    """Poses alone: the box is where it was, and goes on as fast as it is."""
    env = world(box("a", (0, 0, 30)))
    run(env, 0.1)
    height = env.bodies["a"].transform[2, 3]
    parts = pyrave.StateParts.TRANSFORMS | pyrave.StateParts.REST
    with env.preserve_state(parts):
        run(env, 0.4)
        velocity = env.bodies["a"].base_velocity[2]
    assert env.bodies["a"].transform[2, 3] == height
    env.step(0.01)
    assert env.bodies["a"].base_velocity[2] == pytest.approx(
        velocity - 0.0981, abs=1e-3
    )


def test_what_was_held_is_held_again():
    env = pile()
    arm, crate = env.bodies["arm"], env.bodies["crate"]
    run(env, 0.05)
    arm.grab(crate, arm.links[-1])
    run(env, 0.05)
    saved = env.preserve_state()
    first = trace(env)
    model = env.physics_engine.model
    saved.restore()
    assert_same(trace(env), first)
    assert env.physics_engine.model is model
    arm.release(crate)
    trace(env)
    saved.restore()
    assert crate.holder is arm
    assert_same(trace(env), first)


def test_a_snapshot_is_no_copy_of_the_model():
    """What a state costs: copies of it are itself, and it stays as it was."""
    env = pile()
    run(env, 0.1)
    state = env.physics_engine.get_own_state()
    kept = [one.copy() for one in state.known.coordinates]
    run(env, 0.1)
    assert_same(state.known.coordinates, kept)
    assert not np.array_equal(kept[0], env.physics_engine.data.qpos)
