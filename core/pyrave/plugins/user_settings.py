"""The user's file about plugins: which are used, and their settings."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyrave.errors import did_you_mean, shown
from pyrave.plugins.discovery import normalize_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

SETTINGS_VARIABLE = "PYRAVE_SETTINGS"
DISABLE_VARIABLE = "PYRAVE_DISABLE_PLUGINS"
ONLY_VARIABLE = "PYRAVE_ONLY_PLUGINS"
_LISTS = ("disable", "only")
_KNOWN = (*_LISTS, "settings")
_CLOSED = "so no plugins but pyrave's own are used until the file is mended"


@dataclass(frozen=True, slots=True)
class UserSettings:
    """Contents of the file of settings.

    Parameters
    ----------
    file
        Where it is.
    disable, only
        Patterns of plugins that are not used, and of those that are, if there are any.
        A file that is not understood allows pyrave's own alone: what it would forbid
        is not known.
    settings
        Settings by distribution, its name with ``-`` in lower case.
    problems
        What is wrong with the file, each with its line.
    """

    file: Path
    disable: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    problems: tuple[str, ...] = ()

    def settings_of(self, distribution: str) -> Mapping[str, Any]:
        """Return the settings of a distribution."""
        return self.settings.get(normalize_name(distribution), {})

    def choice(
        self, disabled: Iterable[str] | None, only: Iterable[str] | None
    ) -> tuple[list[str], list[str], str]:
        """Return blocked names, allowed names, and why others are not allowed.

        What a caller gives counts before environment variables, those before the file.
        The reason is there only where a file that is not understood decides.
        """
        blocked = _words(DISABLE_VARIABLE, self.disable, disabled)
        allowed = _words(ONLY_VARIABLE, self.only, only)
        closed = self.problems and allowed == [*self.only]
        return blocked, allowed, self.problems[0] if closed else ""

    def place_of(self, distribution: str, key: str = "") -> str:
        """Return ``file:line`` of a distribution's table, or of a key in it."""
        wanted = normalize_name(distribution)

        def is_there(data: Mapping[str, Any]) -> bool:
            tables = data.get("settings", {})
            return isinstance(tables, dict) and any(
                normalize_name(name) == wanted and (not key or key in table)
                for name, table in tables.items()
            )

        return _place(self.file, is_there)


def settings_file() -> Path:
    """Return the path of the file: ``PYRAVE_SETTINGS``, else in the user's folder."""
    chosen = os.environ.get(SETTINGS_VARIABLE)
    if chosen:
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        base = Path(os.environ.get("APPDATA", Path.home() / "AppData/Roaming"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library/Application Support"
    else:
        base = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return base / "pyrave" / "settings.toml"


def read_user_settings(file: Path) -> UserSettings:
    """Return the settings in a file.

    One that is not there says nothing, unless ``PYRAVE_SETTINGS`` names it.
    """
    nothing = UserSettings(file)
    text = ""
    try:
        text = file.read_text(encoding="utf-8-sig")
        import tomllib

        data = tomllib.loads(text)
    except FileNotFoundError:
        if not os.environ.get(SETTINGS_VARIABLE):
            return nothing
        return _closed(nothing, [f"{file}, named by {SETTINGS_VARIABLE}, is not there"])
    except (OSError, ValueError) as error:
        place = f"{file}:{_line(error, text)}" if text else str(file)
        return _closed(nothing, [f"{place}: the file cannot be read: {error}"])
    problems = list(_problems(file, data))
    if problems:
        return _closed(nothing, problems)
    return UserSettings(
        file,
        tuple(data.get("disable", ())),
        tuple(data.get("only", ())),
        {normalize_name(name): t for name, t in data.get("settings", {}).items()},
    )


def _line(error: Exception, text: str) -> int:
    """Return the line of a text that is no TOML; the parser says it in words."""
    found = re.search(r"at line (\d+)", str(error))
    return int(found[1]) if found else text.rstrip().count("\n") + 1


def _closed(nothing: UserSettings, problems: list[str]) -> UserSettings:
    """Return the settings in place of a file that is not understood."""
    told = tuple(f"{problem}, {_CLOSED}" for problem in problems)
    return replace(nothing, only=("pyrave",), problems=told)


def _problems(file: Path, data: Mapping[str, Any]) -> Iterator[str]:
    """Yield the faults of a file, each with its line."""

    def located(key: str, text: str) -> str:
        return f"{_place(file, lambda found: key in found)}: {text}"

    for key in data.keys() - {*_KNOWN}:
        known = ", ".join(_KNOWN)
        near = did_you_mean(key, _KNOWN)
        if not near and isinstance(data[key], dict):
            near = f"; settings of a plugin stand in [settings.{key}]"
        yield located(key, f"unknown entry {key!r}{near or f', expected {known}'}")
    for key in data.keys() & {*_LISTS}:
        names = data[key]
        if not isinstance(names, list) or not all(isinstance(x, str) for x in names):
            yield located(key, f"{key} is {shown(names)}, expected a list of names")
        elif key == "only" and not names:
            yield located(
                key,
                "only is empty; write only = ['pyrave'] for pyrave's own, or leave it "
                "out for all",
            )
    tables = data.get("settings", {})
    if not isinstance(tables, dict) or not all(
        isinstance(table, dict) for table in tables.values()
    ):
        text = "settings holds no tables; write [settings.NAME], then values"
        yield located("settings", text)
        return
    for name, table in tables.items():
        for key in table.keys() & {*_LISTS}:
            if isinstance(table[key], list):
                place = UserSettings(file).place_of(name, key)
                yield (
                    f"{place}: {key} stands in [settings.{name}]; write it before the "
                    "first table"
                )


def _place(file: Path, is_there: Callable[[Mapping[str, Any]], bool]) -> str:
    """Return ``file:line`` of the first statement with which something is there."""
    import tomllib

    lines = file.read_text(encoding="utf-8-sig").splitlines()
    begin = 0
    for end, line in enumerate(lines, 1):
        if begin == end - 1 and line.lstrip()[:1] in {"", "#"}:
            begin = end
            continue
        try:
            data = tomllib.loads("\n".join(lines[:end]))
        except ValueError:
            continue  # in the middle of a list or text of several lines
        if is_there(data):
            return f"{file}:{begin + 1}"
        begin = end
    return str(file)


def _words(
    variable: str, otherwise: Iterable[str], given: Iterable[str] | None
) -> list[str]:
    """Return given names, else those of an environment variable, else others."""
    if given is None:
        text = os.environ.get(variable)
        given = otherwise if text is None else re.split(r"[,\s]+", text)
    return [one for one in given if one]
