"""Arguments that name bodies and links, resolved to these."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pyrave.errors import NotFoundError

if TYPE_CHECKING:
    from typing import TypeAlias, TypeVar

    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.views.link import Link
    from pyrave.environment import Environment
    from pyrave.interfaces.collection import NamedCollection

    Body = TypeVar("Body", bound=KinBody)
    Bodies: TypeAlias = KinBody | Link | str | Iterable[KinBody | Link | str]
    """One or several, given as such or by name."""


def named_body(env: Environment, given: Any) -> KinBody:
    """Return the body of a name; what is no text comes back as it is.

    Raises
    ------
    NotFoundError
        The environment has no body of that name; the message has the nearest.
    """
    found: KinBody = env.bodies[given] if isinstance(given, str) else given
    return found


def named_subject(env: Environment, given: Any) -> Any:
    """Return the body ``"mug"`` or the link ``"robot/hand"`` of a name.

    What is no text comes back as it is: whoever asks says what it must be.

    Raises
    ------
    NotFoundError
        There is no body of that name, or no such link of it.
    """
    if not isinstance(given, str):
        return given
    bodies = env.bodies
    body, link = split_name(bodies, given)
    if body is not None:
        return body if body.name == given else body.links[link]
    hint = ""
    if "/" not in given:
        holders = [one.name for one in bodies if given in one.links]
        if holders:
            hint = f"it is a link; write {f'{holders[0]}/{given}'!r}"
    raise NotFoundError("body", given.partition("/")[0], bodies.names, hint)


def split_name(bodies: NamedCollection[Body], given: str) -> tuple[Body | None, str]:
    """Return the body whose name ``"body/part"`` begins with, if any, and the rest.

    Names of bodies and of their parts may hold slashes themselves.
    """
    parts = given.split("/")
    for count in range(len(parts), 0, -1):
        body = bodies.get("/".join(parts[:count]))
        if body is not None:
            return body, "/".join(parts[count:])
    return None, given


def named_subjects(env: Environment, given: Any) -> tuple[Any, ...]:
    """Return a tuple of one or several bodies and links, given as such or by name."""
    is_several = isinstance(given, Iterable) and not isinstance(given, str)
    several = given if is_several else (given,)
    return tuple(named_subject(env, one) for one in several)
