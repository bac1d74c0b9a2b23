"""Events of an environment that scripts can listen to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pyrave.interfaces.handles import CallbackList

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.interfaces.collision.report import CollisionReport
    from pyrave.world.body_state import BodyChange


@dataclass(frozen=True, slots=True)
class BodyEvent:
    """A body was added to or removed from its environment, or it changed.

    `change` says what changed: anything but the pose, which changes all the time
    (`KinBody.register_change_callback` tells about poses too).

    Parameters
    ----------
    kind
        What happened.
    change
        What changed, None unless `kind` is ``changed``.
    """

    kind: Literal["added", "removed", "changed"]
    body: KinBody
    change: BodyChange | None = None


class Events:
    """The callback lists of one environment."""

    def __init__(self) -> None:
        self.bodies: CallbackList[BodyEvent] = CallbackList("body")
        self.collisions: CallbackList[CollisionReport] = CallbackList("collision")
