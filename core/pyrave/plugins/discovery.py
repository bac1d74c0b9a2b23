"""Finding installed plugins by reading package metadata; nothing is imported."""

from __future__ import annotations

import importlib
import importlib.metadata
import logging
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyrave.interfaces.base import INTERFACE_TYPES
from pyrave.plugins.requirements import normalize_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["DATA_GROUP", "HOOK_GROUP", "EntryPoint", "discover", "installation_order"]

HOOK_GROUP = "pyrave.plugins"
DATA_GROUP = "pyrave.data"
_PREFIX = "pyrave."
_log = logging.getLogger("pyrave.plugins")
_VALUE = re.compile(r"^([\w.]+)\s*(?::\s*([\w.]+)\s*)?(?:\[.*\]\s*)?$")


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
        match = _VALUE.match(self.value)
        if match is None:
            raise ValueError(f"{self.value!r} is not of the form 'package.module:Name'")
        found: Any = importlib.import_module(match[1])
        for part in (match[2] or "").split("."):
            if part:
                found = getattr(found, part)
        return found


def discover(path: Sequence[str] | None = None) -> list[EntryPoint]:
    """Return the entry points of all pyrave groups in `installation_order`.

    Parameters
    ----------
    path
        Folders to look in; None is ``sys.path``. A distribution that is found
        twice (installed, and editable) counts once, as the import system sees it.
    """
    found: list[EntryPoint] = []
    seen: set[str] = set()
    if path is None:
        distributions = importlib.metadata.distributions()
    else:
        distributions = importlib.metadata.distributions(path=list(path))
    for distribution in distributions:
        try:
            text = distribution.read_text("entry_points.txt") or ""
            header = distribution.read_text("METADATA")
            header = header or distribution.read_text("PKG-INFO") or ""
        except (OSError, UnicodeError) as error:
            # somebody else's damaged package must not stop pyrave
            _log.warning("metadata of an installed package cannot be read: %s", error)
            continue
        name, version, requires = _header(header)
        key = normalize_name(name)
        if not name or key in seen:
            continue
        seen.add(key)
        if _PREFIX in text:
            found.extend(
                EntryPoint(group, entry, value, name, version, requires)
                for group, entry, value in _parse(text)
                if group.startswith(_PREFIX)
            )
    return installation_order(found)


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


def _header(text: str) -> tuple[str, str, tuple[str, ...]]:
    """Return name, version and requirements of a METADATA text.

    The email parser behind `importlib.metadata` takes half a millisecond a package.
    """
    name = version = ""
    requires = []
    for line in text.splitlines():
        if not line:
            break
        key, _, value = line.partition(":")
        if key == "Name":
            name = value.strip()
        elif key == "Version":
            version = value.strip()
        elif key == "Requires-Dist":
            requires.append(value.strip())
    return name, version, tuple(requires)


def _parse(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield (group, name, value) of an ``entry_points.txt``."""
    group = ""
    for raw in text.splitlines():
        line = raw.strip()
        if not line or line[0] in "#;":
            continue
        if line.startswith("[") and line.endswith("]"):
            group = line[1:-1].strip()
            continue
        name, separator, value = line.partition("=")
        if separator and group:
            yield group, name.strip(), value.strip()
