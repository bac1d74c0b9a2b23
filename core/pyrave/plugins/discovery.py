"""Finding installed plugins by reading package metadata; nothing is imported."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import importlib_metadata

from pyrave.errors import PluginGuard
from pyrave.interfaces.base import INTERFACE_TYPES
from pyrave.plugins.requirements import normalize_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

HOOK_GROUP = "pyrave.plugins"
DATA_GROUP = "pyrave.data"
_PREFIX = "pyrave."
_log = logging.getLogger("pyrave.plugins")


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """One entry point of a pyrave group.

    Parameters
    ----------
    group, name, value
        As in ``[project.entry-points."group"]`` ``name = "value"``.
    distribution, version
        Who declares it.
    requires
        The distribution's ``Requires-Dist`` lines.
    """

    group: str
    name: str
    value: str
    distribution: str = ""
    version: str = ""
    requires: tuple[str, ...] = ()

    @property
    def interface_type(self) -> str:
        """The interface type of the group, or ``""`` for hooks and data."""
        kind = self.group[len(_PREFIX) :]
        return kind if kind in INTERFACE_TYPES else ""

    @property
    def module(self) -> str:
        """Name of the module that `load` imports."""
        return self.value.partition(":")[0].strip()

    def load(self) -> Any:
        """Import the module and return the object; raises what the import raises."""
        entry = importlib_metadata.EntryPoint(self.name, self.value, self.group)
        try:
            entry.module  # noqa: B018 - parses the value
        except (ValueError, AssertionError) as error:
            raise ValueError(
                f"{self.value!r} is not of the form 'package.module:Name'"
            ) from error
        return entry.load()


def discover(path: Sequence[str] | None = None) -> list[EntryPoint]:
    """Return the entry points of all pyrave groups in `installation_order`.

    Parameters
    ----------
    path
        Folders to look in; None is ``sys.path``. A distribution that is found
        twice (installed, and editable) counts once, as the import system sees it.
    """
    where = {} if path is None else {"path": list(path)}
    found: dict[str, tuple[EntryPoint, ...]] = {}
    for distribution in importlib_metadata.distributions(**where):
        # a damaged package stops no other
        with PluginGuard(_log_damaged):
            if not _of_pyrave(distribution.entry_points):
                continue
            name = distribution.name
            key = normalize_name(name)
            if key not in found:
                # a distribution further back on the path must not come to light
                # because the one that hides it offers nothing
                same = importlib_metadata.distributions(name=name, **where)
                first = next(iter(same), distribution)
                found[key] = _entries(first.entry_points, first.metadata)
    return installation_order(entry for entries in found.values() for entry in entries)


def _log_damaged(error: BaseException) -> None:
    text = "metadata of an installed package cannot be read: %s: %s"
    _log.warning(text, type(error).__name__, error)


def _of_pyrave(
    entry_points: Iterable[importlib_metadata.EntryPoint],
) -> list[importlib_metadata.EntryPoint]:
    return [one for one in entry_points if one.group.startswith(_PREFIX)]


def _entries(
    entry_points: Iterable[importlib_metadata.EntryPoint],
    metadata: importlib_metadata.PackageMetadata,
) -> tuple[EntryPoint, ...]:
    name, version = metadata["Name"], metadata["Version"]
    requires = tuple(metadata.get_all("Requires-Dist") or ())
    return tuple(
        EntryPoint(one.group, one.name, one.value, name, version, requires)
        for one in _of_pyrave(entry_points)
    )


def installation_order(entries: Iterable[EntryPoint]) -> list[EntryPoint]:
    """Return entry points in the order in which they are asked.

    pyrave's own come first, so that nothing overrides them silently; then by name of
    the distribution and of the entry.
    """
    return sorted(
        entries,
        key=lambda entry: (
            normalize_name(entry.distribution) != "pyrave",
            normalize_name(entry.distribution),
            entry.name.lower(),
            entry.name,
            entry.group,
        ),
    )
