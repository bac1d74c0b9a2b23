"""Nearest points of a moving body, for compiled loops, against single queries."""

import numpy as np
import pytest

import pyrave
from pyrave import CollisionOptions, CollisionReport


@pytest.fixture
def env():
    env = pyrave.Environment()
    env.load("scenes/demo.env.xml")
    return env


@pytest.mark.parametrize("margin", [0.3, 1e-3])
def test_all_near_pairs_are_found_with_their_points(env, margin):
    robot = env.robots[0]
    checker = env.collision_checker
    compiled = checker.compiled(robot, self_collision=False)
    found = np.empty((256, 12))
    near = compiled.near_points()
    assert near(*compiled.arguments, robot.link_transforms, margin, found)
    (end, *_) = np.flatnonzero(found[:, 0] < 0)
    rows = found[:end]
    links = np.asarray(env.world.tables.geometries.link)
    own = env.world.links_of(robot.id)
    least = {}
    for a, b, distance, *_ in rows.tolist():
        first = own.start <= links[int(a)] < own.stop
        link = int(links[int(a if first else b)]) - own.start
        least[link] = min(least.get(link, np.inf), distance)
    with checker.options(CollisionOptions.DISTANCE):
        for link in robot.links:
            report = CollisionReport()
            checker.check_collision(link, report=report)
            expected = report.min_distance
            if expected < margin:
                assert least[link.index] == pytest.approx(expected, abs=1e-6)
            else:
                assert link.index not in least
    apart = rows[rows[:, 2] > 1e-6]
    ways = apart[:, 6:9] - apart[:, 3:6]
    np.testing.assert_allclose(np.linalg.norm(ways, axis=1), apart[:, 2], atol=1e-6)
    along = apart[:, 2:3] * apart[:, 9:12]
    np.testing.assert_allclose(along, ways, atol=1e-6)


def test_too_little_room_is_told(env):
    robot = env.robots[0]
    compiled = env.collision_checker.compiled(robot)
    near, few = compiled.near_points(), np.empty((1, 12))
    assert not near(*compiled.arguments, robot.link_transforms, 10.0, few)
    assert few[0, 0] >= 0
