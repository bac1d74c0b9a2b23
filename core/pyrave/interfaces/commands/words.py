"""Words of commands' texts, and what they are for annotated parameters."""

from __future__ import annotations

import enum
import re
import types
import typing
from collections.abc import Callable
from typing import Any, get_args, get_origin, get_type_hints

_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"0", "false", "no", "off"}
_WORD = re.compile(r"\S+")
_TAG = re.compile(r"<([A-Za-z_][\w.-]*)[\s/>]")


def words_of_text(text: str) -> list[str]:
    """Return the words of a command's text; an XML document is one word."""
    found: list[str] = []
    place, documents = 0, True
    while (begin := _WORD.search(text, place)) is not None:
        place = begin.end()
        tag = _TAG.match(text, begin.start())
        if tag is not None and documents:
            end = _end_of_document(text, begin.start(), tag[1])
            documents = end > begin.start()  # else what follows has no end, either
            place = max(place, end)
        found.append(text[begin.start() : place])
    return found


def _end_of_document(text: str, begin: int, tag: str) -> int:
    """Return the end of an element; its beginning if it has none."""
    depth = 0
    tags = re.compile(rf"<(/?){re.escape(tag)}(?=[\s/>])[^<>]*?(/?)>")
    for one in tags.finditer(text, begin):
        depth += -1 if one[1] else 0 if one[2] else 1
        if depth == 0:
            return one.end()
    return begin


def plain_type(annotation: Any) -> Any:
    """Return X of ``X | None``, and the list of a union that has one."""
    if get_origin(annotation) not in {typing.Union, types.UnionType}:
        return annotation
    rest = [a for a in get_args(annotation) if a is not type(None)]
    many = [a for a in rest if get_origin(a) is list]
    return many[0] if many else rest[0] if len(rest) == 1 else str


def kind_text(annotation: Any) -> str:
    """Return an annotation as it is shown; of unions with a list, the list."""
    kind = plain_type(annotation)
    if get_origin(kind) is list and kind is not annotation:
        none = " | None" if type(None) in get_args(annotation) else ""
        return f"{kind}{none}"
    if get_args(annotation):
        return str(annotation).replace("typing.", "")
    return getattr(annotation, "__name__", str(annotation))


def converted(word: str, kind: Any) -> Any:
    """Return the value of a type that a word says; ValueError and others if none."""
    if kind is bool:
        lowered = word.lower()
        if lowered in _TRUE:
            return True
        if lowered in _FALSE:
            return False
        raise ValueError(word)
    if kind in {int, float}:
        return kind(word)
    if get_origin(kind) is typing.Literal:
        return next(v for v in get_args(kind) if str(v).lower() == word.lower())
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return next(m for m in kind if m.name.lower() == word.lower())
    return word


def hints_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Return annotations as types; those that only a type checker knows are text."""
    try:
        return get_type_hints(function)
    except (NameError, TypeError, AttributeError):
        pass
    found: dict[str, Any] = {}
    for name, annotation in getattr(function, "__annotations__", {}).items():
        known = getattr(function, "__globals__", {})
        probe = types.FunctionType((lambda: None).__code__, known)
        probe.__annotations__ = {name: annotation}
        try:
            found.update(get_type_hints(probe))
        except (NameError, TypeError, AttributeError):
            found[name] = str
    return found
