"""A base that drives on two wheels goes along arcs."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import pyrave
from pyrave.errors import ArgumentError

CART = """<WorkCell name="cell"><MobileDevice name="Cart" basename="Base">
  <AxelWidth>{}</AxelWidth><LeftWheel name="L"/><RightWheel name="R"/>
  <VelLimit refjoint="L" max="300"/><VelLimit refjoint="R" max="300"/>
  <PosLimit refjoint="L" min="-9000" max="9000"/>
  <Frame name="Top"><RPY>0 0 0</RPY><Pos>0 0 0.3</Pos></Frame>
</MobileDevice></WorkCell>"""


@pytest.fixture
def cart():
    env = pyrave.Environment()
    env.load_string(CART.format(0.6))
    assert env.problems == ()
    return env.robots["Cart"]


def run(cart, velocities, steps=100, dt=0.01):
    assert cart.controller.set_desired(velocities)
    for _ in range(steps):
        cart.env.step(dt)
    return cart.transform


def test_straight_on(cart):
    assert cart.controller.interface_id == "DifferentialDrive"
    pose = run(cart, [0.5, 0.5])
    np.testing.assert_allclose(pose[:3, 3], [0.5, 0, 0], atol=1e-12)
    np.testing.assert_allclose(pose[:3, :3], np.eye(3), atol=1e-12)
    np.testing.assert_allclose(cart.dof_values, [0.5, 0.5])
    np.testing.assert_allclose(cart.frames["Top"].transform[:3, 3], [0.5, 0, 0.3])


def test_on_the_spot(cart):
    pose = run(cart, [-0.3, 0.3])
    np.testing.assert_allclose(pose[:3, 3], 0.0, atol=1e-12)
    assert math.atan2(pose[1, 0], pose[0, 0]) == pytest.approx(1.0)
    np.testing.assert_allclose(cart.base_velocity, [0, 0, 0, 0, 0, 1.0], atol=1e-12)


@pytest.mark.parametrize(("steps", "dt"), [(1, 1.0), (200, 0.005)])
def test_along_an_arc(cart, steps, dt):
    """The left wheel is slower: the base turns to the left about a point at +y."""
    pose = run(cart, [0.4, 1.0], steps, dt)
    angle, radius = 1.0, 0.7
    wanted = radius * np.array([math.sin(angle), 1.0 - math.cos(angle), 0.0])
    np.testing.assert_allclose(pose[:3, 3], wanted, atol=1e-12)
    assert math.atan2(pose[1, 0], pose[0, 0]) == pytest.approx(angle)
    speed = 0.7 * pose[:3, 0]
    np.testing.assert_allclose(cart.base_velocity[:3], speed, atol=1e-12)


def test_where_it_stands_counts(cart):
    start = np.eye(4)
    start[:3, :3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    start[:3, 3] = 1.0, 2.0, 0.5
    cart.transform = start
    np.testing.assert_allclose(run(cart, [0.5, 0.5])[:3, 3], [1, 2.5, 0.5], atol=1e-12)


def test_radius_width_and_stopping(cart):
    drive = cart.set_controller("DifferentialDrive 0.6 0.1", control_transform=True)
    np.testing.assert_allclose(run(cart, [2.0, 2.0])[0, 3], 0.2)
    assert not drive.is_done()
    pose = run(cart, [0.0, 0.0])
    np.testing.assert_allclose(pose[0, 3], 0.2)
    assert drive.is_done()
    assert not cart.base_velocity.any()
    # without arguments the distance of the axes is that of the wheels
    cart.set_controller("DifferentialDrive", control_transform=True)
    assert run(cart, [-0.3, 0.3])[1, 0] == pytest.approx(math.sin(1.0))
    # a base that is not controlled stays
    cart.set_controller("DifferentialDrive")
    before = cart.transform
    np.testing.assert_array_equal(run(cart, [1.0, 1.0]), before)


def test_limits_of_wheels_count(cart):
    limit = math.radians(300)
    assert run(cart, [99.0, 99.0], 1, 0.1)[0, 3] == pytest.approx(0.1 * limit)


def test_copies_and_files(cart, tmp_path):
    cart.env.save(tmp_path / "cell.env.xml")
    for env in (
        pyrave.load(tmp_path / "cell.env.xml"),
        cart.env.clone(),
        pickle.loads(pickle.dumps(cart.env)),  # noqa: S301 - our own
    ):
        pose = run(env.robots["Cart"], [0.4, 1.0], 1, 1.0)
        assert pose[0, 3] == pytest.approx(0.7 * math.sin(1.0))


@pytest.mark.parametrize("words", ["wide", "-1", "0.5 0", "0.5 1 1", "nan"])
def test_wrong_arguments(cart, words):
    with pytest.raises(pyrave.Error, match=r"(width|radius) of|has the word"):
        cart.env.create("controller", f"DifferentialDrive {words}")


def test_wrong_wheels():
    env = pyrave.Environment()
    env.load_string(CART.format(0.0))
    cart = env.robots["Cart"]
    with pytest.raises(ArgumentError, match="needs a left and a right wheel"):
        cart.set_controller("DifferentialDrive 1", [0], control_transform=True)
    with pytest.raises(ArgumentError, match="are in one place"):
        cart.set_controller("DifferentialDrive", control_transform=True)


def test_another_width_counts_from_the_next_step_on(cart):
    cart.controller.change_settings(width=0.3)
    pose = run(cart, [-0.3, 0.3])
    assert math.atan2(pose[1, 0], pose[0, 0]) == pytest.approx(2.0)
