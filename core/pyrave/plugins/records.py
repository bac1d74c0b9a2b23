"""What is known about plugins: records, conflicts and the report of all of them."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from typing import Any, NamedTuple


class InterfaceName(NamedTuple):
    """What can be created."""

    interface_type: str
    id: str


class Alias(NamedTuple):
    """Another id of what an entry point of the same distribution declares."""

    interface_type: str
    alias: str
    id: str


class ReaderTag(NamedTuple):
    """What a custom XML reader reads."""

    interface_type: str
    tag: str


class PluginState(enum.Enum):
    """Where a plugin stands."""

    DECLARED = "declared"
    """Known from metadata, not imported yet."""
    LOADED = "loaded"
    """Imported and in use."""
    BLOCKED = "blocked"
    """Switched off by the user; not imported."""
    INCOMPATIBLE = "incompatible"
    """Made for another version of pyrave or of an interface contract."""
    BROKEN = "broken"
    """Could not be imported, breaks a rule, or a hook of it raised."""

    @property
    def usable(self) -> bool:
        """True if it is or can be used."""
        return self in {PluginState.DECLARED, PluginState.LOADED}


class PluginKind(enum.Enum):
    """What an entry offers."""

    INTERFACE = "interface"
    """One interface id (group ``pyrave.<type>``)."""
    HOOKS = "hooks"
    """A module with hooks (group ``pyrave.plugins``)."""
    DATA = "data"
    """A package that ships robots and scenes (group ``pyrave.data``)."""
    PATH = "path"
    """A module that was run from a path, with permission."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One exception of a plugin's code.

    Parameters
    ----------
    what
        What the plugin was doing, for example ``hook pyrave_step_begin``.
    message
        Type and text of the exception.
    traceback
        Formatted traceback.
    """

    what: str
    message: str
    traceback: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class PluginRecord:
    """One plugin: an entry point, or a module run by path. Immutable; a snapshot.

    Parameters
    ----------
    name
        Name of the entry point; for an interface, its id.
    distribution, version
        The pip package; the distribution of a path plugin is empty.
    kind, group, value
        What it is, the entry point's group and its ``package.module:Class``.
    state, reason, traceback
        Where it stands, and why if it cannot be used.
    interfaces
        Interface type -> ids. For hooks this is known once they are loaded.
    aliases
        Aliases, known once loaded.
    xml_readers
        Tags of its readers, known once loaded.
    scene_formats, mesh_formats, commands, hooks
        Names, known once loaded.
    failures
        Exceptions of objects of this plugin, for example a step that raised.
    """

    name: str
    distribution: str
    version: str
    kind: PluginKind
    group: str
    value: str
    state: PluginState = PluginState.DECLARED
    reason: str = ""
    traceback: str = field(default="", repr=False)
    interfaces: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    aliases: tuple[Alias, ...] = ()
    xml_readers: tuple[ReaderTag, ...] = ()
    scene_formats: tuple[str, ...] = ()
    mesh_formats: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()
    failures: tuple[Failure, ...] = ()

    @property
    def label(self) -> str:
        """``"distribution:name"``, or the name of a path plugin."""
        return f"{self.distribution}:{self.name}" if self.distribution else self.name

    @property
    def key(self) -> str:
        """What no other plugin of the process has in common with this one."""
        return f"{self.distribution}:{self.group}:{self.name}={self.value}"

    @property
    def origin(self) -> str:
        """The package and its version for messages, or the path."""
        if not self.distribution:
            return self.value
        return f"{self.distribution} {self.version}".rstrip()

    def explain(self) -> str:
        """Return why it cannot be used, with the traceback, indented for a list."""
        head = f"  {self.label} ({self.value}) is {self.state.value}"
        text = f"{head}: {self.reason}" if self.reason else head
        if self.traceback:
            text += "\n" + "\n".join(
                f"    {line}" for line in self.traceback.rstrip().splitlines()
            )
        return text

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON data."""
        return {one.name: _plain(getattr(self, one.name)) for one in fields(self)}


@dataclass(frozen=True, slots=True)
class Conflict:
    """Several plugins offer the same thing; the first is used.

    Parameters
    ----------
    kind
        ``"interface"`` or ``"xml reader"``.
    interface_type, name
        The interface id or tag in question.
    candidates
        ``"distribution:name"`` of each, in order; the first is used.
    """

    kind: str
    interface_type: str
    name: str
    candidates: tuple[str, ...]

    @property
    def used(self) -> str:
        """The candidate that is used."""
        return self.candidates[0]

    def __str__(self) -> str:
        others = ", ".join(self.candidates[1:])
        text = (
            f"{self.kind} {self.interface_type} {self.name!r}: {self.used} is used, "
            f"also offered by {others}"
        )
        if self.kind == "interface":
            text += "; 'distribution:Id' picks one"
        return text

    def to_dict(self) -> dict[str, Any]:
        """Return the conflict as JSON data."""
        return {**asdict(self), "used": self.used}


@dataclass(frozen=True, slots=True)
class DistributionReport:
    """All plugins of one distribution."""

    name: str
    version: str
    records: tuple[PluginRecord, ...]

    @property
    def state(self) -> PluginState:
        """The worst state of its plugins; loaded if any is loaded and none is bad."""
        states = {record.state for record in self.records}
        order = (
            PluginState.BROKEN,
            PluginState.INCOMPATIBLE,
            PluginState.BLOCKED,
            PluginState.LOADED,
        )
        return next((s for s in order if s in states), PluginState.DECLARED)

    @property
    def interfaces(self) -> dict[str, tuple[str, ...]]:
        """Interface type -> ids of all its plugins."""
        found: dict[str, list[str]] = {}
        for record in self.records:
            for kind, ids in record.interfaces.items():
                found.setdefault(kind, []).extend(ids)
        return {kind: tuple(ids) for kind, ids in sorted(found.items())}

    @property
    def failed(self) -> tuple[PluginRecord, ...]:
        """Its plugins that cannot be used or whose objects failed."""
        return tuple(r for r in self.records if not r.state.usable or r.failures)

    def to_dict(self) -> dict[str, Any]:
        """Return the distribution as JSON data."""
        return {
            "name": self.name,
            "version": self.version,
            "state": self.state.value,
            "interfaces": _plain(self.interfaces),
            "plugins": _plain(self.records),
        }


@dataclass(frozen=True, slots=True)
class PluginReport:
    """Everything that is installed, by distribution.

    Parameters
    ----------
    distributions
        pyrave first, the others by name; path plugins under an empty name at the end.
    conflicts
        What several plugins offer.
    blocked
        Patterns that block plugins.
    registered
        What scripts registered.
    notes
        What is wrong with the installation itself.
    """

    distributions: tuple[DistributionReport, ...]
    conflicts: tuple[Conflict, ...] = ()
    blocked: tuple[str, ...] = ()
    registered: tuple[InterfaceName, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def records(self) -> tuple[PluginRecord, ...]:
        """All plugins in order."""
        return tuple(r for group in self.distributions for r in group.records)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON data."""
        return {one.name: _plain(getattr(self, one.name)) for one in fields(self)}


def _plain(value: Any) -> Any:
    """Return a part of a report as JSON data."""
    if isinstance(value, enum.Enum):
        return value.value
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if hasattr(value, "_asdict"):
        return value._asdict()
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value
