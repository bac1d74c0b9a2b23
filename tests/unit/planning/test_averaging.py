"""Averages of motions over time, against numerical means."""

import numpy as np
import pytest
from loops import each

from pyrave.planning import time_optimal
from pyrave.planning.timing.moving_average import (
    acceleration_range,
    averaged,
    window_of,
)
from pyrave.planning.timing.rest_to_rest import rest_to_rest


def motions(seed):
    rng = np.random.default_rng(seed)
    points = rng.uniform(-2, 2, (5, 4))
    velocity, acceleration = rng.uniform(0.5, 3, 4), rng.uniform(1, 20, 4)
    trapezoids = rest_to_rest(points, velocity, acceleration)
    spline = time_optimal(points, velocity, acceleration, path="spline")
    rounded = time_optimal(points, velocity, acceleration, deviation=0.1)
    return (trapezoids, spline, rounded), velocity, acceleration


@each("seed", range(5))
def test_means_are_means(seed):
    for motion in motions(seed)[0]:
        window = 0.07 * motion.duration
        mean = averaged(motion, window)
        assert mean.duration == pytest.approx(motion.duration + window, rel=1e-9)
        times = np.linspace(0, mean.duration, 57)
        fine = (np.arange(20_000) + 0.5) / 20_000
        wanted = [motion.at(t - window * fine)[0].mean(axis=0) for t in times]
        assert mean.at(times)[0] == pytest.approx(np.array(wanted), abs=1e-7)
        again = averaged(mean, 0.5 * window)
        wanted = [mean.at(t - 0.5 * window * fine)[0].mean(axis=0) for t in times]
        assert again.at(times)[0] == pytest.approx(np.array(wanted), abs=1e-7)


@each("seed", range(5))
def test_limits_of_jerk_are_kept(seed):
    found, velocity, acceleration = motions(seed)
    jerks = 20 * acceleration
    for motion in found:
        mean = averaged(motion, window_of(motion, jerks))
        for one in (mean, averaged(mean, 0.01)):
            times = np.linspace(0, one.duration, 5000)
            positions, rates, changes = one.at(times)
            assert (np.abs(rates) <= velocity * (1 + 1e-9)).all()
            assert (np.abs(changes) <= acceleration * (1 + 1e-6)).all()
            thirds = np.diff(positions, n=3, axis=0) / times[1] ** 3
            assert (np.abs(thirds) <= jerks * (1 + 1e-5)).all()
            assert positions[0] == pytest.approx(motion.positions[0], abs=1e-12)
            assert (one.positions[-1] == motion.positions[-1]).all()


def test_a_mean_is_near():
    """Positions differ by acceleration window^2 / 24 at most."""
    motion, _, acceleration = motions(1)
    for one in motion:
        window = 0.05
        times = np.linspace(0, one.duration, 999)
        mean = averaged(one, window).at(times + 0.5 * window)[0]
        away = np.abs(mean - one.at(times)[0]).max(axis=0)
        assert (away <= acceleration * window**2 / 24 + 1e-12).all()


def test_ranges_of_accelerations():
    found, _, _ = motions(2)
    for motion in (*found, averaged(found[1], 0.2)):
        changes = motion.at(np.linspace(0, motion.duration, 200_001))[2]
        low, high = acceleration_range(motion)
        assert (low <= changes.min(axis=0) + 1e-9).all()
        assert (high >= changes.max(axis=0) - 1e-9).all()
        assert low == pytest.approx(changes.min(axis=0), abs=0.05)
        assert high == pytest.approx(changes.max(axis=0), abs=0.05)
