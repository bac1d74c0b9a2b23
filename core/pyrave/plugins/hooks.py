"""The hook modules in use: checked one by one, called by pluggy."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pluggy

from pyrave.errors import PluginError, PluginGuard, did_you_mean
from pyrave.plugins import hookspecs

if TYPE_CHECKING:
    from collections.abc import Iterable

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
    """pluggy's manager of hook modules.

    Any thread may call hooks and ask for them; `add` and `remove` are for one thread at
    a time, which the lock of the `PluginTable` ensures. A call works on the list of
    implementations at its begin and holds no lock, as hooks run for as long as they
    like.

    pluggy checks signatures and keeps the order of calls. It would stop at the first
    implementation that raises: so each is called here, in its order.
    """

    def __init__(self) -> None:
        self._manager = pluggy.PluginManager("pyrave")
        self._manager.add_hookspecs(hookspecs)

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
        """Add a plugin's hooks, to be called before those that are there.

        Returns
        -------
        tuple of str
            Names of its hooks.

        Raises
        ------
        PluginError
            A hook has an unknown name, unknown arguments, or is not marked; or the
            plugin or the module is in use already.
        """
        self._check(module)
        if self._manager.has_plugin(plugin) or self.has_module(module):
            raise PluginError(f"the hooks of plugin {plugin!r} are in use already")
        try:
            self._manager.register(module, name=plugin)
        except pluggy.PluginValidationError as error:
            self.remove(plugin)
            message = str(error).replace("\n", " ")
            raise PluginError(
                f"a hook does not fit its specification: {message}"
            ) from error
        callers = self._manager.get_hookcallers(module) or ()
        return tuple(sorted({caller.name for caller in callers}))

    def remove(self, plugin: str) -> None:
        """Take a plugin's hooks out of use; unknown plugins are ignored."""
        if self._manager.has_plugin(plugin):
            self._manager.unregister(name=plugin)

    def has(self, name: str) -> bool:
        """Return True if a plugin implements a hook."""
        return bool(self._implementations(name))

    def call(
        self, name: str, arguments: dict[str, Any], without: Iterable[str] = ()
    ) -> list[HookResult]:
        """Call a hook of all plugins but some; results come in the order of calls."""
        results = []
        for one in reversed(self._implementations(name)):
            if one.plugin_name not in without:
                value, given = None, [arguments[key] for key in one.argnames]
                with PluginGuard() as guard:
                    value = one.function(*given)
                results.append(HookResult(one.plugin_name, value, guard.error))
        return results

    def _implementations(self, name: str) -> list[pluggy.HookImpl]:
        """Return who implements a hook, in pluggy's order: the last is called first.

        A copy, made at once: other plugins may be added and removed meanwhile.
        """
        caller = getattr(self._manager.hook, name, None)
        return [] if caller is None else caller.get_hookimpls()

    def _check(self, module: object) -> None:
        """Refuse what pluggy would accept, or overlook, silently."""
        known = self.names
        for attribute in dir(module):
            value = getattr(module, attribute, None)
            if not inspect.isroutine(value):
                continue
            options = self._manager.parse_hookimpl_opts(module, attribute)
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
