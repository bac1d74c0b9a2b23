"""Surfaces that move what lies on them, in the engine ``mujoco``."""

import numpy as np
import pytest
from physics_scenes import G, box, floor, run, world

from pyrave.scene import IgnoredPair, LinkDynamics

pytest.importorskip("mujoco")
HALF = (3.0, 0.5, 0.1)


def conveyor(velocity=(0.5, 0.0, 0.0), **link):
    dynamics = LinkDynamics(surface_velocity=velocity)
    link.setdefault("static", True)
    return box("conveyor", (0, 0, -0.1), HALF, dynamics=dynamics, **link)


def crate():
    return box("crate", (-1, 0, 0.1))


def test_friction_accelerates_what_lies_on_it():
    """With mu g, until it goes as fast."""
    env = world(conveyor(), crate())
    body, place = env.bodies["crate"], env.bodies["conveyor"].transform
    run(env, 0.1)
    assert body.base_velocity[0] == pytest.approx(0.4 * G * 0.1, rel=0.05)
    run(env, 1.9)
    assert body.base_velocity[0] == pytest.approx(0.5, abs=1e-4)
    sliding = 0.5 / (0.4 * G)
    way = 0.5 * (2.0 - 0.5 * sliding)
    assert body.transform[0, 3] == pytest.approx(-1.0 + way, abs=0.01)
    assert abs(body.transform[2, 3] - 0.1) < 2e-3
    assert np.abs(body.base_velocity[3:]).max() < 0.01
    np.testing.assert_array_equal(env.bodies["conveyor"].transform, place)
    assert env.problems == ()


def test_the_velocity_is_in_the_axes_of_the_link():
    env = world(conveyor(), crate())
    turned = [np.sqrt(0.5), 0, 0, np.sqrt(0.5), 0, 0, -0.1]
    env.bodies["conveyor"].transform = turned
    body = env.bodies["crate"]
    body.transform = [1, 0, 0, 0, 0, -1, 0.1]
    run(env, 1.0)
    np.testing.assert_allclose(body.base_velocity[:3], (0, 0.5, 0), atol=1e-4)


def test_kinematic_conveyors_and_copies():
    env = world(conveyor(static=False, kinematic=True), crate())
    run(env, 0.5)
    copy = env.clone()
    for one in (env, copy):
        run(one, 0.5)
    place, other = (one.bodies["crate"].transform for one in (env, copy))
    np.testing.assert_array_equal(place, other)
    assert env.bodies["crate"].base_velocity[0] == pytest.approx(0.5, abs=1e-4)


def test_contacts_masks_and_ignored_pairs_are_those_of_the_link():
    env = world(conveyor(), crate(), floor())
    env.bodies["floor"].transform = [1, 0, 0, 0, 0, 0, -2.0]
    run(env, 0.2)
    names = {
        link.body.name
        for one in env.physics_engine.contacts()
        for link in (one.first, one.second)
    }
    assert names == {"crate", "conveyor"}
    env.bodies["conveyor"].links[0].enabled = False
    run(env, 0.2)
    assert env.bodies["crate"].transform[2, 3] < 0.0
    again = world(conveyor(), crate())
    again.ignored_pairs = (IgnoredPair("conveyor", "crate"),)
    run(again, 0.2)
    assert again.bodies["crate"].transform[2, 3] < 0.0


def test_another_velocity_acts_at_once():
    env = world(conveyor(), crate())
    run(env, 0.5)
    link, body = env.bodies["conveyor"].links[0], env.bodies["crate"]
    link.dynamics = LinkDynamics(surface_velocity=(-0.3, 0.0, 0.0))
    run(env, 0.7)
    assert body.base_velocity[0] == pytest.approx(-0.3, abs=1e-4)
    link.dynamics = LinkDynamics()
    run(env, 0.5)
    assert abs(body.base_velocity[0]) < 2e-3


# -- bodies that are put elsewhere in each step -------------------------------------


@pytest.mark.parametrize("how", ["kinematic", "static"])
def test_what_lies_on_a_body_that_is_moved_goes_along(how):
    """With mu g at first, then as fast; and with its axes where that turns."""
    env = world(
        box("tray", (0, 0, -0.1), HALF, **{how: True}), box("crate", (0, 0, 0.1))
    )
    tray, body = env.bodies["tray"], env.bodies["crate"]
    speed, dt = 0.5, 0.01
    for k in range(1, 101):
        tray.transform = [1, 0, 0, 0, speed * dt * k, 0, -0.1]
        env.step(dt)
    sliding = speed / (0.4 * G)
    way = speed * (1.0 - dt - 0.5 * sliding)  # the first step has no velocity yet
    assert body.base_velocity[0] == pytest.approx(speed, abs=1e-3)
    assert body.transform[0, 3] == pytest.approx(way, abs=0.01)
    assert abs(body.transform[2, 3] - 0.1) < 2e-3
    run(env, 1.0)
    assert np.abs(body.base_velocity).max() < 2e-3, "it stops when the tray does"


