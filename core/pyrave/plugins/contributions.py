"""Checking what the contribution hooks of a plugin returned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave.errors import PluginError, PluginGuard, error_text, shown
from pyrave.plugins.contracts import is_id, resolve_reader_kind, resolve_type
from pyrave.plugins.plugin_settings import checked_declaration
from pyrave.plugins.records import Alias, PluginKind, PluginRecord, ReaderTag

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyrave.databases import Database

_FORMAT_METHODS = {
    "pyrave_scene_formats": ("sniff", "read", "write"),
    "pyrave_mesh_formats": ("sniff", "read"),
}


def checked_answer(hook: str, answer: Any) -> tuple[Any, ...]:
    """Return a hook's items in checked form.

    Parameters
    ----------
    hook
        Name of a contribution hook.
    answer
        What the implementation returned; None counts as nothing.

    Returns
    -------
    tuple
        ``(type, id, factory or id)``, ``(type, tag, reader)`` or ``(name, function)``
        tuples with resolved type names, or format objects.

    Raises
    ------
    PluginError
        An item is not what the hook's specification says.
    """
    if answer is None:
        return ()
    try:
        items = tuple(answer)
    except TypeError as error:
        raise PluginError(
            f"{hook} returned a {type(answer).__name__}, expected an iterable"
        ) from error
    check = _CHECKS[hook]
    return tuple(check(hook, item) for item in items)


def _database(record: PluginRecord, target: Any) -> type[Database]:
    from pyrave.databases import Database

    if not isinstance(target, type) or not issubclass(target, Database):
        raise PluginError(f"{record.value} is {shown(target)}, expected a Database")
    kind = getattr(target, "kind", None)
    if kind != record.name:
        raise PluginError(
            f"{record.value} is of kind {shown(kind)}, but its entry point says "
            f"{record.name!r}"
        )
    return target


def checked_format(hook: str, item: Any) -> Any:
    """Return a format that fits a hook; `PluginError` if it does not."""
    return _format(hook, item)


def summary_fields(hook: str, items: tuple[Any, ...]) -> dict[str, Any]:
    """Return the fields of a plugin record that show a hook's items."""
    if hook == "pyrave_interfaces":
        found: dict[str, tuple[str, ...]] = {}
        aliases = []
        for kind, name, factory in items:
            if isinstance(factory, str):
                aliases.append(Alias(kind, name, factory))
            else:
                found[kind] = (*found.get(kind, ()), name)
        return {"interfaces": found, "aliases": tuple(aliases)}
    if hook == "pyrave_xml_readers":
        return {"xml_readers": tuple(ReaderTag(kind, tag) for kind, tag, _ in items)}
    if hook == "pyrave_cli":
        return {"commands": tuple(name for name, _ in items)}
    if hook in {"pyrave_kernels", "pyrave_robots"}:
        return {}
    field = hook.removeprefix("pyrave_")
    return {field: tuple(item.name for item in items)}


def _typed(hook: str, item: Any) -> tuple[str, str, Callable[..., Any] | str]:
    """Return (type, id, factory), (type, alias, id) or (type, tag, reader)."""
    kind, name, target = _parts(hook, item, ("interface type", "name", "callable"))
    if not isinstance(kind, str):
        raise PluginError(
            f"{hook} returned the interface type {shown(kind)}, which is not a string"
        )
    of_interfaces = hook == "pyrave_interfaces"
    kind = resolve_type(kind) if of_interfaces else resolve_reader_kind(kind)
    name = _word(hook, name)
    if not of_interfaces or not isinstance(target, str):
        return kind, name, _callable(hook, target)
    if "*" in name:
        raise PluginError(f"{hook} returned the alias {name!r}, which is a pattern")
    return kind, name, _word(hook, target)


def _command(hook: str, item: Any) -> tuple[str, Callable[..., Any]]:
    name, function = _parts(hook, item, ("name", "function"))
    return _word(hook, name), _callable(hook, function)


def _format(hook: str, item: Any) -> Any:
    name, suffixes = getattr(item, "name", None), getattr(item, "suffixes", None)
    if not isinstance(name, str) or not name:
        raise PluginError(f"{hook} returned {shown(item)}, which has no name")
    if isinstance(suffixes, str) or not all(
        isinstance(suffix, str) and suffix.startswith(".") for suffix in suffixes or ()
    ):
        raise PluginError(
            f"{hook}: format {name!r} has suffixes {shown(suffixes)}, "
            "expected a sequence such as ('.dae',)"
        )
    missing = [m for m in _FORMAT_METHODS[hook] if not callable(getattr(item, m, None))]
    if missing:
        raise PluginError(f"{hook}: format {name!r} has no method {', '.join(missing)}")
    return item


def _parts(hook: str, item: Any, names: tuple[str, ...]) -> tuple[Any, ...]:
    if isinstance(item, (tuple, list)) and len(item) == len(names):
        return tuple(item)
    raise PluginError(f"{hook} returned {shown(item)}, expected ({', '.join(names)})")


def _word(hook: str, name: Any) -> str:
    if not is_id(name):
        raise PluginError(f"{hook} returned the name {shown(name)}, expected one word")
    word: str = name
    return word


def _callable(hook: str, function: Any) -> Callable[..., Any]:
    if callable(function):
        found: Callable[..., Any] = function
        return found
    raise PluginError(f"{hook} returned {shown(function)}, which cannot be called")


_CHECKS: Mapping[str, Callable[[str, Any], Any]] = {
    "pyrave_interfaces": _typed,
    "pyrave_xml_readers": _typed,
    "pyrave_scene_formats": _format,
    "pyrave_mesh_formats": _format,
    "pyrave_cli": _command,
    "pyrave_kernels": _command,
    "pyrave_robots": _command,
}

CONTRIBUTIONS = tuple(_CHECKS)
"""Hooks that are asked once; the others follow the life of an environment."""


def checked_part(record: PluginRecord, target: Any) -> Any:
    """Return the object that an entry point of these groups names, ready for use.

    Raises
    ------
    PluginError
        It is not what the group says.
    """
    if record.kind is PluginKind.SETTINGS:
        return checked_declaration(target)
    if record.kind is PluginKind.DATABASE:
        return _database(record, target)
    if record.kind is not PluginKind.FORMAT:
        if not callable(target):
            raise PluginError(
                f"{record.value} is a {type(target).__name__}, expected a function"
            )
        return target
    hook = f"pyrave_{record.part.partition('.')[0]}"
    if isinstance(target, type):
        with PluginGuard() as guard:
            target = target()
        if guard.error is not None:
            text = f"{record.value}() raised {error_text(guard.error)}"
            raise PluginError(text) from guard.error
    made = checked_format(hook, target)
    if made.name != record.name or record.suffix not in made.suffixes:
        suffixes = ", ".join(made.suffixes)
        raise PluginError(
            f"{record.value} is the format {made.name!r} of {suffixes}, but its entry "
            f"point says {record.name!r} of {record.suffix}"
        )
    return made
