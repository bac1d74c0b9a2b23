"""The base of checkers that compare links two by two."""

import itertools

import numpy as np
import pytest
from loops import each

import pyrave
from pyrave import CollisionOptions, CollisionReport, Contact, NotSupportedError
from pyrave.environment import CollisionAction
from pyrave.testing import CollisionCheckerContract, kit_environment

BALLS = """<environment>{}</environment>"""
BALL = """<kinbody name="{}"><translation>{} 0 0</translation><body name="ball">
<geom type="sphere"><radius>0.5</radius></geom></body></kinbody>"""


class Balls(pyrave.PairwiseChecker):
    """Compares the balls around links: exact for links of one ball each."""

    contract = 2

    def check_pair(self, first, second):
        return self.pair_distance(first, second)[0] <= 0.0

    def pair_distance(self, first, second):
        centres = np.array([one.transform[:3, 3] for one in (first, second)])
        radii = [max(g.radius for g in one.geometries) for one in (first, second)]
        way = centres[1] - centres[0]
        far = float(np.linalg.norm(way))
        along = way / far if far else np.array((0.0, 0.0, 1.0))
        points = centres + np.outer((radii[0], -radii[1]), along)
        return far - sum(radii), points

    def pair_contacts(self, first, second):
        far, points = self.pair_distance(first, second)
        way = points[0] - points[1]
        return [Contact(points.mean(axis=0), way / np.linalg.norm(way), -far)]


class Boxes(pyrave.PairwiseChecker):
    """Compares boxes around links."""

    contract = 2

    def check_pair(self, first, second):
        one, other = first.aabb, second.aabb
        return bool(np.all(np.abs(one[0] - other[0]) <= one[1] + other[1]))


class TestBoxes(CollisionCheckerContract):
    interface = Boxes


def balls(*places):
    env = pyrave.Environment()
    env.register("collisionchecker", "Balls", Balls)
    text = "".join(BALL.format(f"b{k}", x) for k, x in enumerate(places))
    env.load_string(BALLS.format(text))
    env.collision_checker = "Balls"
    return env


def reported(env, options, *query):
    report = CollisionReport()
    with env.collision_checker.options(options):
        env.collision_checker.check_collision(*query, report=report)
    return report


@each("seed", range(20))
def test_balls_are_as_the_native_checker_says(seed):
    rng = np.random.default_rng(seed)
    env = balls(*np.zeros(5))
    for body in env.bodies:
        body.transform = [1, 0, 0, 0, *rng.uniform(-1, 1, 3)]
    native = env.create("collisionchecker", "Native")
    ours = env.collision_checker
    for one, other in itertools.permutations(env.bodies, 2):
        assert ours.check_collision(one, other) == native.check_collision(one, other)
        assert ours.check_collision(one, excluded_bodies=[other]) == (
            native.check_collision(one, excluded_bodies=[other])
        )
        found = reported(env, CollisionOptions.DISTANCE, one, other)
        with native.options(CollisionOptions.DISTANCE):
            wanted = CollisionReport()
            native.check_collision(one, other, report=wanted)
        assert found.min_distance == pytest.approx(wanted.min_distance, abs=1e-6)
        ends = found.nearest_points
        assert np.linalg.norm(ends[1] - ends[0]) == pytest.approx(
            abs(found.min_distance), abs=1e-9
        )


def test_reports_stop_at_the_first_pair_unless_all_are_asked_for():
    env = balls(0, 0.4, -0.4, 0.8)
    first = env.bodies[0]
    assert len(reported(env, CollisionOptions.NONE, first).pairs) == 1
    assert len(reported(env, CollisionOptions.ALL_LINK_COLLISIONS, first).pairs) == 3
    found = reported(env, CollisionOptions.DISTANCE, first)
    assert len(found.pairs) == 1
    assert found.min_distance == pytest.approx(-0.6)
    assert found.n_tested == 3


def test_contacts_and_tolerance():
    env = balls(0, 0.9, 2.0)
    one, other, far = env.bodies
    (pair,) = reported(env, CollisionOptions.CONTACTS, one, other).pairs
    (contact,) = pair.contacts
    np.testing.assert_allclose(contact.position, [0.45, 0, 0])
    np.testing.assert_allclose(contact.normal, [1, 0, 0])
    assert contact.depth == pytest.approx(0.1)
    checker = env.collision_checker
    checker.set_tolerance(0.2)
    assert not checker.check_collision(other, far)
    with checker.options(CollisionOptions.USE_TOLERANCE):
        assert checker.check_collision(other, far)
        assert not checker.check_collision(one, far)


def test_pairs_that_a_callback_or_filter_ignores_hide_no_others():
    env = balls(0, 0.4, -0.4)
    one, other, third = env.bodies

    def ignore(report):
        names = {s.body_name for p in report.pairs for s in (p.first, p.second)}
        return CollisionAction.IGNORE if names == {"b0", "b1"} else None

    env.on_collision(ignore)
    assert not env.check_collision(one, other)
    found = env.check_collision(one, report=True)
    assert found.pairs[0].second.body_name == "b2"
    # the nearest that counts
    third.transform = [1, 0, 0, 0, 5, 0, 0]
    assert reported(env, CollisionOptions.DISTANCE, one).min_distance == (
        pytest.approx(4.0)
    )


def test_options_that_no_method_is_written_for_are_refused():
    env = kit_environment()
    env.register("collisionchecker", "Boxes", Boxes)
    checker = env.create("collisionchecker", "Boxes")
    with pytest.raises(NotSupportedError, match=r"no pair_distance\(\)"):
        checker.set_collision_options(CollisionOptions.DISTANCE)
    with pytest.raises(NotSupportedError, match=r"no pair_contacts\(\)"):
        checker.set_collision_options(CollisionOptions.CONTACTS)
    with pytest.raises(NotSupportedError, match="knows no distances"):
        checker.pair_distance(*env.bodies[0].links[:1] * 2)


def test_clones_have_options_and_tolerance():
    env = balls(0, 1.1)
    env.collision_checker.set_collision_options(CollisionOptions.USE_TOLERANCE)
    env.collision_checker.set_tolerance(0.2)
    twin = env.clone()
    assert type(twin.collision_checker) is Balls
    assert twin.check_collision(twin.bodies[0])


@pytest.mark.parametrize(
    ("method", "answer", "said"),
    [
        ("check_pair", np.zeros(2), r"check_pair\(\) of <collisionchecker Balls>"),
        ("pair_distance", None, r"pair_distance\(\) of .* raised TypeError"),
        ("pair_distance", (0.0, np.zeros(3)), r"the nearest points .* \(2, 3\)"),
        ("pair_contacts", [3], r"pair_contacts\(\) of .* returned 3, expected"),
    ],
)
def test_wrong_answers_are_named(monkeypatch, method, answer, said):
    env = balls(0.0, 0.5)
    monkeypatch.setattr(Balls, method, lambda self, first, second: answer)
    checker = env.collision_checker
    options = CollisionOptions.CONTACTS
    if method == "pair_distance":
        options = CollisionOptions.DISTANCE
        monkeypatch.setattr(Balls, "check_pair", lambda self, first, second: True)
    with checker.options(options), pytest.raises(pyrave.Error, match=said):
        env.check_collision(env.bodies[0], report=True)
