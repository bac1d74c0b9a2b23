"""The collisionchecker KeptCollisionchecker keeps its contract, and works."""

from __future__ import annotations

import pyrave
from pyrave.testing import CollisionCheckerContract


class TestKeptCollisionchecker(CollisionCheckerContract):
    interface = "acme-kept:KeptCollisionchecker"


def test_bodies_collide_when_their_boxes_meet(scene):
    checker = scene.set_collision_checker("KeptCollisionchecker")
    ball, arm = scene.bodies["ball"], scene.robots["arm"]
    ball.transform = [1, 0, 0, 0, 0, 0, 50]
    assert not checker.check_collision(ball)
    ball.transform = arm.transform
    report = pyrave.CollisionReport()
    assert checker.check_collision(ball, arm, report=report)
    assert report.pairs[0].first.body_name == "ball"
    assert not checker.check_collision(ball, arm, excluded_links=arm.links)
