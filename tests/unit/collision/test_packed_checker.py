"""Questions of `PackedWorldChecker` to an engine, and its use of the answers.

The engine of these tests knows balls, whose distances need no library.
"""

from itertools import product

import numpy as np
import pytest
from solid_scenes import add_solid, at

import pyrave
from pyrave import CollisionOptions, CollisionReport
from pyrave.collision import (
    FIRST,
    SECOND,
    ContactArrays,
    Findings,
    PackedWorldChecker,
    PairSelection,
)
from pyrave.scene import Box, Sphere
from pyrave.testing import kit_environment
from pyrave.world import COLLISION

BALL = Sphere(0.5)


class BallEngine(PackedWorldChecker):
    """Compares balls by brute force; notes what it is asked."""

    contract = 2

    def __init__(self, env, *args):
        super().__init__(env, *args)
        self.selections = []
        self.demands = []
        self.changes = []

    def update(self, changes):
        self.changes.append(changes)

    def pairs(self, selection, probe):
        table = self.env.world.tables.geometries
        rows = [r for r in range(len(table.id)) if table.mask[r] & COLLISION]
        if selection.pairs is not None:
            wanted = set(map(tuple, selection.pairs.tolist()))
            for a, b in product(rows, rows):
                if (table.link[a], table.link[b]) in wanted:
                    yield a, b
            return
        sides = selection.sides[table.link]
        first = [r for r in rows if sides[r] & FIRST]
        if probe is not None:
            first = range(len(probe.solids))
        for a, b in product(first, [r for r in rows if sides[r] & SECOND]):
            if probe is not None or table.link[a] != table.link[b]:
                yield a, b

    def distance(self, a, b, probe):
        table = self.env.world.tables.geometries
        if probe is None:
            start, radius = table.poses[a, :3, 3], table.sizes[a, 0]
        else:
            solid, pose = probe.solids[a]
            start, radius = pose[:3, 3], getattr(solid, "radius", 0.0)
        way = table.poses[b, :3, 3] - start
        length = np.linalg.norm(way)
        return length - radius - table.sizes[b, 0], start, way / (length or 1.0)

    def any_contact(self, selection, probe=None):
        self.selections.append(selection)
        return any(
            self.distance(a, b, probe)[0] <= 0 for a, b in self.pairs(selection, probe)
        )

    def find(self, selection, demand, probe=None):
        self.selections.append(selection)
        self.demands.append(demand)
        hits, contacts, best = [], [], (np.inf, None)
        pairs = list(self.pairs(selection, probe))
        for a, b in pairs:
            value, start, normal = self.distance(a, b, probe)
            if value <= demand.tolerance:
                if demand.veto is not None and demand.veto(a, b):
                    continue
                hits.append((a, b))
                contacts.append(
                    ContactArrays(start[None], normal[None], np.array([-value]))
                )
            if value < best[0]:
                best = value, (a, b)
        points = None if best[1] is None else np.zeros((2, 3))
        return Findings(hits, contacts, *best, points, len(pairs))


def install(env):
    env.register("collisionchecker", "Balls", BallEngine)
    env.collision_checker = "Balls"
    return env.collision_checker


@pytest.fixture
def env():
    made = pyrave.Environment()
    install(made)
    return made


def test_selections_are_kept_while_they_hold(env):
    checker = env.collision_checker
    one, other, third = (
        add_solid(env, n, BALL, pose=at(3.0 * k)) for k, n in enumerate("abc")
    )

    def asked():
        checker.check_collision(one)
        return checker.selections[-1]

    first = asked()
    assert first.sides.tolist() == [FIRST, SECOND, SECOND]
    other.transform = at(5.0)
    assert asked() is first, "poses change nothing"
    env.check_collision(one)
    assert checker.selections[-1] is first
    third.links[0].enabled = False
    assert asked().sides.tolist() == [FIRST, SECOND, 0]
    third.links[0].enabled = True
    one.grab(third)
    assert asked().sides.tolist() == [FIRST, SECOND, FIRST]
    one.release(third)
    assert asked().sides.tolist() == [FIRST, SECOND, SECOND]
    before = asked()
    with one.preserve_state():
        one.grab(third)
        assert asked() is not before
    assert asked().sides.tolist() == [FIRST, SECOND, SECOND]
    env.remove(third)
    assert asked().sides.tolist()[:2] == [FIRST, SECOND]
    checker.check_collision(one, excluded_bodies=[other])
    assert not (checker.selections[-1].sides & SECOND).any()
    checker.check_collision(one.links[0], other.links[0])
    assert checker.selections[-1].sides.tolist()[:2] == [FIRST, SECOND]
    checker.check_collision(one, one.links[0])
    assert checker.selections[-1].sides.tolist()[0] == FIRST | SECOND


