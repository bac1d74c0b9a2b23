"""Collision queries of an environment."""

from __future__ import annotations

from typing import Any

import pyrave
from pyrave_openravepy.api.collision.queries import check_collision, check_rays
from pyrave_openravepy.api.collision.report import CollisionReport
from pyrave_openravepy.api.enums import CollisionAction
from pyrave_openravepy.api.foundation.handles import VoidHandle
from pyrave_openravepy.api.foundation.objects import ApiObject

__all__ = ["EnvironmentCollisions"]


class EnvironmentCollisions(ApiObject):
    """The part of `Environment` that asks its collision checker."""

    def CheckCollision(self, *args: Any, **named: Any) -> bool:
        return check_collision(self._native.collision_checker, args, named)

    def CheckCollisionRays(
        self, rays: Any, body: Any, front_facing_only: bool = False
    ) -> tuple[Any, Any]:
        front = bool(front_facing_only)
        return check_rays(self._native, rays, body, front_facing_only=front)

    def RegisterCollisionCallback(self, callback: Any) -> VoidHandle:
        if not callable(callback):
            raise TypeError(f"callback is {callback!r}, expected a function")

        def decide(native: pyrave.CollisionReport) -> pyrave.CollisionAction:
            report = CollisionReport()
            report._native = native
            answer = callback(report, native.from_physics)
            ignored = answer is not None and int(answer) == CollisionAction.Ignore
            actions = pyrave.CollisionAction
            return actions.IGNORE if ignored else actions.DEFAULT

        return VoidHandle(self._native.on_collision(decide))

    def HasRegisteredCollisionCallbacks(self) -> bool:
        return len(self._native.collision_callbacks) > 0