def test_what_lies_on_a_turntable_turns_along():
    env = world(
        box("table", (0, 0, -0.1), HALF, kinematic=True), box("crate", (0.3, 0, 0.1))
    )
    table, body = env.bodies["table"], env.bodies["crate"]
    rate, dt = 0.8, 0.01
    for k in range(1, 201):
        half = 0.5 * rate * dt * k
        table.transform = [np.cos(half), 0, 0, np.sin(half), 0, 0, -0.1]
        env.step(dt)
    np.testing.assert_allclose(body.base_velocity[5], rate, atol=0.02)
    radius = np.hypot(*body.transform[:2, 3])
    assert radius == pytest.approx(0.3, abs=0.02)
    assert np.linalg.norm(body.base_velocity[:3]) == pytest.approx(
        rate * radius, rel=0.02
    )


def test_a_jump_draws_nothing_along_and_copies_go_on_alike():
    env = world(
        box("tray", (0, 0, -0.1), HALF, kinematic=True), box("crate", (0, 0, 0.1))
    )
    tray, body = env.bodies["tray"], env.bodies["crate"]
    run(env, 0.1)
    tray.transform = [1, 0, 0, 0, 1.0, 0, -0.1]
    run(env, 0.2)
    assert np.abs(body.base_velocity).max() < 2e-3
    ones = [env]
    for k in range(1, 21):
        for one in ones:
            one.bodies["tray"].transform = [1, 0, 0, 0, 1.0 + 0.003 * k, 0, -0.1]
            one.step(0.01)
        if k == 10:
            ones.append(env.clone())
    assert body.base_velocity[0] > 0.1
    env.step(0.01)
    ones[1].step(0.01)
    ones.append(env.clone())  # while the tray rests again
    for one in ones:
        run(one, 0.2)
    place, *others = (one.bodies["crate"].transform for one in ones)
    for other in others:
        np.testing.assert_array_equal(place, other)


@pytest.mark.parametrize(
    ("speed", "dt"), [(0.2, 0.01), (1.0, 0.01), (0.5, 0.05), (1.0, 0.002)]
)
def test_a_wall_pushes_as_far_as_it_is(speed, dt):
    """Not one step ahead, and as deep as 0.4 m g presses it, but for a small hop."""
    env = world(
        floor(),
        box("box", (-0.3, 0, 0.1)),
        box("wall", (-0.5, 0, 0.15), (0.05, 0.3, 0.1), kinematic=True),
    )
    body, wall = env.bodies["box"], env.bodies["wall"]
    gaps = []
    for k in range(round(1.2 / dt)):
        wall.transform = [1, 0, 0, 0, -0.5 + speed * dt * k, 0, 0.15]
        env.step(dt)
        gaps.append(body.transform[0, 3] - wall.transform[0, 3] - 0.15)
    gaps = np.abs(gaps[len(gaps) // 2 :])
    assert np.median(gaps) < 2e-4
    assert gaps.max() < 0.5 * speed * dt
    assert gaps.max() > 1e-7, "it touches"
    place = wall.transform[:3, 3]
    np.testing.assert_array_equal(place, (-0.5 + speed * dt * k, 0, 0.15))


def test_a_paddle_that_turns_pushes_as_far_as_it_is():
    """A bar about the vertical keeps a ball at its face all the way."""
    env = world(
        floor(),
        box("bar", (0, 0, 0.15), (0.5, 0.02, 0.1), kinematic=True),
        box("box", (0.3, 0.08, 0.05), (0.05, 0.05, 0.05)),
    )
    bar, body = env.bodies["bar"], env.bodies["box"]
    gaps = []
    for k in range(1, 121):
        half = 0.5 * 1.0 * 0.01 * k
        bar.transform = [np.cos(half), 0, 0, np.sin(half), 0, 0, 0.15]
        env.step(0.01)
        corners = np.array([(x, y, 0) for x in (-0.05, 0.05) for y in (-0.05, 0.05)])
        world_points = corners @ body.transform[:3, :3].T + body.transform[:3, 3]
        local = (world_points - bar.transform[:3, 3]) @ bar.transform[:3, :3]
        gaps.append(local[:, 1].min() - 0.02)
    assert np.abs(gaps[60:]).max() < 1e-3


def test_what_a_kinematic_hand_holds_pushes_with_its_speed():
    env = world(
        floor(),
        box("hand", (-0.5, 0, 0.55), kinematic=True),
        box("bar", (-0.5, 0, 0.25), (0.1, 0.1, 0.2)),
        box("box", (-0.3, 0, 0.1)),
    )
    hand, body, bar = (env.bodies[name] for name in ("hand", "box", "bar"))
    hand.grab(bar)
    for k in range(1, 101):
        hand.transform = [1, 0, 0, 0, -0.5 + 0.005 * k, 0, 0.55]
        env.step(0.01)
    assert body.transform[0, 3] - bar.transform[0, 3] - 0.2 == pytest.approx(
        0.0, abs=1e-4
    )
