"""The hook modules in use: checked one by one, called one by one."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pluggy

from pyrave.errors import PluginError, did_you_mean
from pyrave.plugins import hookspecs

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["CONTRIBUTIONS", "HookImplementation", "HookTable"]

CONTRIBUTIONS = (
    "pyrave_interfaces",
    "pyrave_xml_readers",
    "pyrave_scene_formats",
    "pyrave_mesh_formats",
    "pyrave_cli",
)
"""Hooks that are asked once; the others follow the life of an environment."""

_PREFIX = "pyrave_"


@dataclass(frozen=True, slots=True)
class HookImplementation:
    """A function of a plugin that implements a hook."""

    plugin: str
    """Key of the plugin under which it was added."""
    function: Any
    arguments: tuple[str, ...]
    rank: int
    """-1 for ``tryfirst``, 1 for ``trylast``, else 0."""

    def __call__(self, arguments: dict[str, Any]) -> Any:
        """Call the function with those of the arguments that it names."""
        return self.function(*(arguments[name] for name in self.arguments))


class HookTable:
    """Implementations by hook name. Not thread-safe: the registry locks it.

    pluggy checks the signatures. Calls are not left to it, because it stops at the
    first implementation that raises.
    """

    def __init__(self) -> None:
        self._manager = pluggy.PluginManager("pyrave")
        self._manager.add_hookspecs(hookspecs)
        self._order: list[str] = []
        self._table: dict[str, tuple[HookImplementation, ...]] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all hooks that exist."""
        return tuple(
            sorted(name for name in vars(hookspecs) if name.startswith(_PREFIX))
        )

    def has_module(self, module: object) -> bool:
        """Return True if the same object was added under some key."""
        return self._manager.is_registered(module)

    def add(self, plugin: str, module: object) -> tuple[str, ...]:
        """Add a plugin's hooks and return their names.

        Raises
        ------
        PluginError
            A hook has an unknown name, unknown arguments, or is not marked.
        """
        self._check(module)
        try:
            self._manager.register(module, name=plugin)
        except (pluggy.PluginValidationError, ValueError) as error:
            if self._manager.has_plugin(plugin):
                self._manager.unregister(name=plugin)
            message = str(error).replace("\n", " ")
            raise PluginError(
                f"a hook does not fit its specification: {message}"
            ) from error
        self._order.append(plugin)
        self._rebuild()
        return tuple(
            name
            for name in self.names
            if any(one.plugin == plugin for one in self.get(name))
        )

    def remove(self, plugin: str) -> None:
        """Take a plugin's hooks out of use; unknown plugins are ignored."""
        if plugin in self._order:
            self._order.remove(plugin)
            self._manager.unregister(name=plugin)
            self._rebuild()

    def get(self, name: str) -> tuple[HookImplementation, ...]:
        """Return the implementations of a hook in the order of calls."""
        return self._table.get(name, ())

    def _rebuild(self) -> None:
        place = {plugin: index for index, plugin in enumerate(self._order)}
        table = {}
        for name in self.names:
            found = [
                HookImplementation(
                    one.plugin_name,
                    one.function,
                    tuple(one.argnames),
                    one.trylast - one.tryfirst,
                )
                for one in getattr(self._manager.hook, name).get_hookimpls()
            ]
            found.sort(key=lambda one: (one.rank, place[one.plugin]))
            if found:
                table[name] = tuple(found)
        self._table = table

    def _check(self, module: object) -> None:
        """Refuse what pluggy would accept, or overlook, silently."""
        known = self.names
        for attribute, value, options in self._functions(module):
            if options is None:
                own = getattr(value, "__module__", "") == getattr(
                    module, "__name__", type(module).__module__
                )
                if attribute in known and own:
                    raise PluginError(
                        f"{attribute} is a hook by its name but is not marked with "
                        "@pyrave.hookimpl"
                    )
                continue
            name = options.get("specname") or attribute
            if name not in known:
                raise PluginError(
                    f"{attribute} is marked as a hook, but there is no hook {name!r}"
                    f"{did_you_mean(name, known)}; hooks are {', '.join(known)}"
                )
            if options.get("wrapper") or options.get("hookwrapper"):
                raise PluginError(
                    f"{attribute} is a wrapper; pyrave calls hooks one by one and has "
                    "no wrappers"
                )
            if inspect.isgeneratorfunction(value) and name not in CONTRIBUTIONS:
                raise PluginError(
                    f"{attribute} contains yield, so that calling it does nothing"
                )

    def _functions(
        self, module: object
    ) -> Iterator[tuple[str, Any, dict[str, Any] | None]]:
        for attribute in dir(module):
            value = getattr(module, attribute, None)
            if inspect.isroutine(value):
                options = self._manager.parse_hookimpl_opts(module, attribute)
                yield attribute, value, None if options is None else dict(options)
