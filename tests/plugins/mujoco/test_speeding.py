"""Fast bodies in the engine ``mujoco``: they do not pass through what they hit."""

import math

import numpy as np
import pytest
from physics_scenes import ball, box, run, world

pytest.importorskip("mujoco")


def shot(speed, *, wall=0.025, radius=0.02, start=-1.0, what=ball, **settings):
    """Return where a body is that flies at a wall about 0, and how fast it is then."""
    size = radius if what is ball else (radius,) * 3
    env = world(
        box("wall", half=(wall, 1, 1), static=True),
        what("shot", (start, 0, 0), size),
        gravity=(0, 0, 0),
    )
    engine, body = env.physics_engine, env.bodies["shot"]
    engine.change_settings(**settings)
    body.base_velocity = [speed, 0, 0, 0, 0, 0]
    run(env, 1.2 / speed + 0.05)
    assert env.problems == ()
    return body.transform[0, 3], body.base_velocity[0]


@pytest.mark.parametrize("what", [ball, box])
@pytest.mark.parametrize("speed", [5.0, 20.0, 40.0, 80.0])
def test_what_is_fast_is_stopped(speed, what):
    """A thing of 4 cm by 5 cm and by a sheet of 2 mm, wherever steps end."""
    for wall in (0.025, 0.001):
        for part in range(3):
            start = -1.0 - part * 0.0033 * speed / 10
            place, after = shot(speed, wall=wall, start=start, what=what)
            assert place < -0.02
            assert -0.25 * speed < after <= 0.0


def test_in_whole_steps_it_passes_through():
    place, _ = shot(20.0, most_parts=1)
    assert place > 0.05


@pytest.mark.parametrize("speed", [10.0, 40.0])
def test_restitution_stays_what_it_is_in_parts(speed):
    _, after = shot(speed, restitution=0.8)
    assert after == pytest.approx(-0.8 * speed, rel=0.12)


def test_two_fast_bodies_meet():
    env = world(
        ball("a", (-1, 0, 0), 0.02), ball("b", (1, 0, 0), 0.02), gravity=(0, 0, 0)
    )
    a, b = env.bodies["a"], env.bodies["b"]
    a.base_velocity, b.base_velocity = [30, 0, 0, 0, 0, 0], [-30, 0, 0, 0, 0, 0]
    run(env, 0.2)
    assert a.transform[0, 3] < b.transform[0, 3]
    momentum = a.base_velocity[0] + b.base_velocity[0]
    assert momentum == pytest.approx(0.0, abs=1e-9)


def test_steps_are_whole_where_nothing_is_in_the_way():
    env = world(
        box("wall", half=(0.05, 1, 1), static=True),
        *(ball(f"ball{k}", (1.0, 0.3 * k, 0), 0.02) for k in range(3)),
        gravity=(0, 0, 0),
    )
    for body in env.bodies:
        body.base_velocity = [50.0, 0, 0, 0, 0, 0]
    run(env, 0.1)
    model = env.physics_engine.model
    assert model.opt.timestep == pytest.approx(0.002)
    assert (model.geom_solref[:, 0] == model.geom_solref[0, 0]).all()
    given = model.geom_solref[0, 0]
    env.bodies["ball0"].transform = [1, 0, 0, 0, -0.3, 0, 0]
    env.bodies["ball0"].base_velocity = [50.0, 0, 0, 0, 0, 0]
    env.step(0.01)
    parts = round(0.002 / model.opt.timestep)
    assert parts == math.ceil(50 / (0.9 * 0.02 / (5 / math.e * 0.002)))
    assert model.geom_solref[0, 0] == pytest.approx(given / parts)
    env.bodies["ball0"].base_velocity = np.zeros(6)
    env.step(0.01)
    assert model.opt.timestep == pytest.approx(0.002)
    assert model.geom_solref[0, 0] == given


def test_copies_go_on_alike_in_parts():
    env = world(
        box("wall", half=(0.025, 1, 1), static=True), ball("shot", (-1, 0, 0), 0.02)
    )
    env.bodies["shot"].base_velocity = [40.0, 0, 3.0, 0, 5.0, 0]
    run(env, 0.02)
    copy = env.clone()
    for one in (env, copy):
        run(one, 0.1)
    poses = [one.bodies["shot"].transform for one in (env, copy)]
    np.testing.assert_array_equal(*poses)