def test_selections_of_active_degrees_of_freedom_are_kept_with_these():
    env = kit_environment()
    checker, arm = install(env), env.robots["kit_arm"]

    def asked(active=None, affine=pyrave.Affine.NONE):
        if active is not None:
            arm.set_active_dofs(active, affine)
        checker.check_collision(arm)
        checker.check_self_collision(arm)
        checker.check_self_collision(arm.links[1])
        checker.check_collision(arm, env.bodies["kit_box"])
        return checker.selections[-4:]

    every = asked()
    options = CollisionOptions.ACTIVE_DOFS
    with checker.options(options):
        some = asked([1, 2])
        other = asked([2])
        base = asked([2], pyrave.Affine.X)
        with arm.preserve_state():
            for one, again in zip(some, asked([1, 2]), strict=True):
                assert one is again
        for one, again in zip(base, asked(), strict=True):
            assert one is again, "what is restored unseen counts, too"
        assert other[0] is asked([2])[0]
    for one, again in zip(every, asked(), strict=True):
        assert one is again
    firsts = [int((k[0].sides & FIRST > 0).sum()) for k in (every, some, other, base)]
    assert firsts[0] == firsts[3] > firsts[1] > firsts[2]
    pairs = [len(k[1].pairs) for k in (every, some, other, base)]
    assert pairs[0] == pairs[3] >= pairs[1] >= pairs[2]


def test_many_selections_are_not_kept_for_ever(env):
    checker = env.collision_checker
    bodies = [add_solid(env, f"body{k}", BALL) for k in range(30)]
    for one, other in product(bodies, bodies):
        checker.check_collision(one, other)
    assert len(checker._selections) <= 256


def test_changes_are_handed_over_once(env):
    checker = env.collision_checker
    body = add_solid(env, "body", BALL)
    for _ in range(2):
        checker.check_collision(body)
    assert [changes.added for changes in checker.changes] == [(body.id,)]
    body.transform = at(1.0)
    for _ in range(2):
        checker.check_collision(body)
    assert [changes.moved for changes in checker.changes[1:]] == [(body.id,)]


def test_an_engine_may_do_without_moves(env):
    """One that reads poses where they are; what else changes it hears of."""
    body = add_solid(env, "one", BALL)
    checker = env.collision_checker
    env.check_collision(body)
    checker.follows_moves = False
    before = len(checker.changes)
    for x in (1.0, 2.0):
        body.transform = at(x)
        assert not env.check_collision(body)
    assert len(checker.changes) == before
    other = add_solid(env, "other", BALL)
    other.transform = at(2.0)
    assert env.check_collision(body)
    assert [one.added for one in checker.changes[before:]] == [(other.id,)]


def test_engines_with_queries_of_their_own_are_synchronised(env):
    class Own(BallEngine):
        def check_collision(self, first, second=None, **choice):
            return bool(self.changes)

    assert BallEngine.synchronises_itself
    assert not Own.synchronises_itself
    env.register("collisionchecker", "Own", Own)
    env.collision_checker = "Own"
    assert env.check_collision(add_solid(env, "one", BALL))


def test_demands_say_what_the_options_mean(env):
    checker = env.collision_checker
    body = add_solid(env, "body", BALL)
    add_solid(env, "other", BALL, pose=at(0.9))
    flags = {
        CollisionOptions.DISTANCE: "distance",
        CollisionOptions.CONTACTS: "contacts",
        CollisionOptions.ALL_LINK_COLLISIONS: "all_links",
        CollisionOptions.ALL_GEOMETRY_COLLISIONS: "all_geometries",
    }
    for option in flags:
        checker.set_collision_options(option)
        checker.check_collision(body, report=CollisionReport())
        demand = checker.demands[-1]
        for other, name in flags.items():
            assert getattr(demand, name) is (other is option)
        checker.demands.clear()
        assert checker.check_collision(body)
        assert not checker.demands, "without a report there is nothing to find"
    checker.set_tolerance(0.2)
    checker.set_collision_options(CollisionOptions.USE_TOLERANCE)
    checker.check_collision(body)
    assert checker.demands[-1].tolerance == 0.2


