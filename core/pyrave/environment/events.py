"""Events of an environment that scripts can listen to."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pyrave.interfaces.handles import CallbackList

if TYPE_CHECKING:
    from pyrave.interfaces.collisionchecker import CollisionReport
    from pyrave.interfaces.kinbody import KinBody

__all__ = ["BodyEvent", "CollisionAction", "Events"]


@dataclass(frozen=True, slots=True)
class BodyEvent:
    """A body was added to or removed from its environment, or its shape changed."""

    kind: Literal["added", "removed", "changed"]
    body: KinBody


class CollisionAction(enum.Enum):
    """What a collision callback decides."""

    DEFAULT = 0
    IGNORE = 1


class Events:
    """The callback lists of one environment."""

    def __init__(self) -> None:
        self.bodies: CallbackList[BodyEvent] = CallbackList()
        self.collisions: CallbackList[CollisionReport] = CallbackList()

    def ask_collision(self, report: CollisionReport) -> CollisionAction:
        """Return IGNORE if any collision callback wants a collision ignored."""
        if len(self.collisions) and CollisionAction.IGNORE in self.collisions(report):
            return CollisionAction.IGNORE
        return CollisionAction.DEFAULT
