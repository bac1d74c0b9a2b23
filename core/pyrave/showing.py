"""How objects show themselves: their names, counts with nouns, cards in notebooks."""

from __future__ import annotations

import base64
import html
import reprlib
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import Any

import numpy as np

_CELL = "text-align:left;padding:0 1em 0 0;vertical-align:top"
_MOST = 10
_MOST_NUMBERS = 7


def offered_names(item: object) -> list[str]:
    """Return what ``dir`` tells users of an object: without names for other rooms.

    Classes name these in ``_unlisted``, a text with blanks between the names. They are
    found by whoever asks for them, and so are names that begin with one underscore.
    """
    texts = (vars(kind).get("_unlisted", "") for kind in type(item).__mro__)
    unlisted = {name for text in texts for name in text.split()}
    return [
        name
        for name in object.__dir__(item)
        if name not in unlisted and (name[:1] != "_" or name[-1:] == "_")
    ]


def counted(number: int, noun: str) -> str:
    """Return ``"1 problem"``, ``"2 problems"``: a count with its noun."""
    if number == 1:
        return f"{number} {noun}"
    if noun.endswith(("dy", "ry")):
        return f"{number} {noun[:-1]}ies"
    return f"{number} {noun}{'es' if noun.endswith(('ch', 'x')) else 's'}"


def listed(names: Iterable[str], most: int = _MOST) -> str:
    """Return names with commas between them, ``...`` for those that are too many."""
    every = list(names)
    more = [f"... ({len(every) - most} more)"] if len(every) > most else []
    return ", ".join([*every[:most], *more])


def in_line(title: str, values: Mapping[str, Any]) -> str:
    """Return one line about an object: of arrays that are not short it is the shape.

    What is empty is left out.
    """
    parts = [
        f"{name}={_short(value)}"
        for name, value in values.items()
        if (value if isinstance(value, str) else np.size(value))
    ]
    return f"<{' '.join([title, ', '.join(parts)])}>" if parts else f"<{title}>"


def _short(value: object) -> str:
    if isinstance(value, np.ndarray):
        if value.ndim < 2 and value.size <= _MOST_NUMBERS:
            return np.array2string(value, precision=6, separator=", ")
        return f"({'x'.join(map(str, value.shape))})"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Enum):
        return value.name
    return reprlib.repr(value)


def card(title: str, facts: Mapping[str, str], *parts: str) -> str:
    """Return HTML for notebooks: static, without a script, every text escaped.

    Parameters
    ----------
    facts
        Name -> value; what is empty is left out.
    parts
        HTML that comes below, of `table` and `picture`.
    """
    rows = "".join(
        f'<tr><th style="{_CELL}">{html.escape(name)}</th>'
        f'<td style="{_CELL}">{html.escape(value)}</td></tr>'
        for name, value in facts.items()
        if value
    )
    return (
        f"<div><strong>{html.escape(title)}</strong>"
        f"<table>{rows}</table>{''.join(parts)}</div>"
    )


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return an HTML table, every text escaped; of many rows the first ones."""

    def line(cells: Sequence[str], tag: str) -> str:
        inner = (f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells)
        return f"<tr>{''.join(inner)}</tr>"

    body = "".join(line(row, "td") for row in rows[:_MOST])
    rest = len(rows) - _MOST
    more = f"<p>... {rest} more</p>" if rest > 0 else ""
    return f"<table>{line(head, 'th')}{body}</table>{more}"


def picture(png: bytes, description: str) -> str:
    """Return an HTML image that holds its own data."""
    data = base64.b64encode(png).decode("ascii")
    return f'<img src="data:image/png;base64,{data}" alt="{html.escape(description)}">'
