"""Arguments and results of functions and classes, from signatures and docstrings."""

from __future__ import annotations

import dataclasses
import enum
import importlib
import inspect
import re
import sys
import tomllib
import typing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sphinx.pycode import ModuleAnalyzer

import pyrave

if TYPE_CHECKING:
    from collections.abc import Callable

_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
UNIT = re.compile(
    r"\b(rad/s[23]?|m/s[23]?|N m s/rad|N m/rad|N s/m|N/m|N m|kg/m3|kg m2|"
    r"radians|degrees(?! of freedom)|metres|seconds|newtons|newton metres|"
    r"kilograms?|kg|pixels|hertz)(?![\w/])"
)
_OPTIONS = (
    "pyrave.planning",
    "pyrave.environment.files",
    "pyrave.bodies.execution",
)
_TEXTS = Path(__file__).with_name("argument_texts.toml").read_text("utf-8")
_EVERYWHERE: dict[str, str] = tomllib.loads(_TEXTS)
"""Arguments that mean the same wherever nothing else is said, by name and type."""
_LONG = 50
"""Characters of a default beyond which its class alone is shown."""


def attribute_text(kind: type, name: str) -> str:
    """Return the text below an attribute in the code of a class or of one above."""
    for one in kind.__mro__:
        if one.__module__.startswith("pyrave"):
            found = ModuleAnalyzer.for_module(one.__module__).find_attr_docs()
            if (one.__qualname__, name) in found:
                return " ".join(found[one.__qualname__, name]).strip()
    return ""


class Docstring:
    """A docstring in the form of NumPy's, taken apart."""

    def __init__(self, text: str) -> None:
        first, *rest = _SECTION.split(text)
        self.summary = " ".join(first.split("\n\n")[0].split())
        self.sections = dict(zip(rest[::2], rest[1::2], strict=True))

    def entries(self, section: str) -> dict[str, str]:
        """Return what a section says of each name, a dict in its order."""
        found: dict[str, str] = {}
        names: list[str] = []
        text = re.sub(r",\n(?=\S)", ", ", self.sections.get(section, ""))
        for line in text.splitlines():
            if line[:1].strip():
                names = [one.strip() for one in line.split(" : ")[0].split(",")]
                found |= dict.fromkeys(names, "")
            elif line.strip():
                found |= {one: f"{found[one]} {line.strip()}".strip() for one in names}
        return found

    @property
    def raised(self) -> tuple[str, ...]:
        return tuple(self.entries("Raises"))

    @property
    def returned(self) -> str:
        """Text on results: shapes beside their types, then the descriptions."""
        lines = self.sections.get("Returns", "").splitlines()
        if not any(line[:1].isspace() for line in lines):
            return " ".join(" ".join(lines).split())
        said = []
        for line in lines:
            if line[:1].strip():
                shapes = re.findall(r"\([^()]*\)", line.partition(":")[2] or line)
                said += [", ".join(shapes)]
            else:
                said.append(line.strip())
        return " ".join(filter(None, said))


def arguments_of(value: Any, doc: Docstring) -> list[tuple[str, str]]:
    said = _referred(value, doc) | doc.entries("Parameters")
    if type(value).__module__.startswith("pluggy"):
        names = inspect.signature(value).parameters
        said |= dict.fromkeys(names, "As in pluggy.") | {"function": ""}
    if hasattr(value, "__signature__"):  # options of files, told once
        texts = (pyrave.Environment.save, pyrave.Environment.load)
        for one in map(inspect.getdoc, texts):
            said = Docstring(one or "").entries("Parameters") | said
    made = value
    if isinstance(value, type):
        made = value.__init__
        fields = getattr(value, "__dataclass_fields__", {})
        below = {one: attribute_text(value, one) for one in fields}
        said = {one: text for one, text in below.items() if text} | said
        for one in reversed(value.__mro__):  # fields of bases are said there
            said = (
                Docstring(inspect.cleandoc(one.__doc__ or "")).entries("Parameters")
                | said
            )
        said |= Docstring(inspect.getdoc(made) or "").entries("Parameters")
        is_open = inspect.isabstract(value) or getattr(value, "_is_protocol", False)
        if hasattr(value, "__total__"):
            return _options(value.__name__, {})[1:]
        if not inspect.isfunction(made) or is_open:
            return []
    found: list[tuple[str, str]] = []
    positional = False
    for one in inspect.signature(made).parameters.values():
        if positional and one.kind is not one.POSITIONAL_ONLY:
            found.append(("/", ""))
        positional = one.kind is one.POSITIONAL_ONLY
        if one.name in {"self", "cls"} or one.name[0] == "_":
            positional = False
            continue
        if one.kind is one.VAR_KEYWORD and "Unpack" in str(one.annotation):
            options = re.findall(r"\w+", str(one.annotation))[-1]
            found += _options(options, said)
            continue
        if one.kind is one.VAR_KEYWORD:
            for options in _unpacked(made):
                found += [row for row in _options(options, {}) if row not in found]
        if one.kind is one.KEYWORD_ONLY and ("*", "") not in found:
            found.append(("*", ""))
        text = said.get(one.name, said.get(str(one).split(":")[0], ""))
        found.append((_written(one), text or _EVERYWHERE.get(_plain(one), "")))
    return [*found, ("/", "")] if positional else found


