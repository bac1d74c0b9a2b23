"""Events of an environment that scripts can listen to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pyrave.interfaces.collisionreport import CollisionAction, CollisionOptions
from pyrave.interfaces.handles import CallbackList

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.bodies.kinbody import KinBody
    from pyrave.errors import Problem
    from pyrave.interfaces.collisionchecker import CollisionCheckerBase
    from pyrave.interfaces.collisionreport import CollisionReport
    from pyrave.world.body_state import BodyChange


@dataclass(frozen=True, slots=True)
class BodyEvent:
    """A body was added to or removed from its environment, or it changed.

    `change` says what changed: anything but the pose, which changes all the time
    (`KinBody.register_change_callback` tells about poses too).
    """

    kind: Literal["added", "removed", "changed"]
    body: KinBody
    change: BodyChange | None = None


class Events:
    """The callback lists of one environment."""

    def __init__(self) -> None:
        self.bodies: CallbackList[BodyEvent] = CallbackList("body")
        self.collisions: CallbackList[CollisionReport] = CallbackList("collision")

    def ignored(
        self,
        report: CollisionReport,
        checker: CollisionCheckerBase,
        failed: Callable[[Problem], object],
    ) -> bool:
        """Return True if any collision callback wants a report ignored.

        Nobody is asked again whom the checker asked about each pair.
        The checker's option IGNORE_CALLBACKS leaves them unasked. A problem of one that
        raises goes to `failed`.
        """
        if checker.asks_callbacks or not len(self.collisions):
            return False
        if CollisionOptions.IGNORE_CALLBACKS in checker.get_collision_options():
            return False
        return CollisionAction.IGNORE in self.collisions(report, failed)
