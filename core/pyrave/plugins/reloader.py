"""Running the code of plugins again, for work in progress."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from pyrave.errors import PluginError
from pyrave.plugins.discovery import discover, normalize_name
from pyrave.plugins.path_plugins import load_path, taken_modules
from pyrave.plugins.plugin_search import search_plugin
from pyrave.plugins.records import PluginKind, PluginState

if TYPE_CHECKING:
    from pyrave.plugins.plugin_table import PluginTable
    from pyrave.plugins.records import PluginRecord


def reload_plugins(table: PluginTable, name: str) -> tuple[PluginRecord, ...]:
    """Run the code of plugins again; see `Registry.reload`."""
    with table.lock:
        found = search_plugin(name, [slot.record for slot in table.slots])
        # what was installed since this process began
        records = found.records or search_plugin(name, discover()).records
        if not records:
            assert found.problem is not None  # noqa: S101 - says that there is none
            raise PluginError(found.problem.message)
        packages = {normalize_name(record.distribution) for record in records}
        if "pyrave" in packages:
            raise PluginError(
                f"plugin {name!r} is pyrave's own; start the program again instead"
            )
        if packages == {""}:
            keys = {record.key for record in records}
            slots = [slot for slot in table.slots if slot.key in keys]
            ran = [
                load_path(table, slot.path, allow=True, again=True) for slot in slots
            ]
            return tuple(slot.record for slot, _ in ran)
        before = [
            s.record
            for s in table.slots
            if normalize_name(s.record.distribution) in packages
        ]
        used = {one.key for one in before if one.state is not PluginState.DECLARED}
        taken_modules({_root(record) for record in before})
        table.renew(packages)
        slots = [
            s for s in table.slots if normalize_name(s.record.distribution) in packages
        ]
        for slot in slots:
            if slot.key in used and slot.record.kind is PluginKind.INTERFACE:
                with suppress(PluginError):  # the record says it
                    table.load(slot)
        return tuple(slot.record for slot in slots)


def _root(record: PluginRecord) -> str:
    """Return the outermost package of a plugin that is no namespace of several."""
    name = record.value.partition(":")[0].partition("[")[0].strip()
    parts = name.split(".")
    for count in range(1, len(parts)):
        package = ".".join(parts[:count])
        if getattr(sys.modules.get(package), "__file__", None):
            return package
    return name
