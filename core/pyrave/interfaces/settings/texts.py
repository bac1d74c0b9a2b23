"""Settings as texts: words behind an id, and tags of files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pyrave.errors import ArgumentError, SettingError, did_you_mean
from pyrave.interfaces.settings.declarations import (
    Setting,
    check_names,
    settings_of,
    values_of,
)
from pyrave.interfaces.settings.types import is_many


def words_of(settings: Any) -> tuple[str, ...]:
    """Return the words ``name=value`` of those that differ from their defaults."""
    kind: Any = type(settings)
    known = settings_of(kind)
    return tuple(
        f"{name}={known[name].to_text(value)}"
        for name, value in values_of(settings, changed=True).items()
    )


def values_of_words(
    kind: Any, positional: tuple[str, ...], owner: str, words: Iterable[str]
) -> dict[str, Any]:
    """Return the values that the words behind an id say, by name.

    Parameters
    ----------
    kind
        The dataclass that declares the settings.
    positional
        Names of the settings that words without ``name=`` give, in this order.

    Raises
    ------
    SettingError
        A word is no setting, says one twice, or says no value of it.
    """
    known, free = settings_of(kind), list(positional)
    texts: dict[str, str] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals:
            if not free:
                raise SettingError(_stray(word, known, positional, owner))
            name, text = free[0], word
            if is_many(known[name].hint):
                texts[name] = f"{texts.get(name, '')} {word}".strip()
                continue
            free.pop(0)
        check_names(owner, known, [name])
        if name in texts:
            raise SettingError(f"{owner} has two settings {name!r}")
        texts[name] = text
        free = [one for one in free if one != name]
    return values_of_texts(known, owner, texts)


def values_of_texts(
    known: Mapping[str, Setting], owner: str, texts: Mapping[str, str]
) -> dict[str, Any]:
    """Return the values that texts say; raises SettingError for one that says none."""
    values = {}
    for name, text in texts.items():
        try:
            values[name] = known[name].from_text(f"{name} of {owner}", text)
        except ArgumentError as error:
            raise SettingError(str(error)) from None
    return values


def spelled(known: Mapping[str, Setting], name: str) -> str | None:
    """Return the setting that a file means by a tag, or None.

    Case, underscores and what `Setting.aliases` say do not matter.
    """
    wanted = _letters(name)
    for one in known.values():
        if wanted in {_letters(one.name), *map(_letters, one.aliases)}:
            return one.name
    return None


def _letters(name: str) -> str:
    return name.replace("_", "").lower()


def _stray(
    word: str, known: Mapping[str, Setting], positional: tuple[str, ...], owner: str
) -> str:
    listed = ", ".join(known) or "none"
    takes = (
        f"words {' '.join(map(str.upper, positional))}" if positional else "no words"
    )
    near = did_you_mean(word, known)
    return (
        f"{owner} has the word {word!r} behind its id, expected {takes} and settings "
        f"as NAME=VALUE{near}; settings: {listed}"
    )