def test_reports_join_the_solids_of_a_geometry_and_accumulate(env):
    checker = env.collision_checker
    one = add_solid(env, "one", BALL)
    other = add_solid(env, "other", BALL, BALL, pose=at(0.9))
    options = CollisionOptions.CONTACTS | CollisionOptions.ALL_GEOMETRY_COLLISIONS
    checker.set_collision_options(options | CollisionOptions.DISTANCE)
    report = CollisionReport(keep_previous=True)
    checker.check_collision(one, report=report)
    assert len(report.pairs) == 2
    assert [len(pair.contacts) for pair in report.pairs] == [1, 1]
    assert report.min_distance == pytest.approx(-0.1)
    other.transform = at(0.95)
    checker.check_collision(one, report=report)
    assert len(report.pairs) == 4
    assert report.min_distance == pytest.approx(-0.1), "the smallest of both"
    assert report.n_tested == 4
    text = str(report)
    assert text.count("one/base x other/base") == 5
    assert "distance -0.1 m" in text
    report.keep_previous = False
    report.reset()
    assert (str(report), report.distance) == ("no collision", np.inf)


def test_links_at_other_poses_take_what_they_hold_along():
    env = kit_environment()
    checker = install(env)
    arm, ball = env.robots["kit_arm"], env.bodies["kit_ball"]
    for link in arm.links:
        link.geometries[0].edit(shape=Sphere(0.05))
    env.bodies["kit_box"].links[0].geometries[0].edit(shape=BALL)
    hand = arm.links["hand"]
    ball.transform = hand.transform @ at(0, 0, 1.0)
    arm.grab(ball, "hand")
    pose = at(2.0, 0.0, -0.5)  # the ball comes to the box, the hand does not
    assert checker.check_link_collision(hand, pose)
    report = CollisionReport()
    assert checker.check_link_collision(hand, pose, report=report)
    assert {pair.first.body for pair in report.pairs} == {ball}
    assert not checker.check_link_collision(arm.links["fore"], pose)
    base = arm.links["base"].transform
    assert checker.check_link_self_collision(hand, base)
    assert checker.check_link_self_collision(hand, base @ at(0, 0, -1.0), report)
    assert {pair.first.body for pair in report.pairs} == {ball}
    arm.release(ball)
    assert not checker.check_link_self_collision(hand, base @ at(0, 0, -1.0))


def test_pairs_that_touch_at_zero_are_left_out_once(env):
    env = kit_environment()
    checker = install(env)
    arm = env.robots["kit_arm"]
    model_pairs = arm.model.non_adjacent_links.tolist()
    for link in arm.links:
        link.geometries[0].edit(shape=Sphere(0.01))
    assert arm.non_adjacent_links.tolist() == model_pairs
    arm.links["base"].geometries[0].edit(shape=Sphere(0.7))
    touching = [[arm.links["base"].index, arm.links[n].index] for n in ("fore",)]
    pairs = [pair for pair in model_pairs if pair not in touching]
    assert arm.non_adjacent_links.tolist() == pairs
    asked = len(checker.selections)
    arm.links["base"].enabled = False
    assert arm.non_adjacent_links.tolist() == pairs
    assert len(checker.selections) == asked, "the answer is kept"
    clone = env.clone()
    assert clone.robots["kit_arm"].non_adjacent_links.tolist() == pairs
    env.remove(arm)
    assert arm.non_adjacent_links.tolist() == model_pairs


def test_boxes_and_meshes_are_probes(env):
    checker = env.collision_checker
    body = add_solid(env, "body", BALL)
    assert checker.check_aabb((0.4, 0, 0), (0.1, 0.1, 0.1))
    assert not checker.check_aabb((0.4, 0, 0), (0.1, 0.1, 0.1), bodies=[])
    assert checker.check_aabb((0.4, 0, 0), (0.1, 0.1, 0.1), bodies=[body])
    assert not checker.check_aabb((0.4, 0, 0), (0.1, 0.1, 0.1), at(1.0))


def test_a_selection_can_be_a_weak_key():
    from weakref import WeakKeyDictionary

    selection = PairSelection(np.zeros(1, np.uint8))
    known = WeakKeyDictionary({selection: 1})
    del selection
    assert not known


def test_probes_of_links_have_the_shapes_of_rows(env):
    from pyrave.collision.solids import moved_links
    from pyrave.scene import Capsule, Cylinder

    shapes = (Box((0.1, 0.2, 0.3)), BALL, Cylinder(0.1, 0.5), Capsule(0.2, 0.3))
    body = add_solid(env, "body", *shapes, Sphere(0.0))
    world = env.world
    row = world.links_of(body.id).start
    probe = moved_links(world, [(row, at(7.0))])
    assert [solid for solid, _ in probe.solids] == list(shapes)
    assert all((pose[:3, 3] == (7, 0, 0)).all() for _, pose in probe.solids)
    body.enabled = False
    assert not moved_links(env.world, [(row, at(7.0))]).solids
