"""The registry: finds, creates and reports what plugins and scripts offer."""

from __future__ import annotations

import copy
import os
import threading
from contextlib import nullcontext, suppress
from fnmatch import fnmatchcase
from functools import partial
from typing import TYPE_CHECKING, Any

from pyrave.errors import (
    ArgumentError,
    InterfaceNotFoundError,
    NotFoundError,
    PluginError,
    Problem,
)
from pyrave.interfaces.settings.declarations import settings_of
from pyrave.interfaces.settings.words import split_words
from pyrave.plugins import declared_contributions
from pyrave.plugins.contracts import (
    checked_factory,
    is_id,
    resolve_reader_kind,
    resolve_type,
    settings_type_of,
)
from pyrave.plugins.contributions import CONTRIBUTIONS
from pyrave.plugins.creation import Provider, make
from pyrave.plugins.plugin_search import PluginSearch, search_plugin
from pyrave.plugins.plugin_settings import given_settings
from pyrave.plugins.plugin_table import PluginTable
from pyrave.plugins.records import (
    DEFAULTS_GROUP,
    InterfaceName,
    PluginKind,
    PluginRecord,
    PluginReport,
    PluginState,
)
from pyrave.plugins.reports import (
    failure_problem,
    installed_report,
    owner_of,
    registry_line,
)
from pyrave.plugins.script_registrations import Layer, Registered, Registration
from pyrave.plugins.slots import belongs
from pyrave.plugins.user_settings import read_user_settings, settings_file

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path

    from pyrave.databases import Database
    from pyrave.environment import Environment
    from pyrave.interfaces.base import InterfaceBase
    from pyrave.interfaces.settings.declarations import Setting
    from pyrave.plugins.plugin_settings import GivenSettings
    from pyrave.plugins.slots import Slot


_NOT_IMPORTED = {PluginKind.HOOKS, PluginKind.DATA, PluginKind.DEFAULT}


