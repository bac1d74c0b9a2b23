"""The directive that prints public names: arguments, returns, errors, units, purpose.

``{public-names} Environment`` prints a class of `pyrave` and what it has,
``{public-names} pyrave.planning`` what a package lists. As a program it prints
everything as Markdown: ``python docs/_ext/public_names.py``.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import importlib
import inspect
import re
import sys
import typing
from typing import TYPE_CHECKING, Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.pycode import ModuleAnalyzer
from sphinx.util.docutils import SphinxDirective

import pyrave
from pyrave.cards import unlisted_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sphinx.application import Sphinx

_HEAD = ("name", "arguments", "returns", "raises", "units", "what it does")
_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
_UNIT = re.compile(
    r"\b(rad/s[23]?|m/s[23]?|N m s/rad|N m/rad|N s/m|N/m|N m|kg/m3|kg m2|"
    r"radians|degrees|metres|seconds|newtons?|newton metres|kilograms?|kg|pixels|"
    r"hertz|bytes)(?![\w/])"
)
_OPTIONS = (
    "pyrave.planning",
    "pyrave.environment.files",
    "pyrave.bodies.execution",
)


@dataclasses.dataclass(frozen=True)
class PublicName:
    """A row of the table.

    Parameters
    ----------
    arguments
        Each with type, default, and what it is.
    """

    name: str
    arguments: tuple[tuple[str, str], ...]
    returns: str
    raises: tuple[str, ...]
    units: tuple[str, ...]
    purpose: str


def owners() -> tuple[str, ...]:
    """Return what there is a table for: modules, then classes."""
    kinds = [name for name in pyrave.__all__ if inspect.isclass(getattr(pyrave, name))]
    return ("pyrave", "pyrave.planning", *kinds)


@functools.cache
def public_names(owner: str) -> tuple[PublicName, ...]:
    """Return the rows of a class of `pyrave`, or of a package.

    Rows of a class begin with how it is made. What it has from a class that has a table
    of its own stands there.
    """
    if owner.startswith("pyrave"):
        module = importlib.import_module(owner)
        found = {name: getattr(module, name) for name in module.__all__}
        if owner == "pyrave":
            found = {k: v for k, v in found.items() if not inspect.isclass(v)}
        docs = ModuleAnalyzer.for_module(owner).find_attr_docs()
        texts = {name: " ".join(docs.get(("", name), ())).strip() for name in found}
        return tuple(_row(name, one, texts[name]) for name, one in found.items())
    kind = getattr(pyrave, owner)
    return (_row(owner, kind, ""), *_members(owner, kind))


def inherited(owner: str) -> str:
    """Return the class whose rows belong to a class, too; empty if there is none."""
    own = {getattr(pyrave, name): name for name in owners()[2:]}
    kinds = getattr(pyrave, owner, type).__mro__[1:]
    return next((own[kind] for kind in kinds if kind in own), "")


def _members(owner: str, kind: type) -> Iterator[PublicName]:
    above = getattr(pyrave, inherited(owner), object)
    hidden = unlisted_names(kind)
    fields = getattr(kind, "__dataclass_fields__", {})
    if issubclass(kind, enum.Enum):
        return
    for one in kind.__mro__:
        if one in above.__mro__ or one.__module__ == "builtins":
            continue
        named = dict(vars(one))
        named |= dict.fromkeys(inspect.get_annotations(one)) | named
        for name, value in named.items():
            if name.startswith("_") or name in hidden or name in fields:
                continue
            hidden.add(name)
            yield _row(name, value, _attribute_text(one, name))


def _attribute_text(kind: type, name: str) -> str:
    """Return the text below an attribute in the code of a class or of one above."""
    for one in kind.__mro__:
        if one.__module__.startswith("pyrave"):
            found = ModuleAnalyzer.for_module(one.__module__).find_attr_docs()
            if (one.__qualname__, name) in found:
                return " ".join(found[one.__qualname__, name]).strip()
    return ""


def _row(name: str, value: Any, text: str) -> PublicName:
    value = getattr(value, "__func__", value)
    if isinstance(value, functools.cached_property):
        value = property(value.func)
    known = isinstance(value, (property, type)) or callable(value)
    described = known or hasattr(type(value), "__get__")
    doc = _Docstring(text or (inspect.getdoc(value) or "" if described else ""))
    if isinstance(value, property):
        getter: Any = value.fget
        doc = _Docstring(inspect.getdoc(getter) or "")
        arguments = [("read, assign" if value.fset else "read", "")]
        returns = str(inspect.signature(getter).return_annotation).strip("'")
    elif isinstance(value, type) and issubclass(value, enum.Enum):
        arguments, returns = [(one, "") for one in value.__members__], value.__name__
    elif isinstance(value, type):
        arguments, returns = _arguments(value, doc), value.__name__
    elif callable(value):
        arguments, returns = _arguments(value, doc), _returned(value)
    elif hasattr(type(value), "__set__") or value is None:
        arguments, returns = [("read, assign", "")], ""
    else:
        arguments, returns = [("read", "")], _text_of(value)
    said = " ".join(
        [doc.summary, doc.sections.get("Returns", ""), *dict(arguments).values()]
    )
    return PublicName(
        name,
        tuple(arguments),
        " ".join(filter(None, (returns, doc.returned))),
        doc.raised,
        tuple(dict.fromkeys(_UNIT.findall(said))),
        doc.summary,
    )


class _Docstring:
    """A docstring in the form of NumPy's, taken apart."""

    def __init__(self, text: str) -> None:
        first, *rest = _SECTION.split(text)
        self.summary = " ".join(first.split("\n\n")[0].split())
        self.sections = dict(zip(rest[::2], rest[1::2], strict=True))

    def entries(self, section: str) -> dict[str, str]:
        """Return what a section says of each name, a dict in its order."""
        found: dict[str, str] = {}
        names: list[str] = []
        for line in self.sections.get(section, "").splitlines():
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
        return " ".join(self.entries("Returns").values())


