"""Collisions of bodies, with contacts, and rays."""

from __future__ import annotations

from collections.abc import Sequence

from pyrave_openravepy.api.collision.savers import CollisionOptionsStateSaver
from pyrave_openravepy.api.enums import CollisionOptions
from pyrave_openravepy.api.examples._program import api, expect, scene, tell

__all__ = ["run"]


def run(args: Sequence[str] | None = None) -> None:
    """Move the mug into the table and ask what collides."""
    with scene(args, __doc__ or "") as (env, _):
        table, mug = env.GetKinBody("table"), env.GetKinBody("mug")
        report = api().CollisionReport()
        checker = env.GetCollisionChecker()
        with CollisionOptionsStateSaver(checker, CollisionOptions.Contacts, False):
            free = not env.CheckCollision(table, mug)
            tell(f"free: {free}")
            expect(free, "the mug collides with the table on which it stands")
            pose = mug.GetTransform()
            pose[2, 3] -= 0.03
            mug.SetTransform(pose)
            hit = env.CheckCollision(table, mug, report)
            tell(f"in the table: {hit}, {len(report.contacts)} contacts")
            expect(hit and len(report.contacts), "the mug does not collide")
        hit = env.CheckCollision(api().Ray([0, 0, 3], [0, 0, -5]), report)
        tell(f"a ray from above: {hit}")
        expect(hit, "a ray from above meets nothing")
