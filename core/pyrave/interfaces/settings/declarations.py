"""Settings of classes: declared once as dataclass fields, checked, read from texts.

A class of an interface names a dataclass in its `settings_type`. Each field has a
default and a `setting` that says its unit, its range and its meaning. What callers
give by keyword, words ``name=value`` behind an id and elements of files are checked by
this one declaration, and listings and pages print it.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, replace
from typing import Any

import numpy as np

from pyrave.errors import ArgumentError, Error, PluginError, SettingError, did_you_mean
from pyrave.errors import shown as as_shown
from pyrave.interfaces.settings import types as setting_types
from pyrave.interfaces.settings.types import fit_of, is_many, is_simple, without_none
from pyrave.interfaces.settings.words import quoted

Check = Callable[[str, Any], Any]
"""Returns the value of a label and a value, or raises an ArgumentError."""
SETTING = "setting"
"""Key of the declaration in the metadata of a field."""
_NONE = "none"
_PLAIN = frozenset({bool, int, float, str})


@dataclass(frozen=True, slots=True)
class Setting:
    """The declaration of one setting.

    Parameters
    ----------
    help
        Its meaning, a short phrase.
    unit
        Of its numbers, for example ``"s"``.
    least, above, most
        Its range: lower bound, exclusive lower bound, upper bound.
    choices
        The only values allowed.
    infinite
        Whether numbers may be infinite.
    aliases
        Other spellings in files.
    kind
        The type in words, for values that the class itself checks; those are given by
        keyword alone. Empty: the annotated type is simple.
    example
        A sensible value, as a text.
    fixed
        Whether it counts at creation only: changes are refused.
    part_name
        By which it is given where it is in a section; empty: its field's name.
    name
        By which it is given.
    hint
        The annotated type.
    default
        Its value unless another is given.
    section
        Field of the settings that holds it, if that is a dataclass; else empty.
    field
        Name of its dataclass field.
    """

    help: str = ""
    unit: str = ""
    least: float | None = None
    above: float | None = None
    most: float | None = None
    choices: tuple[Any, ...] = ()
    infinite: bool = False
    aliases: tuple[str, ...] = ()
    kind: str = ""
    example: str = ""
    fixed: bool = False
    part_name: str = ""
    name: str = ""
    hint: Any = None
    default: Any = None
    section: str = ""
    field: str = ""

    @property
    def type_text(self) -> str:
        """The type in words: "number", "number or numbers", "one of faces, hull"."""
        if self.kind:
            return self.kind
        shape = np.shape(self.default) if isinstance(self.default, np.ndarray) else ()
        if any(shape):
            return f"{' x '.join(str(size or 'n') for size in shape)} numbers"
        if self.choices and not is_many(self.hint):
            return f"one of {', '.join(map(str, self.choices))}"
        return setting_types.type_text(self.hint)

    @property
    def range_text(self) -> str:
        """The range in words without the unit; empty: there is none."""
        low = "" if self.least is None else f">= {self.least:g}"
        low = low if self.above is None else f"> {self.above:g}"
        high = "" if self.most is None else f"<= {self.most:g}"
        if self.least is not None and self.most is not None and self.above is None:
            return f"from {self.least:g} to {self.most:g}"
        return " and ".join(filter(None, (low, high)))

    @property
    def expected(self) -> str:
        """The kind of its values in words, with range and unit."""
        kind, optional = self.type_text, " or None"
        ends = kind.endswith(optional) and bool(self.range_text or self.unit)
        unit = "" if self.choices else self.unit
        parts = (kind.removesuffix(optional) if ends else kind, self.range_text, unit)
        return " ".join(filter(None, parts)) + (optional if ends else "")

    def to_dict(self) -> dict[str, Any]:
        """Return the declaration as plain data, for listings."""
        default = self.default
        if isinstance(default, np.ndarray):
            default = default.tolist()
        return {
            "name": self.name,
            "type": self.type_text,
            "default": default,
            "default_text": self._default_text(),
            "unit": self.unit,
            "range": self.range_text,
            "help": self.help,
        }

    def _default_text(self) -> str:
        if self.default is None:
            return ""
        if isinstance(self.default, float):
            return f"{self.default:.6g}"
        default = self.default
        if isinstance(default, np.ndarray):
            default = tuple(default.ravel().tolist())
        if isinstance(default, tuple):
            return " ".join(
                f"{one:.6g}" if isinstance(one, float) else str(one) for one in default
            )
        return self.to_text(self.default)

    def check(self, label: str, value: Any) -> Any:
        """Return a value of the declared type.

        Raises
        ------
        ArgumentError
            It is of another type, or out of range.
        """
        try:
            made = fit_of(self.hint)(value)
            if isinstance(self.default, np.ndarray):
                made = made.reshape(_rows_of(made, self.default))
        except (TypeError, ValueError, OverflowError):
            raise self._wrong(label, value) from None
        if made is None or _equal(made, self.default):
            return made
        if self.choices:
            several = made if isinstance(made, tuple) else (made,)
            for one in several:
                if one not in self.choices:
                    raise self._wrong(label, value)
        elif not self._is_in_range(made):
            raise self._wrong(label, value)
        return made

    def from_text(self, label: str, text: str) -> Any:
        """Return the value that a text says.

        Several numbers or words have blanks or commas between them; ``none`` is None
        where that is a value.

        Raises
        ------
        ArgumentError
            It says none of the declared type and range.
        """
        hint, said, text = self.hint, text, text.strip()
        plain, optional = without_none(hint)
        if optional and text.lower() == _NONE:
            return None
        if self.kind:
            raise self._wrong(label, text)
        if plain is str and not self.choices:
            text = said
        try:
            value = setting_types.from_text(plain, text, self.choices)
        except (KeyError, TypeError, ValueError):
            raise self._wrong(label, text) from None
        return self.check(label, value)

    def to_text(self, value: Any) -> str:
        """Return the text of which `from_text` makes the value."""
        if value is None:
            return _NONE
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, np.ndarray):
            value = tuple(value.ravel().tolist())
        if isinstance(value, tuple):
            return ",".join(
                quoted(one) if isinstance(one, str) else self.to_text(one)
                for one in value
            )
        return value if isinstance(value, str) else repr(value)

    def _is_in_range(self, value: Any) -> bool:
        if isinstance(value, (bool, str)):
            return True
        if isinstance(value, (int, float)):
            low = high = value
        else:
            numbers = np.asarray(value)
            if numbers.dtype.kind not in "iuf" or not numbers.size:
                return True
            low, high = float(numbers.min()), float(numbers.max())
        if isinstance(low, float):
            is_finite = math.isfinite(low) and math.isfinite(high)
            if math.isnan(low) or not (self.infinite or is_finite):
                return False
        return (
            (self.least is None or low >= self.least)
            and (self.above is None or low > self.above)
            and (self.most is None or high <= self.most)
        )

    def _wrong(self, label: str, value: Any) -> ArgumentError:
        near = ""
        if isinstance(value, str) and self.choices:
            near = did_you_mean(value, list(map(str, self.choices)))
        return ArgumentError(
            f"{label} is {as_shown(value)}, expected {self.expected}{near}"
        )


def setting(
    default: Any,
    help: str = "",  # noqa: A002 - what it is called everywhere
    **declaration: Any,
) -> Any:
    """Return the field of a setting in a frozen dataclass, which `settings_type` names.

    ::

        @dataclass(frozen=True)
        class PumpSettings:
            speed: float = setting(1.5, "of the rotor", unit="rad/s", least=0.0)

    Parameters
    ----------
    default
        Its value unless another is given.
    help
        Its meaning, a short phrase.
    **declaration
        Of `Setting`: ``unit``, ``least``, ``above``, ``most``, ``choices``,
        ``infinite``, ``aliases``, ``kind``, ``example``, ``fixed``, ``part_name``. The
        shape of an array is that of its default, with any number of rows where that
        has none.
    """
    return declared_field(default, {SETTING: Setting(help, **declaration)})


def declared_field(default: Any, metadata: Mapping[str, Any]) -> Any:
    """Return a dataclass field; an array is one default for all, not to be written."""
    if not isinstance(default, np.ndarray):
        return field(default=default, metadata=metadata)
    shared = default.copy()
    shared.setflags(write=False)
    return field(default_factory=lambda: shared, metadata=metadata)


def settle(made: Any) -> None:
    """Give the fields of a frozen dataclass their declared types, in its __post_init__.

    Raises
    ------
    ArgumentError
        A value is of another type than its setting declares, or out of range.
    """
    kind: Any = type(made)
    for name, wanted in _sections_of(kind).items():
        value = getattr(made, name)
        if not isinstance(value, wanted):
            raise ArgumentError(
                f"{name} is {as_shown(value)}, expected {wanted.__name__}"
            )
    for one in settings_of(kind).values():
        if one.section:
            continue
        value = getattr(made, one.field)
        if value is not one.default:
            object.__setattr__(made, one.field, one.check(one.field, value))


@dataclass(frozen=True, slots=True)
class NoSettings:
    """Settings of a class that has none: words and keywords are refused."""


@functools.cache
def settings_of(kind: Any) -> Mapping[str, Setting]:
    """Return the settings that a dataclass declares by name, with those of sections.

    Empty for None.

    Raises
    ------
    PluginError
        It is no dataclass of fields with defaults and simple types.
    """
    if kind is None:
        return {}
    if not isinstance(kind, type) or not dataclasses.is_dataclass(kind):
        raise PluginError(f"{kind!r} declares settings, expected a dataclass")
    if not kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        raise PluginError(
            f"{kind.__qualname__} declares settings and can be changed, expected a "
            "frozen dataclass: @dataclass(frozen=True)"
        )
    try:
        hints = typing.get_type_hints(kind)
    except (NameError, TypeError) as error:
        raise PluginError(
            f"the types of {kind.__qualname__} cannot be read: {error}; import what "
            "they name when the program runs, too"
        ) from error
    found: dict[str, Setting] = {}
    for one in dataclasses.fields(kind):
        if one.name.startswith("_") or not one.init:
            continue
        hint = hints[one.name]
        if isinstance(hint, type) and dataclasses.is_dataclass(hint):
            whole = _default_of(kind, one)
            for inner in settings_of(hint).values():
                name = inner.part_name or inner.name
                default = getattr(whole, inner.field)
                found[name] = replace(
                    inner, name=name, section=one.name, default=default
                )
            continue
        found[one.name] = _declared(kind, one, hint)
    return found


@functools.cache
def _sections_of(kind: Any) -> Mapping[str, type]:
    """Return the classes of the fields that are dataclasses of settings themselves."""
    names = {one.section for one in settings_of(kind).values()} - {""}
    return {
        one.name: type(_default_of(kind, one))
        for one in dataclasses.fields(kind)
        if one.name in names
    }


def _declared(kind: Any, one: dataclasses.Field[Any], hint: Any) -> Setting:
    declared = one.metadata.get(SETTING)
    declared = declared if isinstance(declared, Setting) else Setting()
    what = f"the setting {one.name} of {kind.__qualname__}"
    if one.name != one.name.lower():
        raise PluginError(f"{what} has capital letters, expected a name in lower case")
    default = _default_of(kind, one)
    plain, _ = without_none(hint)
    choices = declared.choices
    if typing.get_origin(plain) is typing.Literal:
        choices = typing.get_args(plain)
    if not declared.kind and not is_simple(plain):
        raise PluginError(
            f"{what} is {getattr(hint, '__name__', hint)}, expected bool, int, float, "
            "str, Literal, Array, a tuple of numbers or texts, or one of these or None"
        )
    return replace(
        declared,
        name=one.name,
        field=one.name,
        hint=hint,
        default=default,
        choices=tuple(choices),
    )


def _default_of(kind: Any, one: dataclasses.Field[Any]) -> Any:
    if one.default_factory is not MISSING:
        return one.default_factory()
    if one.default is MISSING:
        raise PluginError(
            f"the setting {one.name} of {kind.__qualname__} has no default"
        )
    return one.default


def check_names(owner: str, known: Mapping[str, Setting], names: Iterable[str]) -> None:
    """Raise SettingError for the first name that is no setting of an owner."""
    for name in names:
        if name not in known:
            listed = ", ".join(known) or "none"
            raise SettingError(
                f"{owner} has no setting {name!r}{did_you_mean(name, known)}; "
                f"settings: {listed}",
                name,
            )


def made_settings(kind: Any, owner: str, given: Mapping[str, Any]) -> Any:
    """Return the settings of a class with given values; others have their defaults.

    Parameters
    ----------
    kind
        The dataclass.
    owner
        Whose they are, for messages: the id.
    given
        Values by name; fields that are sections may be given whole.

    Raises
    ------
    SettingError
        There is no such setting, or a value is of another type or out of range.
    """
    if not given:
        return _defaults(kind)
    values = _checked(kind, owner, _defaults(kind), given)
    completed = getattr(kind, "completed", None)
    return _made(owner, lambda: kind(**(completed(values) if completed else values)))


def changed_settings(settings: Any, owner: str, given: Mapping[str, Any]) -> Any:
    """Return settings with some values changed; raises as `made_settings`."""
    kind: Any = type(settings)
    values = _checked(kind, owner, settings, given)
    for one in settings_of(kind).values():
        if not one.fixed or one.section or one.field not in values:
            continue
        if not _equal(values[one.field], getattr(settings, one.field)):
            raise SettingError(
                f"{one.name} of {owner} counts at creation only; create another "
                f"{owner} with {one.name}={as_shown(values[one.field])}",
                one.name,
            )
    return _made(owner, lambda: replace(settings, **values))


@functools.cache
def _defaults(kind: Any) -> Any:
    """Return default settings: one object for all, they are frozen."""
    made = kind()
    for one in dataclasses.fields(made):
        value = getattr(made, one.name)
        if isinstance(value, np.ndarray) and value.flags.writeable:
            value.setflags(write=False)
    return made


def _made(owner: str, make: Callable[[], Any]) -> Any:
    try:
        made = make()
        check = getattr(made, "check", None)
        if callable(check):
            check()
    except (Error, ValueError, TypeError) as error:
        # its author's rules for several settings
        raise SettingError(f"{owner}: {error}") from error
    return made


def _checked(
    kind: Any, owner: str, base: Any, given: Mapping[str, Any]
) -> dict[str, Any]:
    """Return values by field; `base` has the sections that are changed."""
    known = settings_of(kind)
    sections = _sections_of(kind)
    check_names(owner, known, [name for name in given if name not in sections])
    values = {name: value for name, value in given.items() if name in sections}
    for name, value in values.items():
        wanted = sections[name]
        if not isinstance(value, wanted):
            raise SettingError(
                f"{name} of {owner} is {as_shown(value)}, expected {wanted.__name__}"
            )
    for name, value in given.items():
        if name in sections:
            continue
        one = known[name]
        try:
            made = one.check(f"{name} of {owner}", value)
            if one.section:
                part = values.get(one.section, getattr(base, one.section))
                values[one.section] = replace(part, **{one.field: made})
            else:
                values[one.field] = made
        except SettingError:
            raise
        except (Error, ValueError, TypeError) as error:
            raise SettingError(str(error)) from None
    return values


def values_of(settings: Any, *, changed: bool = False) -> dict[str, Any]:
    """Return the values of settings by name.

    Parameters
    ----------
    changed
        Only those that differ from their defaults.
    """
    found = {}
    kind: Any = type(settings)
    for name, one in settings_of(kind).items():
        part = getattr(settings, one.section) if one.section else settings
        value = getattr(part, one.field)
        if not changed or not _equal(value, one.default):
            found[name] = value
    return found


def are_same(a: Any, b: Any) -> bool:
    """Return True if two settings of one class have equal values, arrays too."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    return all(
        _equal(getattr(a, one.name), getattr(b, one.name))
        for one in dataclasses.fields(a)
        if one.compare
    )


def _rows_of(made: np.ndarray, like: np.ndarray) -> tuple[int, ...]:
    """Return the shape of the default, with as many rows as there are numbers for."""
    if not made.size and not like.size:
        return like.shape
    return tuple(size or -1 for size in like.shape)


def _equal(a: Any, b: Any) -> bool:
    if a.__class__ is b.__class__ and a.__class__ in _PLAIN:
        return bool(a == b)
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return bool(np.array_equal(a, b))
    if dataclasses.is_dataclass(a) and not isinstance(a, type):
        return are_same(a, b)
    return bool(a == b)
