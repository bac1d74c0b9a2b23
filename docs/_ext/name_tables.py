"""Tables of public names as Markdown."""

from __future__ import annotations

import functools
import itertools
import re
from typing import TYPE_CHECKING, Any

from name_rows import PublicName, class_of, inherited, owners, public_names

from pyrave.interfaces import INTERFACE_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEAD = ("name", "arguments", "returns", "raises", "units", "what it does")
_TELLERS = ("pyrave.load", "Environment.save")
"""Functions that tell of arguments for others, before those that come first."""
_LONG = 100
"""Characters that a reference to another row has to save."""


@functools.cache
def _tellers() -> dict[tuple[str, str], str]:
    """Return which row tells of each argument with its text: the most general one."""

    def rank(told: tuple[str, PublicName]) -> tuple[bool, bool, int]:
        owner, row = told
        depth = len(class_of(owner).__mro__) if owner[0].isupper() else 0
        return _label(owner, row) not in _TELLERS, owner in INTERFACE_TYPES, depth

    rows = [(owner, row) for owner in owners() for row in public_names(owner)]
    found = {("*", ""): ""}
    for owner, row in sorted(rows, key=rank):
        for one in row.arguments:
            found.setdefault(one, _label(owner, row))
    return found


def _label(owner: str, row: PublicName) -> str:
    """Return what a row is called in other tables."""
    is_own = row.name == owner or owner in INTERFACE_TYPES
    return row.name if is_own else f"{owner}.{row.name}"


def _short(owner: str, row: PublicName) -> Iterator[str]:
    """Yield the arguments of a row, of those that another row tells of the names."""
    for home, told in itertools.groupby(row.arguments, _tellers().__getitem__):
        arguments = list(told)
        full = list(_full(arguments))
        names = [code(re.split("[:=]", one)[0].strip()) for one, _ in arguments]
        short = f"{', '.join(names)}: as for {code(home)}"
        is_long = len("<br>".join(full)) - len(short) >= _LONG
        if is_long and home != _label(owner, row):
            yield short
        else:
            yield from full


def _full(arguments: list[tuple[str, str]]) -> Iterator[str]:
    """Yield arguments, those next to each other that share their text together."""
    for _, same in itertools.groupby(arguments, lambda one: one[1] or one):
        names, texts = zip(*same, strict=True)
        yield f"{', '.join(map(code, names))} {told(names[0], texts[0])}".strip()


def told(argument: str, text: str) -> str:
    """Return the text of an argument, none if it says no more than the name."""
    name = argument.partition(":")[0].replace("_", " ")
    return "" if text == f"The {name}." else _prose(text)


def _cells(owner: str, row: PublicName) -> tuple[str, ...]:
    return (
        code(row.name),
        "<br>".join(_short(owner, row)),
        _prose(row.returns) if row.returns != row.name else "",
        ", ".join(map(code, row.raises)),
        ", ".join(row.units),
        _prose(row.purpose),
    )


def as_markdown(owner: str) -> str:
    """Return the table of an owner, without columns that are empty."""
    rows = [_cells(owner, row) for row in public_names(owner)]
    kept = [any(cells) for cells in zip(*rows, strict=True)]
    head = [_HEAD, ["---"] * len(_HEAD)]
    lines = [_line(itertools.compress(cells, kept)) for cells in (*head, *rows)]
    above = inherited(owner)
    after = f"\n\nAnd all of {code(above)}." if above else ""
    return "\n".join(lines) + after + "\n"


def _line(cells: Any) -> str:
    return f"|{'|'.join(cells)}|"


def code(text: str) -> str:
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