def _referred(value: Any, doc: Docstring) -> dict[str, str]:
    """Return what other functions say of arguments, to which a summary refers."""
    found: dict[str, str] = {}
    owner = getattr(value, "__qualname__", "").rpartition(".")[0]
    for name in re.findall(r"`(?:pyrave\.)?([A-Za-z_.]+)`", doc.summary):
        home: Any = pyrave
        if "." not in name and hasattr(pyrave, owner.partition(".")[0]):
            home = getattr(pyrave, owner)
        elif "." not in name:
            home = sys.modules[getattr(value, "__module__", "pyrave")]
        other = home
        for part in name.split("."):
            other = getattr(other, part, None)
        if inspect.isroutine(other) and other is not value:
            found |= Docstring(inspect.getdoc(other) or "").entries("Parameters")
    return found


def _plain(one: inspect.Parameter) -> str:
    """Return name and type of a parameter, with its stars."""
    stars = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
    return f"{stars}{one.name}: {str(one.annotation).strip(chr(39))}"


def _written(one: inspect.Parameter) -> str:
    """Return a parameter as code has it: kind, name, type and default."""
    stars = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
    text = f"{stars}{one.name}"
    if one.annotation is not one.empty:
        text += f": {str(one.annotation).strip(chr(39))}"
    if one.default is not one.empty:
        text += f" = {text_of(one.default)}"
    return text


def _options(name: str, said: dict[str, str]) -> list[tuple[str, str]]:
    """Return the keys of a dict of options."""
    homes = map(importlib.import_module, _OPTIONS)
    kind = next(getattr(home, name) for home in homes if hasattr(home, name))
    docs = ModuleAnalyzer.for_module(kind.__module__).find_attr_docs()
    rows = [("*", "")]
    for key, annotation in kind.__annotations__.items():
        shown = getattr(annotation, "__forward_arg__", annotation)
        rows.append((f"{key}: {shown} = ...", said.get(key) or _below(docs, kind, key)))
    return rows


def _below(docs: Any, kind: Any, key: str) -> str:
    """Return the text below a key of a dict of options, or of one that it extends."""
    home = importlib.import_module(kind.__module__)
    for (name, its_key), lines in docs.items():
        its_types = getattr(getattr(home, name, None), "__annotations__", {})
        if its_key == key and its_types.items() <= kind.__annotations__.items():
            return " ".join(lines).strip()
    return ""


def _unpacked(value: Any) -> list[str]:
    """Return the names of the dicts of options that overloads take."""
    if not inspect.isfunction(value):
        return []
    shown = " ".join(str(inspect.signature(one)) for one in typing.get_overloads(value))
    return list(dict.fromkeys(re.findall(r"Unpack\[(\w+)\]", shown)))


def returned_by(value: Callable[..., Any]) -> str:
    """Return the annotation of what is returned, of all overloads."""
    forms = (inspect.isfunction(value) and typing.get_overloads(value)) or [value]
    shown = [str(inspect.signature(one).return_annotation) for one in forms]
    names = [one.strip("'") for one in shown if "_empty" not in one]
    return " or ".join(dict.fromkeys(names))


def text_of(value: object) -> str:
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    if value == pyrave.scene.IDENTITY:
        return "IDENTITY"
    text = repr(value)
    if dataclasses.is_dataclass(value) and len(text) > _LONG:
        return f"{type(value).__name__}(...)"
    return "..." if text.startswith("<") else text
