"""``pyrave plugins``: installed plugins, their offers and faults."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from pyrave.cli.options import session

if TYPE_CHECKING:
    from rich.tree import Tree

    from pyrave.plugins import DistributionReport, PluginRecord, PluginReport

_MOST = 10
"""Largest number of a package's aliases, readers and formats without -v."""
_STATE_STYLES = {
    "loaded": "green",
    "declared": "dim",
    "blocked": "yellow",
    "incompatible": "bold red",
    "broken": "bold red",
}


def plugins(
    *,
    load: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    reload: Annotated[tuple[str, ...], Parameter(negative="", show_default=False)] = (),
    json: Annotated[bool, Parameter(negative="", show_default=False)] = False,
) -> int:
    """List plugins: package, version, interfaces, readers, formats and failures.

    Interfaces are read from metadata, so plugins are "declared" until they are used;
    only the light hook modules, which offer readers and formats, are imported. The
    exit code is 0 also when plugins are broken: this command lists them; `pyrave
    doctor` and `pyrave check --plugin NAME` judge them. -v lists all aliases, readers
    and formats, and shows tracebacks.

    Parameters
    ----------
    load
        Import every plugin, to see which fail.
    reload
        Import this plugin, and then its code again, as `env.registry.reload` does: to
        see whether it can be worked on in a running program. May be repeated.
    json
        Print the list as JSON (schema pyrave-plugins/1).
    """
    from rich.markup import escape

    from pyrave.cli.output import console, print_json

    report = read_report(load=load or bool(reload))
    if reload:
        report = _reloaded(reload)
    if json:
        print_json({"schema": "pyrave-plugins/1", **report.to_dict()})
        return 0
    out = console()
    for group in report.distributions:
        out.print(_distribution(group))
    for conflict in report.conflicts:
        text = escape(str(conflict))
        out.print(f"[yellow]conflict:[/yellow] {text}", soft_wrap=True)
    for note in report.notes:
        out.print(f"[yellow]note:[/yellow] {escape(note)}", soft_wrap=True)
    if report.blocked:
        out.print(f"blocked by name: {', '.join(report.blocked)}")
    return 0


def _reloaded(names: tuple[str, ...]) -> PluginReport:
    """Return the report after the code of some plugins ran twice."""
    from pyrave.plugins import default_registry

    registry = default_registry()
    for name in names:
        registry.reload(name)
    return read_report(load=True)


def read_report(*, load: bool) -> PluginReport:
    """Return the report of the installed plugins with readers and formats known."""
    from pyrave.plugins import default_registry

    registry = default_registry()
    # asking for what hook modules offer imports them, and them only
    registry.scene_formats()
    registry.mesh_formats()
    registry.cli_commands()
    registry.xml_reader_tags("sensor")
    registry.ids("sensor")
    return registry.report(load=load)


_WHOLE = {"hooks", "data", "path", "default"}
"""Kinds of plugins of which more is listed than their names."""


def _distribution(group: DistributionReport) -> Tree:
    from rich.markup import escape
    from rich.tree import Tree

    name = escape(group.name) or "run from a path"
    tree = Tree(f"[bold]{name}[/bold] {escape(group.version)}")
    offered: dict[str, list[PluginRecord]] = {}
    for record in group.plugins:
        # readers, formats and commands follow
        parts = (*record.xml_readers, *record.scene_formats, *record.mesh_formats)
        shown = record.kind.value in _WHOLE or not (parts or record.commands)
        for kind in record.interfaces or ((record.kind.value,) if shown else ()):
            offered.setdefault(kind, []).append(record)
    for kind, records in sorted(offered.items()):
        items = []
        for record in records:
            own = record.name
            if kind == "default":
                own = f"{record.name} = {record.value}"
            ids = record.interfaces.get(kind) or (own,)
            style = _STATE_STYLES[record.state.value]
            items += [f"[{style}]{escape(name)}[/{style}]" for name in ids]
        tree.add(f"{kind}: {', '.join(items)}")
    _add_names(tree, "aliases", [
        f"{kind} {alias} = {name}"
        for r in group.plugins for kind, alias, name in r.aliases
    ])  # fmt: skip
    _add_names(tree, "readers", [
        f"{kind} <{tag}>" for r in group.plugins for kind, tag in r.xml_readers
    ])  # fmt: skip
    for title in ("scene_formats", "mesh_formats", "commands"):
        names = [name for r in group.plugins for name in getattr(r, title)]
        _add_names(tree, title.replace("_", " "), names)
    for record in group.plugins:
        if record.warning:
            tree.add(f"[yellow]{escape(record.warning)}[/yellow]")
    for record in group.failed:
        tree.add(_failure(record))
    return tree


def _add_names(tree: Tree, title: str, names: list[str]) -> None:
    from rich.markup import escape

    from pyrave.cards import listed

    if names:
        most = len(names) if session.verbosity > 0 else _MOST
        tree.add(f"{title}: {escape(listed(names, most))}")


def _failure(record: PluginRecord) -> Tree:
    from rich.text import Text
    from rich.tree import Tree

    head = Text(f"{record.label} is {record.state.value}", style="bold red")
    if record.reason:
        head.append(f": {record.reason.partition(chr(10))[0]}", style="default")
    tree = Tree(head)
    if session.verbosity > 0 and record.traceback:
        tree.add(Text(record.traceback.rstrip(), style="dim"))
    for failure in record.failures:
        branch = tree.add(Text(f"{failure.what}: {failure.message}", style="red"))
        if session.verbosity > 0 and failure.traceback:
            branch.add(Text(failure.traceback.rstrip(), style="dim"))
    return tree
