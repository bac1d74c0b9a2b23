"""Motions between two states, beside closed forms and beside s-curves."""

import importlib.util
import sys

import numpy as np
import pytest
from loops import each

from pyrave.errors import ArgumentError, NotSupportedError
from pyrave.planning import point_to_point
from pyrave.planning.timing.rest_to_rest import rest_to_rest

needs_library = pytest.mark.skipif(
    importlib.util.find_spec("ruckig") is None, reason="ruckig is not installed"
)


def limits_of(rng, dof):
    return rng.uniform(0.5, 3, dof), rng.uniform(1, 20, dof), rng.uniform(20, 200, dof)


@needs_library
@each("seed", range(20))
def test_limits_are_kept_between_the_states(seed):
    rng = np.random.default_rng(seed)
    dof = int(rng.integers(1, 8))
    limits = limits_of(rng, dof)
    start, goal = rng.uniform(-2, 2, (2, dof))
    rates = rng.uniform(-0.9, 0.9, (2, dof)) * limits[0] * (seed % 3 > 0)
    change = rng.uniform(-0.2, 0.2, dof) * limits[1] * (seed % 3 > 1)
    found = point_to_point(
        start,
        goal,
        *limits,
        start_velocity=rates[0],
        goal_velocity=rates[1],
        start_acceleration=change,
    )
    times = np.linspace(0, found.duration, 5001)
    positions, speeds, changes = found.at(times)
    assert positions[[0, -1]] == pytest.approx(np.stack((start, goal)), abs=1e-9)
    assert speeds[[0, -1]] == pytest.approx(rates, abs=1e-7)
    assert changes[0] == pytest.approx(change, abs=1e-4)
    rows = [np.diff(positions, n=k, axis=0) / times[1] ** k for k in (1, 2, 3)]
    for row, limit in zip(rows, limits, strict=True):
        if seed % 3 == 2 and limit is limits[0]:
            continue  # the acceleration at the start may bring it beyond for a while
        assert (np.abs(row) <= limit * (1 + 1e-4)).all()
    # means of a step, and what its pieces say
    middles = found.at(0.5 * (times[1:] + times[:-1]))[1]
    assert rows[0] == pytest.approx(middles, abs=1e-4)


@needs_library
def test_the_slowest_joint_is_an_s_curve():
    rng = np.random.default_rng(3)
    for _ in range(20):
        limits = limits_of(rng, 4)
        ends = rng.uniform(-2, 2, (2, 4))
        alone = [
            rest_to_rest(ends[:, [j]], *(one[[j]] for one in limits), law="s-curve")
            for j in range(4)
        ]
        found = point_to_point(*ends, *limits)
        slowest = max(one.duration for one in alone)
        assert found.duration == pytest.approx(slowest, rel=1e-9)


@needs_library
def test_wrong_input_is_said():
    one = np.ones(2)
    with pytest.raises(ArgumentError, match="goal has"):
        point_to_point(one, np.ones(3), 1, 1, 1)
    with pytest.raises(ArgumentError, match="jerk_limits has 0 for joint 0"):
        point_to_point(one, one, 1, 1, 0)
    with pytest.raises(ArgumentError, match="start has values that are not finite"):
        point_to_point(one * np.nan, one, 1, 1, 1)
    with pytest.raises(
        ArgumentError, match=r"no motion from start to goal: .*velocity"
    ):
        point_to_point(one, -one, 1, 1, 1, goal_velocity=3.0)
    still = point_to_point(one, one, 1, 1, 1)
    assert still.duration == 0
    assert still.at([0.0])[0].tolist() == [[1, 1]]


def test_the_library_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ruckig", None)
    with pytest.raises(NotSupportedError, match=r"pip install 'pyrave\[planning\]'"):
        point_to_point([0.0], [1.0], 1, 1, 1)


@needs_library
def test_a_straight_motion_keeps_velocities_along_its_line():
    rng = np.random.default_rng(5)
    for _ in range(20):
        limits = limits_of(rng, 3)
        start, way = rng.uniform(-1, 1, (2, 3))
        way[rng.integers(3)] = 0.0
        rate = 0.3 * way * np.min(limits[0])
        goal, after = start + way, 0.5 * rate
        found = point_to_point(
            start, goal, *limits, start_velocity=rate, goal_velocity=after,
            straight=True, duration=3.0,
        )  # fmt: skip
        rows, rates, changes = found.at(np.linspace(0, found.duration, 999))
        assert found.duration >= 3.0
        assert rows[-1] == pytest.approx(goal, abs=1e-9)
        assert rates[[0, -1]] == pytest.approx(np.stack((rate, after)), abs=1e-7)
        part = (rows - start) @ way / (way @ way)
        assert np.abs(rows - start - part[:, None] * way).max() < 1e-9
        assert (np.abs(rates) <= limits[0] * (1 + 1e-9)).all()
        assert (np.abs(changes) <= limits[1] * (1 + 1e-6)).all()
    with pytest.raises(ArgumentError, match=r"start_velocity is .* a part of the way"):
        point_to_point(
            [0, 0], [1, 1], 1, 1, 1, start_velocity=[0.1, -0.1], straight=True
        )


@needs_library
@pytest.mark.parametrize("straight", [False, True])
@each("size", [1e-6, 1e3, 1e8])
@pytest.mark.parametrize("second", [1e-4, 1.0, 1e4])
def test_units_do_not_matter(straight, size, second):
    rng = np.random.default_rng(8)
    for _ in range(5):
        limits, ends = limits_of(rng, 3), rng.uniform(-2, 2, (2, 3))
        found = point_to_point(*ends, *limits, straight=straight)
        # as of a robot in millimetres, or a clock in hours: joints of several kinds
        sizes = np.array((size, 1.0, size))
        others = [
            limit * sizes / second**order for order, limit in enumerate(limits, 1)
        ]
        other = point_to_point(*(ends * sizes), *others, straight=straight)
        assert other.duration == pytest.approx(second * found.duration, rel=1e-9)
        times = np.linspace(0.0, 1.0, 101)
        there = other.at(times * other.duration)[0] / sizes
        assert there == pytest.approx(found.at(times * found.duration)[0], abs=1e-7)
