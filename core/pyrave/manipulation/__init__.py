"""Manipulation: fingers that close, straight motions, and tasks of several stages.

``fingers``
    `close` and `open`: the joints of a gripper move until they touch something.
``lines``
    `move_straight`: the tool moves along a line as far as it can.

Nothing changes the environment: results are motions that `Robot.execute` takes, and
are false, with a cause in words, where there is none.

Names are imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave._lazy import exports

if TYPE_CHECKING:
    from pyrave.manipulation.fingers import FingerMotion, FingerStop, close
    from pyrave.manipulation.fingers import open as open  # noqa: A004
    from pyrave.manipulation.lines import LineMotion, move_straight

__all__ = ["FingerMotion", "FingerStop", "LineMotion", "close", "move_straight", "open"]

__getattr__, __dir__ = exports(
    __name__,
    {
        "fingers": "FingerMotion FingerStop close open",
        "lines": "LineMotion move_straight",
    },
)
