"""Reports of installed plugins, of conflicts, and of the owner of an object."""

from __future__ import annotations

from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import groupby
from typing import TYPE_CHECKING

from pyrave.cards import counted
from pyrave.errors import Problem, Severity, error_text, error_trace, shown
from pyrave.plugins.discovery import normalize_name
from pyrave.plugins.records import (
    Conflict,
    DistributionReport,
    InterfaceName,
    PluginKind,
    PluginRecord,
    PluginReport,
    PluginState,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from pyrave.interfaces.base import InterfaceBase
    from pyrave.plugins.plugin_table import PluginTable

_CODE = frozenset({".py", ".pyc", ".pyi", ".typed", ".md", ".txt", ".rst"})


def installed_report(
    table: PluginTable,
    registered: Iterable[InterfaceName],
    warnings: Mapping[str, str],
) -> PluginReport:
    """Return the report of all plugins as they are now.

    Parameters
    ----------
    warnings
        Of the registry that asks, by the keys of slots.
    """
    # a data package that is not there breaks its record: looked for first
    data = data_conflicts(table.data_folders())
    records = [
        replace(slot.record, warning=warnings[slot.key])
        if slot.key in warnings
        else slot.record
        for slot in table.slots
    ]
    groups = []
    for _, members in groupby(records, lambda r: normalize_name(r.distribution)):
        group = tuple(members)
        groups.append(
            DistributionReport(group[0].distribution, group[0].version, group)
        )
    return PluginReport(
        tuple(groups),
        (*conflicts_of(records), *data),
        tuple(table.patterns),
        tuple(registered),
        table.notes,
    )


def registry_line(records: Sequence[PluginRecord], registered: int) -> str:
    """Return one line about what is installed and what scripts registered."""
    usable = [one for one in records if one.state.usable]
    interfaces = sum(one.kind is PluginKind.INTERFACE for one in usable)
    packages = len({normalize_name(one.distribution) for one in usable})
    parts = [
        f"{counted(interfaces, 'interface')} of {counted(packages, 'package')}",
        *([f"{registered} registered here"] if registered else []),
        *(
            [f"{unusable} not usable"]
            if (unusable := len(records) - len(usable))
            else []
        ),
    ]
    return f"<Registry: {', '.join(parts)}>"


def failure_problem(
    source: InterfaceBase | PluginRecord,
    record: PluginRecord | None,
    error: BaseException,
    what: str,
) -> Problem:
    """Return a warning that an object of a plugin raised while it did something."""
    subject = "" if isinstance(source, PluginRecord) else shown(source)
    origin = f" of plugin {record.label}" if record is not None else ""
    return Problem(
        Severity.WARNING,
        f"{subject}{origin}: {what} raised {error_text(error)}".strip(),
        traceback=error_trace(error),
        code="plugin-failure",
    )


def owner_of(
    item: InterfaceBase, records: Sequence[PluginRecord]
) -> PluginRecord | None:
    """Return the plugin that an object is of, None for what a script registered."""
    if not item.plugin:
        return None
    kind, name = item.interface_type, item.interface_id.lower()
    theirs = [one for one in records if one.distribution == item.plugin]
    for its_kind, alias, target in (a for one in theirs for a in one.aliases):
        if (its_kind, alias.lower()) == (kind, name):
            name = target.lower()
    for record in theirs:
        ids = record.interfaces.get(kind, ())
        if any(fnmatchcase(name, one.lower()) for one in ids):
            return record
    return None


def conflicts_of(records: Iterable[PluginRecord]) -> tuple[Conflict, ...]:
    """Return the offers of several usable plugins under one name, in order.

    Entry points come before ids that hook modules offer at run time, as in creation.
    """
    usable = [record for record in records if record.state is not PluginState.BLOCKED]
    usable.sort(key=lambda record: record.kind is not PluginKind.INTERFACE)
    offers: dict[tuple[str, str, str], list[tuple[PluginRecord, str]]] = {}
    for record in usable:
        for what, kind, name in _offers_of(record):
            offers.setdefault((what, kind, name.lower()), []).append((record, name))
    return tuple(
        Conflict(what, kind, found[0][1], tuple(_label(r, one) for r, one in found))
        for (what, kind, _), found in offers.items()
        if len({(normalize_name(r.distribution), r.value) for r, _ in found}) > 1
    )


def data_conflicts(
    folders: Sequence[tuple[PluginRecord, Path]],
) -> Iterator[Conflict]:
    """Yield the files that the data folders of several packages have, by name."""
    if len({record.distribution for record, _ in folders}) < 2:
        return
    found: dict[str, list[str]] = {}
    for record, folder in folders:
        for file in sorted(folder.rglob("*")):
            if file.suffix not in _CODE and file.suffix and file.is_file():
                name = file.relative_to(folder).as_posix()
                found.setdefault(name, []).append(f"{record.distribution}:{name}")
    for name, candidates in found.items():
        if len(candidates) > 1:
            yield Conflict("data file", "", name, tuple(candidates))


def _offers_of(record: PluginRecord) -> Iterator[tuple[str, str, str]]:
    """Give (what, interface type, id or tag)."""
    for kind, ids in record.interfaces.items():
        yield from (("interface", kind, one) for one in ids)
    yield from (("interface", kind, alias) for kind, alias, _ in record.aliases)
    if record.state.usable:
        yield from (("xml reader", kind, tag) for kind, tag in record.xml_readers)
        yield from (("scene format", "", name) for name in record.scene_formats)
        yield from (("mesh format", "", name) for name in record.mesh_formats)
        yield from (("command", "", name) for name in record.commands)
        if record.kind is PluginKind.DEFAULT:
            yield "default", "", record.name


def _label(record: PluginRecord, name: str) -> str:
    return f"{record.distribution or record.name}:{name}"
