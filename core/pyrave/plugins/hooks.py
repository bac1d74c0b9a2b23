"""The hook modules in use: checked one by one, called by pluggy."""

from __future__ import annotations

import functools
import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pluggy

from pyrave.errors import PluginError, PluginGuard, did_you_mean
from pyrave.plugins import hookspecs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["CONTRIBUTIONS", "HookResult", "HookTable"]

CONTRIBUTIONS = (
    "pyrave_interfaces",
    "pyrave_xml_readers",
    "pyrave_scene_formats",
    "pyrave_mesh_formats",
    "pyrave_cli",
    "pyrave_kernels",
)
"""Hooks that are asked once; the others follow the life of an environment."""

_PREFIX = "pyrave_"


@dataclass(frozen=True, slots=True)
class HookResult:
    """What the hook of one plugin returned or raised."""

    plugin: str
    """Key of the plugin under which it was added."""
    value: Any
    error: BaseException | None = None


class HookTable:
    """pluggy's manager of hook modules. Not thread-safe: the registry locks it.

    pluggy checks signatures, orders and calls. It would stop at the first
    implementation that raises: what it is given are functions that return a
    `HookResult` instead.
    """

    def __init__(self) -> None:
        self._manager = pluggy.PluginManager("pyrave")
        self._manager.add_hookspecs(hookspecs)
        self._modules: dict[str, object] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all hooks that exist."""
        return tuple(
            sorted(name for name in vars(hookspecs) if name.startswith(_PREFIX))
        )

    def has_module(self, module: object) -> bool:
        """Return True if the same object was added under some key."""
        return any(one is module for one in self._modules.values())

    def add(self, plugin: str, module: object) -> tuple[str, ...]:
        """Add a plugin's hooks, to be called before those that are there.

        Returns
        -------
        tuple of str
            Names of its hooks.

        Raises
        ------
        PluginError
            A hook has an unknown name, unknown arguments, or is not marked.
        """
        self._check(module)
        guarded = _Guarded()
        for attribute, function, options in self._functions(module):
            if options is not None:
                setattr(guarded, attribute, _guarded(plugin, function))
        try:
            self._manager.register(guarded, name=plugin)
        except (pluggy.PluginValidationError, ValueError) as error:
            if self._manager.has_plugin(plugin):
                self._manager.unregister(name=plugin)
            message = str(error).replace("\n", " ")
            raise PluginError(
                f"a hook does not fit its specification: {message}"
            ) from error
        self._modules[plugin] = module
        callers = self._manager.get_hookcallers(guarded) or ()
        return tuple(sorted({caller.name for caller in callers}))

    def remove(self, plugin: str) -> None:
        """Take a plugin's hooks out of use; unknown plugins are ignored."""
        if self._modules.pop(plugin, None) is not None:
            self._manager.unregister(name=plugin)

    def has(self, name: str) -> bool:
        """Return True if a plugin implements a hook."""
        caller = getattr(self._manager.hook, name, None)
        return caller is not None and bool(caller.get_hookimpls())

    def call(
        self, name: str, arguments: dict[str, Any], without: Iterable[str] = ()
    ) -> list[HookResult]:
        """Call a hook of all plugins but some; results come in the order of calls."""
        if not self.has(name):
            return []
        left_out = [self._manager.get_plugin(plugin) for plugin in without]
        call = self._manager.subset_hook_caller(name, left_out)
        results: list[HookResult] = call(**arguments)
        return results

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
                    f"{attribute} is a wrapper; hooks of pyrave have no wrappers"
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


class _Guarded:
    """The hooks of one plugin as pluggy gets them."""


def _guarded(plugin: str, function: Callable[..., Any]) -> Callable[..., HookResult]:
    """Return a function of the same signature and marks that does not raise."""

    @functools.wraps(function)
    def call(*arguments: Any) -> HookResult:
        value = None
        with PluginGuard() as guard:
            value = function(*arguments)
        return HookResult(plugin, value, guard.error)

    return call
