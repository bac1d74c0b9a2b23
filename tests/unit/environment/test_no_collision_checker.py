"""Without a real collision checker the answer no means nothing, and that is said."""

import logging
import warnings

import pytest

import pyrave
from pyrave.scene import body_from_boxes


@pytest.fixture
def touching():
    env = pyrave.Environment()
    for name in ("mug", "table"):
        env.create_body(body_from_boxes(name, [(0, 0, 0, 1, 1, 1)]))
    return env


def test_the_first_query_warns_where_it_stands(touching, caplog):
    mug, table = touching.bodies
    with (
        caplog.at_level(logging.WARNING, "pyrave"),
        pytest.warns(RuntimeWarning, match=r"pyrave\[collision\]") as warned,
    ):
        assert touching.check_collision(mug, table) is False
    assert warned[0].filename == __file__
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert "pyrave[collision]" in caplog.text
    assert [one.code for one in touching.problems] == ["no-collision-checker"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert touching.check_collision(mug) is False
    twin = touching.clone()
    with pytest.warns(RuntimeWarning, match="no collision checker"):
        twin.check_collision(twin.bodies["mug"])


def test_a_real_checker_is_silent(touching, spies):
    spies.register(touching)
    touching.collision_checker = touching.create("collisionchecker", "SpyChecker")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert touching.check_collision(touching.bodies["mug"]) is True
    assert touching.problems == ()
