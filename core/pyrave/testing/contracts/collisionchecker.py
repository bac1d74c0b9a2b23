"""The contract of collision checkers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.testing import assert_allclose

from pyrave.errors import Error, NotSupportedError
from pyrave.interfaces import CollisionAction, CollisionOptions, CollisionReport
from pyrave.scene import (
    BodyDescription,
    Box,
    Capsule,
    Cylinder,
    GeometryDescription,
    LinkDescription,
    Sphere,
)
from pyrave.testing.comparison import difference
from pyrave.testing.contracts.interface import refuses
from pyrave.testing.contracts.placed import EngineContract, assert_no_failure
from pyrave.testing.scene import BALL, BOX, goes_away, state_of_world
from pyrave.testing.solid_distance import boxes_overlap, point_distance

if TYPE_CHECKING:
    from pyrave.bodies import KinBody
    from pyrave.environment import Environment
    from pyrave.interfaces import CollisionCheckerBase

    _Scene = tuple[CollisionCheckerBase, KinBody, KinBody]

_APART = [1.0, 0, 0, 0, 0, 3, 0.5]
SEED, PAIRS, BAND = 16, 60, 1e-6
"""Seed and number of random pairs; rounding that is forgiven, metres."""
_OVERLAP = [1.0, 0, 0, 0, 2.3, 0.2, 0.5]


class CollisionCheckerContract(EngineContract):
    """Contract of collision checkers."""

    interface_type = "collisionchecker"
    attribute = "collision_checker"

    def exercise(self, env: Environment, made: Any) -> None:
        """Ask it something."""
        for body in env.bodies:
            made.check_collision(body)

    def _apart(self, env: Environment) -> _Scene:
        """Return an installed checker, the box and the ball, which are apart."""
        checker: CollisionCheckerBase = self.installed_in(env)
        box, ball = self.body(env, BOX), self.body(env, BALL)
        ball.transform = _APART
        return checker, box, ball

    def _overlapping(self, env: Environment) -> _Scene:
        """Return the same with an overlap that the checker finds."""
        checker, box, ball = self._apart(env)
        ball.transform = _OVERLAP
        found = checker.check_collision(box, ball)
        if any(p.code == "no-collision-checker" for p in env.problems):
            self.not_applicable("it checks no bodies, and says so in env.problems")
        assert found, (
            "a ball and a box that overlap by half are found free: use link.transform "
            "@ geometry.transform of every enabled geometry"
        )
        return checker, box, ball

    def test_options(self, env: Environment) -> None:
        """``get_collision_options`` returns what was set; others: NotSupportedError."""
        checker = self.make(env)
        start = checker.get_collision_options()
        assert isinstance(start, CollisionOptions)
        for wanted in (CollisionOptions.NONE, *CollisionOptions):
            if not refuses(NotSupportedError, checker.set_collision_options, wanted):
                assert checker.get_collision_options() == wanted
        checker.set_collision_options(start)

    def test_tolerance(self, env: Environment) -> None:
        """``set_tolerance`` takes 0 m or more; others raise a pyrave error."""
        checker = self.make(env)
        checker.set_tolerance(0.0)
        checker.set_tolerance(0.01)
        for bad in (-1.0, float("nan")):
            assert refuses(Error, checker.set_tolerance, bad)

    def test_apart(self, env: Environment) -> None:
        """``check_collision`` is False for bodies that are apart."""
        checker, box, ball = self._apart(env)
        for pair in ((box, ball), (ball, box), (box, None)):
            assert checker.check_collision(*pair) is False

    def test_overlap(self, env: Environment) -> None:
        """``check_collision`` finds an overlap in both orders, and against all."""
        checker, box, ball = self._overlapping(env)
        links = ball.links[0], box.links[0]
        for pair in ((box, ball), (ball, box), (box, None), links):
            assert checker.check_collision(*pair) is True

    def test_moves_along(self, env: Environment) -> None:
        """``check_collision`` takes a body where it is now."""
        checker, box, ball = self._overlapping(env)
        ball.transform = _APART
        fix = "override update(changes), or compare the poses with those you built from"
        assert checker.check_collision(box, ball) is False, fix
        ball.transform = _OVERLAP
        assert checker.check_collision(box, ball) is True, fix

    def test_disabled(self, env: Environment) -> None:
        """``check_collision`` leaves disabled links out."""
        checker, box, ball = self._overlapping(env)
        ball.enabled = False
        assert checker.check_collision(box, ball) is False
        assert checker.check_collision(box) is False
        ball.enabled = True
        assert checker.check_collision(box, ball) is True

    def test_excluded(self, env: Environment) -> None:
        """``check_collision`` leaves excluded bodies and links out."""
        checker, box, ball = self._overlapping(env)
        assert checker.check_collision(box, excluded_bodies=[ball]) is False
        assert checker.check_collision(box, excluded_links=[ball.links[0]]) is False

    def test_report(self, env: Environment) -> None:
        """``check_collision`` reports bodies, links and contacts with unit normals."""
        checker, box, ball = self._overlapping(env)
        report = CollisionReport()
        checker.check_collision(box, ball, report=report)
        assert report.pairs, "the report of a collision has no pair"
        pair = report.pairs[0]
        sides = pair.first, pair.second
        assert {side.body_id for side in sides} == {box.id, ball.id}, "say which bodies"
        assert {side.body_name for side in sides} == {box.name, ball.name}
        links = [link for body in (box, ball) for link in body.links]
        assert pair.first.link_id in {link.id for link in links}
        assert pair.first.link in links
        for contact in pair.contacts:
            assert_allclose(np.linalg.norm(contact.normal), 1.0, atol=1e-6)
            assert np.isfinite(contact.position).all()
        ball.transform = _APART
        checker.check_collision(box, ball, report=report)
        assert not report.pairs, "call report.reset() first; it knows keep_previous"

    def test_grabbed(self, env: Environment) -> None:
        """``check_collision`` takes a held body with its holder, not against it."""
        checker, box, ball = self._overlapping(env)
        box.grab(ball)
        fix = "leave out pairs with body.is_grabbing(other)"
        assert checker.check_collision(box) is False, fix
        box.transform = [1.0, 0, 0, 0, -2, 0, 0.5]
        self.arm(env).transform = ball.transform
        fix = "check the bodies in body.grabbed with the body"
        assert checker.check_collision(box) is True, fix

    def test_ray(self, env: Environment) -> None:
        """``check_ray`` hits and reports what is within the length of the direction."""
        checker, box, ball = self._apart(env)
        origin = np.array((2.0, 0.0, 5.0))  # 4 m above the top of the box
        cases: list[tuple[float, KinBody | None, bool]] = [
            (-10.0, None, True),
            (-10.0, box, True),
            (-10.0, ball, False),
            (-3.9, None, False),
            (-4.1, None, True),
            (10.0, None, False),
        ]
        for z, target, wanted in cases:
            seen = checker.check_ray(origin, (0, 0, z), target)
            assert seen is wanted, f"{z:g} m along z against {target or 'everything'}"
        report = CollisionReport()
        checker.check_ray(origin, (0, 0, -10.0), None, report)
        assert report.pairs, "the report of a hit has no pair"
        pair = report.pairs[0]
        assert box.id in {pair.first.body_id, pair.second.body_id}
        for contact in pair.contacts:
            assert_allclose(contact.position, (2.0, 0.0, 1.0), atol=1e-4)
        box.enabled = False
        assert checker.check_ray(origin, (0, 0, -10.0)) is False, "the box is disabled"

    def test_self_collision(self, env: Environment) -> None:
        """``check_self_collision`` never reports adjacent links."""
        checker, _, _ = self._apart(env)
        fix = "check only body.non_adjacent_links"
        assert checker.check_self_collision(self.arm(env)) is False, fix

    def test_closed_forms(self, env: Environment) -> None:
        """``check_collision`` equals closed forms for random solids, or errs by boxes.

        A checker that says it is `exact` finds nothing more, others nothing whose boxes
        are apart.
        """
        checker, _, _ = self._overlapping(env)
        rng = np.random.default_rng(SEED)
        for k in range(PAIRS):
            one, other = _random_pair(env, rng, k)
            depth = -_distance(one, other)
            found = checker.check_collision(one, other)
            text = f"pair {k} of seed {SEED}: {_text(one)} and {_text(other)}"
            if depth > BAND:
                assert found, f"{text} overlap by {depth:g} m and are found free"
            elif depth < -BAND and (checker.exact or _boxes_apart(one, other)):
                assert not found, (
                    f"{text} are {-depth:g} m apart and are found to touch"
                )
            env.remove(one)
            env.remove(other)

    def test_distances(self, env: Environment) -> None:
        """Option DISTANCE reports the smallest signed distance, its pair and points."""
        checker, box, ball = self._apart(env)
        wanted = CollisionOptions.DISTANCE
        if refuses(NotSupportedError, checker.set_collision_options, wanted):
            return  # it knows none
        report = CollisionReport()
        checker.check_collision(ball, box, report=report)
        # from (0, 3) to the corner at (1.5, 0.5), less the radius of 0.5
        exact = np.hypot(1.5, 2.5) - 0.5
        assert_allclose(report.min_distance, exact, atol=1e-5)
        assert report.nearest is not None, "say which pair it is"
        names = [side.body_name for side in report.nearest]
        assert names == [ball.name, box.name]
        assert report.nearest_points is not None
        way = report.nearest_points[1] - report.nearest_points[0]
        assert_allclose(np.linalg.norm(way), exact, atol=1e-4)
        if checker.exact:
            ball.transform = _OVERLAP
            assert env.distance(box, ball) < 0, "minus the depth where solids overlap"

    def test_options_are_restored(self, env: Environment) -> None:
        """``with checker.options(...)`` puts the options back."""
        checker = self.make(env)
        before = checker.get_collision_options()
        wanted = CollisionOptions.ALL_LINK_COLLISIONS
        if not refuses(NotSupportedError, checker.set_collision_options, wanted):
            checker.set_collision_options(before)
            with checker.options(wanted):
                assert checker.get_collision_options() == wanted
        assert checker.get_collision_options() == before

    def test_all_link_collisions(self, env: Environment) -> None:
        """Option ALL_LINK_COLLISIONS reports each pair of links once."""
        checker, box, ball = self._overlapping(env)
        wanted = CollisionOptions.ALL_LINK_COLLISIONS
        if refuses(NotSupportedError, checker.set_collision_options, wanted):
            return  # it stops at the first
        arm, report = self.arm(env), CollisionReport()
        arm.transform = box.transform
        with checker.options(wanted):
            checker.check_collision(box, report=report)
        touched = [
            (pair.second if pair.first.body is box else pair.first).link
            for pair in report.pairs
        ]
        assert ball.links[0] in touched
        assert arm.links[0] in touched
        assert len({id(link) for link in touched}) == len(touched), "once each"

    def test_ignored_pairs(self, env: Environment) -> None:
        """A pair that a callback of ``env.on_collision`` ignores hides no other."""
        checker, box, ball = self._overlapping(env)
        arm = self.arm(env)
        arm.transform = box.transform

        def ignore(report: CollisionReport) -> CollisionAction | None:
            sides = [side for one in report.pairs for side in (one.first, one.second)]
            hit = any(side.body is ball for side in sides)
            return CollisionAction.IGNORE if hit else None

        with env.on_collision(ignore):
            assert checker.check_collision(box) is True
            assert checker.check_collision(box, ball) is False
        assert checker.check_collision(box, ball) is True

    def test_configurations(self, env: Environment) -> None:
        """``check_configurations`` equals single queries and moves nothing."""
        checker, box, _ = self._overlapping(env)
        arm = self.arm(env)
        box.transform = [1.0, 0, 0, 0, 0.75, 0.0, 0.5]
        values = arm.dof_values
        rows = np.random.default_rng(SEED).uniform(-1.5, 1.5, (20, arm.dof))
        rows[:, 2] *= 0.05
        hits = checker.check_configurations(arm, rows, self_collision=False)
        assert_allclose(arm.dof_values, values, err_msg="the body is elsewhere")
        assert hits.dtype == bool
        for row, hit in zip(rows, hits, strict=True):
            arm.set_dof_values(row)
            assert checker.check_collision(arm) == bool(hit)

    def test_moves_nothing(self, env: Environment) -> None:
        """``check_collision`` and other queries leave everything where it is."""
        checker, box, ball = self._overlapping(env)
        arm, report = self.arm(env), CollisionReport()
        arm.dof_velocities = np.full(arm.dof, 0.1)
        before = state_of_world(env)
        for subject in (box, arm, ball, arm.links[-1]):
            checker.check_collision(subject, report=report)
        checker.check_self_collision(arm)
        checker.check_ray((2.0, 0.0, 5.0), (0.0, 0.0, -10.0))
        rows = np.array([arm.dof_values, arm.dof_values + 0.05])
        checker.check_configurations(arm, rows)
        fix = "copy poses before you change them; put back what a query moves"
        assert difference(before, state_of_world(env), "bodies") is None, fix

    def test_bodies_go_away(self, env: Environment) -> None:
        """A checker keeps no body alive that was removed (``remove_kinbody``)."""
        checker, box, ball = self._overlapping(env)
        report = CollisionReport()
        checker.check_collision(box, report=report)
        del ball, report
        fix = "forget a body in remove_kinbody, or keep it by its id"
        assert goes_away(env, BALL), fix
        assert checker.check_collision(box) is False, fix

    def test_bodies_come_and_go(self, env: Environment) -> None:
        """Bodies may be added (``init_kinbody``) and removed at any time."""
        checker, box, ball = self._apart(env)
        env.remove(ball)
        checker.check_collision(box)
        env.add(ball)
        checker.check_collision(box)
        assert_no_failure(env)
        checker.destroy_environment()
        checker.destroy_environment()
        checker.init_environment()
        checker.check_collision(box, ball)


def _random_pair(
    env: Environment, rng: np.random.Generator, k: int
) -> tuple[KinBody, KinBody]:
    """Add a ball, or at times a box, and another solid, a metre or less away."""
    sizes = rng.uniform(0.1, 0.5, 3).tolist()
    a, b, c = sizes
    shapes = (Box((a, b, c)), Sphere(a), Cylinder(a, b), Capsule(a, b))
    first = Box((0.2, 0.1, 0.4)) if k % 8 == 0 else Sphere(0.3)
    made = []
    for shape in (first, shapes[k % 4]):
        geometry = GeometryDescription(shape=shape)
        link = LinkDescription("base", geometries=(geometry,))
        body = env.create_body(BodyDescription("kit_solid", links=(link,)), rename=True)
        quat = rng.normal(size=4)
        place = rng.uniform(-0.5, 0.5, 3) + np.array((20.0, 0.0, 0.0))
        body.transform = np.concatenate((quat / np.linalg.norm(quat), place))
        made.append(body)
    return made[0], made[1]


def _shape(body: KinBody) -> Box | Sphere | Cylinder | Capsule:
    shape = body.links[0].geometries[0].description.shape
    assert isinstance(shape, (Box, Sphere, Cylinder, Capsule))
    return shape


def _distance(one: KinBody, other: KinBody) -> float:
    """Return the signed distance, of two boxes 1 m for apart and -1 m for touching."""
    first, second = _shape(one), _shape(other)
    if isinstance(first, Sphere):
        centre = one.transform[:3, 3]
        return point_distance(centre, second, other.transform) - first.radius
    assert isinstance(first, Box)
    assert isinstance(second, Box)
    touching = boxes_overlap(first, one.transform, second, other.transform)
    return -1.0 if touching else 1.0


def _boxes_apart(one: KinBody, other: KinBody) -> bool:
    (centre, half), (its_centre, its_half) = one.aabb, other.aabb
    return bool((np.abs(centre - its_centre) > half + its_half + BAND).any())


def _text(body: KinBody) -> str:
    return f"{_shape(body)} at {body.transform.tolist()}"
