"""Shortcuts of paths that keep constraints, where the free space is known."""

from time import perf_counter

import numpy as np
import pytest
from planning_scenes import clearance, plane_of, problem, wall

from pyrave.planning import PlanningSpace
from pyrave.planning.query.constrained_shortcuts import shortened

AROUND = np.array([(-0.6, 0.0), (-0.6, 0.6), (0.0, 0.62), (0.6, 0.6), (0.6, 0.0)])


def cut(*walls, check=lambda first, last: True):
    """Return the path after shortcuts of the way around a place in the middle."""
    _, robot = plane_of(*walls)
    parameters = problem(robot, AROUND[0], AROUND[-1])
    parameters.neighbour_state = lambda q, dq: q + dq
    parameters.check_path_constraints = check
    parameters.step_length = 0.05
    path, rng = AROUND, np.random.default_rng(4)
    space = PlanningSpace(robot)
    return shortened(space, parameters, path, rng, perf_counter() + 100.0)


def length(path):
    return np.linalg.norm(np.diff(path, axis=0), axis=1).sum()


def test_a_free_way_becomes_straight():
    path = cut()
    assert length(path) == pytest.approx(1.2, abs=2e-3)


def test_what_is_in_the_way_stays_outside():
    walls = (wall("w", (0.1, 0.3, 0.5), (0.0, 0.0, 0.0)),)
    path = cut(*walls)
    np.testing.assert_array_equal(path[[0, -1]], AROUND[[0, -1]])
    assert clearance(path, walls) > 0.0
    assert length(path) < 0.9 * length(AROUND)


def test_constraints_are_kept():
    path = cut(check=lambda first, last: bool(abs(last[0]) > 0.3 or last[1] > 0.3))
    assert length(path) > 1.3
