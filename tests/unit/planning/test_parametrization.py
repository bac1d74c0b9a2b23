"""The fastest motions along paths."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loops import each
from scipy.interpolate import CubicSpline
from scipy.optimize import linprog

from pyrave.errors import ArgumentError
from pyrave.planning import time_optimal
from pyrave.planning.timing.kernels.time_optimal import greatest_end, greatest_start


def random_problem(seed, dof=7, count=None):
    """Return waypoints, velocity limits and acceleration limits."""
    rng = np.random.default_rng(seed)
    points = rng.uniform(-2, 2, (count or rng.integers(2, 8), dof))
    return points, rng.uniform(0.5, 3, dof), rng.uniform(1, 20, dof)


def line_time(way, velocity, acceleration):
    """Return how long a straight way takes from rest to rest: a trapezoid of speed."""
    fastest, hardest = (velocity / way).min(), (acceleration / way).min()
    if fastest**2 >= hardest:
        return 2 / math.sqrt(hardest)
    return 1 / fastest + fastest / hardest


def greatest_parts(timed, velocity, acceleration):
    """Return the greatest velocity and acceleration in parts of the limits."""
    start, end = timed.times[:-1], timed.times[1:]
    inside = start + (end - start) * np.linspace(1e-9, 1 - 1e-9, 33)[:, None]
    _, rates, changes = timed.at(inside.ravel())
    return np.abs(rates / velocity).max(), np.abs(changes / acceleration).max()


@each("seed", range(20))
def test_lines_take_as_long_as_their_trapezoids(seed):
    points, velocity, acceleration = random_problem(seed)
    timed = time_optimal(points, velocity, acceleration)
    ways = np.abs(np.diff(points, axis=0))
    wanted = sum(line_time(way, velocity, acceleration) for way in ways)
    assert timed.duration == pytest.approx(wanted, rel=1e-9)
    stops = (np.abs(timed.velocities) < 1e-12).all(axis=1)
    assert np.allclose(timed.positions[stops], points, atol=1e-12)


@given(
    seed=st.integers(0, 2**32 - 1),
    path=st.sampled_from(["lines", "spline"]),
    deviation=st.sampled_from([0.0, 1e-6, 0.01, 0.3]),
    dof=st.integers(1, 8),
)
@settings(max_examples=60)
def test_limits_are_kept_everywhere(seed, path, deviation, dof):
    points, velocity, acceleration = random_problem(seed, dof)
    timed = time_optimal(points, velocity, acceleration, path=path, deviation=deviation)
    # pieces may be so short that their accelerations have 8 digits
    assert max(greatest_parts(timed, velocity, acceleration)) < 1 + 1e-6
    assert (np.diff(timed.times) > 0).all()
    assert np.abs(timed.positions[[0, -1]] - points[[0, -1]]).max() < 1e-12
    assert np.abs(timed.velocities[[0, -1]]).max() < 1e-12


@each("seed", range(10))
def test_corners_are_passed_as_near_as_asked_and_faster(seed):
    points, velocity, acceleration = random_problem(seed, count=6)
    stopping = time_optimal(points, velocity, acceleration)
    rounded = time_optimal(points, velocity, acceleration, deviation=0.05)
    assert rounded.duration < stopping.duration
    positions, _, _ = rounded.at(np.linspace(0, rounded.duration, 20001))
    for point in points[1:-1]:
        near = np.abs(positions - point)[:, None].max(axis=(1, 2)).min()
        assert near < 0.05 + 1e-3


@each("seed", range(5))
def test_splines_are_natural_cubics(seed):
    points, velocity, acceleration = random_problem(seed, count=6)
    timed = time_optimal(points, velocity, acceleration, path="spline", steps=400)
    knots = np.r_[0, np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))]
    curve = CubicSpline(knots, points, bc_type="natural")(
        np.linspace(0, knots[-1], 100_001)
    )
    for position in timed.positions[::7]:
        assert np.linalg.norm(curve - position, axis=1).min() < 1e-3


def test_finer_grids_are_faster_up_to_a_limit():
    points, velocity, acceleration = random_problem(3, count=8)
    times = [
        time_optimal(points, velocity, acceleration, path="spline", steps=n).duration
        for n in (100, 400, 1600, 6400)
    ]
    gains = -np.diff(times) / times[-1]
    assert gains[0] < 0.05
    assert gains[1] < 0.01
    assert abs(gains[2]) < 0.002


@each("seed", range(200))
def test_one_step_reaches_what_a_linear_program_says(seed):
    rng = np.random.default_rng(seed)
    bands = rng.normal(size=(rng.integers(1, 15), 2)) * rng.uniform(0.1, 5)
    most, after = rng.uniform(0.01, 3, 2)
    both = np.vstack((bands, -bands))
    bounds = [(0, most), (0, after)]
    known = linprog((-1, 0), both, np.ones(len(both)), bounds=bounds)
    x = greatest_start(bands, len(bands), np.empty((0, 2)), most, after)
    assert x == pytest.approx(-known.fun, rel=1e-7)
    within = rng.uniform(0, 1) * x
    known = linprog(
        (0, -1), both, np.ones(len(both)), bounds=[(within, within), (0, after)]
    )
    y = greatest_end(bands, len(bands), np.empty((0, 2)), within, after)
    assert y == pytest.approx(-known.fun, rel=1e-7, abs=1e-9)


def test_one_waypoint_and_the_same_ones_rest():
    for points in ([[1.0, 2.0]], [[1.0, 2.0], [1.0, 2.0]]):
        timed = time_optimal(points, 1.0, 1.0)
        assert timed.duration == 0.0
        positions, rates, changes = timed.at([0.0, 1.0])
        assert (positions == (1.0, 2.0)).all()
        assert not rates.any()
        assert not changes.any()


def test_what_is_asked_before_and_after_rests():
    timed = time_optimal([[0.0], [1.0]], 1.0, 2.0)
    positions, rates, changes = timed.at([-1.0, 0.25, 9.0])
    assert positions.ravel() == pytest.approx([0, 2 * 0.25**2 / 2, 1])
    assert rates.ravel() == pytest.approx([0, 0.5, 0])
    assert changes.ravel() == pytest.approx([0, 2, 0])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"waypoints": [1.0, 2.0]}, r"shape \(2,\), expected \(k, dof\)"),
        ({"waypoints": np.empty((0, 2))}, "one waypoint at least"),
        ({"waypoints": [[0, 0], [math.nan, 1]]}, "waypoint 1 is .*finite"),
        ({"velocity_limits": [1, 0]}, "velocity_limits has 0 for joint 1"),
        ({"velocity_limits": [1, 1, 1]}, "velocity_limits has shape"),
        ({"acceleration_limits": -1.0}, "acceleration_limits has .* >= 0"),
        ({"acceleration_limits": math.inf}, "acceleration_limits has .*finite"),
        ({"path": "curve"}, "'lines' or 'spline'"),
        ({"deviation": -0.1}, "deviation has .* >= 0"),
        ({"steps": 1}, "steps is 1"),
        ({"steps": 2.5}, "whole number"),
        ({"steps": 10**9, "path": "spline"}, "steps is 1000000000"),
    ],
)
def test_wrong_input_is_refused_in_words(changes, message):
    given = {
        "waypoints": [[0, 0], [1, 1]],
        "velocity_limits": 1.0,
        "acceleration_limits": 1.0,
    } | changes
    with pytest.raises(ArgumentError, match=message):
        time_optimal(**given)


def test_rounding_slows_nothing_down():
    random = np.random.default_rng(5)
    points = random.normal(size=(8, 3))
    limits = (0.3, 2.0, 0.9), (40.0, 3.0, 25.0)
    near = np.repeat(points, 2, axis=0) + 1e-11 * random.normal(size=(16, 3))
    for kind in ("lines", "spline"):
        for deviation in (0.0, 0.05):
            plain = time_optimal(points, *limits, path=kind, deviation=deviation)
            same = time_optimal(near, *limits, path=kind, deviation=deviation)
            assert same.duration == pytest.approx(plain.duration, rel=1e-6)
            np.testing.assert_allclose(same.positions[[0, -1]], near[[0, -1]])


def test_limits_hold_at_pieces_of_any_length():
    for seed in range(40):
        random = np.random.default_rng(seed)
        points = random.normal(size=(8, 5)) * 10.0 ** random.uniform(-1, 1)
        velocity, acceleration = 10.0 ** random.uniform((-1, -1), (1, 2), (5, 2)).T
        timed = time_optimal(points, velocity, acceleration, deviation=0.05)
        ends = np.concatenate((timed.times[:-1], np.nextafter(timed.times[1:], 0.0)))
        _, rates, changes = timed.at(ends)
        assert np.all(np.abs(rates) <= velocity * (1.0 + 1e-6))
        assert np.all(np.abs(changes) <= acceleration * (1.0 + 1e-6))
        far = time_optimal(points + 100.0, velocity, acceleration, deviation=0.05)
        assert far.duration == pytest.approx(timed.duration, rel=1e-6)


def test_a_coarse_grid_does_not_stop_before_its_end():
    for seed in range(300):
        random = np.random.default_rng(seed)
        points = 0.01 * random.normal(size=(8, 4))
        velocity, acceleration = 10.0 ** random.uniform(-1, 1, (2, 4))
        timed = time_optimal(points, velocity, acceleration, path="spline", steps=19)
        fine = time_optimal(points, velocity, acceleration, path="spline", steps=400)
        assert timed.duration < 1.5 * fine.duration
