"""Contacts, distances and callbacks of collisions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pyrave_openravepy.api.collision.savers import CollisionOptionsStateSaver
from pyrave_openravepy.api.enums import CollisionAction, CollisionOptions
from pyrave_openravepy.api.examples._program import api, expect, scene, tell

__all__ = ["run"]


def run(args: Sequence[str] | None = None) -> None:
    """Sink the brick into the table, draw its contacts, and ignore them."""
    with scene(args, __doc__ or "") as (env, _):
        table, brick = env.GetKinBody("table"), env.GetKinBody("brick")
        checker, report = env.GetCollisionChecker(), api().CollisionReport()
        pose = brick.GetTransform()
        pose[:3, 3] = -0.2, 0.0, 0.82
        brick.SetTransform(pose)
        with CollisionOptionsStateSaver(checker, CollisionOptions.Distance):
            env.CheckCollision(table, brick, report)
            tell(f"the brick is {report.minDistance:.3f} m above the table")
            expect(abs(report.minDistance - 0.1) < 2e-3, "expected 0.1 m")
        pose[2, 3] = 0.70
        brick.SetTransform(pose)
        with CollisionOptionsStateSaver(checker, CollisionOptions.Contacts):
            expect(env.CheckCollision(table, brick, report), "nothing collides")
            points = np.array([contact.pos for contact in report.contacts])
            depths = [contact.depth for contact in report.contacts]
        handle = env.plot3(points, 5, (1, 0, 0))
        tell(f"{len(points)} contacts, up to {max(depths):.3f} m deep")
        expect(abs(points[:, 2] - 0.71).max() < 0.02, "contacts lie elsewhere")
        del handle
        told: list[str] = []

        def ignore(found: Any, _: bool) -> CollisionAction:
            told.append(found.plink1.GetParent().GetName())
            return CollisionAction.Ignore

        kept = env.RegisterCollisionCallback(ignore)
        ignored = not env.CheckCollision(table, brick)
        kept.close()
        expect(ignored and told, "the callback was not asked")
        expect(env.CheckCollision(table, brick), "the callback still decides")
        tell(f"a callback was asked {len(told)} times and ignored the collision")
