"""Pairs of bodies or links that no collision query compares."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scene_files import scene_beside

import pyrave
from pyrave.errors import ArgumentError, NotFoundError
from pyrave.interfaces.collision.report import CollisionOptions, CollisionReport
from pyrave.scene import IgnoredPair

SCENE = scene_beside(__file__, "ignored_pairs.env.xml")


@pytest.fixture(params=["Native", "coal"])
def env(request):
    if request.param == "coal":
        pytest.importorskip("coal")
    made = pyrave.load_string(SCENE)
    made.collision_checker = request.param
    return made


def hits(env) -> set[str]:
    """Return what all queries about pairs of links say collides."""
    arm = env.robots["arm"]
    found = {
        f"{link.name}-{other.name}"
        for link in arm.links
        for body in env.bodies
        for other in body.links
        if body is not arm and env.check_collision(link, other)
    }
    assert env.check_collision(arm) == bool(found)
    checker = env.collision_checker
    for link in arm.links:
        mine = {one for one in found if one.startswith(f"{link.name}-")}
        assert checker.check_link_collision(link, link.transform) == bool(mine)
    for body in env.bodies:
        if body is not arm:
            mine = {f"{a.name}-{b.name}" for a in arm.links for b in body.links}
            assert env.check_collision(arm, body) == bool(mine & found)
    return found


ALL = {"foot-top", "hand-lamp", "foot-w"}


def test_pairs_of_links_and_of_bodies(env):
    arm, table = env.robots["arm"], env.bodies["table"]
    assert hits(env) == ALL
    env.ignore_collisions(arm.links["foot"], table.links["top"])
    assert env.ignored_pairs == (IgnoredPair("arm", "table", "foot", "top"),)
    assert hits(env) == ALL - {"foot-top"}
    env.ignore_collisions(table, arm)
    assert env.ignored_pairs == (IgnoredPair("arm", "table"),)
    assert hits(env) == {"foot-w"}
    env.ignore_collisions(arm, env.bodies["wall"].links["w"])
    assert hits(env) == set()
    env.ignore_collisions(arm, table, ignored=False)
    assert hits(env) == {"foot-top", "hand-lamp"}
    env.ignored_pairs = ()
    assert hits(env) == ALL


def test_reports_and_distances(env):
    arm, table = env.robots["arm"], env.bodies["table"]
    checker = env.collision_checker
    assert env.distance(arm, table) < 0.0
    env.ignore_collisions(arm.links["foot"], table.links["top"])
    env.ignore_collisions(arm.links["hand"], table.links["lamp"])
    # what is left: the hand to the top, the foot to the lamp
    assert env.distance(arm, table) == pytest.approx(1.0, abs=0.1)
    checker.set_collision_options(CollisionOptions.ALL_LINK_COLLISIONS)
    report = CollisionReport()
    assert env.collision_checker.check_collision(arm, report=report)
    assert {(one.first.link_name, one.second.link_name) for one in report.pairs} == {
        ("foot", "w")
    }


def test_configurations(env):
    arm = env.robots["arm"]
    rows = np.linspace(-3.0, 3.0, 13)[:, None]
    env.ignore_collisions(arm, env.bodies["wall"])
    env.ignore_collisions(arm.links["foot"], env.bodies["table"])
    checker = env.collision_checker
    found = checker.check_configurations(arm, rows, self_collision=False)
    distances = checker.distances(arm, rows, self_collision=False)
    wanted = []
    for row in rows:
        arm.dof_values = row
        wanted.append(env.check_collision(arm))
    assert 0 < sum(wanted) < len(rows)
    assert found.tolist() == wanted
    assert ((distances <= 0.0) == found).all()


def test_compiled_checks():
    env = pyrave.load_string(SCENE)
    arm, checker = env.robots["arm"], env.collision_checker
    assert checker.compiled(arm, self_collision=False)(arm.link_transforms)
    for body in ("table", "wall"):
        env.ignore_collisions(arm, env.bodies[body])
    assert not checker.compiled(arm)(arm.link_transforms)


def test_what_is_held(env):
    """A held ball touches the table, and then the robot itself."""
    arm, ball, table = (env.bodies[name] for name in ("arm", "ball", "table"))
    env.ignored_pairs = [IgnoredPair("arm", "table"), IgnoredPair("arm", "wall")]
    ball.transform = [1, 0, 0, 0, 0.4, 0, 1.9]
    arm.grab(ball, "foot")
    assert env.check_collision(arm, table)
    env.ignore_collisions(ball, table)
    assert not env.check_collision(arm, table)
    ball.transform = [1, 0, 0, 0, 0.0, 0, 1.1]
    arm.grabs.renew()
    arm.dof_values = [-0.4]
    assert env.collision_checker.check_self_collision(arm)
    env.ignore_collisions(ball, arm.links["hand"])
    assert not env.collision_checker.check_self_collision(arm)


@pytest.mark.parametrize("suffix", ["env.xml", "dae"])
def test_files_copies_and_names(suffix, tmp_path):
    env = pyrave.load_string(SCENE)
    pairs = (IgnoredPair("arm", "table", "foot", "top"), IgnoredPair("arm", "wall"))
    env.ignored_pairs = pairs[::-1]
    path = tmp_path / f"scene.{suffix}"
    (loss,) = (one for one in env.save(path) if "ignored" in one)
    assert "for pyrave alone" in loss
    for copy in (
        pyrave.load(path),
        env.clone(),
        pickle.loads(pickle.dumps(env)),  # noqa: S301 - our own
    ):
        assert copy.ignored_pairs == pairs
        assert not copy.check_collision(copy.bodies["wall"])
    env.load(path, rename=True)
    assert len(env.ignored_pairs) == 4
    others = {(one.first, one.second) for one in env.ignored_pairs} - {
        ("arm", "wall"),
        ("arm", "table"),
    }
    assert all(name in env.bodies for pair in others for name in pair)
    env.remove(env.bodies["wall"])
    assert pairs[1] not in env.ignored_pairs
    assert pairs[0] in env.ignored_pairs
    env.reset()
    assert env.ignored_pairs == ()


def test_what_is_wrong():
    env = pyrave.load_string(SCENE)
    arm, table = env.robots["arm"], env.bodies["table"]
    with pytest.raises(ArgumentError, match="declare_adjacent"):
        env.ignore_collisions(arm, arm.links["hand"])
    with pytest.raises(ArgumentError, match="expected a body or a link"):
        env.ignore_collisions(arm, 3)
    other = pyrave.load_string(SCENE).bodies["table"]
    with pytest.raises(ArgumentError, match="expected IgnoredPair objects"):
        env.ignored_pairs = None
    with pytest.raises(ArgumentError, match="not in this environment"):
        env.ignore_collisions(arm, other)
    env.ignore_collisions(arm, table)
    with pytest.raises(ArgumentError, match="ignored as a whole"):
        env.ignore_collisions(arm.links["foot"], table, ignored=False)
    for wrong in (IgnoredPair("arm", "none"), IgnoredPair("arm", "table", "none")):
        with pytest.raises(NotFoundError, match="none"):
            env.ignored_pairs = [wrong]
    assert env.ignored_pairs == (IgnoredPair("arm", "table"),)
    text = SCENE.replace(
        "</environment>",
        '<pyrave><set name="ignored_pairs">[{"type": "IgnoredPair", "first": "arm", '
        '"second": "none"}]</set></pyrave></environment>',
    )
    (problem,) = pyrave.load_string(text).problems
    assert problem.code == "ignored-pair"
