"""Fastest motions between two states, and shortcuts made of them."""

import numpy as np
import pytest
from loops import each

from pyrave.planning.timing.ramps import connected
from pyrave.planning.timing.rest_to_rest import rest_to_rest
from pyrave.planning.timing.time_shortcuts import samples, shortened


def farthest(time, v0, v1, velocity, acceleration):
    """Return how far one joint gets in a time, both ways."""
    found = []
    for side in (-1, 1):
        start, end = side * v0, side * v1
        peak = min(velocity, 0.5 * (acceleration * time + start + end))
        rise, fall = (peak - start) / acceleration, (peak - end) / acceleration
        way = 0.5 * (start + peak) * rise + 0.5 * (peak + end) * fall
        found.append(side * (way + peak * (time - rise - fall)))
    return found


def least_time(way, v0, v1, velocity, acceleration):
    """Search the least time in which a way is within reach."""
    for time in np.arange(abs(v1 - v0) / acceleration, 20, 2e-3):
        low, high = farthest(time, v0, v1, velocity, acceleration)
        if low - 1e-9 <= way <= high + 1e-9:
            return time
    raise AssertionError


def states_of(rng, velocity):
    dof = len(velocity)
    ends = rng.uniform(-2, 2, (2, dof))
    rates = rng.uniform(-1, 1, (2, dof)) * velocity * rng.integers(0, 2, (2, 1))
    return np.stack((ends[0], rates[0], ends[1], rates[1]))


def limits_of(rng, dof, bound=9.0):
    velocity, acceleration = rng.uniform(0.5, 3, dof), rng.uniform(1, 20, dof)
    return np.stack((velocity, acceleration, np.full(dof, -bound), np.full(dof, bound)))


@each("seed", range(20))
def test_one_joint_takes_the_least_time(seed):
    rng = np.random.default_rng(seed)
    limits = limits_of(rng, 1)
    states = states_of(rng, limits[0])
    wanted = least_time(
        states[2, 0] - states[0, 0], states[1, 0], states[3, 0], *limits[:2, 0]
    )
    assert connected(states, limits).duration == pytest.approx(wanted, abs=2e-3)


@pytest.mark.parametrize("dof", [1, 3, 7])
def test_all_joints_arrive_together_within_limits(dof):
    rng = np.random.default_rng(dof)
    missed = 0
    for _ in range(100):
        limits = limits_of(rng, dof)
        states = states_of(rng, limits[0])
        found = connected(states, limits)
        if found is None:
            missed += 1
            continue
        times = np.linspace(0, found.duration, 500)
        positions, rates, changes = found.at(times)
        assert positions[[0, -1]] == pytest.approx(states[[0, 2]], abs=1e-12)
        assert rates[[0, -1]] == pytest.approx(states[[1, 3]], abs=1e-9)
        assert (np.abs(rates) <= limits[0] * (1 + 1e-9)).all()
        assert (np.abs(changes) <= limits[1] * (1 + 1e-6)).all()
        alone = [
            connected(np.ascontiguousarray(states[:, [j]]), limits[:, [j]].copy())
            for j in range(dof)
        ]
        assert found.duration == pytest.approx(max(one.duration for one in alone))
    assert missed <= 10


def test_joints_that_would_turn_back_beyond_a_limit_are_refused():
    limits = np.array([[1.0], [1.0], [-1.0], [1.0]])
    states = np.array([[0.9], [1.0], [0.0], [0.0]])
    assert connected(states, limits) is None  # it turns back at 1.4
    limits[3] = 1.5
    assert connected(states, limits) is not None


def test_a_longer_time_is_met():
    limits = np.array([[1.0], [1.0], [-9.0], [9.0]])
    states = np.array([[0.0], [0.0], [1.0], [0.0]])
    found = connected(states, limits, 5.0)
    assert found.duration == 5.0
    _, rates, changes = found.at(np.linspace(0, 5, 99))
    assert np.abs(changes).max() == pytest.approx(4 / 25)
    assert rates.max() < 0.5


def test_shortcuts_without_obstacles_take_the_least_time():
    rng = np.random.default_rng(4)
    limits = limits_of(rng, 5)
    points = rng.uniform(-2, 2, (6, 5))
    slow = rest_to_rest(points, limits[0], limits[1])
    fast = shortened(slow, limits, lambda _: True)
    rest = np.zeros(5)
    wanted = connected(np.stack((points[0], rest, points[-1], rest)), limits)
    assert fast.duration == pytest.approx(wanted.duration, rel=1e-12)


def test_shortcuts_go_round_what_is_in_the_way():
    """A plane with a disc; the first path leads around it in three lines."""
    limits = np.array([[1.0, 1.0], [2.0, 2.0], [-9.0, -9.0], [9.0, 9.0]])
    points = np.array([[-2.0, 0.0], [-2.0, 2.0], [2.0, 2.0], [2.0, 0.0]])
    slow = rest_to_rest(points, limits[0], limits[1])

    def is_free(motion):
        rows = samples(motion, np.full(2, 0.01))
        assert np.abs(np.diff(rows, axis=0)).max() <= 0.01
        return (np.hypot(*rows.T) > 1.0).all()

    fast = shortened(slow, limits, is_free, rounds=200, seed=3)
    assert is_free(fast)
    assert fast.duration < 0.75 * slow.duration
    assert fast.positions[[0, -1]] == pytest.approx(points[[0, -1]], abs=1e-12)
    _, rates, changes = fast.at(np.linspace(0, fast.duration, 9999))
    assert (np.abs(rates) <= 1 + 1e-9).all()
    assert (np.abs(changes) <= 2 + 1e-6).all()
    again = shortened(slow, limits, is_free, rounds=200, seed=3)
    assert (again.positions == fast.positions).all()
    none = shortened(slow, limits, is_free, goes_on=lambda k: k < 1)
    assert none.duration == slow.duration
