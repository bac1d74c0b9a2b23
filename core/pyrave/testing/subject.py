"""What a check works on: one interface, an environment, and how to make objects."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pyrave.errors import Error, PluginError
from pyrave.testing.checks import require
from pyrave.testing.scene import kit_arm, kit_environment

if TYPE_CHECKING:
    from pyrave.environment import Environment
    from pyrave.interfaces import InterfaceBase

__all__ = ["CreationFailedError", "Interface", "Subject"]

Interface = str | Callable[..., Any]
"""``"Id args"`` of an installed plugin, or a class or factory."""


class CreationFailedError(Error):
    """The object could not be created, so that a later check cannot run."""


class Subject:
    """One interface under test. Each check gets a new one, with a new environment.

    Parameters
    ----------
    interface_type
        One of the 13 types.
    interface
        ``"Id args"``, or a class or factory that is registered for the test.
    env
        A scene to test in; every check gets a clone. None is `KIT_SCENE`.
    setup
        Called with each new object, for example to give it its readables.
    """

    def __init__(
        self,
        interface_type: str,
        interface: Interface,
        env: Environment | None = None,
        setup: Callable[[Any], object] | None = None,
    ) -> None:
        self.interface_type = interface_type
        self._given = interface
        self._template = env
        self._setup = setup
        self._env: Environment | None = None

    @property
    def env(self) -> Environment:
        """The environment of this check."""
        if self._env is None:
            self._env = self.environment()
        return self._env

    def environment(self) -> Environment:
        """Return another environment like the one of this check."""
        env = kit_environment() if self._template is None else self._template.clone()
        if not isinstance(self._given, str):
            env.register(self.interface_type, self.interface_id, self._given)
        return env

    @property
    def installed(self) -> bool:
        """True if other processes can make the same objects."""
        if self._setup is not None or not isinstance(self._given, str):
            return False
        registry = self.env.registry
        return not registry.provider(self.interface_type, self.interface_id).local

    @property
    def as_created(self) -> bool:
        """True if nothing is done to new objects."""
        return self._setup is None

    def forget_environment(self) -> None:
        """Let go of the environment of this check."""
        self._env = None

    @property
    def words(self) -> str:
        """``"Id args"``, with the class's own `testing_arguments` if none are given."""
        text = self._given if isinstance(self._given, str) else self.interface_id
        if len(text.split()) > 1:
            return text
        try:
            extra = getattr(self.factory(), "testing_arguments", "")
        except Error:
            return text
        return f"{text} {extra}".strip()

    @property
    def interface_id(self) -> str:
        """The id, without arguments."""
        if isinstance(self._given, str):
            return self._given.split()[0]
        return str(getattr(self._given, "__name__", "interface"))

    def factory(self) -> Callable[..., Any]:
        """Return the class or factory; PluginError if it cannot be used."""
        if not isinstance(self._given, str):
            return self._given
        registry = self.env.registry
        return registry.provider(self.interface_type, self.interface_id).load()

    @property
    def cls(self) -> type[InterfaceBase]:
        """The class of the objects."""
        factory = self.factory()
        return factory if isinstance(factory, type) else type(self.make())

    def make(self, env: Environment | None = None) -> Any:
        """Return a new object."""
        where = self.env if env is None else env
        try:
            made = where.create(self.interface_type, self.words)
        except PluginError as error:
            raise CreationFailedError(str(error)) from error
        if self._setup is not None:
            self._setup(made)
        return made

    def ready(self, env: Environment | None = None) -> Any:
        """Return a new object in the state in which environments use it.

        Controllers are bound to the arm, which has had another one before.
        """
        where = self.env if env is None else env
        made = self.make(where)
        if self.interface_type == "controller":
            robot = kit_arm(where)
            # what replaces a controller may want to know it
            require(robot.controller is not made, "it drives the robot already")
            robot.set_controller(made)
        return made

    def location(self, method: str) -> str:
        """Return ``Class.method (file:line)`` of the method to look at."""
        try:
            cls: Any = self.cls
        except Error:
            return self.interface_id
        target = getattr(cls, method, cls)
        target = inspect.unwrap(getattr(target, "fget", None) or target)
        name = f"{cls.__name__}.{method}" if target is not cls else cls.__name__
        try:
            file = inspect.getsourcefile(target)
            line = inspect.getsourcelines(target)[1]
        except (OSError, TypeError):
            return name
        return f"{name} ({file}:{line})"
