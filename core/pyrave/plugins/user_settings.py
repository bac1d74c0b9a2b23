"""The user's file about plugins: which are used, and their settings."""

from __future__ import annotations

import os
import re
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyrave.plugins.discovery import normalize_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SETTINGS_VARIABLE = "PYRAVE_SETTINGS"
_LISTS = ("disable", "only")


@dataclass(frozen=True, slots=True)
class UserSettings:
    """What the file says.

    Parameters
    ----------
    disable, only
        Patterns of plugins that are not used, and of those that are, if there are any.
    settings
        Settings by distribution, its name with ``-`` in lower case.
    problem
        What is wrong with the file, which is then left out.
    """

    disable: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    problem: str = ""

    def of(self, distribution: str) -> Mapping[str, Any]:
        """Return the settings of a distribution."""
        return self.settings.get(normalize_name(distribution), {})


def settings_file() -> Path:
    """Return where the file is: ``PYRAVE_SETTINGS``, else in the user's folder."""
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
    """Return what a file says; one that is not there says nothing."""
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return UserSettings()
    except (OSError, ValueError) as error:
        return UserSettings(problem=f"{file} cannot be read: {error}")
    unknown = sorted(data.keys() - {*_LISTS, "settings"})
    if unknown:
        text = f"{file}: unknown entry {unknown[0]!r}, expected disable, only, settings"
        return UserSettings(problem=text)
    lists = {name: data.get(name, []) for name in _LISTS}
    for name, given in lists.items():
        if not isinstance(given, list) or not all(isinstance(x, str) for x in given):
            text = f"{file}: {name} is {given!r}, expected a list of names"
            return UserSettings(problem=text)
    tables = data.get("settings", {})
    if not isinstance(tables, dict) or not all(
        isinstance(table, dict) for table in tables.values()
    ):
        text = f"{file}: settings holds no tables; write [settings.NAME], then values"
        return UserSettings(problem=text)
    return UserSettings(
        tuple(lists["disable"]),
        tuple(lists["only"]),
        {normalize_name(name): table for name, table in tables.items()},
    )


def words_of(
    variable: str, otherwise: Iterable[str], given: Iterable[str] | None
) -> list[str]:
    """Return given names, else those of an environment variable, else others."""
    if given is None:
        text = os.environ.get(variable)
        given = otherwise if text is None else re.split(r"[,\s]+", text)
    return [one for one in given if one]


def scene_value(text: str) -> bool | int | float | str:
    """Return a setting that a scene says as the number, truth value or text it is."""
    if text in {"true", "false"}:
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
