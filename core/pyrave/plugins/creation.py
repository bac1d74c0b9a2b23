"""Making an interface object from its provider, with every mistake named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyrave.errors import InterfaceCreationError, PluginError
from pyrave.interfaces.base import InterfaceBase
from pyrave.plugins.contracts import (
    class_problem,
    contract_problem,
    interface_base,
)
from pyrave.plugins.slots import format_failure
from pyrave.plugins.table import IncompatibleError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.interfaces.environment import EnvironmentProtocol
    from pyrave.plugins.records import PluginRecord

__all__ = ["Provider", "check_factory", "make"]


@dataclass(frozen=True, slots=True)
class Provider:
    """Who offers an interface id.

    Parameters
    ----------
    interface_type, interface_id
        The id as its plugin spells it.
    record
        The plugin when it was asked; None for what a script registered.
    importer
        Returns the class or factory, imported at the first call.
    """

    interface_type: str
    interface_id: str
    record: PluginRecord | None
    importer: Callable[[], Callable[..., Any]]

    @property
    def distribution(self) -> str:
        """Name of the distribution; empty for scripts and path plugins."""
        return self.record.distribution if self.record else ""

    @property
    def local(self) -> bool:
        """True if a script registered it."""
        return self.record is None

    @property
    def origin(self) -> str:
        """Who it is, for messages."""
        if self.record is None:
            return "registered by a script"
        return f"plugin {self.record.label} ({self.record.origin})"

    def load(self) -> Callable[..., Any]:
        """Return the class or factory; raises `PluginError` if it cannot be used."""
        return self.importer()


def check_factory(interface_type: str, factory: Any) -> None:
    """Raise unless a class or factory can serve as an interface of a type.

    Raises
    ------
    PluginError
        Wrong base class, missing methods, not callable, or another contract.
    """
    if isinstance(factory, type):
        problem = class_problem(factory, interface_type)
        if issubclass(factory, InterfaceBase):
            contract = contract_problem(factory, interface_type)
            if contract is not None and issubclass(
                factory, interface_base(interface_type)
            ):
                # a newer contract may well have other abstract methods
                raise IncompatibleError(contract)
        if problem is not None:
            raise PluginError(problem)
    elif not callable(factory):
        raise PluginError(
            f"{factory!r} is neither a class nor a function that makes a "
            f"{interface_type}"
        )


def make(
    provider: Provider, env: EnvironmentProtocol, arguments: tuple[str, ...]
) -> InterfaceBase:
    """Create the object.

    Raises
    ------
    InterfaceCreationError
        The plugin cannot be used, its code raised, or it made something else.
    """
    kind, name = provider.interface_type, provider.interface_id
    by = provider.origin if provider.local else f"of {provider.origin}"
    head = f"{kind} {name!r} {by} cannot be created"
    try:
        factory = provider.load()
    except PluginError as error:
        cause = error.__cause__ or error
        raise InterfaceCreationError(f"{head}: {error}") from cause
    where = f"{getattr(factory, '__module__', '?')}." + getattr(
        factory, "__qualname__", repr(factory)
    )
    try:
        made = factory(env, *arguments)
    except Exception as error:
        message, trace = format_failure(error)
        raise InterfaceCreationError(
            f"{head}: {where} raised {message}\n{trace.rstrip()}"
        ) from error
    if not isinstance(made, interface_base(kind)):
        raise InterfaceCreationError(
            f"{head}: {where} returned a {type(made).__name__}, expected an object of "
            f"a class derived from {interface_base(kind).__qualname__}"
        )
    problem = contract_problem(type(made), kind)
    if problem is not None:
        raise InterfaceCreationError(f"{head}: {problem}")
    if not hasattr(made, "_env_ref"):
        raise InterfaceCreationError(
            f"{head}: the constructor of {where} does not call "
            "super().__init__(env, *args)"
        )
    made._interface_id = name  # noqa: SLF001 - the registry names what it makes
    made._plugin = provider.distribution  # noqa: SLF001
    return made
