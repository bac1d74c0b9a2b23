"""Commands of the text protocol, and the meaning of their numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyrave.errors import CommandError
from pyrave_serve.text.words import Words

if TYPE_CHECKING:
    from pyrave.bodies import KinBody, Robot
    from pyrave.interfaces import SensorBase
    from pyrave_serve.call_objects import Desk


@dataclass(frozen=True)
class TextCommand:
    """A command.

    Parameters
    ----------
    name
        Its name, in lower case.
    arguments
        What stands behind it, for people.
    summary
        What it does, and answers.
    function
        Called with a `Desk` and `Words`; returns the answer.
    answers
        Whether clients wait for an answer. Nothing is sent otherwise, not even that
        the command failed.
    """

    name: str
    arguments: str
    summary: str
    function: Callable[[Desk, Words], Any]
    answers: bool = True


def number_of(body: KinBody) -> int:
    """Return the number by which clients know a body, above 0."""
    return body.id + 1


def body_at(desk: Desk, words: Words) -> KinBody:
    """Take the number of a body."""
    return numbered(desk, words.whole("the number of the body"))


def numbered(desk: Desk, number: int) -> KinBody:
    """Return the body of a number; NotFoundError if it is not there any more."""
    if number < 1:
        raise CommandError("the number of a body is 0, which means none")
    found: KinBody = desk.env.body_of_id(number - 1)
    return found


def robot_at(desk: Desk, words: Words) -> Robot:
    """Take the number of a robot."""
    body = body_at(desk, words)
    if not body.is_robot:
        raise CommandError(f"{body.name!r} is no robot")
    robot: Robot = desk.env.robots[body.name]
    return robot


def sensor_at(desk: Desk, words: Words) -> SensorBase:
    """Take the numbers of a robot and of a sensor that it carries."""
    robot = robot_at(desk, words)
    index = words.whole("the number of the sensor")
    mounted = robot.attached_sensors
    if index >= len(mounted):
        raise CommandError(
            f"robot {robot.name!r} has {len(mounted)} sensors, the first is 0"
        )
    return mounted[index].sensor
