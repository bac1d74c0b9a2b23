"""The names of OpenRAVE's classes with ours: a table and look-ups in it.

The table is ``openrave_names.txt`` beside this file. ``[Class]`` starts the names of
one class, or of a module. Each line below has OpenRAVE's names, ours, and a remark or
none, with ``|`` between them. The documentation prints it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

__all__ = ["Row", "names_of", "openrave_hint", "table"]

_NAME = re.compile(r"`([A-Za-z_]\w*)`")
_QUOTED = re.compile(r"`([^`]+)`")


class Row(NamedTuple):
    """One line of the table; names stand in backticks."""

    openrave: str
    ours: str
    remark: str


@functools.cache
def table() -> Mapping[str, tuple[Row, ...]]:
    """Return the rows of each class of ours, in the order of the table."""
    path = Path(__file__).with_name("openrave_names.txt")
    found: dict[str, list[Row]] = {}
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("["):
            rows = found.setdefault(line[1:-1], [])
        elif line:
            openrave, ours, *remark = (cell.strip() for cell in line.split(" | "))
            rows.append(Row(openrave, ours, *remark or [""]))
    return {name: tuple(rows) for name, rows in found.items()}


@functools.cache
def names_of(owner: str) -> Mapping[str, Row]:
    """Return the row of each of OpenRAVE's names of a class; the first one counts."""
    found: dict[str, Row] = {}
    for row in table().get(owner, ()):
        for name in _NAME.findall(row.openrave):
            found.setdefault(name, row)
    return found


def openrave_hint(owner: str, name: str) -> str:
    """Return our name for a name of OpenRAVE, ``""`` if the class has none such there.

    Names of the class itself are said without it.
    """
    row = names_of(owner).get(name)
    if row is None:
        return ""
    ours = [repr(one.removeprefix(f"{owner}.")) for one in _QUOTED.findall(row.ours)]
    remark = row.remark.replace("`", "")
    if not ours:
        return f"OpenRAVE's {name} has no equal here: {remark}"
    text = f"OpenRAVE's {name} is {' or '.join(ours)} here"
    return f"{text} ({remark})" if remark else text
