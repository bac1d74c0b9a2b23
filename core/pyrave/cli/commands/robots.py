"""``pyrave robots``: robots that are known by name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

if TYPE_CHECKING:
    from rich.table import Table

    from pyrave.environment import KnownRobot


def robots(
    pattern: str = "",
    *,
    missing: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    json: Annotated[bool, Parameter(negative="", show_default=False)] = False,
) -> int:
    """List the robots that files, scenes and commands know by name.

    Those of installed packages have shapes and masses. Arms that ship are kinematics
    only: they are for inverse kinematics.

    Parameters
    ----------
    pattern
        Only names with this in them.
    missing
        Also robots that packages know and that are not here, with how to get them.
    json
        Print JSON (schema pyrave-robots/1), which has those that are not here, too.
    """
    from pyrave.api import known_robots
    from pyrave.cards import counted
    from pyrave.cli.output import console, print_json

    found = [one for one in known_robots() if pattern.lower() in one.name.lower()]
    if json:
        print_json(
            {
                "schema": "pyrave-robots/1",
                "robots": [
                    {
                        "name": one.name,
                        "source": one.source,
                        "file": None if one.file is None else str(one.file),
                        "note": one.note,
                    }
                    for one in found
                ],
            }
        )
        return 0
    out = console()
    here = [one for one in found if one.file is not None]
    absent = len(found) - len(here)
    out.print(_table(found if missing else here))
    if absent and not missing:
        out.print(f"{counted(absent, 'robot')} more to be had: --missing says how")
    return 0


def _table(robots: Iterable[KnownRobot]) -> Table:
    from rich.markup import escape
    from rich.table import Table

    table = Table(title="robots", title_justify="left")
    table.add_column("robot", style="bold")
    table.add_column("from")
    table.add_column("note")
    for one in robots:
        table.add_row(escape(one.name), escape(one.source), escape(one.note))
    return table
