"""All plugins of a process: imported when needed, taken out of use when they fail."""

from __future__ import annotations

import logging
import sys
import threading
import time
from contextlib import redirect_stdout, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from pyrave.errors import (
    Error,
    PluginError,
    PluginGuard,
    Problem,
    Severity,
    did_you_mean,
)
from pyrave.messages import LOGGER
from pyrave.plugins.contracts import (
    IncompatibleError,
    checked_factory,
    contract_warning,
)
from pyrave.plugins.contributions import checked_answer, checked_part, summary_fields
from pyrave.plugins.discovery import (
    discover,
    installation_order,
    load_target,
    normalize_name,
)
from pyrave.plugins.records import PluginKind, PluginRecord, PluginState
from pyrave.plugins.slots import Slot, belongs, blocking_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator
    from pathlib import Path

    from pyrave.plugins.hooks import HookTable

_PARTS = {
    PluginKind.READER,
    PluginKind.FORMAT,
    PluginKind.COMMAND,
    PluginKind.DATABASE,
    PluginKind.SETTINGS,
}
_log = logging.getLogger(f"{LOGGER}.plugins")
Collected = TypeVar("Collected")


class PluginTable:
    """Slots of all plugins, and the hooks of those that are loaded.

    Threads may share it: changes happen under one re-entrant lock.

    Parameters
    ----------
    entries
        Entry points; None reads what is installed, at first use.
    patterns
        What is blocked, see `pyrave.plugins.slots.blocking_pattern`.
    allowed
        Patterns of all that is used besides pyrave's own; empty: everything.
    why
        Why they are what they are, if nobody wrote them.
    user_problems
        What is wrong with the user's file.
    """

    def __init__(
        self,
        entries: Iterable[PluginRecord] | None,
        patterns: Iterable[str],
        allowed: Iterable[str] = (),
        why: str = "",
        user_problems: Iterable[str] = (),
    ) -> None:
        self.lock = threading.RLock()
        self.patterns = list(patterns)
        self.allowed = list(allowed)
        self._why = why
        self.user_problems: list[str] = []
        for problem in user_problems:
            self.note_of_user(problem)
        self._entries = None if entries is None else installation_order(entries)
        self._slots: list[Slot] | None = None
        self._hooks: HookTable | None = None
        self._loading = False
        self._kept: dict[object, Any] = {}
        self._declared: dict[tuple[str, str], tuple[Slot, ...]] | None = None

    def cached(self, key: object, collect: Callable[[], Collected]) -> Collected:
        """Return a collection from all plugins, anew when one of them has changed.

        Each load of a scene asks for it.
        """
        found: Collected | None = self._kept.get(key)
        if found is None:
            with self.lock:
                found = collect()
                if not self._loading:
                    self._kept[key] = found
        return found

    def checked(
        self, key: tuple[str, str, str], factory: Callable[..., Any]
    ) -> Callable[..., Any]:
        """Return the factory of a hook, checked when it is first asked for.

        Parameters
        ----------
        key
            Type and id that it is for, and the key of its slot.
        """
        check = partial(checked_factory, key[0], factory)
        found: Callable[..., Any] = self.cached(("factory", *key), check)
        return found

    @property
    def slots(self) -> list[Slot]:
        """All plugins in order; reads the metadata at first use."""
        if self._slots is None:
            with self.lock:
                if self._slots is None:
                    entries = discover() if self._entries is None else self._entries
                    slots = [Slot(entry) for entry in entries]
                    for slot in slots:
                        slot.judge(self.patterns, self.allowed, self._why)
                    self._slots = slots
                    for note in self._misspelt():
                        _log.warning("%s", note)
        return self._slots

    def default(self, name: str) -> str:
        """Return the id that serves a type or ``type.task``; empty if there is none."""
        return self.cached("defaults", self._defaults).get(name, "")

    def _defaults(self) -> dict[str, str]:
        records = [slot.record for slot in self.of_kind(PluginKind.DEFAULT)]
        # the first of a name stays
        return {one.name: one.value for one in reversed(records) if one.state.usable}

    @property
    def notes(self) -> tuple[str, ...]:
        """Problems of the installation itself, and of the block list."""
        notes = [note for note, _ in self._nameless()]
        notes += self.user_problems
        if not any(
            normalize_name(s.record.distribution) == "pyrave" for s in self.slots
        ):
            notes.append(
                "pyrave itself is not installed as a package, so its own interfaces "
                "are unknown; run `pip install .` (or `pip install -e .`) in its "
                "source tree"
            )
        return tuple(notes)

    def note_of_user(self, problem: str) -> None:
        """Add the faults of the user's file to the notes, and log them once."""
        if problem not in self.user_problems:
            self.user_problems.append(problem)
            _log.warning("%s", problem)

    def _nameless(self) -> Iterator[tuple[str, str]]:
        """Give each name on the lists that no plugin has, in words, and what is near.

        A name of what is not installed here is no mistake, one near to another is.
        """
        records = [slot.record for slot in self.slots]
        known = {normalize_name(record.distribution) for record in records} - {""}
        for name, patterns in (("block", self.patterns), ("allow", self.allowed)):
            for one in patterns:
                if one not in {"*", "pyrave"} and not any(
                    blocking_pattern(record, (one,)) for record in records
                ):
                    near = did_you_mean(one, known)
                    text = f"the {name} list names {one!r}, and no plugin has that name"
                    yield f"{text}{near}", near

    def _misspelt(self) -> list[str]:
        return [note for note, near in self._nameless() if near]

    def declared_settings(self, distribution: str) -> type | None:
        """Return the dataclass of a distribution's settings; None: it declares none."""
        if not distribution:
            return None
        for slot in self.slots:
            if slot.record.kind is PluginKind.SETTINGS and belongs(slot, distribution):
                with suppress(PluginError):  # the record says it
                    found: type = self.load(slot)
                    return found
        return None

    def declared(self, part: str, name: str) -> tuple[Slot, ...]:
        """Return the slots whose entry point declares a name, in order.

        Parameters
        ----------
        part
            An interface type, or what follows ``pyrave.`` in another group.
        """
        if self._declared is None:
            found: dict[tuple[str, str], tuple[Slot, ...]] = {}
            for slot in self.slots:
                key = (slot.record.part, slot.record.name.lower())
                found[key] = (*found.get(key, ()), slot)
            self._declared = found
        return self._declared.get((part, name.lower()), ())

    @property
    def has_hooks(self) -> bool:
        """True if the hook modules are imported, and can be asked what they offer."""
        return self._hooks is not None

    def of_kind(self, kind: PluginKind) -> tuple[Slot, ...]:
        """Return the slots of a kind in order."""

        def collected() -> tuple[Slot, ...]:
            return tuple(one for one in self.slots if one.record.kind is kind)

        return self.cached(kind, collected)

    def distributions(self, interface_type: str, interface_id: str) -> list[str]:
        """Return the slots that offer an id; hook modules only when they were asked."""
        wanted = (interface_type, interface_id.lower())
        offering = [
            *self.declared(*wanted),
            *(
                slot
                for slot in self._hooked()
                for kind, name, _ in slot.answers.get("pyrave_interfaces", ())
                if (kind, name.lower()) == wanted
            ),
        ]
        names = {
            normalize_name(slot.record.distribution): slot.record.distribution
            for slot in reversed(offering)
            if slot.record.distribution and slot.record.state is not PluginState.BLOCKED
        }
        return list(reversed(names.values()))

    def _hooked(self) -> tuple[Slot, ...]:
        """Return the slots whose modules may have hooks, in order."""
        return (*self.of_kind(PluginKind.HOOKS), *self.of_kind(PluginKind.PATH))

    def renew(self, packages: Container[str]) -> None:
        """Forget what was imported of distributions, and read their metadata again."""

        def is_old(record: PluginRecord) -> bool:
            return normalize_name(record.distribution) in packages

        with self.lock:
            entries = discover() if self._entries is None else self._entries
            for slot in self.slots:
                if self._hooks is not None and is_old(slot.record):
                    self._hooks.remove(slot)
            kept = {s.key: s for s in self.slots if not is_old(s.record)}
            made = [Slot(one) for one in entries if is_old(one)]
            for slot in made:
                slot.judge(self.patterns, self.allowed, self._why)
            paths = [s for s in kept.values() if s.record.kind is PluginKind.PATH]
            known = {**kept, **{slot.key: slot for slot in made}}
            order = installation_order(
                s.record for s in known.values() if s not in paths
            )
            self._slots = [*(known[record.key] for record in order), *paths]
            self._declared = None
            self._kept.clear()
            if self._hooks is not None:
                self._load_pending()

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

    def allow_only(self, names: Iterable[str]) -> None:
        """Use only these plugins and pyrave's own; without any, all again."""
        with self.lock:
            self.allowed[:] = names
            self._why = ""
            self._judge_all()

    def _judge_all(self) -> None:
        for slot in self.slots:
            before = slot.record.state
            slot.judge(self.patterns, self.allowed, self._why)
            if slot.record.state is not before and self._hooks is not None:
                self._hooks.remove(slot)
                if slot.record.kind is PluginKind.PATH:
                    self._hooks.add(slot)
        if self._hooks is not None:
            self._load_pending()
        self._kept.clear()

    # -- importing -------------------------------------------------------------------

    def load(self, slot: Slot) -> Any:
        """Return the object that an entry point names, imported and checked once.

        Raises
        ------
        PluginError
            It cannot be used; chained to what the import raised.
        """
        with self.lock:
            if slot.record.state is PluginState.DECLARED:
                self._import(slot)
                self._kept.clear()
            if slot.record.state is not PluginState.LOADED:
                raise PluginError(slot.record.explain().strip()) from slot.exception
            return slot.target

    def _import(self, slot: Slot) -> None:
        begin = time.perf_counter()
        # what is printed meanwhile is no output of a command or script
        with PluginGuard() as guard, redirect_stdout(sys.stderr):
            slot.target = load_target(slot.record)
        slot.update(import_seconds=time.perf_counter() - begin)
        if guard.error is not None:
            slot.exception = guard.error
            remedy = ""
            if isinstance(guard.error, ImportError) and slot.record.extras:
                package = f"{slot.record.distribution}[{slot.record.extras}]"
                remedy = f" (it needs an extra: pip install '{package}')"
            slot.broken(guard.error, f"importing {slot.record.value} failed{remedy}")
            return
        try:
            # a metaclass of the plugin may raise where its class is looked at
            with PluginGuard(passes=PluginError) as guard:
                self._check(slot)
            if guard.error is not None:
                slot.exception = guard.error
                slot.broken(guard.error, f"looking at {slot.record.value} raised")
                return
        except IncompatibleError as error:
            slot.set_state(PluginState.INCOMPATIBLE, str(error))
        except PluginError as error:
            slot.set_state(PluginState.BROKEN, str(error))
        else:
            slot.set_state(PluginState.LOADED)

    def _check(self, slot: Slot) -> None:
        """Raise a PluginError if what was imported is not what its group says."""
        if slot.record.interface_type:
            checked_factory(slot.record.interface_type, slot.target)
            kind, label = slot.record.interface_type, slot.record.label
            slot.update(warning=self.warn_of_old_contract(kind, slot.target, label))
        elif slot.record.kind in _PARTS:
            slot.target = checked_part(slot.record, slot.target)

    def data_folders(self) -> list[tuple[PluginRecord, Path]]:
        """Return the folders of data packages, each with its plugin."""
        with self.lock:
            return [
                (slot.record, folder)
                for slot in self.slots
                if slot.record.kind is PluginKind.DATA
                for folder in slot.package_folders()
            ]

    def warn_of_old_contract(self, kind: str, target: Any, label: str = "") -> str:
        """Log that a class is for an older contract that is served; return the text."""
        text = contract_warning(target, kind) if isinstance(target, type) else None
        if text is not None:
            _log.warning("%s%s", f"plugin {label}: " if label else "", text)
        return text or ""

    # -- hooks -----------------------------------------------------------------------

    def hooks(self) -> HookTable:
        """Return the hook table; loads all hook modules at first use."""
        table = self._hooks
        if table is not None and not self._loading:
            return table
        with self.lock:
            if self._hooks is None:
                self._load_pending()
            assert self._hooks is not None  # noqa: S101 - made by the line before
            return self._hooks

    def _load_pending(self) -> None:
        if self._loading:
            return  # a hook module asks for hooks while it is imported
        from pyrave.plugins.hooks import HookTable

        # before the table is there: other threads then wait for the lock
        self._loading = True
        try:
            table = self._hooks = self._hooks or HookTable()
            pending = [
                slot
                for slot in self.slots
                if slot.record.kind is PluginKind.HOOKS
                and slot.record.state is PluginState.DECLARED
            ]
            self._offer_specs(table)
            for slot in pending:
                self._import(slot)
            # pluggy calls first what was added last
            for slot in reversed(pending):
                table.add(slot)
            for slot in pending:
                if not slot.record.state.usable:
                    _log_broken(slot.record)
        finally:
            self._loading = False
            self._kept.clear()

    def _offer_specs(self, table: HookTable) -> None:
        """Know the hooks that packages offer to each other."""
        for slot in self.slots:
            declared = slot.record.state is PluginState.DECLARED
            if slot.record.kind is PluginKind.SPECS and declared:
                self._import(slot)
                table.offer(slot)
                if not slot.record.state.usable:
                    _log_broken(slot.record)

    def add_slot(self, slot: Slot) -> None:
        """Add a plugin that is not an entry point, already imported."""
        with self.lock:
            self.hooks().add(slot)
            self.slots.append(slot)
            self._kept.clear()
            if not slot.record.state.usable:
                _log_broken(slot.record)

    def drop_slot(self, slot: Slot) -> None:
        """Take out what `add_slot` added."""
        with self.lock:
            if self._hooks is not None:
                self._hooks.remove(slot)
            self.slots[:] = [one for one in self.slots if one is not slot]
            self._kept.clear()

    def contributions(self, hook: str) -> tuple[tuple[Slot, Any], ...]:
        """Return (slot, item) for all items that a contribution hook gives.

        Items are as `pyrave.plugins.contributions.checked_answer` returns them.
        """
        return self.cached(hook, partial(self._collected, hook))

    def _collected(self, hook: str) -> tuple[tuple[Slot, Any], ...]:
        """Ask the plugins that have not answered a hook; return all answers."""
        with redirect_stdout(sys.stderr):
            asked = [slot for slot in self.slots if hook in slot.answers]
            for result in self.hooks().call(hook, {}, without=asked):
                error = result.error
                if error is None:
                    # an answer may be a generator: the plugin's code runs here
                    with PluginGuard() as guard:
                        assert result.slot is not None  # noqa: S101 - no wrappers here
                        self._keep_answer(result.slot, hook, result.value)
                    error = guard.error
                if error is not None and result.slot is not None:
                    self.quarantine(result.slot, error, f"hook {hook}")
        return tuple(
            (slot, item)
            for slot in self.slots
            if slot.record.state is PluginState.LOADED
            for item in slot.answers.get(hook, ())
        )

    def offered(self, hook: str, kind: str) -> tuple[tuple[Slot, str, Any], ...]:
        """Return (slot, id or tag, value) for what a hook gives for a type."""

        def collected() -> tuple[tuple[Slot, str, Any], ...]:
            return tuple(
                (slot, name, value)
                for slot, (its_kind, name, value) in self.contributions(hook)
                if its_kind == kind
            )

        return self.cached((hook, kind), collected)

    def _keep_answer(self, slot: Slot, hook: str, answer: Any) -> None:
        items = checked_answer(hook, answer)
        owner = slot.record.distribution
        for kind, alias, target in items if hook == "pyrave_interfaces" else ():
            if isinstance(target, str) and not any(
                belongs(one, owner) for one in self.declared(kind, target)
            ):
                raise PluginError(
                    f"{alias!r} is an alias of {kind} {target!r}, and "
                    f"{slot.record.origin} declares no entry point of that name"
                )
        if hook.endswith("_formats"):
            from pyrave.plugins.guarded_formats import guarded_format

            items = tuple(guarded_format(hook, one, slot) for one in items)
        slot.answers[hook] = items
        slot.update(**summary_fields(hook, items))

    def call(self, hook: str, arguments: dict[str, Any]) -> list[Any]:
        """Call a life-cycle hook of all plugins; return results that are not None."""
        results: list[Any] = []
        table = self.hooks()
        if not table.has(hook):
            return results
        for result in table.call(hook, arguments):
            if result.error is not None and result.slot is not None:
                env = arguments.get("env")
                self.quarantine(result.slot, result.error, f"hook {hook}", env)
            elif result.value is not None:
                results.append(result.value)
        return results

    # -- failures --------------------------------------------------------------------

    def quarantine(
        self, slot: Slot, error: BaseException, what: str, env: Any = None
    ) -> None:
        """Take a plugin out of use because its code raised; say so once."""
        with self.lock:
            slot.broken(error, f"{what} raised")
            if self._hooks is not None:
                self._hooks.remove(slot)
            self._kept.clear()
        if not hasattr(env, "report_problem"):
            _log_broken(slot.record)
            return
        record = slot.record
        problem = Problem(
            Severity.WARNING,
            f"plugin {record.label} is out of use: {record.reason}",
            hint="fix the plugin and start again; `pyrave plugins` shows its state",
            traceback=record.traceback if not isinstance(error, Error) else None,
            code="plugin-failure",
        )
        env.report_problem(problem)  # logs it

    def object_failed(
        self, record: PluginRecord, error: BaseException, what: str
    ) -> None:
        """Keep an exception of an object on the record of its plugin."""
        with self.lock:
            for slot in self.slots:
                if slot.key == record.key:
                    slot.failed(error, what)


def _log_broken(record: PluginRecord) -> None:
    text = "plugin %s is %s: %s\n%s" if record.traceback else "plugin %s is %s: %s%s"
    state, trace = record.state.value, record.traceback
    _log.error(text, record.label, state, record.reason, trace)
