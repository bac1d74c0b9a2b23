"""Records of plugins, their conflicts, and the report of all of them."""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from textwrap import indent
from typing import Any, ClassVar, NamedTuple

from pyrave.interfaces.types import INTERFACE_TYPES

PREFIX = "pyrave."
HOOK_GROUP = f"{PREFIX}plugins"
DATA_GROUP = f"{PREFIX}data"
DEFAULTS_GROUP = f"{PREFIX}defaults"
DEFAULT_TASKS: Mapping[str, tuple[str, ...]] = {
    "controller": ("pd", "pose", "motion_queue", "spring", "several"),
    "planner": ("retimer", "smoother"),
    "module": ("json_rpc", "text"),
    "sensor": ("force_torque", "contact", "tactile"),
    "physicsengine": ("dynamics",),
}
"""Tasks that the environment gives to a plugin, by interface type."""


class InterfaceName(NamedTuple):
    """Type and id of an interface that can be created."""

    interface_type: str
    id: str


class Alias(NamedTuple):
    """Another id of what an entry point of the same distribution declares."""

    interface_type: str
    alias: str
    id: str


class ReaderTag(NamedTuple):
    """Interface type and tag that a custom XML reader reads."""

    interface_type: str
    tag: str


class PluginState(enum.Enum):
    """State of a plugin between discovery and use."""

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
        return self is PluginState.DECLARED or self is PluginState.LOADED


class PluginKind(enum.Enum):
    """Kinds of plugins, by the things they offer."""

    INTERFACE = "interface"
    """One interface id (group ``pyrave.<type>``)."""
    HOOKS = "hooks"
    """A module with hooks (group ``pyrave.plugins``)."""
    SPECS = "hookspecs"
    """A module of hooks that others may implement (group ``pyrave.hookspecs``)."""
    DATA = "data"
    """A package that ships robots and scenes (group ``pyrave.data``)."""
    READER = "xml reader"
    """A reader of a tag (group ``pyrave.xml_readers.<type>``)."""
    FORMAT = "format"
    """A format (group ``pyrave.scene_formats.<suffix>`` or ``mesh_formats``)."""
    COMMAND = "command"
    """A command (group ``pyrave.commands``)."""
    DATABASE = "database"
    """A kind of databases (group ``pyrave.databases``)."""
    DEFAULT = "default"
    """The id that serves where none is chosen (group ``pyrave.defaults``)."""
    SETTINGS = "settings"
    """A dataclass of the settings of a package (group ``pyrave.settings``)."""
    PATH = "path"
    """A module that was run from a path, with permission."""


_KINDS = {
    HOOK_GROUP: PluginKind.HOOKS,
    DATA_GROUP: PluginKind.DATA,
    "": PluginKind.PATH,
    f"{PREFIX}commands": PluginKind.COMMAND,
    f"{PREFIX}databases": PluginKind.DATABASE,
    DEFAULTS_GROUP: PluginKind.DEFAULT,
    f"{PREFIX}hookspecs": PluginKind.SPECS,
    f"{PREFIX}settings": PluginKind.SETTINGS,
}
# groups that go on with an interface type or a suffix
_FAMILIES = {
    "xml_readers": PluginKind.READER,
    "scene_formats": PluginKind.FORMAT,
    "mesh_formats": PluginKind.FORMAT,
}


@cache
def _kind_of(group: str) -> PluginKind:
    """Return the kind of an entry point's group; each load asks it of all."""
    family, _, more = group.removeprefix(PREFIX).partition(".")
    if more and family in _FAMILIES:
        return _FAMILIES[family]
    return _KINDS.get(group, PluginKind.INTERFACE)


class _Reported:
    """A dataclass with a form for JSON."""

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Any]]
    _derived: ClassVar[tuple[str, ...]] = ()
    """Properties that belong to the JSON data, too."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON data."""
        names = (*(one.name for one in fields(self)), *self._derived)
        return {name: _plain(getattr(self, name)) for name in names}


