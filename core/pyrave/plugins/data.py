"""Folders of packages that ship robots and scenes (group ``pyrave.data``)."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

from pyrave.errors import PluginGuard
from pyrave.plugins.records import PluginState

if TYPE_CHECKING:
    from pyrave.plugins.slots import Slot


def package_folders(slot: Slot) -> tuple[Path, ...]:
    """Return the folders of a data package, without importing it.

    A package that cannot be found breaks its slot.
    """
    if not slot.record.state.usable:
        return ()
    if slot.folders:
        return slot.folders
    value = slot.record.value
    spec = None
    with PluginGuard() as guard:
        spec = importlib.util.find_spec(value)
    if guard.error is not None:
        slot.broken(guard.error, f"looking for package {value} failed")
        return ()
    folders = list(spec.submodule_search_locations or ()) if spec else []
    if not folders:
        slot.put(PluginState.BROKEN, f"there is no package {value!r}")
        return ()
    slot.put(PluginState.LOADED)
    slot.folders = tuple(Path(folder) for folder in folders)
    return slot.folders
