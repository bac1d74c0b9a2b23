"""Display of objects: names, counts with nouns, cards in notebooks."""

from __future__ import annotations

import base64
import reprlib
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from pyrave.texts import printable

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

_CELL = "text-align:left;padding:0 1em 0 0;vertical-align:top"
_NARROW = "padding:0.1em 1em 0.1em 0.2em;vertical-align:top"
_MOST = 10
_MAX_NUMBERS = 7
_CURVES = (360, 140)
# readable on white and on black
_COLOURS = (
    "#1f77b4", "#e8710a", "#2a9d3a", "#d62728", "#8e63c9",
    "#a0674f", "#dd5fb8", "#7f7f7f", "#a0a010", "#12a5b8",
)  # fmt: skip


def unlisted_names(kind: type) -> set[str]:
    """Return the names of a class that are for other rooms, OpenRAVE's, or former."""
    unlisted: set[str] = set()
    for one in kind.__mro__:
        unlisted.update(vars(one).get("_unlisted", "").split())
        unlisted.update(vars(one).get("_openrave_names", ()))
        unlisted.update(vars(one).get("_names_of_parts", ()))
        unlisted.update(vars(one).get("_former_names", ()))
    return unlisted


def offered_names(item: object) -> list[str]:
    """Return the names that ``dir`` shows users of an object.

    Classes name these in ``_unlisted``, a text with blanks between the names. They are
    found by whoever asks for them, and so are names that begin with one underscore.
    """
    unlisted = unlisted_names(type(item))
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
        if value.ndim < 2 and value.size <= _MAX_NUMBERS:
            return np.array2string(value, precision=6, separator=", ")
        return f"({'x'.join(map(str, value.shape))})"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Enum):
        return value.name
    return reprlib.repr(value)


def escaped(text: str) -> str:
    """Return a text for HTML and SVG, in which nothing is obeyed or hidden."""
    import html

    return html.escape(printable(text))


def card(title: str, facts: Mapping[str, str], *parts: str) -> str:
    """Return HTML for notebooks: static, without a script, every text escaped.

    Parameters
    ----------
    facts
        Name -> value; what is empty is left out. What has no name is a line of its own.
    parts
        HTML that comes below, of `table` and `picture`.
    """
    line = escaped(facts.get("", ""))
    rows = "".join(
        f'<tr><th style="{_CELL}">{escaped(name)}</th>'
        f'<td style="{_CELL}">{escaped(value)}</td></tr>'
        for name, value in facts.items()
        if value and name
    )
    return "".join(
        (
            f"<div><strong>{escaped(title)}</strong>",
            f"<div>{line}</div>" if line else "",
            f"<table>{rows}</table>" if rows else "",
            *parts,
            "</div>",
        )
    )


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return an HTML table, every text escaped; of many rows the first ones.

    Columns of numbers are aligned at the right.
    """
    sides = [
        "right" if rows and all(map(_is_number, column)) else "left"
        for column in zip(*rows, strict=True)
    ] or ["left"] * len(head)

    def line(cells: Sequence[str], tag: str) -> str:
        inner = (
            f'<{tag} style="text-align:{side};{_NARROW}">{escaped(cell)}</{tag}>'
            for cell, side in zip(cells, sides, strict=True)
        )
        return f"<tr>{''.join(inner)}</tr>"

    body = "".join(line(row, "td") for row in rows[:_MOST])
    rest = len(rows) - _MOST
    more = f"<p>... {rest} more</p>" if rest > 0 else ""
    return f"<table>{line(head, 'th')}{body}</table>{more}"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


class Reported(Protocol):
    """A problem as a table of problems shows it."""

    @property
    def place(self) -> str:
        """Location of the problem."""

    @property
    def severity(self) -> Enum:
        """Severity of the problem."""

    @property
    def message(self) -> str:
        """The message."""

    @property
    def hint(self) -> str | None:
        """The remedy."""


def problem_table(problems: Iterable[Reported]) -> str:
    """Return problems as an HTML table: where, what, and what to do about it."""
    rows = [
        [one.place, f"{one.severity.value}: {one.message}", one.hint or ""]
        for one in problems
    ]
    return table(["where", "problem", "what to do"], rows)


def picture(png: bytes, description: str) -> str:
    """Return an HTML image that holds its own data."""
    return _image("png", png, description)


def curves(lines: ArrayLike, names: Sequence[str], duration: float) -> str:
    """Return an HTML image of values over time, a vector graphic without a script.

    Parameters
    ----------
    lines
        (m, k) values at even steps from 0 to the duration; finite.
    names
        Of the k curves; the first ten are drawn.
    duration
        Seconds.
    """
    values = np.asarray(lines, np.float64)[:, :_MOST]
    width, height = _CURVES
    low, high = float(values.min()), float(values.max())
    # none lies on the frame
    space = 0.05 * (high - low) or 0.5
    x = np.linspace(0.0, width, len(values))
    y = height * (high + space - values) / (high - low + 2.0 * space)
    drawn = []
    for k, (name, colour) in enumerate(zip(names, _COLOURS, strict=False)):
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y[:, k], strict=True))
        drawn.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" '
            f'stroke-width="1.5"/><text x="{width + 12}" y="{12 + 14 * k}" '
            f'fill="{colour}">{escaped(name)}</text>'
        )
    grey = 'fill="#888"'
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + 220}" '
        f'height="{height + 30}" viewBox="-60 -8 {width + 220} {height + 30}" '
        'font-family="sans-serif" font-size="12">'
        f'<rect width="{width}" height="{height}" fill="none" stroke="#8888"/>'
        f'<text x="-6" y="10" text-anchor="end" {grey}>{high:.4g}</text>'
        f'<text x="-6" y="{height}" text-anchor="end" {grey}>{low:.4g}</text>'
        f'<text x="0" y="{height + 16}" {grey}>0</text>'
        f'<text x="{width}" y="{height + 16}" text-anchor="end" {grey}>'
        f"{duration:.3f} s</text>{''.join(drawn)}</svg>"
    )
    return _image("svg+xml", svg.encode(), f"{', '.join(names)} over time")


def _image(kind: str, data: bytes, description: str) -> str:
    text = base64.b64encode(data).decode("ascii")
    said = escaped(description)
    return f'<div><img src="data:image/{kind};base64,{text}" alt="{said}"></div>'