@dataclass(frozen=True, slots=True)
class Failure(_Reported):
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
class PluginRecord(_Reported):
    """One plugin: an entry point, or a module run by path. Immutable; a snapshot.

    Parameters
    ----------
    group, name, value
        As in ``[project.entry-points."group"]`` ``name = "value"``; the name of an
        interface is its id, the group of a path plugin is empty.
    distribution, version
        The pip package; the distribution of a path plugin is empty.
    requires
        The distribution's ``Requires-Dist`` lines.
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
    warning
        What has no effect, or will not work in later versions; empty: nothing.
    failures
        Exceptions of objects of this plugin, for example a step that raised.
    import_seconds
        How long its import took, with all that it imported first; None before.
    """

    group: str
    name: str
    value: str
    distribution: str = ""
    version: str = ""
    requires: tuple[str, ...] = ()
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
    warning: str = ""
    failures: tuple[Failure, ...] = ()
    import_seconds: float | None = field(default=None, compare=False)

    _derived = ("kind",)

    @property
    def kind(self) -> PluginKind:
        """Kind of the entry point."""
        return _kind_of(self.group)

    @property
    def part(self) -> str:
        """The group without ``pyrave.``."""
        return self.group.removeprefix(PREFIX)

    @property
    def suffix(self) -> str:
        """The suffix that the group of a format says, in lower case with the dot."""
        family, _, more = self.part.partition(".")
        return f".{more}".lower() if family.endswith("_formats") else ""

    @property
    def interface_type(self) -> str:
        """The interface type of the group, or ``""`` for hooks and data."""
        kind = self.group.removeprefix(PREFIX)
        return kind if kind in INTERFACE_TYPES else ""

    @property
    def extras(self) -> str:
        """The extras of the distribution that its entry point names."""
        return self.value.partition("[")[2].rstrip("] ")

    @property
    def label(self) -> str:
        """``"distribution:name"``, or the name of a path plugin."""
        return f"{self.distribution}:{self.name}" if self.distribution else self.name

    @property
    def key(self) -> str:
        """Key that no other plugin of the process has."""
        return f"{self.distribution}:{self.group}:{self.name}={self.value}"

    @property
    def origin(self) -> str:
        """The package and its version for messages, or the path."""
        if not self.distribution:
            return self.value
        return f"{self.distribution} {self.version}".rstrip()

    def is_of(self, distribution: str) -> bool:
        """Return True if it is of a distribution, by whichever spelling."""
        return _plain_name(self.distribution) == _plain_name(distribution)

    def explain(self) -> str:
        """Return the reason of a failure, with the traceback, indented for a list."""
        head = f"  {self.label} ({self.value}) is {self.state.value}"
        text = f"{head}: {self.reason}" if self.reason else head
        return f"{text}\n{indent(self.traceback, '    ')}".rstrip()


_REMEDIES = {
    "interface": "'distribution:Id' picks one",
    "xml reader": "a <plugin> tag or 'distribution:tag' picks one",
    "command": "'distribution:command' picks one",
    "data file": "a <plugin> tag picks one",
    "default": "another id is chosen where it is used: env.viewer = 'Id', planner='Id'",
}


@dataclass(frozen=True, slots=True)
class Conflict(_Reported):
    """Several plugins offer the same thing; the first is used.

    Parameters
    ----------
    kind
        ``"interface"``, ``"xml reader"``, ``"scene format"``, ``"mesh format"``,
        ``"command"``, ``"default"`` or ``"data file"``.
    interface_type, name
        The interface id or tag in question; others have no interface type.
    candidates
        ``"distribution:name"`` of each, in order; the first is used.
    """

    kind: str
    interface_type: str
    name: str
    candidates: tuple[str, ...]

    _derived = ("used",)

    @property
    def used(self) -> str:
        """The candidate that is used."""
        return self.candidates[0]

    def __str__(self) -> str:
        others = ", ".join(self.candidates[1:])
        what = f"{self.kind} {self.interface_type}".rstrip()
        text = f"{what} {self.name!r}: {self.used} is used, also offered by {others}"
        remedy = _REMEDIES.get(self.kind)
        return f"{text}; {remedy}" if remedy else text


@dataclass(frozen=True, slots=True)
class DistributionReport(_Reported):
    """All plugins of one distribution."""

    name: str
    version: str
    plugins: tuple[PluginRecord, ...]

    _derived = ("state", "interfaces")

    @property
    def state(self) -> PluginState:
        """The worst state of its plugins; loaded if any is loaded and none is bad."""
        states = {record.state for record in self.plugins}
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
        for record in self.plugins:
            for kind, ids in record.interfaces.items():
                found.setdefault(kind, []).extend(ids)
        return {kind: tuple(ids) for kind, ids in sorted(found.items())}

    @property
    def failed(self) -> tuple[PluginRecord, ...]:
        """Its plugins that cannot be used or whose objects failed."""
        return tuple(r for r in self.plugins if not r.state.usable or r.failures)


@dataclass(frozen=True, slots=True)
class PluginReport(_Reported):
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
        return tuple(r for group in self.distributions for r in group.plugins)


def _plain(value: Any) -> Any:
    """Return a part of a report as JSON data."""
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, _Reported):
        return value.to_dict()
    if hasattr(value, "_asdict"):
        return value._asdict()
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _plain_name(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name.strip()).lower()
