"""``pyrave info``: contents of a scene file, as built."""

from __future__ import annotations

import math
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from pyrave.cli.options import StartOptions

if TYPE_CHECKING:
    from rich.tree import Tree

_NO_OPTIONS = StartOptions()


def info(
    file: Path,
    *arguments: str,
    json: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    strict: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    loading: StartOptions = _NO_OPTIONS,
) -> int:
    """Show the bodies, robots, joints and sensors of a scene file.

    Parameters
    ----------
    file
        Scene, robot or body file.
    arguments
        name:=value, passed to xacro files.
    json
        Print the whole scene as JSON (schema pyrave-info/2).
    strict
        Refuse a file that has warnings.
    """
    from pyrave.cli.output import console, print_json
    from pyrave.summary import scene_summary

    env, report = loading.load(file, strict=strict, arguments=arguments)
    data = scene_summary(env, report.scene.uri or str(file))
    if json:
        print_json(data)
        return 0
    console().print(_tree(data))
    return 0


def _tree(data: dict[str, Any]) -> Tree:
    from rich.markup import escape
    from rich.tree import Tree

    from pyrave.cards import counted
    from pyrave.errors import count_severities

    world = data["environment"]
    tree = Tree(f"[bold]{escape(data['uri'])}[/bold]")
    gravity = " ".join(f"{g:g}" for g in world["gravity"])
    tree.add(
        f"{counted(world['n_bodies'], 'body')}, "
        f"{counted(world['n_robots'], 'robot')} among them; "
        f"{counted(len(world['sensors']), 'sensor')}; gravity {gravity} m/s2"
    )
    for body in data["bodies"]:
        kind = "robot" if body["is_robot"] else "body"
        where = _point(body["transform"][:3, 3])
        branch = tree.add(
            f"{kind} [bold cyan]{escape(body['name'])}[/bold cyan] at {where}: "
            f"{counted(len(body['links']), 'link')}, {body['dof']} dof, "
            f"{body['mass']:.4g} kg"
        )
        if body["joints"] or body["passive_joints"]:
            branch.add(_joints(body))
        _add_contacts(branch, body)
        _add_robot(branch, body.get("robot"))
    for sensor in world["sensors"]:
        tree.add(f"sensor [bold]{escape(sensor['name'])}[/bold] ({sensor['id']})")
    for module in world["modules"]:
        tree.add(f"module [bold]{escape(module)}[/bold]")
    if data["problems"]:
        problems = count_severities(one["severity"] for one in data["problems"])
        tree.add(f"[magenta]{problems}[/magenta]")
    return tree


def _joints(body: dict[str, Any]) -> Any:
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("joint", "type", "links", "value", "limits", "max. speed"):
        table.add_column(column, justify="left")
    for joint in (*body["joints"], *body["passive_joints"]):
        kind = joint["type"]
        if joint["closes_loop"]:
            kind += " (closes a loop)"
        elif joint["static"]:
            kind += " (static)"
        elif any(joint["mimic"]):
            kind += " (mimic)"
        elif not joint["active"]:
            kind += " (passive)"
        table.add_row(
            escape(joint["name"]),
            kind,
            escape(f"{joint['parent_link']} > {joint['child_link']}"),
            _numbers(joint["values"]),
            _limits(joint),
            _speeds(joint),
        )
    return table


def _limits(joint: dict[str, Any]) -> str:
    """Return the ranges of a joint's axes as text, equal neighbours in one."""
    said = []
    for axis, circular, lower, upper in zip(
        joint["axes"], joint["circular"], *joint["limits"], strict=False
    ):
        slides = axis["prismatic"]
        if circular or (lower == -math.inf and upper == math.inf):
            said.append("slides freely" if slides else "turns freely")
        else:
            unit = "m" if slides else "rad"
            said.append(f"{_numbers([lower])} .. {_numbers([upper])} {unit}")
    counted_words = ((len([*same]), words) for words, same in groupby(said))
    return ", ".join(f"{n} x {words}" if n > 1 else words for n, words in counted_words)


def _speeds(joint: dict[str, Any]) -> str:
    units = ("m" if axis["prismatic"] else "rad" for axis in joint["axes"])
    speeds = joint["velocity_limits"][1]
    parts = groupby(zip(units, speeds, strict=False), key=lambda part: part[0])
    return ", ".join(
        f"{_numbers([speed for _, speed in part])} {unit}/s" for unit, part in parts
    )


def _add_contacts(branch: Tree, body: dict[str, Any]) -> None:
    from rich.markup import escape

    for link in body["links"]:
        for contact in link["contacts"]:
            limit = contact["max_normal_force"]
            bears = "any load" if limit == math.inf else f"up to {limit:.4g} N"
            branch.add(
                f"contact [green]{escape(contact['name'] or contact['type'])}[/green] "
                f"({contact['type']}) on {escape(link['name'])}, bears {bears}"
            )


def _add_robot(branch: Tree, robot: dict[str, Any] | None) -> None:
    from rich.markup import escape

    from pyrave.cards import counted

    if robot is None:
        return
    for arm in robot["manipulators"]:
        branch.add(
            f"manipulator [green]{escape(arm['name'])}[/green]: "
            f"{escape(arm['base'])} > {escape(arm['end_effector'])}, "
            f"{counted(len(arm['arm_indices']), 'joint')}, tool at "
            f"{_point(arm['transform'][:3, 3])}"
        )
    if robot["configurations"]:
        names = escape(", ".join(robot["configurations"]))
        branch.add(f"configurations [green]{names}[/green]")
    for mounted in robot["attached_sensors"]:
        sensor = mounted["sensor"]
        kind = sensor["id"] if sensor else "no sensor object"
        branch.add(
            f"sensor [green]{escape(mounted['name'])}[/green] ({kind}) on "
            f"{escape(mounted['link'])}"
        )
    branch.add(f"controller {robot['controller']}")


def _numbers(values: Any) -> str:
    return " ".join(f"{value:.4g}" for value in values)


def _point(values: Any) -> str:
    # no minus before what rounds to nothing
    return "(" + ", ".join(f"{round(value, 3) + 0.0:.3f}" for value in values) + ")"
