"""A checker that never finds a collision says that its answer means nothing."""

import logging

import pytest

import pyrave
from pyrave.scene import body_from_boxes


@pytest.fixture
def touching():
    env = pyrave.Environment()
    for name in ("mug", "table"):
        env.create_body(body_from_boxes(name, [(0, 0, 0, 1, 1, 1)]))
    return env


def test_the_default_finds_collisions(touching):
    mug, table = touching.bodies
    assert touching.collision_checker.interface_id == "Native"
    assert touching.check_collision(mug, table)
    assert touching.problems == ()


def test_the_generic_checker_says_that_it_finds_none(touching, caplog):
    generic = touching.create("collisionchecker", "GenericCollisionChecker")
    touching.collision_checker = generic
    with caplog.at_level(logging.WARNING, "pyrave"):
        assert touching.check_collision(*touching.bodies) is False
        assert touching.check_collision(touching.bodies["mug"]) is False
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert [one.code for one in touching.problems] == ["no-collision-checker"]


def test_a_real_checker_is_silent(touching, spies):
    spies.register(touching)
    touching.collision_checker = "SpyChecker"
    assert touching.check_collision(touching.bodies["mug"]) is True
    assert touching.problems == ()


def test_a_report_that_would_stay_empty_is_refused(touching):
    mug = touching.bodies["mug"]
    given = pyrave.CollisionReport()
    for ask in (touching.check_collision, type(mug).check_self_collision):
        with pytest.raises(pyrave.ArgumentError, match="expected True or False"):
            ask(mug, report=given)
    assert touching.collision_checker.check_collision(mug, report=given)
    assert given.pairs
