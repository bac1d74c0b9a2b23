"""Readers, formats, commands and databases that packages declare in their metadata.

Listing them, and matching tags, suffixes and names, imports nothing; using one imports
what its entry point names.
"""

from __future__ import annotations

import ast
import logging
from collections import Counter
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyrave.errors import PluginError
from pyrave.messages import LOGGER
from pyrave.plugins.records import PREFIX, PluginKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyrave.databases import Database
    from pyrave.plugins.guarded_formats import GuardedFormat
    from pyrave.plugins.plugin_table import PluginTable
    from pyrave.plugins.slots import Slot

_HOOKS = {
    "pyrave_scene_formats": "scene_formats",
    "pyrave_mesh_formats": "mesh_formats",
}
_COMMANDS = "commands"
_ENDS = (".py", "/__init__.py")
_log = logging.getLogger(f"{LOGGER}.plugins")


def readers(
    table: PluginTable, kind: str, tag: str
) -> Iterator[tuple[Slot, Callable[..., Any]]]:
    """Give the declared readers of a tag, imported now, in the order of plugins.

    One that cannot be imported gives a function that raises the reason.
    """
    for slot in table.declared(f"xml_readers.{kind}", tag):
        if slot.record.state.usable:
            try:
                yield slot, table.load(slot)
            except PluginError as error:
                yield slot, _failing(error)


def _failing(error: PluginError) -> Callable[..., Any]:
    def fail(_element: Any, _context: Any) -> None:
        raise error

    return fail


def tags(table: PluginTable, kind: str) -> list[str]:
    """Return the tags of a type, or part of a body, that have declared readers."""
    wanted = f"xml_readers.{kind}"
    return [
        slot.record.name
        for slot in table.slots
        if slot.record.part == wanted and slot.record.state.usable
    ]


def formats(table: PluginTable, hook: str) -> tuple[Any, ...]:
    """Return formats that hooks give and that are declared, in the order of plugins."""
    return table.cached(("formats", hook), partial(_formats, table, hook))


def _formats(table: PluginTable, hook: str) -> tuple[Any, ...]:
    given = table.contributions(hook)
    found = [*given, *_declared_formats(table, hook)]
    if given and len(found) > len(given):
        order = {slot.key: place for place, slot in enumerate(table.slots)}
        found.sort(key=lambda pair: order[pair[0].key])
    return tuple(item for _, item in found)


def _declared_formats(
    table: PluginTable, hook: str
) -> Iterator[tuple[Slot, DeclaredFormat]]:
    """Give each declared format once, with all of its suffixes."""
    begin = f"{PREFIX}{_HOOKS[hook]}."
    same: dict[tuple[str, str, str], list[Slot]] = {}
    for slot in table.of_kind(PluginKind.FORMAT):
        record = slot.record
        if record.group.startswith(begin) and record.state.usable:
            key = (record.distribution, record.name, record.value)
            same.setdefault(key, []).append(slot)
    for slots in same.values():
        if not slots[0].answers.get(hook):
            made = DeclaredFormat(table, hook, slots[0])
            slots[0].answers[hook] = (made,)
        (kept,) = slots[0].answers[hook]
        kept.suffixes = tuple(slot.record.suffix for slot in slots)
        yield slots[0], kept


