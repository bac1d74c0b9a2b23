"""Running a plugin from a path or module name, with the caller's permission."""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.util
import inspect
import logging
import os
import sys
from contextlib import contextmanager, redirect_stdout, suppress
from importlib.machinery import SourceFileLoader
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pyrave.errors import PluginError, PluginGuard, error_text, error_trace
from pyrave.interfaces.base import InterfaceBase
from pyrave.interfaces.types import INTERFACE_TYPES
from pyrave.messages import LOGGER
from pyrave.plugins.contracts import checked_factory
from pyrave.plugins.contributions import summary_fields
from pyrave.plugins.records import PluginKind, PluginRecord, PluginState
from pyrave.plugins.slots import Slot

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from types import CodeType, ModuleType

    from pyrave.plugins.plugin_table import PluginTable

_PREFIX = "pyrave_path_plugin_"
_TESTS = ("test_", "tests", "conftest", "setup", "__main__")
_log = logging.getLogger(f"{LOGGER}.plugins")


def load_path(
    table: PluginTable, path: str, *, allow: bool, again: bool = False
) -> tuple[Slot, bool]:
    """Run the code at a path and use it as a plugin; see `Registry.load_path`.

    Parameters
    ----------
    again
        Run it although none of its files changed since it ran.

    Returns
    -------
    tuple
        The plugin's slot, and True if it was run now.
    """
    if not allow:
        raise PluginError(
            f"plugin {path!r} would run Python code from a path, which is not allowed; "
            "install it as a package, or give your permission: load_path(path, "
            "allow=True), or plugin_paths=[path] when loading a scene"
        )
    target = _target(path)
    with table.lock:
        known = next((one for one in table.slots if _is_of(one, target)), None)
        slot, is_new = known, known is None
        if slot is None:
            slot = _run(path, target)
            table.add_slot(slot)
            _note_nothing(slot, path)
        elif again or slot.sources != _sources(target):
            slot = _run_again(table, slot, path, target)
        if slot.record.state is PluginState.BROKEN:
            if is_new:
                unload_path(table, slot)
            raise PluginError(f"plugin {path!r} cannot be used: {slot.record.reason}")
        return slot, is_new


def _run_again(table: PluginTable, known: Slot, path: str, target: _Target) -> Slot:
    """Put what the code is now in the place of what it was, if it can be used."""
    before = taken_modules((target.module,))
    usable = False
    try:
        slot = _run(path, target)
        table.drop_slot(known)
        table.add_slot(slot)
        usable = slot.record.state.usable
        if not usable:
            table.drop_slot(slot)
            table.add_slot(known)
    finally:
        if not usable:
            taken_modules((target.module,))
            sys.modules.update(before)
    return slot


def _note_nothing(slot: Slot, path: str) -> None:
    """Warn of a plugin that offers nothing."""
    record = slot.record
    if record.interfaces or record.hooks or not record.state.usable:
        return
    text = (
        f"plugin {path!r} offers nothing: it has no class of an interface that states "
        "`contract`, and no function marked with @pyrave.hookimpl"
    )
    slot.update(warning=text)
    _log.warning("%s", text)


def taken_modules(roots: Collection[str]) -> dict[str, ModuleType]:
    """Take modules, and all below them, out of those that are imported.

    They are compiled again when they are imported: the time of a source, in whole
    seconds, may not show an edit.
    """
    taken = {}
    for name in list(sys.modules):
        if any(name == root or name.startswith(f"{root}.") for root in roots):
            module = taken[name] = sys.modules.pop(name)
            file: Any = getattr(module, "__file__", None)
            with suppress(OSError, NotImplementedError, ValueError, TypeError):
                Path(importlib.util.cache_from_source(file)).unlink()
    importlib.invalidate_caches()
    return taken


def _sources(target: _Target) -> frozenset[tuple[str, int, int]]:
    """Return the files that are run, with their times and sizes."""
    file = target.file
    if file is None:
        module = sys.modules.get(target.module)
        place = getattr(module, "__file__", None)
        if place is None:
            return frozenset()
        file = Path(place)
    files = file.parent.rglob("*.py") if file.name == "__init__.py" else (file,)
    found = set()
    for one in files:
        with suppress(OSError):
            state = one.stat()
            found.add((str(one), state.st_mtime_ns, state.st_size))
    return frozenset(found)


def _is_of(slot: Slot, target: _Target) -> bool:
    return slot.record.kind is PluginKind.PATH and slot.record.value == target.module


def unload_path(table: PluginTable, slot: Slot) -> None:
    """Take out what `load_path` ran; a file runs again when it is loaded again."""
    table.drop_slot(slot)
    _forget(slot.record.value)


