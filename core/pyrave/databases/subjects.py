"""Subjects of databases: arms, bodies and sensors, by role."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave.bodies.kinbody import KinBody
from pyrave.bodies.manipulator import Manipulator
from pyrave.errors import ArgumentError, StateError, shown

if TYPE_CHECKING:
    from pyrave.bodies.robot import Robot
    from pyrave.databases.database import Database
    from pyrave.environment import Environment


def checked_subjects(database: Database, subjects: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the subjects of a database, one for each role.

    Raises
    ------
    ArgumentError
        One is of another type or environment, or there are too many.
    StateError
        One is in no environment.
    """
    kind, takes = database.kind, database.takes
    if len(subjects) > len(takes):
        raise ArgumentError(
            f"{kind} is given {len(subjects)} subjects, expected {', '.join(takes)}"
        )
    given = (*subjects, *[None] * (len(takes) - len(subjects)))
    env = None
    for (role, wanted), one in zip(takes.items(), given, strict=True):
        if one is None and role in database.optional:
            continue
        if not isinstance(one, wanted):
            raise ArgumentError(
                f"{role} of {kind} is {shown(one)}, expected a {wanted.__name__}"
            )
        body = body_of(one)
        if body.id < 0:
            raise StateError(f"{body!r} is in no environment; env.add(body) adds it")
        if env is not None and body.env is not env:
            raise ArgumentError(
                f"{role} of {kind} is {one!r}, which is in another environment"
            )
        env = body.env
    return given


def body_of(subject: Any) -> KinBody:
    """Return the body of a subject."""
    if isinstance(subject, KinBody):
        return subject
    robot: Robot = subject.robot
    return robot


def place_of(subject: Any) -> tuple[str, ...]:
    """Return the names by which a subject is found in a copy of its environment."""
    if isinstance(subject, KinBody):
        return (subject.name,)
    part = "manipulators" if isinstance(subject, Manipulator) else "attached_sensors"
    return (subject.robot.name, part, subject.name)


def subject_at(env: Environment, place: tuple[str, ...]) -> Any:
    """Return the subject of the names that `place_of` gave, in an environment."""
    body = env.bodies[place[0]]
    return body if len(place) == 1 else getattr(body, place[1])[place[2]]