class DeclaredFormat:
    """A format of which name and suffixes are known before it is imported.

    Parameters
    ----------
    table, hook, slot
        Whose it is, and the hook that would give it.
    """

    def __init__(self, table: PluginTable, hook: str, slot: Slot) -> None:
        self._table, self._hook, self._slot = table, hook, slot
        self._format: GuardedFormat | None = None
        self.name = slot.record.name
        self.suffixes: tuple[str, ...] = (slot.record.suffix,)

    @property
    def plugin(self) -> str:
        """Name of the distribution that supplies it."""
        return self._slot.record.distribution

    @property
    def is_loaded(self) -> bool:
        """True if the format was imported."""
        return self._format is not None

    @property
    def is_scene(self) -> bool:
        """True if its files may be scenes; of mesh formats, True until imported."""
        return self._format is None or getattr(self._format, "is_scene", True)

    def sniff(self, head: bytes) -> bool:
        """Return True if a file that starts with `head` is of this format."""
        try:
            return self._loaded().sniff(head)
        except PluginError as error:
            _log.warning("the format %r is passed over: %s", self.name, error)
            return False

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._loaded(), name)

    def __repr__(self) -> str:
        return f"<format {self.name!r} of plugin {self._slot.record.label}>"

    def _loaded(self) -> GuardedFormat:
        if self._format is None:
            from pyrave.plugins.guarded_formats import guarded_format

            theirs = self._table.load(self._slot)
            self._format = guarded_format(self._hook, theirs, self._slot)
        return self._format


class DeclaredCommand:
    """A command of which the name is known before it is imported."""

    def __init__(self, table: PluginTable, slot: Slot) -> None:
        self._table, self._slot = table, slot

    @property
    def summary(self) -> str:
        """First paragraph of the function's docstring, of which nothing is imported."""
        module, _, name = self._slot.record.value.partition(":")
        text = _docstring_in_source(module, name)
        return text.partition("\n\n")[0] or f"Command of {self._slot.record.origin}."

    def load(self) -> Callable[..., Any]:
        """Return the function; PluginError if it cannot be imported."""
        function: Callable[..., Any] = self._table.load(self._slot)
        return function

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Import the function and call it."""
        return self.load()(*args, **named)


def _docstring_in_source(module: str, name: str) -> str:
    """Return the docstring of a module's function; "" if there is no such source."""
    package, _, below = module.partition(".")
    place = below.replace(".", "/")
    with suppress(ImportError, ValueError, OSError, SyntaxError):
        spec = find_spec(package)  # a package above the module would be imported
        folders = [] if spec is None else spec.submodule_search_locations or []
        file = "" if spec is None else spec.origin or ""
        if below:
            paths = [f"{folder}/{place}{end}" for folder in folders for end in _ENDS]
            file = next((one for one in paths if Path(one).is_file()), "")
        for node in ast.parse(Path(file).read_bytes()).body:
            if isinstance(node, ast.FunctionDef) and node.name == name:
                return ast.get_docstring(node) or ""
    return ""


def commands(table: PluginTable) -> tuple[tuple[str, Callable[..., Any]], ...]:
    """Return names and functions of commands, those that are declared first."""
    offered: list[tuple[Slot, str, Callable[..., Any]]] = [
        (slot, slot.record.name, DeclaredCommand(table, slot))
        for slot in table.slots
        if slot.record.part == _COMMANDS and slot.record.state.usable
    ]
    for slot, (name, function) in table.contributions("pyrave_cli"):
        offered.append((slot, name, function))
    counts = Counter(name for _, name, _ in offered)
    found: dict[str, Callable[..., Any]] = {}
    for slot, name, function in offered:
        found.setdefault(name, function)
        if counts[name] > 1:
            found.setdefault(f"{slot.record.distribution}:{name}", function)
    return tuple(found.items())


def database_kinds(table: PluginTable) -> tuple[str, ...]:
    """Return the kinds of databases that are declared, each once."""
    slots = table.of_kind(PluginKind.DATABASE)
    names = [one.record.name for one in slots if one.record.state.usable]
    return tuple(dict.fromkeys(names))


def declared_database(table: PluginTable, kind: str) -> type[Database]:
    """Return the class of a kind of databases; pyrave's own go first."""
    from pyrave.databases import database_class
    from pyrave.databases.kinds import KINDS

    slots = table.of_kind(PluginKind.DATABASE)
    own = [one for one in slots if one.record.name == kind]
    if kind in KINDS or not own:
        return database_class(kind, known=database_kinds(table))
    found: type[Database] = table.load(own[0])
    return found
