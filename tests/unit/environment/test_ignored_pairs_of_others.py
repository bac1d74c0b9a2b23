"""A checker of others that asks nobody: what is ignored hides no other collision."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from first_pair_checker import FirstPairChecker
from scene_files import scene_beside

import pyrave
from pyrave.interfaces import CollisionAction, CollisionOptions

SCENE = scene_beside(__file__, "ignored_pairs_of_others.env.xml")


@pytest.fixture
def env():
    env = pyrave.load_string(SCENE)
    env.register("collisionchecker", "FirstPair", FirstPairChecker)
    env.collision_checker = "FirstPair"
    return env


def ignoring(name):
    def ignore(report):
        sides = [side for p in report.pairs for side in (p.first, p.second)]
        hit = any(name in (side.body_name, side.link_name) for side in sides)
        return CollisionAction.IGNORE if hit else None

    return ignore


@pytest.mark.parametrize("way", ["environment", "checker", "rows", "motions"])
def test_an_ignored_pair_hides_no_wall(env, way):
    arm, checker = env.robots["arm"], env.collision_checker

    def hits():
        if way == "environment":
            return env.check_collision(arm)
        if way == "checker":
            return checker.check_collision(arm)
        if way == "rows":
            rows = arm.dof_values[None]
            found = checker.check_configurations(arm, rows, self_collision=False)
            return bool(found[0])
        ends = arm.dof_values[None]
        first = checker.check_motions(arm, ends, ends, self_collision=False)
        return bool(np.isfinite(first[0]))

    with env.on_collision(ignoring("ball")):
        assert hits() is True
        env.bodies["wall"].transform = (1, 0, 0, 0, 9, 0, 0)
        assert hits() is False, "the ball alone is left, and ignored"
    assert hits() is True


def test_the_report_has_what_counts(env):
    arm = env.robots["arm"]
    with env.on_collision(ignoring("ball")):
        report = env.check_collision(arm, report=True)
    assert [str(pair) for pair in report.pairs] == ["arm/base x wall/b"]


def test_a_checker_that_reports_no_pairs(env):
    checker, arm = env.collision_checker, env.robots["arm"]
    checker.reports = False
    asked = []
    with env.on_collision(lambda report: asked.append(str(report.pairs[0]))):
        assert env.check_collision(arm.links[0], env.bodies["wall"].links[0])
    assert asked == ["arm/base x wall/b"]
    with env.on_collision(ignoring("base")):
        assert not env.check_collision(arm.links[0], env.bodies["wall"].links[0])


def test_callbacks_get_pairs_one_by_one_and_may_be_left_out(env):
    arm, checker = env.robots["arm"], env.collision_checker
    counts = []
    with env.on_collision(lambda report: counts.append(len(report.pairs))):
        assert checker.check_collision(arm)
        assert counts == [1]
        checker.set_collision_options(CollisionOptions.IGNORE_CALLBACKS)
        assert checker.check_collision(arm)
    assert counts == [1]


def test_filters_of_bodies_count_too(env):
    arm = env.robots["arm"]
    arm.collision_filter = lambda own, other: other.body_name != "ball"
    report = env.check_collision(arm, report=True)
    assert [pair.second.body_name for pair in report.pairs] == ["wall"]
    arm.collision_filter = lambda own, other: other.body_name not in {"ball", "wall"}
    assert not env.check_collision(arm)


def test_self_collision(env):
    arm = env.robots["arm"]
    arm.dof_values = [-1.0, 0.0]  # base and tool are adjacent, tool leaves tip
    assert not arm.check_self_collision()
    arm.dof_values = [0.0, 0.0]
    assert arm.check_self_collision()
    with env.on_collision(ignoring("tip")):
        assert not arm.check_self_collision()
        assert not env.collision_checker.check_self_collision(arm)


def test_self_collision_behind_an_ignored_pair(env):
    arm = env.robots["arm"]
    checker = env.collision_checker
    base, tool, tip = arm.links
    checker.own_pairs = [(base, tip), (tool, tip)]
    for ignored, hit in (("base", True), ("tool", True), ("tip", False)):
        with env.on_collision(ignoring(ignored)):
            assert checker.check_self_collision(arm) is hit
    assert checker.check_self_collision(tool)


def test_authors_may_ask_themselves(env):
    class Asking(FirstPairChecker):
        asks_callbacks = True

        def pairs(self, *query):
            return itertools.filterfalse(self.is_ignored, super().pairs(*query))

    env.register("collisionchecker", "Asking", Asking)
    env.collision_checker = "Asking"
    arm = env.robots["arm"]
    with env.on_collision(ignoring("ball")):
        report = env.check_collision(arm, report=True)
    assert [pair.second.body_name for pair in report.pairs] == ["wall"]
    assert env.collision_checker.queries == 1


def test_what_cannot_ask_is_not_compiled(env):
    class Compiled(FirstPairChecker):
        def compiled(self, body, *, environment=True, self_collision=True):
            return "compiled"

    env.register("collisionchecker", "Compiled", Compiled)
    checker = env.set_collision_checker("Compiled")
    arm = env.robots["arm"]
    assert checker.compiled(arm) == "compiled"
    with (
        env.on_collision(lambda _: None),
        pytest.raises(pyrave.NotSupportedError, match="asks callbacks"),
    ):
        checker.compiled(arm)
