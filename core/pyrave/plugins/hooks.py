"""The hook modules in use: checked one by one, called by pluggy."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pluggy

from pyrave.errors import PluginError, PluginGuard, did_you_mean
from pyrave.plugins import hookspecs
from pyrave.plugins.contributions import CONTRIBUTIONS
from pyrave.plugins.records import PluginKind, PluginState

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pluggy import HookImpl, HookimplOpts

    from pyrave.plugins.slots import Slot

_HOOKS = tuple(sorted(name for name in vars(hookspecs) if name.startswith("pyrave_")))


@dataclass(frozen=True, slots=True)
class HookResult:
    """What the hook of one plugin returned or raised."""

    slot: Slot
    value: Any
    error: BaseException | None = None


class HookTable(pluggy.PluginManager):
    """The hooks of the loaded plugins.

    Any thread may call hooks and ask for them; `add` and `remove` are for one thread at
    a time, which the lock of the `PluginTable` ensures. A call works on the list of
    implementations at its begin and holds no lock, as hooks run for as long as they
    like.

    pluggy checks signatures and keeps the order of calls. It would stop at the first
    implementation that raises: so each is called here, in its order.
    """

    def __init__(self) -> None:
        super().__init__("pyrave")
        self.add_hookspecs(hookspecs)
        self._slots: dict[str, Slot] = {}

    def add(self, slot: Slot) -> None:
        """Use the hooks of an imported module, before those that are there.

        A hook with an unknown name, unknown arguments or without its mark breaks the
        slot. A module that is in use already is left alone.
        """
        if slot.record.state is not PluginState.LOADED or self.is_registered(
            slot.target
        ):
            return
        self._slots[slot.key] = slot
        try:
            self.register(slot.target, name=slot.key)
        except PluginError as error:
            problem = str(error)
        except pluggy.PluginValidationError as error:
            message = str(error).replace("\n", " ")
            problem = f"a hook does not fit its specification: {message}"
        else:
            callers = self.get_hookcallers(slot.target) or ()
            slot.update(hooks=tuple(sorted({caller.name for caller in callers})))
            if callers or slot.record.kind is not PluginKind.HOOKS:
                return
            problem = (
                f"{slot.record.value} has no hook; mark functions such as "
                "pyrave_interfaces with @pyrave.hookimpl"
            )
        self.remove(slot)
        slot.put(PluginState.BROKEN, problem)

    def remove(self, slot: Slot) -> None:
        """Take a plugin's hooks out of use, if it has any."""
        if self.has_plugin(slot.key):
            self.unregister(name=slot.key)

    def has(self, name: str) -> bool:
        """Return True if a plugin implements a hook."""
        return bool(self._implementations(name))

    def call(
        self, name: str, arguments: dict[str, Any], without: Iterable[Slot] = ()
    ) -> list[HookResult]:
        """Call a hook of all plugins but some; results come in the order of calls."""
        results = []
        for one in reversed(self._implementations(name)):
            slot = self._slots[one.plugin_name]
            if slot not in without:
                value, given = None, [arguments[key] for key in one.argnames]
                with PluginGuard() as guard:
                    value = one.function(*given)
                results.append(HookResult(slot, value, guard.error))
        return results

    def parse_hookimpl_opts(self, plugin: object, name: str) -> HookimplOpts | None:
        """Refuse what pluggy would accept, or overlook, silently."""
        options = super().parse_hookimpl_opts(plugin, name)
        function = getattr(plugin, name, None)
        if options is None:
            owner = getattr(plugin, "__name__", type(plugin).__module__)
            own = getattr(function, "__module__", "") == owner
            if name in _HOOKS and own and inspect.isroutine(function):
                raise PluginError(
                    f"{name} is a hook by its name but is not marked with "
                    "@pyrave.hookimpl"
                )
            return None
        hook = options["specname"] or name
        if hook not in _HOOKS:
            raise PluginError(
                f"{name} is marked as a hook, but there is no hook {hook!r}"
                f"{did_you_mean(hook, _HOOKS)}; hooks are {', '.join(_HOOKS)}"
            )
        if options["wrapper"] or options["hookwrapper"]:
            raise PluginError(f"{name} is a wrapper; hooks of pyrave have no wrappers")
        if inspect.isgeneratorfunction(function) and hook not in CONTRIBUTIONS:
            raise PluginError(f"{name} contains yield, so that calling it does nothing")
        return options

    def _implementations(self, name: str) -> list[HookImpl]:
        """Return who implements a hook, in pluggy's order: the last is called first.

        A copy, made at once: other plugins may be added and removed meanwhile.
        """
        caller = getattr(self.hook, name, None)
        return [] if caller is None else caller.get_hookimpls()
