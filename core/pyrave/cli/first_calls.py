"""The kernels that first calls wait for, each call in a process with an empty cache."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pyrave.errors import StateError
from pyrave.files import write_file

_SCENE = "scenes/demo.env.xml"
_PROGRAM = "import sys; from pyrave.cli.first_calls import main; main(*sys.argv[1:])"


@dataclass(frozen=True, slots=True)
class FirstCall:
    """A first call on a machine without compiled kernels.

    Parameters
    ----------
    name
        What is called.
    seconds
        Processor time of its process.
    kernels
        Each with ``name``, ``seconds`` of processor time and ``bytes`` in the cache.
    """

    name: str
    seconds: float
    kernels: tuple[dict[str, Any], ...]


def _demo(folder: Path) -> None:
    from pyrave.cli.commands.demo import demo

    demo(out=folder / "demo")


def _plan(_folder: Path) -> None:
    from pyrave import load

    arm = load(_SCENE).robots[0].active_manipulator
    goal = arm.transform
    goal[:3, 3] += (0.1, 0.25, -0.1)
    arm.plan(goal)


def _picture(folder: Path) -> None:
    from pyrave import load

    load(_SCENE).picture(folder / "scene.png")


CALLS: dict[str, Callable[[Path], None]] = {
    "demo": _demo,
    "first plan": _plan,
    "first picture": _picture,
}
"""By name, what is done with a folder for files."""


def measure(name: str) -> FirstCall:
    """Return what one of `CALLS` compiles where nothing is compiled yet.

    Raises
    ------
    StateError
        The process failed.
    """
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        environment = {
            **os.environ,
            "PYRAVE_CACHE_DIR": str(folder / "cache"),
            "PYRAVE_COMPILE": "foreground",
            "PYRAVE_MESSAGES": "none",
        }
        done = subprocess.run(  # noqa: S603 - this very interpreter
            [sys.executable, "-c", _PROGRAM, name, place],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        path = folder / "measured.json"
        if done.returncode or not path.exists():
            why = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
            raise StateError(
                f"{name} was not measured: its process ended with status "
                f"{done.returncode} ({why}); run it alone to see why"
            )
        found = json.loads(path.read_text(encoding="utf-8"))
    return FirstCall(name, found["seconds"], tuple(found["kernels"]))


def main(name: str, place: str) -> None:
    """Make a first call in this process; write what it compiled to a folder."""
    from pyrave.jit.measurements import compilations

    folder = Path(place)
    with compilations() as made:
        CALLS[name](folder)
    found = {"seconds": time.process_time(), "kernels": [asdict(one) for one in made]}
    write_file(folder / "measured.json", json.dumps(found))


def print_first_calls(*, as_json: bool) -> None:
    """Measure all of `CALLS`; print the kernels and how long each call takes."""
    from rich.table import Table

    from pyrave.cli.output import console, print_json, progress_console

    calls = []
    for name in CALLS:
        with progress_console().status(f"{name}, with an empty cache"):
            calls.append(measure(name))
    rows = rows_of(calls)
    if as_json:
        totals = {call.name: round(call.seconds, 2) for call in calls}
        schema = "pyrave-warm-explain/1"
        print_json({"schema": schema, "calls": totals, "kernels": rows})
        return
    table = Table(title="kernels that first calls compile", title_justify="left")
    table.add_column("kernel", overflow="fold")
    for heading in ("seconds", "kB"):
        table.add_column(heading, justify="right")
    table.add_column("waiting")
    for row in rows:
        size, waiting = round(row["bytes"] / 1000), ", ".join(row["waiting"])
        table.add_row(row["name"], f"{row['seconds']:.2f}", str(size), waiting)
    console().print(table)
    for call in calls:
        compiling = sum(kernel["seconds"] for kernel in call.kernels)
        console().print(
            f"{call.name}: {call.seconds:.1f} s of a processor, "
            f"{compiling:.1f} s of them compile {len(call.kernels)} kernels"
        )


def rows_of(calls: list[FirstCall]) -> list[dict[str, Any]]:
    """Return a row for each kernel, that which takes longest first, with who waits.

    A call for which a kernel was compiled counts, also twice for two forms of it.
    """
    rows: dict[str, dict[str, Any]] = {}
    for call in calls:
        mine: dict[str, list[float]] = {}
        for kernel in call.kernels:
            taken = mine.setdefault(kernel["name"], [0.0, 0])
            taken[0] += kernel["seconds"]
            taken[1] += kernel["bytes"]
        for name, (seconds, size) in mine.items():
            row = rows.setdefault(
                name, {"name": name, "seconds": 0.0, "bytes": 0, "waiting": []}
            )
            row["seconds"] = max(row["seconds"], round(seconds, 2))
            row["bytes"] = max(row["bytes"], int(size))
            row["waiting"].append(call.name)
    return sorted(rows.values(), key=lambda row: -float(row["seconds"]))
