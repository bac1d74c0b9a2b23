"""The changing side of a plugin: its record now, what was imported, its answers."""

from __future__ import annotations

import dataclasses
import traceback
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from pyrave.errors import did_you_mean
from pyrave.interfaces.base import INTERFACE_TYPES
from pyrave.plugins.discovery import DATA_GROUP, HOOK_GROUP
from pyrave.plugins.records import Failure, PluginKind, PluginRecord, PluginState
from pyrave.plugins.requirements import normalize_name, unmet_requirement

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pyrave.plugins.discovery import EntryPoint


def format_failure(error: BaseException) -> tuple[str, str]:
    """Return ``"Type: text"`` and the traceback of an exception."""
    text = "".join(traceback.format_exception(error))
    return f"{type(error).__name__}: {error}", text


def is_blocked(record: PluginRecord, patterns: Iterable[str]) -> str | None:
    """Return the first pattern that blocks a plugin, or None.

    A pattern names a distribution, an entry point or ``distribution:entry``, without
    case, with ``*`` and ``?``. A bare ``*`` means everything but pyrave's own.
    """
    distribution = normalize_name(record.distribution)
    name = record.name.lower()
    for pattern in patterns:
        if pattern == "*":
            if distribution != "pyrave":
                return pattern
            continue
        before, colon, after = pattern.lower().partition(":")
        if colon:
            blocked = fnmatchcase(distribution, normalize_name(before)) and fnmatchcase(
                name, after
            )
        else:
            blocked = fnmatchcase(name, before) or fnmatchcase(
                distribution, normalize_name(before)
            )
        if blocked:
            return pattern
    return None


def belongs(slot: Slot, distribution: str) -> bool:
    """Return True if a plugin is of a distribution; an empty name fits all."""
    if not distribution:
        return True
    owner = slot.record.distribution or slot.record.name
    return normalize_name(owner) == normalize_name(distribution)


class Slot:
    """One plugin: where its record is replaced as it is imported, blocked or fails."""

    __slots__ = ("answers", "entry", "exception", "folders", "key", "record", "target")

    def __init__(self, entry: EntryPoint, record: PluginRecord) -> None:
        self.entry = entry
        self.record = record
        self.key = record.key
        self.target: Any = None
        """What was imported."""
        self.exception: BaseException | None = None
        """What the import raised, to be the cause of later errors."""
        self.answers: dict[str, tuple[Any, ...]] = {}
        """Checked results of its contribution hooks, by hook."""
        self.folders: tuple[Path, ...] = ()
        """Where its package is, once that was looked for (data packages)."""

    @classmethod
    def of(cls, entry: EntryPoint, patterns: Iterable[str], version: str) -> Slot:
        """Make the slot of an entry point and judge it by its metadata."""
        slot = cls(entry, _declared(entry))
        slot.judge(patterns, version)
        return slot

    def judge(self, patterns: Iterable[str], version: str) -> None:
        """Set the state that follows from metadata and from the block list."""
        record = self.record
        pattern = is_blocked(record, patterns)
        unmet = unmet_requirement(self.entry.requires, version)
        if pattern is not None:
            self.put(PluginState.BLOCKED, f"switched off by {pattern!r}")
        elif record.state is PluginState.BLOCKED:
            self.put(PluginState.DECLARED)
            self.judge(patterns, version)
        elif record.state is not PluginState.DECLARED:
            return
        elif unmet is not None:
            self.put(
                PluginState.INCOMPATIBLE,
                f"{record.origin} requires {unmet}, this is pyrave {version}",
            )
        elif record.kind is PluginKind.INTERFACE:
            problem = _declaration_problem(self.entry)
            if problem:
                self.put(PluginState.BROKEN, problem)

    def put(self, state: PluginState, reason: str = "", trace: str = "") -> None:
        """Replace the record's state."""
        self.record = dataclasses.replace(
            self.record, state=state, reason=reason, traceback=trace
        )

    def update(self, **changes: Any) -> None:
        """Replace other fields of the record."""
        self.record = dataclasses.replace(self.record, **changes)

    def broken(self, error: BaseException, what: str) -> None:
        """Record that the plugin's code failed; it is out of use from now on."""
        message, trace = format_failure(error)
        self.put(PluginState.BROKEN, f"{what}: {message}", trace)

    def failed(self, error: BaseException, what: str) -> None:
        """Record that one object failed; the plugin stays in use."""
        failure = Failure(what, *format_failure(error))
        self.update(failures=(*self.record.failures, failure))


def _declared(entry: EntryPoint) -> PluginRecord:
    kind, interfaces = PluginKind.INTERFACE, {}
    if entry.group == HOOK_GROUP:
        kind = PluginKind.HOOKS
    elif entry.group == DATA_GROUP:
        kind = PluginKind.DATA
    elif entry.interface_type:
        interfaces = {entry.interface_type: (entry.name,)}
    return PluginRecord(
        entry.name,
        entry.distribution,
        entry.version,
        kind,
        entry.group,
        entry.value,
        interfaces=interfaces,
    )


def _declaration_problem(entry: EntryPoint) -> str | None:
    kind = entry.group.removeprefix("pyrave.")
    if not entry.interface_type:
        return (
            f"there is no entry-point group {entry.group!r}"
            f"{did_you_mean(kind, (*INTERFACE_TYPES, 'plugins', 'data'))}"
        )
    if ":" in entry.name or entry.name.split() != [entry.name]:
        return f"the id {entry.name!r} is not one word without colon"
    return None
