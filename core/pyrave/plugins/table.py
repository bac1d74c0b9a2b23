"""All plugins of a process: imported when needed, taken out of use when they fail."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Any

from pyrave import __version__
from pyrave.errors import Error, PluginError, PluginGuard, Problem, Severity
from pyrave.plugins.contributions import checked_answer, summary_fields
from pyrave.plugins.discovery import EntryPoint, discover, installation_order
from pyrave.plugins.records import PluginKind, PluginRecord, PluginState
from pyrave.plugins.requirements import normalize_name
from pyrave.plugins.slots import Slot, belongs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pyrave.plugins.hooks import HookResult, HookTable

_log = logging.getLogger("pyrave.plugins")


class PluginTable:
    """Slots of all plugins, and the hooks of those that are loaded.

    Threads may share it: changes happen under one re-entrant lock.

    Parameters
    ----------
    entries
        Entry points; None reads what is installed, at first use.
    patterns
        What is blocked, see `pyrave.plugins.slots.is_blocked`.
    """

    def __init__(
        self, entries: Iterable[EntryPoint] | None, patterns: Iterable[str]
    ) -> None:
        self.lock = threading.RLock()
        self.patterns = list(patterns)
        self._entries = None if entries is None else installation_order(entries)
        self._slots: list[Slot] | None = None
        self._hooks: HookTable | None = None
        self._loading = False
        self._combined: dict[str, tuple[tuple[Slot, Any], ...]] = {}
        self._declared: dict[tuple[str, str], tuple[Slot, ...]] | None = None

    @property
    def slots(self) -> list[Slot]:
        """All plugins in order; reads the metadata at first use."""
        if self._slots is None:
            with self.lock:
                if self._slots is None:
                    entries = discover() if self._entries is None else self._entries
                    self._slots = [
                        Slot.of(entry, self.patterns, __version__) for entry in entries
                    ]
        return self._slots

    @property
    def notes(self) -> tuple[str, ...]:
        """What is wrong with the installation itself."""
        if any(normalize_name(s.record.distribution) == "pyrave" for s in self.slots):
            return ()
        note = (
            "pyrave itself is not installed as a package, so its own interfaces are "
            "unknown; run `pip install .` (or `pip install -e .`) in its source tree"
        )
        return (note,)

    def declared(self, interface_type: str, interface_id: str) -> tuple[Slot, ...]:
        """Return the slots whose entry point declares an id, in order."""
        if self._declared is None:
            found: dict[tuple[str, str], tuple[Slot, ...]] = {}
            for slot in self.slots:
                if slot.record.kind is PluginKind.INTERFACE:
                    key = (slot.entry.interface_type, slot.record.name.lower())
                    found[key] = (*found.get(key, ()), slot)
            self._declared = found
        return self._declared.get((interface_type, interface_id.lower()), ())

    # -- block list ------------------------------------------------------------------

    def block(self, names: Iterable[str]) -> None:
        """Switch plugins off, also those that are in use."""
        with self.lock:
            self.patterns.extend(n for n in names if n not in self.patterns)
            self._judge_all()

    def unblock(self, names: Iterable[str]) -> None:
        """Take patterns off the block list; without any, all."""
        with self.lock:
            gone = set(names) or set(self.patterns)
            self.patterns[:] = [one for one in self.patterns if one not in gone]
            self._judge_all()

    def _judge_all(self) -> None:
        for slot in self.slots:
            before = slot.record.state
            slot.judge(self.patterns, __version__)
            if slot.record.state is before:
                continue
            if self._hooks is not None:
                self._hooks.remove(slot.key)
            if slot.record.kind is PluginKind.PATH and slot.record.state.usable:
                slot.put(PluginState.LOADED)
                if self._hooks is not None:
                    self.add_hooks(slot, self._hooks)
        if self._hooks is not None:
            self._load_pending(self._hooks)
        self._combined.clear()

    # -- importing -------------------------------------------------------------------

    def import_slot(self, slot: Slot, check: Callable[[Any], None]) -> Any:
        """Return what an entry point names, imported and checked once.

        Parameters
        ----------
        slot
            A declared or loaded plugin.
        check
            Raises `PluginError` if the imported object cannot serve.

        Raises
        ------
        PluginError
            It cannot be used; chained to what the import raised.
        """
        with self.lock:
            if slot.record.state is PluginState.DECLARED:
                self._import(slot, check)
            if slot.record.state is not PluginState.LOADED:
                raise PluginError(slot.record.explain().strip()) from slot.exception
            return slot.target

    def _import(self, slot: Slot, check: Callable[[Any], None]) -> None:
        value = slot.record.value
        target: Any = None
        with PluginGuard() as guard:
            target = slot.entry.load()
        if guard.error is not None:
            slot.exception = guard.error
            slot.broken(guard.error, f"importing {value} failed")
            return
        try:
            check(target)
        except IncompatibleError as error:
            slot.put(PluginState.INCOMPATIBLE, str(error))
        except PluginError as error:
            slot.put(PluginState.BROKEN, str(error))
        else:
            slot.target = target
            slot.put(PluginState.LOADED)

    def _log_broken(self, slot: Slot) -> None:
        record = slot.record
        _log.error(
            "plugin %s is %s: %s%s",
            record.label,
            record.state.value,
            record.reason,
            f"\n{record.traceback}" if record.traceback else "",
        )

    # -- hooks -----------------------------------------------------------------------

    def hooks(self) -> HookTable:
        """Return the hook table; loads all hook modules at first use."""
        table = self._hooks
        if table is not None and not self._loading:
            return table
        with self.lock:
            if self._hooks is None:
                from pyrave.plugins.hooks import HookTable

                self._hooks = HookTable()
                self._load_pending(self._hooks)
            return self._hooks

    def _load_pending(self, table: HookTable) -> None:
        if self._loading:
            return  # a hook module asks for hooks while it is imported
        self._loading = True
        try:
            pending = [
                slot
                for slot in self.slots
                if slot.record.kind is PluginKind.HOOKS
                and slot.record.state is PluginState.DECLARED
            ]
            for slot in pending:
                self._import(slot, lambda _: None)
            # pluggy calls first what was added last
            for slot in reversed(pending):
                self.add_hooks(slot, table)
            for slot in pending:
                if not slot.record.state.usable:
                    self._log_broken(slot)
        finally:
            self._loading = False
            self._combined.clear()

    def add_hooks(self, slot: Slot, table: HookTable) -> None:
        """Put the hooks of an imported module in use; a wrong one breaks the slot."""
        if slot.record.state is not PluginState.LOADED or table.has_module(slot.target):
            return
        try:
            names = table.add(slot.key, slot.target)
        except PluginError as error:
            slot.put(PluginState.BROKEN, str(error))
        else:
            slot.update(hooks=names)

    def add_slot(self, slot: Slot) -> None:
        """Add a plugin that is not an entry point, already imported."""
        with self.lock:
            self.add_hooks(slot, self.hooks())
            self.slots.append(slot)
            self._combined.clear()
            if not slot.record.state.usable:
                self._log_broken(slot)

    def drop_slot(self, slot: Slot) -> None:
        """Take out what `add_slot` added."""
        with self.lock:
            if self._hooks is not None:
                self._hooks.remove(slot.key)
            self.slots[:] = [one for one in self.slots if one is not slot]
            self._combined.clear()

    def contributions(self, hook: str) -> tuple[tuple[Slot, Any], ...]:
        """Return (slot, item) for all items that a contribution hook gives.

        Items are as `pyrave.plugins.contributions.checked_answer` returns them.
        """
        found = self._combined.get(hook)
        if found is not None:
            return found
        with self.lock:
            table = self.hooks()
            asked = [slot.key for slot in self.slots if hook in slot.answers]
            for result in table.call(hook, {}, without=asked):
                self._keep_answer(hook, result)
            found = tuple(
                (slot, item)
                for slot in self.slots
                if slot.record.state is PluginState.LOADED
                for item in slot.answers.get(hook, ())
            )
            if not self._loading:
                self._combined[hook] = found
            return found

    def _keep_answer(self, hook: str, result: HookResult) -> None:
        slot = self._slot_of(result)
        if slot is None:
            return
        with PluginGuard() as guard:
            if result.error is not None:
                raise result.error
            # an answer may be a generator: the plugin's code runs here
            items = checked_answer(hook, result.value)
            if hook == "pyrave_interfaces":
                self._check_aliases(slot, items)
            slot.answers[hook] = items
            slot.update(**summary_fields(hook, items))
        if guard.error is not None:
            self.quarantine(slot, guard.error, f"hook {hook}")

    def _slot_of(self, result: HookResult) -> Slot | None:
        """Return whose result it is, None if the plugin was unloaded meanwhile."""
        with self.lock:
            found = [slot for slot in self.slots if slot.key == result.plugin]
        if found:
            return found[0]
        if result.error is not None:
            _log.error(
                "a hook of %s, unloaded meanwhile, raised",
                result.plugin,
                exc_info=result.error,
            )
        return None

    def _check_aliases(self, slot: Slot, items: tuple[Any, ...]) -> None:
        owner = slot.record.distribution
        for kind, alias, target in items:
            if isinstance(target, str) and not any(
                belongs(one, owner) for one in self.declared(kind, target)
            ):
                raise PluginError(
                    f"{alias!r} is an alias of {kind} {target!r}, and "
                    f"{slot.record.origin} declares no entry point of that name"
                )

    def call(self, hook: str, arguments: dict[str, Any]) -> list[Any]:
        """Call a life-cycle hook of all plugins; return results that are not None."""
        results = []
        for result in self.hooks().call(hook, arguments):
            if result.error is not None:
                slot = self._slot_of(result)
                if slot is not None:
                    env = arguments.get("env")
                    self.quarantine(slot, result.error, f"hook {hook}", env)
            elif result.value is not None:
                results.append(result.value)
        return results

    # -- failures --------------------------------------------------------------------

    def quarantine(
        self, slot: Slot, error: BaseException, what: str, env: Any = None
    ) -> Problem:
        """Take a plugin out of use because its code raised; say so once."""
        with self.lock:
            slot.broken(error, f"{what} raised")
            if self._hooks is not None:
                self._hooks.remove(slot.key)
            self._combined.clear()
        record = slot.record
        problem = Problem(
            Severity.WARNING,
            f"plugin {record.label} is out of use: {record.reason}",
            hint="fix the plugin and start again; `pyrave plugins` shows its state",
            traceback=record.traceback if not isinstance(error, Error) else None,
            code="plugin-failure",
        )
        if hasattr(env, "report_problem"):
            env.report_problem(problem)  # logs it
        else:
            self._log_broken(slot)
        return problem

    def object_failed(
        self, record: PluginRecord, error: BaseException, what: str
    ) -> None:
        """Keep an exception of an object on the record of its plugin."""
        with self.lock:
            for slot in self.slots:
                if slot.key == record.key:
                    slot.failed(error, what)


class IncompatibleError(PluginError):
    """A class is written for another version of its type's contract."""
