"""Making an interface object from its provider, with every mistake named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyrave.attributes import put
from pyrave.errors import (
    InterfaceCreationError,
    PluginError,
    PluginGuard,
    SettingError,
    error_text,
    last_frames,
    shown,
)
from pyrave.former_names import NewName
from pyrave.interfaces.settings.maker import made_by
from pyrave.plugins.contracts import contract_problem, interface_base

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyrave.environment import Environment
    from pyrave.interfaces.base import InterfaceBase
    from pyrave.plugins.records import PluginRecord


@dataclass(frozen=True, slots=True)
class Provider:
    """Provider of an interface id: a plugin, a script or pyrave.

    Parameters
    ----------
    interface_type, interface_id
        The id as its plugin spells it.
    record
        The plugin when it was asked; None for what a script registered.
    load
        Returns the class or factory, imported at the first call; raises `PluginError`
        if it cannot be used.
    target
        Id that this one is an alias of; a `NewName` where it is a former id.
    """

    interface_type: str
    interface_id: str
    record: PluginRecord | None
    load: Callable[[], Callable[..., Any]]
    target: str | None = None

    @property
    def distribution(self) -> str:
        """Name of the distribution; empty for scripts and path plugins."""
        return self.record.distribution if self.record else ""


def make(
    provider: Provider,
    env: Environment,
    arguments: tuple[str, ...],
    settings: Mapping[str, Any] | None = None,
) -> InterfaceBase:
    """Create the object.

    Raises
    ------
    SettingError
        A setting is unknown, or its value is not one that the class declares.
    InterfaceCreationError
        The plugin cannot be used, its code raised, or it made something else.
    """
    own_id = provider.interface_id
    if isinstance(provider.target, NewName):
        provider.target.warn(f"{provider.interface_type} {own_id!r}")
        own_id = str(provider.target)
    try:
        factory = provider.load()
    except PluginError as error:
        raise _failure(provider, str(error)) from error.__cause__ or error
    made: Any = None
    problem: str | None = None
    distribution = provider.distribution
    maker = made_by(distribution, provider.interface_type, own_id, settings)
    with PluginGuard(passes=SettingError) as guard, maker:
        made = factory(env, *arguments)
        problem = _misfit(made, factory, provider.interface_type, env)
        if problem is None:
            put(made, "_is_made", True)
            # the registry names what it makes
            put(made, "_interface_id", own_id)
            put(made, "_plugin", distribution)
    if guard.error is not None:
        text = f"{error_text(guard.error)}{last_frames(guard.error)}"
        raise _failure(provider, f"{_where(factory)} raised {text}") from guard.error
    if problem is not None:
        raise _failure(provider, problem)
    if settings and not maker.is_taken:
        names = ", ".join(map(repr, settings))
        raise SettingError(
            f"{provider.interface_id} takes no settings by keyword, found {names}: "
            f"what {_where(factory)} returns was not made when it was asked"
        )
    checked: InterfaceBase = made
    return checked


def _misfit(
    made: Any, factory: Callable[..., Any], kind: str, env: Environment
) -> str | None:
    """Return the reason for which an object is no interface of a type, or None."""
    # a class was checked when it was offered, see check_factory
    if type(made) is not factory:
        base = interface_base(kind)
        if not isinstance(made, base):
            return (
                f"{_where(factory)} returned a {type(made).__name__}, expected an "
                f"object of a class derived from {base.__qualname__}"
            )
        problem = contract_problem(type(made), kind)
        if problem is not None:
            return problem
    if not hasattr(made, "_env"):
        return (
            f"the constructor of {_where(factory)} does not call "
            "super().__init__(env, *args)"
        )
    again = "; a factory makes a new object for each call"
    if made.env is not env:
        return (
            f"{_where(factory)} returned {shown(made)}, which was made for another "
            f"environment{again}"
        )
    if made._is_made:  # noqa: SLF001 - as above
        return f"{_where(factory)} returned {shown(made)} a second time{again}"
    return None


def _where(factory: Callable[..., Any]) -> str:
    with PluginGuard():  # metaclasses may answer anything
        name = getattr(factory, "__qualname__", shown(factory))
        return f"{getattr(factory, '__module__', '?')}.{name}"
    return "a factory whose name fails"


def _failure(provider: Provider, problem: str) -> InterfaceCreationError:
    record, by = provider.record, "registered by a script"
    if record is not None:
        by = f"of plugin {record.label} ({record.origin})"
    return InterfaceCreationError(
        f"{provider.interface_type} {provider.interface_id!r} {by} cannot be "
        f"created: {problem}"
    )