def _arguments(value: Any, doc: _Docstring) -> list[tuple[str, str]]:
    said = doc.entries("Parameters")
    if hasattr(value, "__signature__"):  # options of files, told once
        texts = (pyrave.Environment.save, pyrave.Environment.load)
        for one in map(inspect.getdoc, texts):
            said = _Docstring(one or "").entries("Parameters") | said
    made = value
    if isinstance(value, type):
        made = value.__init__
        said |= _Docstring(inspect.getdoc(made) or "").entries("Parameters")
        if made is object.__init__ or inspect.isabstract(value):
            return []
    found = []
    for one in inspect.signature(made).parameters.values():
        if one.name in {"self", "cls"}:
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
        found.append((_written(one), text))
    return found


def _written(one: inspect.Parameter) -> str:
    """Return a parameter as code has it: kind, name, type and default."""
    stars = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
    text = f"{stars}{one.name}"
    if one.annotation is not one.empty:
        text += f": {str(one.annotation).strip(chr(39))}"
    if one.default is not one.empty:
        text += f" = {_text_of(one.default)}"
    return text


def _options(name: str, said: dict[str, str]) -> list[tuple[str, str]]:
    """Return the keys of a dict of options."""
    homes = map(importlib.import_module, _OPTIONS)
    kind = next(getattr(home, name) for home in homes if hasattr(home, name))
    rows = []
    docs = ModuleAnalyzer.for_module(kind.__module__).find_attr_docs()
    below = {key: " ".join(lines).strip() for (_, key), lines in docs.items()}
    for key, annotation in kind.__annotations__.items():
        shown = getattr(annotation, "__forward_arg__", annotation)
        rows.append((f"{key}: {shown} = ...", said.get(key) or below.get(key, "")))
    return [("*", ""), *dict(rows).items()]


def _unpacked(value: Any) -> list[str]:
    """Return the names of the dicts of options that overloads take."""
    if not inspect.isfunction(value):
        return []
    shown = " ".join(str(inspect.signature(one)) for one in typing.get_overloads(value))
    return list(dict.fromkeys(re.findall(r"Unpack\[(\w+)\]", shown)))


def _returned(value: Callable[..., Any]) -> str:
    """Return the annotation of what is returned, of all overloads."""
    forms = (inspect.isfunction(value) and typing.get_overloads(value)) or [value]
    shown = [str(inspect.signature(one).return_annotation) for one in forms]
    names = [one.strip("'") for one in shown if "_empty" not in one]
    return " or ".join(dict.fromkeys(names))


def _text_of(value: object) -> str:
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    text = repr(value)
    return "..." if text.startswith("<") else text


# -- Markdown --------------------------------------------------------------------------


def as_markdown(owner: str) -> str:
    """Return the table of an owner."""
    lines = [_line(_HEAD), _line(["---"] * len(_HEAD))]
    for row in public_names(owner):
        arguments = [
            f"{_code(one)} {_prose(text)}".strip() for one, text in row.arguments
        ]
        lines.append(
            _line(
                (
                    _code(row.name),
                    "<br>".join(arguments),
                    _prose(row.returns),
                    ", ".join(map(_code, row.raises)),
                    ", ".join(row.units),
                    _prose(row.purpose),
                )
            )
        )
    above = inherited(owner)
    after = f"\n\nAnd all of {_code(above)}." if above else ""
    return "\n".join(lines) + after + "\n"


def _line(cells: Any) -> str:
    return f"| {' | '.join(cells)} |"


def _code(text: str) -> str:
    return f"`{_cell(text)}`" if text else ""


def _prose(text: str) -> str:
    """Return text of a docstring: what stands between backticks is code."""
    parts = re.split(r"(`+[^`]*`+)", _cell(text))
    return "".join(
        one if i % 2 else re.sub(r"([*<\[])", r"\\\1", one)
        for i, one in enumerate(parts)
    )


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


class PublicNames(SphinxDirective):
    """Print the tables of classes and packages."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        node = nodes.container()
        for owner in self.arguments[0].split():
            if owner not in owners():
                raise self.error(f"pyrave has no class or package {owner!r}")
            lines = StringList(as_markdown(owner).splitlines(), "public names")
            self.state.nested_parse(lines, self.content_offset, node)
        return list(node.children)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("public-names", PublicNames)
    return {"version": "1", "parallel_read_safe": True}


if __name__ == "__main__":
    for chosen in owners():
        sys.stdout.write(f"## {chosen}\n\n{as_markdown(chosen)}\n")
