"""Settings of a plugin: what it declares, and what scenes and the user give."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pyrave.errors import ArgumentError, did_you_mean
from pyrave.interfaces.settings.declarations import settings_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pyrave.plugins.user_settings import UserSettings


class SettingProblem(NamedTuple):
    """A setting that a plugin has no use for."""

    key: str
    message: str
    hint: str


class GivenSettings(NamedTuple):
    """Settings that count, by name, and what is wrong with others."""

    values: Mapping[str, Any]
    problems: tuple[SettingProblem, ...] = ()


def checked_declaration(target: Any) -> type:
    """Return a class that can declare the settings of a plugin.

    Raises
    ------
    PluginError
        It is no dataclass of simple fields with defaults.
    """
    settings_of(target)
    declared: type = target
    return declared


def given_settings(
    distribution: str,
    declared: type | None,
    user: UserSettings,
    scene: Iterable[tuple[str, str]],
    note: Callable[[str], object],
) -> GivenSettings:
    """Return the settings of a distribution; see `Registry.settings`.

    Parameters
    ----------
    declared
        The dataclass of its settings.
    note
        Called with what is wrong in the user's file.
    """
    if not distribution:
        text = "a plugin that is run from a path gets no settings"
        problem = SettingProblem("", text, "install it as a package")
        return GivenSettings({}, (problem,) if scene else ())
    own = _checked(
        distribution, declared, user.settings_of(distribution).items(), texts=False
    )
    for key, message, hint in own.problems:
        place = user.place_of(distribution, key)
        note(f"{place}: {message} ({hint})")
    said = _checked(distribution, declared, scene, texts=True)
    return GivenSettings(
        {**_defaults_of(declared), **own.values, **said.values}, said.problems
    )


def _defaults_of(declared: type | None) -> dict[str, Any]:
    if declared is None:
        return {}
    return {name: one.default for name, one in settings_of(declared).items()}


def _checked(
    plugin: str, declared: type | None, given: Iterable[tuple[str, Any]], *, texts: bool
) -> GivenSettings:
    """Return those of the given settings that can be used.

    Parameters
    ----------
    plugin
        Whose they are, for messages.
    declared
        What it declares; None: nothing, and whatever is given is handed on.
    texts
        The values are texts, as a scene has them.
    """
    pairs = dict(given)
    if declared is None:
        values = {k: scene_value(v) if texts else v for k, v in pairs.items()}
        undeclared = SettingProblem(
            next(iter(pairs), ""),
            f"plugin {plugin!r} declares no settings, so nobody checks "
            f"{', '.join(map(repr, pairs))}",
            "its author names a dataclass of them in the entry-point group "
            "pyrave.settings",
        )
        return GivenSettings(values, (undeclared,) if pairs else ())
    known = settings_of(declared)
    values, problems = {}, []
    for key, value in pairs.items():
        if key not in known:
            near = did_you_mean(key, known).removeprefix(", ")
            problems.append(
                SettingProblem(
                    key,
                    f"plugin {plugin!r} has no setting {key!r}",
                    near or f"its settings are {', '.join(known) or 'none'}",
                )
            )
            continue
        one = known[key]
        try:
            read = one.from_text if texts else one.check
            values[key] = read(key, value)
        except ArgumentError as error:
            problems.append(
                SettingProblem(
                    key,
                    f"plugin {plugin!r}: {error}",
                    f"it is left at {one.default!r}",
                )
            )
    return GivenSettings(values, tuple(problems))


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
