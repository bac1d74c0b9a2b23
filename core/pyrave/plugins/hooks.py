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
    from collections.abc import Generator, Iterable

    from pluggy import HookImpl, HookimplOpts

    from pyrave.plugins.slots import Slot

_HOOKS = tuple(sorted(name for name in vars(hookspecs) if name.startswith("pyrave_")))


def _finished(wrapper: Generator[None, Any, Any], outcome: Any) -> Any:
    """Return the results as a wrapper changes them."""
    try:
        wrapper.send(outcome)
    except StopIteration as end:
        return end.value
    raise RuntimeError("a wrapper has a second yield")


@dataclass(frozen=True, slots=True)
class HookResult:
    """Result or exception of one plugin's hook; without a slot: that of wrappers."""

    slot: Slot | None
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
        self._offered: dict[str, str] = {}
        self._heard: dict[str, bool] = {}

    def offer(self, slot: Slot) -> None:
        """Let other plugins implement the hooks that an imported module specifies.

        A name that is another's, or begins as pyrave's do, breaks the slot.
        """
        if slot.record.state is not PluginState.LOADED:
            return
        names = [
            name
            for name in vars(slot.target)
            if self.parse_hookspec_opts(slot.target, name) is not None
        ]
        taken = next((name for name in names if name.startswith("pyrave_")), None)
        other = next((name for name in names if name in self._offered), None)
        if not names:
            problem = f"{slot.record.value} has no hook; mark functions with @hookspec"
        elif taken is not None:
            problem = f"{taken} begins with pyrave_, as pyrave's own hooks do"
        elif other is not None:
            problem = f"{other} is a hook of {self._offered[other]} already"
        else:
            self.add_hookspecs(slot.target)
            self._offered |= dict.fromkeys(names, slot.record.label)
            slot.update(hooks=tuple(sorted(names)))
            return
        slot.set_state(PluginState.BROKEN, problem)

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
            try:
                self.register(slot.target, name=slot.key)
            finally:
                self._heard = {}  # a thread that asks meanwhile keeps the old ones
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
        slot.set_state(PluginState.BROKEN, problem)

    def remove(self, slot: Slot) -> None:
        """Take a plugin's hooks out of use, if it has any."""
        if self.has_plugin(slot.key):
            self.unregister(name=slot.key)
            self._heard = {}

    def has(self, name: str) -> bool:
        """Return True if a plugin implements a hook."""
        # asked for each object that is made, mostly of hooks that nobody has
        heard = self._heard
        found = heard.get(name)
        if found is None:
            found = heard[name] = bool(self._implementations(name))
        return found

    def call(
        self, name: str, arguments: dict[str, Any], without: Iterable[Slot] = ()
    ) -> list[HookResult]:
        """Call a hook of all plugins but some; results come in the order of calls.

        Where the first answer counts, nobody is asked after it. What wrappers make of
        the results is a last one, of no slot.
        """
        if not self.has(name):
            return []
        implementations = self._implementations(name)
        results: list[HookResult] = []
        started: list[tuple[Slot, Generator[None, Any, Any]]] = []
        first = self._first_counts(name)
        for one in reversed(implementations):
            slot = self._slots[one.plugin_name]
            if slot in without:
                continue
            value: Any = None
            given = [arguments[key] for key in one.argnames]
            with PluginGuard() as guard:
                value = one.function(*given)
                if one.wrapper:
                    next(value)
            if not one.wrapper:
                results.append(HookResult(slot, value, guard.error))
                if first and value is not None:
                    break
            elif guard.error is None:
                started.append((slot, value))
            else:
                results.append(HookResult(slot, None, guard.error))
        if not started:
            return results
        values = [one.value for one in results if one.value is not None]
        outcome: Any = (values[0] if values else None) if first else values
        failed = [one for one in results if one.error is not None]
        for slot, wrapper in reversed(started):
            with PluginGuard() as guard:
                outcome = _finished(wrapper, outcome)
            if guard.error is not None:
                failed.append(HookResult(slot, None, guard.error))
        whole = ([outcome] if outcome is not None else []) if first else list(outcome)
        return [*failed, *(HookResult(None, value) for value in whole)]

    def _first_counts(self, name: str) -> bool:
        caller = getattr(self.hook, name, None)
        spec = getattr(caller, "spec", None)
        return spec is not None and bool(spec.opts["firstresult"])

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
        known = (*_HOOKS, *self._offered)
        if hook not in known and not options["optionalhook"]:
            raise PluginError(
                f"{name} is marked as a hook, but there is no hook {hook!r}"
                f"{did_you_mean(hook, known)}; hooks are {', '.join(known)}"
            )
        wraps = options["wrapper"]
        if options["hookwrapper"]:
            raise PluginError(f"{name} is a wrapper of old form; write wrapper=True")
        if wraps and hook in CONTRIBUTIONS:
            raise PluginError(f"{name} is a wrapper; {hook} has none")
        yields = inspect.isgeneratorfunction(function)
        if wraps and not yields:
            raise PluginError(f"{name} is a wrapper without yield")
        if yields and not wraps and hook not in CONTRIBUTIONS:
            raise PluginError(f"{name} contains yield, so that calling it does nothing")
        return options

    def _implementations(self, name: str) -> list[HookImpl]:
        """Return the implementers of a hook, in pluggy's order: the last comes first.

        A copy, made at once: other plugins may be added and removed meanwhile.
        """
        caller = getattr(self.hook, name, None)
        return [] if caller is None else caller.get_hookimpls()
