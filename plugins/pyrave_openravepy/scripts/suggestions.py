"""Names of pyrave for the names of OpenRAVE that a script uses."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping

from pyrave.openrave_names import Row, table
from pyrave_openravepy.names import all_sections
from pyrave_openravepy.scripts.conversion import ConvertedScript

__all__ = ["suggest_names"]

_NAME = re.compile(r"`(?:[A-Za-z_]\w*\.)*([A-Za-z_]\w*)")


def suggest_names(script: ConvertedScript) -> Iterator[str]:
    """Yield ``file:line: name -> ours`` for each name of OpenRAVE in a script.

    A name that several classes have is told for each of them: nothing in a script says
    what its variables hold. Names without an equal say so.
    """
    rows, known = _rows(), _openrave_names()
    seen: set[tuple[int, str]] = set()
    for line, name in sorted(script.names()):
        if name not in known or (line, name) in seen:
            continue
        seen.add((line, name))
        place = f"{script.path}:{line}: {name} -> "
        found = rows.get(name, ())
        if not found:
            yield f"{place}{_refusals().get(name) or 'no row in the table of names'}"
        for row in found:
            ours = row.ours.replace("`", "") or "nothing"
            remark = row.remark.replace("`", "")
            yield f"{place}{ours}" + (f" ({remark})" if remark else "")


@functools.cache
def _rows() -> Mapping[str, tuple[Row, ...]]:
    """Return the rows of each name, of all classes, each once."""
    found: dict[str, dict[Row, None]] = {}
    for rows in table().values():
        for row in rows:
            for name in _NAME.findall(row.openrave):
                found.setdefault(name, {})[row] = None
    return {name: tuple(rows) for name, rows in found.items()}


@functools.cache
def _openrave_names() -> frozenset[str]:
    """Return all names of OpenRAVE's API."""
    own = {one.name for section in all_sections().values() for one in section.names}
    classes = {path.rpartition(".")[2] for path in all_sections()}
    return frozenset(own | classes | _rows().keys())


@functools.cache
def _refusals() -> Mapping[str, str]:
    """Return the text in the place of each name that is refused."""
    every = (one for section in all_sections().values() for one in section.names)
    return {one.name: one.refusal for one in every if one.refusal}