@contextmanager
def trying_paths(
    table: PluginTable, paths: Iterable[str | os.PathLike[str]]
) -> Iterator[None]:
    """Load plugins by path; take new ones out if the block raises."""
    loaded: list[Slot] = []
    try:
        for path in paths:
            slot, new = load_path(table, os.fspath(path), allow=True)
            loaded += [slot] if new else []
        yield
    except BaseException:
        for slot in loaded:
            unload_path(table, slot)
        raise


def _forget(module: str) -> None:
    if module.startswith(_PREFIX):
        for name in list(sys.modules):
            if f"{name}.".startswith(f"{module}."):
                del sys.modules[name]


class _Target(NamedTuple):
    """A module to run: its name, its file, and how the plugin is listed."""

    module: str
    file: Path | None
    name: str


def _target(path: str) -> _Target:
    """Return the target of a path; an importable module has no file here."""
    place = Path(path).expanduser()
    if place.is_dir():
        place /= "__init__.py"
    if place.is_file():
        place = place.resolve()
        digest = hashlib.sha256(str(place).encode()).hexdigest()[:8]
        stem = place.parent.name if place.name == "__init__.py" else place.stem
        return _Target(f"{_PREFIX}{digest}_{stem}", place, stem)
    if all(part.isidentifier() for part in path.split(".")):
        return _Target(path, None, path)
    raise PluginError(
        f"plugin {path!r} does not exist; expected a Python file, a folder with "
        "__init__.py, or package.module"
    )


def _run(path: str, target: _Target) -> Slot:
    """Return the slot of a plugin, run now; PluginError if its code raises."""
    name, file, label = target
    with PluginGuard() as guard, redirect_stdout(sys.stderr):
        module = importlib.import_module(name) if file is None else _execute(name, file)
        parts = [importlib.import_module(one) for one in _parts(module)]
    if guard.error is not None:
        _forget(name)
        text = f"{error_text(guard.error)}\n{error_trace(guard.error)}"
        raise PluginError(f"plugin {path!r} failed: {text}") from guard.error
    slot = Slot(PluginRecord("", label, name, state=PluginState.LOADED), module)
    slot.path, slot.sources = path, _sources(target)
    try:
        classes = tuple(_classes([module, *parts]))
    except PluginError:
        _forget(name)
        raise
    if classes:
        slot.answers["pyrave_interfaces"] = classes
        slot.update(**summary_fields("pyrave_interfaces", classes))
    return slot


class _FreshLoader(SourceFileLoader):
    """Compiles what the file holds now: bytecode may be of the same second's edit."""

    def get_code(self, fullname: str) -> CodeType:
        """Return the code of the source."""
        path = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(path), path)
        return code


def _execute(name: str, file: Path) -> ModuleType:
    folders = [str(file.parent)] if file.name == "__init__.py" else None
    spec = importlib.util.spec_from_file_location(
        name,
        file,
        loader=_FreshLoader(name, str(file)),
        submodule_search_locations=folders,
    )
    if spec is None or spec.loader is None:
        raise PluginError(f"plugin {str(file)!r} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _parts(module: ModuleType) -> Iterator[str]:
    """Give the modules of a package that define interfaces; none of it is run here."""
    for folder in map(Path, getattr(module, "__path__", ())):
        for file in sorted(folder.rglob("*.py")):
            names = file.relative_to(folder).with_suffix("").parts
            is_test = any(name.startswith(_TESTS) for name in names)
            if names == ("__init__",) or is_test or not _states_contract(file):
                continue
            if names[-1] == "__init__":
                names = names[:-1]
            yield ".".join((module.__name__, *names))


def _states_contract(file: Path) -> bool:
    """Return True if a class of a file states a contract."""
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return False  # whoever imports it hears of it
    return any(
        isinstance(line, (ast.Assign, ast.AnnAssign))
        and any(
            isinstance(name, ast.Name) and name.id == "contract"
            for name in getattr(line, "targets", [getattr(line, "target", None)])
        )
        for one in tree.body
        if isinstance(one, ast.ClassDef)
        for line in one.body
    )


def _classes(modules: Sequence[ModuleType]) -> Iterator[tuple[str, str, Any]]:
    """Give (type, id, class) of the interfaces that modules define themselves.

    The first is a module or a package, the others are parts of it.
    """
    root = modules[0].__name__
    found: dict[tuple[str, str], type] = {}
    for attribute, value in chain.from_iterable(vars(one).items() for one in modules):
        if not inspect.isclass(value) or not issubclass(value, InterfaceBase):
            continue
        own = "contract" in vars(value)
        own = own and f"{value.__module__}.".startswith(f"{root}.")
        kind = getattr(value, "interface_type", "")
        if not own or kind not in INTERFACE_TYPES:
            continue
        key = kind, attribute.lower()
        other = found.get(key)
        if other is None:
            found[key] = value
            yield kind, attribute, checked_factory(kind, value)
        elif other is not value:
            raise PluginError(
                f"{other.__module__} and {value.__module__} both have a {kind} "
                f"{attribute!r}; give one of them another name"
            )
