"""``pyrave plugins show``: description, settings and commands of an id."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

if TYPE_CHECKING:
    from pyrave.plugins import Registry


@dataclass(frozen=True, slots=True)
class _Part:
    """An id of a type, and the class behind it."""

    interface_type: str
    interface_id: str
    distribution: str
    factory: Any

    def to_dict(self) -> dict[str, Any]:
        """Return the printed facts as plain data."""
        from pyrave.interfaces import settings_of
        from pyrave.interfaces.commands import commands_of
        from pyrave.plugins.contracts import settings_type_of

        kind = settings_type_of(self.factory)
        return {
            "type": self.interface_type,
            "id": self.interface_id,
            "distribution": self.distribution,
            "about": inspect.getdoc(self.factory) or "",
            "declares_settings": kind is not None,
            "settings": [one.to_dict() for one in settings_of(kind).values()],
            "commands": [
                {"name": one.name, "signature": one.signature, "help": one.help}
                for one in commands_of(self.factory)
            ],
        }


def show(
    *ids: str,
    json: Annotated[bool, Parameter(negative="", show_default=False)] = False,
) -> int:
    """Show what an id is, its settings and the commands that it answers.

    They are given by keyword in Python, `env.set_physics_engine("mujoco",
    time_step=1e-3)`, and as words behind the id in files and on this command line,
    "mujoco time_step=1e-3".

    Parameters
    ----------
    ids
        For example mujoco; "sensor BaseCamera" where several types have the id.
    json
        Print JSON (schema pyrave-settings/1).
    """
    from pyrave.cli.output import console, print_json
    from pyrave.errors import ArgumentError
    from pyrave.plugins import default_registry

    if not ids:
        raise ArgumentError("no id is given; `pyrave plugins` lists them")
    registry = default_registry()
    found = [part.to_dict() for one in ids for part in _parts(registry, one)]
    if json:
        print_json({"schema": "pyrave-settings/1", "parts": found})
        return 0
    out = console()
    for part in found:
        _print(out, part)
        _print_commands(out, part)
    return 0


def _parts(registry: Registry, text: str) -> list[_Part]:
    """Return the parts that are offered under an id, of each type."""
    from pyrave.errors import ArgumentError, InterfaceNotFoundError, did_you_mean
    from pyrave.interfaces.types import INTERFACE_TYPES

    kind, _, name = text.strip().rpartition(" ")
    kinds = (kind,) if kind else INTERFACE_TYPES
    found = []
    for one in kinds:
        try:
            provider = registry.provider(one, name)
        except InterfaceNotFoundError:
            continue
        factory = provider.load()
        found.append(
            _Part(
                provider.interface_type,
                provider.interface_id,
                provider.distribution,
                factory,
            )
        )
    if not found:
        known = [one for kind in kinds for one in registry.ids(kind)]
        raise ArgumentError(
            f"nothing installed has the id {name!r}{did_you_mean(name, known)}; "
            "`pyrave plugins` lists what is there"
        )
    return found


def _print(out: Any, part: dict[str, Any]) -> None:
    from rich.markup import escape
    from rich.table import Table

    origin = f" of {part['distribution']}" if part["distribution"] else ""
    out.print(f"[bold]{part['type']} {escape(part['id'])}[/bold]{escape(origin)}")
    first = part["about"].partition("\n")[0]
    if first:
        out.print(f"  {escape(first)}", soft_wrap=True)
    if not part["declares_settings"]:
        out.print("  its settings are not declared")
        return
    if not part["settings"]:
        out.print("  no settings")
        return
    table = Table(box=None, pad_edge=True)
    for column in ("name", "type", "default", "unit", "range", "meaning"):
        table.add_column(column, overflow="fold")
    for one in part["settings"]:
        table.add_row(
            *(
                escape(str(one[key]))
                for key in ("name", "type", "default_text", "unit", "range", "help")
            )
        )
    out.print(table)


def _print_commands(out: Any, part: dict[str, Any]) -> None:
    from rich.markup import escape

    if part["commands"]:
        out.print("  commands:")
    for one in part["commands"]:
        out.print(f"    {escape(one['signature'])}", soft_wrap=True)
        first = one["help"].partition("\n")[0]
        if first:
            out.print(f"      {escape(first)}", soft_wrap=True)
