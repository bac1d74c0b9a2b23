"""Parts that callers choose: an object, an id, or an id with settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

from pyrave.errors import ArgumentError, SettingError, shown
from pyrave.interfaces.base import InterfaceBase

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyrave.environment import Environment

Part = TypeVar("Part", bound=InterfaceBase)


def _with_article(name: str) -> str:
    return f"an {name}" if name[0] in "aeiou" else f"a {name}"


def as_part(
    env: Environment,
    kind: type[Part],
    given: object,
    settings: Mapping[str, Any] | None = None,
    *,
    what: str = "",
) -> Part:
    """Return the part that a caller chose.

    Parameters
    ----------
    kind
        Base class of the interface type.
    given
        An object made for `env`, or ``"Id"``, of which one is made.
    settings
        Of the one that is made.
    what
        Name of the argument, for messages.

    Raises
    ------
    ArgumentError
        It is something else, or an object of another environment.
    SettingError
        A setting is unknown or has no meaning, or settings are given beside an object.
    InterfaceNotFoundError, InterfaceCreationError
        As for `Environment.create`.
    """
    name = kind.interface_type
    if isinstance(given, str):
        return cast("Part", env.create(name, given, **(settings or {})))
    # a robot is a kinbody, too, but no other class is two parts
    if not isinstance(given, kind):
        raise ArgumentError(
            f"{what or name} is {shown(given)}, expected the id of "
            f"{_with_article(name)}, as a text, or one that env.create made; "
            "`pyrave plugins` lists ids"
        )
    if given.env is not env:
        raise ArgumentError(
            f"{what or name} is {shown(given)}, which was made for another environment"
        )
    if settings:
        names = ", ".join(map(repr, settings))
        raise SettingError(
            f"{what or name} is {shown(given)}, and beside it there are the settings "
            f"{names}; an object has its own, change_settings changes them"
        )
    return given
