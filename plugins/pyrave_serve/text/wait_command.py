"""The command ``wait``: simulated time passes until a robot has done what it does."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyrave_serve.text.command import TextCommand, robot_at
from pyrave_serve.text.words import Words

if TYPE_CHECKING:
    from pyrave_serve.call_objects import Desk

_DT = 0.01
_STEPS = 20
"""Others are served after so many steps."""
_PAUSE = 0.005


@dataclass
class Wait:
    """A client waits for a robot.

    Parameters
    ----------
    name
        Of the robot.
    until
        Simulated time at which nobody waits any more, seconds; infinite for ever.
    """

    name: str
    until: float

    def look(self, desk: Desk) -> str | None:
        """Let some time pass; return the answer if there is one.

        Where no simulation runs, the environment is stepped as fast as possible.
        """
        for _ in range(_STEPS):
            robot = desk.robot(self.name)
            if robot.controller.is_done() or robot.controller.disabled:
                return "1"
            if desk.env.simulation_time >= self.until:
                return "0"
            if desk.env.running:
                return None
            desk.env.step(_DT)
        return None


async def answer_to(
    wait: Wait,
    at_desk: Callable[[Callable[[Desk], Any]], Awaitable[Any]],
    is_gone: Callable[[], bool],
) -> str:
    """Return the answer to a client that waits, when there is one, or it is gone."""
    while True:
        found: str | None = await at_desk(wait.look)
        if found is not None or is_gone():
            return found or "0"
        await asyncio.sleep(_PAUSE)


def _wait(desk: Desk, words: Words) -> str | Wait:
    if not words or words.rest.split()[0] == "0":
        return "1"
    robot = robot_at(desk, words)
    seconds = words.number("the time") if words else math.inf
    until = desk.env.simulation_time + max(seconds, 0.0)
    return Wait(robot.name, round(until, 6))  # the clock counts microseconds


COMMANDS = (
    TextCommand("wait", "robot, seconds",
                "1 when its controller is done, 0 if the time was over before", _wait),
)  # fmt: skip
