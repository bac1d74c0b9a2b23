"""Lines from rest to rest, against closed forms and against what they do."""

import itertools
import math

import numpy as np
import pytest
from loops import each

from pyrave.errors import ArgumentError
from pyrave.planning.timing.rest_to_rest import rest_to_rest

LAWS = ["trapezoid", "cubic", "quintic", "s-curve"]
# accelerations of the others jump at waypoints
SMOOTH = {"quintic", "s-curve"}


def problem(seed, dof=5):
    rng = np.random.default_rng(seed)
    points = rng.uniform(-2, 2, (rng.integers(2, 7), dof))
    jerks = 10.0 ** rng.uniform(0, 4, dof)
    return points, rng.uniform(0.5, 3, dof), rng.uniform(1, 20, dof), jerks


def greatest(timed, count=20_000):
    """Return the greatest velocity, acceleration and jerk of each value."""
    times = np.linspace(0, timed.duration, count)
    positions = timed.at(times)[0]
    rows = [np.diff(positions, n=k, axis=0) / times[1] ** k for k in (1, 2, 3)]
    return [np.abs(one).max(axis=0) for one in rows]


@pytest.mark.parametrize("law", LAWS)
@each("seed", range(8))
def test_limits_are_reached_and_not_passed(law, seed):
    points, *limits = problem(seed)
    timed = rest_to_rest(points, *limits, law=law)
    assert timed.positions[0] == pytest.approx(points[0], abs=1e-14)
    assert (timed.positions[-1] == points[-1]).all()
    kept = limits if law in SMOOTH else limits[:2]
    parts = [most / limit for most, limit in zip(greatest(timed), kept, strict=False)]
    # rounding of third differences
    assert max(part.max() for part in parts) <= 1 + 1e-5
    for row in points:
        assert np.abs(timed.positions - row).max(axis=1).min() < 1e-12


@pytest.mark.parametrize("law", LAWS)
def test_each_line_is_as_fast_as_its_law_allows(law):
    """One of the limits is reached on each line."""
    points, *limits = problem(3)
    for line in itertools.pairwise(points):
        timed = rest_to_rest(np.array(line), *limits, law=law)
        kept = limits[:2] if law == "trapezoid" else limits
        most = greatest(timed)
        parts = [one / limit for one, limit in zip(most, kept, strict=False)]
        assert max(part.max() for part in parts) == pytest.approx(1, abs=3e-3)


def test_closed_forms():
    ends, one = np.array([[0.0], [6.0]]), np.ones(1)
    duration = {
        law: rest_to_rest(ends, one, one, one, law=law).duration for law in LAWS
    }
    # 6 at 1, one ramp of 1 s (trapezoid), and another one of acceleration (s-curve)
    assert duration["trapezoid"] == pytest.approx(7)
    assert duration["s-curve"] == pytest.approx(8)
    assert duration["cubic"] == pytest.approx(9)
    assert duration["quintic"] == pytest.approx(6 * 15 / 8)
    short = rest_to_rest(ends / 6e3, one, one, one, law="s-curve")
    assert short.duration == pytest.approx(4 * math.cbrt(1e-3 / 2))
    middle = rest_to_rest(ends / 6, 9 * one, one / 2, one, law="s-curve")
    # acceleration 1/2 is reached, speed is not: t^2 - t/2 = 2 each half
    rise = 0.25 + math.sqrt(0.0625 + 2.0)
    assert middle.duration == pytest.approx(2 * rise)


@pytest.mark.parametrize("law", LAWS)
def test_given_durations(law):
    points, *limits = problem(5)
    free = rest_to_rest(points, *limits, law=law)
    wanted = np.full(len(points) - 1, free.duration)
    slow = rest_to_rest(points, *limits, law=law, durations=wanted)
    assert slow.duration == pytest.approx(wanted.sum())
    at = slow.at(np.cumsum(wanted))[0]
    assert at == pytest.approx(points[1:], abs=1e-9)
    wanted[1] *= 1e-3
    with pytest.raises(
        ArgumentError, match=r"from waypoint 1 to 2 are too few, .* takes"
    ):
        rest_to_rest(points, *limits, law=law, durations=wanted)


@pytest.mark.parametrize("law", LAWS)
def test_waypoints_that_are_the_same(law):
    points, *limits = problem(2)
    twice = np.repeat(points, 2, axis=0)
    timed = rest_to_rest(twice, *limits, law=law)
    assert timed.duration == pytest.approx(
        rest_to_rest(points, *limits, law=law).duration
    )
    assert (np.diff(timed.times) > 0).all()
    still = rest_to_rest(twice[:2], *limits, law=law)
    assert still.duration == 0
    assert still.at([0.0, 1.0])[0] == pytest.approx(twice[:2])
    waits = rest_to_rest(twice[:2], *limits, law=law, durations=np.ones(1))
    assert waits.duration == 1


def test_s_curves_need_limits_of_jerk():
    with pytest.raises(ArgumentError, match="needs jerk_limits"):
        rest_to_rest(np.eye(2), np.ones(2), np.ones(2), law="s-curve")
