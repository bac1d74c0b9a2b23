"""``pyrave doctor``: versions, extras, caches and plugins of this installation."""

from __future__ import annotations

import os
import platform
import re
import sys
from pathlib import Path
from typing import Annotated, Any

import importlib_metadata
from cyclopts import Parameter

_REQUIREMENT = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)")
_EXTRA = re.compile(r"extra\s*==\s*['\"]([^'\"]+)['\"]")
_DEVELOPMENT = frozenset({"bench", "dev", "docs", "fuzz", "testing"})
"""Extras for work on pyrave and its plugins."""
_SLOW = 0.5
"""Seconds of an import from which on it is told."""
_VARIABLES = (
    "PYRAVE_CACHE_DIR",
    "PYRAVE_COMPILE",
    "PYRAVE_DATA",
    "OPENRAVE_DATA",
    "PYRAVE_DISABLE_PLUGINS",
    "PYRAVE_ONLY_PLUGINS",
    "PYRAVE_SETTINGS",
)


def doctor(
    *, json: Annotated[bool, Parameter(negative="", show_default=False)] = False
) -> int:
    """Show what is installed and what is wrong with it.

    Parameters
    ----------
    json
        Print JSON (schema pyrave-doctor/1).
    """
    from pyrave.cli.output import print_json

    data = examine()
    if json:
        print_json(data)
    else:
        _print(data)
    return 1 if data["plugins"]["failures"] or data["missing"] else 0


def examine() -> dict[str, Any]:
    """Return what `doctor` shows as data; every plugin is imported."""
    from pyrave import __version__
    from pyrave.cli.plugins import read_report
    from pyrave.interfaces.base import CONTRACTS

    required, extras = _requirements()
    report = read_report(load=True)
    return {
        "schema": "pyrave-doctor/1",
        "pyrave": __version__,
        "location": str(Path(__file__).resolve().parents[1]),
        "python": platform.python_version(),
        "executable": sys.executable,
        "platform": platform.platform(),
        "libraries": required,
        "missing": [name for name, version in required.items() if version is None],
        "extras": extras,
        "environment": {name: os.environ.get(name) for name in _VARIABLES},
        "kernel_cache": _cache(),
        "contracts": dict(CONTRACTS),
        "plugins": {
            "distributions": {
                group.name: {
                    "version": group.version,
                    "state": group.state.value,
                    "plugins": len(group.plugins),
                    "import_seconds": round(
                        sum(one.import_seconds or 0.0 for one in group.plugins), 3
                    ),
                }
                for group in report.distributions
            },
            "conflicts": [
                {**conflict.to_dict(), "text": str(conflict)}
                for conflict in report.conflicts
            ],
            "blocked": list(report.blocked),
            "slow_imports": {
                record.label: round(seconds, 2)
                for record in report.records
                if (seconds := record.import_seconds or 0.0) > _SLOW
            },
            "notes": list(report.notes),
            "failures": [
                record.to_dict()
                for record in report.records
                if record.failures or record.state.value in {"broken", "incompatible"}
            ],
        },
    }


def _requirements() -> tuple[dict[str, str | None], dict[str, Any]]:
    """Return versions of required libraries, and of those of each extra."""
    required: dict[str, str | None] = {}
    extras: dict[str, dict[str, str | None]] = {}
    try:
        lines = importlib_metadata.requires("pyrave") or []
    except importlib_metadata.PackageNotFoundError:
        lines = []
    for line in lines:
        name = _REQUIREMENT.match(line)
        if name is None:
            continue
        extra = _EXTRA.search(line)
        group = required if extra is None else extras.setdefault(extra[1], {})
        group[name[1]] = _version(name[1])
    summary = {
        name: {
            "complete": all(version is not None for version in versions.values()),
            "libraries": versions,
        }
        for name, versions in sorted(extras.items())
    }
    return required, summary


def _version(distribution: str) -> str | None:
    try:
        return importlib_metadata.version(distribution)
    except importlib_metadata.PackageNotFoundError:
        return None


def _cache() -> dict[str, Any]:
    from pyrave.jit import cache_directory

    folder = cache_directory()
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {
        "folder": str(folder),
        "files": len(files),
        "bytes": sum(path.stat().st_size for path in files),
        "writable": os.access(folder, os.W_OK),
    }


def _print(data: dict[str, Any]) -> None:
    from rich.table import Table
    from rich.text import Text

    from pyrave.cli.output import console

    out = console()
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    table.add_row("pyrave", f"{data['pyrave']} in {data['location']}")
    table.add_row("python", f"{data['python']} ({data['executable']})")
    table.add_row("platform", data["platform"])
    for name, version in data["libraries"].items():
        table.add_row(name, version or "[bold red]missing[/bold red]")
    # those that users want first
    extras = sorted(data["extras"].items(), key=lambda one: one[0] in _DEVELOPMENT)
    for name, extra in extras:
        lacking = [n for n, version in extra["libraries"].items() if version is None]
        state = f"lacks {', '.join(lacking)}" if lacking else "complete"
        use = "for development, " if name in _DEVELOPMENT else ""
        table.add_row(f"extra {name}", use + state)
    cache = data["kernel_cache"]
    table.add_row(
        "kernel cache",
        f"{cache['folder']}: {cache['files']} files, {cache['bytes'] / 1e6:.1f} MB, "
        + ("writable" if cache["writable"] else "[bold red]not writable[/bold red]"),
    )
    for name, value in data["environment"].items():
        if value:
            table.add_row(name, value)
    contracts = ", ".join(f"{kind} {n}" for kind, n in data["contracts"].items())
    table.add_row("contracts", contracts)
    plugins = data["plugins"]
    for name, group in plugins["distributions"].items():
        table.add_row(
            f"plugins of {name}",
            f"{group['version']}: {group['plugins']}, {group['state']}, imported in "
            f"{group['import_seconds']:.2f} s",
        )
    out.print(table)
    for conflict in plugins["conflicts"]:
        told = Text("conflict: ", style="yellow")
        out.print(told.append(conflict["text"], style="default"), soft_wrap=True)
    for note in plugins["notes"]:
        out.print(Text("note: ", style="yellow").append(note, style="default"))
    for label, seconds in plugins["slow_imports"].items():
        slow = f"{label} took {seconds} s to import, with all that it imported first"
        out.print(Text("slow: ", style="yellow").append(slow, style="default"))
    for failure in plugins["failures"]:
        label = f"{failure['distribution']}:{failure['name']}"
        said = [f" {one['what']}: {one['message']}" for one in failure["failures"]]
        if failure["reason"]:
            said.insert(0, f" is {failure['state']}: {failure['reason']}")
        for one in said:
            text = Text(label, style="bold red")
            out.print(text.append(one.partition("\n")[0], style="default"))
    if plugins["failures"]:
        out.print("`pyrave plugins --load -v` shows the tracebacks")
