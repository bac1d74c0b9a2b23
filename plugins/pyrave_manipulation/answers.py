"""Answers of commands that plan a motion."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pyrave.interfaces import CommandResult
from pyrave.interfaces.trajectory import MotionResult

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from pyrave.bodies.execution import Execution
    from pyrave.interfaces import TrajectoryBase
    from pyrave.spatial import Array

_log = logging.getLogger("pyrave.manipulation")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MotionAnswer(MotionResult, CommandResult):
    """The motion of a command, or the cause of there being none.

    True if there is a motion and, where it was to be executed, the robot arrived.

    Parameters
    ----------
    timed
        The motion in time; None without one. `trajectory` is it, and raises in place of
        None.
    cause
        Why there is no motion, or why the robot did not arrive; else empty.
    values
        Values of the joints at the end, in the order of the command.
    goal
        Index of the goal that is reached, -1 if the command has no goals to choose.
    execution
        What came of executing it; None if it was not executed.
    text
        What callers by text get.
    """

    _lack: ClassVar[str] = "there is no motion"
    timed: TrajectoryBase | None = None
    cause: str = ""
    values: Array = field(default_factory=lambda: np.zeros(0))
    goal: int = -1
    execution: Execution | None = None
    text: str = ""

    def __bool__(self) -> bool:
        return self.timed is not None and not self.cause

    def command_text(self) -> str | None:
        """Return the text for callers by text, None if the command failed.

        The cause is logged then: such callers get no other word of it.
        """
        if not self:
            log_failure(self.cause)
            return None
        return self.text

    def __repr__(self) -> str:
        return f"<MotionAnswer: {self}>"

    def __str__(self) -> str:
        if self.cause or self.timed is None:
            return self.cause
        done = "" if self.execution is None else ", executed"
        return f"{self.timed.duration:.3f} s{done}"


def log_failure(cause: str) -> None:
    """Log why a command by text failed: its answer says no more than None."""
    _log.warning("%s", cause)


def number_text(numbers: Iterable[Any]) -> str:
    """Return numbers as the words of an answer, exactly; arrays row by row."""
    return " ".join(repr(one) for some in numbers for one in np.ravel(some).tolist())