class Registry:
    """Registry of interfaces, readers and formats. Threads may share it.

    One registry of a process knows the installed plugins (`default_registry`). Each
    environment has a child of it: what is registered there counts there only and
    takes precedence over what is installed; plugins and their states are shared.

    Parameters
    ----------
    entry_points
        Plugins; None is what is installed, read at first use.
    disabled
        Patterns of blocked plugins; None is ``PYRAVE_DISABLE_PLUGINS``: names of
        distributions, entry points or ``distribution:Id``, separated by commas or
        blanks, with ``*``; a bare ``*`` blocks all but pyrave's own.
    only
        Patterns of all that is used besides pyrave's own, if there are any; None is
        ``PYRAVE_ONLY_PLUGINS``. Without the variables the user's file says both.
    """

    def __init__(
        self,
        entry_points: Iterable[PluginRecord] | None = None,
        *,
        disabled: Iterable[str] | None = None,
        only: Iterable[str] | None = None,
    ) -> None:
        self._user = user = read_user_settings(settings_file())
        self._table = PluginTable(
            entry_points, *user.choice(disabled, only), user.problems
        )
        self._layers: tuple[Layer, ...] = (Layer(),)

    def __repr__(self) -> str:
        return registry_line(self.records(), len(self._registered_names("interface")))

    def child(self) -> Registry:
        """Return a registry that adds its own registrations to those of this one."""
        made = copy.copy(self)
        made._layers = (Layer(), *self._layers)  # noqa: SLF001 - our own class
        return made

    @property
    def parent(self) -> Registry:
        """The registry without what was registered in this child of it."""
        made = copy.copy(self)
        made._layers = self._layers[1:] or (Layer(),)  # noqa: SLF001 - our own class
        return made

    def take_registrations(self, other: Registry) -> None:
        """Offer here what is registered in another now, as long as it is there."""
        self._layers[0].take(other._layers[0])

    # -- listing -----------------------------------------------------------------------

    def records(self) -> tuple[PluginRecord, ...]:
        """Return all plugins in order; imports nothing."""
        return tuple(slot.record for slot in self._table.slots)

    def report(self, *, load: bool = False) -> PluginReport:
        """Return everything that is installed.

        Parameters
        ----------
        load
            Import every plugin first, so that all readers, formats and failures
            are known; otherwise nothing is imported.
        """
        if load:
            self.load_all()
        names = self._registered_names("interface")
        return installed_report(self._table, names, self._unsupplied_defaults())

    def load_all(self) -> None:
        """Import every plugin that is not blocked; failures end in the records."""
        for hook in CONTRIBUTIONS:
            self._table.contributions(hook)
        self.data_folders()
        for slot in list(self._table.slots):
            if slot.record.kind not in _NOT_IMPORTED and slot.record.state.usable:
                with suppress(PluginError):  # the record says it
                    self._table.load(slot)

    def ids(self, interface_type: str, *, load: bool = True) -> list[str]:
        """Return the ids of a type that can be created, each once.

        Parameters
        ----------
        interface_type
            Type or alias.
        load
            Also ask hook modules, which may offer ids known only at run time.
        """
        kind = resolve_type(interface_type)
        names = [one.id for one in self._registered_names("interface", kind)]
        names += [
            one.name
            for one in self.records()
            if one.state.usable and one.interface_type == kind
        ]
        if load:
            names += [
                name for _, name, _ in self._table.offered("pyrave_interfaces", kind)
            ]
        unique: dict[str, str] = {}
        for name in names:
            unique.setdefault(name.lower(), name)
        return list(unique.values())

    def offers(self, interface_type: str, interface_id: str) -> bool:
        """Return True if ``"Id"`` or ``"distribution:Id"`` can be asked for."""
        try:
            self.provider(interface_type, interface_id)
        except PluginError:
            return False
        return True

    # -- creating ----------------------------------------------------------------------

    def provider(self, interface_type: str, interface_id: str) -> Provider:
        """Return the provider of ``"Id"`` or ``"distribution:Id"``; imports no class.

        What was registered last wins, then entry points in order, then ids of hook
        modules, then patterns of those. A blocked plugin is passed over; one that is
        broken or incompatible is not: asking it for its class says why it cannot be
        used.

        Raises
        ------
        InterfaceNotFoundError
            Nobody offers it; names what is there and what could not be used.
        """
        kind = resolve_type(interface_type)
        distribution, _, name = interface_id.strip().rpartition(":")
        local = None if distribution else self._registered("interface", kind, name)
        if local is not None:
            return Provider(kind, local.name, None, lambda: local.value)
        for slot in self._table.declared(kind, name):
            if (
                belongs(slot, distribution)
                and slot.record.state is not PluginState.BLOCKED
            ):
                return self._provider(kind, slot.record.name, slot)
        offered = [
            (slot, its_id, factory)
            for slot, its_id, factory in self._table.offered("pyrave_interfaces", kind)
            if belongs(slot, distribution)
        ]
        for slot, its_id, factory in offered:
            if its_id.lower() == name.lower():
                return self._provider(kind, its_id, slot, factory)
        for slot, pattern, factory in offered:
            if "*" in pattern and fnmatchcase(name.lower(), pattern.lower()):
                return self._provider(kind, name, slot, factory)
        failures = [*self._failures(kind), *self._defaults_of(kind, interface_id)]
        raise InterfaceNotFoundError(kind, interface_id, self.ids(kind), failures)

    def distributions(self, interface_type: str, interface_id: str) -> list[str]:
        """Return the distributions that offer an id, the one in use first.

        Empty where a script registered it.
        """
        kind = resolve_type(interface_type)
        if self._registered("interface", kind, interface_id) is not None:
            return []
        return self._table.distributions(kind, interface_id)

    def reference(self, item: InterfaceBase) -> str:
        """Return the id under which an object's class is found again.

        ``"Id"``, or ``"distribution:Id"`` where that alone would be another class.
        """
        kind, name = item.interface_type, item.interface_id
        if not item.plugin:
            return name
        shadowed = self._registered("interface", kind, name) is not None
        unique = not shadowed and len(self._table.distributions(kind, name)) < 2
        return name if unique else f"{item.plugin}:{name}"

    def alias_target(self, interface_type: str, interface_id: str) -> str | None:
        """Return the id that an alias stands for; None for any other name."""
        for _, name, factory in self._table.offered(
            "pyrave_interfaces", interface_type
        ):
            if name.lower() == interface_id.lower() and isinstance(factory, str):
                return factory
        return None

    def default_id(self, interface_type: str, task: str = "") -> str:
        """Return the id that serves where none is chosen; empty if a type has none.

        Entry points of the group ``pyrave.defaults`` declare it: ``type = "Id"``, or
        ``type.task = "Id"`` for a task that the environment gives to a plugin.

        Parameters
        ----------
        task
            One of `pyrave.plugins.records.DEFAULT_TASKS`, for example ``"smoother"`` of
            planners.

        Raises
        ------
        NotFoundError
            Nobody declares the task.
        """
        kind = resolve_type(interface_type)
        name = f"{kind}.{task}" if task else kind
        found = self._table.default(name)
        if task and not found:
            known = [one.name for one in self.records() if one.group == DEFAULTS_GROUP]
            raise NotFoundError(
                "default", name, known,
                f"plugins declare it by an entry point of the group {DEFAULTS_GROUP}; "
                "an editable installation learns of new ones when installed again",
            )  # fmt: skip
        return found

    def declared_settings(
        self, interface_type: str, interface_id: str
    ) -> Mapping[str, Setting]:
        """Return the settings that the class or factory of an id declares, by name.

        Empty where nobody offers it, or its plugin cannot be used.
        """
        try:
            factory = self.provider(interface_type, interface_id).load()
        except PluginError:
            return {}
        return settings_of(settings_type_of(factory))

    def create(
        self,
        env: Environment,
        interface_type: str,
        interface: str = "",
        settings: Mapping[str, Any] | None = None,
    ) -> InterfaceBase:
        """Create an interface from its type and ``"Id arg arg"``.

        Parameters
        ----------
        env
            The environment it is for.
        interface_type
            Type, or an alias of older files.
        interface
            The id matches without case and may be ``"distribution:Id"``; the words
            after it are settings. Empty: the type's default.
        settings
            More settings by name.

        Raises
        ------
        ArgumentError
            There is no such type, or no id was given for a type without default.
        SettingError
            A setting is unknown, or its value is not one that the class declares.
        InterfaceNotFoundError
            Nobody offers the id.
        InterfaceCreationError
            Its plugin cannot be used, or its code raised; chained to the cause.
        """
        return self.maker(interface_type, interface, settings)(env)

    def maker(
        self,
        interface_type: str,
        interface: str = "",
        settings: Mapping[str, Any] | None = None,
    ) -> Callable[[Environment], InterfaceBase]:
        """Return a function that makes interfaces like `create`, looked up only once.

        Raises
        ------
        ArgumentError, InterfaceNotFoundError
            As `create`.
        """
        kind = resolve_type(interface_type)
        if not isinstance(interface, str):
            raise ArgumentError(
                f"the {kind} to create is {interface!r}, expected a text like 'Id' or "
                "'Id arg arg'"
            )
        words = split_words(interface) if interface else []
        words = words or self._table.default(kind).split()
        if not words:
            raise ArgumentError(
                f"no id was given for a {kind}, which has no default; available: "
                + "; ".join([", ".join(self.ids(kind)) or "none", *self._table.notes])
            )
        provider = self.provider(kind, words[0])
        return partial(make, provider, arguments=tuple(words[1:]), settings=settings)

    def register(
        self, interface_type: str, interface_id: str, factory: Callable[..., Any]
    ) -> Registration:
        """Offer a class or factory, called ``factory(env, *args)``, from a script.

        Raises
        ------
        ArgumentError
            The type is unknown or the id is not one word.
        PluginError
            The class cannot serve as an interface of that type.
        """
        kind = resolve_type(interface_type)
        if not is_id(interface_id):
            raise ArgumentError(
                f"the interface id {interface_id!r} is not one word without colon"
            )
        self._table.warn_of_old_contract(kind, checked_factory(kind, factory))
        return self._layers[0].push("interface", kind, interface_id, factory)

    # -- XML readers, formats, commands ------------------------------------------------

    def xml_reader(self, interface_type: str, tag: str) -> Callable[..., Any] | None:
        """Return the custom reader of a child tag or an interface id, or None.

        Parameters
        ----------
        interface_type
            Or ``link``, ``joint``, ``geometry``.
        tag
            ``"distribution:tag"`` picks one where several packages have readers.
        """
        found = self.xml_readers(interface_type, tag)
        return found[0][1] if found else None

    def xml_readers(
        self, interface_type: str, tag: str
    ) -> tuple[tuple[str, Callable[..., Any]], ...]:
        """Return (distribution, reader) of each package, the one that is used first.

        What a script registered is of none and stands alone.
        """
        kind = resolve_reader_kind(interface_type)
        distribution, _, wanted = tag.lower().rpartition(":")
        local = None if distribution else self._registered("xml reader", kind, wanted)
        if local is not None:
            return (("", local.value),)
        found: dict[str, Callable[..., Any]] = {}
        for slot, reader in declared_contributions.readers(self._table, kind, wanted):
            if belongs(slot, distribution):
                found.setdefault(slot.record.distribution, reader)
        for slot, name, reader in self._table.offered("pyrave_xml_readers", kind):
            if name.lower() == wanted and belongs(slot, distribution):
                found.setdefault(slot.record.distribution or slot.record.name, reader)
        return tuple(found.items())

    def xml_reader_tags(self, interface_type: str) -> tuple[str, ...]:
        """Return the tags of a type or part that have custom readers."""
        kind = resolve_reader_kind(interface_type)
        tags = [one.id for one in self._registered_names("xml reader", kind)]
        tags += declared_contributions.tags(self._table, kind)
        tags += [name for _, name, _ in self._table.offered("pyrave_xml_readers", kind)]
        return tuple(dict.fromkeys(tags))

    def register_xml_reader(
        self, interface_type: str, tag: str, reader: Callable[..., Any]
    ) -> Registration:
        """Use a reader for a tag; closing the handle restores the previous one."""
        if not callable(reader):
            raise ArgumentError(f"the reader {reader!r} cannot be called")
        kind = resolve_reader_kind(interface_type)
        return self._layers[0].push("xml reader", kind, tag, reader)

    def scene_formats(self) -> tuple[Any, ...]:
        """Return the scene formats of all plugins in order."""
        return declared_contributions.formats(self._table, "pyrave_scene_formats")

    def mesh_formats(self) -> tuple[Any, ...]:
        """Return the mesh formats of all plugins in order."""
        return declared_contributions.formats(self._table, "pyrave_mesh_formats")

    def cli_commands(self) -> tuple[tuple[str, Callable[..., Any]], ...]:
        """Return (name, function or `DeclaredCommand`) of commands that plugins add.

        Where several packages have one, the first is used, and each is there as
        ``distribution:name``, too.
        """
        return declared_contributions.commands(self._table)

    def database_kinds(self) -> tuple[str, ...]:
        """Return the kinds of databases that packages declare besides pyrave's own."""
        return declared_contributions.database_kinds(self._table)

    def database_class(self, kind: str) -> type[Database]:
        """Return the class of a kind of databases; pyrave's own go first.

        Raises NotFoundError without such a kind, PluginError for a class that is none.
        """
        return declared_contributions.declared_database(self._table, kind)

    def kernels(self) -> tuple[tuple[str, Callable[[], object]], ...]:
        """Return (name, function) of what plugins have compiled beforehand."""
        return self._items("pyrave_kernels")

    def robot_catalogues(
        self,
    ) -> tuple[tuple[str, Callable[[], Mapping[str, Path | str]]], ...]:
        """Return (name, function) of what plugins know of robots by name."""
        return self._items("pyrave_robots")

    def data_folders(self) -> tuple[Path, ...]:
        """Return the folders of packages that ship robots and scenes.

        A missing or blocked package is left out; its record says why.
        """
        return tuple(folder for _, folder in self._table.data_folders())

    def data_folders_of(self, packages: Collection[str]) -> tuple[Path, ...]:
        """Return the data folders of some distributions."""
        found = self._table.data_folders()
        return tuple(at for record, at in found if record.distribution in packages)

    # -- hooks -------------------------------------------------------------------------

    def has_hook(self, name: str) -> bool:
        """Return True if a plugin implements a hook."""
        return self._table.hooks().has(name)

    def call_hook(self, name: str, /, **arguments: Any) -> list[Any]:
        """Call a life-cycle hook of all plugins; return results that are not None.

        A plugin whose hook raises is out of use from then on, which is reported to
        the argument `env` if there is one (else logged); the others go on.
        """
        return self._table.call(name, arguments)

    # -- blocking, naming, running by path ---------------------------------------------

    def block(self, *names: str) -> None:
        """Switch plugins off in the whole process; see `disabled` for the patterns.

        Existing objects keep working.
        """
        self._table.block(names)

    def unblock(self, *names: str) -> None:
        """Take back `block` (or the environment variable); without names, all."""
        self._table.unblock(names)

    def allow_only(self, *names: str) -> None:
        """Use only these plugins and pyrave's own; without names, all again.

        Patterns are those of `block`, which counts besides.
        """
        self._table.allow_only(names)

    def settings(
        self, distribution: str, scene: Iterable[tuple[str, str]] = ()
    ) -> GivenSettings:
        """Return the settings of a distribution, and what is wrong with the scene's.

        They are its defaults, over them the user's, over those a scene's.
        """
        table = self._table
        declared = table.declared_settings(distribution)
        return given_settings(
            distribution, declared, self._user, scene, table.note_of_user
        )

    def find_plugin(self, name: str) -> PluginSearch:
        """Resolve what a ``<plugin>`` tag names; see `search_plugin`."""
        return search_plugin(name, self.records())

    def load_path(
        self, path: str | os.PathLike[str], *, allow: bool = False
    ) -> PluginRecord:
        """Run a Python file, package folder or importable module as a plugin.

        Its hooks are used, and its interface classes that state ``contract`` in their
        body are offered under their names, of a folder in all its modules. It stays.
        It runs once, and again if its files changed when it is loaded once more.

        Parameters
        ----------
        path
            A file, a folder with ``__init__.py``, or ``package.module``.
        allow
            The caller's permission to run this code.

        Raises
        ------
        PluginError
            No permission, nothing there, or the code raised.
        """
        from pyrave.plugins.path_plugins import load_path

        slot, _ = load_path(self._table, os.fspath(path), allow=allow)
        return slot.record

    def reload(self, name: str) -> tuple[PluginRecord, ...]:
        """Run the code of a plugin again, for work in progress, and return its records.

        Its metadata is read again, too, and what was installed since the process began
        is found. Objects that are there keep the class that they have; new ones are of
        the new code.

        Parameters
        ----------
        name
            A distribution, all of which is loaded again, an entry point of one, or a
            plugin that was run from a path.

        Raises
        ------
        PluginError
            Nothing of that name is installed, or it is pyrave's own; code from a path
            raised, and what was there before stays.
        """
        from pyrave.plugins.reloader import reload_plugins

        return reload_plugins(self._table, name)

    def trying_paths(
        self, paths: Iterable[str | os.PathLike[str]]
    ) -> AbstractContextManager[None]:
        """Load plugins by path, with permission; take new ones out if the block raises.

        Raises
        ------
        PluginError
            As `load_path`; those before it are taken out again.
        """
        wanted = tuple(paths)
        if not wanted:
            return nullcontext()
        from pyrave.plugins.path_plugins import trying_paths

        return trying_paths(self._table, wanted)

    # -- failures ----------------------------------------------------------------------

    def report_failure(
        self, source: InterfaceBase | PluginRecord, error: BaseException, what: str
    ) -> Problem:
        """Keep an exception of a plugin's object on the plugin's record.

        The plugin stays in use; whoever runs the object decides what to do with it.

        Parameters
        ----------
        source
            The object whose code raised, or the record of its plugin.
        error
            What it raised.
        what
            What it was doing, for example ``"simulation_step"``.

        Returns
        -------
        Problem
            A warning that names all this, with the traceback, not logged yet.
        """
        if isinstance(source, PluginRecord):
            record: PluginRecord | None = source
        else:
            record = owner_of(source, self.records())
        if record is not None:
            self._table.object_failed(record, error, what)
        return failure_problem(source, record, error, what)

    # -- inside ------------------------------------------------------------------------

    def _registered(self, what: str, kind: str, name: str) -> Registered | None:
        for layer in self._layers:
            found = layer.top(what, kind, name)
            if found is not None:
                return found
        return None

    def _registered_names(self, what: str, kind: str = "") -> list[InterfaceName]:
        return [one for layer in self._layers for one in layer.names(what, kind)]

    def _items(self, hook: str) -> tuple[Any, ...]:
        return tuple(item for _, item in self._table.contributions(hook))

    def _provider(
        self, kind: str, interface_id: str, slot: Slot, factory: Any = None
    ) -> Provider:
        """Return the provider of an id: an entry point, a hook's factory or alias."""
        if factory is not None and not isinstance(factory, str):
            load = partial(self._table.checked, (kind, interface_id, slot.key), factory)
            return Provider(kind, interface_id, slot.record, load)
        if factory is not None:
            owner = slot.record.distribution
            targets = self._table.declared(kind, factory)
            slot = next(one for one in targets if belongs(one, owner))
        load = partial(self._table.load, slot)
        return Provider(kind, interface_id, slot.record, load, factory)

    def _defaults_of(self, kind: str, interface_id: str) -> list[str]:
        """Return the packages that declare an unavailable id as a default."""
        return [
            f"  {_unsupplied(slot.record)}"
            for slot in self._table.of_kind(PluginKind.DEFAULT)
            if slot.record.name.partition(".")[0] == kind
            and slot.record.value.partition(" ")[0] == interface_id
        ]

    def _unsupplied_defaults(self) -> dict[str, str]:
        """Return warnings of defaults whose ids nobody supplies, once that is known."""
        found = {}
        defaults = self._table.of_kind(PluginKind.DEFAULT)
        for slot in defaults if self._table.has_hooks else ():
            kind, name = slot.record.name.partition(".")[0], slot.record.value
            is_there = not slot.record.state.usable or self._table.declared(kind, name)
            if not (is_there or self.offers(kind, name.partition(" ")[0])):
                found[slot.key] = _unsupplied(slot.record)
        return found

    def _failures(self, kind: str) -> list[str]:
        """Return the failures of plugins that may offer a type."""
        texts = [
            record.explain()
            for record in self.records()
            if not record.state.usable
            and (kind in record.interfaces or record.kind is PluginKind.HOOKS)
        ]
        return [*texts, *(f"  {note}" for note in self._table.notes)]


def _unsupplied(record: PluginRecord) -> str:
    kind = record.name.partition(".")[0]
    return (
        f"the default {record.name} = {record.value!r} of {record.origin} is an id "
        f"that nobody supplies; write one that an entry point of pyrave.{kind} has"
    )


_default_lock = threading.Lock()
_default: list[Registry] = []


def default_registry() -> Registry:
    """Return the registry of the installed plugins, one for the whole process."""
    if not _default:
        with _default_lock:
            if not _default:
                _default.append(Registry())
    return _default[0]
