"""A count of the names of OpenRAVE's Python API that scripts may use.

``python -m pyrave_openravepy.coverage`` prints, section by section, how many names are
mapped, refused with a message, or absent, and how many of all uses they cover.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pyrave_openravepy.names import Name, all_sections

__all__ = ["Coverage", "count_coverage", "main"]


@dataclass(frozen=True)
class Coverage:
    """Names of one section by what becomes of them."""

    path: str
    mapped: tuple[Name, ...]
    refused: tuple[Name, ...]
    absent: tuple[Name, ...]


def count_coverage() -> tuple[Coverage, ...]:
    """Return the coverage of each section."""
    return tuple(_section_coverage(path) for path in all_sections())


def _section_coverage(path: str) -> Coverage:
    from pyrave_openravepy.api.foundation.refusals import find_owner, is_refusal

    owner = find_owner(path)
    made = _instance(owner)
    kinds: dict[str, list[Name]] = {"mapped": [], "refused": [], "absent": []}
    for name in all_sections()[path].names:
        there = owner is not None and (
            hasattr(owner, name.name) or hasattr(made, name.name)
        )
        refused = there and is_refusal(owner, name.name)
        kind = "refused" if refused else "mapped" if there else "absent"
        kinds[kind].append(name)
    return Coverage(path, *(tuple(names) for names in kinds.values()))


def _instance(owner: Any) -> Any:
    """Return an object of a class of data, which have attributes of their own."""
    from pyrave_openravepy.api.foundation.errors import openrave_exception
    from pyrave_openravepy.api.foundation.guard import Guarded
    from pyrave_openravepy.api.foundation.objects import ApiObject

    if not isinstance(owner, type) or issubclass(owner, ApiObject):
        return None
    # data begin without arguments; handles are made by others
    with suppress(openrave_exception):
        return owner() if issubclass(owner, Guarded) else None
    return None


def main() -> int:
    """Print the table; 1 if a name is absent."""
    rows = count_coverage()
    print(f"{'':42}{'mapped':>8}{'refused':>8}{'absent':>8}")  # noqa: T201
    for row in rows:
        counts = "".join(f"{len(x):8}" for x in (row.mapped, row.refused, row.absent))
        missing = ", ".join(name.name for name in row.absent[:6])
        print(f"{row.path:42}{counts}  {missing}")  # noqa: T201
    # the count of uses is of a name, in whatever class: GetName is one
    uses: dict[str, int] = {}
    absent: set[str] = set()
    for row in rows:
        for name in (*row.mapped, *row.refused, *row.absent):
            uses[name.name] = max(uses.get(name.name, 0), name.uses)
        absent.update(name.name for name in row.absent)
    total = sum(uses.values())
    covered = total - sum(uses[name] for name in absent)
    counted = [sum(len(getattr(row, kind)) for row in rows) for kind in _KINDS]
    print(f"{'all':42}" + "".join(f"{count:8}" for count in counted))  # noqa: T201
    print(f"{covered} of {total} uses are covered")  # noqa: T201
    return 1 if counted[2] else 0


_KINDS = ("mapped", "refused", "absent")

if __name__ == "__main__":
    sys.exit(main())
