"""The contract of collision checkers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.testing import assert_allclose

from pyrave.errors import Error, NotSupportedError
from pyrave.interfaces import CollisionOptions, CollisionReport
from pyrave.testing.contracts.interface import refuses
from pyrave.testing.contracts.placed import EngineContract, assert_no_failure
from pyrave.testing.scene import BALL, BOX

if TYPE_CHECKING:
    from pyrave.bodies import KinBody
    from pyrave.environment import Environment
    from pyrave.interfaces import CollisionCheckerBase

    _Scene = tuple[CollisionCheckerBase, KinBody, KinBody]

_APART = [1.0, 0, 0, 0, 0, 3, 0.5]
_OVERLAP = [1.0, 0, 0, 0, 2.3, 0.2, 0.5]


class CollisionCheckerContract(EngineContract):
    """What collision checkers promise."""

    interface_type = "collisionchecker"
    attribute = "collision_checker"

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
