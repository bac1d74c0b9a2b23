"""Mutable state of a plugin: its record, imports and hook results."""

from __future__ import annotations

import dataclasses
import importlib.util
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyrave.errors import PluginGuard, did_you_mean, error_text, error_trace
from pyrave.interfaces.types import INTERFACE_TYPES
from pyrave.plugins.contracts import SCENE_PARTS, is_id
from pyrave.plugins.discovery import normalize_name, unmet_requirement
from pyrave.plugins.records import (
    DEFAULT_TASKS,
    DEFAULTS_GROUP,
    Failure,
    PluginKind,
    PluginRecord,
    PluginState,
    ReaderTag,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable


_OTHER_GROUPS = (
    "plugins", "data", "commands", "databases", "defaults", "hookspecs", "settings",
)  # fmt: skip


def blocking_pattern(record: PluginRecord, patterns: Iterable[str]) -> str | None:
    """Return the first pattern that blocks a plugin, or None.

    A pattern names a distribution, an entry point or ``distribution:entry``, with ``*``
    and ``?``; case does not matter, nor ``-`` against ``_``. A bare ``*`` means
    everything but pyrave's own.
    """
    if not patterns:
        return None
    package, name = normalize_name(record.distribution), normalize_name(record.name)
    for pattern in patterns:
        names = {f"{package}:{name}"} if ":" in pattern else {package, name}
        found = any(fnmatchcase(one, normalize_name(pattern)) for one in names)
        if found and (pattern != "*" or package != "pyrave"):
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

    __slots__ = (
        "_folders",
        "answers",
        "exception",
        "key",
        "path",
        "record",
        "sources",
        "target",
    )

    def __init__(self, record: PluginRecord, target: Any = None) -> None:
        self.record = record
        self.key = record.key
        self.target = target
        """The imported object."""
        self.exception: BaseException | None = None
        """Exception of the import, the cause of later errors."""
        self.answers: dict[str, tuple[Any, ...]] = {}
        """Checked results of its contribution hooks, by hook."""
        self.path = ""
        """Path that it was run from, if it is no entry point."""
        self.sources: frozenset[tuple[str, int, int]] = frozenset()
        """Files that were run from there, with their times and sizes."""
        self._folders: tuple[Path, ...] = ()
        family, _, kind = record.part.partition(".")
        if record.interface_type:
            self.update(interfaces={record.interface_type: (record.name,)})
        elif record.kind is PluginKind.READER:
            self.update(xml_readers=(ReaderTag(kind, record.name),))
        elif record.kind is PluginKind.FORMAT:
            self.update(**{family: (record.name,)})
        elif record.kind is PluginKind.COMMAND:
            self.update(commands=(record.name,))
        elif record.kind is PluginKind.DEFAULT:
            self.update(warning=_unknown_task(record))

    def judge(
        self, patterns: Iterable[str], allowed: Collection[str] = (), why: str = ""
    ) -> None:
        """Set the state that follows from metadata, block list and allow list.

        Parameters
        ----------
        why
            Why the allow list is what it is, if not because somebody wrote it.
        """
        pattern = blocking_pattern(self.record, patterns)
        if pattern is not None:
            self.set_state(PluginState.BLOCKED, f"switched off by {pattern!r}")
            return
        if not self._is_allowed(allowed):
            self.set_state(
                PluginState.BLOCKED, why or "not on the list of plugins to use"
            )
            return
        if self.record.state is PluginState.BLOCKED:
            path = self.record.kind is PluginKind.PATH
            self.set_state(PluginState.LOADED if path else PluginState.DECLARED)
        if self.record.state is not PluginState.DECLARED:
            return
        unmet = self._unmet_requirement()
        problem = _declaration_problem(self.record)
        if unmet:
            self.set_state(PluginState.INCOMPATIBLE, unmet)
        elif problem is not None:
            self.set_state(PluginState.BROKEN, problem)

    @property
    def _is_ours(self) -> bool:
        return normalize_name(self.record.distribution) == "pyrave"

    def _unmet_requirement(self) -> str:
        """Return that the plugin requires another pyrave, in words; empty if not."""
        if self._is_ours:
            return ""
        # late: reading the version takes a tenth of the time that a scene takes
        from pyrave import __version__

        unmet = unmet_requirement(self.record.requires, __version__)
        if unmet is None:
            return ""
        return f"{self.record.origin} requires {unmet}, this is pyrave {__version__}"

    def _is_allowed(self, allowed: Collection[str]) -> bool:
        """Return True if a list lets a plugin be used; an empty one lets all."""
        if not allowed or self._is_ours or self.record.kind is PluginKind.PATH:
            return True
        return blocking_pattern(self.record, allowed) is not None

    def set_state(self, state: PluginState, reason: str = "", trace: str = "") -> None:
        """Replace the record's state."""
        self.record = dataclasses.replace(
            self.record, state=state, reason=reason, traceback=trace
        )

    def update(self, **changes: Any) -> None:
        """Replace other fields of the record."""
        self.record = dataclasses.replace(self.record, **changes)

    def broken(self, error: BaseException, what: str) -> None:
        """Record that the plugin's code failed; it is out of use from now on."""
        self.set_state(
            PluginState.BROKEN, f"{what}: {error_text(error)}", error_trace(error)
        )

    def failed(self, error: BaseException, what: str) -> None:
        """Record that one object failed; the plugin stays in use."""
        failure = Failure(what, error_text(error), error_trace(error))
        self.update(failures=(*self.record.failures, failure))

    def package_folders(self) -> tuple[Path, ...]:
        """Return the folders of a data package, without importing it.

        A package that cannot be found breaks its slot.
        """
        if not self.record.state.usable:
            return ()
        if not self._folders:
            package, spec = self.record.value, None
            with PluginGuard() as guard:
                spec = importlib.util.find_spec(package)
            places = (spec and spec.submodule_search_locations) or ()
            self._folders = tuple(Path(folder) for folder in places)
            if guard.error is not None:
                self.broken(guard.error, f"looking for package {package} failed")
            elif not self._folders:
                self.set_state(PluginState.BROKEN, f"there is no package {package!r}")
            else:
                self.set_state(PluginState.LOADED)
        return self._folders


def _declaration_problem(record: PluginRecord) -> str | None:
    if record.kind is PluginKind.READER:
        kind = record.part.partition(".")[2]
        if kind not in {*INTERFACE_TYPES, *SCENE_PARTS}:
            near = did_you_mean(kind, (*INTERFACE_TYPES, *SCENE_PARTS))
            return f"there is no entry-point group {record.group!r}{near}"
    if record.kind is PluginKind.DEFAULT:
        return _default_problem(record)
    if record.kind is not PluginKind.INTERFACE:
        return None
    if not record.interface_type:
        kind = record.group.removeprefix("pyrave.")
        return (
            f"there is no entry-point group {record.group!r}"
            f"{did_you_mean(kind, (*INTERFACE_TYPES, *_OTHER_GROUPS))}"
        )
    if not is_id(record.name):
        return f"the id {record.name!r} is not one word without colon"
    return None


def _default_problem(record: PluginRecord) -> str | None:
    """Return the fault in the type or task of a default, or None."""
    kind, _, task = record.name.partition(".")
    write = f'write type = "Id" or type.task = "Id" in the group {DEFAULTS_GROUP}'
    if kind not in INTERFACE_TYPES:
        near = did_you_mean(kind, INTERFACE_TYPES)
        return f"{kind!r} in {record.name!r} is no interface type{near}; {write}"
    if task and not _is_task(record):
        near = did_you_mean(task, DEFAULT_TASKS.get(kind, ()))
        if near:
            return f"{task!r} in {record.name!r} is no task of a {kind}{near}; {write}"
    return None


def _unknown_task(record: PluginRecord) -> str:
    """Return that pyrave asks for no such task; empty if it does."""
    kind, _, task = record.name.partition(".")
    if not task or _is_task(record):
        return ""
    known = ", ".join(DEFAULT_TASKS.get(kind, ())) or "none"
    return (
        f"the default {record.name!r} of {record.origin} is of a task that pyrave does "
        f"not give; tasks of a {kind}: {known}. Only code that asks for it by "
        "registry.default_id hears of it"
    )


def _is_task(record: PluginRecord) -> bool:
    kind, _, task = record.name.partition(".")
    return task in DEFAULT_TASKS.get(kind, ())
