"""`Robot`: a body with manipulators, sensors and a controller."""

from __future__ import annotations

from pyrave_openravepy.api.bodies.kinbody import KinBody
from pyrave_openravepy.api.foundation.objects import register_kind

__all__ = ["Robot"]


class Robot(KinBody):
    """A body with manipulators, sensors and a controller."""


register_kind("robot", Robot)
