"""Kernels of singular poses: folds and continua. They run uncompiled here."""

from __future__ import annotations

import numpy as np
import pytest

import pyrave
from pyrave_environments.arms import arm, arm_description
from pyrave_ik.arm.chain import ArmChain
from pyrave_ik.kernels import six_joint_loop
from pyrave_ik.kernels.singular import continua
from pyrave_ik.kernels.singular import singular_newton as landing
from pyrave_ik.kernels.singular import singular_poses as singular


def screws_of(name: str) -> np.ndarray:
    env = pyrave.Environment()
    robot = env.create("robot", "")
    robot.init(arm_description(arm(name)))
    env.add(robot)
    return np.ascontiguousarray(
        ArmChain.from_manipulator(robot.manipulators["arm"]).screws
    )


def reached(screws: np.ndarray, x: np.ndarray) -> np.ndarray:
    goal = np.empty((3, 4))
    six_joint_loop.end(screws, x, goal)
    return goal


def explored(screws: np.ndarray, goal: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return the continua through a solution."""
    null = np.empty((6, 6))
    store = continua.empty_store()
    with np.errstate(all="ignore"):  # as the solver calls kernels
        n = landing.null_directions(screws, x, null)
        if n:
            singular.explored(screws, goal, x, null, n, store)
    return store


def freedom(screws: np.ndarray, goal: np.ndarray, x: np.ndarray) -> int:
    """Return bits of the joints that move on continua through a solution."""
    store = explored(screws, goal, x)
    moving = 0
    for c in range(continua.size_of(store)):
        moving |= int(store[c, 0, continua.MASK])
    return moving


def off(rows: np.ndarray, x: np.ndarray) -> float:
    return float(np.abs(np.exp(1j * rows) - np.exp(1j * x)).max(axis=-1).min())


@pytest.fixture(scope="module")
def ur() -> np.ndarray:
    return screws_of("ur5e")


@pytest.fixture(scope="module")
def puma() -> np.ndarray:
    return screws_of("puma560")


def test_singular_values_and_vectors():
    rng = np.random.default_rng(1)
    a = rng.normal(size=(6, 6))
    a[:, 5] = a[:, 0] * 1e-9 + a[:, 1]
    u, v, s = a.copy(), np.empty((6, 6)), np.empty(6)
    landing.decompose(u, v, s)
    assert s == pytest.approx(np.linalg.svd(a)[1], rel=1e-9)
    assert np.abs(u @ v.T - a).max() < 1e-14
    assert np.abs(v.T @ v - np.eye(6)).max() < 1e-14


def test_a_straight_elbow_is_reached_exactly(ur):
    q = np.array([0.3, -0.8, 0.0, 0.4, -1.3, 0.9])
    goal = reached(ur, q)
    for sign in (1.0, -1.0):
        x = q + sign * np.array([0.01, 0.02, -0.05, 0.01, 0.0, -0.02])
        assert landing.land(ur, goal, x) < 1e-14
        assert off(x, q) < 1e-6
    assert freedom(ur, goal, q) == 0


@pytest.mark.parametrize("bend", [1e-2, 1e-3, 1e-5])
def test_the_other_of_two_solutions_that_are_about_to_merge(ur, bend):
    q = np.array([0.3, -0.8, bend, 0.4, -1.3, 0.9])
    goal = reached(ur, q)
    other = np.empty(6)
    if bend == 1e-2:
        assert not landing.twin(ur, goal, q, other)
        return
    assert landing.twin(ur, goal, q, other)
    assert landing.deviation(ur, goal, other) < 1e-14
    assert other[2] == pytest.approx(-bend, abs=0.01 * bend)


def test_all_along_a_continuum_the_pose_is_reached(puma):
    q = np.array([0.3, -0.8, 1.1, 0.4, 0.0, 0.9])
    goal = reached(puma, q)
    assert freedom(puma, goal, q) == 0b101000
    for way in (0.7, -2.0, 3.1):
        x = q + np.array([0.0, 0.0, 0.0, way, 0.0, -way])
        assert landing.deviation(puma, goal, x) < 1e-14
        assert freedom(puma, goal, x) == 0b101000
        assert continua.lies_on(puma, goal, explored(puma, goal, q), x, 1e-6) == 0
    other = q + np.array([0.01, 0.0, 0.0, 0.0, 0.0, 0.0])
    assert continua.lies_on(puma, goal, explored(puma, goal, q), other, 1e-6) == -1


def test_a_flat_continuum_is_stored_once(puma):
    store = continua.empty_store()
    line, plane = np.zeros((1, 6)), np.zeros((2, 6))
    line[0, [3, 5]] = plane[0, [3, 5]] = plane[1, [0, 5]] = 1.0, -1.0
    x = np.array([0.3, -0.4, 0.7, 0.2, 0.0, 0.5])
    along = x + np.array([0.0, 0.0, 0.0, 1.0, 0.0, -1.0 + 2.0 * np.pi])
    continua.add_flat(puma, x, line, 1, 1, store)
    continua.add_flat(puma, along, line, 1, 2, store)
    assert continua.size_of(store) == 1
    # more is singular here: no continua but this need be looked for again
    assert store[0, 0, continua.NULLITY] == 2
    elsewhere = x + np.array([0.0, 0.1, 0.0, 0.0, 0.0, 0.0])
    continua.add_flat(puma, elsewhere, line, 1, 1, store)
    assert continua.size_of(store) == 2
    # the first is part of a plane, in which it is not stored again
    continua.add_flat(puma, along, plane, 2, 2, store)
    continua.add_flat(puma, x, line, 1, 1, store)
    counts = [store[c, 0, continua.COUNT] for c in range(continua.size_of(store))]
    assert counts == [1, 2]


def test_axes_in_line_where_more_is_singular():
    """The stretched arm, whose wrist is straight, too: three null directions."""
    screws = screws_of("jaco2_6s")
    for roll in (0.0, 0.3, np.pi):
        q = np.array([0.0, np.pi, np.pi, roll, 0.0, np.pi])
        goal = reached(screws, q)
        assert freedom(screws, goal, q) & 0b101000 == 0b101000
