"""The names of OpenRAVE's Python API: one table, of which docs and tests are made.

The table is ``names.txt`` beside this file. ``[Class]`` starts the names of a class,
an enumeration or a module, as scripts reach them: ``[KinBody.Link]``. Each line below
has a name, the times that it was met in 24 repositories of scripts, a remark, and the
arguments, with ``|`` between them. A remark ``refused: text`` makes the name raise
`NotSupportedError` with that text; behind the name of a section it does so for all
names of it that are not written.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pyrave.openrave_names import names_of

__all__ = ["Name", "Section", "all_sections", "native_names"]

_REFUSED = "refused: "


@dataclass(frozen=True)
class Name:
    """One name of OpenRAVE's Python API."""

    name: str
    uses: int = 0
    remark: str = ""
    arguments: str = ""

    @property
    def refusal(self) -> str:
        """The text that says what to use instead, ``""`` if the name works."""
        found = self.remark.startswith(_REFUSED)
        return self.remark.removeprefix(_REFUSED) if found else ""


@dataclass(frozen=True)
class Section:
    """The names of one class, enumeration or module."""

    path: str
    names: tuple[Name, ...]


@functools.cache
def all_sections() -> Mapping[str, Section]:
    """Return all sections by path, in the order of the table."""
    found: dict[str, list[Name]] = {}
    remark = ""
    names: list[Name] = []
    for line in Path(__file__).with_name("names.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            path, _, remark = line[1:].partition("]")
            remark = remark.strip()
            names = found.setdefault(path, [])
        elif line:
            names.append(_read_name(line, remark))
    return {path: Section(path, tuple(rows)) for path, rows in found.items()}


# whose names our own table has under another heading
_OWNERS = {
    "Controller": "ControllerBase",
    "CollisionChecker": "CollisionCheckerBase",
    "IkSolver": "IkSolverBase",
    "Interface": "InterfaceBase",
    "PhysicsEngine": "PhysicsEngineBase",
    "Planner": "PlannerBase",
    "Sensor": "SensorBase",
    "Trajectory": "TrajectoryBase",
    "openravepy": "pyrave",
    "planningutils": "planning",
}


def native_names(path: str, name: str) -> str:
    """Return pyrave's names for one of a section as Markdown, ``""`` if it has none."""
    last = path.rpartition(".")[2]
    row = names_of(_OWNERS.get(last, last)).get(name)
    if row is None:
        return ""
    return f"{row.ours}; {row.remark}" if row.remark else row.ours


def _read_name(line: str, remark: str) -> Name:
    cells = [cell.strip() for cell in line.split(" | ", 3)] + [""] * 3
    name, uses, own, arguments = cells[:4]
    return Name(name, int(uses or 0), own or remark, arguments)
