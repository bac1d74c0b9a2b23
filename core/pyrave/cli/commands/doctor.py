"""``pyrave doctor``: versions, extras, caches and plugins of this installation."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
from pathlib import Path
from typing import Annotated, Any

import importlib_metadata
from cyclopts import Parameter

from pyrave.errors import StateError

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
    *,
    repair: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    json: Annotated[bool, Parameter(negative="", show_default=False)] = False,
) -> int:
    """Show what is installed and what is wrong with it.

    Exits with 1 if a library is missing, a plugin fails, or the cache of machine code
    is damaged or cannot be used.

    Parameters
    ----------
    repair
        Remove damaged files of the cache; empty a cache that others could write to,
        and make it private.
    json
        Print JSON (schema pyrave-doctor/1).
    """
    from pyrave.cli.output import print_json

    data = examine(repair=repair)
    if json:
        print_json(data)
    else:
        _print(data)
    cache = data["kernel_cache"]
    is_wrong = cache["problem"] or cache["damaged"]
    return 1 if data["plugins"]["failures"] or data["missing"] or is_wrong else 0


def examine(*, repair: bool = False) -> dict[str, Any]:
    """Return the findings of `doctor` as data; every plugin is imported.

    Parameters
    ----------
    repair
        Mend the cache of machine code first.

    Raises
    ------
    StateError
        The cache cannot be mended.
    """
    from pyrave import __version__
    from pyrave.cli.commands.plugins import read_report
    from pyrave.interfaces import CONTRACTS

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
        "kernel_cache": _examine_cache(repair=repair),
        "machine_code": _machine_code(),
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


def _examine_cache(*, repair: bool) -> dict[str, Any]:
    from pyrave.jit.cache import chosen_directory, refusal
    from pyrave.jit.cache_entries import CacheState, inspect_cache, repair_cache

    folder = chosen_directory()
    done: list[str] = []
    if repair and folder.is_dir():
        try:
            done = repair_cache(folder, inspect_cache(folder))
        except OSError as error:
            raise StateError(
                f"the cache {folder} cannot be mended: {error.strerror or error} "
                f"({error.filename}); it may be deleted as a whole"
            ) from error
    problem = refusal(folder)
    is_there = folder.is_dir()
    found = inspect_cache(folder) if is_there else CacheState(0, 0, {}, ())
    return {
        "folder": str(folder),
        "entries": found.entries,
        "bytes": found.bytes,
        "free_bytes": shutil.disk_usage(folder).free if is_there else None,
        "writable": is_there and os.access(folder, os.W_OK),
        "problem": problem,
        "damaged": {str(path): why for path, why in found.damaged.items()},
        "partial": [str(path) for path in found.partial],
        "repaired": done,
    }


def _machine_code() -> str:
    """Return the source of the machine code that kernels run on."""
    from pyrave.jit.numba_internals import brought_code

    found = brought_code()
    if isinstance(found, str):
        return f"compiled here: {found}"
    return f"came with the package, for {found.processor[1]}"


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
    table.add_row("kernel cache", _cache_line(data["kernel_cache"]))
    table.add_row("machine code", data["machine_code"])
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
    _print_cache(data["kernel_cache"])
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


def _cache_line(cache: dict[str, Any]) -> str:
    parts = [f"{cache['entries']} kernels", f"{cache['bytes'] / 1e6:.1f} MB"]
    if cache["free_bytes"] is not None:
        parts.append(f"{cache['free_bytes'] / 1e9:.1f} GB free")
    is_writable = "writable" if cache["writable"] else "not writable"
    return f"{cache['folder']}: {', '.join([*parts, is_writable])}"


def _print_cache(cache: dict[str, Any]) -> None:
    from rich.text import Text

    from pyrave.cli.output import console
    from pyrave.jit.cache import advice

    told = [(line, "green", "repaired") for line in cache["repaired"]]
    folder, problem = cache["folder"], cache["problem"]
    if problem:
        hint = advice(Path(folder), problem)
        told.append(
            (f"{folder} {problem}; no kernels are kept: {hint}", "red", "cache")
        )
    told += [
        (f"{path}: {why}", "red", "damaged") for path, why in cache["damaged"].items()
    ]
    told += [
        (f"{path}: its writer ended", "yellow", "left") for path in cache["partial"]
    ]
    for text, colour, label in told:
        line = Text(f"{label}: ", style=colour).append(text, style="default")
        console().print(line, soft_wrap=True)
    if cache["damaged"] or cache["partial"]:
        console().print(
            "`pyrave doctor --repair` removes these; they are compiled again"
        )
