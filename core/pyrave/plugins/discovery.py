"""Finding installed plugins by their metadata, and importing what it names."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any

import importlib_metadata

from pyrave.errors import PluginGuard, error_text
from pyrave.messages import LOGGER
from pyrave.plugins.records import PluginRecord

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_ON_PYRAVE = re.compile(r"\s*pyrave(?![\w.-]*\w)", re.IGNORECASE)
_REQUIRED = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)")
_log = logging.getLogger(f"{LOGGER}.plugins")


def normalize_name(name: str) -> str:
    """Return a distribution's name in lower case with ``-`` as the only separator."""
    return re.sub(r"[-_.]+", "-", name.strip()).lower()


def discover(path: Sequence[str] | None = None) -> list[PluginRecord]:
    """Return the entry points of all pyrave groups in `installation_order`.

    Parameters
    ----------
    path
        Folders to look in; None is ``sys.path``. A distribution that is found
        twice (installed, and editable) counts once, as the import system sees it.
    """
    where = {} if path is None else {"path": list(path)}
    found: dict[str, tuple[PluginRecord, ...]] = {}
    for distribution in importlib_metadata.distributions(**where):
        # a damaged package stops no other
        with PluginGuard(_log_damaged):
            entries = _entries(distribution)
            key = normalize_name(entries[0].distribution) if entries else ""
            if entries and key not in found:
                # one that hides another of the same name on the path counts even if it
                # offers nothing
                same = importlib_metadata.distributions(name=distribution.name, **where)
                found[key] = _entries(next(iter(same), distribution))
    return installation_order(entry for entries in found.values() for entry in entries)


def _log_damaged(error: BaseException) -> None:
    text = "metadata of an installed package cannot be read: %s"
    _log.warning(text, error_text(error))


def _entries(distribution: Any) -> tuple[PluginRecord, ...]:
    found = distribution.entry_points
    ours = [one for one in found if one.group.startswith("pyrave.")]
    if not ours:
        return ()  # metadata of most packages is not read
    metadata = distribution.metadata
    name, version = metadata["Name"], metadata["Version"]
    requires = tuple(metadata.get_all("Requires-Dist") or ())
    return tuple(
        PluginRecord(one.group, one.name, one.value, name, version, requires)
        for one in ours
    )


def installation_order(entries: Iterable[PluginRecord]) -> list[PluginRecord]:
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


def unmet_requirement(requires: Iterable[str], version: str) -> str | None:
    """Return the first requirement on pyrave that `version` does not meet, or None.

    Parameters
    ----------
    requires
        Values of ``Requires-Dist`` such as ``"pyrave>=0.1,<2"``. One that is malformed
        or gives an address is left to the installer.
    version
        The version of pyrave.
    """
    return next((one.strip() for one in requires if _is_unmet(one, version)), None)


def _is_unmet(line: str, version: str) -> bool:
    if not _ON_PYRAVE.match(line):
        return False
    # late: most processes meet no plugin that is not pyrave's own
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        requirement = Requirement(line)
    except InvalidRequirement:
        return False
    marker = requirement.marker
    if marker is not None and not marker.evaluate({"extra": ""}):
        return False
    return not requirement.specifier.contains(version, prereleases=True)


def requirements(package: str) -> list[str]:
    """Return the names of what an installed package requires, with all its extras."""
    lines: list[str] = []
    with PluginGuard(_log_damaged):
        lines = importlib_metadata.requires(package) or []
    names = (_REQUIRED.match(line) for line in lines)
    return [found[1] for found in names if found is not None]


def load_target(record: PluginRecord) -> Any:
    """Import what an entry point names and return it; raises what the import raises."""
    entry = importlib_metadata.EntryPoint(record.name, record.value, record.group)
    try:
        entry.module  # noqa: B018 - parses the value
    except (ValueError, AssertionError) as error:
        raise ValueError(
            f"{record.value!r} is not of the form 'package.module:Name'"
        ) from error
    return entry.load()
